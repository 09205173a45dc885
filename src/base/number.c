/* Numbers from text, whatever the program's locale. */
#include "number.h"

#include <locale.h>
#include <stdlib.h>
#ifdef __APPLE__
#include <xlocale.h>
#endif

double satf_strtod(const char *text, char **end)
{
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (c == (locale_t)0) {
        return strtod(text, end); /* no memory: as the program's locale has it */
    }
    locale_t before = uselocale(c); /* of this thread alone */
    double value = strtod(text, end);
    uselocale(before);
    freelocale(c);
    return value;
}
