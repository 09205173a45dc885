/* A video filter whose properties make the text of a chain. */
#include "element.h"

#include <gst/video/gstvideofilter.h>
#include <gst/video/video.h>

#include "../properties.h"
#include "planes.h"

typedef struct element {
    GstVideoFilter parent;
    GValue *values; /* under the object's lock */
    gboolean stale; /* likewise: the filters are older than the values */
    planes planes;  /* the streaming thread's */
} element;

typedef struct element_class {
    GstVideoFilterClass parent;
    const char *filter; /* NULL: a chain */
    GPtrArray *properties;
} element_class;

static const GParamFlags text_flags =
    G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | (GParamFlags)GST_PARAM_MUTABLE_PLAYING;
static const GParamFlags number_flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS |
                                        (GParamFlags)GST_PARAM_MUTABLE_PLAYING |
                                        (GParamFlags)GST_PARAM_CONTROLLABLE;

static gpointer parent_class;

static const element_class *class_of(gpointer self)
{
    return (const element_class *)G_OBJECT_GET_CLASS(self);
}

static void set_property(GObject *object, guint number, const GValue *value, GParamSpec *spec)
{
    element *self = (element *)object;
    (void)spec;
    GST_OBJECT_LOCK(self);
    g_value_copy(value, &self->values[number - 1]);
    self->stale = TRUE;
    GST_OBJECT_UNLOCK(self);
}

static void get_property(GObject *object, guint number, GValue *value, GParamSpec *spec)
{
    element *self = (element *)object;
    (void)spec;
    GST_OBJECT_LOCK(self);
    g_value_copy(&self->values[number - 1], value);
    GST_OBJECT_UNLOCK(self);
}

static void finalize(GObject *object)
{
    element *self = (element *)object;
    planes_clear(&self->planes);
    properties_free(class_of(self)->properties, self->values);
    G_OBJECT_CLASS(parent_class)->finalize(object);
}

/* Values that change with time are those of the frame. */
static void before_transform(GstBaseTransform *transform, GstBuffer *buffer)
{
    const GstSegment *segment = &transform->segment;
    if (segment->format == GST_FORMAT_TIME) {
        guint64 time = gst_segment_to_stream_time(segment, GST_FORMAT_TIME, GST_BUFFER_PTS(buffer));
        if (GST_CLOCK_TIME_IS_VALID(time)) {
            gst_object_sync_values(GST_OBJECT(transform), time);
        }
    }
}

/* Threads and memory go with the stream. */
static gboolean stop(GstBaseTransform *transform)
{
    element *self = (element *)transform;
    planes_clear(&self->planes);
    GST_OBJECT_LOCK(self);
    self->stale = TRUE;
    GST_OBJECT_UNLOCK(self);
    return TRUE;
}

static char *chain_of(element *self)
{
    const char *filter = class_of(self)->filter;
    const char *chain = filter ? NULL : g_value_get_string(self->values);
    return filter ? properties_text(filter, self->values) : g_strdup(chain ? chain : "");
}

/* Makes the filters of the values that are set. */
static gboolean refresh(element *self)
{
    char *chain = NULL;
    GST_OBJECT_LOCK(self);
    if (self->stale) {
        chain = chain_of(self);
        self->stale = FALSE;
    }
    GST_OBJECT_UNLOCK(self);
    gboolean done = !chain || planes_set_chain(&self->planes, chain);
    g_free(chain);
    if (!done) {
        GST_OBJECT_LOCK(self);
        self->stale = TRUE;
        GST_OBJECT_UNLOCK(self);
    }
    return done;
}

static GstFlowReturn transform_frame(GstVideoFilter *filter, GstVideoFrame *in, GstVideoFrame *out)
{
    element *self = (element *)filter;
    if (!refresh(self)) {
        GST_ELEMENT_ERROR(self, LIBRARY, SETTINGS, ("%s", self->planes.message), (NULL));
        return GST_FLOW_ERROR;
    }
    if (!planes_run(&self->planes, in, out)) {
        GST_ELEMENT_ERROR(self, STREAM, FORMAT, ("%s", self->planes.message), (NULL));
        return GST_FLOW_ERROR;
    }
    return GST_FLOW_OK;
}

static GPtrArray *properties_of(const char *filter)
{
    if (filter) {
        return properties_make(filter, number_flags, text_flags);
    }
    GPtrArray *properties = g_ptr_array_new();
    g_ptr_array_add(properties, g_param_spec_string("filter", "filter",
                                                    "filters as in the command: \"box=15\", "
                                                    "\"box=15x9,border=mirror variance=7\"",
                                                    "box=3", text_flags));
    return properties;
}

static void class_init(gpointer class, gpointer data)
{
    static GstStaticCaps caps = GST_STATIC_CAPS(GST_VIDEO_CAPS_MAKE(PLANES_FORMATS));
    element_class *own = class;
    GstElementClass *base = class;
    satf_filter_info info = {.help = "a filter, or several one after another",
                             .detail = "What the command satfilter makes of pictures, of frames: "
                                       "exact filters, as fast with large windows as with small "
                                       "ones."};
    own->filter = data;
    parent_class = g_type_class_peek_parent(class);
    if (data) {
        satf_filter_find(data, &info, sizeof info);
    }
    gst_element_class_set_metadata(base, info.help, "Filter/Effect/Video", info.detail,
                                   "satfilter");
    GstCaps *formats = gst_static_caps_get(&caps);
    gst_element_class_add_pad_template(
        base, gst_pad_template_new("sink", GST_PAD_SINK, GST_PAD_ALWAYS, formats));
    gst_element_class_add_pad_template(
        base, gst_pad_template_new("src", GST_PAD_SRC, GST_PAD_ALWAYS, formats));
    gst_caps_unref(formats);
    GObjectClass *object = class;
    object->set_property = set_property;
    object->get_property = get_property;
    object->finalize = finalize;
    GST_BASE_TRANSFORM_CLASS(class)->before_transform = before_transform;
    GST_BASE_TRANSFORM_CLASS(class)->stop = stop;
    GST_VIDEO_FILTER_CLASS(class)->transform_frame = transform_frame;
    own->properties = properties_of(own->filter);
    properties_install(object, own->properties);
}

static void instance_init(GTypeInstance *instance, gpointer class)
{
    element *self = (element *)instance;
    self->values = properties_new(((element_class *)class)->properties);
    self->stale = TRUE;
}

gboolean element_register(GstPlugin *plugin, const char *filter)
{
    GTypeInfo info = {
        .class_size = sizeof(element_class),
        .class_init = class_init,
        .class_data = filter,
        .instance_size = sizeof(element),
        .instance_init = instance_init,
    };
    char *type_name = g_strdup_printf("GstSatfilter%s", filter ? filter : "");
    char *name = filter ? g_strdup_printf("sat%s", filter) : g_strdup("satfilter");
    GType type = g_type_register_static(GST_TYPE_VIDEO_FILTER, type_name, &info, 0);
    gboolean done = gst_element_register(plugin, name, GST_RANK_NONE, type);
    g_free(name);
    g_free(type_name);
    return done;
}
