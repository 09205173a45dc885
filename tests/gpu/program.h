/* What all programs that test a CUDA device share: options, device, totals, contexts, and
 * images in device memory between guard bytes. */
#ifndef TESTS_GPU_PROGRAM_H
#define TESTS_GPU_PROGRAM_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../../src/base/context.h"
#include "../../src/base/gpu.h"

enum { GPU_DEVICE = SATF_CUDA(0), GPU_GUARD = 0xA5 };

/* --small: a few cases for compute-sanitizer, and buffers only as large as asked for, each
 * allocated anew, so that it sees every byte too many. --long: all cases there are. */
extern bool gpu_small, gpu_long;

/* What was done, for the receipt. */
extern unsigned long long gpu_runs, gpu_refused;

/* Reads --small and --long, and leaves with 77 if there is no device. */
void gpu_test_begin(int argc, char **argv);

/* Prints the totals that the receipt holds; the exit status, 1 if any test failed. */
int gpu_test_end(const char *program, int failed);

/* Makes kernels run in awkward orders: one of cuda/sat/stress.h, in the whole process. */
void gpu_stress(int mode);

/* Of the device. */
satf_context *gpu_new_context(void);

/* A program's contexts, of the device and of the CPU.
 * They are there between these fixtures of its group of tests. */
extern satf_context *gpu, *cpu;
int gpu_set_up(void **unused);
int gpu_tear_down(void **unused);

/* By the CPU's tables, where the filter has some, which have the device's results. */
satf_status gpu_apply_here(const satf_filter *filter, const satf_view *in, const satf_view *out);

/* Fails the test with the context's message unless status is SATF_OK. */
void gpu_must(satf_context *ctx, satf_status status);
void gpu_must_do(satf_context *ctx, satf_status status, const char *what);

/* Equal to `like`, but in device memory: rows `pad` bytes longer, beginning `shift` bytes behind
 * an aligned address, bottom up if `flip`, all bytes GPU_GUARD. *memory is what to free. */
satf_view gpu_view(satf_context *ctx, const satf_view *like, int64_t pad, int64_t shift, bool flip,
                   void **memory);

/* Fails if more than the rows of the view has been written. */
void gpu_check_guards(satf_context *ctx, const satf_view *view, const void *memory, int64_t shift);

/* What the filter makes of the image, by images in device memory that begin anywhere, upside down
 * or not, as the seed says; by a call, or by a plan whose second run finds what the first has kept.
 */
void gpu_run_there(const char *spec, const satf_filter *filter, const satf_view *in,
                   const satf_view *got, uint64_t seed, bool planned);

/* Fails unless the filter of that spec makes the CPU's bits of the image, which the seed lays out
 * so. */
void gpu_compare_filter(const char *spec, const satf_filter *filter, const satf_view *in,
                        uint64_t seed);

#endif
