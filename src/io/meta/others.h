/* The parts of a file that are not kept, in plain words. */
#ifndef SATF_IO_META_OTHERS_H
#define SATF_IO_META_OTHERS_H

#include "../io.h"

/*
 * names: io_header.others, "iCCP, bKGD, abCd". The text, of at most `bytes` with its NUL, becomes
 * "colour profile, background colour and other data (abCd)". Returns the verb that it takes: "is",
 * or "are" of several things and of a plural. NULL, and "", for no names.
 */
const char *io_describe_others(const char *names, char *text, size_t bytes);

/* The kinds of metadata, IO_KEEPS_..., that the picture has and the plan's format cannot hold: no
 * text and no tags, which have names of their own. */
unsigned io_find_lost(const io_plan *plan, const satf_metadata *metadata);

/* The part of a sentence that names these kinds: "orientation and EXIF". */
const char *io_describe_lost(unsigned kinds, char *text, size_t bytes);

/* Up to two formats that hold them: "PNG and JPEG". */
void io_name_keepers(unsigned kinds, const satf_metadata *metadata, char *text, size_t bytes);

#endif
