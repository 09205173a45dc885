/*
 * Transposing by tiles: lines of the cache are read whole into a tile on the stack, turned there,
 * and written whole, so that no line is fetched twice however far apart rows lie, and rows a power
 * of two apart, which share few places of a cache, do not drive one another out.
 */
#include "kernels.h"

#include "../base/cpu.h"
#include "../base/stores.h"

enum {
    MAX_TILE_BYTES = 128 * 256,
    MAX_SIDE = 128,
    FEW = 8,     /* rows or columns that caches hold lines of, however far apart they lie */
    SLACK = 64,  /* what moves wider than a pixel touch behind a row's last one */
    AHEAD = 32,  /* pixels of a gather that are on their way */
    CHUNK = 4096 /* bytes that are put together before they are written */
};

/* What moves a pixel of 3, 6, 12 or 24 bytes by one load and store: more bytes,
 * of which the next pixel overwrites what is not its own. */
#define WIDE(bytes) ((bytes) == 3 ? 4 : (bytes) == 6 ? 8 : (bytes) == 12 ? 16 : (bytes))

INLINE void move_put(char *to, const char *from, size_t bytes, bool stream)
{
    if (stream) {
        stream_bytes(to, from, bytes);
    } else {
        memcpy(to, from, bytes);
    }
}

/* memcpy() of a few bytes, without a call where they are whole vectors. */
INLINE void copy_short(char *to, const char *from, size_t bytes)
{
    size_t i = 0;
    for (; i + 16 <= bytes; i += 16) {
        memcpy(to + i, from + i, 16);
    }
    if (i < bytes) {
        memcpy(to + i, from + i, bytes - i);
    }
}

/* ------------------------------------------------------- turning on the stack */

#ifdef __SSE2__
/*
 * A vector is one or more lanes of 16 bytes, each a row of n elements of a block of n x n.
 * Interleaving rows k and k + n / 2 into 2k and 2k + 1 rotates the bits of an element's (row,
 * column) by one; after log2(n) rounds row and column have changed places.
 */
#if defined __AVX512F__
typedef __m512i lanes;
#define LOAD(from) _mm512_loadu_si512(from)
#define BROADCAST(lane) _mm512_broadcast_i32x4(lane)
#define SHUFFLE(v, by) _mm512_shuffle_epi8(v, by)
/* lane k: the 16 bytes from 12 k on */
#define SPREAD(v)                                                                                  \
    _mm512_permutexvar_epi32(_mm512_setr_epi32(0, 1, 2, 3, 3, 4, 5, 6, 6, 7, 8, 9, 9, 10, 11, 12), \
                             v)
#define UNPACK(half, bits, a, b) _mm512_unpack##half##_epi##bits(a, b)
#define PUT_LANES(to, pitch, v)                                                             \
    do {                                                                                    \
        _mm_storeu_si128((__m128i *)(to), _mm512_castsi512_si128(v));                       \
        _mm_storeu_si128((__m128i *)((to) + (pitch)), _mm512_extracti32x4_epi32(v, 1));     \
        _mm_storeu_si128((__m128i *)((to) + 2 * (pitch)), _mm512_extracti32x4_epi32(v, 2)); \
        _mm_storeu_si128((__m128i *)((to) + 3 * (pitch)), _mm512_extracti32x4_epi32(v, 3)); \
    } while (0)
#elif defined __AVX2__
typedef __m256i lanes;
#define LOAD(from) _mm256_loadu_si256((const __m256i *)(from))
#define BROADCAST(lane) _mm256_broadcastsi128_si256(lane)
#define SHUFFLE(v, by) _mm256_shuffle_epi8(v, by)
#define SPREAD(v) _mm256_permutevar8x32_epi32(v, _mm256_setr_epi32(0, 1, 2, 3, 3, 4, 5, 6))
#define UNPACK(half, bits, a, b) _mm256_unpack##half##_epi##bits(a, b)
#define PUT_LANES(to, pitch, v)                                                        \
    do {                                                                               \
        _mm_storeu_si128((__m128i *)(to), _mm256_castsi256_si128(v));                  \
        _mm_storeu_si128((__m128i *)((to) + (pitch)), _mm256_extracti128_si256(v, 1)); \
    } while (0)
