/* The report of a job, whichever way it goes. */
#include "job.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "../io/meta/exif.h"
#include "../base/memory.h"
#include "../base/share.h"
#include "../chain/chain.h"
#include "../chain/pass.h"
#include "../io/codec.h"
#include "../io/numbers.h"
#include "../io/meta/description.h"
#include "../io/meta/others.h"
#include "region.h"

void pipeline_note_add(satf_file_report *result, const char *at, const char *format, ...)
{
    if (result->note_count < SATF_FILE_NOTES) {
        satf_file_note *note = &result->notes[result->note_count++];
        note->at = at;
        va_list args;
        va_start(args, format);
        satf_vtext(note->text, sizeof note->text, format, args);
        va_end(args);
    }
}

/* Notes that the input is damaged, and was read past the damage. The note is there whatever others
 * there are. */
static void note_damage(satf_file_report *result, const pipeline_job *job, const char *what)
{
    result->damaged = 1;
    result->note_count -= result->note_count == SATF_FILE_NOTES;
    pipeline_note_add(result, job->input, "%s", what);
}

/* What progress rises to stays above what it was, however little, though rounded. */
static int phase_progress(void *user, double done)
{
    pipeline_phase *phase = user;
    double all = phase->from + phase->share * done, above = nextafter(phase->last, 1);
    if (phase->last == 1) {
        return 0;
    }
    phase->last = all > 1 ? 1 : all > above ? all : above;
    return phase->call(phase->user, phase->last);
}

void pipeline_phase_begin(satf_context *ctx, pipeline_phase *phase, double share)
{
    phase->from += phase->share;
    phase->share = share;
    if (phase->call) {
        satf_context_set_progress(ctx, phase_progress, phase);
    }
}

satf_status pipeline_make_steps(satf_context *ctx, size_t count, satf_file_steps **steps)
{
    size_t bytes = pipeline_steps_bytes(count);
    satf_free(ctx->file_steps);
    *steps = ctx->file_steps = satf_alloc_zeroed(bytes);
    if (!*steps) {
        return satf_fail_memory(ctx, bytes, "a report of what ran");
    }
    (*steps)->count = count;
    return SATF_OK;
}

void pipeline_report_steps(satf_file_report *result, const satf_file_steps *steps)
{
    const satf_used *last = &steps->of[steps->count - 1];
    result->steps = steps;
    result->engine = last->engine;
    result->algorithm = last->algorithm;
    result->device = last->device;
}

const char *satf_file_step(const satf_file_steps *steps, size_t index, satf_used *used,
                           size_t bytes)
{
    satf_used step = steps && index < steps->count ? steps->of[index] : (satf_used){0};
    satf_give(used, bytes, &step, sizeof step);
    return step.filter;
}

bool pipeline_moves(const pipeline_job *job)
{
    return !job->options.region && filter_moves(job->filter);
}

void pipeline_change_metadata(const pipeline_job *job, const satf_view *in, satf_metadata *metadata)
{
    if (job->options.region) {
        satf_metadata_drop_thumbnails(metadata);
    } else {
        filter_change_metadata(job->filter, in, metadata);
    }
}

void pipeline_set_resolution(satf_file_report *result, const pipeline_job *job,
                             satf_metadata *metadata)
{
    const double per_metre = job->options.dpi / IO_METRES_PER_INCH;
    double x = metadata->resolution_x, y = metadata->resolution_y;
    bool ratio = metadata->has_resolution && isfinite(x) && isfinite(y) && x > 0 && y > 0;
    if (job->options.dpi <= 0) {
        return;
    }
    if (ratio && metadata->resolution_unit) {
        /* Files have whole pixels per metre or per centimetre. */
        bool same =
            fabs(x - per_metre) <= per_metre / 100 && fabs(y - per_metre) <= per_metre / 100;
        if (!same) {
            char down[32];
            double per_inch = 10 * IO_METRES_PER_INCH; /* tenths */
            snprintf(down, sizeof down, " x %.6g", round(y * per_inch) / 10);
            pipeline_note_add(result, job->input,
                              "keeps the %.6g%s dpi that it names (option: dpi)",
                              round(x * per_inch) / 10, x == y ? "" : down);
        }
        return;
    }
    metadata->has_resolution = true;
    metadata->resolution_unit = 1;
    metadata->resolution_x = per_metre;
    metadata->resolution_y = ratio ? per_metre * (y / x) : per_metre;
}

