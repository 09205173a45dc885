/* Images in memory that own their pixels. */
#include "image.h"

#include <inttypes.h>
#include <string.h>

#include "../io/meta/exif.h"
#include "memory.h"
#include "view.h"

/* Sets the image's view, and the possible range of its samples. */
static void set_view(satf_image *image, const satf_view *view)
{
    image->view = *view;
    image->has_range = !satf_type_is_float(view->type);
    image->lo = satf_least_sample(view);
    image->hi = image->has_range ? satf_full_scale(view) : 0;
    image->alpha_max = image->has_range ? image->hi : 1;
    image->picture_type = view->type == SATF_U8 ? SATF_U8 : SATF_U16;
}

satf_status satf_image_create_unset(satf_context *ctx, int64_t width, int64_t height,
                                    int32_t channels, satf_type type, uint32_t flags,
                                    satf_image **out)
{
    *out = NULL;
    satf_view view = satf_view_packed(NULL, width, height, channels, type);
    view.flags = flags;
    satf_status status = satf_check_view(ctx, &view, "image", false);
    if (status) {
        return status;
    }
    int64_t bytes = view.stride * view.height; /* checked: does not overflow */
    if (bytes > ctx->settings.max_bytes) {
        return satf_fail(ctx, SATF_LIMIT,
                         "an image of %" PRId64 " bytes is above the limit of %" PRId64
                         " bytes (limit: max-memory)",
                         bytes, ctx->settings.max_bytes);
    }
    satf_image *image = satf_alloc_zeroed(sizeof *image);
    void *data = satf_alloc((size_t)bytes);
    if (!image || !data) {
        satf_free(image);
        satf_free(data);
        return satf_fail_memory(ctx, (size_t)bytes, "an image");
    }
    view.data = data;
    set_view(image, &view);
    *out = image;
    return SATF_OK;
}

satf_status satf_image_create(satf_context *ctx, int64_t width, int64_t height, int32_t channels,
                              satf_type type, uint32_t flags, satf_image **out)
{
    if (!ctx || !out) {
        return SATF_INVALID;
    }
    satf_status status = satf_image_create_unset(ctx, width, height, channels, type, flags, out);
    if (!status) {
        const satf_view *view = &(*out)->view;
        memset(view->data, 0, (size_t)view->stride * (size_t)view->height);
    }
    return status;
}

satf_status satf_image_wrap(satf_context *ctx, const satf_view *pixels, satf_image **out)
{
    if (out) {
        *out = NULL;
    }
    if (!ctx) {
        return SATF_INVALID;
    }
    if (!out) {
        return satf_fail(ctx, SATF_INVALID, "the place for the image is missing");
    }
    satf_status status = satf_check_view(ctx, pixels, "image", true);
    if (!status && pixels->device != SATF_HOST) {
        status = satf_fail(ctx, SATF_INVALID, "images are in memory of the host");
    }
    if (status) {
        return status;
    }
    satf_image *image = satf_alloc_zeroed(sizeof *image);
    if (!image) {
        return satf_fail_memory(ctx, sizeof *image, "an image");
    }
    set_view(image, pixels);
    image->wraps = true;
    *out = image;
    return SATF_OK;
}

const satf_view *satf_image_view(const satf_image *image)
{
    return image ? &image->view : NULL;
}

void satf_image_disown(satf_image *image)
{
    if (image) {
        satf_disown(image->metadata.icc);
        satf_disown(image->metadata.exif);
        satf_disown(image->metadata.xmp);
        satf_disown(image->metadata.iptc);
        satf_disown(image->metadata.text);
        satf_disown(image->metadata.tags);
        satf_disown(image->wraps ? NULL : image->view.data);
        satf_disown(image);
    }
}

void satf_image_destroy(satf_image *image)
{
    if (image) {
        satf_metadata_clear(&image->metadata);
        satf_free(image->wraps ? NULL : image->view.data);
        satf_free(image);
    }
}

void satf_image_describe(const satf_image *image, satf_image_info *info, size_t bytes)
{
    satf_image_info all = {0};
    if (image) {
        const satf_metadata *m = &image->metadata;
        all = (satf_image_info){
            .view = image->view,
            .pictures = 1,
            .pages = 1,
            .has_range = image->has_range,
            .lo = image->lo,
            .hi = image->hi,
            .orientation = (int)satf_exif_orientation(m->exif, m->exif_bytes),
            .icc_bytes = m->icc_bytes,
            .exif_bytes = m->exif_bytes,
            .xmp_bytes = m->xmp_bytes,
            .damaged = image->damaged,
        };
    }
    satf_give(info, bytes, &all, sizeof all);
}

/* ----------------------------------------------------------------- metadata */

/* The block of that kind, and its size; NULL if there is no such kind. */
static unsigned char **block_of(satf_metadata *m, satf_metadata_kind which, size_t **bytes)
{
    switch (which) {
    case SATF_METADATA_ICC:
        *bytes = &m->icc_bytes;
        return &m->icc;
    case SATF_METADATA_EXIF:
        *bytes = &m->exif_bytes;
        return &m->exif;
    case SATF_METADATA_XMP:
        *bytes = &m->xmp_bytes;
        return &m->xmp;
    }
    return NULL;
}