#else
typedef __m128i lanes;
#define LOAD(from) _mm_loadu_si128((const __m128i *)(from))
#define UNPACK(half, bits, a, b) _mm_unpack##half##_epi##bits(a, b)
#define PUT_LANES(to, pitch, v) ((void)(pitch), _mm_storeu_si128((__m128i *)(to), v))
#endif

/* Written out, for arrays that are indexed by constants alone live in registers. */
#define TIMES2(X) X(0) X(1)
#define TIMES4(X) TIMES2(X) X(2) X(3)
#define TIMES8(X) TIMES4(X) X(4) X(5) X(6) X(7)
#define TIMES16(X) TIMES8(X) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)

#define LOAD_ROW(k) a[k] = LOAD(from + (k)*pitch);
#define PUT_ROW(k) PUT_LANES(to + (k)*to_pitch, lane_pitch, a[k]);
#define PUT_ROW_B(k) PUT_LANES(to + (k)*to_pitch, lane_pitch, b[k]);
#define PAIR(to, from, bits, half, k)                            \
    to[2 * (k)] = UNPACK(lo, bits, from[k], from[(k) + (half)]); \
    to[2 * (k) + 1] = UNPACK(hi, bits, from[k], from[(k) + (half)]);

#define PAIR_8_AB(k) PAIR(b, a, 8, 8, k)
#define PAIR_8_BA(k) PAIR(a, b, 8, 8, k)
#define PAIR_16_AB(k) PAIR(b, a, 16, 4, k)
#define PAIR_16_BA(k) PAIR(a, b, 16, 4, k)
#define PAIR_32_AB(k) PAIR(b, a, 32, 2, k)
#define PAIR_32_BA(k) PAIR(a, b, 32, 2, k)
#define PAIR_64_AB(k) PAIR(b, a, 64, 1, k)

/* Turns n rows of elements of 16 / n bytes; a lane is n columns of them, n rows of the output. */
INLINE void turn_16(const char *from, size_t pitch, char *to, size_t to_pitch)
{
    size_t lane_pitch = 16 * to_pitch;
    lanes a[16], b[16];
    TIMES16(LOAD_ROW)
    TIMES8(PAIR_8_AB)
    TIMES8(PAIR_8_BA)
    TIMES8(PAIR_8_AB)
    TIMES8(PAIR_8_BA)
    TIMES16(PUT_ROW)
}

INLINE void turn_8(const char *from, size_t pitch, char *to, size_t to_pitch)
{
    size_t lane_pitch = 8 * to_pitch;
    lanes a[8], b[8];
    TIMES8(LOAD_ROW)
    TIMES4(PAIR_16_AB)
    TIMES4(PAIR_16_BA)
    TIMES4(PAIR_16_AB)
    TIMES8(PUT_ROW_B)
}

INLINE void turn_4(const char *from, size_t pitch, char *to, size_t to_pitch)
{
    size_t lane_pitch = 4 * to_pitch;
    lanes a[4], b[4];
    TIMES4(LOAD_ROW)
    TIMES2(PAIR_32_AB)
    TIMES2(PAIR_32_BA)
    TIMES4(PUT_ROW)
}

INLINE void turn_2(const char *from, size_t pitch, char *to, size_t to_pitch)
{
    size_t lane_pitch = 2 * to_pitch;
    lanes a[2], b[2];
    TIMES2(LOAD_ROW)
    PAIR_64_AB(0)
    TIMES2(PUT_ROW_B)
}

#ifdef __AVX2__
/* Turns 4 rows of pixels of 3 bytes, as pixels of 4 bytes; 4 bytes behind each row of the output
 * are touched. */
#define SPREAD_ROW(k) a[k] = SHUFFLE(SPREAD(LOAD(from + (k)*pitch)), widen);
#define NARROW_ROW(k) a[k] = SHUFFLE(a[k], narrow);
INLINE void turn_4_of_3(const char *from, size_t pitch, char *to, size_t to_pitch)
{
    const lanes widen =
        BROADCAST(_mm_setr_epi8(0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1));
    const lanes narrow =
        BROADCAST(_mm_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1));
    size_t lane_pitch = 4 * to_pitch;
    lanes a[4], b[4];
    TIMES4(SPREAD_ROW)
    TIMES2(PAIR_32_AB)
    TIMES2(PAIR_32_BA)
    TIMES4(NARROW_ROW)
    TIMES4(PUT_ROW)
}
#endif

