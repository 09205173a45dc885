/* What GStreamer finds in libgstsatfilter.so. */
#include "../picture.h"
#include "element.h"

static gboolean plugin_init(GstPlugin *plugin)
{
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
