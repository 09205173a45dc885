/* Chooses among the engines of a shape, as settings ask. */
#include <stdio.h>
#include <string.h>

#include "../chain/modules.h"
#include "step.h"

static double ns_of(const filter_engine *engine, bool on_device)
{
    return on_device ? engine->device_ns : engine->ns;
}

/* ------------------------------------------------------------------- settings */

static bool names_algorithm(const satf_context *ctx)
{
    return strcmp(ctx->settings.algorithm, "auto") != 0;
}

/* Whether a setting tells how tables are built. */
static bool wants_table(const satf_context *ctx)
{
    return names_algorithm(ctx) || ctx->settings.r > 0 || ctx->settings.sync;
}

satf_engine filter_wanted_engine(const satf_context *ctx)
{
    satf_engine named = ctx->settings.engine;
    return named == SATF_ENGINE_AUTO && wants_table(ctx) ? SATF_ENGINE_SAT : named;
}

/* Describes the setting that asked for a table or an engine, and returns its option's name. */
static const char *describe_setting(const satf_context *ctx, char *text, size_t bytes)
{
    const satf_settings *settings = &ctx->settings;
    if (names_algorithm(ctx)) {
        snprintf(text, bytes, "algorithm %s", settings->algorithm);
        return "algorithm";
    }
    if (settings->r > 0) {
        snprintf(text, bytes, "r = %g", settings->r);
        return "r";
    }
    if (settings->sync) {
        snprintf(text, bytes, "sync %s", sat_sync_name((sat_sync)settings->sync));
        return "sync";
    }
    snprintf(text, bytes, "engine %s", settings->engine == SATF_ENGINE_SAT ? "sat" : "window");
    return "engine";
}

/* Refuses a filter that does not do what the settings ask for. */
static satf_status refuse_step(satf_context *ctx, const filter_info *info,
                               const filter_engine *engine, const char *more)
{
    char setting[64];
    const char *option = describe_setting(ctx, setting, sizeof setting);
    const filter_pass *last = filter_last(info);
    bool greys =
        last->grey && pass_shape_of(last)->moves; /* a filter to grey, which moves nothing */
    return satf_fail(ctx, SATF_UNSUPPORTED,
                     "%s %s%s: %s cannot serve it; leave that out (option: %s)", info->name,
                     greys ? filter_pixel_engine.does : engine->does, more, setting, option);
}

/* ------------------------------------------------------------------- the choice */

static bool takes(const filter_engine *engine, const filter_pass *pass, bool on_device)
{
    return ns_of(engine, on_device) > 0 &&
           (!engine->pixels_alone || filter_reads_pixels_alone(pass));
}

static bool honours(const filter_engine *engine, satf_engine wanted)
{
    return wanted == SATF_ENGINE_AUTO || engine->kind == wanted ||
           (engine->kind == SATF_ENGINE_AUTO && !engine->sums_others);
}

/* The fastest engine that takes the pass, and the step unless NULL, and honours `wanted`; NULL:
 * there is none. */
static const filter_engine *find_engine(const satf_context *ctx, const filter_pass *pass,
                                        const filter_step *step, satf_engine wanted, bool on_device)
{
    const filter_engine *found = NULL;
    for (const filter_engine *const *of = pass_shape_of(pass)->engines; *of; of++) {
        const filter_engine *engine = *of;
        if (takes(engine, pass, on_device) && honours(engine, wanted) &&
            (!step || !engine->suits || engine->suits(ctx, step)) &&
            (!found || ns_of(engine, on_device) < ns_of(found, on_device))) {
            found = engine;
        }
    }
    return found;
}

satf_status filter_choose_engine(satf_context *ctx, filter_step *step)
{
    const filter_pass *pass = step->pass;
    bool on_device = step->in.device != SATF_HOST;
    satf_engine wanted = filter_wanted_engine(ctx);
    if (on_device && pass_is_foreign(pass)) {
        return satf_fail(ctx, SATF_UNSUPPORTED,
                         "%s is a module's filter, and modules compute on the CPU; use the device "
                         "cpu",
                         step->info->name);
    }
    step->engine = find_engine(ctx, pass, step, wanted, on_device);
    if (step->engine) {
        return SATF_OK;
    }
    const filter_engine *usual = find_engine(ctx, pass, step, SATF_ENGINE_AUTO, on_device);
    return on_device && find_engine(ctx, pass, NULL, wanted, on_device)
               ? satf_fail(ctx, SATF_UNSUPPORTED,
                           "on a device the window engine takes no filter that looks at the "
                           "whole image first and, of integers, no alpha that weighs colour, none "
                           "that reads luma, and windows whose rows of sums fit the shared memory "
                           "of a block; use the engine sat or the device cpu")
           : usual ? refuse_step(ctx, step->info, usual,
                                 find_engine(ctx, pass, NULL, wanted, on_device)
                                     ? ", where samples are floats"
                                     : "")
                   : satf_fail(ctx, SATF_UNSUPPORTED, "no engine takes %s here", step->info->name);
}

