/*
 * A stretch of some lines in shared memory: read along the lines, and stored with lines and places
 * exchanged, which is how a pass along the other axis reads it. In between the numbers of a place
 * are replaced. Lines are cut into chunks, of which a thread takes one.
 */
#ifndef CUDA_SUMS_STRETCH_CUH
#define CUDA_SUMS_STRETCH_CUH

#include "lines.cuh"

/* Words of 32 bits are two numbers. Their sums are those of 2 r + 2 numbers, or of a chunk. */
struct narrow_numbers {
    typedef uint32_t word;
    typedef uint32_t sum;
    static constexpr int places = 2, least_places = 512, blocks = 3;

    static __device__ __forceinline__ uint32_t join(const uint32_t (&numbers)[2])
    {
        return numbers[0] | numbers[1] << 16;
    }

    static __device__ __forceinline__ uint32_t add(uint32_t sum, uint32_t word)
    {
        return __dp2a_lo(word, 0x0101u, sum);
    }
};

struct whole_numbers {
    typedef double word;
    typedef double sum;
    static constexpr int places = 1, least_places = 256, blocks = 2;

    static __device__ __forceinline__ double join(const double (&numbers)[1])
    {
        return numbers[0];
    }

    static __device__ __forceinline__ double add(double sum, double word)
    {
        return __dadd_rn(sum, word);
    }
};

typedef struct stretch_shape {
    int lines;           /* of a block: of whole pixels, where alpha weighs */
    int words, pitch;    /* of a chunk; with a spare one if they are even: no bank is met twice */
    uint32_t multiplier; /* 2^32 / words, for spare words; 0: there are none */
    int more;            /* chunks from one end of a box to the other */
    int chunks, all;     /* of a stretch's result, and of what it takes */
    int line_pitch;
    int threads;
    size_t bytes;
    int64_t groups, stretches;
} stretch_shape;

/* Line l is channel l % channels of row l / channels, if places are columns. */
typedef struct stretch_pass {
    filter_lines lines;
    double weights[LINE_MOST_RADIUS + 1]; /* where these are no boxes */
    int64_t places, count;                /* of a line; lines */
    int64_t reach;
    int channels, border;
    double outside[SATF_MAX_CHANNELS];
    bool weighs;   /* the last channel is alpha */
    int limit;     /* bytes of a block */
    uint32_t half; /* BIASED >> 16: of constants compilers make what takes longer */
    stretch_shape shape;
} stretch_pass;

/* Where a block's words lie. */
template <class Numbers> struct stretch_room {
    typename Numbers::word *words;
    typename Numbers::sum *sums; /* of chunks */
};

template <class Numbers>
static __device__ __forceinline__ stretch_room<Numbers> find_room(const stretch_shape &s)
{
    extern __shared__ __align__(16) char stretch_shared[];
    auto *words = (typename Numbers::word *)(void *)stretch_shared;
    return {words, (typename Numbers::sum *)(void *)(words + s.lines * s.line_pitch)};
}

/* Word w of a line, spare ones counted. */
static __device__ __forceinline__ int place_of(const stretch_shape &shape, int w)
{
    return w + (int)__umulhi((unsigned)w, shape.multiplier);
}

static __device__ __noinline__ int64_t find_beyond(int border, int64_t i, int64_t n)
{
    return satf_border_index(border, i, n);
}

/* The numbers of a line of the input. */
template <class Source> struct stretch_line {
    const stretch_pass &pass;
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
template <class Numbers, class Source>
static __device__ __forceinline__ void load_lines(const stretch_pass &pass, const Source &source,
                                                  int64_t first_line, int64_t first)
{
    enum { AT_ONCE = 4, N = Numbers::places };
    typedef typename Numbers::sum number;
    const stretch_shape &s = pass.shape;
    const int words = s.all * s.words;
    for (int l = (int)threadIdx.x / 32; l < s.lines; l += (int)blockDim.x / 32) {
        int64_t line = first_line + l < pass.count ? first_line + l : pass.count - 1;
        int64_t row = pass.channels == 1 ? line : line / pass.channels;
        stretch_line<Source> from = {pass, source, first, row, (int)(line - row * pass.channels)};
        number outside = (number)pass.outside[from.channel];
        auto *to = find_room<Numbers>(s).words + l * s.line_pitch;
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
                    to[place_of(s, w + 32 * k)] = Numbers::join(numbers[k]);
                }
            }
        }
    }
}

/* Neighbouring threads have neighbouring lines, whose numbers of a place lie side by side. The sink
 * gets that of alpha too, where it weighs. */
template <class Numbers, class Sink>
static __device__ __forceinline__ void store_lines(const stretch_pass &pass, const Sink &sink,
                                                   int64_t first_line, int64_t first)
{
    const stretch_shape &s = pass.shape;
    const int step = (int)blockDim.x / s.lines, words = s.chunks * s.words;
    const int l = (int)threadIdx.x % s.lines;
    const int last = pass.weighs ? l - l % pass.channels + pass.channels - 1 : l;
    const typename Numbers::word *line = find_room<Numbers>(s).words + l * s.line_pitch;
    const typename Numbers::word *alpha = line + (last - l) * s.line_pitch;
    if (first_line + l >= pass.count || (int)threadIdx.x >= step * s.lines) {
        return;
    }
    for (int w = (int)threadIdx.x / s.lines; w < words; w += step) {
        typename Numbers::word word = line[place_of(s, w)];
        int64_t place = first + w * Numbers::places;
        if (place >= pass.places) {
            return;
        }
        if constexpr (Numbers::places == 2) {
            sink.put(first_line + l, place, word & 0xffff, 0u);
            if (place + 1 < pass.places) {
                sink.put(first_line + l, place + 1, word >> 16, 0u);
            }
        } else {
            sink.put(first_line + l, place, word, alpha[place_of(s, w)]);
        }
    }
}

#endif
