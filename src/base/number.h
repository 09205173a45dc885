/* Numbers from text. */
#ifndef SATF_BASE_NUMBER_H
#define SATF_BASE_NUMBER_H

/* strtod() of the C locale, whatever the program's: its point is '.'. */
double satf_strtod(const char *text, char **end);

#endif
