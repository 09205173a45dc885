/* The functions that codecs share: the table's entries, and how they take and give bytes. */
#ifndef SATF_IO_CODEC_H
#define SATF_IO_CODEC_H

#include "../base/memory.h"
#include "../base/view.h"
#include "io.h"
#include "numbers.h"

extern const io_format io_png, io_jpeg, io_pnm, io_pfm, io_npy, io_bmp, io_gif, io_psd, io_hdr,
    io_tga, io_tiff, io_webp;

#define IO_TYPE_BIT(type) (1u << (type))
/* Of plain values: all but bf16, which no format has. */
#define IO_VALUE_TYPES (IO_TYPE_BIT(SATF_BF16) - 1)

/* Is word, of n characters, in the blank-separated list, in whatever case? */
bool io_list_has(const char *list, const char *word, size_t n);

/* ------------------------------------------------------------------ source */

satf_status io_source_open_fd(satf_context *ctx, int fd, io_source *source); /* owns fd then */
satf_status io_source_open_calls(satf_context *ctx, const satf_file_calls *calls,
                                 io_source *source);
void io_source_open_memory(const void *data, size_t bytes, io_source *source);
void io_source_close(io_source *source);

/* Another source of the same bytes, from their start, which must not outlive it; they can be read
 * at any position. */
satf_status io_source_open_beside(satf_context *ctx, const io_source *of, io_source *source);

/* Reads more when nothing is at hand; false at the end. */
bool io_source_fill(io_source *source);

/* Reads until n bytes (few: a head) are at hand, or the end. Returns the number at hand. */
size_t io_source_peek(io_source *source, size_t n);

/* Peeks like io_source_peek(), but does not wait for a pipe. */
size_t io_source_peek_ready(io_source *source, size_t n);

/* The number of bytes that have been taken. */
int64_t io_source_taken(const io_source *source);

/* Goes to that many bytes behind the start. Only where source->bytes >= 0; failure looks like
 * the end. */
void io_source_seek(io_source *source, int64_t offset);

/* Copies n bytes from that many behind the start on, fewer only at the end, and takes none.
 * Only where source->bytes >= 0. Returns the number copied. */
size_t io_source_look(const io_source *source, int64_t offset, void *dst, size_t n);

/* Takes n bytes; fewer only at the end. Returns the number taken. */
size_t io_source_read(io_source *source, void *dst, size_t n);

/* The next byte, or -1 at the end. */
static inline int io_source_byte(io_source *source)
{
    return source->at < source->end || io_source_fill(source) ? *source->at++ : -1;
}

/* Reads all that is left into memory: *data stays valid until io_source_close(); it is *owned
 * (satf_free) unless NULL. */
satf_status io_source_slurp(satf_context *ctx, io_source *source, const unsigned char **data,
                            size_t *bytes, void **owned);

/* Why bytes are missing: SATF_CANCELLED, SATF_IO after a read error, else SATF_DATA for a truncated
 * file, which is known of a source that is NULL. */
satf_status io_fail_short(satf_context *ctx, const io_source *source);

/* ---------------------------------------------------------------- metadata */

#define IO_METRES_PER_INCH 0.0254

/* What EXIF and XMP begin with in a JPEG's markers, the NUL at the end included. */
#define IO_JPEG_EXIF_LEAD "Exif\0"
#define IO_JPEG_XMP_LEAD "http://ns.adobe.com/xap/1.0/"

/* Is the picture's profile one of pixels of so many channels? */
bool io_icc_fits(const satf_metadata *metadata, int channels);

/* The colours that it is of: "CMYK"; NULL: there is none, or it does not say. */
const char *io_icc_colours(const satf_metadata *metadata);

enum { IO_ICC_BYTES = 1024 };

/* An ICC profile, for 1 or 3 channels, that says what gamma and chromaticities say; sRGB's stand in
 * for either that is missing. Returns its size. 0: neither is there, or the picture is sRGB, which
 * a file without a profile is too, or they are none that a profile can hold. */
size_t io_make_icc(const satf_metadata *metadata, int channels, unsigned char icc[IO_ICC_BYTES]);

/* ------------------------------------------------------------------ header */

