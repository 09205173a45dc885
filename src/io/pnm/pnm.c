/* PNM: PBM, PGM and PPM, plain and raw, and PAM. netpbm.sourceforge.net/doc/pnm.html, pam.html */
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "../codec.h"

typedef struct pnm {
    int kind; /* the digit behind P */
    uint32_t maxval;
    int channels; /* in the file */
    bool cmyk;
    unsigned char *ink; /* owned: a row of CMYK, before it becomes RGB */
} pnm;

static bool pnm_probe(const unsigned char *head, size_t n)
{
    if (n < 3 || head[0] != 'P' || head[1] < '1' || head[1] > '7') {
        return false;
    }
    return head[1] == '7' ? head[2] == '\n'
                          : head[2] == '#' || strchr(" \t\r\n\v\f", head[2]) != NULL;
}

static bool pnm_is_blank(int c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static satf_status fail_header(satf_context *ctx, const io_source *source, const char *what)
{
    if (source->at == source->end && source->ended) {
        return io_fail_short(ctx, source);
    }
    return satf_fail(ctx, SATF_DATA, "the PNM file is damaged: %s", what);
}

/* The next byte that is neither blank nor in a comment. */
static int pnm_skip_blanks(io_source *source)
{
    int c = io_source_byte(source);
    while (pnm_is_blank(c) || c == '#') {
        if (c == '#') {
            while (c != '\n' && c != '\r' && c >= 0) {
                c = io_source_byte(source);
            }
        } else {
            c = io_source_byte(source);
        }
    }
    return c;
}

/* A decimal number up to max and the one byte behind it, which must be blank or the end. */
static bool pnm_number(io_source *source, uint32_t max, uint32_t *out)
{
    int c = pnm_skip_blanks(source);
    if (c < '0' || c > '9') {
        return false;
    }
    uint64_t value = 0;
    for (; c >= '0' && c <= '9'; c = io_source_byte(source)) {
        value = value * 10 + (uint64_t)(c - '0');
        if (value > max) {
            return false;
        }
    }
    if (c == '#') { /* a comment behind the number counts as the blank */
        while (c != '\n' && c != '\r' && c >= 0) {
            c = io_source_byte(source);
        }
    }
    *out = (uint32_t)value;
    return c < 0 || pnm_is_blank(c);
}

typedef struct pam_header {
    uint32_t width, height, depth, maxval;
    bool alpha, cmyk;
} pam_header;

/* A line without its end; false at the end of the file or when it is too long. */
static bool read_line(io_source *source, char *line, size_t room)
{
    size_t n = 0;
    int c;
    while ((c = io_source_byte(source)) != '\n') {
        if (c <= 0 || n + 1 == room) {
            return false;
        }
        line[n++] = (char)c;
    }
    line[n] = 0;
    return true;
}

/* The decimal number that text holds, between blanks. */
static bool pnm_parse_number(const char *text, uint32_t max, uint32_t *out)
{
    uint64_t value = 0;
    text += strspn(text, " \t\r");
    size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 10 || text[digits + strspn(text + digits, " \t\r")]) {
        return false;
    }
    for (size_t i = 0; i < digits; i++) {
        value = value * 10 + (uint64_t)(text[i] - '0');
    }
    *out = (uint32_t)value;
    return value <= max;
}

