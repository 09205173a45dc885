/*
 * Windows summed without a table: a block marches down a strip of columns, eight rows a step. A
 * window's column is its oldest rows, its newest ones, and groups of eight rows between them, each
 * one number; then columns are added along the rows likewise. No sum is taken off another: each
 * depends on its window's samples alone, and a NaN reaches its windows only. Groups begin at
 * multiples of eight of the image, so the bits do not depend on blocks. Squares of floats are of
 * samples less a shift, which is a sample of every window that the sum becomes part of.
 */
#ifndef CUDA_SUMS_MARCH_CUH
#define CUDA_SUMS_MARCH_CUH

#include "march_reduction.cuh"

extern "C" {
#include "../../src/base/border.h"
}

/* A block's work: its strip and its rows. */
template <class T, class Sum, class Square, bool SINGLE> struct march_block {
    static constexpr bool SHIFTED = is_shifted<Sum, Square>;
    typedef moments<Sum, Square> both;
    /* Samples as they are added: converted once. */
    typedef typename std::conditional<std::is_same<Sum, double>::value, double, T>::type value;
    const filter_gpu_task &task;
    const satf_view &in; /* the task's, or its inline pass's */
    const march_plan &plan;
    moment_rows<Sum, Square> rows;   /* MARCH rows of the windows' columns, a pitch apart */
    moment_rows<Sum, Square> state;  /* of a column, `columns` apart: see enter() */
    moment_rows<Sum, Square> groups; /* along the rows, where windows have more than one */
    double *shifts; /* of columns, where sums have shifts; then of each column's begun group */
    int *places;    /* bytes from a row's first one to the column's sample; -1: outside */
    bool aligned;   /* samples, to their size */
    bool holes;     /* columns may lie outside */
    T outside;
    int x, y, count; /* the strip's first pixel and row, its rows */
    int channels;

    __device__ march_block(const filter_gpu_task &of, const satf_view &image,
                           const filter_gpu_layer &layer, const march_plan &by, char *memory)
        : task(of), in(image), plan(by), rows(memory, 0, by.squares),
          state(memory, by.state, by.state_squares),
          groups(memory, by.group_sums, by.group_squares), shifts((double *)(memory + by.shifts)),
          places((int *)(memory + by.places))
    {
        x = (int)blockIdx.x % plan.strips * plan.strip;
        y = (int)blockIdx.x / plan.strips * plan.segment;
        count = min((int)task.out.height - y, plan.segment);
        aligned = (((uintptr_t)in.data | (uintptr_t)in.stride) & (sizeof(T) - 1)) == 0;
        outside = std::is_same<Sum, double>::value ? (T)layer.outside[0].real
                                                   : (T)layer.outside[0].integer;
        channels = SINGLE ? 1 : in.channels;
        holes = task.border == SATF_BORDER_CONSTANT || task.border == SATF_BORDER_SHRINK;
        int kept = max(plan.down.groups - 1, 0) + 2;
        for (int p = (int)threadIdx.x; p < plan.columns; p += MARCH_THREADS) {
            int64_t from =
                satf_border_index(task.border, x + plan.across.first + p / channels, in.width);
            places[p] = from < 0 ? -1 : ((int)from * channels + p % channels) * (int)sizeof(T);
            for (int k = 0; k < kept; k++) {
                state.put(k * plan.columns + p, both());
            }
        }
    }

    /* The column's samples of `few` rows from `first` on. */
    template <class Value>
    __device__ __forceinline__ void load(int first, int few, int place,
                                         Value (&sample)[MARCH]) const
    {
        const char *from = (const char *)in.data + first * in.stride;
        if (first < 0 || first + few > in.height || !aligned) {
            load_any(first, few, place, sample);
        } else if (holes || few < MARCH) {
#pragma unroll
            for (int i = 0; i < MARCH; i++) {
                sample[i] = outside;
                if (place >= 0 && i < few) {
                    sample[i] = __ldg((const T *)(from + i * in.stride + place));
                }
            }
        } else {
            from += place;
#pragma unroll
            for (int i = 0; i < MARCH; i++) {
                sample[i] = __ldg((const T *)from);
                from += in.stride;
                asm("" : "+l"(from)); /* else each is a product anew */
            }
        }
    }

    /* A column's sample; NULL: it is outside. */
    __device__ __forceinline__ const char *find_one(int row, int place) const
    {
        int64_t from = satf_border_index(task.border, row, in.height);
        return from < 0 || place < 0 ? NULL : (const char *)in.data + from * in.stride + place;
    }

    /* The same where rows lie outside the image, or samples at no multiple of their size. */
    template <class Value>
    __device__ __forceinline__ void load_any(int first, int few, int place,
                                             Value (&sample)[MARCH]) const
    {
#pragma unroll 1
        for (int i = 0; i < few; i++) {
            const char *from = find_one(first + i, place);
            T one = outside;
            if (from) {
                memcpy(&one, from, sizeof one);
            }
#pragma unroll
            for (int k = 0; k < MARCH; k++) {
                sample[k] = k == i ? (Value)one : sample[k];
            }
        }
    }

    /*
     * Takes in the MARCH newest rows of this step's windows, and returns the sum of the rows
     * between these and their MARCH oldest. A column's state, of which groups end `rest` rows
     * before steps do: 0: the sum of the rows behind the last whole group; 1: the sum of the ring's
     * first `slot` groups, the newest; 2 ...: a ring of groups - 1 places. Its first `slot` hold a
     * group each, each other the sum of the older groups from its own to the ring's last.
     */
    __device__ __forceinline__ both enter(int column, const value (&newer)[MARCH], int slot) const
    {
        int ring = plan.down.groups - 1, apart = plan.columns;
        both before = state.at(column), between = before, group = before, tail = both();
        split(newer, plan.down.rest, group, tail);
        state.put(column, tail);
        if (ring > 0) {
            int at = column + 2 * apart;
            both newest = state.at(column + apart);
            between.add(state.at(at + slot * apart));
            between.add(newest);
            newest.add(group);
            state.put(at + slot * apart, group);
            if (slot + 1 == ring) {
                newest = both();
                for (int k = ring - 2; k >= 0; k--) {
                    group.add(state.at(at + k * apart));
                    state.put(at + k * apart, group);
                }
            }
            state.put(column + apart, newest);
        }
        return between;
    }

    __device__ __forceinline__ T load_one(int row, int place) const
    {
        const char *from = find_one(row, place);
        T one = outside;
        if (from && aligned) {
            one = __ldg((const T *)from);
        } else if (from) {
            memcpy(&one, from, sizeof one);
        }
        return one;
    }

    /* The shift of the column's group that is begun. */
    __device__ __forceinline__ double &begun(int column) const
    {
        return shifts[plan.columns + column];
    }

    /* Each group in the ring becomes the sum from it to the ring's last, above `shift`. oldest: the
     * first row of the step's windows, MARCH rows above the ring's first group. The groups' shifts
     * are loaded again, four at once, so they take no room in shared memory. */
    __device__ __forceinline__ void end_ring(int column, int oldest, double shift) const
    {
        enum { AT_ONCE = 4 };
        int apart = plan.columns, at = column + 2 * apart, place = places[column];
        both sum = both();
        for (int last = plan.down.groups - 2; last >= 0; last -= AT_ONCE) {
            T own[AT_ONCE];
#pragma unroll
            for (int i = 0; i < AT_ONCE; i++) {
                own[i] = i <= last ? load_one(oldest + MARCH * (last - i + 1), place) : outside;
            }
#pragma unroll
            for (int i = 0; i < AT_ONCE; i++) {
                if (i <= last) {
                    both group = state.at(at + (last - i) * apart);
                    group.shift = shift_of(own[i]);
                    sum.add(group.above(shift, MARCH));
                    state.put(at + (last - i) * apart, sum);
                }
            }
        }
    }

    /*
     * The same as enter(), above shifts. A group's shift is the sample of its first row, which all
     * windows that have the group contain. At slot 0 the ring is full, and all windows of the step
     * contain the first row of the group that begins; so do those of all steps until the ring is
     * full again: it is their shift.
     */
    __device__ __forceinline__ both enter_above(int column, int oldest, const T (&newer)[MARCH],
                                                int slot) const
    {
        int ring = plan.down.groups - 1, apart = plan.columns, at = column + (2 + slot) * apart;
        both group = state.at(column), tail = both(), newest = both();
        group.shift = plan.down.rest ? begun(column) : shift_of(newer[0]);
        if (slot == 0) {
            shifts[column] = group.shift;
            end_ring(column, oldest, group.shift);
        } else {
            newest = state.at(column + apart);
        }
        double shift = shifts[column];
        both between = group.above(shift, plan.down.rest);
        split(newer, plan.down.rest, group, tail);
        state.put(column, tail);
        begun(column) = tail.shift;
        if (ring > 0) {
            between.add(state.at(at));
            between.add(newest);
            newest.add(group.above(shift, MARCH));
            state.put(at, group);
            state.put(column + apart, newest);
        }
        between.shift = shift;
        return between;
    }

    template <class Value>
    __device__ __forceinline__ void add_few_down(int p, const T (&older)[MARCH],
                                                 const Value (&newer)[MARCH],
                                                 both (&window)[MARCH]) const
    {
        value sample[2 * MARCH];
#pragma unroll
        for (int i = 0; i < MARCH; i++) {
            sample[i] = (value)older[i];
            sample[MARCH + i] = (value)newer[i];
        }
        if constexpr (SHIFTED) {
            auto load = [&](int i, int common) { return sample[i] - shift_of(sample[common]); };
            add_few_above<double>(load, plan.down.rest, window);
#pragma unroll
            for (int i = 0; i < MARCH; i++) {
                shifts[i * plan.pitch + p] = shift_of(sample[i | (MARCH_LEAST_SHIFTED - 1)]);
            }
        } else {
            add_few(sample, plan.down.rest, window);
        }
    }

    static __device__ __forceinline__ value above(T sample, const both &between)
    {
        if constexpr (SHIFTED) {
            return (double)sample - between.shift;
        }
        return (value)sample;
    }

    /* The windows of a column, MARCH rows of them from `row` on, and what is kept for the next
     * ones. */
    __device__ __forceinline__ void find_column(int p, int row, int slot,
                                                both (&window)[MARCH]) const
    {
        const march_axis &down = plan.down;
        int oldest = row + down.first, newest = oldest + MARCH * down.groups + down.rest;
        T older[MARCH];
        typename std::conditional<SHIFTED, T, value>::type newer[MARCH];
        if (row >= y) {
            load(oldest, MARCH, places[p], older);
        }
        if (down.groups == 0) {
            load(oldest + MARCH, down.rest, places[p], newer);
            add_few_down(p, older, newer, window);
            return;
        }
        load(newest, MARCH, places[p], newer);
        both between;
        if constexpr (SHIFTED) {
            between = enter_above(p, oldest, newer, slot);
        } else {
            between = enter(p, newer, slot);
        }
        if (row < y) {
            return;
        }
        begin_windows([&](int i) { return above(older[i], between); }, window);
        end_windows(
            between, [&](int i) { return above(newer[i], between); }, window);
    }

    /* The windows' columns for MARCH results from `row` on; above the segment only the state. */
    __device__ __forceinline__ void add_down(int row, int slot)
    {
        for (int p = (int)threadIdx.x; p < plan.columns; p += MARCH_THREADS) {
            both window[MARCH];
            find_column(p, row, slot, window);
            if (row < y) {
                continue;
            }
#pragma unroll
            for (int i = 0; i < MARCH; i++) {
                rows.put(i * plan.pitch + p, window[i]);
            }
        }
    }

    /* The shifts of a row of the step, with the index that its columns have in `rows`. */
    __device__ __forceinline__ const double *shifts_of(int row) const
    {
        return SHIFTED ? shifts - row * (plan.pitch - plan.shift_pitch) : NULL;
    }

    /* A column of a row of the step. above: the row's shifts_of(). */
    __device__ __forceinline__ both column(const double *above, int p) const
    {
        both sums = rows.at(p);
        if constexpr (SHIFTED) {
            sums.shift = above[p];
        }
        return sums;
    }

    /* The same sums of `count` columns above another shift, where sums have shifts. */
    __device__ __forceinline__ both moved(const both &sums, double shift, int count) const
    {
        if constexpr (SHIFTED) {
            return sums.above(shift, (double)(count * plan.down.length));
        }
        return sums;
    }

    static __device__ __forceinline__ double shift_in(const both &sums)
    {
        if constexpr (SHIFTED) {
            return sums.shift;
        }
        return 0;
    }

    /* The groups along the rows, above the shifts of their first columns. */
    __device__ __forceinline__ void add_groups()
    {
        int each = plan.columns / channels / MARCH * channels; /* of a row */
        for (int item = (int)threadIdx.x; item < MARCH * each; item += MARCH_THREADS) {
            int row = item % MARCH, group = item / MARCH, pixels = group_of(group);
            int p = row * plan.pitch + pixels * (MARCH - 1) * channels + group;
            const double *above = shifts_of(row);
            both sum = column(above, p);
            double shift = shift_in(sum);
#pragma unroll
            for (int i = 1; i < MARCH; i++) {
                sum.add(moved(column(above, p + i * channels), shift, 1));
            }
            groups.put(row * plan.group_pitch + group, sum);
        }
    }

    /* The windows of MARCH pixels of a channel: of a row of the step, from its `pixel` on. */
    __device__ __forceinline__ void add_across(int row, int pixel, int channel,
                                               both (&window)[MARCH]) const
    {
        const march_axis &across = plan.across;
        int p = row * plan.pitch + pixel * channels + channel;
        const double *above = shifts_of(row);
        if (across.groups == 0) {
            add_few_across(above, p, window);
            return;
        }
        /* all MARCH windows contain that column */
        double shift = SHIFTED ? shift_in(column(above, p + (MARCH - 1) * channels)) : 0;
        auto sample = [&](int i) { return moved(column(above, p + i * channels), shift, 1); };
        begin_windows(sample, window);
        p += MARCH * channels;
        both between = both();
        int group = row * plan.group_pitch + pixel / MARCH * channels + channel;
        for (int k = 1; k < across.groups; k++, p += MARCH * channels) {
            group += channels;
            both sums = groups.at(group);
            if constexpr (SHIFTED) {
                sums.shift = above[p];
            }
            between.add(moved(sums, shift, MARCH));
        }
        for (int i = 0; i < across.rest; i++, p += channels) {
            between.add(sample(0));
        }
        end_windows(between, sample, window);
    }

    __device__ __forceinline__ march_shifts<SHIFTED> shifts_at(int row, int pixel,
                                                               int channel) const
    {
        march_shifts<SHIFTED> at = {};
        if constexpr (SHIFTED) {
            at.first = shifts + row * plan.shift_pitch + pixel * channels + channel;
            at.with = shift_with(plan.across);
            at.step = channels;
        }
        return at;
    }

    __device__ __forceinline__ void add_few_across(const double *above, int p,
                                                   both (&window)[MARCH]) const
    {
        int rest = plan.across.rest;
        if constexpr (SHIFTED) {
            auto load = [&](int i, int common) {
                return moved(column(above, p + i * channels), above[p + common * channels], 1);
            };
            add_few_above<both>(load, rest, window);
        } else {
            both few[2 * MARCH];
#pragma unroll
            for (int i = 0; i < 2 * MARCH; i++) {
                few[i] = i < MARCH + rest ? rows.at(p + i * channels) : both();
            }
            add_few(few, rest, window);
        }
    }

    /* The group of pixels of a group of samples. */
    __device__ __forceinline__ int group_of(int number) const
    {
        return SINGLE          ? number
               : channels == 2 ? number / 2
               : channels == 3 ? number / 3
               : channels == 4 ? number / 4
                               : number;
    }
};

