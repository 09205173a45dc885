/* The treatment of outputs that exist. */
#ifndef SATFILTER_EXISTING_H
#define SATFILTER_EXISTING_H

#include "outputs.h"

/* Decides which outputs are skipped and which are replaced, as the options or the user say. An
 * EXIT_ status, a message having been printed unless it is 0; touches no output. */
int existing_settle(const settings *s, job *jobs, int count);

/* True if this command cannot have written the output that the job replaces: what that holds fits
 * neither its suffix nor the format that it is to get. Then why has the sentence. */
bool existing_is_foreign(const settings *s, const job *one, char *why, size_t room);

/* Says that the only output was replaced. */
void existing_note(const settings *s, const job *one);

#endif
