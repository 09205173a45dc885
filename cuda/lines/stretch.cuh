/*
 * A stretch of some lines in shared memory: read along the lines, and stored with lines and places
 * exchanged, which is how a pass along the other axis reads it. In between the numbers of a place
 * are replaced. Lines are cut into chunks, of which a thread takes one.
 */
#ifndef CUDA_SUMS_STRETCH_CUH
#define CUDA_SUMS_STRETCH_CUH

#include "lines.cuh"

/* Words of 32 bits that are two numbers. Sums are those of 2 r + 2 numbers, or of a chunk. */
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
    uint32_t half; /* BIASED >> 16: as a constant the compiler makes slower code of it */
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

/* Loads a stretch's words begin ... end - 1, all inside the line, by a warp. Lanes without a word
 * load the last one. */
template <class Numbers, class Line>
static __device__ __forceinline__ void load_inside(const stretch_shape &s, const Line &from,
                                                   int begin, int end, typename Numbers::word *to)
{
    enum { AT_ONCE = 4, N = Numbers::places };
    typedef typename Numbers::sum number;
    for (int w = begin + (int)threadIdx.x % 32; w < end; w += 32 * AT_ONCE) {
        number numbers[AT_ONCE][N];
#pragma unroll
        for (int k = 0; k < AT_ONCE * N; k++) {
            int place = min(w + k / N * 32, end - 1) * N + k % N;
            numbers[k / N][k % N] = from.template number<number>(place);
        }
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            to[place_of(s, min(w + k * 32, end - 1))] = Numbers::join(numbers[k]);
        }
    }
}

/* Loads the other words, by the border. first: the stretch's first place in the line. */
template <class Numbers, class Line>
static __device__ __forceinline__ void load_around(const stretch_pass &pass, const Line &from,
                                                   int64_t first, typename Numbers::sum outside,
                                                   int begin, int end, typename Numbers::word *to)
{
    enum { N = Numbers::places };
    const stretch_shape &s = pass.shape;
    int around = s.all * s.words - (end - begin);
#pragma unroll 1
    for (int k = (int)threadIdx.x % 32; k < around; k += 32) {
        int w = k < begin ? k : k + (end - begin);
        typename Numbers::sum numbers[N];
#pragma unroll
        for (int n = 0; n < N; n++) {
            int64_t i = find_beyond(pass.border, first + w * N + n, pass.places);
            numbers[n] = i < 0 ? outside : from.template number<typename Numbers::sum>(i - first);
        }
        to[place_of(s, w)] = Numbers::join(numbers);
    }
}

static __device__ __forceinline__ int clamp_word(int64_t word, int least, int most)
{
    return word < least ? least : word > most ? most : (int)word;
}

/* Loads the block's lines; a warp loads a line at a time. */
template <class Numbers, class Source>
static __device__ __forceinline__ void load_lines(const stretch_pass &pass, const Source &source,
                                                  int64_t first_line, int64_t first)
{
    enum { N = Numbers::places };
    const stretch_shape &s = pass.shape;
    const int words = s.all * s.words;
    const int begin = clamp_word((N - 1 - first) / N, 0, words);
    const int end = clamp_word((pass.places - first) / N, begin, words);
    for (int l = (int)threadIdx.x / 32; l < s.lines; l += (int)blockDim.x / 32) {
        int64_t line = first_line + l < pass.count ? first_line + l : pass.count - 1;
        int64_t row = pass.channels == 1 ? line : line / pass.channels;
        int channel = (int)(line - row * pass.channels);
        auto from = source.line(row, channel, first);
        auto *to = find_room<Numbers>(s).words + l * s.line_pitch;
        load_inside<Numbers>(s, from, begin, end, to);
        if (end - begin < words) {
            auto outside = (typename Numbers::sum)pass.outside[channel];
            load_around<Numbers>(pass, from, first, outside, begin, end, to);
        }
    }
}

/* Stores the lines. Neighbouring threads have neighbouring lines, whose numbers of a place lie side
 * by side. The sink gets the number of alpha too, if alpha weighs. */
template <class Numbers, class Sink>
static __device__ __forceinline__ void store_lines(const stretch_pass &pass, const Sink &sink,
                                                   int64_t first_line, int64_t first)
{
    enum { N = Numbers::places };
    const stretch_shape &s = pass.shape;
    const int step = (int)blockDim.x / s.lines;
    const int places = clamp_word(pass.places - first, 0, s.chunks * s.words * N);
    const int l = (int)threadIdx.x % s.lines;
    const int last = pass.weighs ? l - l % pass.channels + pass.channels - 1 : l;
    const typename Numbers::word *line = find_room<Numbers>(s).words + l * s.line_pitch;
    const typename Numbers::word *alpha = line + (last - l) * s.line_pitch;
    if (first_line + l >= pass.count || (int)threadIdx.x >= step * s.lines) {
        return;
    }
    int p = (int)threadIdx.x / s.lines * N;
    auto end = sink.line(first_line + l, first + p);
#pragma unroll 2
    for (; p < places; p += step * N) {
        int at = place_of(s, (int)((unsigned)p / N));
        typename Numbers::word word = line[at];
        if constexpr (N == 2) {
            end.put(0, word & 0xffff, 0u);
            if (p + 1 < places) {
                end.put(1, word >> 16, 0u);
            }
        } else {
            end.put(0, word, alpha[at]);
        }
        end.move(step * N);
    }
}

#endif
