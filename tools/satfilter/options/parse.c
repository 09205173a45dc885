/* Reading the command line: words to options, filters and files, then the whole. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "borders.h"
#include "../devices.h"
#include "../joined.h"
#include "message.h"
#include "options.h"

/* The filter of one word, whose text as a spec is `text`. */
static satf_status parse_make_filter(settings *s, const filter_word *word, char *text,
                                     satf_filter **out)
{
    satf_param_info own, other;
    if (!satf_filter_param(word->name, 0, &own, sizeof own) || !own.is_value ||
        own.type != SATF_PARAM_FILE) {
        return satf_filter_parse(s->ctx, text, out);
    }
    /* A file's name may hold blanks and commas: only what reads ",PARAM=..." at
     * its end is a parameter. */
    char *value = strchr(text, '=') + 1;
    char *end = value + strlen(value);
    satf_status status = satf_filter_create(s->ctx, word->name, out);
    for (char *comma; !status && (comma = memrchr(value, ',', (size_t)(end - value)));) {
        size_t length = 0, i = 1;
        const char *param;
        for (; (param = satf_filter_param(word->name, i, &other, sizeof other)); i++) {
            length = strlen(param);
            if (strncmp(comma + 1, param, length) == 0 && comma[1 + length] == '=') {
                break;
            }
        }
        if (!param) {
            break;
        }
        char kept = *end;
        *end = '\0';
        status = satf_filter_set(s->ctx, *out, param, comma + 2 + length);
        *end = kept;
        end = comma;
    }
    char kept = *end;
    *end = '\0';
    if (!status) {
        status = satf_filter_set(s->ctx, *out, own.name, value);
    }
    *end = kept;
    if (status) {
        satf_filter_destroy(*out);
        *out = NULL;
    }
    return status;
}

/* Makes the chain that is applied where no filter is named: copy. */
static int make_copy(settings *s)
{
    strcpy(s->spec, "copy"); /* the command itself, and an option, are longer */
    return satf_filter_create(s->ctx, s->spec, &s->filter)
               ? usage_error(NULL, "%s", library_message(s->ctx))
               : 0;
}

/* Makes s->filter and s->spec of the words. */
static int parse_make_chain(settings *s)
{
    char *end = s->spec;
    if (!s->word_count) {
        return make_copy(s);
    }
    for (int i = 0; i < s->word_count; i++) {
        const filter_word *word = &s->words[i];
        char *start = end + (i > 0);
        end = stpcpy(start, word->name);
        if (word->value) {
            const char *value = word->value, *windows = filter_default_value(word->name);
            *end++ = filter_value_syntax(word->name) ? '=' : ',';
            end = stpcpy(end, *value == ',' && windows ? windows : "");
            end = stpcpy(end, value + (*value == ',' && !windows));
        }
        satf_param_info param;
        for (unsigned k = 0; satf_filter_param(word->name, k, &param, sizeof param); k++) {
            if (word->flags & 1U << k) {
                *end++ = ',';
                end = stpcpy(end, param.name);
            }
        }
        satf_filter *one;
        satf_status status = parse_make_filter(s, word, start, &one);
        if (!status && s->filter) {
            status = satf_filter_append(s->ctx, s->filter, one);
            satf_filter_destroy(one);
        } else if (!status) {
            s->filter = one;
        }
        if (status) {
            char subject[128];
            snprintf(subject, sizeof subject, "--%s", word->name);
            const char *meant = border_meant(library_message(s->ctx));
            message(subject, "%s%s%s", library_message(s->ctx), meant ? "; here it is called " : "",
                    meant ? meant : "");
            return status == SATF_INVALID ? EXIT_USAGE : EXIT_FAILURE;
        }
        if (i > 0) {
            start[-1] = ' ';
        }
    }
    if (s->border_given) {
        satf_filter_set_default_border(s->ctx, s->filter, s->border, s->constant);
    }
    satf_filter_set_missing(s->ctx, s->filter, s->omits_nan, s->says_nodata ? &s->nodata : NULL);
    if (s->weights && satf_filter_read_weights(s->ctx, s->filter, s->weights)) {
        message("--weights", "%s", library_message(s->ctx));
        return EXIT_FAILURE;
    }
    return 0;
}

