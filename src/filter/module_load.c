/*
 * Loading modules: shared objects with a filter each. What a module says is checked here, once;
 * engines then take its filter like any other. Modules stay until the process ends.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "modules.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ------------------------------------------------------------------------- checks */

static bool is_name(const char *name)
{
    return name && *name && strlen(name) < 64 && *name != '-' &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(name);
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
        if (count == 32 || !is_name(p->name) || !p->help || p->kind < 0 || p->kind > PARAM_IMAGE) {
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

/* Whether it is a step of windows by a formula of the module's. */
static bool is_step(const satf_module *module, const filter_recipe *recipe)
{
    return recipe && recipe->region == REGION_WINDOW && !recipe->parts[0] && !recipe->variant &&
           is_formula(module, recipe->formula, false);
}

static bool has_variants(const satf_module *module, const filter_recipe *recipe)
{
    bool good = recipe->variants && recipe->variant_count <= FILTER_MAX_VARIANTS;
    for (int k = 0; good && k < recipe->variant_count; k++) {
        good = is_step(module, &recipe->variants[k]);
    }
    return good;
}

static const char *recipe_defect(const satf_module *module, const filter_recipe *recipe)
{
    if (!recipe || recipe->region != REGION_WINDOW) {
        return "is no filter of windows, and modules have only these";
    }
    if (!is_formula(module, recipe->formula, false) ||
        !is_formula(module, recipe->reduction, true)) {
        return "names a formula that it lacks";
    }
    if (recipe->variant && !has_variants(module, recipe)) {
        return "has variants of its recipe that are no steps, or too many";
    }
    for (int with = 0; with < 2; with++) {
        int count = recipe->parts[with] ? recipe->part_counts[with] : 0;
        if (count < 0 || count > FILTER_MAX_PARTS) {
            return "has too many steps";
        }
        for (int k = 0; k < count; k++) {
            const filter_part *part = &recipe->parts[with][k];
            if (part->of < 0 || part->of >= 2 + k || part->aux[0] < 0 || part->aux[0] >= 2 + k ||
                part->aux[1] < 0 || part->aux[1] >= 2 + k || (unsigned)part->over > OVER_MIRRORED ||
                !is_step(module, part->recipe)) {
                return "has a step that reads what comes after it, or lacks a window or a formula";
            }
        }
    }
    return NULL;
}

static const char *defect(const satf_module *module)
{
    const filter_info *info = module->filter;
    if (!info || !is_name(info->name) || !info->help || !info->detail || !info->params) {
        return "has no filter with a name of small letters, a help and a detail";
    }
    if (info->options_bytes > FILTER_OPTIONS_BYTES || info->options_bytes < sizeof(filter_window)) {
        return "has options of another size than engines hold";
    }
    if (!module->formulas || module->formula_count < 2 || module->formula_count > MODULE_FORMULAS) {
        return "has no formula, or too many";
    }
    const char *found = param_defect(info);
    return found ? found : recipe_defect(module, info->recipe);
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
    void *object = dlopen(here, RTLD_NOW | RTLD_LOCAL);
    if (!object) {
        return satf_fail(ctx, SATF_IO, "module %.256s cannot be opened: %.512s", path, dlerror());
    }
    satf_module_door door;
    *(void **)&door = dlsym(object, SATF_MODULE_DOOR);
    const satf_module *m = door ? door() : NULL;
    satf_status status = SATF_OK;
    if (!m) {
        status = satf_fail(ctx, SATF_INVALID, "%.256s is no module of satfilter", path);
    } else if (m->abi != SATF_MODULE_ABI || m->bytes != sizeof *m ||
               m->filter_bytes != sizeof(filter_info) || m->recipe_bytes != sizeof(filter_recipe) ||
               m->param_bytes != sizeof(filter_param) || m->block_bytes != sizeof(loop_block)) {
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
