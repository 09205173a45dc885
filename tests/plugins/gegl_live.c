/* Operations of GEGL in parts, after changes, in chains and in threads. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gegl_graph.h"

/* Not at the origin, of no tile's size. */
static const GeglRectangle whole = {-7, 13, 151, 97};

#define FLOATS "R'G'B'A float"

static GeglBuffer *noise(const char *format)
{
    const Babl *pixel = babl_format(format);
    gsize bytes =
        (gsize)babl_format_get_bytes_per_pixel(pixel) * (gsize)(whole.width * whole.height);
    guint8 *samples = g_malloc(bytes);
    for (gsize i = 0; i < bytes; i++) {
        samples[i] = (guint8)(((i * 2654435761u) >> 13) ^ (i * i * 40503u >> 9));
    }
    GeglBuffer *buffer = gegl_buffer_new(&whole, pixel);
    gegl_buffer_set(buffer, &whole, 0, pixel, samples, GEGL_AUTO_ROWSTRIDE);
    g_free(samples);
    return buffer;
}

/* Floats of the whole. */
static gboolean same(const float *one, const float *other)
{
    for (int i = 0; i < 4 * whole.width * whole.height; i++) {
        if (!(fabsf(one[i] - other[i]) <= 1e-5f)) {
            return FALSE;
        }
    }
    return TRUE;
}

/* What a graph of its own makes in one go. */
static float *afresh(GeglBuffer *buffer, const char *chain)
{
    graph made = graph_new(buffer, chain);
    float *pixels = graph_pixels(&made, &whole, FLOATS);
    graph_free(&made);
    return pixels;
}

/* In tiles as in one; after a change of a part as if it had always been so. */
static void check_regions(const char *format, const char *chain)
{
    GeglBuffer *buffer = noise(format);
    graph tiled = graph_new(buffer, chain);
    float *want = afresh(buffer, chain), *got = graph_tiles(&tiled, &whole, FLOATS);
    need(same(want, got), chain);
    g_free(got);
    const GeglRectangle part = {whole.x + 55, whole.y, 13, 9};
    float *dark = g_new0(float, 4 * 13 * 9);
    gegl_buffer_set(buffer, &part, 0, babl_format(FLOATS), dark, GEGL_AUTO_ROWSTRIDE);
    float *after = afresh(buffer, chain);
    got = graph_tiles(&tiled, &whole, FLOATS);
    need(same(after, got), chain);
    need(memcmp(want, after, sizeof *want * 4 * 151 * 97) != 0, "a change changes nothing");
    graph_free(&tiled);
    g_object_unref(buffer);
    g_free(dark);
    g_free(want);
    g_free(after);
    g_free(got);
}

static gboolean has(const char *operation, const char *property)
{
    return gegl_operation_find_property(operation, property) != NULL;
}

static void check_all_regions(void)
{
    static const char *const borders[] = {"clamp", "mirror",       "reflect",
                                          "wrap",  "constant:0.7", "shrink"};
    guint count = 0;
    char **names = gegl_list_operations(&count);
    for (guint i = 0; i < count; i++) {
        if (!g_str_has_prefix(names[i], "satfilter:")) {
            continue;
        }
        check_regions("R'G'B' u8", names[i]);
        for (int b = 0; b < 6 && has(names[i], "border"); b++) {
            char *chain = g_strdup_printf("%s%s%s border=%s", names[i],
                                          has(names[i], "width") ? " width=16 height=7" : "",
                                          has(names[i], "at") ? " at=7:-3" : "", borders[b]);
            check_regions("R'G'B'A u8", chain);
            g_free(chain);
        }
    }
    g_free(names);
    check_regions("Y' u8", "satfilter:box size=5 satfilter:stddev size=9 satfilter:flip");
    check_regions("R'G'B' u16", "satfilter:wolf size=9 satfilter:box width=301 height=301");
}

static int warnings;
static char *warning;

static void hear(const char *domain, GLogLevelFlags level, const char *message, gpointer user)
{
    (void)domain, (void)level, (void)user;
    warnings++;
    g_free(warning);
    warning = g_strdup(message);
}

/* A value that is refused, when it is set or when there are pixels: one sentence, and the picture
 * stays as it is. */
static void check_refusal(const char *operation, const char *name, const char *value,
                          const char *default_value, const char *sentence)
{
    GeglBuffer *buffer = noise("R'G'B' u8");
    graph made = {.top = gegl_node_new()};
    GeglNode *source =
        gegl_node_new_child(made.top, "operation", "gegl:buffer-source", "buffer", buffer, NULL);
    made.last = gegl_node_new_child(made.top, "operation", operation, "size", 9, NULL);
    gegl_node_link(source, made.last);
    char *chain = g_strdup_printf("%s size=9", operation);
    float *nine = afresh(buffer, chain), *plain = afresh(buffer, "gegl:nop");
    need(!same(nine, plain), "an operation does nothing");
    for (int turn = 0; turn < 2; turn++) {
        float *got = graph_tiles(&made, &whole, FLOATS);
        need(same(got, nine), "a size that is set changes nothing");
        g_free(got);
        guint id = g_log_set_handler(NULL, G_LOG_LEVEL_WARNING, hear, NULL);
        warnings = 0;
        gegl_node_set(made.last, name, value, NULL);
        got = graph_tiles(&made, &whole, FLOATS);
        need(same(got, plain), "a refused value changes the picture");
        need(warnings == 1 && strstr(warning, sentence), "a refused value is not told once");
        g_log_remove_handler(NULL, id);
        g_free(got);
        gegl_node_set(made.last, name, default_value, NULL);
    }
    graph_free(&made);
    g_object_unref(buffer);
    g_free(chain);
    g_free(nine);
    g_free(plain);
}

