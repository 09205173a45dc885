/*
 * Edge colouring of regular bipartite multigraphs: with as many colours as the degree, no two edges
 * of a colour share a node (Koenig; dissertation, theorems 4.2.1 and 5.4.1). Even degrees are
 * halved by Euler circuits, in time linear in the edges; odd ones first lose a perfect matching,
 * which random walks find in O(nodes log nodes) expected steps. A leaf: all memory is the caller's.
 */
#ifndef SATF_PERMUTE_COLOUR_H
#define SATF_PERMUTE_COLOUR_H

#include <stdint.h>

/*
 * An element of a permutation, from its place to its new one. Its nodes are the
 * blocks that the two lie in: places 0 ... span - 1 are block 0 and so on, on
 * both sides. Edges stand in the order of `from`.
 */
typedef struct colour_edge {
    uint32_t from, to;
} colour_edge;

#define COLOUR_NONE UINT32_MAX

/*
 * Halves the graph: each node has half of its edges in first and half in second,
 * count / 2 edges each, in their order; pairs of edges 2k, 2k + 1 are parted. All
 * nodes must have an even degree. span: of the blocks of `to`. link: count words;
 * last: one word a block, all COLOUR_NONE, and so again afterwards. Neither half
 * may overlap edges. count < 2^31.
 */
void colour_halve(const colour_edge *edges, uint32_t count, uint32_t span, colour_edge *first,
                  colour_edge *second, uint32_t *link, uint32_t *last);

/* Words that colour_all() works in. */
#define COLOUR_WORDS(nodes, degree) ((size_t)(nodes) * ((size_t)(degree) + 3))

/*
 * Sorts the edges of a graph of that many nodes a side, all of that degree, blocks
 * of span places, by colour: edges k * nodes ... k * nodes + nodes - 1 are colour
 * k, a perfect matching, in the order of `from`. spare: as many edges; words:
 * COLOUR_WORDS(nodes, degree). Fewer than 2^31 edges.
 */
void colour_all(colour_edge *edges, uint32_t nodes, uint32_t degree, uint32_t span,
                colour_edge *spare, uint32_t *words);

#endif
