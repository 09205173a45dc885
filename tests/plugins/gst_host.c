/*
 * A host of GStreamer's elements, by the harness of its own tests. Warnings of GLib are failures.
 *
 *   gst_host run LAUNCH FORMAT WIDTH HEIGHT    samples (gst_frame.h) from standard input to output
 *   gst_host render CHAIN WIDTH HEIGHT FULL    likewise one plane by the library: words of two
 * bytes, the high one first, of which the bits of FULL count gst_host load FILE TIMES loads and
 * unloads the shared object
 */
#include <dlfcn.h>
#include <gst/check/gstharness.h>
#include <satfilter.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gst_frame.h"

/* What the first error message says. */
static void tell(GstBus *bus)
{
    GstMessage *message = gst_bus_pop_filtered(bus, GST_MESSAGE_ERROR);
    if (message) {
        GError *error = NULL;
        gst_message_parse_error(message, &error, NULL);
        fprintf(stderr, "%s\n", error->message);
        g_error_free(error);
        gst_message_unref(message);
    }
}

static guint8 *push(GstHarness *harness, const GstVideoInfo *info, const guint8 *samples)
{
    GstBuffer *in = frame_buffer(info, samples), *before = gst_buffer_copy_deep(in);
    GstMapInfo now, then;
    if (gst_harness_push(harness, gst_buffer_ref(in)) != GST_FLOW_OK) {
        GstBus *bus = GST_ELEMENT_BUS(harness->element);
        tell(bus);
        exit(1);
    }
    need(gst_buffer_map(in, &now, GST_MAP_READ) && gst_buffer_map(before, &then, GST_MAP_READ),
         "the input cannot be read");
    need(now.size == then.size && memcmp(now.data, then.data, now.size) == 0,
         "the input was written to");
    gst_buffer_unmap(in, &now);
    gst_buffer_unmap(before, &then);
    GstBuffer *out = gst_harness_pull(harness);
    frame_check_padding(info, out);
    guint8 *result = frame_samples(info, out);
    gst_buffer_unref(out);
    gst_buffer_unref(in);
    gst_buffer_unref(before);
    return result;
}

static void run(const char *launch, const char *format, int width, int height)
{
    GstVideoInfo info = frame_info(format, width, height);
    size_t bytes = frame_bytes(&info);
    guint8 *samples = g_malloc(bytes);
    need(fread(samples, 1, bytes, stdin) == bytes, "the frame is incomplete");
    int threads = thread_count();
    GstHarness *harness = gst_harness_new_parse(launch);
    GstBus *bus = gst_bus_new();
    gst_element_set_bus(harness->element, bus);
    char *caps = frame_caps(format, width, height);
    gst_harness_set_src_caps_str(harness, caps);
    gst_harness_play(harness);
    need(thread_count() == threads, "threads run before the first frame");
    guint8 *first = push(harness, &info, samples), *second = push(harness, &info, samples);
    need(memcmp(first, second, bytes) == 0, "the second frame differs");
    need(fwrite(first, 1, bytes, stdout) == bytes && fflush(stdout) == 0, "the output is full");
    gst_element_set_bus(harness->element, NULL);
    gst_harness_teardown(harness);
    gst_object_unref(bus);
    g_free(caps);
    g_free(first);
    g_free(second);
    g_free(samples);
}

static void render(const char *chain, int width, int height, int full)
{
    size_t count = (size_t)width * (size_t)height;
    guint16 *in = g_new(guint16, count), *out = g_new(guint16, count);
    satf_context *ctx = NULL;
    satf_filter *filter = NULL;
    satf_view from = satf_view_packed(in, width, height, 1, SATF_U16), to = from;
    from.full = to.full = full;
    to.data = out;
    need(fread(in, 2, count, stdin) == count, "the plane is incomplete");
    for (size_t i = 0; i < count; i++) {
        in[i] = (guint16)(GUINT16_FROM_BE(in[i]) & full);
    }
    need(satf_context_create(&ctx) == SATF_OK &&
             satf_filter_parse(ctx, chain, &filter) == SATF_OK &&
             satf_filter_render(ctx, filter, &from, &to) == SATF_OK,
         satf_message(ctx));
    for (size_t i = 0; i < count; i++) {
        need(out[i] <= full, "a result is above the full scale");
        out[i] = GUINT16_TO_BE(out[i]);
    }
    need(fwrite(out, 2, count, stdout) == count && fflush(stdout) == 0, "the output is full");
    satf_filter_destroy(filter);
    satf_context_destroy(ctx);
    g_free(in);
    g_free(out);
}

static void load(const char *path, int times)
{
    for (int i = 0; i < times; i++) {
        void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        need(handle != NULL, "the plugin does not load");
        need(dlsym(handle, "gst_plugin_satfilter_get_desc") != NULL, "it is no plugin");
        need(dlclose(handle) == 0, "dlclose() fails");
    }
}

int main(int argc, char **argv)
{
    need(argc >= 4, "use: gst_host run|render|load ...");
    if (strcmp(argv[1], "load") == 0) {
        load(argv[2], atoi(argv[3]));
        return 0;
    }
    if (strcmp(argv[1], "render") == 0 && argc == 6) {
        render(argv[2], atoi(argv[3]), atoi(argv[4]), atoi(argv[5]));
        return 0;
    }
    gst_init(NULL, NULL);
    g_log_set_always_fatal(G_LOG_FATAL_MASK | G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING);
    need(argc == 6 && strcmp(argv[1], "run") == 0, "wrong arguments");
    run(argv[2], argv[3], atoi(argv[4]), atoi(argv[5]));
    return 0;
}
