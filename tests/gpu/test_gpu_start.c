/*
 * What a process pays for a device: nothing while the CPU does the work, no CUDA context until
 * something is computed there, and no search for tunings at all.
 */
#include "program.h"

#include <dlfcn.h>

#include "pipeline/pipeline.h"

enum { SIDE = 64 };

static char folder[] = "/tmp/satfilter-start-XXXXXX";
static bool loaded_by_cpu;   /* the driver, once the CPU had done its work */
static char why_cpu[256];    /* as a pipeline that may choose says it */
static satf_status cpu_work; /* the first of its statuses that is not SATF_OK */

static bool driver_is_loaded(void)
{
    void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (driver) {
        dlclose(driver);
    }
    return driver != NULL;
}

/* Asks the driver itself, which makes no context for that. */
static bool device_has_context(void)
{
    int (*get_state)(int, unsigned *, int *);
    void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    assert_non_null(driver);
    *(void **)&get_state = dlsym(driver, "cuDevicePrimaryCtxGetState");
    assert_non_null(get_state);
    unsigned flags = 0;
    int active = -1;
    assert_int_equal(get_state(satf_gpu_ordinal(GPU_DEVICE), &flags, &active), 0);
    dlclose(driver);
    return active != 0;
}

static satf_status table_of_ones(satf_context *ctx)
{
    static uint8_t image[SIDE * SIDE];
    static uint32_t table[SIDE * SIDE];
    memset(image, 1, sizeof image);
    satf_view in = satf_view_packed(image, SIDE, SIDE, 1, SATF_U8);
    satf_view out = satf_view_packed(table, SIDE, SIDE, 1, SATF_U32);
    satf_status status = satf_sat(ctx, &in, &out, 0);
    return status ? status : table[SIDE * SIDE - 1] == SIDE * SIDE ? SATF_OK : SATF_DEVICE_FAILED;
}

/* A file through a pipeline, which chooses its device. */
static satf_status small_file(satf_context *ctx)
{
    char input[64], output[64];
    SCOPED_IMAGE *image = NULL;
    SCOPED_FILTER *filter = NULL;
    satf_file_report result = {0};
    snprintf(input, sizeof input, "%s/in.pgm", folder);
    snprintf(output, sizeof output, "%s/out.pgm", folder);
    satf_status status = satf_image_create(ctx, SIDE, SIDE, 1, SATF_U8, 0, &image);
    status = status ? status : satf_image_write(ctx, image, input, NULL);
    status = status ? status : satf_filter_parse(ctx, "box=15", &filter);
    if (!status) {
        pipeline_job job = {.input = input,
                            .output = output,
                            .filter = filter,
                            .write = satf_write_defaults(),
                            .options.route = SATF_ROUTE_AUTO};
        status = pipeline_run(ctx, &job, &result);
        snprintf(why_cpu, sizeof why_cpu, "%s", result.why_cpu);
    }
    remove(input);
    remove(output);
    return status;
}

static satf_status work_on_cpu(void)
{
    satf_context *ctx = NULL;
    satf_status status = satf_context_create(&ctx);
    status = status ? status : table_of_ones(ctx);
    status = status ? status : satf_context_set_device(ctx, SATF_DEVICE_AUTO);
    status = status ? status : small_file(ctx);
    status = status ? status : table_of_ones(ctx);
    satf_context_destroy(ctx);
    return status;
}

TEST_ALONE(test_cpu_leaves_the_driver_alone)
{
    NOT_SMALL; /* compute-sanitizer loads it */
    assert_int_equal(cpu_work, SATF_OK);
    assert_string_equal(why_cpu, "the CPU will finish first");
    assert_false(loaded_by_cpu);
    assert_true(driver_is_loaded()); /* now that there was talk of devices */
}

TEST_ALONE(test_context_comes_with_the_first_work)
{
    assert_false(device_has_context());
    satf_context *ctx = gpu_new_context();
    assert_false(device_has_context());
    MUST(ctx, table_of_ones(ctx));
    assert_true(device_has_context());
    gpu_runs++;
    satf_context_destroy(ctx);
    assert_int_not_equal(access(folder, F_OK), 0); /* nothing was measured that could be kept */
}

/* The CPU's work comes before anything that asks for a device. */
static int begin(void **state)
{
    if (!mkdtemp(folder) || setenv("XDG_CACHE_HOME", folder, 1)) {
        return 1;
    }
    cpu_work = work_on_cpu();
    loaded_by_cpu = driver_is_loaded();
    int failed = rmdir(folder) || gpu_begin(state); /* what is kept would make the folder anew */
    unsetenv("SATFILTER_TUNE");
    return failed;
}

GPU_TEST_FILE_WITH(begin, gpu_end);
