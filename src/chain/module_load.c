/*
 * Loads modules: shared objects with a filter each. A module's description is checked here, once;
 * engines then take its filter like any other. Modules stay until the process ends.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/device/backend.h"
#include "modules.h"
#include "params.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ------------------------------------------------------------------------- checks */

/* Whether the name has only small letters, digits and `joints`, which do not come first. */
static bool module_is_name(const char *name, const char *joints)
{
    char all[64];
    snprintf(all, sizeof all, "abcdefghijklmnopqrstuvwxyz0123456789%s", joints);
    return name && *name && strlen(name) < 64 && !strchr(joints, *name) &&
           strspn(name, all) == strlen(name);
}

/* Whether it is text of one line, which lists can show. */
static bool is_text(const char *text)
{
    return text && satf_text_escape(text, NULL, 0) == strlen(text);
}

static bool has_kind(const filter_info *info, param_kind kind)
{
    for (const filter_param *p = info->params; p->name; p++) {
        if (p->kind == kind) {
            return true;
        }
    }
    return false;
}

/* Whether the module has a formula of that number, 1 ... formula_count - 1. */
static bool is_formula(const satf_module *module, int number)
{
    return number > FORMULA_NONE && number < (int)module->formula_count;
}

/* Whether the parameter has all that its kind needs: a default unless it is a file, words unless it
 * is a flag, and room in the options. */
static bool is_param(const filter_info *info, const filter_param *p)
{
    const unsigned files = 1U << PARAM_TEMPLATE | 1U << PARAM_ORDER | 1U << PARAM_IMAGE;
    const param_kind_row *kind = param_kind_of(p);
    if (!kind || !module_is_name(p->name, "-_") || !is_text(p->help) || !is_text(p->unit) ||
        (p->metavar && !is_text(p->metavar)) || (p->default_text && !is_text(p->default_text))) {
        return false;
    }
    size_t bytes = kind->bytes, alignment = bytes < 8 ? bytes : 8;
    return (p->metavar || p->kind == PARAM_FLAG) && (p->default_text || files >> p->kind & 1) &&
           p->offset % alignment == 0 && p->offset <= info->options_bytes &&
           bytes <= info->options_bytes - p->offset;
}

/* NULL if the filter's parameters are sound, else the defect. */
static const char *param_defect(const filter_info *info)
{
    size_t count = 0;
    for (const filter_param *p = info->params; p->name; p++, count++) {
        if (count == 32 || !is_param(info, p)) {
            return "has a parameter without a name, a help, a kind, a default or room in its "
                   "options";
        }
        if (p->kind == PARAM_TEMPLATE || p->kind == PARAM_ORDER || p->kind == PARAM_SHAPE ||
            p->kind == PARAM_PART) {
            return "takes a file or a shape that only other filters have";
        }
        if (p->kind == PARAM_INSTEAD && (count == 0 || p[-1].kind != PARAM_REAL)) {
            return "has a parameter that counts instead of one in front of it, which is no number";
        }
    }
    return has_kind(info, PARAM_SIZE) && has_kind(info, PARAM_PLACE) && has_kind(info, PARAM_BORDER)
               ? NULL
               : "lacks the parameters of a window (FILTER_WINDOW_PARAMS)";
}

/* Checks the module's functions, by number, and what they read. */
static const char *function_defect(const satf_module *module)
{
    const unsigned known = 2 * FORMULA_GROWS - 1;
    bool is_whole = module->formulas && module->formula_count >= 2 &&
                    module->formula_count <= MODULE_FORMULAS && module->mixes &&
                    module->mix_count <= MODULE_FORMULAS;
    for (uint32_t n = 1; is_whole && n < module->formula_count; n++) {
        const satf_module_formula *f = &module->formulas[n];
        is_whole = f->call && !(f->reads & ~known);
        for (int mode = 0; mode < LOOP_MODES; mode++) {
            is_whole = is_whole && f->loops[mode];
        }
    }
    for (uint32_t n = 1; is_whole && n < module->mix_count; n++) {
        const satf_module_mix *m = &module->mixes[n];
        is_whole = m->images >= 1 && m->images <= FORMULA_MIXED;
        for (int lane = 0; lane < FORMULA_LANES; lane++) {
            is_whole = is_whole && m->loops[lane];
        }
    }
    return is_whole ? NULL : "has no formula, too many, or one that lacks a function";
}

