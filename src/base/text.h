/*
 * Texts that leave the library for people: messages, notes, reasons. What they quote from outside
 * is escaped here, where they are formed (satf_text_escape()). Escaping a text once more does not
 * change it.
 */
#ifndef SATF_BASE_TEXT_H
#define SATF_BASE_TEXT_H

#include <stdarg.h>
#include <stddef.h>

/* Print as snprintf() and vsnprintf() do, escaped. What does not fit ends with a whole character or
 * escape. */
void satf_text(char *to, size_t bytes, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void satf_vtext(char *to, size_t bytes, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));

/* For "%.*s": text, but at most so many bytes, and no half of a character or escape. */
#define SATF_MOST(text, bytes) satf_text_most((text), (bytes)), (text)
int satf_text_most(const char *text, size_t bytes);

#endif
