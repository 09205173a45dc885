/* --self-test passes, and where something is wrong it says what: the program is linked with parts
 * that are wrong on purpose (--wrap), in this process and in those that it starts. */
#include "test.h"
#include <signal.h>

#include "tools/satfilter/selftest/selftest.h"
#include "tools/satfilter/selftest/sha256.h"
#include "sums/tables/corners.h"
#include "pairs.h"

/* ------------------------------------------------------------------- what is wrong */

/* What SATF_TEST_WRONG names; no word is a part of another. */
static bool is_wrong(const char *what)
{
    const char *wrong = getenv("SATF_TEST_WRONG");
    return wrong && strstr(wrong, what);
}

/* The latest plan. */
static int planned_type; /* of the result */
static char planned[64]; /* the filter's spec */

/* Few cases, since few complaints are printed. */
static bool is_plain(const char *filter)
{
    return strncmp(planned, filter, strlen(filter)) == 0 && !strstr(planned, "border");
}

/* A kernel of tables that adds 1 to one sum of every row, and is one of the base level only. */
extern const corner_kernels __real_corner_kernels_base;
corner_kernels __wrap_corner_kernels_base;

static void sums_and_one(satf_sum_type type, const void *strip, int channels,
                         const corner_columns *columns, void *sums)
{
    __real_corner_kernels_base.sums(type, strip, channels, columns, sums);
    if (type == SATF_SUM_U32 && is_plain("box") && is_wrong("kernel")) {
        *(uint32_t *)sums += 1;
    } else if (type == SATF_SUM_F64 && is_plain("box") && is_wrong("doubles")) {
        *(double *)sums += 1;
    }
}

__attribute__((constructor)) static void replace_kernel(void)
{
    __wrap_corner_kernels_base = __real_corner_kernels_base;
    __wrap_corner_kernels_base.sums = sums_and_one;
}

/* A CUDA device that the CPU plays, to the context of its latest engine. */
static const satf_context *device, *planning;

__typeof__(satf_context_set_device) __real_satf_context_set_device, __wrap_satf_context_set_device;
satf_status __wrap_satf_context_set_device(satf_context *ctx, int number)
{
    if (is_wrong("device") && number == SATF_CUDA(0)) {
        device = ctx;
        return SATF_OK;
    }
    return __real_satf_context_set_device(ctx, number);
}

__typeof__(satf_plan_create) __real_satf_plan_create, __wrap_satf_plan_create;
satf_status __wrap_satf_plan_create(satf_context *ctx, const satf_filter *filter,
                                    const satf_view *inputs, size_t input_count,
                                    const satf_view *outputs, size_t output_count, satf_plan **plan)
{
    planning = ctx;
    planned_type = outputs[0].type;
    satf_filter_print(filter, planned, sizeof planned);
    return __real_satf_plan_create(ctx, filter, inputs, input_count, outputs, output_count, plan);
}

__typeof__(satf_plan_run) __real_satf_plan_run, __wrap_satf_plan_run;
satf_status __wrap_satf_plan_run(satf_plan *plan, const satf_view *inputs, size_t input_count,
                                 const satf_view *outputs, size_t output_count)
{
    static int runs;
    satf_status status = __real_satf_plan_run(plan, inputs, input_count, outputs, output_count);
    if (is_wrong("everywhere") ||
        (is_wrong("device") && planning == device && is_plain("box") &&
         outputs[0].type == SATF_U8) ||
        (is_wrong("line") && is_plain("flip") && outputs[0].type == SATF_U16)) {
        *(unsigned char *)outputs->data ^= 1;
    }
    satf_plan_info info;
    satf_used used;
    satf_plan_describe(plan, &info, sizeof info);
    satf_plan_step(plan, info.steps - 1, &used, sizeof used);
    if (is_wrong("step") && info.steps > 1 && is_plain("guided") &&
        strcmp(used.engine, "sat") == 0 && planned_type == SATF_F64) {
        *(double *)outputs->data += 0x1p-10;
    }
    if (is_wrong("crash") && !satf_instructions(1) && ++runs == 100) {
        raise(SIGILL);
    }
    return status;
}

/* ---------------------------------------------------------------------------- tests */

