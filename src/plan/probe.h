/* What filters cost on this machine's CPU, found out by running them. */
#ifndef SATF_PLAN_PROBE_H
#define SATF_PLAN_PROBE_H

#include "../chain/chain.h"

/*
 * The ns of one thread that a sample of in takes by the filter on the CPU: of a small image of
 * noise, of the view's type and channels, which takes some 10 ms; remembered for the process. Below
 * 0 where that cannot be found out, as with a guide of another size.
 */
double filter_probe_ns(const satf_context *ctx, const chain_link *link, const satf_view *in);

#endif
