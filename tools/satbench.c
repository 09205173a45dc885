/* satbench - measures summed area tables and the filters built on them. */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "../src/base/cpu.h"
#include "../src/base/gpu.h"
#include "../src/base/memory.h"
#include "../src/base/parallel.h"
#include "../src/io/io.h"
#include "../src/sat/cache.h"
#include "bench.h"

/* ----------------------------------------------------------------- options */

/* The option's value: behind "=", or the next word; NULL if there is none. */
static const char *option_value(const char *word, size_t name_length, char ***next)
{
    if (word[name_length] == '=') {
        return word + name_length + 1;
    }
    return **next ? *(*next)++ : NULL;
}

/* Does word consist of that option, with or without "=VALUE"? */
static bool is_option(const char *word, const char *option)
{
    size_t length = strlen(option);
    return strncmp(word, option, length) == 0 &&
           (word[length] == '\0' || (word[length] == '=' && option[1] == '-'));
}

/* One option with its value; 0 or the exit status after a message. */
static int parse_option(bench *b, const char *word, char ***next)
{
    for (int list = 0; list < BENCH_LISTS; list++) {
        const char *option = bench_list_option((bench_list)list);
        if (!is_option(word, option)) {
            continue;
        }
        if (!b->table->defaults[list]) {
            return bench_error(2, "the table %s takes no %s", b->table->name, option);
        }
        const char *value = option_value(word, strlen(option), next);
        if (!value) {
            return bench_error(2, "%s needs a value", option);
        }
        b->options.list[list].given = true;
        return bench_parse_list((bench_list)list, value, &b->options.list[list]) ? 0 : 2;
    }
    const bench_option *common;
    for (size_t i = 0; (common = bench_option_at(i)); i++) {
        const char *option = common->option, *value = "";
        if (!is_option(word, option)) {
            continue;
        }
        if (common->takes && !common->takes(b->table)) {
            return bench_error(2, "the table %s takes no %s", b->table->name, option);
        }
        if (common->metavar) {
            value = option_value(word, strlen(option), next);
        } else if (word[strlen(option)]) {
            return bench_error(2, "%s takes no value", option);
        }
        if (!value) {
            return bench_error(2, "%s needs a value", option);
        }
        if (!common->set(&b->options, value)) {
            return bench_error(2, "%s cannot be \"%s\"; see satbench --help", option, value);
        }
        return 0;
    }
    return bench_error(2, "there is no option %s; see satbench --help", word);
}

/* 0 or the exit status after a message. */
static int choose_table(bench *b, const char *name)
{
    for (size_t i = 0; bench_table_at(i); i++) {
        if (strcmp(bench_table_at(i)->name, name) == 0) {
            b->table = bench_table_at(i);
            return 0;
        }
    }
    return bench_error(2, "there is no table \"%s\"; see satbench --list", name);
}

/* Texts in place of a table: what they print, and true; else false. */
static bool print_text(const char *word)
{
    static const struct {
        const char *option;
        void (*print)(void);
    } texts[] = {{"--help", bench_print_help},    {"-h", bench_print_help},
                 {"--list", bench_print_list},    {"--version", bench_print_version},
                 {"--help-man", bench_print_man}, {"--help-bash", bench_print_bash},
                 {"--help-zsh", bench_print_zsh}, {"--help-fish", bench_print_fish}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (strcmp(texts[i].option, word) == 0) {
            texts[i].print();
            return true;
        }
    }
    return false;
}

/* The table first, then options. -1: go on; else the exit status. */
static int parse_command(bench *b, char **argv)
{
    if (!argv[1]) {
        return bench_error(2, "name a table, such as `satbench sat`; see satbench --help");
    }
    if (print_text(argv[1])) {
        return 0;
    }
    int failed = choose_table(b, argv[1]);
    if (failed) {
        return failed;
    }
    for (int list = 0; list < BENCH_LISTS; list++) {
        const char *text = b->table->defaults[list];
        if (text && !bench_parse_list((bench_list)list, text, &b->options.list[list])) {
            return 1;
        }
    }
    for (char **next = argv + 2; *next;) {
        const char *word = *next++;
        if (print_text(word)) {
            return 0;
        }
        failed = parse_option(b, word, &next);
        if (failed) {
            return failed;
        }
    }
    return -1;
}

