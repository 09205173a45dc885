/* The man page, for the build. */
#include <stdio.h>
#include <string.h>

#include "help.h"
#include "../../roff.h"

static void man_param(const satf_param_info *p)
{
    bool flag = p->type == SATF_PARAM_FLAG;
    fputs(".TP\n\\fB", stdout);
    if (!p->is_value) {
        roff(p->name);
        fputs(flag ? "\\fR, \\fB\\-\\-" : "=", stdout);
        roff(flag ? p->name : "");
    }
    fputs("\\fI", stdout);
    if (!flag && p->syntax) {
        roff(p->syntax);
    }
    fputs("\\fR\n", stdout);
    roff(p->help);
    if (p->default_text && p->default_text[0] && !flag) {
        fputs("; default ", stdout);
        roff(p->default_text);
    }
    putchar('\n');
}

static void man_filters(void)
{
    satf_filter_info info;
    for (size_t i = 0; satf_filter_name(i, &info, sizeof info); i++) {
        const char *value = filter_value_syntax(info.name);
        printf(".SS \"\\-\\-%s", info.name);
        if (value) {
            fputs(" \\fI", stdout);
            roff(value);
            fputs("\\fR", stdout);
        }
        puts("\"");
        if (info.example) {
            fputs("\\fB", stdout);
            roff(info.example);
            fputs("\\fR\n.PP\n", stdout);
        }
        roff_paragraph(info.help);
        puts(".PP");
        roff_paragraph(info.detail);
        satf_param_info p;
        for (size_t k = 0; satf_filter_param(info.name, k, &p, sizeof p); k++) {
            man_param(&p);
        }
    }
}

static void man_formats(void)
{
    satf_format_info format;
    for (size_t i = 0; satf_format(i, &format, sizeof format); i++) {
        printf(".TP\n\\fB%s\\fR (%s)\n", format.name,
               !format.can_write ? "read"
               : format.can_read ? "read, written"
                                 : "written");
        roff(format.help);
        fputs("; suffixes ", stdout);
        roff_paragraph(format.suffixes);
    }
}

void help_man_page(void)
{
    printf(".TH SATFILTER 1 \"\" \"satfilter %s\" \"User Commands\"\n"
           ".SH NAME\n"
           "satfilter \\- image filters on summed area tables\n"
           ".SH SYNOPSIS\n"
           ".B satfilter\n[\\fIOPTIONS\\fR] \\fIFILTER\\fR... \\fIINPUT OUTPUT\\fR\n.br\n"
           ".B satfilter\n[\\fIOPTIONS\\fR] \\fIFILTER\\fR... \\fIINPUT\\fR... \\fB\\-o\\fR "
           "\\fIDIR\\fR\n.br\n"
           ".B satfilter\n[\\fIOPTIONS\\fR] \\fIFILTER\\fR... < \\fIINPUT\\fR > "
           "\\fIOUTPUT\\fR\n"
           ".SH DESCRIPTION\n",
           satf_version());
    roff_paragraph(
        "Reads a picture, applies the filters in the order written, and writes the result. A "
        "window of 255 x 255 pixels takes 1.4 to 3.8 times as long as one of 3 x 3. Results of "
        "integer images are exact: bit-identical on every device and with any number of threads, "
        "unless a chain has real numbers between its filters.");
    puts(".PP");
    roff_paragraph(
        "The format of an input is found by its content, that of an output by its suffix. \"-\" is "
        "standard input or standard output (PNG there, unless --format names another). Without any "
        "file, standard input is filtered to standard output in its own format. Depth, alpha, "
        "colour profile, gamma, resolution, EXIF, XMP and IPTC of the input reach the output where "
        "its format can hold them; thumbnails in them, which show the unfiltered picture, do not. "
        "All pages of a TIFF, of an array or of an animation go into a TIFF or an array; into "
        "another format goes the first, unless --page names others. Notes on standard error tell "
        "what else of the input the output lacks, such as comments; one that more than three "
        "inputs of a batch share is counted.");
    puts(".PP");
    roff_paragraph(
        "An output appears whole or not at all, and an existing file stays as it was on "
        "failure (standard output and devices get what there is). Input and output may be the "
        "same file. At a terminal the command asks before it replaces a file; in scripts, "
        "without a terminal, it replaces and says so, but keeps a file that it cannot have written "
        "(see --force). Messages go to standard error, one line each.");
    puts(".SH EXAMPLES");
    for (const help_example *e = help_examples; e->command; e++) {
        fputs(".TP\n\\fB", stdout);
        roff(e->command);
        fputs("\\fR\n", stdout);
        roff_paragraph(e->meaning);
    }
    puts(".SH FILTERS");
    roff_paragraph(
        "What each filter computes, exactly, is in docs/filters.md, which is installed with the "
        "command. Width and height are those of the pixels as stored: an EXIF orientation, by "
        "which viewers turn the picture, is kept and not applied.");
    for (int i = 0; help_windows[i]; i++) {
        puts(".PP");
        roff_paragraph(help_windows[i]);
    }
    man_filters();
    puts(".SH OPTIONS");
    roff_paragraph(
        "Options and files may be mixed; \"--\" ends the options. A long option's value is "
        "written --option=value or --option value. Names cannot be abbreviated. Of an option "
        "given twice the last counts.");
    options_print_man(&satfilter_cli);
    puts(".SH FORMATS");
    man_formats();
    puts(".SH \"EXIT STATUS\"");
    for (const help_status *s = help_statuses; s->text; s++) {
        printf(".TP\n\\fB%d\\fR\n", s->status);
        roff_paragraph(s->text);
    }
    puts(".SH ENVIRONMENT\n.TP\n\\fBSATFILTER_CPU\\fR");
    roff_paragraph("base, avx2 or avx512: use no instructions beyond these (for testing).");
    puts(".TP\n\\fBSATFILTER_CUDA\\fR");
    roff_paragraph(
        "the file with the kernels for CUDA devices; without it libsatfilter-cuda.so is "
        "taken from the library's folder, the folder satfilter in it or where the linker looks.");
    puts(".TP\n\\fBSATFILTER_FORMATS\\fR");
    roff_paragraph("the folder with the parts that read and write TIFF, WebP and GIF; without it "
                   "they are taken from the library's folder, the folder satfilter in it or where "
                   "the linker looks.");
    puts(".TP\n\\fBSATFILTER_MAX_DEVICE_MEMORY\\fR");
    roff_paragraph("bytes: what --max-device-memory is by default (for testing).");
    puts(".TP\n\\fBSATFILTER_MODULES\\fR");
    roff_paragraph("modules to load, as --module does, with a colon between.");
    puts(".TP\n\\fBSATFILTER_TUNE\\fR");
    roff_paragraph("off: use nothing that --tune has found (for testing).");
    puts(".TP\n\\fBXDG_CACHE_HOME\\fR");
    roff_paragraph("the folder below which --tune keeps what it finds; default ~/.cache.");
    puts(".SH \"SEE ALSO\"\n\\fBsatbench\\fR(1), and the pages of docs/, which are installed in "
         "share/doc/satfilter: filters.md, recipes.md, formats.md.");
}
