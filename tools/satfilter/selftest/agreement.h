/* The check that results of one case by different engines, instruction sets and devices are the
 * same. */
#ifndef SATFILTER_AGREEMENT_H
#define SATFILTER_AGREEMENT_H

#include "trials.h"

/* What one engine has computed by one instruction set, or one device. */
typedef struct run {
    char by[64]; /* "window on cpu avx2" */
    int results, wrong;
} run;

/* The first result of a case, with which all others are compared. */
typedef struct known_case {
    char name[sizeof((trial *)0)->name];
    char result[sizeof((trial *)0)->result];
    char by[64];
} known_case;

/* The cases of one filter and one sample type: "box u8". */
typedef struct digest_line {
    char name[48];
    sha256 sha; /* of the lines "CASE RESULT" of these cases */
} digest_line;

enum { MAX_RUNS = 64 };

typedef struct agreement {
    const char *instructions; /* of the results of the CPU that are coming in */
    bool first;               /* new cases may come */
    known_case *cases;        /* owned */
    int count, room;
    run runs[MAX_RUNS];
    int run_count;
    int told; /* messages */
    bool no_memory;
    sha256 sha[TRIAL_BOUNDED]; /* of the lines "CASE RESULT" of all cases, by trial_kind */
    digest_line *lines;        /* owned */
    int line_count, line_room;
} agreement;

/* Starts with no case; the instructions are to be set. */
void agreement_start(agreement *all);

void agreement_end(agreement *all);

/* Compares a result, as trials_run() hands it on; all: the agreement. Tells of what is wrong. */
void agreement_take(void *all, const trial *t);

/* Tells on standard error what is wrong about the subject, the first few times. */
void agreement_tell(agreement *all, const char *subject, const char *what);

#endif
