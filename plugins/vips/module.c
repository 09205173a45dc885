/* A module of libvips: an operation for each filter of the table, its arguments the parameters. */
#include <gmodule.h>
#include <math.h>
#include <satfilter.h>
#include <string.h>
#include <vips/vips.h>

#define PREFIX "satf_"

/* An instance has as many arguments as its filter has parameters. */
typedef union argument {
    int integer; /* flags as well */
    double real;
    char *text;
} argument;

typedef struct operation {
    VipsOperation parent;
    VipsImage *in, *out;
    argument arguments[];
} operation;

static VipsObjectClass *parent_class;

/* ------------------------------------------------------------------- pictures */

/* vips has no integers of 64 bits: sums of these become doubles. It has no halves. */
static VipsBandFormat format_of(int type)
{
#define FORMAT(NAME, format) \
    case SATF_##NAME:        \
        return VIPS_FORMAT_##format;
    switch ((satf_type)type) {
        FORMAT(U8, UCHAR)
        FORMAT(U16, USHORT)
        FORMAT(U32, UINT)
        FORMAT(U64, DOUBLE)
        FORMAT(I8, CHAR)
        FORMAT(I16, SHORT)
        FORMAT(I32, INT)
        FORMAT(I64, DOUBLE)
        FORMAT(F16, NOTSET)
        FORMAT(BF16, NOTSET)
        FORMAT(F32, FLOAT)
        FORMAT(F64, DOUBLE)
    }
    return VIPS_FORMAT_NOTSET;
}

static int type_of(VipsBandFormat format)
{
    static const int types[] = {SATF_U8,  SATF_U16, SATF_U32, SATF_F32,
                                SATF_F64, SATF_I8,  SATF_I16, SATF_I32};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (format_of(types[i]) == format) {
            return types[i];
        }
    }
    return -1;
}

static satf_view view_of(VipsImage *image)
{
    satf_view view = satf_view_packed(image->data, image->Xsize, image->Ysize, image->Bands,
                                      (satf_type)type_of(image->BandFmt));
    view.flags = vips_image_hasalpha(image) ? SATF_ALPHA : 0;
    return view;
}

/* Metadata as they are, but for what says how samples are to be understood. */
static int prepare(VipsImage *out, VipsImage *in, const satf_view *result)
{
    satf_view view = view_of(in);
    if (vips_image_pipelinev(out, VIPS_DEMAND_STYLE_ANY, in, NULL)) {
        return -1;
    }
    out->Xsize = (int)result->width;
    out->Ysize = (int)result->height;
    out->Bands = result->channels;
    out->BandFmt = format_of(result->type);
    if (result->channels != view.channels || result->type != view.type) {
        vips_image_remove(out, VIPS_META_ICC_NAME);
        int is_grey = result->channels == 1 && result->type == SATF_U8;
        out->Type = is_grey ? VIPS_INTERPRETATION_B_W : VIPS_INTERPRETATION_MULTIBAND;
    }
    return vips_image_write_prepare(out);
}

/* In place; -1 where a double cannot hold a sum. */
static int sums_to_doubles(const satf_view *view)
{
    const int64_t most = INT64_C(1) << 53;
    char *sample = view->data;
    for (int64_t left = view->height * view->stride; left > 0; left -= (int64_t)sizeof(double)) {
        int64_t sum; /* of U64 negative above its middle */
        memcpy(&sum, sample, sizeof sum);
        if (sum > most || sum < (view->type == SATF_I64 ? -most : 0)) {
            return -1;
        }
        memcpy(sample, &(double){(double)sum}, sizeof(double));
        sample += sizeof(double);
    }
    return 0;
}

static int fail(operation *self, const satf_context *ctx)
{
    vips_error(VIPS_OBJECT_GET_CLASS(self)->nickname, "%s", satf_message(ctx));
    return -1;
}

static int apply(operation *self, satf_context *ctx, const satf_filter *filter, VipsImage *in)
{
    const char *name = VIPS_OBJECT_GET_CLASS(self)->nickname;
    satf_view view = view_of(in), result;
    if (view.type < 0) {
        vips_error(name, "pictures of %s are not filtered; cast them to float or double",
                   vips_enum_nick(VIPS_TYPE_BAND_FORMAT, in->BandFmt));
        return -1;
    }
    if (satf_filter_output(ctx, filter, &view, &result)) {
        return fail(self, ctx);
    }
    g_object_set(self, "out", vips_image_new_memory(), NULL);
    if (prepare(self->out, in, &result)) {
        return -1;
    }
    result.data = self->out->data;
    if (satf_filter_apply(ctx, filter, &view, &result)) {
        return fail(self, ctx);
    }
    int sums = result.type == SATF_U64 || result.type == SATF_I64;
    if (sums && sums_to_doubles(&result)) {
        vips_error(name, "a sum is above 2^53, which the samples of vips do not hold exactly");
        return -1;
    }
    return 0;
}

/* ------------------------------------------------------------------ arguments */

/* A number that may be a word, of the syntax "V|otsu", is a text. */
static satf_param_type argument_type(const satf_param_info *info)
{
    return info->type == SATF_PARAM_REAL && strchr(info->syntax, '|') ? SATF_PARAM_CHOICE
                                                                      : info->type;
}

static satf_status set_argument(satf_context *ctx, satf_filter *filter, const satf_param_info *info,
                                const argument *value)
{
    switch (argument_type(info)) {
    case SATF_PARAM_INTEGER:
    case SATF_PARAM_FLAG:
        return satf_filter_set_int(ctx, filter, info->name, value->integer);
    case SATF_PARAM_REAL:
        return satf_filter_set_double(ctx, filter, info->name, value->real);
    default:
        return satf_filter_set(ctx, filter, info->name, value->text);
    }
}

