/* Text for the man pages. */
#ifndef SATF_TOOLS_ROFF_H
#define SATF_TOOLS_ROFF_H

/* Prints text as roff: minus signs for hyphens, no accidental requests. */
void roff(const char *text);

/* The same, and a line end. */
void roff_paragraph(const char *text);

#endif
