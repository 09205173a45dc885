#include "options.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"

/* ------------------------------------------------------------------ values */

/* An integer in least ... most, optionally with a suffix K, M or G (powers of 1024). */
static bool parse_integer(const char *text, bool suffixes, int64_t least, int64_t most,
                          int64_t *value)
{
    char *end;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    if (end == text || errno || (text[0] != '-' && (text[0] < '0' || text[0] > '9'))) {
        return false;
    }
    int64_t scaled = number;
    const char *letters = "KMG";
    const char *suffix = *end && suffixes ? strchr(letters, *end & ~0x20) : NULL;
    if (suffix && *suffix) {
        int64_t unit = (int64_t)1 << (10 * (suffix - letters + 1));
        if (__builtin_mul_overflow(scaled, unit, &scaled)) {
            return false;
        }
        end++;
    }
    if (*end || scaled < least || scaled > most) {
        return false;
    }
    *value = scaled;
    return true;
}

static bool parse_double(const char *text, char stop, double *value, const char **rest)
{
    char *end;
    *value = strtod(text, &end);
    *rest = end;
    return end != text && *end == stop && isfinite(*value);
}

static int take_integer(const char *option_name, const char *text, bool suffixes, int64_t least,
                        int64_t most, int64_t *value)
{
    if (!parse_integer(text, suffixes, least, most, value)) {
        return usage_error(option_name, "'%s' is not a number from %lld to %lld%s", text,
                           (long long)least, (long long)most,
                           suffixes ? ", with or without K, M or G behind it" : "");
    }
    return 0;
}

/* ----------------------------------------------------------------- options */

static int take_border(settings *s, const char *value)
{
    if (satf_border_parse(s->ctx, value, &s->border, &s->constant)) {
        return usage_error("--border", "%s", library_message(s->ctx));
    }
    s->border_given = true;
    return 0;
}

static int take_type(settings *s, const char *value)
{
    s->write.type = satf_type_find(value);
    if (s->write.type < 0) {
        return usage_error("--type", "'%s' is none of u8 u16 u32 u64 f32 f64", value);
    }
    return 0;
}

/* LO:HI, auto, or auto:P. */
static int take_range(settings *s, const char *value)
{
    const char *rest;
    s->write.has_range = 0;
    s->write.auto_range = strcmp(value, "auto") == 0 || strncmp(value, "auto:", 5) == 0;
    s->write.clip_percent = 0;
    if (s->write.auto_range) {
        double *clip = &s->write.clip_percent;
        if (value[4] && ((!parse_double(value + 5, '\0', clip, &rest) &&
                          !(parse_double(value + 5, '%', clip, &rest) && !rest[1])) ||
                         *clip < 0 || *clip >= 50)) {
            return usage_error("--range",
                               "'%s': behind auto: comes a percentage from 0 to below 50", value);
        }
        return 0;
    }
    if (!parse_double(value, ':', &s->write.lo, &rest) ||
        !parse_double(rest + 1, '\0', &s->write.hi, &rest) || !(s->write.lo < s->write.hi)) {
        return usage_error("--range",
                           "'%s' is neither LO:HI, two numbers with LO below HI, nor auto", value);
    }
    s->write.has_range = 1;
    return 0;
}

static int take_device(settings *s, const char *value)
{
    int64_t number;
    if (strcmp(value, "auto") && strcmp(value, "cpu") && strcmp(value, "cuda") &&
        (strncmp(value, "cuda:", 5) || !parse_integer(value + 5, false, 0, 1023, &number))) {
        return usage_error("--device", "'%s' is none of auto, cpu, cuda and cuda:N", value);
    }
    s->device = value;
    return 0;
}

static int take_engine(settings *s, const char *value)
{
    static const char *const names[] = {
        [SATF_ENGINE_AUTO] = "auto", [SATF_ENGINE_SAT] = "sat", [SATF_ENGINE_WINDOW] = "window"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(value, names[i]) == 0) {
            s->engine = (satf_engine)i;
            return 0;
        }
    }
    return usage_error("--engine", "'%s' is none of auto, sat and window", value);
}

static int take_algorithm(settings *s, const char *value)
{
    if (satf_context_set_algorithm(s->ctx, value)) {
        return usage_error("--algorithm", "%s", library_message(s->ctx));
    }
    s->algorithm = strcmp(value, "auto") ? value : NULL;
    return 0;
}

