/*
 * The header of NumPy's .npy, for whoever reads arrays: pictures, and orders of pixels.
 * numpy.org/doc/stable/reference/generated/numpy.lib.format.html
 */
#ifndef SATF_BASE_NPY_H
#define SATF_BASE_NPY_H

#include "context.h"

#define SATF_NPY_MAGIC "\x93NUMPY"
#define SATF_NPY_DIMENSIONS 8

/* What the header's dictionary says. */
typedef struct satf_npy {
    char order, kind; /* of descr: '<' '>' '|' '=', and 'u' 'i' 'f' 'b' ... */
    char kind_text[17];
    unsigned bytes; /* of a sample; 0: of no size that is known here */
    bool big;       /* the samples' byte order */
    bool has_descr, has_fortran, has_shape, fortran;
    bool structured; /* descr lists fields */
    int dimensions;  /* more than SATF_NPY_DIMENSIONS are counted, not kept */
    int64_t shape[SATF_NPY_DIMENSIONS];
} satf_npy;

/* Reads that many bytes; fails, with a message, if there are not so many. */
typedef satf_status satf_npy_read(satf_context *ctx, void *user, void *to, size_t bytes);

/* Reads from the file's first byte to the array's. SATF_DATA, SATF_UNSUPPORTED with a sentence. */
satf_status satf_npy_read_header(satf_context *ctx, satf_npy_read *read, void *user,
                                 satf_npy *info);

#endif