const void *satf_image_metadata(const satf_image *image, satf_metadata_kind which, size_t *bytes)
{
    size_t *found;
    satf_metadata *m = image ? (satf_metadata *)(uintptr_t)&image->metadata : NULL;
    unsigned char **block = m ? block_of(m, which, &found) : NULL;
    *bytes = block && *block ? *found : 0;
    return block ? *block : NULL;
}

static const char *name_of(satf_metadata_kind which)
{
    switch (which) {
    case SATF_METADATA_ICC:
        return "ICC profile";
    case SATF_METADATA_EXIF:
        return "EXIF";
    case SATF_METADATA_XMP:
        return "XMP";
    }
    return NULL;
}

/* Whether the bytes begin as a block of that kind. */
static bool begins_well(satf_metadata_kind which, const unsigned char *data, size_t bytes)
{
    enum { ICC_HEADER = 128, ICC_MARK_AT = 36 };
    satf_tiff tiff;
    switch (which) {
    case SATF_METADATA_ICC:
        return bytes >= ICC_HEADER && memcmp(data + ICC_MARK_AT, "acsp", 4) == 0;
    case SATF_METADATA_EXIF:
        return satf_tiff_open((unsigned char *)(uintptr_t)data, bytes, &tiff);
    case SATF_METADATA_XMP:
        return memchr(data, '<', bytes) != NULL;
    }
    return false;
}

satf_status satf_image_set_metadata(satf_context *ctx, satf_image *image, satf_metadata_kind which,
                                    const void *data, size_t bytes)
{
    static const unsigned char lead[6] = "Exif\0";
    if (!ctx) {
        return SATF_INVALID;
    }
    size_t *old_bytes, made_bytes;
    unsigned char *made, **old = image ? block_of(&image->metadata, which, &old_bytes) : NULL;
    if (!old || (!data && bytes > 0)) {
        return satf_fail(ctx, SATF_INVALID,
                         !image ? "the image is missing"
                         : !old ? "there is no such kind of metadata"
                                : "the metadata are missing");
    }
    const unsigned char *from = data;
    bool any = bytes > 0;
    if (which == SATF_METADATA_EXIF && bytes >= sizeof lead && !memcmp(from, lead, sizeof lead)) {
        from += sizeof lead;
        bytes -= sizeof lead;
    }
    if (bytes > (uint64_t)ctx->settings.max_metadata || bytes > INT32_MAX) {
        return satf_fail(ctx, SATF_LIMIT,
                         "%s of %zu bytes is above the limit (limit: max-metadata)", name_of(which),
                         bytes);
    }
    if (any && !begins_well(which, from, bytes)) {
        return satf_fail(ctx, SATF_DATA, "the bytes are no %s", name_of(which));
    }
    satf_status status = satf_copy_block(ctx, from, bytes, &made, &made_bytes);
    if (!status) {
        satf_free(*old);
        *old = made;
        *old_bytes = made_bytes;
    }
    return status;
}

satf_status satf_copy_block(satf_context *ctx, const void *from, size_t bytes, unsigned char **to,
                            size_t *to_bytes)
{
    *to = NULL;
    *to_bytes = 0;
    if (bytes > 0) {
        *to = satf_alloc(bytes);
        if (!*to) {
            return satf_fail_memory(ctx, bytes, "an image's metadata");
        }
        memcpy(*to, from, bytes);
        *to_bytes = bytes;
    }
    return SATF_OK;
}

satf_status satf_metadata_copy(satf_context *ctx, const satf_metadata *from, satf_metadata *to)
{
    satf_metadata copy = *from;
    const struct {
        const unsigned char *from;
        size_t bytes;
        unsigned char **to;
        size_t *to_bytes;
    } blocks[] = {
        {from->icc, from->icc_bytes, &copy.icc, &copy.icc_bytes},
        {from->exif, from->exif_bytes, &copy.exif, &copy.exif_bytes},
        {from->xmp, from->xmp_bytes, &copy.xmp, &copy.xmp_bytes},
        {from->iptc, from->iptc_bytes, &copy.iptc, &copy.iptc_bytes},
        {from->text, from->text_bytes, &copy.text, &copy.text_bytes},
        {from->tags, from->tags_bytes, &copy.tags, &copy.tags_bytes},
    };
    copy.icc = copy.exif = copy.xmp = copy.iptc = copy.text = copy.tags = NULL;
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        size_t bytes = blocks[i].from ? blocks[i].bytes : 0;
        satf_status status =
            satf_copy_block(ctx, blocks[i].from, bytes, blocks[i].to, blocks[i].to_bytes);
        if (status) {
            satf_metadata_clear(&copy);
            return status;
        }
    }
    *to = copy;
    return SATF_OK;
}

void satf_metadata_clear(satf_metadata *metadata)
{
    satf_free(metadata->icc);
    satf_free(metadata->exif);
    satf_free(metadata->xmp);
    satf_free(metadata->iptc);
    satf_free(metadata->text);
    satf_free(metadata->tags);
    memset(metadata, 0, sizeof *metadata);
}
