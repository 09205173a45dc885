/* What -o names: a folder, a file, or one of several inputs' pages, as in -o both.tif a.png b.tif.
 */
#ifndef SATFILTER_JOINED_H
#define SATFILTER_JOINED_H

#include "inputs.h"
#include "outputs.h"

typedef enum target_kind { TARGET_FOLDER, TARGET_FILE, TARGET_UNCLEAR } target_kind;

/* The kind of -o for one input that was named, by itself and by the files that exist; s->output is
 * not NULL. */
target_kind target_kind_of(const settings *s);

/* Does -o name a file that holds pages? */
bool joined_holds_pages(const settings *s);

/* Do several inputs go into it? */
bool joined_wanted(const settings *s);

/* All inputs but the first one follow it in its job; an EXIT_ status, after a message unless 0. The
 * job's list is to be freed. */
int joined_make(job *first, const input_list *all);

/* Refuses what -o names for several inputs that do not go into one file, unless it is a folder or
 * may become one; an EXIT_ status likewise. */
int joined_refuse(const settings *s);

/* Refuses what cannot be one of several inputs of the job's output; an EXIT_ status likewise. */
int joined_check(const job *one);

#endif
