/* The elements: "satfilter" for chains, and one for each filter of the table. */
#ifndef SATF_PLUGINS_GSTREAMER_ELEMENT_H
#define SATF_PLUGINS_GSTREAMER_ELEMENT_H

#include <gst/gst.h>

/* Registers "satfilter" for NULL, "satbox" for "box". */
gboolean element_register(GstPlugin *plugin, const char *filter);

#endif
