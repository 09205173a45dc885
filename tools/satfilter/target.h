/* The meaning of -o's name, by itself and by the files that exist. */
#ifndef SATFILTER_TARGET_H
#define SATFILTER_TARGET_H

#include "options/options.h"

typedef enum target_kind { TARGET_FOLDER, TARGET_FILE, TARGET_UNCLEAR } target_kind;

/* The kind of -o for one input that was named; s->output is not NULL. */
target_kind target_kind_of(const settings *s);

/* Is there a name, and is it one of a file rather than of a folder? */
bool target_is_file(const settings *s);

#endif