void pipeline_drop_colours(satf_file_report *result, const pipeline_job *job, const io_plan *plan,
                           satf_metadata *metadata)
{
    bool profile = metadata->icc_bytes > 0,
         others = metadata->has_gamma || metadata->has_srgb || metadata->has_chromaticities;
    for (int i = 0; i < SATF_HDR_KINDS; i++) {
        others = others || metadata->has_hdr[i];
        metadata->has_hdr[i] = false;
    }
    satf_free(metadata->icc);
    metadata->icc = NULL;
    metadata->icc_bytes = 0;
    metadata->tags_bytes = satf_tags_drop(metadata->tags, metadata->tags_bytes, SATF_TAG_COLOUR);
    metadata->has_gamma = metadata->has_srgb = metadata->has_chromaticities = false;
    if ((profile || others) && plan->format->metadata != IO_METADATA_NONE) {
        pipeline_note_add(result, job->output,
                          "its input's colour %s is left out: the values are no colours",
                          profile ? "profile" : "space");
    }
}

/* Kinds of metadata that the output lacks, but those that were not wanted. */
static unsigned find_lost(const pipeline_job *job, const io_plan *plan,
                          const satf_metadata *metadata)
{
    const unsigned stripped = IO_KEEPS_RESOLUTION | IO_KEEPS_EXIF | IO_KEEPS_XMP | IO_KEEPS_IPTC;
    return io_find_lost(plan, metadata) & ~(job->write.strip ? stripped : 0);
}

void pipeline_note_metadata(satf_file_report *result, const pipeline_job *job, pipeline_plan *plan,
                            const satf_metadata *metadata)
{
    plan->lost = find_lost(job, &plan->io, metadata);
    unsigned orientation = satf_exif_orientation(metadata->exif, metadata->exif_bytes);
    bool turned = orientation > 1;
    if (job->options.region && turned) {
        pipeline_note_add(result, job->input,
                          "its %s is in pixels as they are stored, which viewers turn "
                          "(orientation %u); they can be turned as they are read (option: "
                          "auto-orient)",
                          pipeline_region_option(job), orientation);
    }
    if (turned && filter_counts_part(job->filter)) {
        pipeline_note_add(result, job->input,
                          "the part that is cut out of it is one of the pixels as they are stored, "
                          "which viewers turn (orientation %u); they can be turned as they are "
                          "read (option: auto-orient)",
                          orientation);
    } else if (orientation > 4 && filter_counts_sides(job->filter)) {
        pipeline_note_add(result, job->input,
                          "its new width and height are those of the pixels as they are stored, "
                          "which viewers turn (orientation %u); they can be turned as they are "
                          "read (option: auto-orient)",
                          orientation);
    }
    if (job->write.strip) {
        return;
    }
    satf_tag tag;
    bool geo = false;
    for (size_t at = 0; satf_tags_next(metadata->tags, metadata->tags_bytes, &at, &tag);) {
        geo = geo || (satf_tag_kind(tag.tag) & SATF_TAG_GEO);
    }
    if (geo && pipeline_moves(job)) {
        pipeline_note_add(result, job->input,
                          "its GeoTIFF data is not kept: the pixels change their places");
    }
    if (metadata->xmp_extended) {
        pipeline_note_add(
            result, job->input,
            "its extended XMP, such as embedded pictures and depth maps, is not kept");
    }
}

const io_format *pipeline_output_format(const pipeline_job *job)
{
    return job->write.format ? io_format_find(job->write.format) : io_format_by_suffix(job->output);
}

void pipeline_await_turn(satf_context *ctx, const pipeline_job *job)
{
    satf_share_forgo(ctx);
    satf_share_pause(ctx);
    io_pages_await(job->pages, job->number);
    satf_share_resume(ctx);
}

