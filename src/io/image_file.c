/* Whole images from and to files: the public functions. */
#include <stdio.h>
#include <string.h>

#include "meta/exif.h"
#include "codec.h"

satf_status io_read_whole(satf_context *ctx, io_reader *reader, satf_image **out)
{
    const io_header *header = &reader->header;
    satf_image *image;
    satf_status status = io_make_image(ctx, header, &image);
    if (status) {
        return status;
    }
    status = io_read_image(ctx, reader, &image->view);
    if (!status) {
        status = satf_metadata_copy(ctx, &header->metadata, &image->metadata);
    }
    if (status) {
        satf_image_destroy(image);
        return status;
    }
    image->damaged = io_is_damaged(header);
    *out = image;
    return SATF_OK;
}

/* Reads the file at the path, that of the calls, or the one of so many bytes at `data`, whichever
 * is not NULL; `what` names it where none is. */
static satf_status read_image(satf_context *ctx, const char *path, const satf_file_calls *calls,
                              const void *data, size_t bytes, const char *what, satf_image **out)
{
    if (out) {
        *out = NULL;
    }
    if (!ctx) {
        return SATF_INVALID;
    }
    if ((!path && !calls && !data) || !out) {
        return satf_fail(ctx, SATF_INVALID, "the %s or the place for the image is missing", what);
    }
    io_reader *reader;
    satf_budget *before = satf_memory_begin(ctx);
    satf_progress_begin(ctx);
    satf_status status =
        data ? io_open_memory(ctx, data, bytes, &reader) : io_open(ctx, path, calls, &reader);
    if (!status) {
        status = io_read_whole(ctx, reader, out);
        io_close(reader);
    }
    satf_image_disown(*out);
    return satf_memory_end(ctx, before, status);
}

satf_status satf_image_read(satf_context *ctx, const char *path, satf_image **out)
{
    return read_image(ctx, path, NULL, NULL, 0, "file", out);
}

satf_status satf_image_read_from(satf_context *ctx, const satf_file_calls *from, satf_image **out)
{
    return read_image(ctx, NULL, from, NULL, 0, "file", out);
}

satf_status satf_image_decode(satf_context *ctx, const void *data, size_t bytes, satf_image **out)
{
    return read_image(ctx, NULL, NULL, data, bytes, "data", out);
}

static satf_status write_image(satf_context *ctx, const satf_image *image, const io_plan *plan,
                               FILE *file, const satf_write_options *options)
{
    io_writer *writer;
    satf_status status = io_writer_open(ctx, plan, file, options, &image->metadata, &writer);
    if (status) {
        return status;
    }
    status = io_write_image(ctx, writer, &image->view);
    io_writer_close(writer);
    return status;
}

/* Finds all that is written, but the pixels. `nameless`, of a place without a suffix, says so where
 * the options name no format. */
static satf_status plan_image(satf_context *ctx, const satf_image *image, const char *path,
                              const char *nameless, const satf_write_options *options,
                              satf_write_options *all, io_plan *plan)
{
    satf_status status = io_take_options(ctx, options, all);
    if (!status && nameless && !all->format) {
        status = satf_fail(ctx, SATF_INVALID, "%s no suffix to go by; name a format", nameless);
    }
    status = status ? status : io_make_plan(ctx, image, path, all, plan);
    return status ? status : io_find_range(ctx, &image->view, all->clip_percent, plan);
}

/* Writes to the path, or by the calls if that is NULL; `missing` says so of what is not there. */
static satf_status write_place(satf_context *ctx, const satf_image *image, const char *path,
                               const satf_file_calls *calls, const char *missing,
                               const satf_write_options *options)
{
    io_plan plan;
    io_output *output;
    satf_write_options all;
    if (!ctx) {
        return SATF_INVALID;
    }
    if (!image || (!path && !calls)) {
        return satf_fail(ctx, SATF_INVALID, "the image or the %s missing", missing);
    }
    satf_budget *before = satf_memory_begin(ctx);
    satf_progress_begin(ctx);
    satf_status status = plan_image(ctx, image, path ? path : "-", calls ? "callbacks have" : NULL,
                                    options, &all, &plan);
    status = status ? status : io_output_open(ctx, path, calls, all.no_clobber != 0, NULL, &output);
    if (!status) {
        status = write_image(ctx, image, &plan, io_output_file(output), &all);
        status = io_output_end(ctx, output, status);
    }
    return satf_memory_end(ctx, before, status);
}

satf_status satf_image_write(satf_context *ctx, const satf_image *image, const char *path,
                             const satf_write_options *options)
{
    return write_place(ctx, image, path, NULL, "path is", options);
}

