/* The common ground of the JPEG reader and writer: libjpeg's state, and errors as messages. */
#ifndef SATF_IO_JPEG_JPEG_COMMON_H
#define SATF_IO_JPEG_JPEG_COMMON_H

#include <stdio.h>

#include <jpeglib.h>
#include <setjmp.h>

#include "../codec.h"

typedef struct io_jpeg_state {
    satf_context *ctx; /* of the call in progress */
    satf_status status;
    jmp_buf jump;
    struct jpeg_error_mgr errors;
    union {
        struct jpeg_decompress_struct in;
        struct jpeg_compress_struct out;
    } c;
    bool started;
    struct jpeg_source_mgr from;
    struct jpeg_progress_mgr progress;
    io_source *source;
    int64_t segments; /* that libjpeg has kept */
    bool in_header;
    bool icc_damaged, segments_damaged, bytes_damaged; /* see io_header */
    struct jpeg_destination_mgr to;
    io_writer *writer;     /* NULL: reading */
    unsigned char *row;    /* CMYK, before it becomes RGB */
    unsigned char *buffer; /* on the way to its file */
    satf_charge charge;    /* what libjpeg allocates, by and large */
} io_jpeg_state;

/* Markers of metadata, and what their data begin with, the NUL at the end of each included. */
enum {
    IO_JPEG_APP1 = JPEG_APP0 + 1,
    IO_JPEG_APP2,
    IO_JPEG_APP11 = JPEG_APP0 + 11,
    IO_JPEG_APP13 = JPEG_APP0 + 13
};
#define IO_JPEG_MORE_XMP_LEAD "http://ns.adobe.com/xmp/extension/"
#define IO_JPEG_IPTC_LEAD "Photoshop 3.0"

/* Fails with state->status, or else with libjpeg's message. */
_Noreturn void io_jpeg_stop(j_common_ptr cinfo);

/* Sends the errors of *err, which is state->c's, to io_jpeg_stop(). */
void io_jpeg_set_errors(io_jpeg_state *state, struct jpeg_error_mgr **err);

/* A jpeg_progress_mgr's, which libjpeg calls once a row of blocks of each pass: asks the callback.
 */
void io_jpeg_tick(j_common_ptr cinfo);

/* Frees what the state owns. */
void io_jpeg_destroy(io_jpeg_state *state);

/* io_format.held_bytes: of coefficients, at most, 16 bits each. */
uint64_t io_jpeg_held_bytes(const satf_context *ctx, const io_plan *plan,
                            const satf_metadata *metadata);

/* Called behind jpeg_read_header(): notes what io_jpeg_set_coding() wants to know of a grey or
 * colour JPEG. */
void io_jpeg_note_coding(const struct jpeg_decompress_struct *cinfo, satf_jpeg_coding *coding);

/* Called behind jpeg_set_defaults(). Quality 0: as `coding` says, else 90. Sampling and scans are
 * always those of `coding`, unless that is NULL or of another number of components. SATF_LIMIT if
 * this takes too much memory. */
satf_status io_jpeg_set_coding(satf_context *ctx, struct jpeg_compress_struct *cinfo, int quality,
                               const satf_jpeg_coding *coding);

/* Counts what libjpeg will hold beside coefficients: rows of so many components, on their way. */
satf_status io_jpeg_charge(io_jpeg_state *state, uint64_t coefficients_bytes, JDIMENSION width,
                           int components);

/* Samples that are coded of all components, those included that fill up blocks and units of
 * blocks. */
uint64_t io_jpeg_coded_samples(const jpeg_component_info *components, int count, JDIMENSION width,
                               JDIMENSION height);

bool io_jpeg_probe(const unsigned char *head, size_t n);
satf_status io_jpeg_open(satf_context *ctx, io_reader *reader);
satf_status io_jpeg_rows(satf_context *ctx, io_reader *reader, void *dst, int64_t stride,
                         int64_t n);
void io_jpeg_close(io_reader *reader);

#endif
