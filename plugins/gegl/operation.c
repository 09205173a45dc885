/* A filter as an operation of GEGL. */
#include "operation.h"

#include <gegl-plugin.h>

#include "../picture.h"
#include "../properties.h"

enum { WHOLE = G_MAXINT };

/* The lock: a node that several graphs share is processed by their threads at once. */
typedef struct operation {
    GeglOperationFilter parent;
    GMutex lock;
    GValue *values;
    gboolean stale; /* the filter is older than the values */
    gboolean told;  /* what is wrong with them */
    satf_context *ctx;
    satf_filter *filter; /* NULL: the values are refused */
    int reach;           /* pixels to each side that a result depends on, or WHOLE */
    double constant;     /* the border's, 0 ... 1; negative: it has none */
} operation;

typedef struct operation_class {
    GeglOperationFilterClass parent;
    const char *filter;
    GPtrArray *properties;
} operation_class;

static gpointer parent_class;

static const operation_class *class_of(gpointer self)
{
    return (const operation_class *)G_OBJECT_GET_CLASS(self);
}

/* ----------------------------------------------------------------- properties */

/* Sliders end where a number is mostly wanted; larger ones are typed in. */
static GParamSpec *with_slider(GParamSpec *spec)
{
    const char *name = spec->name, *help = g_param_spec_get_blurb(spec);
    if (G_IS_PARAM_SPEC_INT(spec)) {
        GParamSpecInt *own = G_PARAM_SPEC_INT(spec);
        GParamSpec *made =
            gegl_param_spec_int(name, name, help, own->minimum, own->maximum, own->default_value,
                                own->minimum, MIN(own->maximum, 255), 1.5, spec->flags);
        gegl_param_spec_set_property_key(made, "unit", "pixel-distance");
        return made;
    }
    if (G_IS_PARAM_SPEC_DOUBLE(spec)) {
        GParamSpecDouble *own = G_PARAM_SPEC_DOUBLE(spec);
        gboolean wide = own->minimum > 0; /* over many powers of ten */
        return gegl_param_spec_double(
            name, name, help, own->minimum, own->maximum, own->default_value,
            wide ? own->default_value / 100 : own->minimum,
            wide ? own->default_value * 100 : own->maximum, wide ? 3 : 1, spec->flags);
    }
    return spec;
}

static GPtrArray *make_properties(const char *filter)
{
    const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS;
    GPtrArray *properties = properties_make(filter, flags, flags);
    for (guint i = 0; i < properties->len; i++) {
        GParamSpec *plain = properties->pdata[i];
        properties->pdata[i] = with_slider(plain);
        if (properties->pdata[i] != plain) {
            g_param_spec_unref(g_param_spec_ref_sink(plain));
        }
    }
    return properties;
}

static void set_property(GObject *object, guint number, const GValue *value, GParamSpec *spec)
{
    operation *self = (operation *)object;
    (void)spec;
    g_mutex_lock(&self->lock);
    g_value_copy(value, &self->values[number - 1]);
    self->stale = TRUE;
    g_mutex_unlock(&self->lock);
}

static void get_property(GObject *object, guint number, GValue *value, GParamSpec *spec)
{
    operation *self = (operation *)object;
    (void)spec;
    g_mutex_lock(&self->lock);
    g_value_copy(&self->values[number - 1], value);
    g_mutex_unlock(&self->lock);
}

/* --------------------------------------------------------------------- filter */

/* GEGL has no errors of operations: the log is where they tell, once for each setting. */
static void tell(operation *self)
{
    if (!self->told) {
        g_warning("satfilter:%s: %s", class_of(self)->filter, satf_message(self->ctx));
    }
    self->told = TRUE;
}

/* A border that mirrors reaches to the other side of the pixel: so the larger of two sides. */
static int reach_of(operation *self)
{
    int64_t left, top, right, bottom;
    satf_filter_info info = {.kind = SATF_FILTER_MOVE};
    satf_filter_find(class_of(self)->filter, &info, sizeof info);
    if ((info.kind != SATF_FILTER_WINDOW && info.kind != SATF_FILTER_LINES) ||
        satf_filter_reach(self->ctx, self->filter, &left, &top, &right, &bottom)) {
        return WHOLE;
    }
    return (int)MIN(MAX(MAX(left, right), MAX(top, bottom)), WHOLE);
}

