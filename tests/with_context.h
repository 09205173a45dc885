/* The state of a group of tests: a context. */
#ifndef TESTS_WITH_CONTEXT_H
#define TESTS_WITH_CONTEXT_H

#include "satfilter.h"

static int create_context(void **state)
{
    return satf_context_create((satf_context **)state) != SATF_OK;
}

static int destroy_context(void **state)
{
    satf_context_destroy(*state);
    return 0;
}

#endif
