/* A table's run, as its options say, and the JSON of what it gave. */
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "../../src/base/cpu.h"
#include "../../src/base/device/gpu.h"
#include "../../src/base/parallel.h"
#include "../commit.h"
#include "bench.h"

#ifndef SATF_CUDA_RUNTIME /* built without nvcc; the backend comes from elsewhere */
#define SATF_CUDA_RUNTIME "unknown"
#endif

static int bench_run_prepare(bench *b, FILE *to)
{
    const bench_options *o = &b->options;
    satf_status status = satf_context_set_device(b->ctx, o->device);
    if (!status) {
        status = satf_context_set_threads(b->ctx, o->threads);
    }
    if (status) {
        return bench_error(1, "%s", satf_message(b->ctx));
    }
    b->report = bench_report_create(b->table, o->markdown, o->device != SATF_HOST, to);
    if (!b->report || satf_context_create(&b->copy_ctx) != SATF_OK ||
        satf_context_set_threads(b->copy_ctx, o->threads)) {
        return bench_error(1, "out of memory for the report");
    }
    return 0;
}

int bench_run_table(bench *b, FILE *to)
{
    int failed = bench_run_prepare(b, to);
    if (!failed) {
        failed = b->options.simulate ? b->table->simulate(b) : b->table->run(b);
    }
    return failed ? failed : bench_report_end(b->report);
}

void bench_close(bench *b)
{
    bench_set_place(b, SATF_HOST);
    satf_context_destroy(b->ctx);
    satf_context_destroy(b->copy_ctx);
    bench_report_destroy(b->report);
}

void bench_name_device(int device, bench_device *d)
{
    struct utsname system;
    satf_gpu_info info;
    snprintf(d->driver, sizeof d->driver, "unknown");
    if (device != SATF_HOST && satf_cuda()->describe(device, &info)) {
        snprintf(d->name, sizeof d->name, "%s", info.name);
        snprintf(d->driver, sizeof d->driver, "%s", info.driver);
        return;
    }
    satf_cpu_name(d->name, sizeof d->name);
    if (uname(&system) == 0) { /* what drives a CPU is its system */
        snprintf(d->driver, sizeof d->driver, "%s %s", system.sysname, system.release);
    }
}

static void write_device(FILE *file, const bench *b)
{
    bench_device device;
    double clock_khz = 0, bytes_per_second = 0; /* of a device, as it tells them; 0: it does not */
    bench_name_device(b->options.device, &device);
    bench_write_member(file, "    ", "kind", bench_device_kind(b), ",\n");
    bench_write_member(file, "    ", "name", device.name, ",\n");
    bench_write_member(file, "    ", "driver", device.driver, ",\n");
    bench_write_member(file, "    ", "isa", satf_isa_name(satf_cpu_isa()), ",\n");
    if (b->options.device != SATF_HOST) {
        bench_write_member(file, "    ", "runtime", SATF_CUDA_RUNTIME, ",\n");
        satf_cuda()->speed(b->options.device, &clock_khz, &bytes_per_second);
    }
    if (clock_khz > 0) {
        fprintf(file, "    \"clock_khz\": %.0f,\n    \"bytes_per_second\": %.4g,\n", clock_khz,
                bytes_per_second);
    }
    fprintf(file, "    \"threads\": %d\n", satf_thread_count(b->ctx));
}

void bench_write_records(FILE *file, const bench *b, const char *command)
{
    char date[32] = "";
    time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc)) {
        strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc);
    }
    fputs("{\n", file);
    bench_write_member(file, "  ", "program", "satbench", ",\n");
    bench_write_member(file, "  ", "version", satf_version(), ",\n");
    bench_write_member(file, "  ", "commit", tools_commit, ",\n");
    bench_write_member(file, "  ", "command", command, ",\n");
    bench_write_member(file, "  ", "date", date, ",\n");
    fputs("  \"device\": {\n", file);
    write_device(file, b);
    fputs("  },\n  \"records\": [", file);
    bench_report_write(file, b->report);
    fputs("\n}\n", file);
}
