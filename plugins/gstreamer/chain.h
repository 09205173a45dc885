/* Texts of filters for planes of half the size, and of chroma. */
#ifndef SATF_PLUGINS_GSTREAMER_CHAIN_H
#define SATF_PLUGINS_GSTREAMER_CHAIN_H

#include <glib.h>

/* The chain with the sides of its windows and their places halved, those up and down if height says
 * so: an odd side to the largest odd number up to (N + 1) / 2, an even one to N / 2, places towards
 * 0. What is one number for both directions is halved. chain must be one that satf_filter_parse()
 * takes. Free with g_free(). */
char *chain_halved(const char *chain, gboolean height);

/* Those of its filters that do not know red, green and blue; NULL: there are none, or no memory.
 * Likewise. */
char *chain_of_chroma(const char *chain);

#endif
