/* The names of borders. */
#include "border.h"

#include <string.h>

const char *satf_border_name(int border)
{
    switch ((satf_border)border) {
    case SATF_BORDER_CLAMP:
        return "clamp";
    case SATF_BORDER_MIRROR:
        return "mirror";
    case SATF_BORDER_REFLECT:
        return "reflect";
    case SATF_BORDER_WRAP:
        return "wrap";
    case SATF_BORDER_CONSTANT:
        return "constant";
    case SATF_BORDER_SHRINK:
        return "shrink";
    case SATF_BORDER_VALID:
        return "valid";
    }
    return NULL;
}

int satf_border_from_name(const char *name)
{
    const char *found;
    for (int border = 0; (found = satf_border_name(border)); border++) {
        if (strcmp(name, found) == 0) {
            return border;
        }
    }
    return -1;
}
