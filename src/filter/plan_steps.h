/* Of the making of plans. */
#ifndef SATF_FILTER_PLAN_STEPS_H
#define SATF_FILTER_PLAN_STEPS_H

#include "plan.h"

/* Makes the steps of the chain: plan->steps, none of which is planned yet. */
satf_status plan_make_steps(satf_context *ctx, satf_plan *plan);

#endif