/* Those that were given; the others have the library's defaults. */
static satf_status make_filter(operation *self, satf_context *ctx, satf_filter **filter)
{
    VipsObject *object = VIPS_OBJECT(self);
    const char *name = VIPS_OBJECT_GET_CLASS(self)->nickname + strlen(PREFIX);
    satf_status status = satf_filter_create(ctx, name, filter);
    satf_param_info info;
    for (size_t i = 0; !status && satf_filter_param(name, i, &info, sizeof info); i++) {
        if (vips_object_argument_isset(object, info.name)) {
            status = set_argument(ctx, *filter, &info, &self->arguments[i]);
        }
    }
    return status;
}

static int build(VipsObject *object)
{
    operation *self = (operation *)object;
    VipsImage **pixels = (VipsImage **)vips_object_local_array(object, 2);
    if (parent_class->build(object) || vips_image_decode(self->in, &pixels[0]) ||
        !(pixels[1] = vips_image_copy_memory(pixels[0]))) {
        return -1;
    }
    satf_context *ctx = NULL;
    satf_filter *filter = NULL;
    satf_status status = satf_context_create(&ctx);
    if (!status) {
        status = satf_context_set_threads(ctx, vips_concurrency_get());
    }
    if (!status) {
        status = make_filter(self, ctx, &filter);
    }
    int failed = status ? fail(self, ctx) : apply(self, ctx, filter, pixels[1]);
    satf_filter_destroy(filter);
    satf_context_destroy(ctx);
    return failed;
}

/* The library refuses what is out of range; vips would go on with the default. */
static GParamSpec *new_spec(const satf_param_info *info)
{
    const GParamFlags flags = G_PARAM_READWRITE;
    const char *name = info->name, *help = info->help;
    double value = info->default_text ? g_ascii_strtod(info->default_text, NULL) : 0;
    switch (argument_type(info)) {
    case SATF_PARAM_INTEGER:
        return g_param_spec_int(name, name, help, G_MININT, G_MAXINT, (int)value, flags);
    case SATF_PARAM_REAL:
        return g_param_spec_double(name, name, help, -INFINITY, INFINITY, value, flags);
    case SATF_PARAM_FLAG:
        return g_param_spec_boolean(name, name, help, g_strcmp0(info->default_text, "on") == 0,
                                    flags);
    default:
        return g_param_spec_string(name, name, help, info->default_text, flags);
    }
}

/* ----------------------------------------------------------------- operations */

static void install(VipsObjectClass *class, GParamSpec *spec, int flags, size_t offset)
{
    int number = vips_argument_get_id();
    g_object_class_install_property(G_OBJECT_CLASS(class), (guint)number, spec);
    vips_object_class_install_argument(class, spec, (VipsArgumentFlags)flags, number,
                                       (guint)offset);
}

static void class_init(gpointer class, gpointer filter)
{
    VipsObjectClass *object = class;
    satf_filter_info info = {0};
    satf_param_info param;
    satf_filter_find(filter, &info, sizeof info);
    parent_class = g_type_class_peek_parent(class);
    G_OBJECT_CLASS(class)->set_property = vips_object_set_property;
    G_OBJECT_CLASS(class)->get_property = vips_object_get_property;
    object->nickname = g_strconcat(PREFIX, filter, NULL);
    object->description = info.help;
    object->build = build;
    VIPS_OPERATION_CLASS(class)->flags = VIPS_OPERATION_SEQUENTIAL;
    install(
        object,
        g_param_spec_object("in", "in", "picture to filter", VIPS_TYPE_IMAGE, G_PARAM_READWRITE),
        VIPS_ARGUMENT_REQUIRED_INPUT, offsetof(operation, in));
    install(object, g_param_spec_object("out", "out", "result", VIPS_TYPE_IMAGE, G_PARAM_READWRITE),
            VIPS_ARGUMENT_REQUIRED_OUTPUT, offsetof(operation, out));
    for (size_t i = 0; satf_filter_param(filter, i, &param, sizeof param); i++) {
        install(object, new_spec(&param),
                param.is_value ? VIPS_ARGUMENT_REQUIRED_INPUT : VIPS_ARGUMENT_OPTIONAL_INPUT,
                offsetof(operation, arguments) + i * sizeof(argument));
        if (param.type == SATF_PARAM_FILE) { /* whose content may change */
            VIPS_OPERATION_CLASS(class)->flags |= VIPS_OPERATION_NOCACHE;
        }
    }
}

static void add_operation(const char *filter)
{
    satf_param_info param;
    size_t count = 0;
    while (satf_filter_param(filter, count, &param, sizeof param)) {
        count++;
    }
    GTypeInfo info = {
        .class_size = sizeof(VipsOperationClass),
        .class_init = class_init,
        .class_data = filter,
        .instance_size = (guint16)(sizeof(operation) + count * sizeof(argument)),
    };
    char *type_name = g_strconcat("VipsSatf_", filter, NULL);
    g_type_register_static(VIPS_TYPE_OPERATION, type_name, &info, 0);
    g_free(type_name);
}

G_MODULE_EXPORT const char *g_module_check_init(GModule *module);

const char *g_module_check_init(GModule *module)
{
    (void)module;
    const char *filter;
    for (size_t i = 0; (filter = satf_filter_name(i, NULL, 0)); i++) {
        add_operation(filter);
    }
    return NULL;
}