static double constant_of(operation *self)
{
    const operation_class *class = class_of(self);
    satf_border border = SATF_BORDER_CLAMP;
    double constant = 0;
    for (guint i = 0; i < class->properties->len; i++) {
        GParamSpec *spec = class->properties->pdata[i];
        if (g_str_equal(spec->name, "border")) {
            satf_border_parse(self->ctx, g_value_get_string(&self->values[i]), &border, &constant);
        }
    }
    return border == SATF_BORDER_CONSTANT ? constant : -1;
}

/* Makes the filter of the values that are set. */
static void refresh(operation *self)
{
    if (!self->stale) {
        return;
    }
    satf_filter_destroy(self->filter);
    self->filter = NULL;
    self->stale = self->told = FALSE;
    char *text = properties_text(class_of(self)->filter, self->values);
    if ((!self->ctx && satf_context_create(&self->ctx)) ||
        satf_filter_parse(self->ctx, text, &self->filter)) {
        tell(self);
        self->reach = 0;
    } else {
        self->reach = reach_of(self);
        self->constant = constant_of(self);
    }
    g_free(text);
}

/* -------------------------------------------------------------------- regions */

/* What of the input counts for these pixels; of an infinite plane, as if these were all. */
static GeglRectangle surroundings(GeglOperation *base, const GeglRectangle *roi)
{
    int reach = ((operation *)base)->reach;
    const GeglRectangle *all = gegl_operation_source_get_bounding_box(base, "input");
    if (!all || gegl_rectangle_is_infinite_plane(roi)) {
        return *roi;
    }
    if (reach == WHOLE) {
        return gegl_rectangle_is_infinite_plane(all) ? *roi : *all;
    }
    GeglRectangle grown = {roi->x - reach, roi->y - reach, roi->width + 2 * reach,
                           roi->height + 2 * reach};
    gegl_rectangle_intersect(&grown, &grown, all);
    return grown;
}

static GeglRectangle get_required(GeglOperation *base, const char *pad, const GeglRectangle *roi)
{
    (void)pad;
    return surroundings(base, roi);
}

/* What was outside may be inside, after a change. */
static GeglRectangle get_invalidated(GeglOperation *base, const char *pad, const GeglRectangle *roi)
{
    (void)pad;
    GeglRectangle both, near = surroundings(base, roi);
    gegl_rectangle_bounding_box(&both, &near, roi);
    return both;
}

/* What needs the whole picture is computed once. */
static GeglRectangle get_cached(GeglOperation *base, const GeglRectangle *roi)
{
    return ((operation *)base)->reach == WHOLE ? surroundings(base, roi) : *roi;
}

/* ------------------------------------------------------------------- pictures */

/*
 * Floats, if the filter takes them and the result is of the input's type then. Else samples of 16
 * bits, to all of which the possible range is mapped; black and white of 8 bits stays exactly what
 * the command makes.
 */
static const char *samples_for(operation *self, const Babl *source)
{
    satf_view out, floats = satf_view_packed(NULL, 1, 1, 3, SATF_F32);
    satf_view integers = satf_view_packed(NULL, 1, 1, 3, SATF_U16);
    gboolean known =
        self->filter && (!satf_filter_output(self->ctx, self->filter, &floats, &out) ||
                         !satf_filter_output(self->ctx, self->filter, &integers, &out));
    if (!known || out.type == SATF_F32) {
        return "float";
    }
    gboolean bytes = source && babl_format_get_type(source, 0) == babl_type("u8");
    return out.type == SATF_U8 && bytes ? "u8" : "u16";
}

/* Channels and colour space are the source's. */
static void prepare(GeglOperation *base)
{
    operation *self = (operation *)base;
    const Babl *source = gegl_operation_get_source_format(base, "input");
    BablModelFlag flags = source ? babl_get_model_flags(babl_format_get_model(source)) : 0;
    const char *model = "R'G'B'";
    if (!source || babl_format_has_alpha(source)) {
        model = "R'G'B'A";
    } else if (flags & BABL_MODEL_FLAG_GRAY) {
        model = "Y'";
    }
    g_mutex_lock(&self->lock);
    refresh(self);
    char *name = g_strdup_printf("%s %s", model, samples_for(self, source));
    g_mutex_unlock(&self->lock);
    const Babl *format = babl_format_with_space(name, source);
    g_free(name);
    gegl_operation_set_format(base, "input", format);
    gegl_operation_set_format(base, "output", format);
}

static satf_view view_of(const Babl *format, const GeglRectangle *size)
{
    const Babl *sample = babl_format_get_type(format, 0);
    satf_type type = sample == babl_type("float") ? SATF_F32
                     : sample == babl_type("u8")  ? SATF_U8
                                                  : SATF_U16;
    satf_view view = satf_view_packed(NULL, size->width, size->height,
                                      babl_format_get_n_components(format), type);
    view.flags = babl_format_has_alpha(format) ? SATF_ALPHA : 0;
    view.full = type == SATF_F32 ? 1 : 0; /* levels are 255ths of it */
    return view;
}