/* Whether a pass over windows names its formulas rightly. */
static bool is_window_pass(const satf_module *module, const filter_pass *pass)
{
    return is_formula(module, pass->formula) && pass->mix == MIX_NONE &&
           (pass->reduction == FORMULA_NONE || is_formula(module, pass->reduction)) &&
           (!pass->histogram || (pass_shape_of(pass)->of_pixel && pass->grey));
}

static bool is_mix_pass(const satf_module *module, const filter_pass *pass)
{
    return pass->mix > MIX_NONE && pass->mix < (int)module->mix_count &&
           pass->formula == FORMULA_NONE && pass->reduction == FORMULA_NONE && !pass->histogram &&
           pass->lanes >= 0 && pass->lanes <= FORMULA_LANES;
}

/* The defect of pass k of a module's filter, or NULL. */
static const char *pass_defect(const satf_module *module, const filter_pass *pass, int k)
{
    const pass_shape *shape = pass_shape_of(pass);
    if (!shape || !shape->in_modules || pass->all || pass->windows || pass->symmetry ||
        pass->shape || pass->corner || pass->lines || pass->sums_squares || pass->zero_edge) {
        return "is no filter of windows, and modules have only these";
    }
    if (shape->mixes ? !is_mix_pass(module, pass) : !is_window_pass(module, pass)) {
        return "names a formula or a mix that it lacks, or more channels than there are";
    }
    if ((unsigned)pass->type > TYPE_WHOLE || pass->type == TYPE_OF_SUM ||
        (pass->type == TYPE_BILEVEL &&
         pass->bilevel > module->filter->options_bytes - sizeof(filter_bilevel))) {
        return "has a pass of a type that there is not, or whose choice is not in its options";
    }
    if (pass->keeps_alpha && (pass->averages_alpha || pass->grey)) {
        return "has a pass that uses alpha in two ways";
    }
    bool after = pass->of < 0 || pass->of >= 2 + k;
    for (int b = 0; b < FILTER_AUX; b++) {
        after = after || pass->aux[b] < 0 || pass->aux[b] >= 2 + k;
    }
    return after ? "has a pass that reads what comes after it" : NULL;
}

static const char *way_defect(const satf_module *module, const filter_passes *way)
{
    if (way->count < 0 || way->count > FILTER_MAX_PASSES || (way->count > 0 && !way->list)) {
        return "has too many passes, or lacks them";
    }
    const char *found = NULL;
    for (int k = 0; k < way->count && !found; k++) {
        found = way->list[k].grey != way->list[way->count - 1].grey
                    ? "has passes of grey and others of colour"
                    : pass_defect(module, &way->list[k], k);
    }
    return !found && way->count > 0 && way->list[way->count - 1].type == TYPE_WHOLE
               ? "has a result of a type for images between passes"
               : found;
}

/* Checks that the filter's ways have results of one type, and use alpha and colour alike. */
static const char *ways_defect(const satf_module *module, const filter_info *info)
{
    const char *found = info->on_device.count ? "has passes for devices, which compute none of it"
                        : info->ways[0].count == 0 && info->ways[1].count == 0 ? "has no passes"
                                                                               : NULL;
    for (int w = 0; w < FILTER_MAX_WAYS && !found; w++) {
        found = way_defect(module, &info->ways[w]);
    }
    for (int w = 0; w < FILTER_MAX_WAYS && !found; w++) {
        const filter_passes *way = &info->ways[w];
        const filter_pass *last = &way->list[way->count - 1], *first = filter_last(info);
        if (way->count > 0 &&
            (last->type != first->type || last->bilevel != first->bilevel ||
             last->averages_alpha != first->averages_alpha ||
             last->keeps_alpha != first->keeps_alpha || last->grey != first->grey)) {
            found = "has ways with results of several kinds";
        }
    }
    return found;
}