static satf_status read_pam_header(satf_context *ctx, io_source *source, pam_header *pam)
{
    char line[256];
    if (!read_line(source, line, sizeof line)) { /* the rest of "P7" */
        return fail_header(ctx, source, "its first line");
    }
    const struct {
        const char *word;
        uint32_t *value, max;
    } fields[] = {{"WIDTH", &pam->width, INT32_MAX},
                  {"HEIGHT", &pam->height, INT32_MAX},
                  {"DEPTH", &pam->depth, INT32_MAX},
                  {"MAXVAL", &pam->maxval, UINT16_MAX}};
    for (;;) {
        if (!read_line(source, line, sizeof line)) {
            return fail_header(ctx, source, "a header line is too long");
        }
        char *word = line + strspn(line, " \t\r");
        size_t n = strcspn(word, " \t\r");
        if (n == 0 || word[0] == '#') {
            continue;
        }
        if (n == 6 && memcmp(word, "ENDHDR", n) == 0) {
            return SATF_OK;
        }
        bool known = n == 8 && memcmp(word, "TUPLTYPE", n) == 0;
        if (known) {
            pam->alpha = strstr(word, "_ALPHA") != NULL;
            pam->cmyk = strstr(word, "CMYK") != NULL;
        }
        for (size_t i = 0; i < sizeof fields / sizeof *fields && !known; i++) {
            if (n == strlen(fields[i].word) && memcmp(word, fields[i].word, n) == 0) {
                if (!pnm_parse_number(word + n, fields[i].max, fields[i].value)) {
                    return satf_fail(ctx, SATF_DATA, "the PAM header's %s is not a number in range",
                                     fields[i].word);
                }
                known = true;
            }
        }
        if (!known) {
            return fail_header(ctx, source, "an unknown header line");
        }
    }
}

static satf_status open_pam(satf_context *ctx, io_reader *reader, pnm *p)
{
    pam_header pam = {0};
    satf_status status = read_pam_header(ctx, &reader->source, &pam);
    if (status) {
        return status;
    }
    if (pam.cmyk && pam.depth != 4u + pam.alpha) {
        return satf_fail(ctx, SATF_DATA, "the PAM file is damaged: CMYK in %" PRIu32 " channels",
                         pam.depth);
    }
    if (pam.depth == 0) {
        return satf_fail(ctx, SATF_DATA, "the PAM header's DEPTH is missing or 0");
    }
    if (pam.depth > SATF_MAX_CHANNELS && !pam.cmyk) {
        return satf_fail(ctx, SATF_UNSUPPORTED,
                         "a PAM file of depth %" PRIu32 "; 1 to %d channels are possible",
                         pam.depth, SATF_MAX_CHANNELS);
    }
    if (pam.maxval == 0) {
        return satf_fail(ctx, SATF_DATA, "the PAM header's MAXVAL is missing or 0");
    }
    p->channels = (int)pam.depth;
    p->maxval = pam.maxval;
    bool alpha = pam.alpha && (pam.cmyk || pam.depth == 2 || pam.depth == 4);
    satf_type type = pam.maxval > UINT8_MAX ? SATF_U16 : SATF_U8;
    io_header_set(&reader->header, pam.width, pam.height, p->channels - pam.cmyk, type, alpha,
                  pam.maxval);
    size_t sample = satf_type_bytes((int)type);
    reader->header.file_row_bytes = (int64_t)pam.width * p->channels * (int64_t)sample;
    reader->header.was_cmyk = p->cmyk = pam.cmyk;
    return SATF_OK;
}

static satf_status open_pnm(satf_context *ctx, io_reader *reader)
{
    pnm *p = reader->state;
    io_source *source = &reader->source;
    io_source_byte(source);
    p->kind = io_source_byte(source) - '0';
    if (p->kind == 7) {
        return open_pam(ctx, reader, p);
    }
    bool bits = p->kind == 1 || p->kind == 4;
    uint32_t width, height;
    p->maxval = 1;
    if (!pnm_number(source, INT32_MAX, &width) || !pnm_number(source, INT32_MAX, &height) ||
        (!bits && !pnm_number(source, UINT16_MAX, &p->maxval)) || p->maxval == 0) {
        return fail_header(ctx, source, "width, height or maxval is not a number in range");
    }
    p->channels = p->kind == 3 || p->kind == 6 ? 3 : 1;
    satf_type type = p->maxval > UINT8_MAX ? SATF_U16 : SATF_U8;
    io_header_set(&reader->header, width, height, p->channels, type, false,
                  bits ? UINT8_MAX : p->maxval);
    reader->header.bilevel = bits;
    /* A sample in text takes a byte at least. */
    reader->header.file_row_bytes = p->kind == 4  ? (int64_t)width / 8
                                    : p->kind < 4 ? satf_row_samples(&reader->header.view)
                                                  : reader->header.view.stride;
    return SATF_OK;
}