satf_status pipeline_output_open(satf_context *ctx, const pipeline_job *job,
                                 pipeline_output *output, satf_file_report *result)
{
    *output = (pipeline_output){.file = NULL};
    satf_status status =
        job->pages ? SATF_OK
                   : io_output_open(ctx, job->output, job->options.output_calls,
                                    job->write.no_clobber != 0, &output->report, &output->file);
    result->no_space = output->report.full;
    return status;
}

satf_status pipeline_output_end(satf_context *ctx, const pipeline_job *job, pipeline_output *output,
                                satf_status status, satf_file_report *result)
{
    const io_output_report *report = &output->report;
    status = io_output_end(ctx, output->file, status);
    result->no_space = report->full;
    if (status) {
        return status;
    }
    if (report->access_lost) {
        pipeline_note_add(result, job->output,
                          "who could read the file that it replaces is not kept: its group and "
                          "others may not");
    }
    if (report->owner_lost) {
        pipeline_note_add(result, job->output,
                          "the file that it replaces had another owner, who is not kept");
    }
    if (report->attributes_lost) {
        pipeline_note_add(result, job->output,
                          "the extended attributes (user.) of the file that it replaces are not "
                          "all kept");
    }
    if (report->other_names > 0) {
        bool several = report->other_names > 1;
        pipeline_note_add(result, job->output,
                          "the file that it replaces has %lld other name%s (hard links), which "
                          "keep%s the old picture",
                          (long long)report->other_names, several ? "s" : "", several ? "" : "s");
    }
    return SATF_OK;
}

/* Stats of a result leave out samples where nothing counted. */
static void omit_nodata(const pipeline_job *job, const satf_view *result, io_stats *stats)
{
    const chain_counting *says = &job->filter->counting;
    if (says->says_nodata && !(result->flags & SATF_ALPHA)) {
        io_stats_omit(stats, result->type, says->nodata);
    }
}

satf_status pipeline_writer_open(satf_context *ctx, const pipeline_job *job, const io_plan *plan,
                                 const pipeline_output *output, const satf_metadata *metadata,
                                 io_writer **writer)
{
    satf_status status =
        job->pages ? io_page_open(ctx, plan, job->pages, job->number, &job->write, metadata, writer)
                   : io_writer_open(ctx, plan, io_output_file(output->file), &job->write, metadata,
                                    writer);
    if (!status) {
        (*writer)->counts = job->options.stats;
        omit_nodata(job, &plan->in, &(*writer)->stats);
    }
    return status;
}

/* Room for what is not kept, by all that can name it. */
typedef struct lost_names {
    char others[2 * sizeof((io_header *)0)->others], text[2 * sizeof((io_header *)0)->text];
} lost_names;

/* Names of a TIFF's tags that the output does not hold, as io_describe_others() knows them, and the
 * texts among them. */
static void name_lost_tags(const pipeline_job *job, const satf_metadata *m, lost_names *names)
{
    size_t at = 0;
    satf_tag tag;
    while (satf_tags_next(m->tags, m->tags_bytes, &at, &tag)) {
        unsigned kind = satf_tag_kind(tag.tag);
        if ((kind & SATF_TAG_GEO) && !pipeline_moves(job)) {
            io_list_name(names->others, sizeof names->others, "GeoTIFF");
        } else if (kind & SATF_TAG_STACK) {
            io_list_name(names->others, sizeof names->others, "ImageJ");
        } else if (kind & SATF_TAG_COLOUR) {
            io_list_name(names->others, sizeof names->others, "cHRM");
        } else if (tag.tag == SATF_TAG_PAGE_NAME) {
            io_list_name(names->others, sizeof names->others, "page");
        } else if ((kind & SATF_TAG_TEXT) && !(kind & SATF_TAG_GEO) && !satf_tag_in_exif(&tag)) {
            io_list_text(names->text, sizeof names->text, "'", tag.values, tag.bytes);
        }
    }
}

/* Names of the chunks of a PNG's text. */
static void name_lost_chunks(const satf_metadata *m, lost_names *names)
{
    enum { HEAD = 8 };
    size_t n;
    for (size_t at = 0; at + HEAD <= m->text_bytes; at += HEAD + n) {
        n = (size_t)io_load_big(m->text + at, 4);
        io_list_text(names->text, sizeof names->text, "", m->text + at + HEAD, n);
    }
}

