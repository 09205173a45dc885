/*
 * Raw RGB frames from standard input to standard output, each through the filter: one plan, which
 * decides and allocates once.
 *
 *   ffmpeg -i in.mp4 -f rawvideo -pix_fmt rgb24 - | samples/frames box=9 1920 1080 | ffplay ...
 */
#include <stdio.h>
#include <stdlib.h>

#include <satfilter.h>

int main(int argc, char **argv)
{
    satf_context *ctx = NULL;
    satf_filter *filter = NULL;
    satf_plan *plan = NULL;
    if (argc != 4) {
        fprintf(stderr, "use: frames FILTER WIDTH HEIGHT <in.rgb >out.rgb\n");
        return 2;
    }
    satf_view frame = satf_view_packed(NULL, atol(argv[2]), atol(argv[3]), 3, SATF_U8);
    if (satf_context_create(&ctx) || satf_filter_parse(ctx, argv[1], &filter) ||
        satf_plan_create(ctx, filter, &frame, 1, &frame, 1, &plan)) {
        fprintf(stderr, "frames: %s\n", satf_message(ctx));
        return 1;
    }
    size_t bytes = (size_t)(frame.stride * frame.height), got = 0;
    satf_view in = frame, out = frame;
    in.data = malloc(bytes);
    out.data = malloc(bytes);
    int failed = !in.data || !out.data;
    while (!failed && (got = fread(in.data, 1, bytes, stdin)) == bytes) {
        failed =
            satf_plan_run(plan, &in, 1, &out, 1) || fwrite(out.data, 1, bytes, stdout) != bytes;
    }
    if (!failed && got > 0) {
        fprintf(stderr, "frames: the last frame is incomplete\n");
        failed = 1;
    }
    free(in.data);
    free(out.data);
    satf_plan_destroy(plan);
    satf_filter_destroy(filter);
    satf_context_destroy(ctx);
    return failed;
}
