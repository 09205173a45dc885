/* What a reader has noticed beside what io_header lists, and what is not kept of a file, in plain
 * words. */
#ifndef SATF_IO_OTHERS_H
#define SATF_IO_OTHERS_H

#include "io.h"

/* Pixels name colours that their palette lacks, and are black. Known after the last row. */
void io_note_missing_colours(io_reader *reader);
bool io_has_missing_colours(const io_reader *reader);

/*
 * names: io_header.others, "iCCP, bKGD, abCd". The text, of at most `bytes` with its NUL, becomes
 * "colour profile, background colour and other data (abCd)". Returns how many things it names: what
 * has no word of its own is one. 0, and "", for no names.
 */
int io_describe_others(const char *names, char *text, size_t bytes);

#endif
