/* GStreamer's elements while they play: what changes, what is refused, what ends. Results are those
 * of satf_filter_apply().
 *
 *   gst_live FRAMES    those of the long stream; 0: without it */
#include <gst/check/gstharness.h>
#include <gst/controller/controller.h>
#include <satfilter.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gst_frame.h"

enum { WIDTH = 67, HEIGHT = 41, MAX_BYTES = 1 << 20 };

static guint8 noise[MAX_BYTES];

/* A harness of one element, with a bus. */
typedef struct stage {
    GstHarness *harness;
    GstBus *bus;
    GstVideoInfo info;
} stage;

static void set_caps(stage *s, const char *format, int width, int height)
{
    char *caps = frame_caps(format, width, height);
    s->info = frame_info(format, width, height);
    gst_harness_set_src_caps_str(s->harness, caps);
    g_free(caps);
}

static stage open_stage(const char *element)
{
    stage s = {.harness = gst_harness_new(element), .bus = gst_bus_new()};
    gst_element_set_bus(s.harness->element, s.bus);
    set_caps(&s, "GRAY8", WIDTH, HEIGHT);
    return s;
}

static void close_stage(stage *s)
{
    gst_element_set_bus(s->harness->element, NULL);
    gst_harness_teardown(s->harness);
    gst_object_unref(s->bus);
}

static guint8 *filtered(stage *s, GstClockTime time)
{
    GstBuffer *in = frame_buffer(&s->info, noise);
    GST_BUFFER_PTS(in) = time;
    need(gst_harness_push(s->harness, in) == GST_FLOW_OK, "a frame is refused");
    GstBuffer *out = gst_harness_pull(s->harness);
    guint8 *samples = frame_samples(&s->info, out);
    gst_buffer_unref(out);
    return samples;
}

/* Grey, by the library. */
static void by_library(const char *filter, int width, int height, guint8 *out)
{
    satf_context *ctx = NULL;
    satf_filter *made = NULL;
    satf_view from = satf_view_packed(noise, width, height, 1, SATF_U8), to = from;
    to.data = out;
    need(satf_context_create(&ctx) == SATF_OK && satf_filter_parse(ctx, filter, &made) == SATF_OK &&
             satf_filter_apply(ctx, made, &from, &to) == SATF_OK,
         filter);
    satf_filter_destroy(made);
    satf_context_destroy(ctx);
}

static gboolean is(stage *s, const guint8 *samples, const char *filter)
{
    int width = GST_VIDEO_INFO_WIDTH(&s->info), height = GST_VIDEO_INFO_HEIGHT(&s->info);
    guint8 *want = g_malloc((gsize)width * (gsize)height);
    by_library(filter, width, height, want);
    gboolean same = memcmp(samples, want, (gsize)width * (gsize)height) == 0;
    g_free(want);
    return same;
}

/* The grey picture, or Y, of the next frame is what the filter makes. */
static void expect(stage *s, GstClockTime time, const char *filter, const char *what)
{
    guint8 *samples = filtered(s, time);
    need(is(s, samples, filter), what);
    g_free(samples);
}

/* A frame is refused with that sentence. */
static void expect_error(stage *s, const char *sentence)
{
    need(gst_harness_push(s->harness, frame_buffer(&s->info, noise)) == GST_FLOW_ERROR, sentence);
    GstMessage *message = gst_bus_pop_filtered(s->bus, GST_MESSAGE_ERROR);
    GError *error = NULL;
    need(message != NULL, "no error was posted");
    gst_message_parse_error(message, &error, NULL);
    if (!strstr(error->message, sentence)) {
        fprintf(stderr, "got: %s\n", error->message);
        need(FALSE, sentence);
    }
    g_error_free(error);
    gst_message_unref(message);
}

/* -------------------------------------------------------------------- the tests */

static void properties_change(void)
{
    stage s = open_stage("satbox");
    expect(&s, 0, "box=3", "satbox does not begin with its default");
    gst_harness_set(s.harness, "satbox", "size", 9, NULL);
    expect(&s, 0, "box=9", "size is not followed");
    gst_harness_set(s.harness, "satbox", "width", 31, "border", "mirror", NULL);
    expect(&s, 0, "box=31x9,border=mirror", "width and border are not followed");
    gst_harness_set(s.harness, "satbox", "width", 0, "size", 12, "at", "2:-1", NULL);
    expect(&s, 0, "box=12,at=2:-1,border=mirror", "at is not followed");
    int size = 0;
    char *border = NULL;
    gst_harness_get(s.harness, "satbox", "size", &size, "border", &border, NULL);
    need(size == 12 && strcmp(border, "mirror") == 0, "a property is not what was set");
    g_free(border);
    close_stage(&s);
    s = open_stage("satfilter");
    expect(&s, 0, "box=3", "satfilter does not begin with its default");
    gst_harness_set(s.harness, "satfilter", "filter", "box=5\vunsharp=9,amount=2\n box=3x1", NULL);
    expect(&s, 0, "box=5 unsharp=9,amount=2 box=3x1", "filter is not followed");
    set_caps(&s, "I420", WIDTH, HEIGHT);
    expect(&s, 0, "box=5 unsharp=9,amount=2 box=3x1", "filter is not followed in colour");
    close_stage(&s);
}

