/*
 * Passes of whole numbers along lines on a CUDA device (filters/gauss.h), by boxes or by weights: a
 * kernel an axis, whose blocks take stretches of some lines.
 */
#include "../sums/shared.h"
#include "slide.cuh"

enum {
    MOST_THREADS = 320,
    MOST_LINES = 32,
    REACHES = 3,            /* a stretch in what is around it */
    LEAST_CHUNKS = 256,     /* of a block, unless windows become */
    MOST_MORE = 8,          /* more chunks */
    BLOCK_BYTES = 72 << 10, /* three on a multiprocessor; more for lines that fill */
    SECTOR_BYTES = 32,      /* a piece of memory */
};

/* ------------------------------------------------------------------- a line's numbers */

/* The numbers of a line from `at` on, `step` apart. Places of a stretch are counted in 32 bits. */
template <class T, int SHIFT> struct plain_line {
    const T *at;
    int step;

    template <class Number, class Place> __device__ __forceinline__ Number number(Place place) const
    {
        T number = at[place * step];
        return SHIFT ? (Number)((uint32_t)number << SHIFT) : (Number)number;
    }
};

/* Samples of an image. */
struct byte_source {
    satf_view in;

    __device__ __forceinline__ plain_line<uint8_t, LINE_NARROW_BITS> line(int64_t row, int channel,
                                                                          int64_t first) const
    {
        const uint8_t *at = (const uint8_t *)in.data + row * in.stride;
        return {at + first * in.channels + channel, in.channels};
    }
};

/* Integers of 32 bits as doubles, without a conversion. */
static __device__ __forceinline__ double whole_double(uint32_t number)
{
    return __dsub_rn(__hiloint2double(0x43300000, (int)number), 0x1p52);
}

/* T: uint16_t, or bytes, of which a sample has one or two. */
template <class T> struct sample_line {
    const char *at;
    int step, alpha; /* bytes to the next pixel, and to the alpha of this one */
    bool weighs, pairs;
    double scale;

    __device__ __forceinline__ uint32_t sample(const char *from) const
    {
        uint32_t sample = *(const T *)from;
        return sizeof(T) == 1 && pairs ? sample | (uint32_t)(uint8_t)from[1] << 8 : sample;
    }

    template <class Number, class Place> __device__ __forceinline__ Number number(Place place) const
    {
        const char *from = at + place * step;
        uint32_t number = sample(from);
        if (weighs) {
            number *= sample(from + alpha);
        }
        return whole_double(number) * scale;
    }
};

template <class T> struct sample_source {
    filter_gpu_lines job;

    __device__ __forceinline__ sample_line<T> line(int64_t row, int channel, int64_t first) const
    {
        int bytes = (int)sample_bytes(job.in.type), last = job.in.channels - 1;
        const char *at = (const char *)job.in.data + row * job.in.stride;
        int step = job.in.channels * bytes, alpha = (last - channel) * bytes;
        return {
            at + first * step + channel * bytes, step,      alpha,
            job.numbers.weighted && alpha > 0,   bytes > 1, line_scale(&job.numbers, alpha == 0)};
    }
};

/* The numbers that the pass along the other axis has made. */
template <class T> struct number_source {
    const T *from;
    int64_t width;
    int channels;

    __device__ __forceinline__ plain_line<T, 0> line(int64_t row, int channel, int64_t first) const
    {
        return {from + row * width + first * channels + channel, channels};
    }
};

struct one_source {
    double one;

    __device__ __forceinline__ one_source line(int64_t, int, int64_t) const
    {
        return *this;
    }

    template <class Number> __device__ __forceinline__ double number(int64_t) const
    {
        return one;
    }
};

/* ------------------------------------------------------------ where numbers of a line go */

/* A place of a line; the next one is so far behind it. */
template <class T> struct whole_end {
    T *to;
    int64_t step;

    /* k places on */
    template <class Number> __device__ __forceinline__ void put(int k, Number number, Number) const
    {
        to[k * step] = (T)number;
    }

    __device__ __forceinline__ void move(int places)
    {
        to += places * step;
    }
};

template <class T> struct whole_sink {
    T *to;
    int64_t count;

    __device__ __forceinline__ whole_end<T> line(int64_t line, int64_t first) const
    {
        return {to + first * count + line, count};
    }
};

