/* The table of satfilter's options. */
#include "options.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "borders.h"
#include "../devices.h"
#include "message.h"

/* ----------------------------------------------------------------- options */

static int take_border(settings *s, const option *o, const char *value)
{
    if (satf_border_parse(s->ctx, value, &s->border, &s->constant)) {
        const char *meant = border_meant(library_message(s->ctx));
        return option_error(o, "%s%s%s", library_message(s->ctx),
                            meant ? "; here it is called " : "", meant ? meant : "");
    }
    s->border_given = true;
    return 0;
}

static int take_type(settings *s, const option *o, const char *value)
{
    s->write.type = satf_type_find(value);
    if (s->write.type < 0) {
        return option_error(o, "'%s' is none of u8 u16 u32 u64 i8 i16 i32 i64 f16 f32 f64", value);
    }
    return 0;
}

/* LO:HI, auto, or auto:P. */
static int take_range(settings *s, const option *o, const char *value)
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
            return option_error(o, "'%s': behind auto: comes a percentage from 0 to below 50",
                                value);
        }
        return 0;
    }
    if (!parse_double(value, ':', &s->write.lo, &rest) ||
        !parse_double(rest + 1, '\0', &s->write.hi, &rest) || !(s->write.lo < s->write.hi)) {
        return option_error(o, "'%s' is neither LO:HI, two numbers with LO below HI, nor auto",
                            value);
    }
    s->write.has_range = 1;
    return 0;
}

static const char *engine_name(satf_engine engine)
{
    switch (engine) {
    case SATF_ENGINE_AUTO:
        return "auto";
    case SATF_ENGINE_SAT:
        return "sat";
    case SATF_ENGINE_WINDOW:
        return "window";
    }
    return NULL;
}

static int take_engine(settings *s, const option *o, const char *value)
{
    const char *name;
    for (int i = 0; (name = engine_name((satf_engine)i)); i++) {
        if (strcmp(value, name) == 0) {
            s->engine = (satf_engine)i;
            return 0;
        }
    }
    return option_error(o, "'%s' is none of auto, sat and window", value);
}

static int take_algorithm(settings *s, const option *o, const char *value)
{
    if (satf_context_set_algorithm(s->ctx, value)) {
        return option_error(o, "%s", library_message(s->ctx));
    }
    s->algorithm = strcmp(value, "auto") ? value : NULL;
    return 0;
}

static int option_take_sync(settings *s, const option *o, const char *value)
{
    if (satf_context_set_sync(s->ctx, value)) {
        return option_error(o, "%s", library_message(s->ctx));
    }
    s->sync = strcmp(value, "auto") ? value : NULL;
    return 0;
}

static int take_output(settings *s, const option *o, const char *value)
{
    if (!*value) {
        return option_error(o, "'' names neither a folder nor a file");
    }
    s->output = value;
    return 0;
}

static int option_take_source(settings *s, const option *o, const char *value)
{
    s->sources[s->source_count++] = (source){(source_kind)o->most, value};
    return 0;
}

static int take_format(settings *s, const option *o, const char *value)
{
    satf_format_info format;
    if (!satf_format_find(value, &format, sizeof format) || !format.can_write) {
        return option_error(o, "'%s' is no format that can be written; see --list", value);
    }
    s->write.format = value;
    return 0;
}

static int take_formats(settings *s, const option *o, const char *value)
{
    if (satf_context_set_formats(s->ctx, value)) {
        return option_error(o, "%s; see --list", library_message(s->ctx));
    }
    s->formats_given = true;
    return 0;
}

static int take_compression(settings *s, const option *o, const char *value)
{
    satf_format_info format;
    satf_format_find("tiff", &format, sizeof format);
    s->write.compression = value;
    return has_word(format.compressions, value, strlen(value))
               ? 0
               : option_error(o, "'%s' is none of %s", value, format.compressions);
}

