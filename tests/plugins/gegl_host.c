/*
 * A host of GEGL's operations.
 *
 *   gegl_host run FORMAT WIDTH HEIGHT IN [CHAIN OUT]...    from and to files of samples
 *   gegl_host near WANT GOT      whether files of bytes differ by 1 at most; grey of WANT may be
 *                                each colour of GOT, opaque
 *   gegl_host show               the operations, each with its properties and keys
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gegl_graph.h"

typedef struct picture {
    const Babl *pixel;
    GeglRectangle size;
    gsize bytes;
    char *samples;
} picture;

static void run(const picture *in, const char *chain, const char *path)
{
    GeglBuffer *buffer = gegl_buffer_new(&in->size, in->pixel);
    gegl_buffer_set(buffer, NULL, 0, in->pixel, in->samples, GEGL_AUTO_ROWSTRIDE);
    graph made = graph_new(buffer, chain);
    GeglRectangle size = gegl_node_get_bounding_box(made.last);
    need(gegl_rectangle_equal(&size, &in->size), "the result has another size");
    char *result = graph_pixels(&made, &in->size, babl_get_name(in->pixel));
    need(g_file_set_contents(path, result, (gssize)in->bytes, NULL), path);
    gegl_buffer_get(buffer, NULL, 1, in->pixel, result, GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
    need(memcmp(in->samples, result, in->bytes) == 0, "the input was written to");
    graph_free(&made);
    g_object_unref(buffer);
    g_free(result);
}

static void run_all(char **arguments)
{
    picture in = {.pixel = babl_format(arguments[0])};
    in.size = (GeglRectangle){0, 0, atoi(arguments[1]), atoi(arguments[2])};
    gsize pixels = (gsize)in.size.width * (gsize)in.size.height, bytes = 0;
    in.bytes = pixels * (gsize)babl_format_get_bytes_per_pixel(in.pixel);
    need(g_file_get_contents(arguments[3], &in.samples, &bytes, NULL) && bytes == in.bytes,
         "the picture has another size");
    for (arguments += 4; arguments[0] && arguments[1]; arguments += 2) {
        run(&in, arguments[0], arguments[1]);
    }
    g_free(in.samples);
}

static int is_near(const char *want_path, const char *got_path)
{
    guint8 *want, *got;
    gsize wanted, count;
    need(g_file_get_contents(want_path, (char **)&want, &wanted, NULL) && wanted > 0, want_path);
    need(g_file_get_contents(got_path, (char **)&got, &count, NULL), got_path);
    gsize channels = count / wanted;
    if (channels * wanted != count || channels < 1 || channels > 4) {
        fprintf(stderr, "%zu bytes are wanted, not %zu\n", wanted, count);
        return 0;
    }
    for (gsize i = 0; i < count; i++) {
        gboolean alpha = channels == 4 && i % 4 == 3;
        int expected = alpha ? 255 : want[i / channels];
        if (abs(got[i] - expected) > 1) {
            fprintf(stderr, "byte %zu is %d, not %d\n", i, got[i], expected);
            return 0;
        }
    }
    g_free(want);
    g_free(got);
    return 1;
}

static void show(const char *operation)
{
    guint count = 0;
    GParamSpec **specs = gegl_operation_list_properties(operation, &count);
    for (guint i = 0; i < count; i++) {
        char *value = g_strdup_value_contents(g_param_spec_get_default_value(specs[i]));
        printf("%s %s %s %s\n", operation, specs[i]->name, g_type_name(specs[i]->value_type),
               value);
        g_free(value);
    }
    g_free(specs);
    char **keys = gegl_operation_list_keys(operation, &count);
    for (guint i = 0; i < count; i++) {
        if (!g_str_equal(keys[i], "operation-class")) { /* GEGL's, no text */
            printf("%s %s: %s\n", operation, keys[i], gegl_operation_get_key(operation, keys[i]));
        }
    }
    g_free(keys);
}

static void show_all(void)
{
    guint count = 0;
    char **names = gegl_list_operations(&count);
    for (guint i = 0; i < count; i++) {
        if (g_str_has_prefix(names[i], "satfilter:")) {
            show(names[i]);
        }
    }
    g_free(names);
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "near") == 0) {
        return !is_near(argv[2], argv[3]);
    }
    gegl_init(NULL, NULL); /* which may warn of what this machine lacks */
    g_log_set_always_fatal(G_LOG_FATAL_MASK | G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING);
    if (argc >= 6 && strcmp(argv[1], "run") == 0) {
        run_all(argv + 2);
    } else {
        need(argc == 2 && strcmp(argv[1], "show") == 0,
             "usage: gegl_host run FORMAT WIDTH HEIGHT IN [CHAIN OUT]... | near WANT GOT | show");
        show_all();
    }
    gegl_exit();
    return 0;
}