/* ------------------------------------------------------------------- files */

/* A file to be written at the end, opened at the start: whoever cannot write
 * learns it before the measurements. */
typedef struct output {
    const char *path;
    io_output *file;
} output;

static int open_output(bench *b, output *o, const char *path)
{
    o->path = path;
    if (path && io_output_open(b->ctx, path, false, &o->file) != SATF_OK) {
        return bench_error(1, "%s: %s", path, satf_message(b->ctx));
    }
    return 0;
}

static int commit_output(bench *b, output *o)
{
    io_output *file = o->file;
    o->file = NULL;
    if (file && io_output_commit(b->ctx, file) != SATF_OK) {
        return bench_error(1, "%s: %s", o->path, satf_message(b->ctx));
    }
    return 0;
}

static void on_signal(int number)
{
    io_output_cleanup();
    signal(number, SIG_DFL);
    raise(number);
}

/* The processor's name where the system tells it. */
static void cpu_name(char *name, size_t bytes)
{
    char line[256];
    struct utsname system;
    snprintf(name, bytes, "%s", uname(&system) == 0 ? system.machine : "unknown");
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (colon && strncmp(line, "model name", 10) == 0) {
            line[strcspn(line, "\n")] = '\0';
            snprintf(name, bytes, "%s", colon + (colon[1] == ' ' ? 2 : 1));
            break;
        }
    }
    if (file) {
        fclose(file);
    }
}

/* What computes, and what drives it. */
typedef struct device_names {
    char name[256], driver[256];
} device_names;

static void name_device(const bench *b, device_names *d)
{
    struct utsname system;
    satf_gpu_info info;
    snprintf(d->driver, sizeof d->driver, "unknown");
    if (b->options.device != SATF_HOST && satf_gpu_describe(b->options.device, &info)) {
        snprintf(d->name, sizeof d->name, "%s", info.name);
        snprintf(d->driver, sizeof d->driver, "%s", info.driver);
        return;
    }
    cpu_name(d->name, sizeof d->name);
    if (uname(&system) == 0) { /* what drives a CPU is its system */
        snprintf(d->driver, sizeof d->driver, "%s %s", system.sysname, system.release);
    }
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

static int write_files(bench *b, output *json, output *plot, char **argv)
{
    char date[32] = "";
    device_names device;
    time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc)) {
        strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc);
    }
    name_device(b, &device);
    char *command = join(argv);
    if (!command) {
        return bench_error(1, "out of memory for the report");
    }
    if (json->file) {
        bench_run run = {
            .command = command,
            .date = date,
            .device_kind = bench_device_kind(b),
            .device_name = device.name,
            .driver = device.driver,
            .isa = satf_isa_name(satf_cpu_isa()),
            .threads = satf_thread_count(b->ctx),
        };
        bench_write_json(io_output_file(json->file), b->report, &run);
    }
    if (plot->file) {
        char title[512], threads[32] = "";
        if (b->options.simulate) {
            snprintf(device.name, sizeof device.name, "simulated");
        } else if (b->options.device == SATF_HOST) {
            int count = satf_thread_count(b->ctx);
            snprintf(threads, sizeof threads, ", %d thread%s", count, count == 1 ? "" : "s");
        }
        snprintf(title, sizeof title, "satbench %s, %s%s", b->table->name, device.name, threads);
        bench_report_plot(io_output_file(plot->file), b->report, title);
    }
    satf_free(command);
    int failed = commit_output(b, json);
    return failed ? failed : commit_output(b, plot);
}

/* Whether a file of the options is standard output, where the table goes otherwise. */
static bool takes_stdout(const char *path)
{
    return path && io_output_is_stdout(path);
}