static const char *defect(const satf_module *module)
{
    const filter_info *info = module->filter;
    if (!info || !module_is_name(info->name, "-") || !is_text(info->help) ||
        !is_text(info->detail) || (info->example && !is_text(info->example)) || !info->params) {
        return "has no filter with a name of small letters, a help and a detail";
    }
    if (info->options_bytes > FILTER_OPTIONS_BYTES || info->options_bytes < sizeof(filter_window)) {
        return "has options of another size than engines hold";
    }
    const char *found = function_defect(module);
    found = found ? found : param_defect(info);
    return found ? found : ways_defect(module, info);
}

/* ------------------------------------------------------------------------ loading */

/* Checks and adds a module. Called under the lock. */
static satf_status module_append(satf_context *ctx, const char *path, const satf_module *module)
{
    if (module_is_added(module)) {
        return SATF_OK;
    }
    const char *what = defect(module);
    if (what) {
        return satf_fail(ctx, SATF_INVALID, "module %.*s %s", SATF_MOST(path, 256), what);
    }
    if (filter_info_find(module->filter->name)) {
        return satf_fail(ctx, SATF_INVALID, "module %.*s: there is a filter %s already",
                         SATF_MOST(path, 256), module->filter->name);
    }
    return module_add(ctx, path, module);
}

static satf_status module_load(satf_context *ctx, const char *path)
{
    char here[4096];
    if (snprintf(here, sizeof here, "%s%s", strchr(path, '/') ? "" : "./", path) >=
        (int)sizeof here) {
        return satf_fail(ctx, SATF_INVALID, "module %.*s: the name is too long",
                         SATF_MOST(path, 256));
    }
    const char *error;
    void *object = satf_open_object(here, &error);
    if (!object) {
        return satf_fail(ctx, errno == ENOMEM ? SATF_NO_MEMORY : SATF_IO,
                         "module %.*s cannot be opened: %.*s", SATF_MOST(path, 256),
                         SATF_MOST(error, 512));
    }
    satf_module_door door;
    *(void **)&door = dlsym(object, SATF_MODULE_DOOR);
    const satf_module *m = door ? door() : NULL;
    satf_status status = SATF_OK;
    if (!m) {
        status =
            satf_fail(ctx, SATF_INVALID, "%.*s is no module of satfilter", SATF_MOST(path, 256));
    } else if (m->abi != SATF_MODULE_ABI || m->bytes != sizeof *m ||
               m->filter_bytes != sizeof(filter_info) || m->pass_bytes != sizeof(filter_pass) ||
               m->param_bytes != sizeof(filter_param) || m->block_bytes != sizeof(loop_block) ||
               m->mix_bytes != sizeof(mix_block)) {
        status = satf_fail(ctx, SATF_UNSUPPORTED,
                           "module %.*s was compiled with the headers of another version (%u, "
                           "this library has %u): compile it again",
                           SATF_MOST(path, 256), m->abi, SATF_MODULE_ABI);
    } else {
        pthread_mutex_lock(&lock);
        status = module_append(ctx, path, m);
        pthread_mutex_unlock(&lock);
    }
    if (status) {
        dlclose(object);
    }
    return status;
}

satf_status satf_module_load(satf_context *ctx, const char *path)
{
    if (!ctx) {
        return SATF_INVALID;
    }
    if (path) {
        return *path ? module_load(ctx, path)
                     : satf_fail(ctx, SATF_INVALID, "a module's name is empty");
    }
    const char *all = secure_getenv("SATFILTER_MODULES");
    satf_status status = SATF_OK;
    while (all && *all && !status) {
        char one[4096];
        size_t length = strcspn(all, ":");
        snprintf(one, sizeof one, "%.*s", (int)(length < sizeof one ? length : sizeof one - 1),
                 all);
        status = length ? module_load(ctx, one) : SATF_OK;
        all += length + (all[length] == ':');
    }
    return status;
}