/* Rounds between the axes, and divides by the window's part inside where the window shrinks. */
template <class T> struct between_end {
    const filter_gpu_lines &job;
    double scale;
    int64_t place;
    whole_end<T> end;

    __device__ __forceinline__ double weighed(int64_t at, double sum) const
    {
        return job.numbers.shrinks
                   ? rint(sum * scale / line_taps_inside(&job.along, at, job.in.width))
                   : rint(sum * scale + scale / 2);
    }

    __device__ __forceinline__ void put(int k, double number, double) const
    {
        double result = job.numbers.own       ? weighed(place + k, number)
                        : job.numbers.shrinks ? rint(number / (job.ones[0][place + k] / job.one))
                                              : number;
        end.put(k, result, 0.0);
    }

    __device__ __forceinline__ void move(int places)
    {
        place += places;
        end.move(places);
    }
};

template <class T> struct between_sink {
    filter_gpu_lines job;
    double scale;
    whole_sink<T> sink;

    __device__ __forceinline__ between_end<T> line(int64_t line, int64_t first) const
    {
        return {job, scale, first, sink.line(line, first)};
    }
};

struct byte_end {
    whole_end<uint8_t> end;

    __device__ __forceinline__ void put(int k, uint32_t number, uint32_t) const
    {
        end.put(k, (number + 128) >> LINE_NARROW_BITS, 0u);
    }

    __device__ __forceinline__ void move(int places)
    {
        end.move(places);
    }
};

struct byte_sink {
    satf_view out;

    __device__ __forceinline__ byte_end line(int64_t line, int64_t first) const
    {
        return {{(uint8_t *)out.data + first * out.stride + line, out.stride}};
    }
};

struct sample_end {
    const filter_gpu_lines &job;
    int64_t place, x;
    int channel;

    __device__ __forceinline__ double inside(int64_t at) const
    {
        return !job.numbers.shrinks ? 1
               : job.numbers.own    ? line_taps_inside(&job.down, at, job.in.height)
                                    : job.ones[1][at] / job.one;
    }

    /* alpha: of the same pixel. */
    template <class T> __device__ __forceinline__ void put(int k, T number, T alpha) const
    {
        double value = line_value(&job.numbers, (double)number, channel == job.in.channels - 1,
                                  (double)alpha, inside(place + k));
        store(&job.out, x, place + k, channel, is_aligned(&job.out), formula_real(value));
    }

    __device__ __forceinline__ void move(int places)
    {
        place += places;
    }
};

struct sample_sink {
    filter_gpu_lines job;

    __device__ __forceinline__ sample_end line(int64_t line, int64_t first) const
    {
        int64_t x = line / job.in.channels;
        return {job, first, x, (int)(line - x * job.in.channels)};
    }
};

/* ------------------------------------------------------------------------- the kernel */

enum { WEIGHED = 8 /* words of a chunk by weights */ };

/* The weighted sums of WEIGHED windows, the first beginning at `from`; exact in any order. */
static __device__ __forceinline__ void sum_weighed(const stretch_pass &pass, const double *from,
                                                   double (&sums)[WEIGHED])
{
    const int radius = (int)pass.lines.radius;
    double numbers[WEIGHED];
#pragma unroll
    for (int j = 0; j < WEIGHED; j++) {
        numbers[j] = from[j];
        sums[j] = 0;
    }
#pragma unroll 1
    for (int k = 0; k <= 2 * radius; k += WEIGHED) {
        from += pass.shape.pitch;
#pragma unroll
        for (int b = 0; b < WEIGHED && k + b <= 2 * radius; b++) {
            double weight = pass.weights[abs(k + b - radius)];
#pragma unroll
            for (int j = 0; j < WEIGHED; j++) {
                sums[j] = __fma_rn(weight, numbers[(b + j) % WEIGHED], sums[j]);
            }
            numbers[b] = from[b];
        }
    }
}

/* Replaces chunks by their sums. No thread reads what a round before has changed. */
static __device__ __forceinline__ void weigh_lines(const stretch_pass &pass)
{
    const stretch_shape &s = pass.shape;
    for (int first = 0; first < s.lines * s.chunks; first += (int)blockDim.x) {
        int i = first + (int)threadIdx.x, line = i / s.chunks;
        bool any = i < s.lines * s.chunks;
        double *at = find_room<whole_numbers>(s).words + line * s.line_pitch +
                     (i - line * s.chunks) * s.pitch;
        double sums[WEIGHED];
        if (any) {
            sum_weighed(pass, at, sums);
        }
        __syncthreads();
#pragma unroll
        for (int j = 0; j < WEIGHED && any; j++) {
            at[j] = sums[j];
        }
    }
    __syncthreads();
}

