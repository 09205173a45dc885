/* Parameters of filters: what there is for each kind, and the values in options. */
#ifndef SATF_CHAIN_PARAMS_H
#define SATF_CHAIN_PARAMS_H

#include "filter.h"
#include "../satfilter/options.h"

/* A kind of value. */
typedef struct param_kind_row {
    satf_param_type type; /* its name in the public interface */
    size_t bytes;         /* of the value in an options struct */
    /* *value = what the text says; messages quote a part. text is not empty, but NULL for a flag
     * that stands alone. On failure *value stays as it was. */
    satf_status (*parse)(satf_context *ctx, const filter_info *info, const filter_param *param,
                         const char *text, void *value);
    /* Prints the text of which parse() makes the value, as snprintf(); NULL for files. */
    int (*print)(const filter_param *param, const void *value, char *text, size_t bytes);
    /* One user more, or one less, of what the value points to; NULL if it points nowhere. */
    void (*share)(void *value);
    void (*release)(void *value);
} param_kind_row;

const param_kind_row *param_kind_of(const filter_param *param);

/* Whether the parameter is a level, whose range depends on the samples. */
bool param_is_level(const filter_param *param);

/* Whether the parameter takes the number, for some type of samples; not NAN. */
bool param_takes(const filter_param *param, double number);

/* Fails, for an integer, real or size out of its range, which the message names. */
satf_status param_fail_range(satf_context *ctx, const filter_param *param, const char *name,
                             const char *value);

/* The place of the parameter's value in the options. */
static inline void *param_value(const filter_param *param, void *options)
{
    return (char *)options + param->offset;
}

/* The value of the filter's parameter of that kind in its options; NULL if it has none. */
const void *filter_value_of_kind(const filter_info *info, const void *options, param_kind kind);

#endif
