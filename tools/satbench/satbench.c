/* satbench - measures summed area tables and the filters built on them. */
#include <signal.h>
#include <string.h>

#include "../../src/base/memory.h"
#include "../../src/base/parallel.h"
#include "../../src/io/io.h"
#include "bench.h"
#include "paper/paper.h"

static void on_signal(int number)
{
    io_output_cleanup();
    signal(number, SIG_DFL);
    raise(number);
}

/* The program's name and the words behind it, separated by blanks; the caller frees it. */
static char *join(char **argv)
{
    size_t bytes = sizeof "satbench";
    for (char **word = argv + 1; *word; word++) {
        bytes += strlen(*word) + 1;
    }
    char *text = satf_alloc_zeroed(bytes);
    if (text) {
        strcpy(text, "satbench");
    }
    for (char **word = argv + 1; *word && text; word++) {
        strcat(strcat(text, " "), *word);
    }
    return text;
}

static int write_files(bench *b, bench_output *json, bench_output *plot, char **argv)
{
    char *command = join(argv);
    if (!command) {
        return bench_error(1, "out of memory for the report");
    }
    if (json->file) {
        bench_write_records(bench_output_file(json), b, command);
    }
    satf_free(command);
    if (plot->file) {
        char title[512], threads[32] = "";
        bench_device device;
        bench_name_device(b->options.device, &device);
        if (b->options.simulate) {
            snprintf(device.name, sizeof device.name, "simulated");
        } else if (b->options.device == SATF_HOST) {
            int count = satf_thread_count(b->ctx);
            snprintf(threads, sizeof threads, ", %d thread%s", count, count == 1 ? "" : "s");
        }
        snprintf(title, sizeof title, "satbench %s, %s%s", b->table->name, device.name, threads);
        bench_report_plot(bench_output_file(plot), b->report, title);
    }
    int failed = bench_output_commit(b, json);
    return failed ? failed : bench_output_commit(b, plot);
}

static int satbench_measure(bench *b, char **argv)
{
    bench_output json = {0}, plot = {0};
    bool json_to_stdout = bench_output_is_stdout(b->options.json);
    bool plot_to_stdout = bench_output_is_stdout(b->options.plot);
    FILE *to = json_to_stdout || plot_to_stdout ? stderr : stdout;
    int failed = bench_check_options(b);
    if (!failed && json_to_stdout && plot_to_stdout) {
        failed = bench_error(2, "--json and --plot cannot both go to standard output");
    }
    if (!failed) {
        failed = bench_output_open(b, &json, b->options.json);
    }
    if (!failed) {
        failed = bench_output_open(b, &plot, b->options.plot);
    }
    if (!failed) {
        failed = bench_run_table(b, to);
    }
    if (!failed) {
        failed = write_files(b, &json, &plot, argv);
    }
    if (!failed && b->table->note) {
        fprintf(to, "%s%s\n", b->options.markdown ? "\n" : "", b->table->note);
    }
    bench_output_discard(&json);
    bench_output_discard(&plot);
    return failed;
}

int main(int argc, char **argv)
{
    (void)argc;
    static bench b = BENCH_DEFAULTS;
    bool paper = argv[1] && strcmp(argv[1], "paper") == 0;
    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
    int status = paper ? paper_command(argv + 2) : bench_parse(&b, argv + 1);
    if (!status && b.text) {
        bench_print((bench_text)b.text);
    } else if (!status && !paper) {
        status = satf_context_create(&b.ctx) == SATF_OK ? satbench_measure(&b, argv)
                                                        : bench_error(1, "out of memory");
    }
    bench_close(&b);
    if ((fflush(stdout) != 0 || ferror(stdout)) && status == 0) {
        status = bench_error(1, "standard output cannot be written");
    }
    return status;
}
