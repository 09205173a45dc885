/* Numbers of up to 8 bytes, at any address: in the machine's byte order, or as files have them. */
#ifndef SATF_IO_NUMBERS_H
#define SATF_IO_NUMBERS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define IO_LITTLE_ENDIAN (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)

/* A number of so many bytes, in the machine's order. In loops over samples n is a constant
 * where this is expanded. */
static inline uint64_t io_load(const void *at, size_t n)
{
    uint64_t value = 0;
    memcpy((char *)&value + (IO_LITTLE_ENDIAN ? 0 : sizeof value - n), at, n);
    return value;
}

static inline void io_store(void *to, uint64_t value, size_t n)
{
    memcpy(to, (const char *)&value + (IO_LITTLE_ENDIAN ? 0 : sizeof value - n), n);
}

/* The most significant byte comes first. */
static inline uint64_t io_load_big(const unsigned char *at, size_t n)
{
    uint64_t value = 0;
    for (size_t i = 0; i < n; i++) {
        value = value << 8 | at[i];
    }
    return value;
}

static inline void io_store_big(unsigned char *to, uint64_t value, size_t n)
{
    for (size_t i = n; i-- > 0; value >>= 8) {
        to[i] = (unsigned char)value;
    }
}

/* The least significant byte comes first. */
static inline uint64_t io_load_little(const unsigned char *at, size_t n)
{
    uint64_t value = 0;
    for (size_t i = n; i-- > 0;) {
        value = value << 8 | at[i];
    }
    return value;
}

static inline void io_store_little(unsigned char *to, uint64_t value, size_t n)
{
    for (size_t i = 0; i < n; i++, value >>= 8) {
        to[i] = (unsigned char)value;
    }
}

#endif
