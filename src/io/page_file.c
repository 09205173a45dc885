/* Files of several pages: the public functions. */
#include <stdio.h>
#include <string.h>

#include "codec.h"

struct satf_image_file {
    io_reader *reader;  /* of one that is read */
    char *path;         /* of one that is written; what is below as well */
    satf_file_calls to; /* that it goes to, if `by_calls`; the path is "-" then */
    bool by_calls;
    char *format, *compression; /* that the options name, or NULL */
    satf_write_options options;
    int64_t wanted, appended;
    io_output *output; /* from the first page on */
    io_pages *pages;
    bool failed;
};

static satf_status page_file_refuse(satf_context *ctx, const char *what)
{
    return satf_fail(ctx, SATF_INVALID, "%s", what);
}

/* --------------------------------------------------------------------- reading */

static satf_status page_file_open_file(satf_context *ctx, const char *path,
                                       const satf_file_calls *calls, satf_image_file **out)
{
    satf_image_file *file = satf_alloc_zeroed(sizeof *file);
    if (!file) {
        return satf_fail_memory(ctx, sizeof *file, "a file of pages");
    }
    satf_status status = io_open_file(ctx, path, calls, &file->reader);
    if (status) {
        satf_free(file);
        return status;
    }
    satf_disown(file);
    *out = file;
    return SATF_OK;
}

static satf_status open_place(satf_context *ctx, const char *path, const satf_file_calls *calls,
                              satf_image_file **out)
{
    if (out) {
        *out = NULL;
    }
    if (!ctx) {
        return SATF_INVALID;
    }
    if ((!path && !calls) || !out) {
        return page_file_refuse(ctx, "the file or the place for it is missing");
    }
    struct satf_budget *before = satf_memory_begin(ctx);
    satf_progress_begin(ctx);
    return satf_memory_end(ctx, before, page_file_open_file(ctx, path, calls, out));
}

satf_status satf_image_file_open(satf_context *ctx, const char *path, satf_image_file **out)
{
    return open_place(ctx, path, NULL, out);
}

satf_status satf_image_file_open_from(satf_context *ctx, const satf_file_calls *from,
                                      satf_image_file **out)
{
    return open_place(ctx, NULL, from, out);
}

int64_t satf_image_file_pages(const satf_image_file *file)
{
    return !file ? 0 : file->reader ? file->reader->pages : file->appended;
}

satf_status satf_image_file_read(satf_context *ctx, satf_image_file *file, int64_t page,
                                 satf_image **out)
{
    if (out) {
        *out = NULL;
    }
    if (!ctx) {
        return SATF_INVALID;
    }
    if (!file || !out || !file->reader) {
        return page_file_refuse(ctx, !out ? "the place for the image is missing"
                                          : "the file is missing, or one that is written");
    }
    struct satf_budget *before = satf_memory_begin(ctx);
    satf_progress_begin(ctx);
    satf_status status = io_go_to(ctx, file->reader, page - 1);
    status = status ? status : io_read_whole(ctx, file->reader, out);
    satf_image_disown(*out);
    return satf_memory_end(ctx, before, status);
}

/* --------------------------------------------------------------------- writing */

static char *copy_text(const char *text)
{
    size_t bytes = text ? strlen(text) + 1 : 0;
    char *copy = text ? satf_alloc(bytes) : NULL;
    if (copy) {
        memcpy(copy, text, bytes);
    }
    return copy;
}

static satf_status page_file_create(satf_context *ctx, const char *path,
                                    const satf_file_calls *calls, int64_t pages,
                                    const satf_write_options *options, satf_image_file **out)
{
    satf_write_options all;
    satf_file_calls to = {0};
    if (out) {
        *out = NULL;
    }
    if (!ctx) {
        return SATF_INVALID;
    }
    if (!path || !out || pages < 0) {
        return page_file_refuse(ctx, pages < 0 ? "the number of pages cannot be negative"
                                               : "the file or the place for it is missing");
    }
    satf_status status = io_take_options(ctx, options, &all);
    status = status ? status : io_take_struct(ctx, "satf_file_calls", calls, &to, sizeof to);
    if (status) {
        return status;
    }
    const io_format *format = all.format ? io_format_find(all.format) : io_format_by_suffix(path);
    if (!format || !format->holds_pages) {
        return satf_fail(ctx, SATF_UNSUPPORTED, "%s holds one picture; write .tif or .npy",
                         format ? format->name : "a file of no known format");
    }
    satf_image_file *file = satf_alloc_zeroed(sizeof *file);
    if (file) {
        file->options = all;
        file->wanted = pages;
        file->path = copy_text(path);
        file->by_calls = calls != NULL;
        file->to = to;
        file->options.format = file->format = copy_text(all.format);
        file->options.compression = file->compression = copy_text(all.compression);
    }
    if (!file || !file->path || (all.format && !file->format) ||
        (all.compression && !file->compression)) {
        satf_image_file_close(file);
        return satf_fail_memory(ctx, sizeof *file, "a file of pages");
    }
    *out = file;
    return SATF_OK;
}