static satf_status fail_sample(satf_context *ctx, const pnm *p, uint32_t value)
{
    return satf_fail(ctx, SATF_DATA,
                     "the PNM file is damaged: a sample of %" PRIu32
                     " is above its maxval of %" PRIu32,
                     value, p->maxval);
}

/* P1, P2, P3: numbers in text; those of P1 need no blanks between them. */
static satf_status text_row(satf_context *ctx, io_source *source, const pnm *p, bool wide,
                            char *dst, size_t samples)
{
    for (size_t i = 0; i < samples; i++) {
        uint32_t value;
        if (p->kind == 1) {
            int c = pnm_skip_blanks(source);
            if (c != '0' && c != '1') {
                return fail_header(ctx, source, "a pixel is neither 0 nor 1");
            }
            value = c == '1' ? 0 : UINT8_MAX; /* 1 is black */
        } else if (!pnm_number(source, UINT16_MAX, &value)) {
            return fail_header(ctx, source, "a sample is not a number in range");
        } else if (value > p->maxval) {
            return fail_sample(ctx, p, value);
        }
        if (wide) {
            io_store(dst + 2 * i, value, 2);
        } else {
            dst[i] = (char)value;
        }
    }
    return SATF_OK;
}

/* P4: eight pixels a byte, the first in the highest bit, 1 is black. */
static satf_status bit_row(satf_context *ctx, io_source *source, unsigned char *dst, size_t width)
{
    for (size_t x = 0; x < width; x += 8) {
        int byte = io_source_byte(source);
        if (byte < 0) {
            return io_fail_short(ctx, source);
        }
        for (size_t i = x; i < width && i < x + 8; i++, byte <<= 1) {
            dst[i] = byte & 0x80 ? 0 : UINT8_MAX;
        }
    }
    return SATF_OK;
}

static satf_status raw_row(satf_context *ctx, io_source *source, const pnm *p, bool wide, char *dst,
                           size_t samples)
{
    size_t bytes = wide ? 2 * samples : samples;
    if (io_source_read(source, dst, bytes) != bytes) {
        return io_fail_short(ctx, source);
    }
    if (wide && IO_LITTLE_ENDIAN) {
        io_swap_bytes(dst, samples, 2);
    }
    uint32_t most = 0;
    for (size_t i = 0; i < samples && p->maxval < (wide ? UINT16_MAX : UINT8_MAX); i++) {
        uint16_t v = (unsigned char)dst[i];
        if (wide) {
            memcpy(&v, dst + 2 * i, sizeof v);
        }
        most = v > most ? v : most;
    }
    return most > p->maxval ? fail_sample(ctx, p, most) : SATF_OK;
}

static satf_status make_ink_row(satf_context *ctx, pnm *p, size_t row_bytes)
{
    satf_status status = io_check_bytes(ctx, row_bytes);
    p->ink = status ? NULL : satf_alloc(row_bytes);
    return status || p->ink ? status : satf_fail_memory(ctx, row_bytes, "a row of CMYK");
}

/* A row of CMYK of 8 or 16 bits, and alpha where there is some, to RGB. */
static inline void ink_to_rgb(const pnm *p, size_t sample, char *dst, size_t width)
{
    size_t step = (size_t)p->channels;
    for (size_t i = 0; i < width * step; i++) {
        size_t c = i % step; /* black comes fourth */
        unsigned ink = (unsigned)io_load(p->ink + i * sample, sample),
                 black = (unsigned)io_load(p->ink + (i - c + 3) * sample, sample);
        if (c != 3) {
            unsigned light = io_ink_to_light(p->maxval - ink, p->maxval - black, p->maxval);
            io_store(dst, c == 4 ? ink : light, sample);
            dst += sample;
        }
    }
}

/* Files of several pictures are these one behind the other, blanks between those in text. A
 * program that is still at work on the next one is not waited for. */
static bool another_follows(io_source *source)
{
    size_t n = io_source_peek_ready(source, IO_PROBE_BYTES), blanks = 0;
    n = n < IO_PROBE_BYTES ? n : IO_PROBE_BYTES;
    while (blanks < n && pnm_is_blank(source->at[blanks])) {
        blanks++;
    }
    return pnm_probe(source->at + blanks, n - blanks);
}

