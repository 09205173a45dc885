/* What GStreamer finds in libgstsatfilter.so. */
#include "../picture.h"
#include "element.h"

/* Filters of modules become elements, too. GStreamer looks for elements again when the variable or
 * its files change: the empty name is the path itself. */
static void load_modules(GstPlugin *plugin)
{
    static const gchar *variables[] = {"SATFILTER_MODULES", NULL}, *names[] = {"", NULL};
    satf_context *ctx = NULL;
    gst_plugin_add_dependency(plugin, variables, NULL, names, GST_PLUGIN_DEPENDENCY_FLAG_NONE);
    if (satf_context_create(&ctx) || satf_module_load(ctx, NULL)) {
        g_warning("SATFILTER_MODULES: %s", satf_message(ctx));
    }
    satf_context_destroy(ctx);
}

static gboolean plugin_init(GstPlugin *plugin)
{
    load_modules(plugin);
    gboolean done = element_register(plugin, NULL);
    const char *name;
    for (size_t i = 0; (name = satf_filter_name(i, NULL, 0)); i++) {
        if (picture_fits(name)) {
            done = element_register(plugin, name) && done;
        }
    }
    return done;
}

#define PACKAGE "satfilter"
/* The macro declares what it defines outside the header. */
#pragma GCC visibility push(default)
GST_PLUGIN_DEFINE(GST_VERSION_MAJOR, GST_VERSION_MINOR, satfilter,
                  "exact image filters on summed area tables", plugin_init, SATF_PLUGIN_VERSION,
                  "BSD", "satfilter", "satfilter")
#pragma GCC visibility pop
