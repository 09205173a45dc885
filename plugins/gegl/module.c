/* What GEGL finds in satfilter.so. */
#include <gegl-plugin.h>

#include "../picture.h"
#include "operation.h"

/* No header declares what GEGL looks for. */
#pragma GCC visibility push(default)
const GeglModuleInfo *gegl_module_query(GTypeModule *module);
gboolean gegl_module_register(GTypeModule *module);
#pragma GCC visibility pop

const GeglModuleInfo *gegl_module_query(GTypeModule *module)
{
    static const GeglModuleInfo info = {GEGL_MODULE_ABI_VERSION};
    (void)module;
    return &info;
}

gboolean gegl_module_register(GTypeModule *module)
{
    (void)module;
    const char *name;
    for (size_t i = 0; (name = satf_filter_name(i, NULL, 0)); i++) {
        if (picture_fits(name)) {
            operation_register(name);
        }
    }
    return TRUE;
}
