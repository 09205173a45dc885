/* Filters a file into a file: file "box=15" in.png out.png */
#include <satfilter.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    satf_context *ctx = NULL;
    satf_filter *filter = NULL;
    satf_file_report report = {0}; /* whether a message is about the input or the output */
    satf_status status = argc == 4 ? satf_context_create(&ctx) : SATF_INVALID;
    if (!status)
        status = satf_filter_parse(ctx, argv[1], &filter);
    if (!status)
        status = satf_filter_file(ctx, filter, argv[2], argv[3], NULL, &report, sizeof report);
    if (status)
        fprintf(stderr, "%s: %s\n", report.at ? report.at : "file",
                ctx ? satf_message(ctx) : "file FILTER INPUT OUTPUT");
    satf_filter_destroy(filter);
    satf_context_destroy(ctx);
    return status != SATF_OK;
}
