/* The filters of PNG's rows, compiled for each instruction set. */
#ifndef SATF_IO_PNG_PNG_KERNELS_H
#define SATF_IO_PNG_PNG_KERNELS_H

#include <stddef.h>
#include <stdint.h>

/* The numbers that stand in a file in front of each row. */
enum { IO_PNG_NONE, IO_PNG_SUB, IO_PNG_UP, IO_PNG_AVERAGE, IO_PNG_PAETH, IO_PNG_FILTERS };

/* n: the row's bytes; `above` is the row above. `step` is the number of bytes from a byte to the
 * one of the pixel on its left. Both rows have `step` bytes of 0 in front of them. */
typedef struct io_png_kernels {
    /* to = the filtered row. */
    void (*filter)(int filter, size_t n, size_t step, const uint8_t *row, const uint8_t *above,
                   uint8_t *to);
    /* to = the row that was filtered to `from`. to and the row above need no bytes of 0. */
    void (*restore)(int filter, size_t n, size_t step, const uint8_t *from, const uint8_t *above,
                    uint8_t *to);
    /* The filter that leaves the least sum of magnitudes, bytes taken as -128 ... 127; of equal
     * ones that of the smallest number. */
    int (*choose)(size_t n, size_t step, const uint8_t *row, const uint8_t *above);
    /* How many bytes differ from what the three around them, left and above, let expect: less the
     * byte above they are not what the byte on the left is. */
    size_t (*surprises)(size_t n, size_t step, const uint8_t *row, const uint8_t *above);
} io_png_kernels;

extern const io_png_kernels io_png_kernels_base;
#ifdef SATF_HAVE_X86_ISA
extern const io_png_kernels io_png_kernels_avx2, io_png_kernels_avx512;
#endif

#endif
