/* The operations: "satfilter:box" and so on, one for each filter of the table. */
#ifndef SATF_PLUGINS_GEGL_OPERATION_H
#define SATF_PLUGINS_GEGL_OPERATION_H

/* Registers "satfilter:NAME"; the name must stay. */
void operation_register(const char *filter);

#endif