/* Refuses an algorithm that has no row for the device, or for any device. */
static int check_algorithm(const settings *s)
{
    bool on_cpu = has_algorithm(s->algorithm, "cpu");
    bool on_cuda = has_algorithm(s->algorithm, "cuda");
    bool wants_cpu = s->device && strcmp(s->device, "cpu") == 0;
    bool wants_cuda = devices_named(s);
    if (!on_cpu && !on_cuda) {
        return usage_error("--algorithm", "%s is not in this version; see --list", s->algorithm);
    }
    if (s->sync && (wants_cpu || !on_cuda)) {
        return usage_error("--sync", "is for algorithms of CUDA devices; see --list");
    }
    if ((wants_cpu && !on_cpu) || (wants_cuda && !on_cuda)) {
        return usage_error("--algorithm", "%s runs on %s only, not with --device %s; see --list",
                           s->algorithm, on_cpu ? "the CPU" : "CUDA devices", s->device);
    }
    return 0;
}

static bool has_border(const char *filter)
{
    satf_param_info param;
    for (size_t i = 0; satf_filter_param(filter, i, &param, sizeof param); i++) {
        if (param.type == SATF_PARAM_BORDER) {
            return true;
        }
    }
    return false;
}

/* Refuses options that contradict one another, whatever the files are. */
static int check_engine(const settings *s)
{
    if (s->algorithm && s->engine == SATF_ENGINE_WINDOW) {
        return usage_error("--algorithm", "the window engine builds no table; leave out one of "
                                          "--algorithm and --engine window");
    }
    if (s->route == SATF_ROUTE_ROWS && devices_named(s)) {
        return usage_error("--stream", "a CUDA device takes whole pictures; leave out one of "
                                       "--stream and --device");
    }
    if (s->r > 0 && (!s->algorithm || strcmp(s->algorithm, "1+r"))) {
        return usage_error("--r", "belongs to --algorithm 1+r");
    }
    if (s->sync && !s->algorithm) {
        return usage_error("--sync", "belongs to an --algorithm with stages, such as 1+r");
    }
    bool borders = false;
    for (int i = 0; i < s->word_count; i++) {
        borders = borders || has_border(s->words[i].name);
    }
    if (s->border_given && s->word_count && !borders) {
        return usage_error("--border", "no filter here looks beyond the edges; leave it out");
    }
    return s->algorithm ? check_algorithm(s) : 0;
}

/* Those that settings.limits has room for: all, or this does not compile. */
static bool is_limit(satf_limit limit)
{
    switch (limit) {
    case SATF_LIMIT_PIXELS:
    case SATF_LIMIT_MEMORY:
    case SATF_LIMIT_METADATA:
    case SATF_LIMIT_SCANS:
    case SATF_LIMIT_RATIO:
    case SATF_LIMIT_DEVICE_MEMORY:
        return true;
    }
    return false;
}

/* Sets the limits, which hold for pictures that filters name, too. */
static satf_status parse_set_limits(const settings *s)
{
    satf_status status = s->formats_given ? SATF_OK : satf_context_set_formats(s->ctx, "all");
    status = status ? status : satf_context_set_auto_orient(s->ctx, s->auto_orient);
    for (int i = 0; is_limit((satf_limit)i) && !status; i++) {
        status = satf_context_set_limit(s->ctx, (satf_limit)i, s->limits[i]);
    }
    return status;
}

/* Reads the mask. The inputs' axes are not its own. */
static int read_mask(settings *s)
{
    satf_image_info info;
    satf_context_set_axes(s->ctx, NULL);
    satf_status status = satf_image_read(s->ctx, s->mask, &s->mask_image);
    satf_image_describe(s->mask_image, &info, sizeof info);
    if (status || info.damaged) {
        message(s->mask, "%s",
                status ? library_message(s->ctx) : "is damaged, so it is no mask (--mask)");
        return EXIT_FAILURE;
    }
    satf_context_set_axes(s->ctx, s->axes);
    return 0;
}