/* N, A-B, A- or all. */
static int option_take_page(settings *s, const option *o, const char *value)
{
    char first[32];
    size_t n = strcspn(value, "-");
    s->first_page = 1;
    s->last_page = -1;
    if (strcmp(value, "all") == 0) {
        return 0;
    }
    snprintf(first, sizeof first, "%.*s", (int)(n < sizeof first ? n : 0), value);
    const char *last = value[n] ? value + n + 1 : first;
    bool good = parse_integer(first, false, 1, INT64_MAX, &s->first_page) &&
                (!*last || parse_integer(last, false, s->first_page, INT64_MAX, &s->last_page));
    return good ? 0 : option_error(o, "'%s' is no page N, from 1 on, nor A-B, A- or all", value);
}

/* X,Y,WxH. */
static int take_region(settings *s, const option *o, const char *value)
{
    satf_rect region = {0, 0, 0, 0};
    int64_t *const numbers[] = {&region.x, &region.y, &region.w, &region.h};
    static const char *const ends[] = {",", ",", "xX", ""};
    const char *at = value;
    bool good = true;
    for (int i = 0; i < 4 && good; i++) {
        char number[32];
        size_t n = strcspn(at, *ends[i] ? ends[i] : "\n");
        snprintf(number, sizeof number, "%.*s", (int)(n < sizeof number ? n : 0), at);
        good = parse_integer(number, false, i < 2 ? 0 : 1, INT64_MAX, numbers[i]) &&
               (at[n] != '\0') == (i < 3);
        at += n + (i < 3 && good);
    }
    if (!good) {
        return option_error(o,
                            "'%s' is no region X,Y,WxH of whole numbers: X and Y from 0 on, W and "
                            "H from 1 on",
                            value);
    }
    s->region = region;
    return 0;
}

static int take_nan(settings *s, const option *o, const char *value)
{
    s->omits_nan = strcmp(value, "omit") == 0;
    return s->omits_nan || strcmp(value, "spread") == 0
               ? 0
               : option_error(o, "'%s' is neither omit nor spread", value);
}

/* V, or none. */
static int take_nodata(settings *s, const option *o, const char *value)
{
    const char *rest;
    s->ignores_nodata = strcmp(value, "none") == 0;
    s->says_nodata = !s->ignores_nodata;
    return s->ignores_nodata || parse_double(value, '\0', &s->nodata, &rest)
               ? 0
               : option_error(o, "'%s' is neither a number nor none%s", value,
                              strcasecmp(value, "nan") ? "" : "; --nan omit leaves out NaN");
}

static int take_dpi(settings *s, const option *o, const char *value)
{
    const char *rest;
    if (!parse_double(value, '\0', &s->dpi, &rest) || s->dpi < 1 || s->dpi > 1e6) {
        return option_error(o, "'%s' is no number of pixels per inch, 1 to 1000000", value);
    }
    return 0;
}

static int take_axes(settings *s, const option *o, const char *value)
{
    s->axes = value;
    return satf_context_set_axes(s->ctx, value) ? option_error(o, "%s", library_message(s->ctx))
                                                : 0;
}

/* At once: the words behind may name its filter. */
static int take_module(settings *s, const option *o, const char *value)
{
    return satf_module_load(s->ctx, value) ? option_error(o, "%s", library_message(s->ctx)) : 0;
}

/* The options' groups, in the order of --help. */
static const char GROUP_FILTERING[] = "Filtering", GROUP_FILES[] = "Files",
                  GROUP_OUTPUT[] = "Output", GROUP_PAGES[] = "Pages and metadata",
                  GROUP_RUNNING[] = "Speed and memory",
                  GROUP_LIMITS[] = "Limits, for files of strangers",
                  GROUP_INFORMATION[] = "Information";
#define GROUP_HIDDEN NULL /* for the build, and second names */

