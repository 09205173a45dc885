/*
 * Boxes of whole numbers on a CUDA device (filters/gauss.h): a kernel passes lines by all boxes of
 * an axis. A CUDA block takes a stretch of some lines, and what all boxes reach around it, to
 * shared memory, where the numbers of each box take the places of those before. Lines are cut into
 * chunks whose length divides 2 r + 2, the way from the number in front of a window to the one
 * behind it: so the sum of a window in front of a chunk is that of whole chunks, and slides along
 * one chunk by a thread. What the kernel makes has lines and places exchanged, which is how the
 * other axis reads it.
 */
#include "lines.cuh"
#include "shared.h"

enum {
    MOST_THREADS = 512,
    MOST_LINES = 32,
    LEAST_PLACES = 512,     /* of a stretch, */
    REACHES = 3,            /* or so many times what is around it */
    LEAST_CHUNKS = 512,     /* of a block, unless windows become */
    MOST_MORE = 8,          /* more chunks */
    BLOCK_BYTES = 72 << 10, /* three on a multiprocessor; more for lines that fill */
    SECTOR_BYTES = 32,      /* a piece of memory */
    FLOAT_PLACES = 128      /* whose sums have 23 bits */
};

/* Words of 32 bits are two numbers. Their sums are those of 2 r + 2 numbers, or of a chunk. */
struct narrow_boxes {
    typedef uint32_t word;
    typedef uint32_t sum;
    static constexpr int places = 2;

    static __device__ __forceinline__ uint32_t join(const uint32_t (&numbers)[2])
    {
        return numbers[0] | numbers[1] << 16;
    }

    static __device__ __forceinline__ uint32_t add(uint32_t sum, uint32_t word)
    {
        return __dp2a_lo(word, 0x0101u, sum);
    }
};

struct whole_boxes {
    typedef double word;
    typedef double sum;
    static constexpr int places = 1;

    static __device__ __forceinline__ double join(const double (&numbers)[1])
    {
        return numbers[0];
    }

    static __device__ __forceinline__ double add(double sum, double word)
    {
        return __dadd_rn(sum, word);
    }
};

typedef struct box_shape {
    int lines, boxes;    /* of a block: a power of two; passes over them */
    int words, pitch;    /* of a chunk; with a spare one if they are even: no bank is met twice */
    uint32_t multiplier; /* 2^32 / words, for spare words; 0: there are none */
    int more;            /* chunks from one end of a window to the other */
    int chunks, all;     /* of a stretch's result, and of what it takes */
    int line_pitch;
    int threads;
    size_t bytes;
    int64_t groups, stretches;
} box_shape;

/* Line l is channel l % channels of row l / channels, if places are columns. */
typedef struct box_pass {
    filter_lines lines;
    int64_t places, count; /* of a line; lines */
    int64_t reach;
    int channels, border;
    double outside[SATF_MAX_CHANNELS];
    uint32_t half; /* BIASED >> 16: of constants compilers make what takes longer */
    box_shape shape;
} box_pass;

/* ------------------------------------------------------------------- a line's numbers */

/* Samples of an image. */
struct byte_source {
    satf_view in;

    __device__ __forceinline__ uint32_t number(int64_t row, int64_t i) const
    {
        return (uint32_t)((const uint8_t *)in.data)[row * in.stride + i] << LINE_NARROW_BITS;
    }
};

struct sample_source {
    filter_gpu_lines job;

    __device__ __forceinline__ double number(int64_t row, int64_t i) const
    {
        return line_number(&job, (const char *)job.in.data + row * job.in.stride, i);
    }
};

/* What the other axis has made. */
template <class T> struct number_source {
    const T *from;
    int64_t width;

    __device__ __forceinline__ T number(int64_t row, int64_t i) const
    {
        return from[row * width + i];
    }
};

struct one_source {
    double one;

    __device__ __forceinline__ double number(int64_t, int64_t) const
    {
        return one;
    }
};