template <class Numbers, class Source, class Sink>
static __global__ void __launch_bounds__(MOST_THREADS, Numbers::blocks)
    pass_lines(const __grid_constant__ stretch_pass pass, const __grid_constant__ Source source,
               const __grid_constant__ Sink sink)
{
    const stretch_shape &s = pass.shape;
    int64_t first_line = blockIdx.x % s.groups * s.lines;
    int64_t first = blockIdx.x / s.groups * (s.chunks * s.words * Numbers::places);
    load_lines<Numbers>(pass, source, first_line, first - pass.reach);
    __syncthreads();
    if constexpr (Numbers::places == 1) {
        if (pass.lines.times == 0) {
            weigh_lines(pass);
        } else {
            pass_boxes<Numbers>(pass);
        }
    } else {
        pass_boxes<Numbers>(pass);
    }
    store_lines<Numbers>(pass, sink, first_line, first);
}

/* --------------------------------------------------------------------------- launches */

/* Divides the stretch into chunks; for boxes, the longest of which a block has LEAST_CHUNKS. */
static void find_chunks(stretch_shape *s, const filter_lines *lines, int64_t stretch, int places)
{
    int half = (int)lines->radius + 1;
    for (int more = 1; more <= MOST_MORE && more <= half && lines->times > 0; more++) {
        bool enough = s->more > 0 && s->lines * (int64_t)s->all >= LEAST_CHUNKS;
        if (half % more == 0 && !enough) {
            int chunk = 2 * half / more;
            s->more = more;
            s->words = chunk / places;
            s->chunks = (int)((stretch - 1) / chunk + 1);
            s->all = s->chunks + s->more * lines->times;
        }
    }
    if (lines->times == 0) {
        s->words = WEIGHED;
        s->chunks = (int)((stretch - 1) / WEIGHED + 1);
        s->all = s->chunks + 2 * (int)lines->radius / WEIGHED + 1;
    }
    s->pitch = s->words | 1;
    s->multiplier = s->words % 2 ? 0 : (uint32_t)((UINT64_C(1) << 32) / (uint64_t)s->words + 1);
}

template <class Numbers> static bool find_shape(const stretch_pass *pass, stretch_shape *s)
{
    const int word_bytes = sizeof(typename Numbers::word);
    const int sum_bytes = sizeof(typename Numbers::sum), channels = pass->channels;
    int64_t usual = REACHES * 2 * pass->reach;
    int64_t parts =
        (pass->places - 1) / (usual > Numbers::least_places ? usual : Numbers::least_places) + 1;
    int64_t stretch = (pass->places - 1) / parts + 1;
    for (int lines = MOST_LINES; lines > 0; lines /= 2) {
        *s = {};
        s->lines = pass->weighs && lines >= channels ? lines / channels * channels : lines;
        find_chunks(s, &pass->lines, stretch, Numbers::places);
        s->line_pitch = (s->all * s->pitch) | 1;
        s->bytes = (size_t)s->lines * (size_t)(s->line_pitch * word_bytes + s->all * sum_bytes);
        bool needed = lines * word_bytes / Numbers::places <= SECTOR_BYTES;
        if (s->bytes <= (size_t)(needed ? pass->limit : BLOCK_BYTES) && lines / 2 < pass->count) {
            break;
        }
    }
    int chunks = s->lines * s->all, rounds = (chunks - 1) / MOST_THREADS + 1;
    s->threads = ((chunks - 1) / rounds / 32 + 1) * 32;
    s->groups = (pass->count - 1) / s->lines + 1;
    s->stretches = (pass->places - 1) / ((int64_t)s->chunks * s->words * Numbers::places) + 1;
    return s->bytes <= (size_t)pass->limit && s->groups <= INT32_MAX / s->stretches;
}

template <class Numbers, class Source, class Sink>
static satf_status launch(satf_context *ctx, const stretch_pass &pass, const Source &source,
                          const Sink &sink)
{
    auto kernel = pass_lines<Numbers, Source, Sink>;
    CUDA_RETURN(
        ctx, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, pass.limit));
    kernel<<<(unsigned)(pass.shape.groups * pass.shape.stretches), (unsigned)pass.shape.threads,
             pass.shape.bytes, (cudaStream_t)cuda_stream(ctx)>>>(pass, source, sink);
    return cuda_check(ctx, cudaGetLastError(), "cudaLaunchKernel");
}

