/* The commit that a program was made from: what a witness and a record of figures name. */
#ifndef SATFILTER_COMMIT_H
#define SATFILTER_COMMIT_H

/* Twelve hexadecimal digits, or "unknown". */
extern const char tools_commit[];

#endif
