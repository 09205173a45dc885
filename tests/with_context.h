/* The state of a test: a context of its own, so that its settings are no other test's. */
#ifndef TESTS_WITH_CONTEXT_H
#define TESTS_WITH_CONTEXT_H

#include "satfilter-expert.h"

static int create_context(void **state)
{
    return satf_context_create((satf_context **)state) != SATF_OK;
}

static int destroy_context(void **state)
{
    satf_context_destroy(*state);
    return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, create_context, destroy_context)

#endif