static satf_status pnm_read_rows(satf_context *ctx, io_reader *reader, void *dst, int64_t stride,
                                 int64_t n)
{
    pnm *p = reader->state;
    const satf_view *v = &reader->header.view;
    bool wide = v->type == SATF_U16;
    size_t samples = (size_t)satf_row_samples(v), inks = (size_t)(v->width * p->channels);
    satf_status status =
        p->cmyk && !p->ink ? make_ink_row(ctx, p, wide ? 2 * inks : inks) : SATF_OK;
    for (int64_t y = 0; y < n && !status; y++) {
        char *row = (char *)dst + y * stride;
        if (p->kind <= 3) {
            status = text_row(ctx, &reader->source, p, wide, row, samples);
        } else if (p->kind == 4) {
            status = bit_row(ctx, &reader->source, (unsigned char *)row, samples);
        } else if (!p->cmyk) {
            status = raw_row(ctx, &reader->source, p, wide, row, samples);
        } else {
            status = raw_row(ctx, &reader->source, p, wide, (char *)p->ink, inks);
            size_t pixels = status ? 0 : (size_t)v->width;
            wide ? ink_to_rgb(p, 2, row, pixels) : ink_to_rgb(p, 1, row, pixels);
        }
    }
    if (!status && reader->next_row + n == v->height && another_follows(&reader->source)) {
        reader->header.pictures = IO_PICTURES_SEVERAL;
    }
    return status;
}

static void close_pnm(io_reader *reader)
{
    const pnm *p = reader->state;
    satf_free(p->ink);
}

/* ----------------------------------------------------------------- writing */

/* The digit behind P that a suffix stands for; 0: the one that fits. */
static int pnm_kind_of(const char *word, const char **name)
{
    static const struct {
        const char *word;
        int kind;
    } kinds[] = {{"pbm", 4}, {"pgm", 5}, {"ppm", 6}, {"pam", 7}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcasecmp(word, kinds[i].word) == 0) {
            *name = kinds[i].word;
            return kinds[i].kind;
        }
    }
    return 0;
}

static satf_status fail_bits(satf_context *ctx)
{
    return satf_fail(ctx, SATF_UNSUPPORTED,
                     "pbm holds black and white alone; write .pgm, or .ppm if it has colours");
}

static satf_status pnm_adapt(satf_context *ctx, const char *word, io_plan *plan)
{
    bool alpha = (plan->in.flags & SATF_ALPHA) != 0;
    int colour = plan->in.channels - (alpha ? 1 : 0);
    plan->kind = pnm_kind_of(word, &plan->name);
    if (plan->kind == 0 || plan->kind == 7) {
        return SATF_OK;
    }
    if (colour == 2 || colour == 4) {
        return satf_fail(ctx, SATF_UNSUPPORTED, "%s cannot hold %d channels; write .pam",
                         plan->name, colour);
    }
    if (colour == 3 && plan->kind == 4) {
        return fail_bits(ctx);
    }
    if (colour == 3 && plan->kind == 5) {
        return satf_fail(ctx, SATF_UNSUPPORTED,
                         "the picture has colours, which pgm cannot hold; write .ppm");
    }
    plan->drop_alpha = alpha;
    plan->spread = colour == 1 && plan->kind == 6;
    return SATF_OK;
}

/* The bytes of the memory in which a row is made before it is written; 0: none is needed. */
static size_t made_row_bytes(const io_writer *writer)
{
    const satf_view *v = &writer->plan.out;
    bool swap = v->type == SATF_U16 && IO_LITTLE_ENDIAN;
    return writer->plan.kind == 4 ? ((size_t)v->width + 7) / 8 : swap ? (size_t)v->stride : 0;
}