/* The context, and what is written, as the options say. */
static int set_up(settings *s)
{
    satf_context *ctx = s->ctx;
    if (s->png_level >= 0) {
        s->write.png_level = s->png_level;
    }
    if (satf_context_set_engine(ctx, s->engine) || satf_context_set_threads(ctx, s->threads) ||
        (s->r > 0 && satf_context_set_r(ctx, s->r))) {
        return usage_error(NULL, "%s", library_message(ctx));
    }
    int status = devices_set(s);
    return !status && s->filter && satf_filter_check_engine(ctx, s->filter)
               ? usage_error(NULL, "%s", library_message(ctx))
               : status;
}

/* Is the stream a file or a pipe, rather than a terminal or /dev/null? */
static bool is_redirected(int fd)
{
    struct stat info;
    return fstat(fd, &info) == 0 &&
           (S_ISREG(info.st_mode) || S_ISFIFO(info.st_mode) || S_ISSOCK(info.st_mode));
}

/* The other names of standard input and output behave like "-": they need no suffix, and a file
 * behind them is written where it stands. 0 or 1 for such a name, else -1. */
static int parse_stream_of(const char *name)
{
    static const char *const names[][3] = {{"/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"},
                                           {"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"}};
    for (int stream = 0; stream < 2; stream++) {
        for (int i = 0; i < 3; i++) {
            if (strcmp(name, names[stream][i]) == 0) {
                return stream;
            }
        }
    }
    return -1;
}

/* Makes "-" of another name of it, and refuses names that cannot be meant. */
static int take_name(const char **name, bool is_output)
{
    int stream = parse_stream_of(*name);
    if (!**name) {
        return usage_error(NULL, "'' is not the name of a file; name the %s",
                           is_output ? "output" : "input");
    }
    if (stream == !is_output) {
        return usage_error(*name, is_output ? "is standard input, and no output"
                                            : "is standard output, and no input");
    }
    *name = stream < 0 ? *name : "-";
    return 0;
}

static int take_names(settings *s)
{
    int status = s->output ? take_name(&s->output, true) : 0;
    int output = s->output ? -1 : 1; /* among the files */
    for (int i = 0; i < s->source_count && !status; i++) {
        if (s->sources[i].kind == SOURCE_FILE) {
            status = take_name(&s->sources[i].name, i == output);
        }
    }
    return status;
}

/* Standard input is read once: by an option or as an input. */
static int check_stdin(const settings *s)
{
    const char *reads = s->mask && strcmp(s->mask, "-") == 0         ? "--mask"
                        : s->weights && strcmp(s->weights, "-") == 0 ? "--weights"
                                                                     : NULL;
    int output = s->output ? -1 : 1; /* among the files */
    for (int i = 0; i < s->source_count && reads; i++) {
        if (s->sources[i].kind == SOURCE_FILE && i != output &&
            strcmp(s->sources[i].name, "-") == 0) {
            return usage_error(reads, "standard input is the picture, and cannot be read twice");
        }
    }
    return 0;
}

static int check_whole(settings *s)
{
    if (s->pending_flag) {
        char subject[64];
        snprintf(subject, sizeof subject, "--%s", s->pending_flag);
        return usage_error(subject, "belongs to a filter that is not there; see --help");
    }
    if (!s->word_count && !s->auto_orient && !joined_holds_pages(s)) {
        return usage_error(NULL, "no filter: say what to do, for example --box 15 (see --list)");
    }
    if (!s->source_count && !s->output && is_redirected(STDIN_FILENO)) {
        s->sources[0] = s->sources[1] = (source){SOURCE_FILE, "-"};
        s->source_count = s->file_count = 2;
        s->filters_stdin = true;
    }
    int status = take_names(s);
    return status ? status : check_stdin(s);
}

/* In "--guided 9 eps=0.02 in.png out.png" the parameter looks like a file, in "--unsharp 7 1.5" the
 * number. */
static int refuse_third(const settings *s)
{
    for (int i = 0; i < s->source_count; i++) {
        const char *name = s->sources[i].name;
        bool number = name[strspn(name, "0123456789.:%x")] == '\0';
        if ((number || strchr(name, '=')) && access(name, F_OK)) {
            return usage_error(name, "is no file; parameters of a filter follow it behind commas, "
                                     "as in --box 15,border=wrap");
        }
    }
    return usage_error(
        s->sources[2].name,
        "a third file; several pictures need -o FOLDER, as in -o p/out, or -o both.tif");
}