/* The name of the format, one of those that are not read, of a file that begins so: "HEIC"; NULL:
 * nobody knows. */
const char *io_foreign_name(const unsigned char *head, size_t n);

/* The program that makes pictures of a format of that name, as the second half of a sentence. */
const char *io_foreign_advice(const char *name);
#define IO_RAW_ADVICE "dcraw -T or darktable-cli makes a picture of it"

/* Fills view, range and picture type for integers up to maxval, or floats (maxval 0) of unknown
 * range. */
void io_header_set(io_header *header, int64_t width, int64_t height, int channels, satf_type type,
                   bool alpha, double maxval);

/* Pixels across and down in a unit. Where the file does not name both they are not above 0; equal
 * ones of no known unit say nothing. */
typedef enum io_per { IO_PER_UNKNOWN, IO_PER_INCH, IO_PER_CENTIMETRE, IO_PER_METRE } io_per;
void io_set_resolution(satf_metadata *metadata, double x, double y, io_per unit);

/* IPTC alone becomes what it is everywhere else: a block of Photoshop's resources, number 0x0404.
 */
satf_status io_wrap_iptc(satf_context *ctx, const unsigned char *iptc, size_t bytes,
                         satf_metadata *metadata);

/* What follows from the metadata that a codec has found, once more where some have come late:
 * EXIF's resolution is the picture's if the format names none, and a profile of other colours than
 * the pixels' goes. */
void io_header_settle(io_header *header);

/* Adds the name to the list, whose room is `bytes`, unless it is there. A list that is full ends in
 * "...". */
void io_list_name(char *list, size_t bytes, const char *name);

/* Adds the beginning of a text, up to a zero and at most 40 bytes, between quotes. */
void io_list_text(char *list, size_t bytes, const char *quote, const void *text, size_t n);

/* Makes upright the picture that the reader has just gone to: from now on the header is that of the
 * turned one. */
void io_turn_upright(io_reader *reader);

/* After the last row: SATF_UNSUPPORTED if the orientation has come with it, too late. */
satf_status io_check_upright(satf_context *ctx, const io_reader *reader);

/* SATF_OK if a picture of that size may be decoded, within the context's limits. */
satf_status io_check_size(satf_context *ctx, int64_t width, int64_t height, int64_t pixel_bytes);

/* SATF_LIMIT unless so many bytes may be allocated; for sizes that a file claims. */
satf_status io_check_bytes(satf_context *ctx, uint64_t bytes);

/* Pages of so few pixels together are no bomb. */
enum { IO_FEW_PIXELS = 1 << 24 };

/* SATF_LIMIT if the samples that a compressed file stands for, so many, of so many bits, are too
 * many times as large as the file is known to be. A file without `end`, the bytes that its format
 * closes with, near its end is short because it is truncated: SATF_DATA. */
satf_status io_check_ratio(satf_context *ctx, const io_source *source, uint64_t samples,
                           unsigned bits, const char *end, size_t end_bytes);

/* SATF_NO_MEMORY: none for the state of a "reader" or a "writer" of that format. */
satf_status io_fail_state(satf_context *ctx, size_t bytes, const io_format *format,
                          const char *what);

/* The status of a format's function, which began with errno 0. A library that got no memory may say
 * that the file is damaged; errno tells, and the status is SATF_NO_MEMORY. */
satf_status io_settle_memory(satf_context *ctx, const io_format *format, satf_status status);

/* -------------------------------------------------------------- conversions */

/* Is alpha of the row, whose samples are plan->in's, alpha_max everywhere? */
bool io_row_is_opaque(const io_plan *plan, const char *row);

/* Light that a colour's ink and black let through, of what each lets through alone: c * k, without
 * colour management. */
static inline unsigned io_ink_to_light(unsigned c, unsigned k, unsigned maxval)
{
    return (unsigned)((2 * (uint64_t)c * k + maxval) / (2 * (uint64_t)maxval));
}

/* ------------------------------------------------------------------- bytes */

/* Reverses the bytes of count samples of so many bytes each. */
void io_swap_bytes(void *samples, size_t count, size_t sample_bytes);

/* Writes to the writer's file, and counts. */
satf_status io_write(satf_context *ctx, io_writer *writer, const void *bytes, size_t n);

#endif
