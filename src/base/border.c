#include "border.h"

#include <string.h>

static const char *const names[] = {
    [SATF_CLAMP] = "clamp", [SATF_MIRROR] = "mirror",     [SATF_REFLECT] = "reflect",
    [SATF_WRAP] = "wrap",   [SATF_CONSTANT] = "constant", [SATF_SHRINK] = "shrink",
    [SATF_VALID] = "valid",
};

enum { BORDER_COUNT = sizeof names / sizeof *names };

int satf_border_from_name(const char *name)
{
    for (int border = 0; border < BORDER_COUNT; border++) {
        if (strcmp(name, names[border]) == 0) {
            return border;
        }
    }
    return -1;
}

const char *satf_border_name(int border)
{
    return border >= 0 && border < BORDER_COUNT ? names[border] : NULL;
}
