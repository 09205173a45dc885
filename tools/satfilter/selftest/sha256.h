/* SHA-256 (FIPS 180-4). */
#ifndef SATFILTER_SHA256_H
#define SATFILTER_SHA256_H

#include <stddef.h>
#include <stdint.h>

typedef struct sha256 {
    uint32_t state[8];
    uint64_t bytes; /* taken so far */
    unsigned char block[64];
} sha256;

enum { SHA256_HEX = 65 }; /* a digest in hexadecimal digits, and the zero behind it */

void sha256_start(sha256 *sha);
void sha256_add(sha256 *sha, const void *data, size_t bytes);

/* The digest of all that was added; *sha has to be started again afterwards. */
void sha256_end(sha256 *sha, char hex[SHA256_HEX]);

#endif