static int take_sync(settings *s, const char *value)
{
    if (satf_context_set_sync(s->ctx, value)) {
        return usage_error("--sync", "%s", library_message(s->ctx));
    }
    s->sync = strcmp(value, "auto") ? value : NULL;
    return 0;
}

static int take_tune(settings *s, const char *value)
{
    (void)value;
    s->action = ACTION_TUNE;
    return 0;
}

static int take_r(settings *s, const char *value)
{
    const char *rest;
    if (!parse_double(value, '\0', &s->r, &rest) || !(s->r > 0 && s->r < 1)) {
        return usage_error("--r", "'%s' is not a number between 0 and 1", value);
    }
    return 0;
}

/* The same for a number of an int's range; *out is untouched on failure. */
static int take_int(const char *option_name, const char *value, int least, int most, int *out)
{
    int64_t number = 0;
    int status = take_integer(option_name, value, false, least, most, &number);
    if (!status) {
        *out = (int)number;
    }
    return status;
}

static int take_threads(settings *s, const char *value)
{
    return take_int("--threads", value, 0, 1024, &s->threads);
}

static int take_output(settings *s, const char *value)
{
    if (!*value) {
        return usage_error("-o", "'' names neither a folder nor a file");
    }
    s->output = value;
    return 0;
}

static int take_source(settings *s, source_kind kind, const char *name)
{
    s->sources[s->source_count++] = (source){kind, name};
    return 0;
}

static int take_list_of_files(settings *s, const char *value)
{
    return take_source(s, SOURCE_LIST, value);
}

static int take_list0(settings *s, const char *value)
{
    return take_source(s, SOURCE_LIST0, value);
}

static int take_recursive(settings *s, const char *value)
{
    return take_source(s, SOURCE_FOLDER, value);
}

static int take_parents(settings *s, const char *value)
{
    (void)value;
    s->parents = true;
    return 0;
}

static int take_force(settings *s, const char *value)
{
    (void)value;
    s->force = true;
    s->skip_existing = false;
    return 0;
}

static int take_skip_existing(settings *s, const char *value)
{
    (void)value;
    s->skip_existing = true;
    s->force = false;
    return 0;
}

static int take_strip(settings *s, const char *value)
{
    (void)value;
    s->write.strip = 1;
    return 0;
}

static int take_format(settings *s, const char *value)
{
    satf_format_info format;
    if (!satf_format_find(value, &format, sizeof format) || !format.can_write) {
        return usage_error("--format", "'%s' is no format that can be written; see --list", value);
    }
    s->write.format = value;
    return 0;
}

static int take_quality(settings *s, const char *value)
{
    s->quality_given = true;
    return take_int("--quality", value, 1, 100, &s->write.quality);
}

static int take_png_level(settings *s, const char *value)
{
    s->png_level_given = true;
    return take_int("--png-level", value, 0, 9, &s->write.png_level);
}

#define TAKE_LIMIT(name, limit, option_name)                                            \
    static int take_max_##name(settings *s, const char *value)                          \
    {                                                                                   \
        return take_integer(option_name, value, true, 1, INT64_MAX, &s->limits[limit]); \
    }

TAKE_LIMIT(pixels, SATF_MAX_PIXELS, "--max-pixels")
TAKE_LIMIT(memory, SATF_MAX_MEMORY, "--max-memory")
TAKE_LIMIT(metadata, SATF_MAX_METADATA, "--max-metadata")
TAKE_LIMIT(scans, SATF_MAX_SCANS, "--max-scans")
TAKE_LIMIT(ratio, SATF_MAX_RATIO, "--max-ratio")

static int take_formats(settings *s, const char *value)
{
    if (satf_context_set_formats(s->ctx, value)) {
        return usage_error("--formats", "%s; see --list", library_message(s->ctx));
    }
    s->formats_given = true;
    return 0;
}

static int take_stream(settings *s, const char *value)
{
    (void)value;
    s->route = SATF_ROUTE_ROWS;
    return 0;
}

static int take_no_stream(settings *s, const char *value)
{
    (void)value;
    s->route = SATF_ROUTE_WHOLE;
    return 0;
}

static int take_quiet(settings *s, const char *value)
{
    (void)value;
    s->quiet = true;
    return 0;
}

