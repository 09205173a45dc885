/*
 * Loading modules: shared objects with a filter each. What a module says is checked here, once;
 * engines then take its filter like any other. Modules stay until the process ends.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/backend.h"
#include "modules.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ------------------------------------------------------------------------- checks */

/* Letters, digits and `joints`, of which none is the first. */
static bool is_name(const char *name, const char *joints)
{
    char all[64];
    snprintf(all, sizeof all, "abcdefghijklmnopqrstuvwxyz0123456789%s", joints);
    return name && *name && strlen(name) < 64 && !strchr(joints, *name) &&
           strspn(name, all) == strlen(name);
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

static bool is_formula(const satf_module *module, int number, bool none_too)
{
    return number >= (none_too ? 0 : 1) && number < (int)module->formula_count;
}

/* NULL if its parameters are sound, else what is wrong. */
static const char *param_defect(const filter_info *info)
{
    size_t count = 0;
    for (const filter_param *p = info->params; p->name; p++, count++) {
        if (count == 32 || !is_name(p->name, "-_") || !p->help || p->kind < 0 ||
            p->kind > PARAM_IMAGE) {
            return "has a parameter without a name, a help or a kind";
        }
        if (p->kind == PARAM_TEMPLATE || p->kind == PARAM_ORDER) {
            return "takes a file that only templates and orders of pixels have";
        }
        if (p->offset >= info->options_bytes) {
            return "has a parameter outside of its options";
        }
    }
    return has_kind(info, PARAM_SIZE) && has_kind(info, PARAM_PLACE) && has_kind(info, PARAM_BORDER)
               ? NULL
               : "lacks the parameters of a window (FILTER_WINDOW_PARAMS)";
}

/* What is wrong with pass k of a module's filter. */
static const char *pass_defect(const satf_module *module, const filter_pass *pass, int k)
{
    bool mixes = pass->over == OVER_MIX;
    if (pass->over > OVER_PIXEL && !mixes) {
        return "is no filter of windows, and modules have only these";
    }
    if (mixes ? pass->mix < 1 || pass->mix >= (int)module->mix_count
              : !is_formula(module, pass->formula, false) ||
                    !is_formula(module, pass->reduction, true)) {
        return "names a formula that it lacks";
    }
    if (mixes &&
        (pass->lanes < 0 || pass->lanes > FORMULA_LANES || module->mixes[pass->mix].images < 1 ||
         module->mixes[pass->mix].images > FORMULA_MIXED)) {
        return "mixes more images or channels than there are";
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
        found = pass_defect(module, &way->list[k], k);
    }
    return found;
}

static const char *ways_defect(const satf_module *module, const filter_info *info)
{
    const char *found =
        info->ways[0].count == 0 && info->ways[1].count == 0 ? "has no passes" : NULL;
    for (int w = 0; w < FILTER_MAX_WAYS && !found; w++) {
        found = way_defect(module, &info->ways[w]);
    }
    return found;
}

static const char *defect(const satf_module *module)
{
    const filter_info *info = module->filter;
    if (!info || !is_name(info->name, "-") || !info->help || !info->detail || !info->params) {
        return "has no filter with a name of small letters, a help and a detail";
    }
    if (info->options_bytes > FILTER_OPTIONS_BYTES || info->options_bytes < sizeof(filter_window)) {
        return "has options of another size than engines hold";
    }
    if (!module->formulas || module->formula_count < 2 || module->formula_count > MODULE_FORMULAS ||
        !module->mixes || module->mix_count > MODULE_FORMULAS) {
        return "has no formula, or too many";
    }
    const char *found = param_defect(info);
    return found ? found : ways_defect(module, info);
}

/* ------------------------------------------------------------------------ loading */

/* Under the lock. */
static satf_status add(satf_context *ctx, const char *path, const satf_module *module)
{
    if (module_is_added(module)) {
        return SATF_OK;
    }
    const char *what = defect(module);
    if (what) {
        return satf_fail(ctx, SATF_INVALID, "module %.256s %s", path, what);
    }
    if (filter_info_find(module->filter->name)) {
        return satf_fail(ctx, SATF_INVALID, "module %.256s: there is a filter %s already", path,
                         module->filter->name);
    }
    return module_add(ctx, path, module);
}

static satf_status load(satf_context *ctx, const char *path)
{
    char here[4096];
    if (snprintf(here, sizeof here, "%s%s", strchr(path, '/') ? "" : "./", path) >=
        (int)sizeof here) {
        return satf_fail(ctx, SATF_INVALID, "module %.256s: the name is too long", path);
    }
    const char *error;
    void *object = satf_open_object(here, &error);
    if (!object) {
        return satf_fail(ctx, errno == ENOMEM ? SATF_NO_MEMORY : SATF_IO,
                         "module %.256s cannot be opened: %.512s", path, error);
    }
    satf_module_door door;
    *(void **)&door = dlsym(object, SATF_MODULE_DOOR);
    const satf_module *m = door ? door() : NULL;
    satf_status status = SATF_OK;
    if (!m) {
        status = satf_fail(ctx, SATF_INVALID, "%.256s is no module of satfilter", path);
    } else if (m->abi != SATF_MODULE_ABI || m->bytes != sizeof *m ||
               m->filter_bytes != sizeof(filter_info) || m->pass_bytes != sizeof(filter_pass) ||
               m->param_bytes != sizeof(filter_param) || m->block_bytes != sizeof(loop_block) ||
               m->mix_bytes != sizeof(mix_block)) {
        status = satf_fail(ctx, SATF_UNSUPPORTED,
                           "module %.256s was compiled with the headers of another version (%u, "
                           "this library has %u): compile it again",
                           path, m->abi, SATF_MODULE_ABI);
    } else {
        pthread_mutex_lock(&lock);
        status = add(ctx, path, m);
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
        return *path ? load(ctx, path) : satf_fail(ctx, SATF_INVALID, "a module's name is empty");
    }
    const char *all = secure_getenv("SATFILTER_MODULES");
    satf_status status = SATF_OK;
    while (all && *all && !status) {
        char one[4096];
        size_t length = strcspn(all, ":");
        snprintf(one, sizeof one, "%.*s", (int)(length < sizeof one ? length : sizeof one - 1),
                 all);
        status = length ? load(ctx, one) : SATF_OK;
        all += length + (all[length] == ':');
    }
    return status;
}
