/* Edge colouring by halving and by matchings. */
#include "colour.h"

#include <stddef.h>
#include <string.h>

void colour_halve(const colour_edge *edges, uint32_t count, uint32_t span, colour_edge *first,
                  colour_edge *second, uint32_t *link, uint32_t *last)
{
    /* On the left edges 2k and 2k + 1 are partners, on the right link[] says which are. So every
     * edge lies on one circuit along partners of either side by turns; every second edge of it
     * is in the first half. */
    for (uint32_t e = 0; e < count; e++) {
        uint32_t node = edges[e].to / span, partner = last[node];
        if (partner == COLOUR_NONE) {
            last[node] = e;
        } else {
            link[e] = partner;
            link[partner] = e;
            last[node] = COLOUR_NONE;
        }
    }
    /* Walking is waiting for memory, so it touches link[] alone: that of a pair's even edge becomes
     * COLOUR_NONE when it is done, that of the odd one says which of the two is in the first half.
     */
    for (uint32_t pair = 0; pair < count; pair += 2) {
        for (uint32_t e = pair; link[e & ~UINT32_C(1)] != COLOUR_NONE;) {
            uint32_t next = link[e ^ 1];
            link[e & ~UINT32_C(1)] = COLOUR_NONE;
            link[e | 1] = e & 1;
            e = next;
        }
    }
    for (uint32_t pair = 0; pair < count; pair += 2) {
        uint32_t which = link[pair + 1];
        first[pair / 2] = edges[pair + which];
        second[pair / 2] = edges[pair + 1 - which];
    }
}

/* xorshift32: walks need no better numbers, but the same ones every time. */
static uint32_t colour_next_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

/*
 * Moves a perfect matching to the front; both parts keep their order. A walk from a left node
 * without a mate takes any edge but the matched one to the right and the matched one back, until
 * the right node has no mate (Goel, Kapralov and Khanna, 2010). Degree >= 2.
 */
static void match(colour_edge *edges, uint32_t nodes, uint32_t degree, uint32_t span,
                  colour_edge *spare, uint32_t *words)
{
    uint32_t *matched = words, *mate = words + nodes, *step = words + 2 * (size_t)nodes;
    uint32_t random = 2463534242u;
    memset(words, 0xff, 2 * (size_t)nodes * sizeof *words);
    for (uint32_t start = 0; start < nodes; start++) {
        for (uint32_t u = start; u != COLOUR_NONE;) {
            uint32_t e = u * degree + colour_next_random(&random) % degree;
            if (e != matched[u]) {
                step[u] = e; /* the way that was taken last leads on: loops fall away */
                u = mate[edges[e].to / span];
            }
        }
        for (uint32_t u = start; u != COLOUR_NONE;) {
            uint32_t *to = &mate[edges[step[u]].to / span], freed = *to;
            matched[u] = step[u];
            *to = u;
            u = freed;
        }
    }
    uint32_t rest = nodes;
    for (uint32_t e = 0; e < nodes * degree; e++) {
        uint32_t u = e / degree;
        spare[e == matched[u] ? u : rest++] = edges[e];
    }
    memcpy(edges, spare, (size_t)nodes * degree * sizeof *edges);
}

void colour_all(colour_edge *edges, uint32_t nodes, uint32_t degree, uint32_t span,
                colour_edge *spare, uint32_t *words)
{
    if (degree < 2) {
        return;
    }
    if (degree % 2) {
        match(edges, nodes, degree, span, spare, words);
        edges += nodes;
        degree--;
    }
    uint32_t half = nodes * (degree / 2), *last = words + 2 * (size_t)half;
    memset(last, 0xff, nodes * sizeof *last);
    colour_halve(edges, 2 * half, span, spare, spare + half, words, last);
    memcpy(edges, spare, 2 * (size_t)half * sizeof *edges);
    colour_all(edges, nodes, degree / 2, span, spare, words);
    colour_all(edges + half, nodes, degree / 2, span, spare, words);
}
