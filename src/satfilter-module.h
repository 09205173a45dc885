/*
 * satfilter-module.h - filters of one's own.
 *
 * A filter is a file like those of satfilter's folder filters/; this header is the one that it
 * includes. A module is a shared object with one such file, compiled from two lines:
 *
 *     #define SATF_MODULE "contrast.h"
 *     #include <satfilter-module.h>
 *
 *     cc -O3 -shared -fPIC -ffp-contract=off -I. $(pkg-config --cflags satfilter) \
 *         -o contrast.so contrast.c
 *
 * satf_module_load() loads it (satfilter.h). docs/modules.md shows one whole. C11.
 */
#ifndef SATFILTER_MODULE_H
#define SATFILTER_MODULE_H

#include "satfilter.h"
#include "satfilter/formula.h"

/* FORMULA_CENTRE and the like are in satfilter/formula.h, filter_pass in satfilter/filter.h. */

#ifdef SATF_MODULE

/* a * b + c is rounded twice: only so all machines have the same bits. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off")
#endif

#include "satfilter/filter.h"
#include "satfilter/loops.h"
#include "satfilter/module.h"

/* The file's formulas, numbered from 1, and its mixes. */
#include SATF_MODULE
enum {
    FORMULA_NONE,
#define FORMULA_ENTRY(name, reads) FORMULA_##name,
#include SATF_MODULE
#undef FORMULA_ENTRY
    FORMULA_COUNT
};
enum {
    MIX_NONE,
#define MIX_ENTRY(filter, name, images) MIX_##filter##_##name,
#include SATF_MODULE
#undef MIX_ENTRY
    MIX_COUNT
};

#define FORMULA_ENTRY(name, reads) LOOPS(name, reads) FORMULA_CALL(name, reads)
#include SATF_MODULE
#undef FORMULA_ENTRY

#define MIX_ENTRY(filter, name, images) MIX_LOOPS(filter, name)
#include SATF_MODULE
#undef MIX_ENTRY

#define FILTER_DESCRIPTORS
#include SATF_MODULE
#undef FILTER_DESCRIPTORS

static const satf_module_formula satf_module_formulas[] = {
    {NULL, 0, {NULL, NULL, NULL}},
#define FORMULA_ENTRY(name, reads) {call_##name, reads, {name##_real, name##_exact, name##_word}},
#include SATF_MODULE
#undef FORMULA_ENTRY
};

static const satf_module_mix satf_module_mixes[] = {
    {0, {NULL, NULL, NULL, NULL}},
#define MIX_ENTRY(filter, name, images) {images, MIX_LOOP_TABLE(filter, name)},
#include SATF_MODULE
#undef MIX_ENTRY
};

static const satf_module satf_module_here = {
    SATF_MODULE_ABI,      sizeof(satf_module),  sizeof(filter_info),
    sizeof(filter_pass),  sizeof(filter_param), sizeof(loop_block),
    FORMULA_COUNT,        sizeof(mix_block),    MIX_COUNT,
#define FILTER_ENTRY(name) &name##_filter,
#include SATF_MODULE
#undef FILTER_ENTRY
    satf_module_formulas, satf_module_mixes,
};

__attribute__((visibility("default"))) const satf_module *satf_module_entry(void);
const satf_module *satf_module_entry(void)
{
    return &satf_module_here;
}

#endif
#endif
