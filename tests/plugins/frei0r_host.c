/*
 * A host of frei0r plugins, stricter than others: any width, guards around frames, threads.
 *
 *   frei0r_host info PLUGIN                                  a line a parameter: name type default
 *   frei0r_host run PLUGIN WIDTH HEIGHT [NAME=VALUE]...      a frame from standard input to output
 *   frei0r_host load PLUGIN TIMES                            loads, runs and unloads it
 *   frei0r_host threads PLUGIN WIDTH HEIGHT INSTANCES        several threads on each instance
 */
#include <dlfcn.h>
#include <frei0r.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "need.h"

enum { GUARD = 64, MAX_INSTANCES = 32 };

typedef struct host {
    void *handle;
    int (*init)(void);
    void (*deinit)(void);
    void (*plugin_info)(f0r_plugin_info_t *);
    void (*param_info)(f0r_param_info_t *, int);
    f0r_instance_t (*construct)(unsigned, unsigned);
    void (*destruct)(f0r_instance_t);
    void (*set)(f0r_instance_t, f0r_param_t, int);
    void (*get)(f0r_instance_t, f0r_param_t, int);
    void (*update)(f0r_instance_t, double, const uint32_t *, uint32_t *);
} host;

static host load(const char *path)
{
    host h = {.handle = dlopen(path, RTLD_NOW | RTLD_LOCAL)};
    need(h.handle != NULL, "the plugin does not load");
    *(void **)&h.init = dlsym(h.handle, "f0r_init");
    *(void **)&h.deinit = dlsym(h.handle, "f0r_deinit");
    *(void **)&h.plugin_info = dlsym(h.handle, "f0r_get_plugin_info");
    *(void **)&h.param_info = dlsym(h.handle, "f0r_get_param_info");
    *(void **)&h.construct = dlsym(h.handle, "f0r_construct");
    *(void **)&h.destruct = dlsym(h.handle, "f0r_destruct");
    *(void **)&h.set = dlsym(h.handle, "f0r_set_param_value");
    *(void **)&h.get = dlsym(h.handle, "f0r_get_param_value");
    *(void **)&h.update = dlsym(h.handle, "f0r_update");
    need(h.init && h.deinit && h.plugin_info && h.param_info && h.construct && h.destruct &&
             h.set && h.get && h.update,
         "a function is missing");
    need(h.init() == 1, "f0r_init() fails");
    f0r_plugin_info_t info;
    h.plugin_info(&info);
    need(info.frei0r_version == FREI0R_MAJOR_VERSION &&
             info.plugin_type == F0R_PLUGIN_TYPE_FILTER &&
             info.color_model == F0R_COLOR_MODEL_RGBA8888,
         "it is no filter of RGBA");
    return h;
}

static void unload(host *h)
{
    h->deinit();
    need(dlclose(h->handle) == 0, "dlclose() fails");
}

/* ------------------------------------------------------------------ parameters */

static void print_info(const host *h)
{
    f0r_plugin_info_t info;
    h->plugin_info(&info);
    f0r_instance_t instance = h->construct(64, 48);
    need(instance != NULL, "no instance");
    for (int i = 0; i < info.num_params; i++) {
        f0r_param_info_t param;
        h->param_info(&param, i);
        need(param.name && param.explanation, "a parameter has no name");
        if (param.type == F0R_PARAM_STRING) {
            char *text = NULL;
            h->get(instance, &text, i);
            printf("%s text %s\n", param.name, text);
        } else {
            double number = -1;
            h->get(instance, &number, i);
            need(number >= 0 && number <= 1, "a default is not in 0 ... 1");
            printf("%s %s %.17g\n", param.name, param.type == F0R_PARAM_BOOL ? "flag" : "number",
                   number);
            h->set(instance, &number, i);
        }
    }
    h->destruct(instance);
}

static void set(const host *h, f0r_instance_t instance, const char *word)
{
    f0r_plugin_info_t info;
    h->plugin_info(&info);
    size_t length = strcspn(word, "=");
    char *value = strdup(word + length + 1);
    int found = 0;
    for (int i = 0; i < info.num_params; i++) {
        f0r_param_info_t param;
        h->param_info(&param, i);
        if (strlen(param.name) == length && memcmp(param.name, word, length) == 0) {
            double number = atof(value);
            found = 1;
            h->set(instance, param.type == F0R_PARAM_STRING ? (void *)&value : (void *)&number, i);
        }
    }
    need(found, "there is no such parameter");
    free(value); /* plugins copy texts */
}

/* ---------------------------------------------------------------------- frames */

typedef struct frame {
    char *memory, *pixels;
    size_t bytes;
} frame;

