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

/* What a module's filter has become: its recipes with formulas of numbers of our own. */
typedef struct loaded_module {
    const satf_module *from;
    filter_info info;
    filter_recipe recipe;
    filter_recipe variants[FILTER_MAX_VARIANTS];
    filter_recipe part_recipes[2][FILTER_MAX_PARTS];
    filter_part parts[2][FILTER_MAX_PARTS];
} loaded_module;

static loaded_module *loaded[MODULES];
static atomic_size_t loaded_count; /* those below it never change */

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

const filter_info *module_filter_at(size_t index)
{
    return index < atomic_load(&loaded_count) ? &loaded[index]->info : NULL;
}

/* ---------------------------------------------------------------------------- modules */

/* Its formulas as those of module m. The vectorised epilogues are for formulas of the library. */
static void renumber(filter_recipe *recipe, size_t m)
{
    int first = FORMULA_COUNT + (int)m * MODULE_FORMULAS;
    recipe->formula += first;
    recipe->reduction =
        recipe->reduction == FORMULA_NONE ? FORMULA_NONE : recipe->reduction + first;
    recipe->kernel = KERNEL_NONE;
}

static loaded_module *take_in(const satf_module *module, size_t m)
{
    loaded_module *l = satf_alloc_zeroed(sizeof *l);
    if (!l) {
        return NULL;
    }
    l->from = module;
    l->info = *module->filter;
    l->recipe = *module->filter->recipe;
    l->info.recipe = &l->recipe;
    renumber(&l->recipe, m);
    for (int k = 0; l->recipe.variant && k < l->recipe.variant_count; k++) {
        l->variants[k] = l->recipe.variants[k];
        renumber(&l->variants[k], m);
    }
    l->recipe.variants = l->variants;
    for (int with = 0; with < 2; with++) {
        for (int k = 0; l->recipe.parts[with] && k < l->recipe.part_counts[with]; k++) {
            l->parts[with][k] = l->recipe.parts[with][k];
            l->part_recipes[with][k] = *l->parts[with][k].recipe;
            l->parts[with][k].recipe = &l->part_recipes[with][k];
            renumber(&l->part_recipes[with][k], m);
        }
        l->recipe.parts[with] = l->recipe.parts[with] ? l->parts[with] : NULL;
    }
    return l;
}

satf_status module_add(satf_context *ctx, const char *path, const satf_module *module)
{
    size_t count = atomic_load(&loaded_count);
    if (count == MODULES) {
        return satf_fail(ctx, SATF_LIMIT, "module %.256s: %d are loaded, and no more can be", path,
                         MODULES);
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