static const option options[] = {
    {GROUP_FILTERING, "border", 0, "B", "clamp mirror reflect wrap constant: shrink valid",
     "outside the image: clamp mirror reflect wrap constant:V shrink valid",
     "It is the default of every filter; a filter's own border=B goes before it. clamp (the "
     "default) repeats the edge pixel, mirror reflects without repeating it, reflect repeats it, "
     "wrap is periodic, constant:V puts the value V there, shrink takes only the part of the "
     "window that lies inside. valid takes whole windows only: the result is smaller by the "
     "window, W - w + 1 by H - h + 1.",
     TAKES(take_border)},
    {GROUP_FILTERING, "region", 0, "X,Y,WxH", NULL,
     "filter W x H pixels from (X, Y) on; all others stay as they are",
     "The pixels around are seen: inside, the result is that of the whole picture. Columns and "
     "rows count from 0, as the file stores them, whatever its orientation, but under "
     "--auto-orient as the upright picture has them. It is for filters whose result has the size, "
     "type and channels of their input; a region that leaves the picture, or a page of it, is an "
     "error.",
     TAKES(take_region)},
    {GROUP_FILTERING, "mask", 0, "FILE", "FILE",
     "filter where the picture FILE is white; where it is black pixels stay",
     "Grey is between: the result is blended with the input, all channels of it. FILE has the "
     "width and height of the input, as the file stores them; it is read once for all inputs and "
     "pages. Of a FILE in colour the grey counts, and alpha does not. It is for the filters that "
     "--region is for; together with --region it blends inside that.",
     TEXT(mask)},
    {GROUP_FILTERING, "linear", 0, NULL, NULL,
     "mix light, not samples: photographs keep their brightness",
     "Samples of a picture are no amounts of light: a checkerboard of black and white has the "
     "light of 188, and its samples have the mean 128. It matters to filters that mix pixels "
     "(--resize, --box, --gauss, --unsharp, --pixelate), not to those that compare them: "
     "thresholds, variances and sums are refused. It is --linearize in front of the filters and "
     "--delinearize behind, with the curve that each file's colour profile or gAMA says, else "
     "sRGB's; another curve than sRGB's or a power is an error. The result has its input's type.",
     IS_SET(linear)},
    {GROUP_FILTERING, "nodata", 0, "V|none", "none",
     "pixels of the value V do not count; default: a TIFF's GDAL_NODATA",
     "Windows leave them out, as they leave out transparent pixels. A pixel counts only if all of "
     "its channels do. Where nothing counts the result is V, if its type holds it, else NaN or 0. "
     "Sums leave these pixels out; what moves pixels moves them like others. none: the tag "
     "GDAL_NODATA of a TIFF is kept, but no pixel is left out.",
     TAKES(take_nodata)},
    {GROUP_FILTERING, "nan", 0, "omit|spread", "omit spread",
     "what is no number: omit it, or let it spread, the default",
     "omit leaves their pixels out as --nodata does. Where nothing counts the result is NaN, of "
     "integers 0, unless --nodata names a value.",
     TAKES(take_nan)},
    {GROUP_FILTERING, "weights", 0, "FILE", "FILE",
     "how much each pixel counts: not where the picture FILE is black",
     "Wholly where it is white, and between where it is grey: means are weighted. FILE is grey and "
     "has the width and height of the input, as the file stores them; it is read once for all "
     "inputs and pages. Where nothing counts the result is as --nodata has it.",
     TEXT(weights)},
    {GROUP_FILTERING, "auto-orient", 0, NULL, NULL,
     "turn pictures upright, as their EXIF or TIFF orientation says",
     "Pixels are turned as they are read, and what is kept of the metadata says that they lie "
     "upright. Sizes, --region and resolutions are those of the upright picture. Pictures that "
     "options name (guide=, --by, --varbox, --mask, --weights) are turned by their own "
     "orientation. It needs no filter beside it. A picture that is turned is held in memory as a "
     "whole, unless it is only mirrored from left to right.",
     IS_SET(auto_orient)},
    {GROUP_FILTERING, "dpi", 0, "N", NULL,
     "resolution of files that name none, for sizes such as 0.1in",
     "Pixels per inch, for windows that are lengths, and named in the output. A file that names a "
     "resolution keeps it, and a note says where that is another.",
     TAKES(take_dpi)},
    {GROUP_FILTERING, "module", 0, "FILE", "FILE", "load a filter of one's own from FILE",
     "It is an option then, for the words behind. A module is a shared object with a filter's "
     "file, compiled against satfilter-module.h; its code runs with the rights of whoever loads "
     "it. Its filter is computed on the CPU.",
     TAKES(take_module)},

    {GROUP_FILES, "output", 'o', "DIR|FILE", "FILE",
     "write every output into the folder DIR, or all pages into FILE",
     "Several inputs become the pages of one .tif or .npy, one input after the other, by -o "
     "both.tif a.png b.tif. That needs no filter; pages of a TIFF may differ in size and samples. "
     "Other formats hold one picture, so several inputs need a folder. \"-\" is standard output. A "
     "name that ends with \"/\" or that is a folder stands for a folder; one with the suffix of a "
     "format, or of what is no regular file, such as /dev/stdout, for a file; one without suffix "
     "for a folder. A suffix has two to five letters and digits, first a letter: results-v1.2 has "
     "none. A suffix of no format is refused unless --format says what the file is. Missing "
     "folders are made. In a folder an output has its input's name, with the suffix of --format, "
     "else that of its input if it can be written, else .png; black and white goes to .png rather "
     "than .jpg. In a batch two operands that give the same name, or names that links make one "
     "file, and an output that would replace an input, are refused before any work. Of inputs from "
     "lists and folders that give the same name the first has it, and the others fail. An input "
     "that fails costs the others nothing. On a full disk the inputs behind it that go to the same "
     "disk are not tried; their number is told.",
     TAKES(take_output)},
    {GROUP_FILES, "parents", 0, NULL, NULL, "below DIR keep the inputs' whole paths, as cp does",
     "a/x.png goes to DIR/a/x.png instead of DIR/x.png. It holds for operands, lists and -r alike; "
     "where -o names a single file it is refused.",
     IS_SET(parents)},
    {GROUP_FILES, "force", 'f', NULL, NULL, "replace existing files without asking",
     "Where standard error is a terminal, an OUTPUT that exists is asked about there, in a batch "
     "once for all. Elsewhere it is replaced, and a line says so; but what satfilter cannot have "
     "written there is kept, and its input fails: a file whose content is neither of the format "
     "that its suffix names nor of the one that it is to get. --force replaces everything and says "
     "nothing. An empty file is nothing to lose. Input and output may "
     "be the same file, which is asked about and told as well. The new file has the old one's "
     "permissions with their ACL, its extended attributes (user.), and its owner and group as far "
     "as the user may give them. Where the permissions or the group are not to be had, only the "
     "owner may read it, and a note says so. Other names of the file (hard links) keep the old "
     "picture, which is told too. --force also writes pictures to a "
     "terminal.",
     BECOMES(existing, EXISTING_REPLACED)},
    {GROUP_FILES, "skip-existing", 0, NULL, NULL, "leave existing files alone: resume a batch",
     "Inputs whose output exists are passed over, which is no error. Outputs appear whole or not "
     "at all, so what a killed batch has written is complete. Results of another filter are passed "
     "over as well: so the closing line says how many outputs existed, with --quiet too. "
     "--no-clobber is the same.",
     BECOMES(existing, EXISTING_KEPT)},
    {GROUP_FILES, "recursive", 'r', "DIR", "DIR", "take every picture in DIR and below; needs -o",
     "Outputs have the same path below the folder of -o. Pictures are files whose suffix --list "
     "shows. Other files and links to folders are passed over, and a line at the end counts them; "
     "hidden files and folders and the folder of -o are left out. A folder that cannot be read "
     "is named and passed over; the exit status is 3 then, and where all files are passed over.",
     option_take_source, 0, 0, SOURCE_FOLDER},
    {GROUP_FILES, "filelist", 0, "FILE", "FILE",
     "inputs that are named in FILE; needs -o: one a line",
     "\"-\" is standard input. A line ends with LF or CR LF; every other byte belongs to the name. "
     "Empty lines are passed over.",
     option_take_source, 0, 0, SOURCE_LIST},
    {GROUP_FILES, "filelist0", 0, "FILE", "FILE",
     "inputs that are named in FILE; needs -o: a NUL byte behind each",
     "As find -print0 writes them: for names that hold line ends.", option_take_source, 0, 0,
     SOURCE_LIST0},

    {GROUP_OUTPUT, "format", 0, "F", "FORMAT", "format of the output; default: by its suffix",
     "Default for standard output: png, or the input's format where no file is named at all, but "
     "png for black and white of a JPEG.",
     TAKES(take_format)},
    {GROUP_OUTPUT, "type", 0, "T", "u8 u16 u32 u64 i8 i16 i32 i64 f16 f32 f64",
     "samples of the output: u8 ... u64, i8 ... i64, f16 f32 f64",
     "Default: the input's type for means, sharpening and black and white. Variances, deviations "
     "and sums of rectangles are f64 in a .npy; in a picture they have 16 bits, from the least to "
     "the greatest value that is possible. Only the last result gets the type: between two filters "
     "a mean of u8 is rounded to u8, unless --real stands in front. Integers saturate at the full "
     "scale; floats are not saturated.",
     TAKES(take_type)},
    {GROUP_OUTPUT, "range", 0, "LO:HI|auto", "auto",
     "LO is black and HI white; auto: what occurs; default: what may",
     "LO becomes 0 and HI the largest sample of a picture; values beyond them saturate. auto "
     "takes the least and the largest value of the result, auto:P its percentiles P and 100 - P: "
     "auto:0.1 leaves out the 0.1 % at each end. Plain values (.npy, .pfm) stay as they are.",
     TAKES(take_range)},
    {GROUP_OUTPUT, "quality", 0, "N", NULL,
     "JPEG or lossy WebP quality, 1 to 100; default: the input's, else 90",
     "A JPEG that is filtered into a JPEG keeps its chroma sampling and stays progressive if it "
     "is; without --quality it keeps its quantisation tables, too. A WebP is lossless without "
     "--quality, unless its input was a JPEG or a lossy WebP; black and white always is.",
     INTEGER(write.quality, 1, 100)},
    {GROUP_OUTPUT, "png-level", 0, "N", NULL, "PNG compression, 0 to 9; default 1, the fastest",
     NULL, INTEGER(png_level, 0, 9)},
    {GROUP_OUTPUT, "compression", 0, "C", "none lzw deflate zstd g4",
     "of TIFF: none lzw deflate zstd g4; default: the input's, else deflate",
     "g4 (Group 4) is for black and white, for which it is the default. An input's compression is "
     "kept where it is one of these.",
     TAKES(take_compression)},

    {GROUP_PAGES, "page", 0, "N|A-B|all", "all",
     "pages of the inputs; default: all into .tif and .npy, else the first",
     "From 1 on; A- goes to the last page. Where several are asked for and the output is a picture "
     "of one page, each goes to a file of its own: name-0001.png, name-0002.png ... A page that "
     "fails costs the others nothing: it is named, the output lacks it, and the exit status is 3.",
     TAKES(option_take_page)},
    {GROUP_PAGES, "axes", 0, "AXES", "ZYX YXC ZYXC CYX TZYX",
     "what the dimensions of .npy inputs are, such as ZYX or YXC",
     "Letters from the first dimension on. The last are Y, X and, for channels, C; those in front "
     "number pages, so a stack (Z, H, W) is ZYX. Default: three dimensions are YXC, and more end "
     "in YXC if the last is 1 to 4, else in YX.",
     TAKES(take_axes)},
    {GROUP_PAGES, "strip", 0, NULL, NULL, "drop all metadata but the colour profile",
     "EXIF, XMP, IPTC and the resolution go. An orientation other than upright stays, unless "
     "--auto-orient turns the pixels.",
     BECOMES(write.strip, 1)},

    {GROUP_RUNNING, "device", 0, "D", "auto cpu cuda cuda:all", "auto, cpu, cuda or cuda:N",
     "auto takes the one that will finish first. cuda without a usable GPU is an error. Several "
     "CUDA devices share the files of a batch: cuda:0,1 or cuda:all.",
     TAKES(devices_take)},
    {GROUP_RUNNING, "threads", 'T', "N", NULL, "threads; default 0, one per core",
     "Several files are worked on side by side, one thread each while there are enough of them. "
     "The pictures, and what is told, are those of one thread.",
     INTEGER(threads, 0, 1024)},
    {GROUP_RUNNING, "engine", 0, "E", "auto sat window",
     "auto, sat (summed area table) or window (marching sums)",
     "How filters sum over windows. What sums lines or cells refuses it (gauss, dog, resize, "
     "pixelate), and so does a chain that sums nothing. Both give the same bits for integer "
     "images, unless a chain has real numbers between its "
     "filters: then they may differ in the last digits.",
     TAKES(take_engine)},
    {GROUP_RUNNING, "algorithm", 0, "A", "ALGORITHM",
     "how a summed area table is built: the algorithm; see --list",
     "Implies --engine sat: every window of every filter is read from tables that this algorithm "
     "has built. -v names it for each filter.",
     TAKES(take_algorithm)},
    {GROUP_RUNNING, "r", 0, "X", NULL,
     "how a summed area table is built: r of the algorithm 1+r, between 0 and 1", NULL,
     FRACTION(r)},
    {GROUP_RUNNING, "sync", 0, "S", "auto launch graph coop",
     "how a summed area table is built: between the stages of a CUDA algorithm: auto launch graph "
     "coop",
     "launch starts a kernel for each stage, graph replays those, coop is one kernel whose blocks "
     "wait for the stages before.",
     TAKES(option_take_sync)},
    {GROUP_RUNNING, "stream", 0, NULL, NULL,
     "by rows or as whole images: by rows, or say why that cannot be",
     "Window filters, --integral, --flip h and chains of them go by rows anyway where the CPU "
     "computes: in memory for as many rows as windows are high, however high the picture is. This "
     "refuses what cannot: interlaced PNG, .npy in Fortran order, PFM out of a pipe, PNG out of a "
     "pipe into JPEG, the SAT engine, CUDA devices. Border wrap decodes the input twice, which "
     "without this is done for large pictures only.",
     BECOMES(route, SATF_ROUTE_ROWS)},
    {GROUP_RUNNING, "no-stream", 0, NULL, NULL,
     "by rows or as whole images: whole, even where rows would do", NULL,
     BECOMES(route, SATF_ROUTE_WHOLE)},
    {GROUP_RUNNING, "tune", 0, NULL, NULL, "find the best r of --algorithm 1+r, and stop",
     "Takes a minute or two, for the first device that --device names (default: CUDA device 0; the "
     "CPU where there is none). It also measures how long a process takes to start a CUDA device, "
     "for --device auto. The results are kept under $XDG_CACHE_HOME or ~/.cache; "
     "SATFILTER_TUNE=off ignores them.",
     BECOMES(action, ACTION_TUNE)},
    {GROUP_RUNNING, "max-memory", 0, "N", NULL,
     "refuse work that needs more bytes; default 3/4 of memory",
     "Files side by side keep within it together. The suffixes K, M and G are powers of 1024.",
     SIZE(limits[SATF_LIMIT_MEMORY])},
    {GROUP_RUNNING, "max-device-memory", 0, "N", NULL,
     "bytes of a device's memory to take; default all that is free",
     "Filters compute a larger picture part by part. One that needs the whole picture at once is "
     "an error under --device cuda, and computed on the CPU under --device auto.",
     SIZE(limits[SATF_LIMIT_DEVICE_MEMORY])},

    {GROUP_LIMITS, "formats", 0, "LIST", NULL,
     "read these formats only, such as png,jpeg; default all",
     "Names as in --list, between commas. For files of strangers png,jpeg,pnm,pfm,npy is "
     "advisable: the decoders of the others have not been tried for as long.",
     TAKES(take_formats)},
    {GROUP_LIMITS, "max-pixels", 0, "N", NULL, "refuse larger images; K M G allowed; default 2G",
     "The suffixes are powers of 1024.", SIZE(limits[SATF_LIMIT_PIXELS])},
    {GROUP_LIMITS, "max-metadata", 0, "N", NULL,
     "refuse a PNG or JPEG out of proportion: of more bytes that are no pixels; default 64M", NULL,
     SIZE(limits[SATF_LIMIT_METADATA])},
    {GROUP_LIMITS, "max-scans", 0, "N", NULL,
     "refuse a PNG or JPEG out of proportion: of more scans; default 500", NULL,
     SIZE(limits[SATF_LIMIT_SCANS])},
    {GROUP_LIMITS, "max-ratio", 0, "N", NULL,
     "refuse a PNG or JPEG out of proportion: of N times its file's size; default 1100",
     "Counted in samples as the file has them, before palettes and shallow depths expand. Deflate "
     "makes no file smaller than 1:1032. Pipes have no size to compare with.",
     SIZE(limits[SATF_LIMIT_RATIO])},

    {GROUP_INFORMATION, "quiet", 'q', NULL, NULL, "no progress, no notes, no closing line",
     "Errors are still told, and how many inputs --skip-existing has passed over.", IS_SET(quiet)},
    {GROUP_INFORMATION, "verbose", 'v', NULL, NULL, "sizes, engine, device and time per stage",
     "Filters are told one by one, and those of several steps (guided) step by step; and which "
     "stage takes longest. A batch ends with the sum of each stage.",
     IS_SET(verbose)},
    {GROUP_INFORMATION, "json", 0, NULL, NULL, "the same as one JSON object per input",
     "Its \"steps\" are in the order of the work; \"window\" of a step is its width and height in "
     "pixels, or null; \"ms\" is null on a CUDA device, and \"engine\", \"algorithm\" and "
     "\"device\" of the object are those of the last; \"device_number\" says which CUDA device. "
     "\"bound\" is the stage that takes longest; \"waiting\" is for threads and memory that other "
     "files have. An input that is passed over has \"skipped\": true, one that fails \"error\", "
     "one whose output replaced a file \"replaced\": true, one that is damaged and was read all "
     "the same \"damaged\": true, one that was left when the disk was full \"not_tried\": true. A "
     "batch ends with an object \"summary\" that counts what was done, replaced, failed, damaged, "
     "not tried and passed over. They go to standard output, or to standard error where the "
     "picture goes to standard output. Bytes of a file name that are not UTF-8 appear as U+FFFD.",
     IS_SET(json)},
    {GROUP_INFORMATION, "stats", 0, NULL, NULL,
     "least, greatest, mean and deviation of each channel of the result",
     "Of its finite samples but those of --nodata, before they become those of a picture: a "
     "deviation's are real numbers. The sums are exact for 8 and 16 bits. --json has them as "
     "\"stats\", of several pages as \"page_stats\"; without it they are lines on standard error.",
     IS_SET(stats)},
    {GROUP_INFORMATION, "help", 'h', "[TOPIC]...", "TOPIC",
     "this, or all about filters, options, formats, algorithms", NULL,
     BECOMES(action, ACTION_HELP)},
    {GROUP_INFORMATION, "list", 0, NULL, NULL, "filters, borders, formats and algorithms",
     "With --json as one object. Its output_types are those of a small picture: of a large one "
     "sums may need u64.",
     BECOMES(action, ACTION_LIST)},
    {GROUP_INFORMATION, "self-test", 0, NULL, NULL,
     "check that this machine computes the right bits",
     "Filters small images by every filter, sample type and border, by every engine, instruction "
     "set and CUDA device of this machine. All must give the same bits, and those of every other "
     "machine: the SHA-256 of all results is compared with the recorded one. A difference is "
     "named, and the exit status is 1. The last line is a witness, which can be handed in. With "
     "--json as one object.",
     BECOMES(action, ACTION_SELF_TEST)},
    {GROUP_INFORMATION, "version", 'V', NULL, NULL, "the version", NULL,
     BECOMES(action, ACTION_VERSION)},

    {GROUP_HIDDEN, "no-clobber", 0, NULL, NULL, "another name of --skip-existing", NULL,
     BECOMES(existing, EXISTING_KEPT)},
    {GROUP_HIDDEN, "self-test-results", 0, NULL, NULL,
     "each result of the CPU that --self-test compares, a line each", NULL,
     BECOMES(action, ACTION_TRIALS)},
    {GROUP_HIDDEN, "self-test-digests", 0, NULL, NULL,
     "the lines of tools/satfilter/selftest/digests.inc", NULL, BECOMES(action, ACTION_DIGESTS)},
    {GROUP_HIDDEN, "help-man", 0, NULL, NULL, "the man page", NULL, BECOMES(action, ACTION_MAN)},
    {GROUP_HIDDEN, "help-bash", 0, NULL, NULL, "bash completion", NULL,
     BECOMES(action, ACTION_BASH)},
    {GROUP_HIDDEN, "help-zsh", 0, NULL, NULL, "zsh completion", NULL, BECOMES(action, ACTION_ZSH)},
    {GROUP_HIDDEN, "help-fish", 0, NULL, NULL, "fish completion", NULL,
     BECOMES(action, ACTION_FISH)},
};

const option *satfilter_option_at(size_t index)
{
    return index < sizeof options / sizeof *options ? &options[index] : NULL;
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