/* What --self-test of these settings prints with that being wrong; *status: its own. Lives until
 * the next call. */
static const char *run_with(const settings *s, const char *wrong, int *status)
{
    static char text[16384];
    FILE *file = tmpfile();
    int out = dup(STDOUT_FILENO), err = dup(STDERR_FILENO);
    assert_non_null(file);
    fflush(stdout);
    dup2(fileno(file), STDOUT_FILENO);
    dup2(fileno(file), STDERR_FILENO);
    setenv("SATF_TEST_WRONG", wrong, 1);
    replace_kernel();
    *status = self_test(s);
    fflush(stdout);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    close(out);
    close(err);
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

static const char *run(const char *wrong, bool json, int *status)
{
    return run_with(&(settings){.program = test_program, .json = json}, wrong, status);
}

/* What runs the whole self-test again and again. */
static void too_long_under_a_sanitizer(void)
{
    if (!pairs_run_all()) {
        skip();
    }
}

static const char *best_instructions(void)
{
    const char *best = satf_instructions(0), *next;
    for (size_t i = 1; (next = satf_instructions(i)); i++) {
        best = next;
    }
    return best;
}

TEST(test_passes)
{
    too_long_under_a_sanitizer();
    int status;
    const char *text = run("nothing", false, &status);
    if (status || !strstr(text, "\npassed: ") || strstr(text, "self-test")) {
        fail_msg("status %d; digests of a new filter are recorded by ./satfilter "
                 "--self-test-digests >tools/satfilter/selftest/digests.inc:\n%s",
                 status, text);
    }
    for (size_t i = 0; satf_instructions(i); i++) {
        char line[64];
        snprintf(line, sizeof line, "\n  sat on cpu %s ", satf_instructions(i));
        if (!strstr(text, line)) {
            fail_msg("no line '%s' in\n%s", line + 1, text);
        }
    }
}

/* The line that can be handed in is the last one, has its keys in this order and the digests. */
TEST(test_witness)
{
    too_long_under_a_sanitizer();
    static const char *const keys[] = {
        " version=",          " commit=",    " system=\"", " compiler=\"", " cpu=\"",
        " instructions=base", " devices=\"", " integers=", " floats=",     " result=passed\n"};
    char integers[SHA256_HEX], floats[SHA256_HEX], digests[256];
    int status;
    const char *text = run("nothing", false, &status);
    const char *at = strstr(text, "\nwitness: "), *all = strstr(text, "\n  integers ");
    if (!at || strchr(at + 1, '\n')[1] || !all ||
        sscanf(all, " integers SHA-256 %64[0-9a-f], as recorded floats SHA-256 %64[0-9a-f],",
               integers, floats) != 2) {
        fail_msg("no witness at the end, or no digests, in\n%s", text);
    }
    snprintf(digests, sizeof digests, " integers=%s floats=%s result", integers, floats);
    assert_non_null(strstr(at, digests));
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const char *next = strstr(at, keys[i]);
        if (!next) {
            fail_msg("no '%s' in its place in\n%s", keys[i], text);
        }
        at = next;
    }
}

/* Without other processes the digests are the same, and what is not covered is named. */
TEST(test_one_process)
{
    too_long_under_a_sanitizer();
    int status;
    char line[128];
    const char *best = best_instructions();
    const char *text = run_with(&(settings){.program = NULL}, "nothing", &status);
    snprintf(line, sizeof line, " instructions=%s devices", best);
    if (status || !strstr(text, "\npassed: ") || !strstr(text, line) ||
        !strstr(text, "\nwitness: ")) {
        fail_msg("status %d, not passed, or no '%s' in\n%s", status, line, text);
    }
    for (size_t i = 0; satf_instructions(i); i++) {
        const char *name = satf_instructions(i);
        snprintf(line, sizeof line, "\n  sat on cpu %s ", name);
        assert_int_equal(strstr(text, line) != NULL, name == best);
        snprintf(line, sizeof line, "\n  not on cpu %s, ", name);
        assert_int_equal(strstr(text, line) != NULL, name != best);
    }
    text = run_with(&(settings){.json = true}, "nothing", &status);
    snprintf(line, sizeof line, "\"left_out\": [%s%s", satf_instructions(1) ? "\"base\"" : "",
             satf_instructions(2) ? ", \"avx2\"]" : "]");
    assert_int_equal(status, EXIT_SUCCESS);
    assert_non_null(strstr(text, line));
}