/* ------------------------------------------------------------ where numbers of a line go */

struct narrow_sink {
    uint16_t *to;
    int64_t count;

    __device__ __forceinline__ void put(int64_t line, int64_t place, uint32_t number) const
    {
        to[place * count + line] = (uint16_t)number;
    }
};

/* Divided by what of a window is inside, if there are ones. */
struct whole_sink {
    double *to;
    int64_t count;
    const double *ones;
    double one;

    __device__ __forceinline__ void put(int64_t line, int64_t place, double number) const
    {
        to[place * count + line] = ones ? rint(number / (ones[place] / one)) : number;
    }
};

struct sample_sink {
    filter_gpu_lines job;

    template <class T>
    __device__ __forceinline__ void put(int64_t line, int64_t place, T number) const
    {
        if (std::is_same<T, uint32_t>::value && job.out.type == SATF_U8) {
            ((uint8_t *)job.out.data)[place * job.out.stride + line] =
                (uint8_t)(((uint32_t)number + 128) >> LINE_NARROW_BITS);
            return;
        }
        double one = job.ones[1] ? job.ones[1][place] / job.one : 1;
        double value = line_value(&job.numbers, (double)number, false, 0, one);
        int64_t x = line / job.in.channels;
        store(&job.out, x, place, (int)(line - x * job.in.channels), is_aligned(&job.out),
              formula_real(value));
    }
};

/* ------------------------------------------------------------------------------- sums */

/*
 * The sum of 2 r + 2 numbers, which slides: pass() takes those in front of the windows of a word,
 * and behind them. A float of 2^23 and a number has the number as its lowest bits: so numbers
 * become floats, and results numbers, without a conversion. A product of such a float less that of
 * 2^23 is rounded once, as the number's own is.
 */
static constexpr uint32_t BIASED = 0x4b000000;
static constexpr float BIAS = 0x1p23f;

/* Numbers below 2^23, at half the price of others. */
struct float_sum {
    float sum; /* biased */

    __device__ __forceinline__ float_sum(uint32_t first)
    {
        sum = __uint_as_float(BIASED + first);
    }

    __device__ __forceinline__ float slide(uint32_t gone, uint32_t behind)
    {
        float inside = __fsub_rn(sum, __uint_as_float(gone));
        sum = __fadd_rn(inside, __uint_as_float(behind));
        return inside;
    }
};

struct integer_sum {
    uint32_t sum;

    __device__ __forceinline__ integer_sum(uint32_t first) : sum(first)
    {
    }

    __device__ __forceinline__ float slide(uint32_t gone, uint32_t behind)
    {
        uint32_t inside = sum - gone + BIASED;
        sum = inside + behind - BIASED;
        return __uint2float_rn(inside);
    }
};

template <class Sum> struct narrow_sums {
    float inner, outer;
    uint32_t half; /* of BIASED */
    Sum sum;

    __device__ __forceinline__ narrow_sums(const box_pass &pass, uint32_t first)
        : inner((float)pass.lines.inner), outer((float)pass.lines.outer), half(pass.half),
          sum(first)
    {
    }

    /* Half a word, biased. */
    __device__ __forceinline__ uint32_t weigh(uint32_t gone, uint32_t behind)
    {
        float inside = __fmul_rn(sum.slide(gone, behind), inner);
        float ends = __uint_as_float(gone + behind - BIASED);
        float outside = __fmaf_rn(ends, outer, -BIAS * outer);
        return __float_as_uint(__fadd_rn(__fadd_rn(inside, outside), BIAS));
    }

    __device__ __forceinline__ uint32_t pass(uint32_t gone, uint32_t behind)
    {
        uint32_t left = weigh(__byte_perm(gone, half, 0x5410), __byte_perm(behind, half, 0x5410));
        uint32_t right = weigh(__byte_perm(gone, half, 0x5432), __byte_perm(behind, half, 0x5432));
        return __byte_perm(left, right, 0x5410);
    }
};