/* Notes which of a TIFF's tags the output holds though they are not right for it, or not whole. */
static void note_tags(satf_file_report *result, const pipeline_job *job, const io_plan *plan,
                      const satf_metadata *m)
{
    if (!io_description_fits(m, plan, job->pages ? job->pages->wanted : 1)) {
        pipeline_note_add(result, job->input,
                          "its description, which programs read, is not kept: it tells of other "
                          "pages or samples");
    }
    if (m->exif && !satf_exif_is_whole(m->exif, m->exif_bytes)) {
        pipeline_note_add(result, job->input, "its EXIF is damaged; some of it is not kept");
    }
}

static void job_note_lost(satf_file_report *result, const pipeline_job *job, const io_plan *plan,
                          const io_header *header)
{
    const satf_metadata *m = &header->metadata;
    unsigned keeps = plan->format->keeps;
    char others[200];
    lost_names names;
    memcpy(names.others, header->others, sizeof header->others);
    memcpy(names.text, header->text, sizeof header->text);
    if (!(keeps & IO_KEEPS_TEXT)) {
        name_lost_chunks(m, &names);
    }
    if (keeps & IO_KEEPS_TAGS) {
        note_tags(result, job, plan, m);
    } else {
        name_lost_tags(job, m, &names);
    }
    bool laid_anew = (keeps & IO_KEEPS_TAGS) || m->tiff_compression;
    if ((keeps & IO_KEEPS_EXIF) && laid_anew &&
        satf_exif_has_placed_notes(m->exif, m->exif_bytes)) {
        pipeline_note_add(result, job->input,
                          "the camera maker's notes in its EXIF change their place, which makes "
                          "offsets in them wrong");
    }
    if (*names.text) {
        bool comment = *names.text == '"';
        pipeline_note_add(result, job->input, "its %s%s%s is not kept",
                          comment ? "comment " : "text (", names.text, comment ? "" : ")");
    }
    const char *verb = io_describe_others(names.others, others, sizeof others);
    if (verb) {
        pipeline_note_add(result, job->input, "its %s %s not kept", others, verb);
    }
    if (header->xmp_damaged) {
        pipeline_note_add(result, job->input, "its XMP is damaged and not kept");
    }
}

/* Notes what the output's format cannot hold. Some of it may have come with the last row; the
 * orientation is that before filters changed it. */
static void note_kinds(satf_file_report *result, const pipeline_job *job, const pipeline_plan *plan,
                       const satf_metadata *metadata)
{
    char kinds[160], keepers[32];
    const unsigned late = find_lost(job, &plan->io, metadata) & ~(unsigned)IO_KEEPS_ORIENTATION;
    const unsigned lost = plan->lost | late;
    const char *verb = io_describe_lost(lost, kinds, sizeof kinds);
    io_name_keepers(lost, metadata, keepers, sizeof keepers);
    if (verb) {
        pipeline_note_add(result, job->output,
                          "its input's %s %s left out, which %s cannot hold%s%s%s", kinds, verb,
                          plan->io.name, *keepers ? "; " : "", keepers, *keepers ? " can" : "");
    }
    if (metadata->icc && (plan->io.format->keeps & IO_KEEPS_GREY_ICC) && !plan->io.bilevel &&
        !io_icc_fits(metadata, plan->io.out.channels)) {
        pipeline_note_add(result, job->output,
                          "its input's colour profile is left out: it is for %s, and the pixels "
                          "are %s",
                          io_icc_colours(metadata), plan->io.out.channels < 3 ? "grey" : "RGB");
    }
}