/* Turns a tile by blocks of lanes; whole blocks, for which the tile has room. */
INLINE void turn_blocks(const char *from, size_t pitch, char *to, size_t to_pitch, size_t bytes,
                        size_t rows, size_t columns)
{
    size_t n = bytes == 3 ? 4 : 16 / bytes, step = n * (VECTOR_BYTES / 16);
    for (size_t y = 0; y < rows; y += n) {
        for (size_t x = 0; x < columns; x += step) {
            const char *a = from + y * pitch + x * bytes;
            char *b = to + x * to_pitch + y * bytes;
            if (bytes == 1) {
                turn_16(a, pitch, b, to_pitch);
            } else if (bytes == 2) {
                turn_8(a, pitch, b, to_pitch);
            } else if (bytes == 4) {
                turn_4(a, pitch, b, to_pitch);
            } else if (bytes == 8) {
                turn_2(a, pitch, b, to_pitch);
#ifdef __AVX2__
            } else {
                turn_4_of_3(a, pitch, b, to_pitch);
#endif
            }
        }
    }
}
#endif

/* The bytes of pixels that lanes hold whole or, with shuffles of bytes, made wider. */
#if defined __AVX2__
#define BY_BLOCKS(bytes) ((bytes) <= 4 || (bytes) == 8)
#elif defined __SSE2__
#define BY_BLOCKS(bytes) ((bytes) == 1 || (bytes) == 2 || (bytes) == 4 || (bytes) == 8)
#endif

/* Turns a tile pixel by pixel, along the rows of the output. */
INLINE void turn_pixels(const char *from, size_t pitch, char *to, size_t to_pitch, size_t bytes,
                        size_t rows, size_t columns)
{
    for (size_t x = 0; x < columns; x++) {
        for (size_t y = 0; y < rows; y++) {
            memcpy(to + x * to_pitch + y * bytes, from + y * pitch + x * bytes, WIDE(bytes));
        }
    }
}

INLINE void turn_tile(const char *from, size_t pitch, char *to, size_t to_pitch, size_t bytes,
                      size_t rows, size_t columns)
{
#ifdef BY_BLOCKS
    if (BY_BLOCKS(bytes)) {
        turn_blocks(from, pitch, to, to_pitch, bytes, rows, columns);
        return;
    }
#endif
    turn_pixels(from, pitch, to, to_pitch, bytes, rows, columns);
}

/* --------------------------------------------------------------- transposing */

/* Transposes a part so narrow or low that its lines need no tile: as many whole blocks as there
 * are, and what is beside and below them by pixels. */
INLINE void transpose_directly(const move_part *p, size_t bytes)
{
    int64_t rows = 0, columns = 0;
#ifdef BY_BLOCKS
    if (BY_BLOCKS(bytes) && bytes != 3) {
        rows = p->height - p->height % (int64_t)(16 / bytes);
        columns = p->width - p->width % (int64_t)(VECTOR_BYTES / bytes);
        turn_blocks(p->in, (size_t)p->in_stride, p->out, (size_t)p->out_stride, bytes, (size_t)rows,
                    (size_t)columns);
    }
#endif
    for (int64_t x = 0; x < p->width; x++) {
        for (int64_t y = x < columns ? rows : 0; y < p->height; y++) {
            memcpy(p->out + x * p->out_stride + y * (int64_t)bytes,
                   p->in + y * p->in_stride + x * (int64_t)bytes, bytes);
        }
    }
}

