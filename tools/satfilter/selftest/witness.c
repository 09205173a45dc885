/* The witness of a self-test, one line. tests/records/witness.py reads it. */
#include "witness.h"

#include <satfilter.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#ifdef __clang__
#define COMPILER __VERSION__ /* which begins with the name */
#else
#define COMPILER "gcc " __VERSION__
#endif

/* Names come from elsewhere: a quotation mark or a control character would end the value. */
static void print_quoted(const char *key, const char *value)
{
    printf(" %s=\"", key);
    for (; *value; value++) {
        putchar(*value == '"' || (unsigned char)*value < ' ' ? ' ' : *value);
    }
    putchar('"');
}

/* As Linux tells it, else the machine's kind. An emulator may tell of the machine that it runs on.
 */
static void print_cpu(const char *machine)
{
    char line[256] = "", *name = NULL;
    FILE *file = fopen("/proc/cpuinfo", "re");
    while (file && !name && fgets(line, sizeof line, file)) {
        name = strncmp(line, "model name", 10) == 0 ? strchr(line, ':') : NULL;
    }
    if (file) {
        fclose(file);
    }
    line[strcspn(line, "\n")] = '\0';
    print_quoted("cpu", name ? name + 1 + strspn(name + 1, " ") : machine);
}

static void print_devices(void)
{
    char names[1024] = "";
    satf_context *ctx = NULL;
    satf_device_info info;
    if (satf_context_create(&ctx) == SATF_OK) {
        for (int i = 0; i < satf_device_count(); i++) {
            size_t used = strlen(names);
            if (satf_device_describe(ctx, SATF_CUDA(i), &info, sizeof info) == SATF_OK) {
                snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", info.name);
            }
        }
    }
    satf_context_destroy(ctx);
    print_quoted("devices", names);
}

void witness_print(const char *integers, const char *floats, size_t first, bool passed)
{
    struct utsname system;
    const char *instructions;
    if (uname(&system)) {
        strcpy(system.sysname, "unknown");
        strcpy(system.machine, "unknown");
    }
    printf("witness: version=%s commit=%s system=\"%s %s\"", satf_version(), SATF_COMMIT,
           system.sysname, system.machine);
    print_quoted("compiler", COMPILER);
    print_cpu(system.machine);
    for (size_t i = first; (instructions = satf_instructions(i)); i++) {
        printf("%s%s", i > first ? "," : " instructions=", instructions);
    }
    print_devices();
    printf(" integers=%s floats=%s result=%s\n", integers, floats, passed ? "passed" : "failed");
}