static satf_status apply(operation *self, const satf_view *in, const satf_view *out)
{
    gboolean floats = in->type == SATF_F32;
    if (self->constant >= 0) {
        double most = in->type == SATF_U8 ? 255 : 65535;
        satf_filter_set_double(self->ctx, self->filter, "constant",
                               floats ? self->constant : round(self->constant * most));
    }
    return floats ? satf_filter_apply(self->ctx, self->filter, in, out)
                  : picture_filter(self->ctx, self->filter, in, out, 0);
}

static gboolean run(operation *self, const satf_view *in, const satf_view *out)
{
    g_mutex_lock(&self->lock);
    gboolean done = self->filter != NULL;
    if (done && apply(self, in, out)) {
        tell(self);
        done = FALSE;
    }
    g_mutex_unlock(&self->lock);
    return done;
}

/* The input stays what it is where the filter refuses it. */
static gboolean process(GeglOperation *base, GeglBuffer *input, GeglBuffer *output,
                        const GeglRectangle *roi, int level)
{
    const Babl *format = gegl_operation_get_format(base, "output");
    GeglRectangle from = surroundings(base, roi);
    satf_view in = view_of(format, &from), out = in;
    gsize bytes = (gsize)(in.stride * in.height);
    (void)level;
    in.data = g_try_malloc(bytes);
    out.data = g_try_malloc(bytes);
    gboolean done = in.data && out.data;
    if (done) {
        gegl_buffer_get(input, &from, 1, format, in.data, GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_CLAMP);
        satf_rect where = {roi->x - from.x, roi->y - from.y, roi->width, roi->height};
        satf_view part = satf_view_rect(run((operation *)base, &in, &out) ? &out : &in, where);
        gegl_buffer_set(output, roi, 0, format, part.data, (int)part.stride);
    }
    g_free(in.data);
    g_free(out.data);
    return done;
}

/* ----------------------------------------------------------------------- type */

static void finalize(GObject *object)
{
    operation *self = (operation *)object;
    satf_filter_destroy(self->filter);
    satf_context_destroy(self->ctx);
    properties_free(class_of(self)->properties, self->values);
    g_mutex_clear(&self->lock);
    G_OBJECT_CLASS(parent_class)->finalize(object);
}

static void set_keys(GeglOperationClass *class, const char *filter)
{
    satf_filter_info info = {.help = "", .detail = ""};
    satf_filter_find(filter, &info, sizeof info);
    char *name = g_strdup_printf("satfilter:%s", filter), *label = g_strdup(filter);
    *label = g_ascii_toupper(*label);
    char *title = g_strdup_printf("%s: %s", label, info.help);
    gegl_operation_class_set_keys(class, "name", name, "title", title, "categories", "satfilter",
                                  "description", info.detail, "gimp:menu-path",
                                  "<Image>/Filters/Satfilter", "gimp:menu-label", label, NULL);
    g_free(title);
    g_free(label);
    g_free(name);
}

static void class_init(gpointer class, gpointer data)
{
    operation_class *own = class;
    GObjectClass *object = class;
    GeglOperationClass *base = class;
    parent_class = g_type_class_peek_parent(class);
    object->set_property = set_property;
    object->get_property = get_property;
    object->finalize = finalize;
    base->prepare = prepare;
    base->threaded = FALSE; /* the library has threads of its own */
    base->get_required_for_output = get_required;
    base->get_invalidated_by_change = get_invalidated;
    base->get_cached_region = get_cached;
    own->parent.process = process;
    own->filter = data;
    own->properties = make_properties(data);
    properties_install(object, own->properties);
    set_keys(base, data);
}

static void instance_init(GTypeInstance *instance, gpointer class)
{
    operation *self = (operation *)instance;
    g_mutex_init(&self->lock);
    self->values = properties_new(((operation_class *)class)->properties);
    self->stale = TRUE;
}

void operation_register(const char *filter)
{
    GTypeInfo info = {
        .class_size = sizeof(operation_class),
        .class_init = class_init,
        .class_data = filter,
        .instance_size = sizeof(operation),
        .instance_init = instance_init,
    };
    char *name = g_strdup_printf("GeglSatfilter%s", filter);
    if (!g_type_from_name(name)) { /* two folders may hold the plugin */
        g_type_register_static(GEGL_TYPE_OPERATION_FILTER, name, &info, 0);
    }
    g_free(name);
}
