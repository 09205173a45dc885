/* The line on a terminal that says how far the work is. */
#ifndef SATFILTER_PROGRESS_H
#define SATFILTER_PROGRESS_H

/* Work on `count` files begins. Draws nothing if standard error is no terminal, or `quiet`. */
void progress_start(int count, int quiet);

/* From now on the line speaks of that file, or of whatever is done; index 0 ... count - 1. */
void progress_file(const char *name, int index);

/* A satf_progress callback: draws the line, from a second after the start on. */
int progress_show(void *unused, double done);

/* Erases the line, if there is one. */
void progress_hide(void);

/* The same for handlers of signals that end the process (async-signal-safe). */
void progress_clear(void);

/* Milliseconds since progress_start(). */
double progress_elapsed_ms(void);

#endif