struct double_sums {
    double inner, outer, sum;

    __device__ __forceinline__ double_sums(const box_pass &pass, double first)
        : inner(pass.lines.inner), outer(pass.lines.outer), sum(first)
    {
    }

    __device__ __forceinline__ double pass(double gone, double behind)
    {
        double inside = __dsub_rn(sum, gone);
        double result =
            __dadd_rn(__dmul_rn(inside, inner), __dmul_rn(__dadd_rn(gone, behind), outer));
        sum = __dadd_rn(inside, behind);
        return __dsub_rn(__dadd_rn(result, 0x1.8p52), 0x1.8p52);
    }
};

/* --------------------------------------------------------------------------- a block */

/* Where a block's words lie. */
template <class Boxes> struct box_room {
    typename Boxes::word *words;
    typename Boxes::sum *sums; /* of chunks */
};

template <class Boxes>
static __device__ __forceinline__ box_room<Boxes> find_room(const box_shape &s)
{
    extern __shared__ __align__(16) char box_shared[];
    auto *words = (typename Boxes::word *)(void *)box_shared;
    return {words, (typename Boxes::sum *)(void *)(words + s.lines * s.line_pitch)};
}

/* Word w of a line, spare ones counted. */
static __device__ __forceinline__ int place_of(const box_shape &shape, int w)
{
    return w + (int)__umulhi((unsigned)w, shape.multiplier);
}

static __device__ __noinline__ int64_t find_beyond(int border, int64_t i, int64_t n)
{
    return satf_border_index(border, i, n);
}

/* The numbers of a line of the input. */
template <class Source> struct box_line {
    const box_pass &pass;
    const Source &source;
    int64_t first, row; /* place 0 of the block */
    int channel;

    /* Where in the line place p of the block is; below 0: outside. */
    __device__ __forceinline__ int64_t find(int p) const
    {
        int64_t i = first + p;
        return i >= 0 && i < pass.places ? i : find_beyond(pass.border, i, pass.places);
    }

    template <class T> __device__ __forceinline__ T load(int64_t i, T outside) const
    {
        T number = (T)source.number(row, (i < 0 ? 0 : i) * pass.channels + channel);
        return i < 0 ? outside : number;
    }
};

/* A warp takes a line. */
template <class Boxes, class Source>
static __device__ __forceinline__ void load_lines(const box_pass &pass, const Source &source,
                                                  int64_t first_line, int64_t first)
{
    enum { AT_ONCE = 4, N = Boxes::places };
    typedef typename Boxes::sum number;
    const box_shape &s = pass.shape;
    const int words = s.all * s.words;
    for (int l = (int)threadIdx.x / 32; l < s.lines; l += (int)blockDim.x / 32) {
        int64_t line = first_line + l < pass.count ? first_line + l : pass.count - 1;
        int64_t row = pass.channels == 1 ? line : line / pass.channels;
        box_line<Source> from = {pass, source, first, row, (int)(line - row * pass.channels)};
        number outside = (number)pass.outside[from.channel];
        auto *to = find_room<Boxes>(s).words + l * s.line_pitch;
        for (int w = (int)threadIdx.x % 32; w < words; w += 32 * AT_ONCE) {
            int64_t at[AT_ONCE][N];
            number numbers[AT_ONCE][N];
#pragma unroll
            for (int k = 0; k < AT_ONCE * N; k++) {
                at[k / N][k % N] = from.find((w + k / N * 32) * N + k % N);
            }
#pragma unroll
            for (int k = 0; k < AT_ONCE * N; k++) {
                numbers[k / N][k % N] = from.load(at[k / N][k % N], outside);
            }
#pragma unroll
            for (int k = 0; k < AT_ONCE; k++) {
                if (w + 32 * k < words) {
                    to[place_of(s, w + 32 * k)] = Boxes::join(numbers[k]);
                }
            }
        }
    }
}

