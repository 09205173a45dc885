/* What is not kept of a file, in plain words. */
#ifndef SATF_IO_OTHERS_H
#define SATF_IO_OTHERS_H

#include <stddef.h>

/*
 * names: io_header.others, "iCCP, bKGD, abCd". The text, of at most `bytes` with its NUL, becomes
 * "colour profile, background colour and other data (abCd)". Returns how many things it names: what
 * has no word of its own is one. 0, and "", for no names.
 */
int io_describe_others(const char *names, char *text, size_t bytes);

#endif
