/* Words of other programs for what satfilter names otherwise, or lacks. */
#ifndef SATFILTER_SYNONYMS_H
#define SATFILTER_SYNONYMS_H

#include <stddef.h>

typedef struct synonym {
    const char *words;  /* of one meaning, with blanks between */
    const char *option; /* the nearest one that there is, without "--"; NULL: none comes near */
    const char *answer; /* what to do, as the second half of a sentence */
} synonym;

/* Index 0, 1, ... until NULL. */
const synonym *synonym_at(size_t index);

/* The row that has the first `length` bytes of word, or NULL. Names of filters and options are no
 * synonyms: a word goes when a filter of its name comes (tests/tools/test_synonyms.c). */
const synonym *synonym_find(const char *word, size_t length);

#endif
