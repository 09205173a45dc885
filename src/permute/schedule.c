/* Schedules from an edge colouring. */
#include "schedule.h"

/* Numbers banks such that b and b + w / 2 are neighbours: a bank of doubled width is then one block
 * of twice the span. */
static uint32_t node(uint32_t bank, uint32_t w)
{
    return w % 2 ? bank : bank % (w / 2) * 2 + bank / (w / 2);
}

static uint32_t bank(uint32_t node, uint32_t w)
{
    return w % 2 ? node : node / 2 + node % 2 * (w / 2);
}

void schedule_build(const uint16_t *p, uint32_t n, uint32_t w, uint16_t *s, uint16_t *d,
                    colour_edge *edges, uint32_t *words)
{
    /* Places are numbered bank by bank: the graph of section 4.2 is that of blocks of n / w. */
    uint32_t degree = n / w;
    colour_edge *spare = edges + n;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t k = bank(i / degree, w) + i % degree * w;
        edges[i] = (colour_edge){i, node(p[k] % w, w) * degree + p[k] / w};
    }
    colour_all(edges, w, degree, degree, spare, words);
    for (uint32_t group = 0; group < n; group += w) {
        const colour_edge *from = edges + group;
        if (w % 2 == 0) {
            uint32_t *last = words + w;
            for (uint32_t i = 0; i < w / 2; i++) {
                last[i] = COLOUR_NONE;
            }
            colour_halve(from, w, 2 * degree, spare, spare + w / 2, words, last);
            from = spare;
        }
        for (uint32_t i = 0; i < w; i++) {
            uint32_t source = from[i].from, place = from[i].to;
            s[group + i] = (uint16_t)(bank(source / degree, w) + source % degree * w);
            d[group + i] = (uint16_t)(bank(place / degree, w) + place % degree * w);
        }
    }
}

uint32_t schedule_congestion(const uint32_t *addresses, uint32_t count, uint32_t w)
{
    uint32_t most = 0, different[SCHEDULE_MAX_THREADS], found = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t j = 0;
        while (j < found && different[j] != addresses[i]) {
            j++;
        }
        if (j < found) {
            continue;
        }
        uint32_t here = 1;
        for (j = 0; j < found; j++) {
            here += layout_bank(w, different[j]) == layout_bank(w, addresses[i]);
        }
        most = here > most ? here : most;
        different[found++] = addresses[i];
    }
    return most;
}