/* The blocks that a multiprocessor shall hold, as many as registers allow. */
template <class Formula, class Sum, class Square>
constexpr bool march_is_large = sizeof(moments<Sum, Square>) > 8 || is_any<Formula> ||
                                (reads_aux<Formula> && sizeof(Sum) == 8);
template <class Formula, class Sum, class Square>
constexpr int march_blocks = march_is_large<Formula, Sum, Square> ? 2 : 3;

/* Stands for the march of an inline pass where there is none. */
struct no_march {
    template <class... Any> __device__ __forceinline__ no_march(const Any &...)
    {
    }
};

/* The results of a step of MARCH rows from `row` on, whose windows' columns are in shared memory.
 * inline_windows: the block of the inline pass's image. */
template <class Formula, class Block, class InlineWindows, class Epilogue>
static __device__ __forceinline__ void march_across(const Block &block,
                                                    const InlineWindows &inline_windows,
                                                    Epilogue &finish, int row, int end)
{
    int channels = block.channels, width = (int)block.task.out.width;
    int groups = (min(width - block.x, block.plan.strip) + MARCH - 1) / MARCH;
    for (int item = (int)threadIdx.x; item < MARCH * groups * channels; item += MARCH_THREADS) {
        int own = item % MARCH, rest = item / MARCH, group = block.group_of(rest);
        if (row + own < end) {
            typename Block::both window[MARCH];
            int channel = rest - group * channels, x = block.x + MARCH * group;
            block.add_across(own, MARCH * group, channel, window);
            auto shifts = block.shifts_at(own, MARCH * group, channel);
            if constexpr (has_inline<Formula>) {
                typename Block::both other[MARCH];
                inline_windows.add_across(own, MARCH * group, channel, other);
                finish.store(x, row + own, channel, width - x, shifts, window, other);
            } else {
                finish.store(x, row + own, channel, width - x, shifts, window, window);
            }
        }
    }
}

