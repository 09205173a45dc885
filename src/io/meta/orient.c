/* Turning pictures upright, by their orientation, as they are read. */
#include "../../move/move.h"
#include "../codec.h"

satf_status satf_context_set_auto_orient(satf_context *ctx, int on)
{
    if (!ctx) {
        return SATF_INVALID;
    }
    ctx->settings.upright = on != 0;
    return SATF_OK;
}

static unsigned orientation_of(const io_reader *reader)
{
    const satf_metadata *m = &reader->header.metadata;
    return m->exif ? satf_exif_orientation(m->exif, m->exif_bytes) : 1;
}

/* What says where on earth the stored pixels are does not hold for others. */
static void drop_places(io_header *header)
{
    satf_metadata *m = &header->metadata;
    size_t left = satf_tags_drop(m->tags, m->tags_bytes, SATF_TAG_GEO);
    if (left < m->tags_bytes) {
        io_list_name(header->others, sizeof header->others, "GeoTIFF");
    }
    m->tags_bytes = left;
}

void io_turn_upright(io_reader *reader)
{
    io_header *header = &reader->header;
    satf_view *view = &header->view;
    if (orientation_of(reader) == 1) {
        return;
    }
    reader->symmetry = move_of_orientation(orientation_of(reader));
    reader->stored = *view;
    move_metadata_upright(reader->symmetry, &header->metadata);
    satf_metadata_drop_thumbnails(&header->metadata);
    drop_places(header);
    if (reader->symmetry & MOVE_TRANSPOSE) {
        view->width = reader->stored.height;
        view->height = reader->stored.width;
        view->stride = view->width * satf_pixel_bytes(view);
    }
    if (!move_keeps_rows(reader->symmetry) || !header->rows_in_order) {
        header->held_bytes += (uint64_t)reader->stored.stride * (uint64_t)reader->stored.height;
        header->rows_in_order = false;
    }
}

satf_status io_check_upright(satf_context *ctx, const io_reader *reader)
{
    return ctx->settings.upright && orientation_of(reader) != 1
               ? satf_fail(ctx, SATF_UNSUPPORTED,
                           "its orientation comes behind its pixels, too late in a pipe; write it "
                           "into a file first (option: auto-orient)")
               : SATF_OK;
}
