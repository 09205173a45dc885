/* Formulas by their numbers, and the filters that modules add to the table. */
#ifndef SATF_CHAIN_MODULES_H
#define SATF_CHAIN_MODULES_H

#include "../formula/epilogue_loops.h"
#include "pass.h"

#include "../satfilter/module.h"

/* The function of the formula of that number, above FORMULA_NONE; it takes its filter's options. */
formula_function formula_function_of(int number);
loop_kernel formula_loop(const loop_kernels *kernels, int number, loop_mode mode);

mix_loop mix_loop_of(const loop_kernels *kernels, int number, int lanes);

/* Whether the formula is a module's, for which devices have no code. */
static inline bool formula_is_foreign(int number)
{
    return number >= FORMULA_COUNT;
}

static inline bool pass_is_foreign(const filter_pass *pass)
{
    return formula_is_foreign(pass->formula) || pass->mix >= MIX_COUNT;
}

enum {
    MODULES = 64,
    MODULE_FORMULAS = 32
}; /* the most modules; the most formulas, or mixes, of each, with NONE */

/* Adds a checked module to the table, by one thread at a time. SATF_LIMIT, SATF_NO_MEMORY. */
satf_status module_add(satf_context *ctx, const char *path, const satf_module *module);
bool module_is_added(const satf_module *module);

/* The filters of modules, index 0, 1, ... until NULL. Safe while others are loaded. */
const filter_info *module_filter_at(size_t index);

#endif
