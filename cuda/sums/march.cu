/* Marches: how blocks are laid out, and their launches. */
#include "march.h"
#include "shared.h"

extern "C" {
#include "../../src/base/view.h"
}

static march_kernel march_kernel_of(const filter_gpu_task *task)
{
    return task->in.type == SATF_U8    ? march_kernel_u8(task)
           : task->in.type == SATF_U16 ? march_kernel_u16(task)
           : task->in.type == SATF_F32 ? march_kernel_f32(task)
           : task->in.type == SATF_F64 ? march_kernel_f64(task)
                                       : NULL;
}

static march_axis march_axis_of(int64_t first, int64_t length)
{
    march_axis axis = {(int)first, (int)length, (int)((length - 1) / MARCH),
                       (int)((length - 1) % MARCH)};
    return axis;
}

static int sum_bytes(const filter_gpu_task *task, int layer)
{
    return layer >= task->layer_count ? 0 : task->layers[layer].type == SATF_SUM_U32 ? 4 : 8;
}

static bool has_shifts(const filter_gpu_task *task)
{
    return task->layer_count > 1 && task->layers[0].type == SATF_SUM_F64;
}

/* Moves *end behind room for `count` sums, and returns where the room begins. */
static int march_make_room(int *end, int64_t count, int bytes)
{
    int at = *end;
    *end += (int)((count * bytes + 15) / 16 * 16);
    return at;
}

/* The pitch, in sums, at which neighbouring rows and channels meet different banks. */
static int pitch_for(int count, int apart)
{
    return (count - apart + 31) / 32 * 32 + apart;
}

/* The plan for strips of so many pixels, but for its segments. */
static march_plan plan_strip(const filter_gpu_task *task, int strip)
{
    march_plan plan = {};
    const satf_rect *window = &task->window.rect;
    int channels = task->in.channels, sum = sum_bytes(task, 0), square = sum_bytes(task, 1);
    plan.across = march_axis_of(window->x, window->w);
    plan.down = march_axis_of(window->y, window->h);
    plan.strip = strip;
    plan.strips = (int)((task->out.width + strip - 1) / strip);
    plan.columns = (strip + plan.across.length - 1) * channels;
    plan.pitch = pitch_for(plan.columns, channels);
    plan.group_pitch = pitch_for(plan.columns / MARCH + channels, 4);
    int kept = (plan.down.groups > 1 ? plan.down.groups - 1 : 0) + 2;
    int groups = plan.across.groups > 1 ? MARCH * plan.group_pitch : 0;
    march_make_room(&plan.bytes, MARCH * plan.pitch, sum);
    plan.squares = march_make_room(&plan.bytes, MARCH * plan.pitch, square);
    plan.state = march_make_room(&plan.bytes, (int64_t)kept * plan.columns, sum);
    plan.state_squares = march_make_room(&plan.bytes, (int64_t)kept * plan.columns, square);
    plan.group_sums = march_make_room(&plan.bytes, groups, sum);
    plan.group_squares = march_make_room(&plan.bytes, groups, square);
    plan.places = march_make_room(&plan.bytes, plan.columns, (int)sizeof(int));
    plan.shift_pitch = plan.down.groups ? 0 : plan.pitch;
    int64_t shifts = plan.down.groups ? 2 * plan.columns : MARCH * plan.pitch;
    plan.shifts = march_make_room(&plan.bytes, has_shifts(task) ? shifts : 0, (int)sizeof(double));
    plan.inline_at = plan.bytes;
    plan.bytes *= task->inline_formula ? 2 : 1;
    return plan;
}

enum { MOST_LENGTH = 4096 };

/* What a multiprocessor has for blocks, and a block for its plan: kernels whose terms follow a
 * reduction keep these in shared memory, too (march_epilogue.cuh). */
static cudaError_t find_room(int device, int *shared, int *shared_block)
{
    enum { TERMS_ROOM = 128 };
    static_assert(sizeof(terms_floats) <= TERMS_ROOM, "they fit");
    cudaError_t error = find_shared(device, shared, shared_block);
    *shared_block -= TERMS_ROOM;
    return error;
}

/*
 * The strip with the least work a result: the columns that it reads, rounded up to rounds of all
 * threads, times what waiting for memory and barriers costs, which is more where a multiprocessor
 * holds few blocks. strip 0: none fits the shared memory.
 */
static march_plan choose_strip(const filter_gpu_task *task, int shared, int shared_block)
{
    march_plan best = {};
    int64_t width = (task->out.width + MARCH - 1) / MARCH * MARCH;
    for (int round = 1; round <= 16; round++) {
        int64_t pixels = round * MARCH_THREADS / task->in.channels - task->window.rect.w + 1;
        int64_t strip = (pixels < width ? pixels : width) / MARCH * MARCH;
        if (strip < MARCH) {
            continue;
        }
        march_plan plan = plan_strip(task, (int)strip);
        int blocks = shared / (plan.bytes + 1024);
        if (plan.bytes > shared_block || plan.bytes <= 0) {
            break;
        }
        int rounds = (plan.columns + MARCH_THREADS - 1) / MARCH_THREADS;
        double waits = blocks >= 3 ? 1 : blocks == 2 ? 1.2 : 1.8;
        plan.work = waits * rounds * MARCH_THREADS / (double)(strip * task->in.channels);
        if (best.strip == 0 || plan.work < best.work) {
            best = plan;
        }
    }
    return best;
}

