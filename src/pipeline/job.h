/* A job on a file, and the functions that its ways through the pipeline share. */
#ifndef SATF_PIPELINE_JOB_H
#define SATF_PIPELINE_JOB_H

#include "pipeline.h"

typedef struct pipeline_plan pipeline_plan;

void pipeline_note_add(satf_file_report *result, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Takes out what says how colours look, for a result whose values are none; a note if it was there
 * and the output could hold it. */
void pipeline_drop_colours(satf_file_report *result, const pipeline_job *job, const io_plan *plan,
                           satf_metadata *metadata);

/* Is the result black and white, a bit a pixel, unless its format has no such pictures? A type or a
 * range asks for grey. */
bool pipeline_is_black_and_white(const pipeline_job *job);

/* The format of the output, by its name's suffix unless the job says; NULL: nobody knows. */
const io_format *pipeline_output_format(const pipeline_job *job);

/* Waits until the page whose result the job is may write, without its token to work and the memory
 * that it has asked for: those in front of it may need both. */
void pipeline_await_turn(satf_context *ctx, const pipeline_job *job);

/* What a job's result goes to: a page of the job's pages, if it has them, which are its owner's to
 * commit; file is NULL then. */
typedef struct pipeline_output {
    io_output *file;
    io_output_report report;
} pipeline_output;

/* It stays where it is until its end, which commits or discards it, as io_output_end() does, and
 * takes notes on what the new file does not keep of the one that it replaces. One that was not
 * opened, all zero, may be ended. */
satf_status pipeline_output_open(satf_context *ctx, const pipeline_job *job,
                                 pipeline_output *output, satf_file_report *result);
satf_status pipeline_output_end(satf_context *ctx, const pipeline_job *job, pipeline_output *output,
                                satf_status status, satf_file_report *result);
satf_status pipeline_writer_open(satf_context *ctx, const pipeline_job *job, const io_plan *plan,
                                 const pipeline_output *output, const satf_metadata *metadata,
                                 io_writer **writer);

/* Gives a picture that names no resolution the one that the job says, and notes where one names
 * another. */
void pipeline_set_resolution(satf_file_report *result, const pipeline_job *job,
                             satf_metadata *metadata);

/* Called before filters change the metadata: notes on it, and finds which kinds the output will not
 * have. */
void pipeline_note_metadata(satf_file_report *result, const pipeline_job *job, pipeline_plan *plan,
                            const satf_metadata *metadata);

/* Whether pixels of the result come from elsewhere, and what becomes of the input's metadata: as
 * for the filter, but around a region everything stays where it is. */
bool pipeline_moves(const pipeline_job *job);
void pipeline_change_metadata(const pipeline_job *job, const satf_view *in,
                              satf_metadata *metadata);

/* After the last row: notes on what of the input the result does not have, more pictures among
 * it. */
void pipeline_note_input(satf_file_report *result, const pipeline_job *job,
                         const pipeline_plan *plan, const io_reader *reader);

/* After the last row: the result's stats, if they are asked for, and a note if it takes hardly
 * anything of the range shown. */
void pipeline_judge(satf_file_report *result, const pipeline_job *job, const io_writer *writer);

/* A part of the job, from ... from + share of its progress, in which the context's progress goes
 * from 0 to 1. */
typedef struct pipeline_phase {
    satf_progress call; /* the caller's, NULL: there is none */
    void *user;
    double from, share, last;
} pipeline_phase;

/* The next phase, which begins where the one before ends. */
void pipeline_phase_begin(satf_context *ctx, pipeline_phase *phase, double share);

struct satf_file_steps {
    size_t count;
    satf_used of[];
};

static inline size_t pipeline_steps_bytes(size_t count)
{
    return sizeof(satf_file_steps) + count * sizeof(satf_used);
}

/* The report's steps, in memory of the context. */
satf_status pipeline_make_steps(satf_context *ctx, size_t count, satf_file_steps **steps);

/* The report has these, whose last one is filled in. */
void pipeline_report_steps(satf_file_report *result, const satf_file_steps *steps);

/* What the plan that the context keeps has done becomes the report's steps. */
satf_status pipeline_report_plan(satf_context *ctx, satf_file_report *result);

/* What is known of a job before its first row is decoded. */
struct pipeline_plan {
    satf_image in, out; /* without pixels and metadata */
    /* The type to filter to, so that the result is rounded only once on its way
     * into the file: plain values at once to the type wanted, means for a picture
     * of another depth to doubles. A satf_type or SATF_TYPE_AUTO. */
    int type;
    bool colours;  /* the result's values are colours, as the input's are */
    unsigned lost; /* kinds of the input's metadata, IO_KEEPS_..., that the output cannot hold */
    io_plan io;
    /* A job's region: the part of the input that it depends on, and its place in what the filter
     * makes of that. */
    satf_rect crop, part;
    int device;        /* that computes: SATF_HOST or SATF_CUDA(n) */
    int64_t band_rows; /* in bands of so many rows; 0: all at once */
    bool automatic;    /* it was chosen here: what it cannot do, the CPU does */
    bool streams;      /* by rows, or in bands, rather than as whole images; in the former case: */
    struct flow *flow; /* the stages, planned; owned */
    size_t bytes;      /* memory that it takes */
};

/* Finds what cannot work before anything is decoded; waits for the memory that the job takes. The
 * reader is at the picture. pipeline_plan_free() in any case, of a plan that was zeros before. */
satf_status pipeline_plan_make(satf_context *ctx, const pipeline_job *job, io_reader *reader,
                               pipeline_plan *plan, satf_file_report *result);
void pipeline_plan_free(pipeline_plan *plan);

/* Adds to the message of a CPU that lacks the algorithm or the barriers asked for why the CPU was
 * taken. Returns status. */
satf_status pipeline_explain_device(satf_context *ctx, const pipeline_plan *plan,
                                    satf_status status, const satf_file_report *result);

/* Goes back to the CPU, with a note, when the device that was chosen so has failed and the CPU can
 * do what is asked for; true if it did. */
bool pipeline_leave_device(satf_context *ctx, const pipeline_job *job, pipeline_plan *plan,
                           satf_status status, satf_file_report *result);

/* *filter = the job's filters for such an input, where they are others than job->filter: windows
 * that are lengths are in pixels, and what mixes light has its curve. NULL: they are these. It is
 * to be destroyed, after a failure too. (light.c) */
satf_status pipeline_resolve(satf_context *ctx, const pipeline_job *job, const io_header *header,
                             satf_filter **filter);

#endif