template <class Boxes> static __device__ __forceinline__ void sum_chunks(const box_shape &s)
{
    box_room<Boxes> room = find_room<Boxes>(s);
    for (int i = (int)threadIdx.x; i < s.lines * s.all; i += (int)blockDim.x) {
        int line = i / s.all;
        const typename Boxes::word *at =
            room.words + line * s.line_pitch + (i - line * s.all) * s.pitch;
        typename Boxes::sum sum = 0;
        for (int w = 0; w < s.words; w++) {
            sum = Boxes::add(sum, at[w]);
        }
        room.sums[i] = sum;
    }
}

/* A chunk of a thread. */
template <class Boxes> struct box_chunk {
    typename Boxes::word *at;
    const typename Boxes::word *behind;
    typename Boxes::sum made; /* the sum of its results */
    bool any;
};

/* N of its words. They are read by all threads, as what is behind others, before they change. */
template <int N, class Boxes, class Sums>
static __device__ __forceinline__ void pass_words(box_chunk<Boxes> &chunk, Sums &sums, int w)
{
    typename Boxes::word gone[N], behind[N];
#pragma unroll
    for (int k = 0; k < N && chunk.any; k++) {
        gone[k] = chunk.at[w + k];
        behind[k] = chunk.behind[w + k];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < N && chunk.any; k++) {
        typename Boxes::word result = sums.pass(gone[k], behind[k]);
        chunk.at[w + k] = result;
        chunk.made = Boxes::add(chunk.made, result);
    }
}

/* A box, whose results are so many chunks a line. Chunks that a round changes no later round
 * reads. */
template <class Boxes, class Sums>
static __device__ __forceinline__ void pass_box(const box_pass &pass, int chunks)
{
    enum { BATCH = 2 * Boxes::places };
    const box_shape &s = pass.shape;
    box_room<Boxes> room = find_room<Boxes>(s);
    for (int first = 0; first < s.lines * chunks; first += (int)blockDim.x) {
        int i = first + (int)threadIdx.x, line = i / chunks, at = i - line * chunks;
        box_chunk<Boxes> chunk;
        chunk.any = i < s.lines * chunks;
        chunk.at = room.words + line * s.line_pitch + at * s.pitch;
        chunk.behind = chunk.at + s.more * s.pitch;
        chunk.made = 0;
        typename Boxes::sum *of = &room.sums[line * s.all + at], window = 0;
        for (int k = 0; k < s.more && chunk.any; k++) {
            window += of[k];
        }
        Sums sums(pass, window);
        int w = 0;
        for (; w + BATCH <= s.words; w += BATCH) {
            pass_words<BATCH>(chunk, sums, w);
        }
        for (; w < s.words; w++) {
            pass_words<1>(chunk, sums, w);
        }
        if (chunk.any) {
            *of = chunk.made;
        }
    }
    __syncthreads();
}

/* Neighbouring threads have neighbouring lines, whose numbers of a place lie side by side. */
template <class Boxes, class Sink>
static __device__ __forceinline__ void store_lines(const box_pass &pass, const Sink &sink,
                                                   int64_t first_line, int64_t first)
{
    const box_shape &s = pass.shape;
    const int step = (int)blockDim.x / s.lines, words = s.chunks * s.words;
    const int l = (int)threadIdx.x % s.lines;
    const typename Boxes::word *line = find_room<Boxes>(s).words + l * s.line_pitch;
    if (first_line + l >= pass.count) {
        return;
    }
    for (int w = (int)threadIdx.x / s.lines; w < words; w += step) {
        typename Boxes::word word = line[place_of(s, w)];
        int64_t place = first + w * Boxes::places;
        if (place >= pass.places) {
            return;
        }
        if constexpr (Boxes::places == 2) {
            sink.put(first_line + l, place, word & 0xffff);
            if (place + 1 < pass.places) {
                sink.put(first_line + l, place + 1, word >> 16);
            }
        } else {
            sink.put(first_line + l, place, word);
        }
    }
}

