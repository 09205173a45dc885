/* Division by a constant as a multiplication; devices plan with it too. */
#include "epilogue_kernels.h"

bool epilogue_magic_find(int word, uint64_t max, uint64_t area, epilogue_magic *magic)
{
    /*
     * With 2^log <= A < 2^(log + 1) and k = word + log, both candidates for the multiplier m, 2^k /
     * A rounded up or down, fit the word (but for powers of two: 2^word, for which log is one
     * less). n = S + A div 2, at most N: - m A = 2^k + e: n m / 2^k = n / A + n e / (A 2^k). The
     * second term takes no quotient over the next integer while it is below 1 / A: e N < 2^k. - m A
     * = 2^k - e: likewise (n + 1) m / 2^k, if e (N + 1) <= 2^k. The smaller e is at most A / 2. So
     * one of them always serves while A (N + 1) <= 2^(k + 1), such as for u8 in 16 bits up to A =
     * 256 and in 32 bits up to A = 2^22.
     */
    uint64_t largest = max * area + area / 2;
    if (area < 1 || area >> 31 || largest + 1 >= (uint64_t)1 << word) {
        return false;
    }
    int log = 63 - __builtin_clzll(area);
    if ((area & (area - 1)) == 0) {
        log--;
    }
    if (log < 1) { /* 1: no multiplier fits the word; 2: kernels want a shift */
        return false;
    }
    uint64_t power = (uint64_t)1 << (word + log), down = power / area;
    uint64_t below = power - down * area, above = below ? area - below : 0;
    uint64_t up = below ? down + 1 : down;
    if (up >> word == 0 && above * largest < power) {
        *magic = (epilogue_magic){(uint32_t)up, (uint32_t)(area / 2), log};
        return true;
    }
    if (down >> word == 0 && below * (largest + 1) <= power) {
        *magic = (epilogue_magic){(uint32_t)down, (uint32_t)(area / 2 + 1), log};
        return true;
    }
    return false;
}
