/* What tests of plugins, in hosts of their own, all need. */
#ifndef SATF_TESTS_PLUGINS_NEED_H
#define SATF_TESTS_PLUGINS_NEED_H

/* Ends the program with that sentence unless holds. */
void need(int holds, const char *what);

/* Of this process. */
int thread_count(void);

#endif
