/* The owner, permissions and attributes that an output keeps of the file that it replaces. */
#ifndef SATF_IO_KEEP_H
#define SATF_IO_KEEP_H

#include "io.h"

/*
 * The file of the descriptor, which nobody but its owner may read, is about to replace the file of
 * that path: it gets its owner and group, as far as the user may give them, its permissions with
 * the access ACL, and its `user.` attributes. Permissions that are not to be had, or were another
 * group's, leave the file to its owner alone. The report says what the file does not have.
 */
void io_keep(const char *path, int fd, io_output_report *report);

#endif