template <class Boxes, class Source, class Sink>
static __global__ void __launch_bounds__(MOST_THREADS, 2)
    pass_boxes(const __grid_constant__ box_pass pass, const __grid_constant__ Source source,
               const __grid_constant__ Sink sink)
{
    const box_shape &s = pass.shape;
    int64_t first_line = blockIdx.x % s.groups * s.lines;
    int64_t first = blockIdx.x / s.groups * (s.chunks * s.words * Boxes::places);
    load_lines<Boxes>(pass, source, first_line, first - pass.reach);
    __syncthreads();
    sum_chunks<Boxes>(s);
    __syncthreads();
    for (int k = 1; k <= s.boxes; k++) {
        int chunks = s.all - k * s.more;
        if constexpr (Boxes::places == 1) {
            pass_box<Boxes, double_sums>(pass, chunks);
        } else if (2 * pass.lines.radius + 2 <= FLOAT_PLACES) {
            pass_box<Boxes, narrow_sums<float_sum>>(pass, chunks);
        } else {
            pass_box<Boxes, narrow_sums<integer_sum>>(pass, chunks);
        }
    }
    store_lines<Boxes>(pass, sink, first_line, first);
}

/* --------------------------------------------------------------------------- launches */

/* Divides the stretch into chunks: the longest of which a block has enough. */
static void find_chunks(box_shape *s, int half, int64_t stretch, int places)
{
    for (int more = 1; more <= MOST_MORE && more <= half; more++) {
        bool enough = s->more > 0 && s->lines * (int64_t)s->all >= LEAST_CHUNKS;
        if (half % more == 0 && !enough) {
            int chunk = 2 * half / more;
            s->more = more;
            s->words = chunk / places;
            s->chunks = (int)((stretch - 1) / chunk + 1);
            s->all = s->chunks + s->more * s->boxes;
        }
    }
    s->pitch = s->words | 1;
    s->multiplier = s->words % 2 ? 0 : (uint32_t)((UINT64_C(1) << 32) / (uint64_t)s->words + 1);
}

template <class Boxes> static bool find_shape(const box_pass *pass, int limit, box_shape *s)
{
    const int word_bytes = sizeof(typename Boxes::word), sum_bytes = sizeof(typename Boxes::sum);
    const int number_bytes = word_bytes / Boxes::places;
    int64_t stretch = REACHES * 2 * pass->reach, count = 1;
    stretch = stretch < LEAST_PLACES ? LEAST_PLACES : stretch;
    count = (pass->places - 1) / stretch + 1;
    stretch = (pass->places - 1) / count + 1;
    for (int lines = MOST_LINES; lines > 0; lines /= 2) {
        *s = {};
        s->lines = lines;
        s->boxes = pass->lines.times;
        find_chunks(s, (int)pass->lines.radius + 1, stretch, Boxes::places);
        s->line_pitch = (s->all * s->pitch) | 1;
        s->bytes = (size_t)lines * (size_t)(s->line_pitch * word_bytes + s->all * sum_bytes);
        bool needed = lines / 2 < pass->count && lines * number_bytes <= SECTOR_BYTES;
        if (s->bytes <= (size_t)(needed || lines == 1 ? limit : BLOCK_BYTES) &&
            (lines == 1 || lines / 2 < pass->count)) {
            break;
        }
    }
    int chunks = s->lines * s->all, rounds = (chunks - 1) / MOST_THREADS + 1;
    s->threads = ((chunks - 1) / rounds / 32 + 1) * 32;
    s->groups = (pass->count - 1) / s->lines + 1;
    s->stretches = (pass->places - 1) / ((int64_t)s->chunks * s->words * Boxes::places) + 1;
    return s->bytes <= (size_t)limit && s->groups <= INT32_MAX / s->stretches;
}

