/* The module of TIFF gets no memory: that is a sentence, and no leak. What libtiff allocates for
 * itself is left alone, for libtiff does not stand it. */
#include <dirent.h>

#include "test_io_files.h"

/* The linker calls these in place of the library's functions. */
void *__real_satf_alloc(size_t n);
void *__wrap_satf_alloc(size_t n);
void *__real_satf_alloc_zeroed(size_t n);
void *__wrap_satf_alloc_zeroed(size_t n);
void __real_satf_free(void *memory);
void __wrap_satf_free(void *memory);
bool __real_satf_charge_add(satf_charge *charge, size_t n);
bool __wrap_satf_charge_add(satf_charge *charge, size_t n);

static struct {
    long count, fail_from; /* 0: none fails */
    bool fail_all;         /* from that one on */
    long live;             /* blocks */
} calls;

static bool fails(void)
{
    calls.count++;
    return calls.fail_from > 0 &&
           (calls.count == calls.fail_from || (calls.fail_all && calls.count > calls.fail_from));
}

static void *counted(void *memory)
{
    calls.live += memory != NULL;
    return memory;
}

void *__wrap_satf_alloc(size_t n)
{
    return fails() ? NULL : counted(__real_satf_alloc(n));
}

void *__wrap_satf_alloc_zeroed(size_t n)
{
    return fails() ? NULL : counted(__real_satf_alloc_zeroed(n));
}

void __wrap_satf_free(void *memory)
{
    calls.live -= memory != NULL;
    __real_satf_free(memory);
}

bool __wrap_satf_charge_add(satf_charge *charge, size_t n)
{
    return !fails() && __real_satf_charge_add(charge, n);
}

static unsigned char file[1 << 16];

static size_t load(const char *folder, const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    size_t n = fread(file, 1, sizeof file, in);
    fclose(in);
    return n;
}

/* Each call fails once, or all from it on do. Returns how many there are. */
static long fail_each(satf_context *ctx, const char *name, size_t n, bool all)
{
    for (long i = 1;; i++) {
        long live = calls.live;
        satf_image *image = NULL;
        calls.count = 0;
        calls.fail_from = i;
        calls.fail_all = all;
        satf_status status = satf_image_decode(ctx, file, n, &image);
        calls.fail_from = 0;
        bool failed = i <= calls.count;
        if (status != (failed ? SATF_NO_MEMORY : SATF_OK) || !image != failed ||
            (failed && !strstr(satf_message(ctx), "memory"))) {
            fail_msg("%s, call %ld: status %d: %s", name, i, (int)status, satf_message(ctx));
        }
        satf_image_destroy(image);
        if (calls.live != live) {
            fail_msg("%s, call %ld: %ld blocks leak", name, i, calls.live - live);
        }
        if (!failed) {
            return calls.count;
        }
    }
}

static void seeds(void **state)
{
    const char *top = getenv("top_srcdir");
    char folder[512];
    snprintf(folder, sizeof folder, "%s/tests/fuzz/corpus/tiff", top ? top : ".");
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    unsigned read = 0;
    for (struct dirent *e; (e = readdir(dir));) {
        satf_image *image;
        size_t n = e->d_name[0] == '.' ? 0 : load(folder, e->d_name);
        if (n > 0 && satf_image_decode(*state, file, n, &image) == SATF_OK) {
            satf_image_destroy(image);
            assert_true(fail_each(*state, e->d_name, n, false) >= 4);
            assert_true(fail_each(*state, e->d_name, n, true) >= 4);
            read++;
        }
    }
    closedir(dir);
    assert_true(read > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(seeds, new_context, free_context),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
