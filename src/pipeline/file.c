/* Files to files: the public functions. */
#include "../base/memory.h"
#include "pipeline.h"

void satf_file_options_init(satf_file_options *options, size_t bytes)
{
    satf_file_options all = {.bytes = bytes};
    satf_give(options, bytes, &all, sizeof all);
}

satf_status satf_filter_file(satf_context *ctx, const satf_filter *filter, const char *input,
                             const char *output, const satf_file_options *options,
                             satf_file_report *report, size_t report_bytes)
{
    satf_file_report made = {.at = input};
    satf_give(report, report_bytes, &made, sizeof made);
    if (!ctx) {
        return SATF_INVALID;
    }
    if (!filter || !input || !output) {
        return satf_fail(ctx, SATF_INVALID, "the %s is missing",
                         !filter  ? "filter"
                         : !input ? "input's name"
                                  : "output's name");
    }
    satf_file_options all;
    pipeline_job job = {.input = input, .output = output, .filter = filter};
    satf_file_options_init(&all, sizeof all);
    satf_status status = io_take_struct(ctx, "satf_file_options", options, &all, sizeof all);
    if (!status) {
        status = io_take_options(ctx, all.write, &job.write);
    }
    if (!status && all.files < 0) {
        status = satf_fail(ctx, SATF_INVALID, "the number of files cannot be negative");
    }
    bool backwards = all.last_page > 0 && all.last_page < all.first_page;
    if (!status && (all.first_page < 0 || backwards || (all.last_page && !all.first_page))) {
        status = satf_fail(ctx, SATF_INVALID, "pages are numbered from 1 on, the first one first");
    }
    if (status) {
        return status;
    }
    job.route = all.route;
    job.input_format = all.input_format != 0;
    job.files = all.files;
    job.first_page = all.first_page;
    job.last_page = all.last_page;
    job.on_page = all.page_done;
    job.page_user = all.page_user;
    job.stats = all.stats != 0;
    job.region = all.region;
    job.from = all.input_calls;
    job.to = all.output_calls;
    status = pipeline_run(ctx, &job, &made);
    satf_give(report, report_bytes, &made, sizeof made);
    return status;
}

void satf_files_cleanup(void)
{
    io_output_cleanup();
}

void satf_files_sweep(const char *output)
{
    if (output) {
        io_output_sweep(output);
    }
}

int satf_is_stdout(const char *path)
{
    return path && io_output_is_stdout(path);
}