/* Plain channels are without a tuple type. */
static int pam_header_text(const io_plan *plan, char *to, size_t room)
{
    static const char *const tuples[][SATF_MAX_CHANNELS] = {
        {"GRAYSCALE", NULL, "RGB", NULL}, {NULL, "GRAYSCALE_ALPHA", NULL, "RGB_ALPHA"}};
    const satf_view *v = &plan->out;
    const char *tuple = tuples[(v->flags & SATF_ALPHA) != 0][v->channels - 1];
    return snprintf(to, room,
                    "P7\nWIDTH %" PRId64 "\nHEIGHT %" PRId64
                    "\nDEPTH %d\nMAXVAL %.0f\n%s%s%sENDHDR\n",
                    v->width, v->height, (int)v->channels, plan->out_hi, tuple ? "TUPLTYPE " : "",
                    tuple ? tuple : "", tuple ? "\n" : "");
}

/* Without a kind: grey in P5, RGB in P6, everything else in P7. */
static satf_status pnm_create(satf_context *ctx, io_writer *writer)
{
    io_plan *plan = &writer->plan;
    const satf_view *v = &plan->out;
    char header[256];
    int n, kind = plan->kind ? plan->kind : v->channels == 1 ? 5 : v->channels == 3 ? 6 : 7;
    if (kind == 7) {
        n = pam_header_text(plan, header, sizeof header);
    } else {
        n = snprintf(header, sizeof header, "P%d\n%" PRId64 " %" PRId64 "\n", kind, v->width,
                     v->height);
        if (kind != 4) {
            n += snprintf(header + n, sizeof header - (size_t)n, "%.0f\n", plan->out_hi);
        }
    }
    size_t bytes = made_row_bytes(writer);
    writer->state = bytes ? satf_alloc(bytes) : NULL;
    if (bytes && !writer->state) {
        return satf_fail_memory(ctx, bytes, "a PNM row");
    }
    return io_write(ctx, writer, header, (size_t)n);
}

/* Black is 1; false if there is a grey. */
static bool pnm_pack_bits(const io_plan *plan, const char *row, unsigned char *bits)
{
    size_t width = (size_t)plan->out.width;
    unsigned white = (unsigned)plan->out_hi;
    memset(bits, 0, (width + 7) / 8);
    for (size_t x = 0; x < width; x++) {
        uint64_t v = plan->out.type == SATF_U16 ? io_load(row + 2 * x, 2) : io_load(row + x, 1);
        if (v == 0) {
            bits[x / 8] |= (unsigned char)(0x80 >> x % 8);
        } else if (v != white) {
            return false;
        }
    }
    return true;
}

static satf_status pnm_put(satf_context *ctx, io_writer *writer, const void *src, int64_t stride,
                           int64_t n)
{
    size_t made = made_row_bytes(writer), bytes = made ? made : (size_t)writer->plan.out.stride;
    satf_status status = SATF_OK;
    for (int64_t y = 0; y < n && !status; y++) {
        const void *row = (const char *)src + y * stride;
        if (writer->plan.kind == 4) {
            if (!pnm_pack_bits(&writer->plan, row, writer->state)) {
                return fail_bits(ctx);
            }
            row = writer->state;
        } else if (made) { /* PNM is big-endian */
            memcpy(writer->state, row, bytes);
            io_swap_bytes(writer->state, bytes / 2, 2);
            row = writer->state;
        }
        status = io_write(ctx, writer, row, bytes);
    }
    return status;
}

const io_format io_pnm = {
    .name = "pnm",
    .suffixes = "pnm pbm pgm ppm pam",
    .help = "PBM, PGM, PPM, PAM: 8 and 16 bits, any maxval; alpha in PAM",
    .fit_for_strangers = true,
    .probe = pnm_probe,
    .reader_bytes = sizeof(pnm),
    .open = open_pnm,
    .rows = pnm_read_rows,
    .close = close_pnm,
    .value_types = IO_TYPE_BIT(SATF_U8) | IO_TYPE_BIT(SATF_U16),
    .picture_types = IO_TYPE_BIT(SATF_U8) | IO_TYPE_BIT(SATF_U16),
    .channel_mask = 1u << 1 | 1u << 2 | 1u << 3 | 1u << 4,
    .stores_alpha = true,
    .stores_maxval = true,
    .adapt = pnm_adapt,
    .create = pnm_create,
    .put = pnm_put,
};