/* A block goes down its strip. */
template <class T, class Formula, class Sum, class Square, bool SINGLE>
static __global__ void __launch_bounds__(MARCH_THREADS, march_blocks<Formula, Sum, Square>)
    march_down(const __grid_constant__ filter_gpu_task task,
               const __grid_constant__ march_plan plan)
{
    constexpr bool HAS_INLINE = has_inline<Formula>;
    extern __shared__ __align__(16) char memory[];
    typedef march_block<T, Sum, Square, SINGLE> sums;
    sums block(task, task.in, task.layers[0], plan, memory);
    typename std::conditional<HAS_INLINE, sums, no_march>::type inline_windows(
        task, task.inline_in, task.inline_layer, plan, memory + (HAS_INLINE ? plan.inline_at : 0));
    std::conditional_t<is_reduction<Formula>, march_reduction<T, Sum, Square>,
                       march_epilogue<Formula, Sum, Square>>
        finish(task, plan);
    int ring = max(plan.down.groups - 1, 1);
    int row = block.y - MARCH * plan.down.groups, end = block.y + block.count;
    int slot = (row / MARCH % ring + ring) % ring; /* the same at a row of the image in any block */
    for (; row < end; row += MARCH) {
        block.add_down(row, slot);
        if constexpr (HAS_INLINE) {
            inline_windows.add_down(row, slot);
        }
        slot = slot + 1 < ring ? slot + 1 : 0;
        if (row < block.y) {
            continue;
        }
        __syncthreads();
        if (plan.across.groups > 1) {
            block.add_groups();
            if constexpr (HAS_INLINE) {
                inline_windows.add_groups();
            }
            __syncthreads();
        }
        march_across<Formula>(block, inline_windows, finish, row, end);
        __syncthreads();
    }
    finish.end();
}

#endif