/* Ten in one graph, and each by itself on what the one before made. */
static void check_ten(void)
{
    GString *chain = g_string_new(NULL);
    GeglBuffer *first = noise("R'G'B'A u8"), *buffer = g_object_ref(first);
    float *alone = NULL;
    for (int i = 0; i < 10; i++) {
        char *word = g_strdup_printf("satfilter:%s size=%d ", i % 3 ? "box" : "unsharp", 3 + 2 * i);
        g_string_append(chain, word);
        g_free(alone);
        alone = afresh(buffer, word);
        g_object_unref(buffer);
        buffer = gegl_buffer_new(&whole, babl_format(FLOATS));
        gegl_buffer_set(buffer, &whole, 0, babl_format(FLOATS), alone, GEGL_AUTO_ROWSTRIDE);
        g_free(word);
    }
    graph made = graph_new(first, chain->str);
    float *together = graph_tiles(&made, &whole, FLOATS);
    need(same(alone, together), "ten operations are not one after another");
    graph_free(&made);
    g_object_unref(buffer);
    g_object_unref(first);
    g_string_free(chain, TRUE);
    g_free(alone);
    g_free(together);
}

/* What is beyond 0 ... 1 stays, where the result is a colour; planes may be infinite. */
static void check_floats(void)
{
    GeglBuffer *buffer = noise("R'G'B' u8");
    GeglColor *white = gegl_color_new("rgb(4.0, 4.0, 4.0)");
    gegl_buffer_set_color(buffer, NULL, white);
    float *bright = afresh(buffer, "gegl:nop"), *got = afresh(buffer, "satfilter:box size=5");
    need(same(bright, got), "bytes are not what they were");
    g_free(bright);
    g_free(got);
    g_object_unref(buffer);
    buffer = gegl_buffer_new(&whole, babl_format("RGB float"));
    gegl_buffer_set_color(buffer, NULL, white);
    bright = afresh(buffer, "gegl:nop");
    got = afresh(buffer, "satfilter:box size=5 satfilter:guided");
    need(bright[0] > 1.5f && same(bright, got), "bright colours are clipped");
    g_free(bright);
    g_free(got);
    g_object_unref(buffer);
    GeglNode *top = gegl_node_new();
    GeglNode *plane = gegl_node_new_child(top, "operation", "gegl:color", "value", white, NULL);
    GeglNode *box = gegl_node_new_child(top, "operation", "satfilter:box", NULL);
    GeglNode *wolf = gegl_node_new_child(top, "operation", "satfilter:wolf", NULL);
    gegl_node_link_many(plane, box, wolf, NULL);
    graph made = {top, wolf};
    got = graph_pixels(&made, &whole, FLOATS);
    need(got[0] == 1 && got[4 * 151 * 97 - 1] == 1, "of an infinite plane there is nothing");
    g_free(got);
    g_object_unref(top);
    g_object_unref(white);
}

/* No thread before the first pixel. */
static void check_threads(void)
{
    const GeglRectangle large = {0, 0, 1600, 1200};
    GeglBuffer *buffer = gegl_buffer_new(&large, babl_format("R'G'B' u8"));
    int threads = thread_count();
    graph made = graph_new(buffer, "satfilter:box size=31 satfilter:integral");
    GeglRectangle size = gegl_node_get_bounding_box(made.last);
    need(gegl_rectangle_equal(&size, &large), "the result has another size");
    need(thread_count() == threads, "threads run before the first pixel");
    g_free(graph_pixels(&made, &large, "R'G'B' u8"));
    graph_free(&made);
    g_object_unref(buffer);
}

static gpointer work(gpointer argument)
{
    (void)argument;
    GeglBuffer *buffer = noise("R'G'B'A u8");
    float *want = afresh(buffer, "satfilter:stddev size=9 satfilter:box size=31");
    for (int i = 0; i < 10; i++) {
        float *got = afresh(buffer, "satfilter:stddev size=9 satfilter:box size=31");
        need(same(want, got), "a graph differs while others run");
        g_free(got);
    }
    g_free(want);
    g_object_unref(buffer);
    return NULL;
}

static void check_graphs_in_threads(void)
{
    GThread *threads[4];
    for (int i = 0; i < 4; i++) {
        threads[i] = g_thread_new("work", work, NULL);
    }
    for (int i = 0; i < 4; i++) {
        g_thread_join(threads[i]);
    }
}

int main(void)
{
    g_log_set_always_fatal(G_LOG_FATAL_MASK | G_LOG_LEVEL_CRITICAL);
    gegl_init(NULL, NULL);
    check_threads();
    check_all_regions();
    check_refusal("satfilter:box", "at", "9:0", "0:0", "satfilter:box: at=9:0");
    check_refusal("satfilter:unsharp", "border", "mirror,size=3", "clamp", "mirror?size=3");
    check_refusal("satfilter:stddev", "border", "constant:7", "clamp", "satfilter:stddev: ");
    check_ten();
    check_floats();
    check_graphs_in_threads();
    gegl_exit();
    g_free(warning);
    return 0;
}