void pipeline_note_input(satf_file_report *result, const pipeline_job *job,
                         const pipeline_plan *plan, const io_reader *reader)
{
    const io_header *header = &reader->header;
    note_kinds(result, job, plan, &header->metadata);
    if (header->was_cmyk) {
        pipeline_note_add(result, job->input,
                          "its CMYK is converted to RGB, without regard to a colour profile");
    }
    if (header->alpha_unnamed) {
        pipeline_note_add(result, job->input,
                          "its fourth sample, which nothing names, is taken for alpha");
    }
    if (header->colours_missing) {
        pipeline_note_add(result, job->input,
                          "its palette lacks colours of some pixels, which become black");
    }
    if (header->trns_ignored) {
        pipeline_note_add(result, job->input,
                          "its transparent colour is invalid or out of place and not used");
    }
    if (header->icc_damaged) {
        pipeline_note_add(result, job->input, "its colour profile is damaged and not kept");
    }
    if (header->icc_of) {
        pipeline_note_add(result, job->input,
                          "its colour profile is for %s and not kept: the pixels are %s",
                          header->icc_of, header->view.channels < 3 ? "grey" : "RGB");
    }
    if (header->segments_damaged) {
        pipeline_note_add(result, job->input, "a segment makes no sense and is passed over");
    }
    if (filter_keeps_size(job->filter, &header->view)) {
        pipeline_note_add(result, job->input, "is smaller than asked for and keeps its size");
    }
    if (!job->write.strip) {
        job_note_lost(result, job, &plan->io, header);
    }
    if (reader->pages > 1 && !job->file && !job->options.first_page) {
        pipeline_note_add(result, job->input,
                          "holds %lld pages; only the first is read, unless others are named "
                          "(option: page)",
                          (long long)reader->pages);
    } else if (header->pictures > 1) {
        pipeline_note_add(result, job->input, "holds %lld pictures; only the first is read",
                          (long long)header->pictures);
    } else if (header->pictures == IO_PICTURES_SEVERAL) {
        pipeline_note_add(result, job->input,
                          "holds more than one picture; only the first is read");
    }
    if (header->bytes_damaged) {
        note_damage(result, job,
                    "is damaged: bytes that make no sense are passed over; it may look wrong");
    }
    if (header->lines_damaged) {
        note_damage(result, job,
                    "is damaged: lines of the fax make no sense or have a wrong length; they may "
                    "look wrong");
    }
}

void pipeline_judge(satf_file_report *result, const pipeline_job *job, const io_writer *writer)
{
    result->stats_channels = writer->counts ? writer->plan.in.channels : 0;
    for (int c = 0; c < result->stats_channels; c++) {
        result->stats[c] = io_stats_of(&writer->stats.of[c]);
    }
    char text[sizeof result->notes->text];
    const satf_write_options *write = &job->write;
    bool typed = write->type != SATF_TYPE_AUTO && !write->has_range && !write->auto_range;
    if (io_writer_judge(writer, text, sizeof text)) {
        pipeline_note_add(result, job->output, "%s", text);
    } else if (typed && filter_is_bilevel(job->filter) && writer->black != writer->white) {
        pipeline_note_add(result, job->output, "every pixel is %s",
                          writer->black ? "black" : "white");
    }
}

satf_status pipeline_report_plan(satf_context *ctx, satf_file_report *result)
{
    satf_plan_info info;
    satf_file_steps *steps;
    satf_plan_describe(ctx->plan, &info, sizeof info);
    satf_status status = pipeline_make_steps(ctx, info.steps, &steps);
    if (status) {
        return status;
    }
    for (size_t i = 0; i < info.steps; i++) {
        steps->of[i] = filter_plan_step(ctx->plan, i);
    }
    pipeline_report_steps(result, steps);
    return SATF_OK;
}

satf_status pipeline_explain_device(satf_context *ctx, const pipeline_plan *plan,
                                    satf_status status, const satf_file_report *result)
{
    if (status != SATF_UNSUPPORTED || !plan->automatic || filter_suits_cpu(ctx) ||
        ctx->settings.engine == SATF_ENGINE_WINDOW || !*result->why_cpu) {
        return status;
    }
    char message[SATF_MESSAGE_BYTES];
    snprintf(message, sizeof message, "%s", satf_message(ctx));
    return satf_fail(ctx, status, "%.*s; %s",
                     SATF_MOST(message, sizeof message - sizeof result->why_cpu - 3),
                     result->why_cpu);
}

bool pipeline_leave_device(satf_context *ctx, const pipeline_job *job, pipeline_plan *plan,
                           satf_status status, satf_file_report *result)
{
    if (!plan->automatic || plan->device <= SATF_HOST || !filter_leaves_device(ctx, status)) {
        return false;
    }
    pipeline_note_add(result, job->input, "computed on the CPU: %s", satf_message(ctx));
    plan->device = SATF_HOST;
    return true;
}