template <class Boxes, class Source, class Sink>
static satf_status launch(satf_context *ctx, int device, box_pass pass, const Source &source,
                          const Sink &sink)
{
    int shared, limit;
    CUDA_RETURN(ctx, find_shared(device, &shared, &limit));
    if (!find_shape<Boxes>(&pass, limit, &pass.shape)) {
        return satf_fail(ctx, SATF_LIMIT, "the device has too little shared memory for the lines");
    }
    auto kernel = pass_boxes<Boxes, Source, Sink>;
    CUDA_RETURN(ctx,
                cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, limit));
    kernel<<<(unsigned)(pass.shape.groups * pass.shape.stretches), (unsigned)pass.shape.threads,
             pass.shape.bytes, (cudaStream_t)cuda_stream(ctx)>>>(pass, source, sink);
    return cuda_check(ctx, cudaGetLastError(), "cudaLaunchKernel");
}

static box_pass pass_of(const filter_gpu_lines *job, const filter_lines *lines, int64_t places,
                        int64_t count)
{
    box_pass pass = {};
    pass.lines = *lines;
    pass.places = places;
    pass.count = count;
    pass.reach = lines->times * (lines->radius + 1);
    pass.channels = job->in.channels;
    pass.border = job->border;
    pass.half = BIASED >> 16;
    memcpy(pass.outside, job->outside, sizeof pass.outside);
    return pass;
}

/* What part of a window along an axis of n pixels is inside. */
static satf_status make_ones(satf_context *ctx, const filter_gpu_lines *job,
                             const filter_lines *lines, int64_t n, double *to)
{
    box_pass pass = pass_of(job, lines, n, 1);
    pass.channels = 1;
    return launch<whole_boxes>(ctx, job->in.device, pass, one_source{job->one},
                               whole_sink{to, 1, NULL, 1});
}

static satf_status run_narrow(satf_context *ctx, const filter_gpu_lines *job, const box_pass &along,
                              const box_pass &down)
{
    uint16_t *between = (uint16_t *)job->numbers_at[0];
    satf_status status = launch<narrow_boxes>(ctx, job->in.device, along, byte_source{job->in},
                                              narrow_sink{between, along.count});
    return status
               ? status
               : launch<narrow_boxes>(ctx, job->in.device, down,
                                      number_source<uint16_t>{between, down.places * down.channels},
                                      sample_sink{*job});
}

static satf_status run_whole(satf_context *ctx, const filter_gpu_lines *job, const box_pass &along,
                             const box_pass &down)
{
    double *between = (double *)job->numbers_at[0], *made = (double *)job->numbers_at[1];
    satf_status status = SATF_OK;
    if (job->numbers.shrinks) {
        status = make_ones(ctx, job, &along.lines, along.places, job->ones[0]);
        status = status ? status : make_ones(ctx, job, &down.lines, down.places, job->ones[1]);
    }
    status = status ? status
                    : launch<whole_boxes>(ctx, job->in.device, along, sample_source{*job},
                                          whole_sink{between, along.count, job->ones[0], job->one});
    number_source<double> source = {between, down.places * down.channels};
    return status ? status
           : job->numbers.weighted
               ? launch<whole_boxes>(ctx, job->in.device, down, source,
                                     whole_sink{made, down.count, NULL, 1})
               : launch<whole_boxes>(ctx, job->in.device, down, source, sample_sink{*job});
}

satf_status cuda_boxes_run(satf_context *ctx, const filter_gpu_lines *job)
{
    int64_t width = job->in.width, height = job->in.height, channels = job->in.channels;
    box_pass along = pass_of(job, &job->axes.along, width, height * channels);
    box_pass down = pass_of(job, &job->axes.down, height, width * channels);
    return job->numbers.narrow ? run_narrow(ctx, job, along, down)
                               : run_whole(ctx, job, along, down);
}
