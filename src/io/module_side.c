/* The library's services, as a module calls them: by their own names. */
#include <string.h>

#include "module.h"
#include "module_side.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#else
#define PACKAGE_VERSION "0.0.0"
#endif

static const io_services *library;

bool io_module_take(const io_services *services)
{
    static const size_t bytes[] = IO_SERVICES_SIZES;
    if (strncmp(services->version, PACKAGE_VERSION, sizeof services->version) != 0 ||
        memcmp(services->bytes, bytes, sizeof bytes) != 0) {
        return false;
    }
    library = services;
    return true;
}

#define CALL(type, name, parameters, arguments) \
    type name parameters                        \
    {                                           \
        return library->name arguments;         \
    }
#define DO(type, name, parameters, arguments) \
    type name parameters                      \
    {                                         \
        library->name arguments;              \
    }
IO_SERVICES(CALL, DO)
