/* The formulas of all filters, and the filters of modules. */
#include "modules.h"

#include <stdatomic.h>
#include <string.h>

#include "../base/memory.h"

/* ------------------------------------------------------------------ formulas by number */

#define FORMULA_ENTRY(name, reads) FORMULA_CALL(name, reads)
#include "../../filters/all.h"
#undef FORMULA_ENTRY

#define FORMULA_ENTRY(name, reads) [FORMULA_##name] = call_##name,
static const formula_function functions[FORMULA_COUNT] = {
#include "../../filters/all.h"
};
#undef FORMULA_ENTRY

#define FORMULA_ENTRY(name, reads) [FORMULA_##name] = reads,
static const unsigned all_reads[FORMULA_COUNT] = {
#include "../../filters/all.h"
};
#undef FORMULA_ENTRY

#define MIX_ENTRY(filter, name, images) [MIX_##filter##_##name] = (images),
static const int image_counts[MIX_COUNT] = {
#include "../../filters/all.h"
};
#undef MIX_ENTRY

/* A module's filter in the table: its passes, with the numbers that its formulas have here. */
typedef struct loaded_module {
    const satf_module *from;
    filter_info info;
    filter_pass passes[FILTER_MAX_WAYS][FILTER_MAX_PASSES];
} loaded_module;

static loaded_module *loaded[MODULES];
static atomic_size_t loaded_count; /* entries below it never change */

/* Number FORMULA_COUNT + MODULE_FORMULAS * m + n is formula n of module m. */
static const satf_module_formula *foreign(int number)
{
    int n = number - FORMULA_COUNT;
    return &loaded[n / MODULE_FORMULAS]->from->formulas[n % MODULE_FORMULAS];
}

unsigned formula_reads(int number)
{
    return formula_is_foreign(number) ? foreign(number)->reads : all_reads[number];
}

formula_function formula_function_of(int number)
{
    return formula_is_foreign(number) ? foreign(number)->call : functions[number];
}

loop_kernel formula_loop(const loop_kernels *kernels, int number, loop_mode mode)
{
    return formula_is_foreign(number) ? foreign(number)->loops[mode] : kernels->run[number][mode];
}

/* Numbers of mixes likewise. */
static const satf_module_mix *foreign_mix(int number)
{
    int n = number - MIX_COUNT;
    return &loaded[n / MODULE_FORMULAS]->from->mixes[n % MODULE_FORMULAS];
}

int mix_images(int number)
{
    return number < MIX_COUNT ? image_counts[number] : foreign_mix(number)->images;
}

mix_loop mix_loop_of(const loop_kernels *kernels, int number, int lanes)
{
    return (number < MIX_COUNT ? kernels->mix[number] : foreign_mix(number)->loops)[lanes - 1];
}

const filter_info *module_filter_at(size_t index)
{
    return index < atomic_load(&loaded_count) ? &loaded[index]->info : NULL;
}

/* ---------------------------------------------------------------------------- modules */

/* Gives the pass's formulas the numbers of module m. Its epilogues are not the vectorised ones. */
static void renumber(filter_pass *pass, size_t m)
{
    int first = FORMULA_COUNT + (int)m * MODULE_FORMULAS;
    bool mixes = pass->mix != MIX_NONE;
    pass->formula += mixes ? 0 : first;
    pass->mix += mixes ? MIX_COUNT + (int)m * MODULE_FORMULAS : 0;
    pass->reduction = pass->reduction == FORMULA_NONE ? FORMULA_NONE : pass->reduction + first;
    pass->kernel = KERNEL_NONE;
}

static loaded_module *take_in(const satf_module *module, size_t m)
{
    loaded_module *l = satf_alloc_zeroed(sizeof *l);
    if (!l) {
        return NULL;
    }
    l->from = module;
    l->info = *module->filter;
    for (int w = 0; w < FILTER_MAX_WAYS; w++) {
        filter_passes *way = &l->info.ways[w];
        for (int k = 0; k < way->count; k++) {
            l->passes[w][k] = way->list[k];
            renumber(&l->passes[w][k], m);
        }
        way->list = l->passes[w];
    }
    return l;
}

satf_status module_add(satf_context *ctx, const char *path, const satf_module *module)
{
    size_t count = atomic_load(&loaded_count);
    if (count == MODULES) {
        return satf_fail(ctx, SATF_LIMIT, "module %.*s: %d are loaded, and no more can be",
                         SATF_MOST(path, 256), MODULES);
    }
    loaded[count] = take_in(module, count);
    if (!loaded[count]) {
        return satf_fail_memory(ctx, sizeof **loaded, "a module");
    }
    atomic_store(&loaded_count, count + 1);
    return SATF_OK;
}

bool module_is_added(const satf_module *module)
{
    size_t count = atomic_load(&loaded_count);
    for (size_t m = 0; m < count; m++) {
        if (loaded[m]->from == module) {
            return true;
        }
    }
    return false;
}