static void caps_change(void)
{
    static const char *const formats[] = {"GRAY8", "I420", "NV12", "Y444",
                                          "YV12",  "NV21", "YUY2", "Y42B"};
    stage s = open_stage("satfilter");
    gst_harness_set(s.harness, "satfilter", "filter", "box=15x7", NULL);
    for (int i = 0; i < 24; i++) {
        set_caps(&s, formats[i % 8], 1 + i * 37 % 130, 1 + i * 53 % 90);
        expect(&s, 0, "box=15x7", "a frame of new caps is wrong");
    }
    close_stage(&s);
}

static void errors(void)
{
    stage s = open_stage("satfilter");
    expect(&s, 0, "box=3", "the first frame is wrong");
    gst_harness_set(s.harness, "satfilter", "filter", "bux=3", NULL);
    expect_error(&s, "bux");
    expect_error(&s, "bux");
    gst_harness_set(s.harness, "satfilter", "filter", "box=0", NULL);
    expect_error(&s, "box");
    gst_harness_set(s.harness, "satfilter", "filter", NULL, NULL);
    expect_error(&s, "names no filter");
    gst_harness_set(s.harness, "satfilter", "filter", "rotate=90", NULL);
    expect_error(&s, "the filter makes 41 x 67 pixels of 67 x 41, but frames keep their size");
    gst_harness_set(s.harness, "satfilter", "filter", "box=3 sauvola=7 transpose", NULL);
    expect_error(&s, "frames keep their size");
    gst_harness_set(s.harness, "satfilter", "filter", "box=7", NULL);
    expect(&s, 0, "box=7", "after an error a frame is wrong");
    close_stage(&s);
    s = open_stage("satbox"); /* a first frame that is refused; no parameter within a value */
    gst_harness_set(s.harness, "satbox", "at", "30:30", NULL);
    expect_error(&s, "box");
    gst_harness_set(s.harness, "satbox", "at", "0:0", "border", "mirror,size=9", NULL);
    expect_error(&s, "mirror?size=9");
    gst_harness_set(s.harness, "satbox", "border", "clamp box=9", NULL);
    expect_error(&s, "clamp?box=9");
    gst_harness_set(s.harness, "satbox", "border", "clamp", NULL);
    expect(&s, 0, "box=3", "after a first frame that was refused the next is wrong");
    close_stage(&s);
}

/* The kernel counts a thread a little longer than whoever joins it. */
static gboolean threads_become(int count)
{
    for (int i = 0; i < 2000 && thread_count() != count; i++) {
        g_usleep(1000);
    }
    return thread_count() == count;
}

static void states_and_flushes(void)
{
    stage s = open_stage("satbox");
    int threads = thread_count();
    for (int i = 0; i < 20; i++) {
        GstElement *element = gst_harness_find_element(s.harness, "satbox");
        set_caps(&s, "GRAY8", 1000, 700); /* enough for several threads */
        expect(&s, 0, "box=3", "a frame after a change of state is wrong");
        gst_element_set_state(element, GST_STATE_READY);
        need(threads_become(threads), "threads outlive the stream");
        gst_element_set_state(element, i % 2 ? GST_STATE_PAUSED : GST_STATE_NULL);
        gst_element_set_state(element, GST_STATE_PLAYING);
        gst_object_unref(element);
        gst_harness_push_event(s.harness, gst_event_new_stream_start("again"));
        set_caps(&s, i % 3 ? "GRAY8" : "NV12", WIDTH + i, HEIGHT);
        GstSegment segment;
        gst_segment_init(&segment, GST_FORMAT_TIME);
        gst_harness_push_event(s.harness, gst_event_new_segment(&segment));
        expect(&s, 0, "box=3", "a frame after a start is wrong");
        gst_harness_push_event(s.harness, gst_event_new_flush_start());
        gst_harness_push_event(s.harness, gst_event_new_flush_stop(TRUE));
        gst_segment_init(&segment, i % 2 ? GST_FORMAT_BYTES : GST_FORMAT_TIME);
        gst_harness_push_event(s.harness, gst_event_new_segment(&segment));
        expect(&s, 0, "box=3", "a frame after a flush is wrong");
    }
    gst_harness_push_event(s.harness, gst_event_new_eos());
    gboolean ended = FALSE;
    for (GstEvent *event; !ended && (event = gst_harness_try_pull_event(s.harness));) {
        ended = GST_EVENT_TYPE(event) == GST_EVENT_EOS;
        gst_event_unref(event);
    }
    need(ended, "the end of the stream does not come through");
    close_stage(&s);
}

