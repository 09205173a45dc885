/* Random numbers for the layouts that take some. */
#include <string.h>

#include "machine.h"

static uint64_t draw_next(machine_random *random)
{
    uint64_t z = random->state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

uint32_t machine_random_below(machine_random *random, uint32_t bound)
{
    /* The high half of a product is uniform but for 2^32 mod bound low halves,
     * which are drawn again. */
    for (;;) {
        uint64_t product = (draw_next(random) >> 32) * bound;
        if ((uint32_t)product >= bound || (uint32_t)product >= -bound % bound) {
            return (uint32_t)(product >> 32);
        }
    }
}

void machine_random_permutation(machine_random *random, uint32_t *out, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = machine_random_below(random, i + 1);
        if (at != i) {
            out[i] = out[at];
        }
        out[at] = i;
    }
}

/* What a line of a layout list says of random numbers. */
typedef struct layout_line {
    const char *name;
    uint32_t permutations, numbers;
} layout_line;

static layout_line line_2d(layout_2d layout, uint32_t w)
{
    switch (layout) {
#define LAYOUT_CASE(NAME, function, name, permutations, numbers, rows, padding) \
    case LAYOUT_##NAME:                                                         \
        return (layout_line){name, permutations, numbers};
        LAYOUTS_2D(LAYOUT_CASE)
#undef LAYOUT_CASE
    default:
        return (layout_line){NULL, 0, 0};
    }
}

static layout_line line_4d(layout_4d layout, uint32_t w)
{
    switch (layout) {
#define LAYOUT_CASE(NAME, function, name, permutations, numbers) \
    case LAYOUT_##NAME:                                          \
        return (layout_line){name, permutations, numbers};
        LAYOUTS_4D(LAYOUT_CASE)
#undef LAYOUT_CASE
    default:
        return (layout_line){NULL, 0, 0};
    }
}

static uint32_t count_numbers(const layout_line *line, uint32_t w)
{
    return line->permutations * w + line->numbers;
}

static void draw_draw(const layout_line *line, uint32_t w, machine_random *random, uint32_t *r)
{
    uint32_t permutation[MACHINE_MAX_WIDTH], at = 0;
    memset(r, 0, layout_registers(w, count_numbers(line, w)) * sizeof *r);
    for (uint32_t p = 0; p < line->permutations; p++) {
        machine_random_permutation(random, permutation, w);
        for (uint32_t i = 0; i < w; i++) {
            layout_put_number(w, r, at++, permutation[i]);
        }
    }
    for (uint32_t i = 0; i < line->numbers; i++) {
        layout_put_number(w, r, at++, machine_random_below(random, w));
    }
}

uint32_t layout_2d_numbers(layout_2d layout, uint32_t w)
{
    layout_line line = line_2d(layout, w);
    return count_numbers(&line, w);
}

void layout_2d_draw(layout_2d layout, uint32_t w, machine_random *random, uint32_t *r)
{
    layout_line line = line_2d(layout, w);
    draw_draw(&line, w, random, r);
}

void layout_rap_draw_spread(uint32_t w, uint32_t part, machine_random *random, uint32_t *r)
{
    uint32_t residue[MACHINE_MAX_WIDTH], which[MACHINE_MAX_WIDTH], numbers[MACHINE_MAX_WIDTH];
    uint32_t parts = w / part;
    memset(r, 0, layout_registers(w, w) * sizeof *r);
    for (uint32_t x = 0; x < part; x++) { /* which part gets which number of residue x */
        machine_random_permutation(random, which, parts);
        for (uint32_t p = 0; p < parts; p++) {
            numbers[p * part + x] = which[p] * part + x;
        }
    }
    for (uint32_t p = 0; p < parts; p++) {
        machine_random_permutation(random, residue, part);
        for (uint32_t i = 0; i < part; i++) {
            layout_put_number(w, r, p * part + i, numbers[p * part + residue[i]]);
        }
    }
}

uint32_t layout_4d_numbers(layout_4d layout, uint32_t w)
{
    layout_line line = line_4d(layout, w);
    return count_numbers(&line, w);
}

void layout_4d_draw(layout_4d layout, uint32_t w, machine_random *random, uint32_t *r)
{
    layout_line line = line_4d(layout, w);
    draw_draw(&line, w, random, r);
}

const char *layout_2d_name(layout_2d layout)
{
    return line_2d(layout, 1).name;
}

const char *layout_4d_name(layout_4d layout)
{
    return line_4d(layout, 1).name;
}
