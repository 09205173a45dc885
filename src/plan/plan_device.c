/* Chooses the device of a call's plan. */
#include "plan.h"

int filter_plan_device(const satf_context *ctx, const filter_call *call)
{
    char why[FILTER_WHY_BYTES];
    if (call->in->device != SATF_HOST) {
        return call->in->device;
    }
    return call->device != SATF_DEVICE_AUTO
               ? call->device
               : filter_choose_device(ctx, call->filter, call->in, call->out, &(filter_job){0},
                                      why);
}

bool filter_plan_leaves(satf_context *ctx, const filter_call *call, int device, satf_status status)
{
    return call->device == SATF_DEVICE_AUTO && device != call->in->device &&
           filter_leaves_device(ctx, status);
}