satf_status satf_image_write_to(satf_context *ctx, const satf_image *image,
                                const satf_file_calls *to, const satf_write_options *options)
{
    return write_place(ctx, image, NULL, to, "callbacks are", options);
}

/* ---------------------------------------------------------------------- in memory */

/* A file in memory that counts, unlike that of open_memstream(). */
typedef struct memory_file {
    char *data; /* owned */
    size_t bytes, room;
} memory_file;

/* Returns 0 without memory, which is an error to stdio. */
static ssize_t image_file_append(void *user, const char *from, size_t n)
{
    memory_file *f = user;
    size_t wanted;
    if (!satf_add(f->bytes, n, &wanted)) {
        return 0;
    }
    if (wanted > f->room) {
        size_t room = wanted + wanted / 2;
        char *larger = room < wanted ? NULL : satf_grow(f->data, f->bytes, room);
        if (!larger) {
            return 0;
        }
        f->data = larger;
        f->room = room;
    }
    memcpy(f->data + f->bytes, from, n);
    f->bytes = wanted;
    return (ssize_t)n;
}

static satf_status image_file_encode(satf_context *ctx, const satf_image *image,
                                     const satf_write_options *options, memory_file *to)
{
    io_plan plan;
    satf_write_options all;
    satf_status status = plan_image(ctx, image, "-", "memory has", options, &all, &plan);
    if (status) {
        return status;
    }
    FILE *file = fopencookie(to, "w", (cookie_io_functions_t){.write = image_file_append});
    if (!file) {
        return satf_fail(ctx, SATF_NO_MEMORY, "no memory for a file's bytes");
    }
    status = write_image(ctx, image, &plan, file, &all);
    bool complete = fclose(file) == 0;                 /* it may run out of memory here too */
    if ((!status && !complete) || status == SATF_IO) { /* nothing else fails in memory */
        status = satf_fail(ctx, SATF_NO_MEMORY, "no memory for a file's bytes");
    }
    return status;
}

satf_status satf_image_encode(satf_context *ctx, const satf_image *image,
                              const satf_write_options *options, void **data, size_t *bytes)
{
    if (data) {
        *data = NULL;
    }
    if (bytes) {
        *bytes = 0;
    }
    if (!ctx) {
        return SATF_INVALID;
    }
    if (!image || !data || !bytes) {
        return satf_fail(ctx, SATF_INVALID, "the %s is missing",
                         !image ? "image" : "place for the file's bytes");
    }
    memory_file file = {0};
    satf_budget *before = satf_memory_begin(ctx);
    satf_progress_begin(ctx);
    satf_status status = image_file_encode(ctx, image, options, &file);
    satf_disown(file.data);
    if (status) {
        satf_free(file.data);
        return satf_memory_end(ctx, before, status);
    }
    *data = file.data;
    *bytes = file.bytes;
    return satf_memory_end(ctx, before, status);
}

void satf_buffer_free(void *data)
{
    satf_free(data);
}

static satf_status image_file_probe(satf_context *ctx, const char *path,
                                    const satf_file_calls *calls, satf_image_info *info,
                                    size_t bytes)
{
    satf_image_info all = {0};
    satf_give(info, bytes, &all, sizeof all);
    if (!ctx) {
        return SATF_INVALID;
    }
    if ((!path && !calls) || !info) {
        return satf_fail(ctx, SATF_INVALID, "the file or the place for the answer is missing");
    }
    io_reader *reader;
    satf_progress_begin(ctx);
    satf_status status = io_open(ctx, path, calls, &reader);
    if (!status) {
        status = io_find_metadata(ctx, reader);
        const io_header *header = &reader->header;
        const satf_metadata *m = &header->metadata;
        all = (satf_image_info){
            .view = header->view,
            .format = reader->format->name,
            .pictures = reader->pages > 1  ? reader->pages
                        : header->pictures ? header->pictures
                                           : 1,
            .pages = reader->pages,
            .has_range = header->has_range,
            .lo = header->lo,
            .hi = header->hi,
            .orientation = m->exif ? (int)satf_exif_orientation(m->exif, m->exif_bytes) : 1,
            .icc_bytes = m->icc_bytes,
            .exif_bytes = m->exif_bytes,
            .xmp_bytes = m->xmp_bytes,
            .damaged = io_is_damaged(header),
        };
        io_close(reader);
    }
    if (!status) {
        satf_give(info, bytes, &all, sizeof all);
    }
    return status;
}

satf_status satf_image_probe(satf_context *ctx, const char *path, satf_image_info *info,
                             size_t bytes)
{
    return image_file_probe(ctx, path, NULL, info, bytes);
}

satf_status satf_image_probe_from(satf_context *ctx, const satf_file_calls *from,
                                  satf_image_info *info, size_t bytes)
{
    return image_file_probe(ctx, NULL, from, info, bytes);
}
