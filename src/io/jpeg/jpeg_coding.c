/* The coding of a JPEG that is read, and of one that is written again: as it was, so that a small
 * change makes a small difference, in the file's size too. */
#include <inttypes.h>
#include <string.h>

#include "jpeg_common.h"

enum { DEFAULT_QUALITY = 90, FULL_COLOUR_QUALITY = 90 };

satf_status io_jpeg_charge(io_jpeg_state *state, uint64_t coefficients_bytes, JDIMENSION width,
                           int components)
{
    enum { ROWS = 64 }; /* of blocks of up to 32 rows, twice */
    uint64_t wanted = coefficients_bytes + (uint64_t)width * (uint64_t)components * ROWS;
    size_t bytes = wanted < SIZE_MAX ? (size_t)wanted : SIZE_MAX;
    return satf_charge_add(&state->charge, bytes) ? SATF_OK
                                                  : satf_fail_memory(state->ctx, bytes, "libjpeg");
}

/* Coefficients that are held for codes made for the picture, where no scans ask for them. */
static uint64_t most_for_codes(const satf_context *ctx)
{
    uint64_t little = UINT64_C(64) << 20, quarter = (uint64_t)ctx->settings.max_bytes / 4;
    return little < quarter ? little : quarter;
}

uint64_t io_jpeg_held_bytes(const satf_context *ctx, const io_plan *plan,
                            const satf_metadata *metadata)
{
    const satf_view *out = &plan->out;
    uint64_t all = 2 * (uint64_t)out->height * (uint64_t)satf_row_samples(out);
    uint64_t most = most_for_codes(ctx);
    return metadata->jpeg.progressive || all < most ? all : most;
}

/* ------------------------------------------------------------------ as it was */

/* False if a component's table comes behind the first scan's header. */
static bool copy_tables(const struct jpeg_decompress_struct *cinfo, satf_jpeg_coding *coding)
{
    for (int i = 0; i < cinfo->num_components; i++) {
        int number = cinfo->comp_info[i].quant_tbl_no;
        const JQUANT_TBL *table =
            number >= 0 && number < NUM_QUANT_TBLS ? cinfo->quant_tbl_ptrs[number] : NULL;
        if (!table) {
            return false;
        }
        memcpy(coding->quant[i], table->quantval, sizeof coding->quant[i]);
    }
    return true;
}

void io_jpeg_note_coding(const struct jpeg_decompress_struct *cinfo, satf_jpeg_coding *coding)
{
    bool rgb = cinfo->jpeg_color_space == JCS_RGB;
    if (cinfo->num_components != 1 && cinfo->jpeg_color_space != JCS_YCbCr && !rgb) {
        return;
    }
    *coding = (satf_jpeg_coding){.components = cinfo->num_components,
                                 .progressive = cinfo->progressive_mode != 0,
                                 .rgb = rgb};
    coding->has_tables = copy_tables(cinfo, coding);
    for (int i = 0; i < cinfo->num_components; i++) {
        coding->h[i] = (unsigned char)cinfo->comp_info[i].h_samp_factor;
        coding->v[i] = (unsigned char)cinfo->comp_info[i].v_samp_factor;
    }
}

/* ------------------------------------------------------------------- once more */

/* libjpeg divides by eight times these, in 16 bits. No coefficient is beyond 2^11, so nothing
 * is left of it in either case. */
static UINT16 divisible(uint16_t step)
{
    return step < 1 ? 1 : step > 8191 ? 8191 : step;
}

/* One table of libjpeg's for each that differs. */
static void set_tables(struct jpeg_compress_struct *cinfo, const satf_jpeg_coding *coding)
{
    for (int i = 0; i < coding->components; i++) {
        int same = 0;
        while (memcmp(coding->quant[same], coding->quant[i], sizeof coding->quant[i]) != 0) {
            same++;
        }
        cinfo->comp_info[i].quant_tbl_no = same;
        if (!cinfo->quant_tbl_ptrs[same]) {
            cinfo->quant_tbl_ptrs[same] = jpeg_alloc_quant_table((j_common_ptr)cinfo);
        }
        JQUANT_TBL *table = cinfo->quant_tbl_ptrs[same];
        for (int k = 0; k < DCTSIZE2; k++) {
            table->quantval[k] = divisible(coding->quant[i][k]);
        }
        table->sent_table = FALSE;
    }
}

