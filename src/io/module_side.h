/* The check that a module's entry makes first. */
#ifndef SATF_IO_MODULE_SIDE_H
#define SATF_IO_MODULE_SIDE_H

#include "module.h"

/* False: the services are those of another version or build. */
bool io_module_take(const io_services *services);

#endif
