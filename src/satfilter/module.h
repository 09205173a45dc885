/* The struct that a module gives the library. */
#ifndef SATF_MODULE_MODULE_H
#define SATF_MODULE_MODULE_H

#include "filter.h"
#include "loops.h"

/* Raised when the meaning of anything in these headers changes; what changes a size is seen by it.
 */
#define SATF_MODULE_ABI 12

typedef struct satf_module_formula {
    formula_function call;
    unsigned reads; /* FORMULA_SUM and the like */
    loop_kernel loops[LOOP_MODES];
} satf_module_formula;

typedef struct satf_module_mix {
    int images;
    mix_loop loops[FORMULA_LANES];
} satf_module_mix;

typedef struct satf_module {
    uint32_t abi;   /* SATF_MODULE_ABI; the members up to `formula_count` stay as they are */
    uint32_t bytes; /* of this struct */
    uint32_t filter_bytes, pass_bytes, param_bytes, block_bytes;
    uint32_t formula_count;        /* FORMULA_NONE, 0, among them */
    uint32_t mix_bytes, mix_count; /* the latter with MIX_NONE */
    const filter_info *filter;
    const satf_module_formula *formulas;
    const satf_module_mix *mixes;
} satf_module;

/* The one symbol of a module. */
typedef const satf_module *(*satf_module_door)(void);
#define SATF_MODULE_DOOR "satf_module_entry"

#endif