/* A pass over `count` lines of so many places. */
template <class Numbers>
static satf_status plan_pass(satf_context *ctx, const filter_gpu_lines *job,
                             const filter_lines *lines, int64_t places, int64_t count,
                             stretch_pass *pass)
{
    int shared;
    *pass = {};
    pass->lines = *lines;
    pass->places = places;
    pass->count = count;
    pass->reach = lines->times > 0 ? lines->times * (lines->radius + 1) : lines->radius;
    pass->channels = count == 1 ? 1 : job->in.channels;
    pass->border = job->border;
    pass->weighs = job->numbers.weighted && count > 1;
    pass->half = BIASED >> 16;
    memcpy(pass->outside, job->outside, sizeof pass->outside);
    CUDA_RETURN(ctx, find_shared(job->in.device, &shared, &pass->limit));
    return find_shape<Numbers>(pass, &pass->shape)
               ? SATF_OK
               : satf_fail(ctx, SATF_LIMIT,
                           "the device has too little shared memory for the lines");
}

/* What part of a window along an axis of n pixels is inside. */
static satf_status make_ones(satf_context *ctx, const filter_gpu_lines *job,
                             const filter_lines *lines, int64_t n, double *to)
{
    stretch_pass pass;
    satf_status status = plan_pass<whole_numbers>(ctx, job, lines, n, 1, &pass);
    return status
               ? status
               : launch<whole_numbers>(ctx, pass, one_source{job->one}, whole_sink<double>{to, 1});
}

static satf_status run_narrow(satf_context *ctx, const filter_gpu_lines *job,
                              const stretch_pass &along, const stretch_pass &down)
{
    uint16_t *between = (uint16_t *)job->numbers_at[0];
    number_source<uint16_t> source = {between, down.places * down.channels, down.channels};
    satf_status status = launch<narrow_numbers>(ctx, along, byte_source{job->in},
                                                whole_sink<uint16_t>{between, along.count});
    return status ? status
           : job->out.type == SATF_U8
               ? launch<narrow_numbers>(ctx, down, source, byte_sink{job->out})
               : launch<narrow_numbers>(ctx, down, source, sample_sink{*job});
}

/* Uses weights instead of boxes. times: the factor between the pass's numbers and the samples', by
 * which the values beyond the border grow. */
static void use_weights(const line_taps &taps, double times, stretch_pass *pass)
{
    memcpy(pass->weights, taps.weights, sizeof pass->weights);
    for (double &outside : pass->outside) {
        outside *= times;
    }
}

/* T: the type of the numbers between the axes. */
template <class T>
static satf_status run_whole(satf_context *ctx, const filter_gpu_lines *job, stretch_pass along,
                             stretch_pass down, bool *stored)
{
    T *between = (T *)job->numbers_at[0];
    satf_status status = SATF_OK;
    along.weighs = false;
    if (job->numbers.own) {
        use_weights(job->along, 1, &along);
        use_weights(job->down, job->numbers.between, &down);
    } else if (job->numbers.shrinks) {
        status = make_ones(ctx, job, &along.lines, along.places, job->ones[0]);
        status = status ? status : make_ones(ctx, job, &down.lines, down.places, job->ones[1]);
    }
    double scale = job->numbers.between / (double)(1 << job->numbers.weight_bits);
    between_sink<T> sink = {*job, scale, {between, along.count}};
    bool words = job->in.type == SATF_U16 && is_aligned(&job->in);
    status = status  ? status
             : words ? launch<whole_numbers>(ctx, along, sample_source<uint16_t>{*job}, sink)
                     : launch<whole_numbers>(ctx, along, sample_source<uint8_t>{*job}, sink);
    number_source<T> source = {between, down.places * down.channels, down.channels};
    down.weighs = down.weighs && down.shape.lines % down.channels == 0;
    *stored = down.weighs || !job->numbers.weighted;
    return status    ? status
           : *stored ? launch<whole_numbers>(ctx, down, source, sample_sink{*job})
                     : launch<whole_numbers>(
                           ctx, down, source,
                           whole_sink<double>{(double *)job->numbers_at[1], down.count});
}

satf_status cuda_whole_run(satf_context *ctx, const filter_gpu_lines *job, bool *stored)
{
    int64_t width = job->in.width, height = job->in.height, channels = job->in.channels;
    bool narrow = job->numbers.narrow && !job->numbers.own;
    /* weighed samples have up to 16 bits before alpha, or with it, and 8 of fraction */
    bool exact_in_float = job->numbers.own && !(job->numbers.weighted && job->in.type == SATF_U16);
    auto plan = narrow ? plan_pass<narrow_numbers> : plan_pass<whole_numbers>;
    stretch_pass along, down;
    *stored = true;
    satf_status status = plan(ctx, job, &job->axes.along, width, height * channels, &along);
    status = status ? status : plan(ctx, job, &job->axes.down, height, width * channels, &down);
    return status           ? status
           : narrow         ? run_narrow(ctx, job, along, down)
           : exact_in_float ? run_whole<float>(ctx, job, along, down, stored)
                            : run_whole<double>(ctx, job, along, down, stored);
}
