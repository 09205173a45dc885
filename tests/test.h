/*
 * The harness on cmocka. A case is TEST(name) { ... }, registers itself, and runs with a context of
 * its own, ctx. A program holds the files of a folder; each file runs in a process of its own, so
 * that what it sets for the whole process is no other file's. See docs/building.md, tests.
 */
#ifndef TESTS_TEST_H
#define TESTS_TEST_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "satfilter-expert.h"

/* What the cases of one file have in common: TEST_FILE(.folder = true). */
typedef struct test_file {
    int (*begin)(void **), (*end)(void **); /* around all of them; 0: as it should be */
    const char *formats;                    /* which modules contexts know; "all" */
    const char *skipped;                    /* why no case can run here */
    const char *option; /* with this word the program is another one, run_option() */
    int (*run_option)(void);
    satf_context **context; /* where cases without a parameter find theirs */
    bool folder;            /* each case's current folder is a new one, which goes again */
    bool shared;            /* threads share the smallest work */
    bool every_isa;         /* once for each instruction set that the machine has */
    const char
        *of_isa; /* with it: names of the cases that depend on the set; the others run once */
} test_file;

extern const char *test_program; /* as it was called */

void test_register(const char *file, int line, const char *name, void (*run)(void **));
void test_register_file(const char *file, const test_file *settings);

#define TEST_REGISTERED(name)                                              \
    __attribute__((constructor)) static void name##_registers_itself(void) \
    {                                                                      \
        test_register(__FILE__, __LINE__, #name, name##_as_case);          \
    }

/* A case: TEST(name) { ... } with its context, TEST_ALONE(name) { ... } without. */
#define TEST(name)                           \
    static void name(satf_context *ctx);     \
    static void name##_as_case(void **state) \
    {                                        \
        name(*state);                        \
    }                                        \
    TEST_REGISTERED(name)                    \
    static void name(__attribute__((unused)) satf_context *ctx)
#define TEST_ALONE(name)                     \
    static void name(void);                  \
    static void name##_as_case(void **state) \
    {                                        \
        (void)state;                         \
        name();                              \
    }                                        \
    TEST_REGISTERED(name)                    \
    static void name(void)

#define TEST_FILE(...)                                                   \
    __attribute__((constructor)) static void file_registers_itself(void) \
    {                                                                    \
        static const test_file of_this_file = {__VA_ARGS__};             \
        test_register_file(__FILE__, &of_this_file);                     \
    }

/* Fails with the context's message unless the call succeeded. */
#define MUST(context, call)                                                                      \
    do {                                                                                         \
        satf_status must_status = (call);                                                        \
        if (must_status) {                                                                       \
            fail_msg("%s: %s: %s", #call, satf_status_name(must_status), satf_message(context)); \
        }                                                                                        \
    } while (0)

/* Variables that go with their block: SCOPED double *a = malloc(n); SCOPED_FILTER satf_filter *f;
 */
static inline void test_release(void *memory)
{
    free(*(void **)memory);
}
static inline void test_destroy_filter(satf_filter **filter)
{
    satf_filter_destroy(*filter);
}
static inline void test_destroy_image(satf_image **image)
{
    satf_image_destroy(*image);
}
static inline void test_destroy_context(satf_context **context)
{
    satf_context_destroy(*context);
}
static inline void test_destroy_plan(satf_plan **plan)
{
    satf_plan_destroy(*plan);
}
#define SCOPED __attribute__((unused, cleanup(test_release)))
#define SCOPED_FILTER __attribute__((unused, cleanup(test_destroy_filter))) satf_filter
#define SCOPED_IMAGE __attribute__((unused, cleanup(test_destroy_image))) satf_image
#define SCOPED_CONTEXT __attribute__((unused, cleanup(test_destroy_context))) satf_context
#define SCOPED_PLAN __attribute__((unused, cleanup(test_destroy_plan))) satf_plan

#endif
