/*
 * Formats whose library not everyone has are shared objects, libsatfilter-NAME, linked to that
 * library and opened when a file of the format is first read or written. They call the library by
 * a list of services, and so serve whatever program has the library in itself.
 */
#ifndef SATF_IO_MODULE_H
#define SATF_IO_MODULE_H

#include "../base/memory.h"
#include "../base/share.h"
#include "codec.h"
#include "meta/description.h"

/* CALL and, where nothing is returned, DO(type, name, parameters, arguments) for each service:
 * functions of the library, by their names. */
#define IO_SERVICES(CALL, DO)                                                                      \
    CALL(void *, satf_alloc, (size_t bytes), (bytes))                                              \
    CALL(void *, satf_alloc_zeroed, (size_t bytes), (bytes))                                       \
    DO(void, satf_free, (void *memory), (memory))                                                  \
    CALL(bool, satf_has_memory, (size_t bytes), (bytes))                                           \
    CALL(bool, satf_charge_add, (satf_charge * charge, size_t bytes), (charge, bytes))             \
    DO(void, satf_charge_drop, (satf_charge * charge), (charge))                                   \
    CALL(satf_status, satf_ask_callback, (satf_context * ctx), (ctx))                              \
    CALL(satf_status, satf_share_reserve, (satf_context * ctx, uint64_t bytes), (ctx, bytes))      \
    CALL(satf_status, satf_copy_block,                                                             \
         (satf_context * ctx, const void *from, size_t bytes, unsigned char **to,                  \
          size_t *to_bytes),                                                                       \
         (ctx, from, bytes, to, to_bytes))                                                         \
    DO(void, satf_exif_make_orientation,                                                           \
       (unsigned orientation, unsigned char exif[SATF_EXIF_ORIENTATION_BYTES]),                    \
       (orientation, exif))                                                                        \
    CALL(satf_status, satf_exif_of_tags,                                                           \
         (satf_context * ctx, const satf_tags *tags, unsigned char **exif, size_t *bytes),         \
         (ctx, tags, exif, bytes))                                                                 \
    CALL(satf_status, satf_exif_to_tags,                                                           \
         (satf_context * ctx, const unsigned char *exif, size_t bytes, satf_tags *tags,            \
          bool *damaged),                                                                          \
         (ctx, exif, bytes, tags, damaged))                                                        \
    CALL(bool, io_description_fits,                                                                \
         (const satf_metadata *metadata, const io_plan *plan, int64_t pages),                      \
         (metadata, plan, pages))                                                                  \
    CALL(satf_status, io_description_make,                                                         \
         (satf_context * ctx, const satf_tag *tag, const io_plan *plan, unsigned char **text,      \
          size_t *bytes),                                                                          \
         (ctx, tag, plan, text, bytes))                                                            \
    CALL(size_t, io_source_look, (const io_source *source, int64_t offset, void *dst, size_t n),   \
         (source, offset, dst, n))                                                                 \
    CALL(satf_status, io_source_slurp,                                                             \
         (satf_context * ctx, io_source * source, const unsigned char **data, size_t *bytes,       \
          void **owned),                                                                           \
         (ctx, source, data, bytes, owned))                                                        \
    DO(void, io_source_open_memory, (const void *data, size_t bytes, io_source *source),           \
       (data, bytes, source))                                                                      \
    CALL(satf_status, io_write,                                                                    \
         (satf_context * ctx, io_writer * writer, const void *bytes, size_t n),                    \
         (ctx, writer, bytes, n))                                                                  \
    CALL(unsigned, satf_exif_orientation, (const unsigned char *exif, size_t bytes),               \
         (exif, bytes))                                                                            \
    CALL(satf_status, io_fail_short, (satf_context * ctx, const io_source *source), (ctx, source)) \
    CALL(satf_status, io_check_bytes, (satf_context * ctx, uint64_t bytes), (ctx, bytes))          \
    CALL(satf_status, io_check_size,                                                               \
         (satf_context * ctx, int64_t width, int64_t height, int64_t pixel_bytes),                 \
         (ctx, width, height, pixel_bytes))                                                        \
    CALL(satf_status, io_check_ratio,                                                              \
         (satf_context * ctx, const io_source *source, uint64_t samples, unsigned bits,            \
          const char *end, size_t end_bytes),                                                      \
         (ctx, source, samples, bits, end, end_bytes))                                             \
    DO(void, io_header_set,                                                                        \
       (io_header * header, int64_t width, int64_t height, int channels, satf_type type,           \
        bool alpha, double maxval),                                                                \
       (header, width, height, channels, type, alpha, maxval))                                     \
    DO(void, io_set_resolution, (satf_metadata * metadata, double x, double y, io_per unit),       \
       (metadata, x, y, unit))                                                                     \
    CALL(satf_status, io_wrap_iptc,                                                                \
         (satf_context * ctx, const unsigned char *iptc, size_t bytes, satf_metadata *metadata),   \
         (ctx, iptc, bytes, metadata))                                                             \
    CALL(bool, io_icc_fits, (const satf_metadata *metadata, int channels), (metadata, channels))   \
    DO(void, io_list_name, (char *list, size_t bytes, const char *name), (list, bytes, name))      \
    DO(void, io_list_text,                                                                         \
       (char *list, size_t bytes, const char *quote, const void *text, size_t n),                  \
       (list, bytes, quote, text, n))                                                              \
    CALL(size_t, io_make_icc,                                                                      \
         (const satf_metadata *metadata, int channels, unsigned char icc[IO_ICC_BYTES]),           \
         (metadata, channels, icc))                                                                \
    CALL(size_t, satf_type_bytes, (int type), (type))                                              \
    CALL(uint64_t, satf_type_max, (int type), (type))                                              \
    DO(void, io_swap_bytes, (void *samples, size_t count, size_t sample_bytes),                    \
       (samples, count, sample_bytes))

/* Both sides share the insides of structs, so they must be of one version and one build. */
typedef struct io_services {
    char version[32];
    size_t bytes[5]; /* of this struct, satf_context, io_reader, io_writer and io_format */
#define IO_MEMBER(type, name, parameters, arguments) type(*name) parameters;
    IO_SERVICES(IO_MEMBER, IO_MEMBER)
#undef IO_MEMBER
} io_services;

#define IO_SERVICES_SIZES                                                                \
    {                                                                                    \
        sizeof(io_services), sizeof(satf_context), sizeof(io_reader), sizeof(io_writer), \
            sizeof(io_format)                                                            \
    }

/* The one symbol that a module exports: puts its functions into the row of the table, or returns
 * false where the services are another build's. */
#define IO_MODULE_ENTRY satf_format_module
#define IO_MODULE_ENTRY_NAME "satf_format_module"
typedef bool (*io_module_entry)(const io_services *services, io_format *format);
bool IO_MODULE_ENTRY(const io_services *services, io_format *format)
    __attribute__((visibility("default")));

#endif