INLINE void move_transpose(const move_part *part, size_t bytes)
{
    _Alignas(64) char from[MAX_TILE_BYTES + SLACK];
    _Alignas(64) char to[MAX_TILE_BYTES + MAX_SIDE * SLACK];
    const int64_t side = MOVE_TILE(bytes);
    const size_t pitch = (size_t)side * bytes;
    const size_t to_pitch = WIDE(bytes) > bytes ? pitch + SLACK : pitch;
    const move_part p = *part;
    if ((p.width <= FEW || p.height <= FEW) && p.in_stride >= 0 && p.out_stride >= 0 && !p.stream) {
        transpose_directly(&p, bytes);
        return;
    }
    for (int64_t y = 0; y < p.height; y += side) {
        int64_t rows = p.height - y < side ? p.height - y : side;
        for (int64_t x = 0; x < p.width; x += side) {
            int64_t columns = p.width - x < side ? p.width - x : side;
            const char *in = p.in + y * p.in_stride + x * (int64_t)bytes;
            char *out = p.out + x * p.out_stride + y * (int64_t)bytes;
            for (int64_t k = 0; k < rows; k++, in += p.in_stride) {
                if (columns == side) {
                    memcpy(from + (size_t)k * pitch, in, pitch);
                } else {
                    memcpy(from + (size_t)k * pitch, in, (size_t)columns * bytes);
                }
                if (x + side < p.width) { /* the next tile of these rows */
                    for (size_t line = 0; line < pitch; line += 64) {
                        __builtin_prefetch(in + pitch + line);
                    }
                }
            }
            turn_tile(from, pitch, to, to_pitch, bytes, (size_t)rows, (size_t)columns);
            for (int64_t k = 0; k < columns; k++, out += p.out_stride) {
                if (rows == side) {
                    move_put(out, to + (size_t)k * to_pitch, pitch, p.stream);
                } else {
                    copy_short(out, to + (size_t)k * to_pitch, (size_t)rows * bytes);
                }
            }
        }
    }
}

/* ------------------------------------------------------------------ reversing */

/* Pixels of any alignment that registers hold. */
typedef uint8_t pixel_1;
typedef uint16_t __attribute__((aligned(1), may_alias)) pixel_2;
typedef uint32_t __attribute__((aligned(1), may_alias)) pixel_4;
typedef uint64_t __attribute__((aligned(1), may_alias)) pixel_8;

#define REVERSE_LOOP(bytes)                                                           \
    static inline void reverse_loop_##bytes(const char *in, char *out, int64_t n)     \
    {                                                                                 \
        const pixel_##bytes *restrict from = (const pixel_##bytes *)(const void *)in; \
        pixel_##bytes *restrict to = (pixel_##bytes *)(void *)out;                    \
        for (int64_t i = 0; i < n; i++) {                                             \
            to[i] = from[n - 1 - i];                                                  \
        }                                                                             \
    }
REVERSE_LOOP(1)
REVERSE_LOOP(2)
REVERSE_LOOP(4)
REVERSE_LOOP(8)

#ifdef __AVX2__
/* The whole pixels of 16 bytes, the last one first. */
#define REVERSED_3 _mm_setr_epi8(12, 13, 14, 9, 10, 11, 6, 7, 8, 3, 4, 5, 0, 1, 2, -1)
#define REVERSED_6 _mm_setr_epi8(6, 7, 8, 9, 10, 11, 0, 1, 2, 3, 4, 5, -1, -1, -1, -1)
#endif

/* to = the n pixels at `from`, the last one first; SLACK lies behind `to`. Nothing behind the
 * pixels at `from` is read. */
INLINE void reverse_chunk(const char *from, char *to, int64_t n, size_t bytes)
{
    const char *last = from + (n - 1) * (int64_t)bytes;
    int64_t i = 1;
    switch (bytes) {
    case 1:
        reverse_loop_1(from, to, n);
        return;
    case 2:
        reverse_loop_2(from, to, n);
        return;
    case 4:
        reverse_loop_4(from, to, n);
        return;
    case 8:
        reverse_loop_8(from, to, n);
        return;
    default:
        memcpy(to, last, bytes); /* nothing lies behind it that might be moved along */
    }
#ifdef __AVX2__
    if (bytes == 3 || bytes == 6) {
        const int64_t held = 16 / (int64_t)bytes;
        const __m128i reversed = bytes == 3 ? REVERSED_3 : REVERSED_6;
        for (; i + held <= n; i += held) {
            const char *at = last - (i + held - 1) * (int64_t)bytes;
            __m128i v = _mm_loadu_si128((const __m128i *)(const void *)at);
            _mm_storeu_si128((__m128i *)(void *)(to + i * (int64_t)bytes),
                             _mm_shuffle_epi8(v, reversed));
        }
    }
#endif
    for (; i < n; i++) {
        memcpy(to + i * (int64_t)bytes, last - i * (int64_t)bytes, WIDE(bytes));
    }
}

