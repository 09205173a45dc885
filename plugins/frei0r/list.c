/* Prints the filters that become frei0r plugins, a line each. */
#include <stdio.h>

#include "../picture.h"

int main(void)
{
    const char *name;
    for (size_t i = 0; (name = satf_filter_name(i, NULL, 0)); i++) {
        if (picture_fits(name)) {
            puts(name);
        }
    }
    return fflush(stdout) != 0;
}
