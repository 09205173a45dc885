/* Parsing --device. */
#include "devices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options/message.h"

/* The numbers behind "cuda:", with commas between, become the devices. False: they are none. */
static bool take_numbers(settings *s, const char *text)
{
    s->device_count = 0;
    for (; s->device_count < MOST_DEVICES; text++) {
        size_t digits = strspn(text, "0123456789");
        long number = strtol(text, NULL, 10);
        if (digits < 1 || digits > 4 || number > 1023) {
            return false;
        }
        s->devices[s->device_count++] = SATF_CUDA((int)number);
        text += digits;
        if (*text != ',') {
            return *text == '\0';
        }
    }
    return false;
}

int devices_take(settings *s, const option *o, const char *value)
{
    bool numbers = strncmp(value, "cuda:", 5) == 0 && strcmp(value, "cuda:all");
    s->device_count = 1;
    s->devices[0] = strcmp(value, "cpu") == 0    ? SATF_HOST
                    : strcmp(value, "auto") == 0 ? SATF_DEVICE_AUTO
                                                 : SATF_CUDA(0);
    if (numbers ? !take_numbers(s, value + 5)
                : strcmp(value, "auto") && strcmp(value, "cpu") && strcmp(value, "cuda") &&
                      strcmp(value, "cuda:all")) {
        return option_error(o, "'%s' is none of auto, cpu, cuda, cuda:N, cuda:N,N and cuda:all",
                            value);
    }
    s->device = value;
    return 0;
}

bool devices_named(const settings *s)
{
    return s->device && strncmp(s->device, "cuda", 4) == 0;
}

/* Tells what the first use of a device waits for. */
static void tell_note(const settings *s, const char *subject, int device)
{
    satf_device_info info;
    if (device > SATF_HOST && !s->quiet &&
        !satf_device_describe(s->ctx, device, &info, sizeof info) && *info.note) {
        message(subject, "%s", info.note);
    }
}

/* All of the machine that can be used; where there is none the first, of which
 * satf_context_set_device() then says why it is no use. */
static void find_all(settings *s, const char *subject)
{
    int count = satf_device_count(), found = 0;
    count = count < MOST_DEVICES ? count : MOST_DEVICES;
    for (int i = 0; i < count; i++) {
        if (!satf_context_set_device(s->ctx, SATF_CUDA(i))) {
            s->devices[found++] = SATF_CUDA(i);
        }
    }
    for (int i = 0; i < count && found > 0 && !s->quiet; i++) {
        if (satf_context_set_device(s->ctx, SATF_CUDA(i))) {
            message(subject, "left out: %s", library_message(s->ctx));
        }
    }
    s->device_count = found > 0 ? found : 1;
}

int devices_set(settings *s)
{
    char subject[64];
    snprintf(subject, sizeof subject, "--device %.40s", s->device ? s->device : "auto");
    if (!s->device) {
        s->devices[0] = SATF_DEVICE_AUTO;
        s->device_count = 1;
    } else if (strcmp(s->device, "cuda:all") == 0) {
        find_all(s, subject);
    }
    for (int i = s->device_count - 1; i >= 0; i--) {
        if (satf_context_set_device(s->ctx, s->devices[i])) {
            message(subject, "%s", library_message(s->ctx));
            return EXIT_FAILURE;
        }
        tell_note(s, subject, s->devices[i]);
    }
    return 0;
}