INLINE void reverse(const char *in, char *out, int64_t pixels, bool stream, size_t bytes)
{
    _Alignas(64) char to[CHUNK + SLACK];
    const int64_t most = CHUNK / (int64_t)bytes / 64 * 64;
    for (int64_t i = 0; i < pixels; i += most) {
        int64_t n = pixels - i < most ? pixels - i : most;
        const char *from = in + i * (int64_t)bytes;
        /* The machine does not prefetch by itself where memory is read backwards. */
        for (int64_t line = 0; line < most * (int64_t)bytes; line += 64) {
            __builtin_prefetch(from + most * (int64_t)bytes + line);
        }
        reverse_chunk(from, to, n, bytes);
        move_put(out + (pixels - i - n) * (int64_t)bytes, to, (size_t)n * bytes, stream);
    }
}

/* ------------------------------------------------------------------ gathering */

INLINE const char *move_pixel_at(const char *in, int64_t in_stride, int64_t width, uint32_t index,
                                 size_t bytes)
{
    if (in_stride == width * (int64_t)bytes) {
        return in + (int64_t)index * (int64_t)bytes;
    }
    return in + (int64_t)(index / width) * in_stride + (int64_t)(index % width) * (int64_t)bytes;
}

INLINE void move_gather(const char *in, int64_t in_stride, int64_t width, const uint32_t *order,
                        char *out, int64_t pixels, bool stream, size_t bytes)
{
    _Alignas(64) char chunk[CHUNK + SLACK];
    const int64_t most = CHUNK / (int64_t)bytes / 64 * 64;
    for (int64_t i = 0; i < pixels; i += most) {
        int64_t n = pixels - i < most ? pixels - i : most;
        for (int64_t k = 0; k < n; k++) {
            if (i + k + AHEAD < pixels) {
                __builtin_prefetch(
                    move_pixel_at(in, in_stride, width, order[i + k + AHEAD], bytes));
            }
            memcpy(chunk + k * (int64_t)bytes,
                   move_pixel_at(in, in_stride, width, order[i + k], bytes), bytes);
        }
        move_put(out + i * (int64_t)bytes, chunk, (size_t)n * bytes, stream);
    }
}

static void move_copy(const char *in, char *out, int64_t bytes, bool stream)
{
    move_put(out, in, (size_t)bytes, stream);
}

/* ---------------------------------------------------------------- the instances */

#define INSTANCE(bytes)                                                                       \
    static void transpose_##bytes(const move_part *part)                                      \
    {                                                                                         \
        move_transpose(part, bytes);                                                          \
    }                                                                                         \
    static void reverse_##bytes(const char *in, char *out, int64_t pixels, bool stream)       \
    {                                                                                         \
        reverse(in, out, pixels, stream, bytes);                                              \
    }                                                                                         \
    static void gather_##bytes(const char *in, int64_t in_stride, int64_t width,              \
                               const uint32_t *order, char *out, int64_t pixels, bool stream) \
    {                                                                                         \
        move_gather(in, in_stride, width, order, out, pixels, stream, bytes);                 \
    }
MOVE_PIXELS(INSTANCE)

#define TRANSPOSE_ROW(bytes) [bytes] = transpose_##bytes,
#define REVERSE_ROW(bytes) [bytes] = reverse_##bytes,
#define GATHER_ROW(bytes) [bytes] = gather_##bytes,

const move_kernels SATF_ISA_NAME(move_kernels) = {
    .transpose = {MOVE_PIXELS(TRANSPOSE_ROW)},
    .reverse = {MOVE_PIXELS(REVERSE_ROW)},
    .gather = {MOVE_PIXELS(GATHER_ROW)},
    .copy = move_copy,
};
