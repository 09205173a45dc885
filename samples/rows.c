/* Filters a grey picture of which only some rows are in memory: rows "box=15" < in.pgm > out.pgm */
#include <satfilter.h>
#include <stdio.h>
#include <stdlib.h>

/* Results are written as soon as they are there; rows are read when the filter wants more. */
static satf_status copy_rows(satf_rows *rows, const satf_view *view)
{
    size_t bytes = (size_t)view->width;
    unsigned char *row = malloc(bytes);
    satf_status status = row ? SATF_OK : SATF_NO_MEMORY;
    int64_t written = 0, count;
    while (!status && written < view->height) {
        status = satf_rows_pull(rows, row, view->stride, 1, &count);
        if (!status && count > 0) {
            status = fwrite(row, bytes, 1, stdout) == 1 ? SATF_OK : SATF_IO;
            written++;
        } else if (!status) {
            status = fread(row, bytes, 1, stdin) == 1
                         ? satf_rows_push(rows, row, view->stride, 1, &count)
                         : SATF_DATA;
        }
    }
    free(row);
    return status;
}

int main(int argc, char **argv)
{
    int width, height, white;
    if (argc != 2 || scanf("P5 %d %d %d%*c", &width, &height, &white) != 3 || white != 255) {
        fprintf(stderr, "usage: rows FILTER < in.pgm > out.pgm, of 8 bits\n");
        return 2;
    }
    satf_context *ctx = NULL;
    satf_filter *filter = NULL;
    satf_rows *rows = NULL;
    satf_view view = satf_view_packed(NULL, width, height, 1, SATF_U8);
    satf_status status = satf_context_create(&ctx);
    if (!status)
        status = satf_filter_parse(ctx, argv[1], &filter);
    if (!status)
        status = satf_rows_open(ctx, filter, &view, &view, &rows);
    if (!status) {
        printf("P5\n%d %d\n255\n", width, height);
        status = copy_rows(rows, &view);
    }
    if (status)
        fprintf(stderr, "rows: %s: %s\n", satf_status_name(status), satf_message(ctx));
    satf_rows_close(rows);
    satf_filter_destroy(filter);
    satf_context_destroy(ctx);
    return status != SATF_OK;
}
