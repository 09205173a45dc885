/* What all tests of a CUDA device share: the device, totals, contexts, memory there, and filters
 * beside the CPU's. GPU_CASES in the environment says how many cases run. */
#ifndef TESTS_GPU_PROGRAM_H
#define TESTS_GPU_PROGRAM_H

#include "test.h"

#include "base/context.h"
#include "base/device/gpu.h"

enum { GPU_DEVICE = SATF_CUDA(0), GPU_GUARD = 0xA5 };

/* GPU_CASES=small: a few cases for compute-sanitizer, and buffers only as large as asked for, each
 * allocated anew, so that it sees every byte too many. GPU_CASES=long: all cases there are. */
extern bool gpu_small, gpu_long;

/* At the start of a case that GPU_CASES=small leaves out. */
#define NOT_SMALL  \
    if (gpu_small) \
    skip()

/* What was done, for the receipt. */
extern unsigned long long gpu_runs, gpu_refused;

/* A file's contexts, of the device and of the CPU, between gpu_begin() and gpu_end(). */
extern satf_context *gpu, *cpu;

/* Leaves with 77 if there is no device. */
void gpu_need_device(void);

/* Around a file's cases: the device, tuned by nothing but the library's own account, and contexts;
 * then the totals that the receipt holds, under the file's name. */
int gpu_begin(void **unused);
int gpu_end(const char *path);

/* The file's, unless it has a begin() of its own. */
#define GPU_TEST_FILE GPU_TEST_FILE_WITH(gpu_begin, gpu_end)
#define GPU_TEST_FILE_WITH(begins, ends)   \
    static int gpu_file_ends(void **state) \
    {                                      \
        (void)state;                       \
        return ends(__FILE__);             \
    }                                      \
    TEST_FILE(.begin = begins, .end = gpu_file_ends)

/* Makes kernels run in awkward orders: one of cuda/sat/stress.h, in the whole process. */
void gpu_stress(int mode);

/* Of the device. */
satf_context *gpu_new_context(void);

/* By the CPU's tables, where the filter has some, which have the device's results. */
satf_status gpu_apply_here(const satf_filter *filter, const satf_view *in, const satf_view *out);

/* Fails the test with what was done and the context's message unless status is SATF_OK. */
void gpu_must_do(satf_context *ctx, satf_status status, const char *what);

/* ------------------------------------------------------------ memory of the device */

/* ON_DEVICE void *a = gpu_memory(n); goes with its block. */
void *gpu_memory(size_t bytes);
void gpu_free_at(void *at);
#define ON_DEVICE __attribute__((unused, cleanup(gpu_free_at)))

/* Copies, which have arrived. */
void gpu_upload(void *there, const void *here, size_t bytes);
void gpu_download(void *here, const void *there, size_t bytes);

/* The same, of memory that is new: gpu_uploaded() has the host's bytes. */
void *gpu_uploaded(const void *here, size_t bytes);
void gpu_set(void *there, int value, size_t bytes);

/* Memory for a result between guards, `shift` bytes off an aligned address. */
typedef struct gpu_result {
    char *there; /* all of it */
    void *at;    /* where the result goes */
    size_t bytes, shift;
} gpu_result;

gpu_result gpu_result_begin(size_t bytes, size_t shift);
void gpu_result_end(gpu_result *r);
#define ON_DEVICE_RESULT __attribute__((unused, cleanup(gpu_result_end))) gpu_result

/* All bytes GPU_GUARD again. */
void gpu_result_clear(const gpu_result *r);

/* Fails unless it is `want`, at the first unit (a word, say) that is not, and if guards have gone.
 */
void gpu_result_check(const gpu_result *r, const void *want, size_t unit, const char *what);

/* ---------------------------------------------------------------- images, filters */

/* ON_HOST satf_view a = gpu_host_view(&b); has samples that go with its block. */
void gpu_free_view(satf_view *view);
#define ON_HOST __attribute__((unused, cleanup(gpu_free_view)))

/* Equal to `like`, in new memory of the host, all bytes GPU_GUARD. */
satf_view gpu_host_view(const satf_view *like);

/* An image of ref_fill()'s samples, rows `pad` bytes longer. */
satf_view gpu_image(int64_t width, int64_t height, int channels, int type, bool alpha,
                    uint64_t seed, int64_t pad);

/* Equal to `like`, but in device memory: rows `pad` bytes longer, beginning `shift` bytes behind
 * an aligned address, bottom up if `flip`, all bytes GPU_GUARD. *memory is what to free. */
satf_view gpu_view(satf_context *ctx, const satf_view *like, int64_t pad, int64_t shift, bool flip,
                   void **memory);

/* Fails if more than the rows of the view has been written. */
void gpu_check_guards(satf_context *ctx, const satf_view *view, const void *memory, int64_t shift);

/* A filter whose results on the device are compared with the CPU's. */
typedef struct gpu_trial {
    const char *spec; /* for messages */
    const satf_filter *filter;
    satf_view in, out; /* on the host; out without data: the type and the rows that are wanted */
    uint64_t seed;     /* which lays out images on the device */
    char more[80];     /* what a message says beside that */
    bool near;         /* reals of floats as near as is_near() says, else the same bits */
} gpu_trial;

/* A check of that filter and image, whose output is the filter's own. */
gpu_trial gpu_trial_of(const char *spec, const satf_filter *filter, const satf_view *in,
                       uint64_t seed);

/* The CPU's result. */
satf_view gpu_right(const gpu_trial *t);

/* Fails at the first sample, or byte between rows, that differs. how: of which images. */
void gpu_same(const gpu_trial *t, const satf_view *want, const satf_view *got, const char *how);

/* How an image lies on the device, see gpu_view(). */
typedef struct gpu_place {
    int64_t pad, shift;
    bool flip;
} gpu_place;

/* By views of the host: whether by windows without tables. By views of the device, laid out so, or
 * as the seed says, by a call, or by a plan whose second run finds what the first has kept. */
bool gpu_compare_here(const gpu_trial *t, const satf_view *want);
void gpu_compare_placed(const gpu_trial *t, gpu_place in, gpu_place out, bool planned,
                        const satf_view *want);
void gpu_compare_there(const gpu_trial *t, bool planned, const satf_view *want);

/* By both; the second, where the fastest engine has windows without tables, by tables too. True if
 * it has. */
bool gpu_compare_views(const gpu_trial *t, bool planned);
bool gpu_compare_engines(const gpu_trial *t, bool planned);

/* Views of the device make the CPU's bits, of the filter's own type. */
void gpu_compare_filter(const char *spec, const satf_filter *filter, const satf_view *in,
                        uint64_t seed);

#endif