/* Options that do not go together, or not with the table; 0 or the exit status. */
static int check_options(const bench *b)
{
    const bench_options *o = &b->options;
    const char *name = b->table->name;
    if (takes_stdout(o->json) && takes_stdout(o->plot)) {
        return bench_error(2, "--json and --plot cannot both go to standard output");
    }
    if (o->simulate && o->device != SATF_HOST) {
        return bench_error(2, "a simulation takes no device; leave out --device or --simulate");
    }
    if (o->simulate && o->repeat) {
        return bench_error(2, "a simulation takes no time; leave out --repeat or --simulate");
    }
    if (!o->simulate && !b->table->run) {
        return bench_error(1, "the table %s is counted only, on no device; use --simulate", name);
    }
    if (o->device == SATF_HOST && b->table == &bench_sat_table &&
        (o->tuning.tile || o->tuning.threads || o->tuning.sync || o->tuning.r > 0 || o->search)) {
        return bench_error(2, "--tile, --block-threads, --sync, --r and --search are of CUDA rows; "
                              "use --device cuda");
    }
    if (o->device != SATF_HOST && !b->table->on_cuda) {
        return bench_error(2, "the table %s is measured on the CPU only", name);
    }
    return 0;
}

static int measure(bench *b, char **argv)
{
    output json = {0}, plot = {0};
    bool json_to_stdout = takes_stdout(b->options.json);
    bool plot_to_stdout = takes_stdout(b->options.plot);
    FILE *to = json_to_stdout || plot_to_stdout ? stderr : stdout;
    int failed = check_options(b);
    if (failed) {
        return failed;
    }
    satf_status status = satf_context_set_device(b->ctx, b->options.device);
    if (status == SATF_OK) {
        status = satf_context_set_threads(b->ctx, b->options.threads);
    }
    if (status == SATF_OK && (satf_context_create(&b->copy_ctx) != SATF_OK ||
                              satf_context_set_threads(b->copy_ctx, b->options.threads))) {
        return bench_error(1, "out of memory");
    }
    if (status != SATF_OK) {
        return bench_error(1, "%s", satf_message(b->ctx));
    }
    b->report =
        bench_report_create(b->table, b->options.markdown, b->options.device != SATF_HOST, to);
    failed = b->report ? 0 : bench_error(1, "out of memory for the report");
    if (!failed) {
        failed = open_output(b, &json, b->options.json);
    }
    if (!failed) {
        failed = open_output(b, &plot, b->options.plot);
    }
    if (!failed) {
        failed = b->options.simulate ? b->table->simulate(b) : b->table->run(b);
    }
    if (!failed && bench_report_records(b->report) == 0) {
        failed = bench_error(1, "nothing could be measured");
    }
    if (!failed) {
        failed = write_files(b, &json, &plot, argv);
    }
    if (!failed && b->table->note) {
        fprintf(to, "%s%s\n", b->options.markdown ? "\n" : "", b->table->note);
    }
    io_output_discard(json.file);
    io_output_discard(plot.file);
    return failed;
}

int main(int argc, char **argv)
{
    (void)argc;
    static bench b = {
        .options = {.device = SATF_HOST, .seed = 1, .latency = 100},
        .place = SATF_HOST,
    };
    int status = parse_command(&b, argv);
    if (status < 0) {
        signal(SIGINT, on_signal);
        signal(SIGTERM, on_signal);
        status = satf_context_create(&b.ctx) == SATF_OK ? measure(&b, argv)
                                                        : bench_error(1, "out of memory");
    }
    bench_set_place(&b, SATF_HOST);
    satf_context_destroy(b.ctx);
    satf_context_destroy(b.copy_ctx);
    bench_report_destroy(b.report);
    if (fflush(stdout) != 0 && status == 0) {
        status = bench_error(1, "standard output cannot be written: %s", strerror(errno));
    }
    return status;
}