/* Refuses too few files and too many. */
static int check_files(settings *s)
{
    bool only_files = s->source_count == s->file_count;
    const char *wrong = NULL;
    if (!s->output && !only_files) {
        wrong = "lists and folders of inputs need -o DIR";
    } else if (s->file_count < (s->output ? 1 : 2) && only_files) {
        wrong = s->file_count ? "no output: name a file behind the input, or a folder with -o"
                : s->output   ? "no input: name the files to filter"
                              : "no input and no output: name both";
    }
    if (wrong) {
        /* A file may be missing since a filter took it for its value: --rotate in.png out.png. */
        return parse_make_chain(s) ? EXIT_USAGE : usage_error(NULL, "%s", wrong);
    }
    if (!s->output && s->file_count > 2) {
        return refuse_third(s);
    }
    if (s->parents && !s->output) {
        return usage_error("--parents", "belongs to -o DIR");
    }
    return 0;
}

/* Whether the words behind count. */
static bool parse_goes_on(const settings *s)
{
    return s->action == ACTION_RUN || s->action == ACTION_TUNE;
}

/* "satfilter help box": a command with a file of that name has a filter, an option, behind it. */
static bool is_help(char **argv)
{
    bool options = false;
    for (char **word = argv + 1; *word; word++) {
        options = options || (*word)[0] == '-';
    }
    return argv[1] && strcmp(argv[1], "help") == 0 && !options;
}

int options_parse(settings *s, int argc, char **argv)
{
    *s = (settings){.program = argv[0], .write = satf_write_defaults(), .png_level = -1};
    /* The chain's text is no longer than the arguments with a separator and a default each. */
    size_t spec_bytes = 1;
    for (int i = 0; i < argc; i++) {
        spec_bytes += strlen(argv[i]) + sizeof "=10in,";
    }
    s->sources = calloc(1, sizeof *s->sources * ((size_t)argc + 1));
    s->words = calloc(1, sizeof *s->words * ((size_t)argc + 1));
    s->spec = calloc(1, spec_bytes);
    if (!s->sources || !s->words || !s->spec || satf_context_create(&s->ctx)) {
        return out_of_memory();
    }
    if (satf_module_load(s->ctx, NULL)) {
        return usage_error("SATFILTER_MODULES", "%s", library_message(s->ctx));
    }
    bool options_end = false;
    char **arg = argv + 1;
    if (is_help(argv)) {
        s->action = ACTION_HELP;
        arg++;
    }
    for (; *arg && parse_goes_on(s); arg++) {
        int status = 0;
        if (options_end || (*arg)[0] != '-' || !(*arg)[1]) {
            s->sources[s->source_count++] = (source){SOURCE_FILE, *arg};
            s->file_count++;
        } else if (strcmp(*arg, "--") == 0) {
            options_end = true;
        } else {
            status = options_take(s, &satfilter_cli, &arg);
        }
        if (status) {
            return status;
        }
    }
    s->topics = arg;
    bool prints = s->action == ACTION_LIST || s->action == ACTION_SELF_TEST;
    for (; *arg && prints; arg++) { /* --list --json, either way round */
        s->json = s->json || strcmp(*arg, "--json") == 0;
    }
    if (!parse_goes_on(s)) {
        return 0;
    }
    bool tunes = s->action == ACTION_TUNE;
    if (tunes && (s->source_count || s->word_count)) {
        return usage_error("--tune", "takes no filter and no file; it only measures");
    }
    int status = tunes ? 0 : check_whole(s);
    if (!status && parse_set_limits(s)) {
        return usage_error(NULL, "%s", library_message(s->ctx));
    }
    status = status || tunes ? status : check_files(s);
    status = status ? status : check_engine(s);
    status = status || tunes ? status : parse_make_chain(s);
    status = status || tunes || !s->mask ? status : read_mask(s);
    return status ? status : set_up(s);
}

void options_free(settings *s)
{
    satf_filter_destroy(s->filter);
    satf_image_destroy(s->mask_image);
    satf_context_destroy(s->ctx);
    free(s->sources);
    free(s->words);
    free(s->spec);
}