satf_status satf_image_file_create(satf_context *ctx, const char *path, int64_t pages,
                                   const satf_write_options *options, satf_image_file **out)
{
    return page_file_create(ctx, path, NULL, pages, options, out);
}

satf_status satf_image_file_create_to(satf_context *ctx, const satf_file_calls *to, int64_t pages,
                                      const satf_write_options *options, satf_image_file **out)
{
    return page_file_create(ctx, to ? "-" : NULL, to, pages, options, out);
}

static satf_status page_file_begin(satf_context *ctx, satf_image_file *file,
                                   const io_format *format)
{
    const satf_file_calls *to = file->by_calls ? &file->to : NULL;
    satf_status status =
        io_output_open(ctx, file->path, to, file->options.no_clobber != 0, NULL, &file->output);
    status = status ? status
                    : io_pages_open(ctx, format, io_output_file(file->output), NULL, file->wanted,
                                    &file->pages);
    return status;
}

static satf_status page_file_append(satf_context *ctx, satf_image_file *file,
                                    const satf_image *image)
{
    io_plan plan;
    io_writer *writer;
    if (file->wanted > 0 && file->appended == file->wanted) {
        return page_file_refuse(ctx, "all pages have been appended");
    }
    satf_status status = io_make_plan(ctx, image, file->path, &file->options, &plan);
    status = status ? status : io_find_range(ctx, &image->view, file->options.clip_percent, &plan);
    if (!status && !file->pages) {
        status = page_file_begin(ctx, file, plan.format);
    }
    status = status ? status
                    : io_page_open(ctx, &plan, file->pages, file->appended, &file->options,
                                   &image->metadata, &writer);
    if (!status) {
        status = io_write_image(ctx, writer, &image->view);
        io_writer_close(writer);
    }
    status = io_output_blame(ctx, file->output, status);
    file->appended += !status;
    file->failed = status != SATF_OK;
    return status;
}

satf_status satf_image_file_append(satf_context *ctx, satf_image_file *file,
                                   const satf_image *image)
{
    if (!ctx) {
        return SATF_INVALID;
    }
    if (!file || !image || file->reader || file->failed) {
        return page_file_refuse(ctx, !image         ? "the image is missing"
                                     : !file        ? "the file is missing"
                                     : file->reader ? "the file is one that is read"
                                                    : "an earlier page has failed; close the file");
    }
    struct satf_budget *before = satf_memory_begin(ctx);
    satf_progress_begin(ctx);
    return satf_memory_end(ctx, before, page_file_append(ctx, file, image));
}

satf_status satf_image_file_finish(satf_context *ctx, satf_image_file *file)
{
    if (!ctx) {
        return SATF_INVALID;
    }
    if (!file || file->reader || file->failed || !file->pages) {
        return page_file_refuse(ctx, !file || file->reader
                                         ? "the file is missing, or one that is read"
                                     : file->failed ? "a page has failed; close the file"
                                                    : "the file has no page");
    }
    satf_status status = io_output_end(ctx, file->output, io_pages_finish(ctx, file->pages));
    file->output = NULL;
    file->failed = true; /* nothing more comes */
    return status;
}

void satf_image_file_close(satf_image_file *file)
{
    if (file) {
        io_close(file->reader);
        io_pages_close(file->pages);
        io_output_discard(file->output);
        satf_free(file->path);
        satf_free(file->format);
        satf_free(file->compression);
        satf_free(file);
    }
}