satf_status filter_check_engine(satf_context *ctx, const satf_filter *chain, int device)
{
    satf_engine wanted = filter_wanted_engine(ctx);
    const filter_engine *usual = NULL;
    bool on_device = device > SATF_HOST, served = wanted == SATF_ENGINE_AUTO;
    if (wanted == SATF_ENGINE_WINDOW && wants_table(ctx)) {
        char setting[64];
        const char *option = describe_setting(ctx, setting, sizeof setting);
        return satf_fail(ctx, SATF_UNSUPPORTED,
                         "the window engine builds no table: %s cannot serve it; leave out one of "
                         "the two (option: %s)",
                         setting, option);
    }
    for (size_t i = 0; i < chain->count && wanted != SATF_ENGINE_AUTO; i++) {
        const filter_info *info = chain->links[i].info;
        const filter_passes *way =
            on_device && info->on_device.count ? &info->on_device : filter_any_way(info);
        for (int k = 0; k < way->count; k++) {
            const filter_engine *own = find_engine(ctx, &way->list[k], NULL, wanted, on_device);
            usual = find_engine(ctx, &way->list[k], NULL, SATF_ENGINE_AUTO, on_device);
            if (!own && usual) {
                return refuse_step(ctx, info, usual, "");
            }
            served = served || (own && own->kind == wanted);
        }
    }
    return served || !usual ? SATF_OK
                            : refuse_step(ctx, chain->links[chain->count - 1].info, usual,
                                          ", and no filter here sums windows");
}

satf_status satf_filter_check_engine(satf_context *ctx, const satf_filter *filter)
{
    return !ctx      ? SATF_INVALID
           : !filter ? satf_fail(ctx, SATF_INVALID, "the filter is missing")
                     : filter_check_engine(ctx, filter, ctx->settings.device);
}

/* ------------------------------------------------------------------- what they take */

/* The sums that a step forms for a sample: two for a variance, times its windows; one a rectangle
 * of a template. */
static double sums_of(const filter_pass *pass, const void *options, const filter_rects *rects)
{
    satf_rect windows[FILTER_MAX_WINDOWS];
    bool several = pass_shape_of(pass)->windows && pass->windows;
    int count = several ? pass->windows(options, windows) : 1;
    return rects ? (double)rects->count : count * (filter_reads(pass, FORMULA_SQUARE) ? 2 : 1);
}

double filter_step_ns(const filter_step *step)
{
    return ns_of(step->engine, step->in.device != SATF_HOST) *
           sums_of(step->twin ? step->twin : step->pass, step->options, step->rects);
}

/* The time of a sample of the pass by the fastest engine that takes all passes of its shape, or if
 * there is none, by the fastest that takes some. */
static double least_ns(const filter_pass *pass, satf_engine wanted, bool on_device)
{
    double least[2] = {0, 0};
    for (const filter_engine *const *of = pass_shape_of(pass)->engines; *of; of++) {
        double ns = ns_of(*of, on_device), *at = &least[(*of)->suits != NULL];
        if (takes(*of, pass, on_device) && honours(*of, wanted) && (*at == 0 || ns < *at)) {
            *at = ns;
        }
    }
    return least[0] > 0 ? least[0] : least[1];
}

double filter_ns(const satf_context *ctx, const chain_link *link, bool on_device)
{
    filter_picture *const *picture = chain_value(link, PARAM_IMAGE);
    filter_rects *const *rects = chain_value(link, PARAM_TEMPLATE);
    const satf_view grey = {.channels = 1};
    const filter_passes *way = filter_way(link->info, link->options, &grey, picture && *picture);
    double ns = 0;
    for (int k = 0; k < way->count; k++) {
        const filter_pass *pass = &way->list[k];
        ns += least_ns(pass, filter_wanted_engine(ctx), on_device) *
              sums_of(pass, link->options, rects ? *rects : NULL);
    }
    return ns;
}
