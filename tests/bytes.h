/* Files in memory, made and changed byte by byte. */
#ifndef TESTS_BYTES_H
#define TESTS_BYTES_H

#include "test.h"

/* A file that grows, in just as much of the heap as it takes: a sanitizer sees reads behind it. */
typedef struct bytes {
    unsigned char *data;
    size_t n;
} bytes;

static inline void release_bytes(bytes *b)
{
    free(b->data);
}

/* SCOPED_BYTES file = must_encode(...): goes with its block. */
#define SCOPED_BYTES __attribute__((unused, cleanup(release_bytes))) bytes

/* A text with zeros in it, and how long it is: two arguments, or two fields of a row. */
#define DATA(text) text, sizeof text - 1

/* How many rows a table has. */
#define ROWS_OF(table) (sizeof(table) / sizeof *(table))

static inline void store_big(unsigned char *to, uint64_t value, int n)
{
    for (int i = 0; i < n; i++) {
        to[i] = (unsigned char)(value >> 8 * (n - 1 - i));
    }
}

static inline void store_little(unsigned char *to, uint64_t value, int n)
{
    for (int i = 0; i < n; i++) {
        to[i] = (unsigned char)(value >> 8 * i);
    }
}

/* n bytes in place of `cut` others at an offset; data NULL: zeros. */
static inline void replace_bytes(bytes *b, size_t at, size_t cut, const void *data, size_t n)
{
    assert_true(at + cut <= b->n);
    unsigned char *made = calloc(b->n - cut + n + (b->n + n == cut), 1);
    assert_non_null(made);
    size_t behind = b->n - at - cut;
    if (at > 0) {
        memcpy(made, b->data, at);
    }
    if (data && n > 0) {
        memcpy(made + at, data, n);
    }
    if (behind > 0) {
        memcpy(made + at + n, b->data + at + cut, behind);
    }
    free(b->data);
    *b = (bytes){made, at + n + behind};
}

static inline void append_bytes(bytes *b, const void *data, size_t n)
{
    replace_bytes(b, b->n, 0, data, n);
}

static inline bytes bytes_of(const void *data, size_t n)
{
    bytes b = {0};
    append_bytes(&b, data, n);
    return b;
}

static inline bytes copy_of(const bytes *b)
{
    return bytes_of(b->data, b->n);
}

static inline void assert_bytes(const char *what, const void *got, size_t n, const void *want,
                                size_t want_bytes)
{
    if (n != want_bytes || (n > 0 && memcmp(got, want, n) != 0)) {
        fail_msg("%s: %zu bytes became %zu, or others", what, want_bytes, n);
    }
}

static inline bool holds(const bytes *b, const void *part, size_t n)
{
    return b->n > 0 && memmem(b->data, b->n, part, n) != NULL;
}

/* Where it is, and it is there. */
static inline size_t find_text(const bytes *b, const void *part, size_t n)
{
    const unsigned char *at = memmem(b->data, b->n, part, n);
    assert_non_null(at);
    return (size_t)(at - b->data);
}

#endif
