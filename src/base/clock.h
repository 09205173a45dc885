/* Time that passes, for measuring. */
#ifndef SATF_BASE_CLOCK_H
#define SATF_BASE_CLOCK_H

/* Milliseconds since some moment in the past, never running back. */
double satf_now_ms(void);

#endif