static int common_divisor(const unsigned char factor[3])
{
    int d = factor[0];
    while (d > 1 && (factor[0] % d || factor[1] % d || factor[2] % d)) {
        d--;
    }
    return d < 1 ? 1 : d;
}

/* Factors that libjpeg writes: the largest is a multiple of each, and a unit of the picture has
 * few blocks. Colour of full resolution takes the place of others, such as 3 beside 2. */
static void set_sampling(struct jpeg_compress_struct *cinfo, const satf_jpeg_coding *coding)
{
    int dh = common_divisor(coding->h), dv = common_divisor(coding->v), blocks = 0;
    int h_most = 0, v_most = 0;
    for (int i = 0; i < 3; i++) {
        h_most = coding->h[i] / dh > h_most ? coding->h[i] / dh : h_most;
        v_most = coding->v[i] / dv > v_most ? coding->v[i] / dv : v_most;
    }
    bool fits = h_most <= MAX_SAMP_FACTOR && v_most <= MAX_SAMP_FACTOR;
    for (int i = 0; i < 3 && fits; i++) {
        int h = coding->h[i] / dh, v = coding->v[i] / dv;
        fits = h > 0 && v > 0 && h_most % h == 0 && v_most % v == 0;
        blocks += h * v;
    }
    fits = fits && blocks <= C_MAX_BLOCKS_IN_MCU;
    for (int i = 0; i < 3; i++) {
        cinfo->comp_info[i].h_samp_factor = fits ? coding->h[i] / dh : 1;
        cinfo->comp_info[i].v_samp_factor = fits ? coding->v[i] / dv : 1;
    }
}

uint64_t io_jpeg_coded_samples(const jpeg_component_info *components, int count, JDIMENSION width,
                               JDIMENSION height)
{
    uint64_t h_most = 1, v_most = 1, samples = 0;
    for (const jpeg_component_info *c = components; c < components + count; c++) {
        h_most = (uint64_t)c->h_samp_factor > h_most ? (uint64_t)c->h_samp_factor : h_most;
        v_most = (uint64_t)c->v_samp_factor > v_most ? (uint64_t)c->v_samp_factor : v_most;
    }
    uint64_t across = (width + h_most * DCTSIZE - 1) / (h_most * DCTSIZE);
    uint64_t down = (height + v_most * DCTSIZE - 1) / (v_most * DCTSIZE);
    for (const jpeg_component_info *c = components; c < components + count; c++) {
        samples += across * down * (uint64_t)(c->h_samp_factor * c->v_samp_factor) * DCTSIZE2;
    }
    return samples;
}

/* Scans, and codes that are made for the picture, come of its coefficients, 16 bits each. */
static satf_status choose_entropy_coding(satf_context *ctx, struct jpeg_compress_struct *cinfo,
                                         bool progressive)
{
    uint64_t bytes = 2 * io_jpeg_coded_samples(cinfo->comp_info, cinfo->num_components,
                                               cinfo->image_width, cinfo->image_height);
    uint64_t limit = (uint64_t)ctx->settings.max_bytes;
    if (progressive && bytes > limit) {
        return satf_fail(ctx, SATF_LIMIT,
                         "a progressive JPEG takes %" PRIu64
                         " bytes to write, above the limit of %" PRIu64
                         " bytes (limit: max-memory)",
                         bytes, limit);
    }
    if (progressive) {
        jpeg_simple_progression(cinfo);
    }
    cinfo->optimize_coding = progressive || bytes <= most_for_codes(ctx);
    return SATF_OK;
}

satf_status io_jpeg_set_coding(satf_context *ctx, struct jpeg_compress_struct *cinfo, int quality,
                               const satf_jpeg_coding *coding)
{
    if (coding && coding->components != cinfo->input_components) {
        coding = NULL;
    }
    bool as_it_was = !quality && coding && coding->has_tables;
    quality = quality ? quality : DEFAULT_QUALITY;
    if (as_it_was && coding->rgb) {
        jpeg_set_colorspace(cinfo, JCS_RGB);
    }
    jpeg_set_quality(cinfo, quality, TRUE);
    if (as_it_was) {
        set_tables(cinfo, coding);
    }
    if (coding && coding->components == 3) {
        set_sampling(cinfo, coding);
    } else if (quality >= FULL_COLOUR_QUALITY) { /* libjpeg's default is 4:2:0 */
        cinfo->comp_info[0].h_samp_factor = cinfo->comp_info[0].v_samp_factor = 1;
    }
    return choose_entropy_coding(ctx, cinfo, coding && coding->progressive);
}