static frame frame_of(unsigned width, unsigned height)
{
    frame f = {.bytes = 4 * (size_t)width * height};
    f.memory = malloc(f.bytes + 2 * GUARD);
    need(f.memory != NULL, "no memory");
    memset(f.memory, 0xa5, f.bytes + 2 * GUARD);
    f.pixels = f.memory + GUARD;
    return f;
}

static void frame_done(frame *f)
{
    for (size_t i = 0; i < GUARD; i++) {
        need(f->memory[i] == (char)0xa5 && f->pixels[f->bytes + i] == (char)0xa5,
             "memory beside the frame was written");
    }
    free(f->memory);
}

static void update(const host *h, f0r_instance_t instance, const frame *in, const frame *out)
{
    h->update(instance, 0, (const uint32_t *)(void *)in->pixels, (uint32_t *)(void *)out->pixels);
}

static void run(const host *h, unsigned width, unsigned height, char **words)
{
    frame in = frame_of(width, height), out = frame_of(width, height),
          again = frame_of(width, height);
    need(fread(in.pixels, 1, in.bytes, stdin) == in.bytes, "the frame is incomplete");
    f0r_instance_t instance = h->construct(width, height);
    need(instance != NULL, "no instance");
    for (; *words; words++) {
        set(h, instance, *words);
    }
    need(thread_count() == 1, "threads run before the first frame");
    update(h, instance, &in, &out);
    update(h, instance, &in, &again);
    need(memcmp(out.pixels, again.pixels, out.bytes) == 0, "the second frame differs");
    h->destruct(instance);
    need(fwrite(out.pixels, 1, out.bytes, stdout) == out.bytes, "standard output is full");
    frame_done(&in);
    frame_done(&out);
    frame_done(&again);
}

static frame noise(unsigned width, unsigned height)
{
    frame f = frame_of(width, height);
    for (size_t i = 0; i < f.bytes; i++) {
        f.pixels[i] = (char)(i * i * 2654435761u >> 11);
    }
    return f;
}

static void load_often(const char *path, int times)
{
    for (int i = 0; i < times; i++) {
        host h = load(path);
        frame in = noise(32, 24), out = frame_of(32, 24);
        f0r_instance_t instance = h.construct(32, 24);
        update(&h, instance, &in, &out);
        h.destruct(instance);
        unload(&h);
        frame_done(&in);
        frame_done(&out);
    }
}

/* --------------------------------------------------------------------- threads */

typedef struct job {
    const host *h;
    f0r_instance_t instance;
    const frame *in, *want;
    unsigned width, height;
    pthread_t thread;
} job;

static void *work(void *argument)
{
    const job *j = argument;
    for (int i = 0; i < 20; i++) {
        frame out = frame_of(j->width, j->height);
        update(j->h, j->instance, j->in, &out);
        need(memcmp(out.pixels, j->want->pixels, out.bytes) == 0, "a thread's frame differs");
        frame_done(&out);
    }
    return NULL;
}

static void run_threads(const host *h, unsigned width, unsigned height, int instances)
{
    job jobs[2 * MAX_INSTANCES];
    need(instances > 0 && instances <= MAX_INSTANCES, "too many instances");
    frame in = noise(width, height), want = frame_of(width, height);
    f0r_instance_t first = h->construct(width, height);
    update(h, first, &in, &want);
    h->destruct(first);
    for (int i = 0; i < 2 * instances; i++) {
        jobs[i] = (job){.h = h, .in = &in, .want = &want, .width = width, .height = height};
        jobs[i].instance = i % 2 ? jobs[i - 1].instance : h->construct(width, height);
        need(pthread_create(&jobs[i].thread, NULL, work, &jobs[i]) == 0, "no thread");
    }
    for (int i = 0; i < 2 * instances; i++) {
        pthread_join(jobs[i].thread, NULL);
    }
    for (int i = 0; i < 2 * instances; i += 2) {
        h->destruct(jobs[i].instance);
    }
    frame_done(&in);
    frame_done(&want);
}

int main(int argc, char **argv)
{
    need(argc > 2, "use: frei0r_host info|run|load|threads PLUGIN ...");
    const char *what = argv[1];
    if (strcmp(what, "load") == 0 && argc == 4) {
        load_often(argv[2], atoi(argv[3]));
        return 0;
    }
    host h = load(argv[2]);
    unsigned width = argc > 3 ? (unsigned)atoi(argv[3]) : 0;
    unsigned height = argc > 4 ? (unsigned)atoi(argv[4]) : 0;
    if (strcmp(what, "info") == 0) {
        print_info(&h);
    } else if (strcmp(what, "run") == 0 && argc > 4) {
        run(&h, width, height, argv + 5);
    } else {
        need(strcmp(what, "threads") == 0 && argc == 6, "wrong arguments");
        run_threads(&h, width, height, atoi(argv[5]));
    }
    unload(&h);
    return fflush(stdout) != 0;
}