/* The work of a result (march_plan) from which on an H200 is as fast by a table; and for floats, by
 * sums through memory (windows.cu). */
static constexpr double MOST_WORK = 1.35, MOST_WORK_OF_FLOATS = 4;

/* Sums above shifts are for windows of one area, which neighbours share samples of. */
static bool takes_window(const filter_gpu_task *task)
{
    const satf_rect *window = &task->window.rect;
    bool large = window->w >= MARCH_LEAST_SHIFTED && window->h >= MARCH_LEAST_SHIFTED;
    return !has_shifts(task) || (task->border != SATF_BORDER_SHRINK && large);
}

extern "C" bool cuda_march_fits(const filter_gpu_task *task, bool pays)
{
    int shared, shared_block;
    march_plan plan;
    if (task->has_rects) {
        return ring_fits(task);
    }
    int64_t row_bytes = task->out.width * task->in.channels * (int64_t)sizeof(double);
    if (!takes_window(task) || task->window.rect.w >= MOST_LENGTH ||
        task->window.rect.h >= MOST_LENGTH || row_bytes >= INT32_MAX / 2 ||
        task->out.height >= INT32_MAX / 2 || !march_kernel_of(task)) {
        return false;
    }
    if (find_room(task->in.device, &shared, &shared_block) != cudaSuccess) {
        cudaGetLastError();
        return false;
    }
    plan = choose_strip(task, shared, shared_block);
    /* A table of whole numbers is as exact as a march. */
    bool whole = task->in.type == SATF_F32 && !task->constants.of_floats;
    bool real = satf_type_is_float(task->in.type) && !whole;
    double most = real ? MOST_WORK_OF_FLOATS : MOST_WORK;
    return plan.strip > 0 && (!(pays || real) || plan.strips == 1 || plan.work < most);
}

/* The height of segments that gives the busiest multiprocessor the least work. In half steps: a
 * step of results counts 2, one of the window's height before them 1, a block's start START. */
static void march_choose_segments(const filter_gpu_task *task, march_plan *plan, int64_t at_once)
{
    enum { START = 4 };
    int64_t steps = (task->out.height + MARCH - 1) / MARCH, least = INT64_MAX;
    for (int64_t parts = 1; parts <= steps && parts <= 1 + 4 * at_once; parts++) {
        int64_t own = (steps + parts - 1) / parts, segments = (steps + own - 1) / own;
        int64_t rounds = (plan->strips * segments + at_once - 1) / at_once;
        int64_t work = rounds * (2 * own + plan->down.groups + START);
        if (work < least) {
            least = work;
            plan->segment = (int)(own * MARCH);
            plan->segments = (int)segments;
        }
    }
}

extern "C" satf_status cuda_march_plan(satf_context *ctx, filter_gpu_plan *plan)
{
    static_assert(sizeof(march_plan) <= FILTER_GPU_LAUNCH_BYTES, "it is kept there");
    const filter_gpu_task *task = &plan->task;
    if (task->has_rects) {
        return ring_plan_make(ctx, plan);
    }
    march_kernel kernel = march_kernel_of(task);
    int shared, shared_block;
    int64_t at_once;
    CUDA_RETURN(ctx, find_room(task->in.device, &shared, &shared_block));
    march_plan march = choose_strip(task, shared, shared_block);
    if (!kernel || march.strip == 0) {
        return satf_fail(ctx, SATF_UNSUPPORTED, "there is no kernel for such a window");
    }
    satf_status status = find_blocks(ctx, task->in.device, kernel, MARCH_THREADS, march.bytes,
                                     shared_block, &at_once);
    if (status) {
        return status;
    }
    march_choose_segments(task, &march, at_once);
    uint64_t max = satf_type_max(task->in.type);
    uint64_t area = (uint64_t)march.across.length * (uint64_t)march.down.length;
    if (!max || task->known != FILTER_GPU_MEAN ||
        !epilogue_magic_find(32, max, area, &march.magic)) {
        march.magic.multiplier = 0;
    }
    formula_set_weight(&plan->task.constants, area);
    march.terms = terms_floats_of(&task->terms);
    plan->kernel = (void (*)(void))kernel;
    memcpy(plan->launch[0].bytes, &march, sizeof march);
    return SATF_OK;
}

extern "C" satf_status cuda_march_run(satf_context *ctx, const filter_gpu_plan *plan)
{
    march_plan march;
    if (plan->task.has_rects) {
        return ring_run(ctx, plan);
    }
    memcpy(&march, plan->launch[0].bytes, sizeof march);
    march_kernel kernel = (march_kernel)plan->kernel;
    kernel<<<(unsigned)march.strips *(unsigned)march.segments, MARCH_THREADS, (size_t)march.bytes,
             (cudaStream_t)cuda_stream(ctx)>>>(plan->task, march);
    return cuda_check(ctx, cudaGetLastError(), "cudaLaunchKernel");
}
