/* Files that satbench writes: whole, or not at all. */
#include "../../src/io/io.h"
#include "bench.h"

int bench_output_open(bench *b, bench_output *o, const char *path)
{
    *o = (bench_output){.path = path};
    if (path && io_output_open(b->ctx, path, NULL, false, NULL, &o->file) != SATF_OK) {
        return bench_error(1, "%s: %s", path, satf_message(b->ctx));
    }
    return 0;
}

FILE *bench_output_file(const bench_output *o)
{
    return io_output_file(o->file);
}

int bench_output_commit(bench *b, bench_output *o)
{
    io_output *file = o->file;
    o->file = NULL;
    if (io_output_end(b->ctx, file, SATF_OK) != SATF_OK) {
        return bench_error(1, "%s: %s", o->path, satf_message(b->ctx));
    }
    return 0;
}

void bench_output_discard(bench_output *o)
{
    io_output_discard(o->file);
    o->file = NULL;
}

bool bench_output_is_stdout(const char *path)
{
    return path && io_output_is_stdout(path);
}
