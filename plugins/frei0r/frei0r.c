/* A filter as a frei0r plugin. */
#pragma GCC visibility push(default)
#include <frei0r.h>
#pragma GCC visibility pop

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../picture.h"
#include "name.h"
#include "params.h"

/* The lock: MLT calls one instance from several threads where `threads` is set. */
typedef struct plugin {
    pthread_mutex_t lock;
    satf_context *ctx;
    satf_filter *filter;
    satf_view frame;
    param_value values[PARAMS_MAX];
    int told; /* that frames cannot be filtered */
} plugin;

int f0r_init(void)
{
    return 1;
}

/* MLT calls it before it destroys the instances. */
void f0r_deinit(void)
{
}

void f0r_get_plugin_info(f0r_plugin_info_t *info)
{
    satf_filter_info filter = {0};
    satf_filter_find(frei0r_filter, &filter, sizeof filter);
    *info = (f0r_plugin_info_t){
        .name = frei0r_name,
        .author = "satfilter",
        .plugin_type = F0R_PLUGIN_TYPE_FILTER,
        .color_model = F0R_COLOR_MODEL_RGBA8888,
        .frei0r_version = FREI0R_MAJOR_VERSION,
        .major_version = SATF_VERSION_MAJOR,
        .minor_version = SATF_VERSION_MINOR,
        .num_params = params_count(frei0r_filter),
        .explanation = filter.help,
    };
}

enum { EXPLANATION_BYTES = 256 };

static char explanations[PARAMS_MAX][EXPLANATION_BYTES];

static void explain(void)
{
    for (int i = 0; i < params_count(frei0r_filter); i++) {
        satf_param_info param = params_info(frei0r_filter, i);
        params_explain(&param, explanations[i], EXPLANATION_BYTES);
    }
}

void f0r_get_param_info(f0r_param_info_t *info, int param_index)
{
    static pthread_once_t explained = PTHREAD_ONCE_INIT;
    pthread_once(&explained, explain);
    satf_param_info param = params_info(frei0r_filter, param_index);
    *info = (f0r_param_info_t){
        .name = param.name,
        .type = params_is_text(&param)          ? F0R_PARAM_STRING
                : param.type == SATF_PARAM_FLAG ? F0R_PARAM_BOOL
                                                : F0R_PARAM_DOUBLE,
        .explanation = explanations[param_index],
    };
}

f0r_instance_t f0r_construct(unsigned int width, unsigned int height)
{
    plugin *self = calloc(1, sizeof *self);
    if (!self) {
        return NULL;
    }
    self->frame = satf_view_packed(NULL, width, height, 4, SATF_U8);
    self->frame.flags = SATF_ALPHA;
    if (pthread_mutex_init(&self->lock, NULL)) {
        free(self);
        return NULL;
    }
    /* Texts come with projects of strangers: they may not name files. */
    if (!params_defaults(frei0r_filter, self->values) || satf_context_create(&self->ctx) ||
        satf_context_set_filter_files(self->ctx, 0) ||
        params_filter(self->ctx, frei0r_filter, self->values, &self->filter)) {
        f0r_destruct(self);
        return NULL;
    }
    return self;
}

void f0r_destruct(f0r_instance_t instance)
{
    plugin *self = instance;
    satf_filter_destroy(self->filter);
    satf_context_destroy(self->ctx);
    params_release(frei0r_filter, self->values);
    pthread_mutex_destroy(&self->lock);
    free(self);
}

/* frei0r has no errors: standard error is where its plugins tell. */
static void tell(const plugin *self, const char *what)
{
    fprintf(stderr, "%s: %s: %s\n", frei0r_name, what, satf_message(self->ctx));
}

/* The value, where the filter takes it; else the one before stays. */
static void try_value(plugin *self, int index, param_value value)
{
    param_value before = self->values[index];
    satf_filter *filter = NULL;
    self->values[index] = value;
    if (params_filter(self->ctx, frei0r_filter, self->values, &filter)) {
        tell(self, "the value before stays");
        self->values[index] = before;
        free(value.text);
        return;
    }
    satf_filter_destroy(self->filter);
    self->filter = filter;
    free(before.text);
}

void f0r_set_param_value(f0r_instance_t instance, f0r_param_t param, int param_index)
{
    plugin *self = instance;
    if (!param || param_index < 0 || param_index >= params_count(frei0r_filter)) {
        return;
    }
    satf_param_info info = params_info(frei0r_filter, param_index);
    pthread_mutex_lock(&self->lock);
    const param_value *before = &self->values[param_index];
    if (params_is_text(&info)) {
        const char *text = *(char **)param ? *(char **)param : "";
        char *copy = strcmp(text, before->text) != 0 ? strdup(text) : NULL;
        if (copy) {
            try_value(self, param_index, (param_value){.text = copy});
        }
    } else if (memcmp(param, &before->number, sizeof(double)) != 0) {
        try_value(self, param_index, (param_value){.number = *(double *)param});
    }
    pthread_mutex_unlock(&self->lock);
}

void f0r_get_param_value(f0r_instance_t instance, f0r_param_t param, int param_index)
{
    plugin *self = instance;
    if (!param || param_index < 0 || param_index >= params_count(frei0r_filter)) {
        return;
    }
    satf_param_info info = params_info(frei0r_filter, param_index);
    pthread_mutex_lock(&self->lock);
    if (params_is_text(&info)) {
        *(char **)param = self->values[param_index].text;
    } else {
        *(double *)param = self->values[param_index].number;
    }
    pthread_mutex_unlock(&self->lock);
}

void f0r_update(f0r_instance_t instance, double time, const uint32_t *inframe, uint32_t *outframe)
{
    (void)time;
    plugin *self = instance;
    pthread_mutex_lock(&self->lock);
    satf_view in = self->frame, out = self->frame;
    in.data = (void *)(uintptr_t)inframe;
    out.data = outframe;
    if (picture_filter(self->ctx, self->filter, &in, &out, 0)) {
        if (!self->told) {
            tell(self, "frames stay as they are");
        }
        self->told = 1;
        memmove(outframe, inframe, (size_t)(in.stride * in.height));
    }
    pthread_mutex_unlock(&self->lock);
}
