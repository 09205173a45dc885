#include "image.h"

#include <inttypes.h>
#include <string.h>

#include "memory.h"
#include "view.h"

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
    image->view = view;
    image->has_range = !satf_type_is_float(type);
    image->hi = (double)satf_type_max(type);
    image->alpha_max = image->has_range ? image->hi : 1;
    image->picture_type = type == SATF_U8 ? SATF_U8 : SATF_U16;
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
        satf_disown(image->view.data);
        satf_disown(image);
    }
}

void satf_image_destroy(satf_image *image)
{
    if (image) {
        satf_metadata_clear(&image->metadata);
        satf_free(image->view.data);
        satf_free(image);
    }
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
