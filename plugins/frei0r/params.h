/* Parameters of a filter as frei0r has them: numbers in 0 ... 1, flags and texts. */
#ifndef SATF_PLUGINS_FREI0R_PARAMS_H
#define SATF_PLUGINS_FREI0R_PARAMS_H

#include <satfilter.h>

enum { PARAMS_MAX = 16 };

typedef struct param_value {
    double number; /* of numbers and flags */
    char *text;    /* of texts; owned */
} param_value;

/* Number of parameters: those of the filter that are no files, and the text "options", in the
 * grammar of the command ("size=15x9,border=mirror"), which counts after the others. */
int params_count(const char *filter);

/* The one of that index; of "options" only name and help are filled, and type is
 * SATF_PARAM_CHOICE. */
satf_param_info params_info(const char *filter, int index);

/* What 0 ... 1 stands for, before the parameter's help; as snprintf(). */
int params_explain(const satf_param_info *info, char *text, size_t bytes);

/* Whether frei0r sees a text. */
int params_is_text(const satf_param_info *info);

/* The defaults; 0 if memory is exhausted. values has params_count() elements. */
int params_defaults(const char *filter, param_value *values);

void params_release(const char *filter, param_value *values);

/* A filter with these values, "" being a text's default; the message names what is refused. */
satf_status params_filter(satf_context *ctx, const char *filter, const param_value *values,
                          satf_filter **out);

#endif