/* Fails unless that being wrong is told in all of these lines. */
static const char *expect(const char *wrong, const char (*lines)[128], size_t count)
{
    int status;
    const char *text = run(wrong, false, &status);
    for (size_t i = 0; i < count; i++) {
        if (status != EXIT_FAILURE || !strstr(text, lines[i]) || !strstr(text, "\nfailed\n") ||
            strstr(text, "passed") || !strstr(text, " result=failed\n")) {
            fail_msg("wrong %s: status %d, and no line '%s' in\n%s", wrong, status, lines[i], text);
        }
    }
    return text;
}

/* Engines that differ from one another, each in results of its own. What floats of several steps
 * are held against is a bound. And a filter whose results are others everywhere is named, for the
 * sample type alone. */
TEST(test_engines)
{
    const char *best = best_instructions();
    char lines[3][128];
    snprintf(lines[0], sizeof *lines,
             "box u8 clamp: sat on cpu base differs from window on cpu %s\n", best);
    snprintf(lines[1], sizeof *lines,
             "box f32 clamp: sat on cpu base differs from window on cpu %s\n", best);
    snprintf(lines[2], sizeof *lines, ": sat on cpu %s is too far from window on cpu %s\n", best,
             best);
    const char *text = expect("kernel doubles step line", lines, 3);
    const char *first = strstr(text, ", not as recorded\n");
    assert_non_null(strstr(text, "\n  flip u16 "));
    assert_true(first && first < strstr(text, "\n  integers ") && first > strstr(text, "flip u16"));
    const char *second = strstr(first + 1, ", not as recorded\n");
    assert_true(second && second > strstr(text, "\n  integers "));
    assert_null(strstr(second + 1, ", not as recorded\n"));
    if (pairs_run_all()) {
        expect("step", lines + 2, 1); /* which fails by itself */
    }
}

TEST(test_device)
{
    too_long_under_a_sanitizer();
    expect("device", &(const char[128]){"box u8 clamp: sat on cuda:0 differs from window on cpu "},
           1);
}

/* All of this machine agree with one another, but not with other machines. */
TEST(test_everywhere)
{
    too_long_under_a_sanitizer();
    int status;
    const char *text = run("everywhere", false, &status);
    assert_int_equal(status, EXIT_FAILURE);
    assert_null(strstr(text, "differs"));
    assert_non_null(strstr(text, "self-test: integers: the digest"));
    assert_non_null(strstr(text, "self-test: floats: the digest"));
    const char *lines[] = {"\n  box u8 ", "\n  permute f64 "};
    for (size_t i = 0; i < 2; i++) {
        const char *line = strstr(text, lines[i]), *not = line ? strstr(line, ", not as") : NULL;
        assert_true(not &&not < strchr(line + 1, '\n'));
    }
}

TEST(test_crash)
{
    if (!satf_instructions(1)) {
        print_message("this CPU has one instruction set\n");
        skip();
    }
    int status;
    char line[128];
    const char *text = run("crash", true, &status);
    snprintf(line, sizeof line, "self-test: cpu base: %s after ", strsignal(SIGILL));
    if (status != EXIT_FAILURE || !strstr(text, line) || !strstr(text, "\"passed\": false")) {
        fail_msg("status %d, and no line '%s' in\n%s", status, line, text);
    }
}

/* FIPS 180-4's examples of one block, of two and of a million letters, and the empty message. */
TEST(test_sha256)
{
    static const struct {
        const char *text;
        int times;
        const char *hex;
    } cases[] = {
        {"", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
        {"a", 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sha256 sha;
        char hex[SHA256_HEX];
        sha256_start(&sha);
        for (int k = 0; k < cases[i].times; k++) {
            sha256_add(&sha, cases[i].text, strlen(cases[i].text));
        }
        sha256_end(&sha, hex);
        assert_string_equal(hex, cases[i].hex);
    }
}

TEST_FILE(.option = "--self-test-results", .run_option = self_test_results)
