/* Parameters as properties: numbers and flags by their types, others as texts. */
#include "properties.h"

#include <satfilter.h>
#include <string.h>

/* ---------------------------------------------------------------------- lists */

/* A property's name has hyphens: "other-full". Kept for good, as GObject keeps names. */
static const char *property_name(const satf_param_info *info)
{
    char *name = g_strdelimit(g_strdup(info->name), "_", '-');
    const char *kept = g_intern_string(name);
    g_free(name);
    return kept;
}

static GParamSpec *plain_spec(const satf_param_info *info, GParamFlags flags, GParamFlags text)
{
    const char *name = property_name(info), *help = info->help;
    double value = info->default_text ? g_ascii_strtod(info->default_text, NULL) : 0;
    switch (info->type) {
    case SATF_PARAM_SIZE:
        return g_param_spec_int(name, name, help, (int)info->min, (int)info->max, (int)value,
                                flags);
    case SATF_PARAM_INTEGER:
        return g_param_spec_int64(name, name, help, (gint64)info->min, (gint64)info->max,
                                  (gint64)value, flags);
    case SATF_PARAM_REAL:
        return g_param_spec_double(name, name, help, info->min, info->max,
                                   CLAMP(value, info->min, info->max), flags);
    case SATF_PARAM_FLAG:
        return g_param_spec_boolean(name, name, help, g_strcmp0(info->default_text, "on") == 0,
                                    flags);
    default:
        return g_param_spec_string(name, name, help, info->default_text, text);
    }
}

static GParamSpec *side_spec(const char *name, const satf_param_info *info, GParamFlags flags)
{
    return g_param_spec_int(name, name, "of the window in pixels; 0: as size", 0, (int)info->max, 0,
                            flags);
}

/* The word that a real takes in place of a number, of the syntax "V|otsu"; NULL: none. */
static const char *word_of(const satf_param_info *info)
{
    const char *bar = info->type == SATF_PARAM_REAL ? strchr(info->syntax, '|') : NULL;
    return bar ? bar + 1 : NULL;
}

/* "otsu-level": the word rather than the number. */
static GParamSpec *word_spec(const satf_param_info *info, GParamFlags flags)
{
    const char *word = word_of(info);
    char *name = g_strdup_printf("%s-%s", word, property_name(info));
    char *help = g_strdup_printf("%s, whatever the number of %s", word, property_name(info));
    GParamSpec *spec =
        g_param_spec_boolean(name, name, help, g_strcmp0(info->default_text, word) == 0,
                             flags & (GParamFlags)~G_PARAM_STATIC_STRINGS);
    g_free(name);
    g_free(help);
    return spec;
}

GPtrArray *properties_make(const char *filter, GParamFlags number, GParamFlags text)
{
    GPtrArray *made = g_ptr_array_new();
    satf_param_info info;
    for (size_t i = 0; satf_filter_param(filter, i, &info, sizeof info); i++) {
        if (info.type == SATF_PARAM_FILE) {
            continue;
        }
        g_ptr_array_add(made, plain_spec(&info, number, text));
        if (info.type == SATF_PARAM_SIZE) {
            g_ptr_array_add(made, side_spec("width", &info, number));
            g_ptr_array_add(made, side_spec("height", &info, number));
        }
        if (word_of(&info)) {
            g_ptr_array_add(made, word_spec(&info, number));
        }
    }
    return made;
}

void properties_install(GObjectClass *object_class, const GPtrArray *properties)
{
    for (guint i = 0; i < properties->len; i++) {
        g_object_class_install_property(object_class, i + 1, g_ptr_array_index(properties, i));
    }
}

/* --------------------------------------------------------------------- values */

GValue *properties_new(const GPtrArray *properties)
{
    GValue *values = g_new0(GValue, properties->len);
    for (guint i = 0; i < properties->len; i++) {
        GParamSpec *property = g_ptr_array_index(properties, i);
        g_value_init(&values[i], property->value_type);
        g_param_value_set_default(property, &values[i]);
    }
    return values;
}

void properties_free(const GPtrArray *properties, GValue *values)
{
    for (guint i = 0; i < properties->len; i++) {
        g_value_unset(&values[i]);
    }
    g_free(values);
}

/* No value may hold a further parameter: what would separate them becomes '?', which no parameter
 * takes, so the library refuses it. */
static void append_text(GString *to, const char *text)
{
    char *value = g_strdup(text ? text : "");
    g_string_append(to, g_strdelimit(value, ", \t\n\v\f\r", '?'));
    g_free(value);
}

/* How many of the values are the parameter's. */
static int append_value(GString *to, const satf_param_info *info, const GValue *value)
{
    char number[G_ASCII_DTOSTR_BUF_SIZE];
    if (info->type == SATF_PARAM_SIZE) {
        int side = g_value_get_int(value);
        int width = g_value_get_int(value + 1), height = g_value_get_int(value + 2);
        g_string_append_printf(to, "%dx%d", width ? width : side, height ? height : side);
        return 3;
    }
    const char *word = word_of(info);
    if (word && g_value_get_boolean(value + 1)) {
        g_string_append(to, word);
    } else if (info->type == SATF_PARAM_INTEGER) {
        g_string_append_printf(to, "%" G_GINT64_FORMAT, g_value_get_int64(value));
    } else if (info->type == SATF_PARAM_REAL) {
        g_string_append(to, g_ascii_dtostr(number, sizeof number, g_value_get_double(value)));
    } else if (info->type == SATF_PARAM_FLAG) {
        g_string_append(to, g_value_get_boolean(value) ? "on" : "off");
    } else {
        append_text(to, g_value_get_string(value));
    }
    return word ? 2 : 1;
}

/* Whether the text, or the number, is the parameter's default. */
static gboolean is_default(const satf_param_info *info, const char *text, const GValue *value)
{
    return g_strcmp0(text, info->default_text) == 0 ||
           (info->type == SATF_PARAM_REAL && !word_of(info) &&
            g_value_get_double(value) == g_ascii_strtod(info->default_text, NULL));
}

/* What has its default goes unnamed: of parameters that say one thing in two ways the library takes
 * but one. */
char *properties_text(const char *filter, const GValue *values)
{
    GString *text = g_string_new(filter), *rest = g_string_new(NULL);
    satf_param_info info;
    for (size_t i = 0; satf_filter_param(filter, i, &info, sizeof info); i++) {
        if (info.type == SATF_PARAM_FILE) {
            continue;
        }
        GString *to = info.is_value ? text : rest;
        gsize begin = to->len;
        if (!info.is_value) {
            g_string_append_printf(to, ",%s", info.name);
        }
        g_string_append_c(to, '=');
        gsize named = to->len;
        int count = append_value(to, &info, values);
        if (!info.is_value && is_default(&info, to->str + named, values)) {
            g_string_truncate(to, begin);
        }
        values += count;
    }
    g_string_append(text, rest->str);
    g_string_free(rest, TRUE);
    return g_string_free(text, FALSE);
}