static int take_verbose(settings *s, const char *value)
{
    (void)value;
    s->verbose = true;
    return 0;
}

static int take_json(settings *s, const char *value)
{
    (void)value;
    s->json = true;
    return 0;
}

static int take_help(settings *s, const char *value)
{
    (void)value;
    s->action = ACTION_HELP;
    return 0;
}

static int take_list(settings *s, const char *value)
{
    (void)value;
    s->action = ACTION_LIST;
    return 0;
}

static int take_version(settings *s, const char *value)
{
    (void)value;
    s->action = ACTION_VERSION;
    return 0;
}

static int take_help_man(settings *s, const char *value)
{
    (void)value;
    s->action = ACTION_MAN;
    return 0;
}

static int take_help_bash(settings *s, const char *value)
{
    (void)value;
    s->action = ACTION_BASH;
    return 0;
}

static int take_help_zsh(settings *s, const char *value)
{
    (void)value;
    s->action = ACTION_ZSH;
    return 0;
}

static int take_help_fish(settings *s, const char *value)
{
    (void)value;
    s->action = ACTION_FISH;
    return 0;
}

static const option options[] = {
    {GROUP_FILTERING, "border", 0, "B", "clamp mirror reflect wrap constant: shrink",
     "outside the image: clamp mirror reflect wrap constant:V shrink",
     "It is the default of every filter; a filter's own border=B goes before it. clamp (the "
     "default) repeats the edge pixel, mirror reflects without repeating it, reflect repeats it, "
     "wrap is periodic, constant:V puts the value V there, shrink takes only the part of the "
     "window that lies inside.",
     take_border},
    {GROUP_FILTERING, "device", 0, "D", "auto cpu cuda", "auto, cpu, cuda or cuda:N",
     "auto takes the one that will finish first. cuda without a usable GPU is an error.",
     take_device},
    {GROUP_FILTERING, "engine", 0, "E", "auto sat window",
     "auto, sat (summed area table) or window (marching sums)",
     "Both give the same bits for integer images.", take_engine},
    {GROUP_FILTERING, "algorithm", 0, "A", "ALGORITHM",
     "how the summed area table is built; see --list", "Implies --engine sat.", take_algorithm},
    {GROUP_FILTERING, "r", 0, "X", NULL, "r of the algorithm 1+r, between 0 and 1", NULL, take_r},
    {GROUP_FILTERING, "sync", 0, "S", "auto launch graph coop",
     "between the stages of a CUDA algorithm: auto launch graph coop",
     "launch starts a kernel for each stage, graph replays those, coop is one kernel whose blocks "
     "wait for the stages before.",
     take_sync},

    {GROUP_OUTPUT, "output", 'o', "DIR|FILE", "FILE",
     "write every output into the folder DIR, or the only one to FILE",
     "A name that ends with \"/\" and an existing folder are folders; \"-\" is standard output. "
     "With one input a name with the suffix of a format is a file, and so is a device; a name "
     "without suffix is a folder. A suffix has two to five letters and digits, first a letter: "
     "results-v1.2 has none. One that is no format's is refused unless --format says what the file "
     "is. With several inputs a name is a folder unless it has the suffix of a format; then it is "
     "refused. Missing folders are made. In a folder an output has its input's name, with the "
     "suffix of --format, else that of its input if it can be written, else .png. Two operands "
     "that give the same name, and an output that would replace an input, are refused before any "
     "work. Of inputs from lists and folders that give the same name the first has it, and the "
     "others fail. An input that fails costs the others nothing.",
     take_output},
    {GROUP_OUTPUT, "parents", 0, NULL, NULL, "below DIR keep the inputs' whole paths, as cp does",
     "a/x.png goes to DIR/a/x.png instead of DIR/x.png. It holds for operands, lists and -r alike.",
     take_parents},
    {GROUP_OUTPUT, "force", 'f', NULL, NULL, "replace existing files without asking",
     "Where standard error is a terminal, an OUTPUT that exists is asked about there, in a batch "
     "once "
     "for all. Elsewhere existing files are replaced, as with --force. Input and output may be the "
     "same "
     "file: then nothing is asked. --force also writes pictures to a terminal.",
     take_force},
    {GROUP_OUTPUT, "skip-existing", 0, NULL, NULL, "leave existing files alone: resume a batch",
     "Inputs whose output exists are passed over, which is no error. Outputs appear whole or not "
     "at all, so what a killed batch has written is complete. --no-clobber is the same.",
     take_skip_existing},
    {GROUP_OUTPUT, "recursive", 'r', "DIR", "DIR", "take every picture in DIR and below; needs -o",
     "Outputs have the same path below the folder of -o. Pictures are files whose suffix --list "
     "shows. Other files and links to folders are passed over, and a line at the end counts them; "
     "hidden files and folders and the folder of -o are left out. A folder that cannot be read "
     "is named and passed over; the exit status is 3 then.",
     take_recursive},
    {GROUP_OUTPUT, "filelist", 0, "FILE", "FILE",
     "take the inputs named in FILE, one a line; needs -o",
     "\"-\" is standard input. A line ends with LF or CR LF; every other byte belongs to the name. "
     "Empty lines are passed over.",
     take_list_of_files},
    {GROUP_OUTPUT, "filelist0", 0, "FILE", "FILE", "the same with a NUL byte behind each name",
     "As find -print0 writes them: for names that hold line ends.", take_list0},
    {GROUP_OUTPUT, "format", 0, "F", "FORMAT", "format of the output; default: by its suffix",
     "Default for standard output: png, or the input's format where no file is named at all.",
     take_format},
    {GROUP_OUTPUT, "type", 0, "T", "u8 u16 u32 u64 f32 f64",
     "samples of the output: u8 u16 u32 u64 f32 f64",
     "Default: the input's for means; for other filters the exact type where the format can hold "
     "it (.npy), else a 16-bit picture of the possible range.",
     take_type},
    {GROUP_OUTPUT, "range", 0, "LO:HI|auto", "auto",
     "show the values LO to HI, or those that occur, not all that are possible",
     "LO becomes 0 and HI the largest sample of a picture; values beyond them saturate. auto "
     "takes the least and the largest value of the result, auto:P its percentiles P and 100 - P: "
     "auto:0.1 leaves out the 0.1 % at each end. Plain values (.npy, .pfm) stay as they are.",
     take_range},
    {GROUP_OUTPUT, "quality", 0, "N", NULL,
     "JPEG quality, 1 to 100; default: that of a JPEG input, else 90",
     "A JPEG that is filtered into a JPEG keeps its chroma sampling and stays progressive if it "
     "is; without --quality it keeps its quantisation tables, too.",
     take_quality},
    {GROUP_OUTPUT, "png-level", 0, "N", NULL, "PNG compression, 0 to 9; default 1, the fastest",
     NULL, take_png_level},
    {GROUP_OUTPUT, "strip", 0, NULL, NULL, "drop all metadata but the colour profile",
     "EXIF, XMP, IPTC and the resolution go. An orientation other than upright stays, for "
     "the pixels are not turned.",
     take_strip},

    {GROUP_RUNNING, "threads", 'T', "N", NULL, "threads; default 0, one per core", NULL,
     take_threads},
    {GROUP_RUNNING, "max-pixels", 0, "N", NULL, "refuse larger images; K M G allowed; default 2G",
     "The suffixes are powers of 1024.", take_max_pixels},
    {GROUP_RUNNING, "max-memory", 0, "N", NULL,
     "refuse work that needs more bytes; default 3/4 of memory",
     "The suffixes K, M and G are powers of 1024.", take_max_memory},
    {GROUP_RUNNING, "max-metadata", 0, "N", NULL,
     "refuse a PNG or JPEG of more bytes that are no pixels; default 64M", NULL, take_max_metadata},
    {GROUP_RUNNING, "max-scans", 0, "N", NULL, "refuse a JPEG of more scans; default 500", NULL,
     take_max_scans},
    {GROUP_RUNNING, "max-ratio", 0, "N", NULL,
     "refuse a PNG or JPEG of N times its file's size; default 1100",
     "Counted in samples as the file has them, before palettes and shallow depths expand. Deflate "
     "makes no file smaller than 1:1032. Pipes have no size to compare with.",
     take_max_ratio},
    {GROUP_RUNNING, "formats", 0, "LIST", NULL,
     "read these formats only, such as png,jpeg; default all",
     "Names as in --list, between commas. For files of strangers png,jpeg,pnm,pfm,npy is "
     "advisable: the others are decoded by stb_image, which does not claim to withstand them.",
     take_formats},
    {GROUP_RUNNING, "stream", 0, NULL, NULL, "go by rows, or say why that cannot be",
     "Window filters, --integral, --flip h and chains of them go by rows anyway where the CPU "
     "computes: memory for windows' heights of rows, whatever the picture's. This rules out all "
     "else: interlaced PNG, .npy in Fortran order, PFM out of a pipe, PNG out of a pipe into JPEG, "
     "the SAT engine, CUDA devices. Border wrap "
     "decodes the input twice, which without this is done for large pictures only.",
     take_stream},
    {GROUP_RUNNING, "no-stream", 0, NULL, NULL, "hold whole images, even where rows would do", NULL,
     take_no_stream},
    {GROUP_RUNNING, "tune", 0, NULL, NULL, "find the fastest algorithms of this GPU, and stop",
     "Takes a minute or two, for the device of --device (default: 0). The result is kept under "
     "$XDG_CACHE_HOME or ~/.cache; SATFILTER_TUNE=off ignores it.",
     take_tune},

    {GROUP_INFORMATION, "quiet", 'q', NULL, NULL, "no progress, no notes, no closing line",
     "Errors are still told.", take_quiet},
    {GROUP_INFORMATION, "verbose", 'v', NULL, NULL, "sizes, engine, device and time per stage",
     "Filters are told one by one, and those of several steps (guided) step by step.",
     take_verbose},
    {GROUP_INFORMATION, "json", 0, NULL, NULL, "the same as one JSON object per input",
     "Its \"steps\" are in the order of the work; \"ms\" of a step is null on a CUDA device, and "
     "\"engine\", \"algorithm\" and \"device\" of the object are those of the last. An input that "
     "is passed over has \"skipped\": true, one that fails \"error\". A batch ends "
     "with an object \"summary\" that counts what was done, failed and passed over. They go to "
     "standard output, or to standard error where the picture goes to standard output. Bytes of a "
     "file name that are not UTF-8 appear as U+FFFD.",
     take_json},
    {GROUP_INFORMATION, "help", 'h', "[TOPIC]...", "TOPIC",
     "this, or all about filters, options, formats, algorithms", NULL, take_help},
    {GROUP_INFORMATION, "list", 0, NULL, NULL, "filters, borders, formats and algorithms",
     "With --json as one object. Its output_types are those of a small picture: of a large one "
     "sums "
     "may need u64.",
     take_list},
    {GROUP_INFORMATION, "version", 'V', NULL, NULL, "the version", NULL, take_version},

    {GROUP_HIDDEN, "no-clobber", 0, NULL, NULL, "another name of --skip-existing", NULL,
     take_skip_existing},
    {GROUP_HIDDEN, "help-man", 0, NULL, NULL, "the man page", NULL, take_help_man},
    {GROUP_HIDDEN, "help-bash", 0, NULL, NULL, "bash completion", NULL, take_help_bash},
    {GROUP_HIDDEN, "help-zsh", 0, NULL, NULL, "zsh completion", NULL, take_help_zsh},
    {GROUP_HIDDEN, "help-fish", 0, NULL, NULL, "fish completion", NULL, take_help_fish},
};

enum { OPTION_COUNT = sizeof options / sizeof *options };

const option *option_at(size_t index)
{
    return index < OPTION_COUNT ? &options[index] : NULL;
}

const option *option_find(const char *name, size_t length)
{
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        if (strlen(options[i].name) == length && !memcmp(options[i].name, name, length)) {
            return &options[i];
        }
    }
    return NULL;
}

bool has_algorithm(const char *name, const char *kind)
{
    const char *known, *device;
    for (size_t i = 0; (known = satf_algorithm(i, &device, NULL)); i++) {
        if (strcmp(known, name) == 0 && strcmp(device, kind) == 0) {
            return true;
        }
    }
    return false;
}

bool option_shown(const option *o)
{
    bool no_use =
        o->take == take_r && !has_algorithm("1+r", "cpu") && !has_algorithm("1+r", "cuda");
    return o->group != GROUP_HIDDEN && !no_use;
}

const char *option_group_title(option_group group)
{
    static const char *const titles[] = {"Filtering", "Output", "Running", "Information", NULL};
    return titles[group];
}
