/* The distance of two words. */
#include "spelling.h"

static int least(int a, int b)
{
    return a < b ? a : b;
}

int spelling_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    int d[SPELLING_MAX + 1][SPELLING_MAX + 1];
    for (size_t i = 0; i <= a_length; i++) {
        for (size_t j = 0; j <= b_length; j++) {
            if (i == 0 || j == 0) {
                d[i][j] = (int)(i + j);
                continue;
            }
            int replaced = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            d[i][j] = least(replaced, 1 + least(d[i - 1][j], d[i][j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
            }
        }
    }
    return d[a_length][b_length];
}
