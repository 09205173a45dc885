/* Computing SHA-256. */
#include "sha256.h"

#include <stdio.h>
#include <string.h>

/* The first 32 bits of the fractions of the cube roots of the first 64 primes (section 4.2.2). */
static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t sha256_rotate(uint32_t x, int bits)
{
    return x >> bits | x << (32 - bits);
}

/* Section 6.2.2; w: the message schedule. */
static void sha256_take_block(uint32_t state[8], const unsigned char *block)
{
    uint32_t w[64], s[8];
    for (int t = 0; t < 64; t++) {
        if (t < 16) {
            const unsigned char *b = block + 4 * t;
            w[t] = (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
        } else {
            uint32_t x = w[t - 15], y = w[t - 2];
            w[t] = w[t - 16] + w[t - 7] + (sha256_rotate(x, 7) ^ sha256_rotate(x, 18) ^ x >> 3) +
                   (sha256_rotate(y, 17) ^ sha256_rotate(y, 19) ^ y >> 10);
        }
    }
    /* a ... h are s[0] ... s[7] in the first round, and one place before in each that follows. */
    memcpy(s, state, sizeof s);
    for (unsigned t = 0; t < 64; t++) {
        uint32_t a = s[-t & 7], b = s[(1 - t) & 7], c = s[(2 - t) & 7];
        uint32_t e = s[(4 - t) & 7], f = s[(5 - t) & 7], g = s[(6 - t) & 7];
        uint32_t first = s[(7 - t) & 7] +
                         (sha256_rotate(e, 6) ^ sha256_rotate(e, 11) ^ sha256_rotate(e, 25)) +
                         ((e & f) ^ (~e & g)) + constants[t] + w[t];
        uint32_t second = (sha256_rotate(a, 2) ^ sha256_rotate(a, 13) ^ sha256_rotate(a, 22)) +
                          ((a & b) ^ (a & c) ^ (b & c));
        s[(3 - t) & 7] += first;
        s[(7 - t) & 7] = first + second;
    }
    for (int i = 0; i < 8; i++) {
        state[i] += s[i];
    }
}

void sha256_start(sha256 *sha)
{
    *sha = (sha256){.state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
                              0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

void sha256_add(sha256 *sha, const void *data, size_t bytes)
{
    const unsigned char *from = data;
    for (size_t i = 0; i < bytes; i++) {
        sha->block[sha->bytes++ % 64] = from[i];
        if (sha->bytes % 64 == 0) {
            sha256_take_block(sha->state, sha->block);
        }
    }
}

/* Behind the message come a bit of 1, zeros, and its length in bits (section 5.1.1). */
void sha256_end(sha256 *sha, char hex[SHA256_HEX])
{
    uint64_t bits = sha->bytes * 8;
    unsigned char length[8];
    for (int i = 0; i < 8; i++) {
        length[i] = (unsigned char)(bits >> (56 - 8 * i));
    }
    sha256_add(sha, "\x80", 1);
    while (sha->bytes % 64 != 56) {
        sha256_add(sha, "", 1);
    }
    sha256_add(sha, length, sizeof length);
    for (int i = 0; i < 8; i++) {
        snprintf(hex + 8 * i, 9, "%08x", sha->state[i]);
    }
}
