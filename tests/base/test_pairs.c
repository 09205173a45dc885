/* Thinned products (pairs.h): each pair of values occurs, in far fewer cases. */
#include "test.h"

#include "pairs.h"

enum { MOST = 6 };

typedef struct product {
    size_t parameters;
    int values[MOST], cases, most; /* all cases, and the most that a thinned run may take */
} product;

static const product products[] = {
    {2, {3, 5}, 15, 15},
    {3, {2, 2, 2}, 8, 7},
    {4, {4, 6, 2, 5}, 240, 80},
    {6, {4, 4, 6, 2, 5, 8}, 7680, 300},
};

typedef bool (*taker)(pairs *p, const int *value, size_t count);

/* How many cases are taken. *lacking: pairs of values that occur in none of them. */
static int walk(const product *of, taker take, int *lacking)
{
    static pairs thinned, occur;
    memset(&thinned, 0, sizeof thinned);
    memset(&occur, 0, sizeof occur);
    int taken = 0;
    for (int i = 0; i < of->cases; i++) {
        int value[MOST], rest = i;
        for (size_t k = of->parameters; k-- > 0; rest /= of->values[k]) {
            value[k] = rest % of->values[k];
        }
        if (take(&thinned, value, of->parameters)) {
            taken++;
            for (size_t k = 1; k < of->parameters; k++) {
                for (size_t j = 0; j < k; j++) {
                    occur.met[k][value[k]][j][value[j]] = true;
                }
            }
        }
    }
    *lacking = 0;
    for (size_t k = 1; k < of->parameters; k++) {
        for (size_t j = 0; j < k; j++) {
            for (int v = 0; v < of->values[k] * of->values[j]; v++) {
                *lacking += !occur.met[k][v / of->values[j]][j][v % of->values[j]];
            }
        }
    }
    return taken;
}

/* What looks like a sample and is none. */
static bool every_fourth(pairs *p, const int *value, size_t count)
{
    static int calls;
    (void)p, (void)value, (void)count;
    return calls++ % 4 == 0;
}

TEST(test_each_pair_occurs)
{
    for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
        int lacking, taken = walk(&products[i], pairs_meet, &lacking);
        assert_int_equal(lacking, 0);
        assert_in_range(taken, 1, products[i].most);
        assert_true(walk(&products[i], every_fourth, &lacking) < products[i].cases);
        assert_true(lacking > 0);
    }
}

/* All cases run where nothing is thinned, and where CHECK_FULL=1 says so. */
TEST(test_who_is_thinned)
{
    static const char *const texts[] = {NULL, "", "0", "1"};
    static pairs p;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        bool all = !PAIRS_SANITIZED || i == 3;
        memset(&p, 0, sizeof p);
        if (texts[i]) {
            setenv("CHECK_FULL", texts[i], 1);
        } else {
            unsetenv("CHECK_FULL");
        }
        assert_true(PAIRS_RUN(&p, 0, 0, 1));
        assert_true(PAIRS_RUN(&p, 1, 0, 0));
        assert_true(PAIRS_RUN(&p, 0, 0, 1) == all);
        assert_true(PAIRS_RUN(&p, 1, 0, 1));
    }
    unsetenv("CHECK_FULL");
}
