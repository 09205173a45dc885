/* What moving pixels has in common on the CPU and on a device. */
#ifndef SATF_FILTER_MOVE_STEP_H
#define SATF_FILTER_MOVE_STEP_H

#include "../base/view.h"
#include "../move/move.h"
#include "step.h"

static inline move_job filter_move_job(const filter_step *step)
{
    const filter_order *order = step->order;
    return (move_job){
        .in = step->in,
        .out = step->out,
        .turn = filter_turn(step->pass, step->options),
        .order = order ? order->entries : NULL,
    };
}

/* Whether what was moved is stored as another type. */
static inline bool filter_move_converts(const filter_step *step)
{
    return step->in.type != step->out.type;
}

/* A packed view of that many of the result's rows, in the input's type. */
static inline satf_view filter_moved_view(const filter_step *step, void *data, int64_t rows)
{
    const satf_view *out = &step->out;
    satf_view view =
        satf_view_packed(data, out->width, rows, out->channels, (satf_type)step->in.type);
    view.device = step->in.device;
    return view;
}

#endif