/* A size of 3 until a second has gone, then 15. */
static void controlled(void)
{
    stage s = open_stage("satbox");
    GstElement *element = gst_harness_find_element(s.harness, "satbox");
    GstControlSource *source = gst_interpolation_control_source_new();
    g_object_set(source, "mode", GST_INTERPOLATION_MODE_NONE, NULL);
    GstTimedValueControlSource *timed = GST_TIMED_VALUE_CONTROL_SOURCE(source);
    gst_timed_value_control_source_set(timed, 0, 3);
    gst_timed_value_control_source_set(timed, GST_SECOND, 15);
    need(gst_object_add_control_binding(
             GST_OBJECT(element),
             gst_direct_control_binding_new_absolute(GST_OBJECT(element), "size", source)),
         "size cannot be controlled");
    expect(&s, 0, "box=3", "the first frame's size is not the control's");
    expect(&s, GST_SECOND / 2, "box=3", "a size changes early");
    expect(&s, GST_SECOND, "box=15", "a size does not follow its control");
    expect(&s, 2 * GST_SECOND, "box=15", "a size does not stay with its control");
    gst_object_unref(source);
    gst_object_unref(element);
    close_stage(&s);
}

static gpointer turn_filter(gpointer argument)
{
    stage *s = argument;
    GstElement *element = gst_harness_find_element(s->harness, "satfilter");
    for (int i = 0; i < 2000; i++) {
        g_object_set(element, "filter", i % 2 ? "box=9 box=5" : "unsharp=31,amount=3", NULL);
        char *text = NULL;
        g_object_get(element, "filter", &text, NULL);
        g_free(text);
    }
    gst_object_unref(element);
    return NULL;
}

/* Frames are of one setting, whichever, while another thread changes it. */
static gpointer race(gpointer argument)
{
    (void)argument;
    stage s = open_stage("satfilter");
    gst_harness_set(s.harness, "satfilter", "filter", "box=9 box=5", NULL);
    GThread *thread = g_thread_new("turn", turn_filter, &s);
    for (int i = 0; i < 60; i++) {
        guint8 *samples = filtered(&s, 0);
        need(is(&s, samples, "box=9 box=5") || is(&s, samples, "unsharp=31,amount=3"),
             "a frame is of neither setting");
        g_free(samples);
    }
    g_thread_join(thread);
    close_stage(&s);
    return NULL;
}

/* As in several pipelines of a process. */
static void races(void)
{
    GThread *threads[4];
    for (int i = 0; i < 4; i++) {
        threads[i] = g_thread_new("race", race, NULL);
    }
    for (int i = 0; i < 4; i++) {
        g_thread_join(threads[i]);
    }
}

/* Kibibytes of this process that no file backs: of a file's pages the kernel maps and drops what it
 * likes. */
static long anonymous_kib(void)
{
    long kib = 0;
    char line[256];
    FILE *file = fopen("/proc/self/smaps_rollup", "r");
    need(file != NULL, "/proc is missing");
    while (fgets(line, sizeof line, file) && sscanf(line, "Anonymous: %ld", &kib) != 1) {
    }
    fclose(file);
    need(kib > 0, "/proc/self/smaps_rollup has no Anonymous");
    return kib;
}

/* Long streams need no more memory than short ones, though the setting changes. A leak of 64 bytes
   a frame grows in each quarter of a stream; a thread or an arena that begins late, in one of them.
 */
static void long_stream(int frames)
{
    stage s = open_stage("satfilter");
    set_caps(&s, "NV12", 192, 108);
    long before = 0, least = LONG_MAX;
    for (int quarter = 0; quarter < 4; quarter++) {
        for (int i = 0; i < frames / 4; i++) {
            gst_harness_set(s.harness, "satfilter", "filter",
                            i / 2 % 2 ? "sauvola=15" : "box=31 variance=5", NULL);
            GstClockTime time = (GstClockTime)(quarter * (frames / 4) + i) * GST_SECOND / 25;
            g_free(filtered(&s, time));
        }
        long after = anonymous_kib();
        if (quarter > 0 && after - before < least) {
            least = after - before;
        }
        before = after;
    }
    need(least < 32, "memory grows with the stream");
    close_stage(&s);
}

int main(int argc, char **argv)
{
    gst_init(NULL, NULL);
    g_log_set_always_fatal(G_LOG_FATAL_MASK | G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING);
    for (size_t i = 0; i < sizeof noise; i++) {
        noise[i] = (guint8)(i * i * 2654435761u >> 11);
    }
    properties_change();
    caps_change();
    errors();
    states_and_flushes();
    controlled();
    races();
    int frames = argc == 2 ? atoi(argv[1]) : 0;
    if (frames > 0) {
        long_stream(frames);
    }
    return 0;
}
