/* Owner, group, permissions and attributes of a file, for the one that replaces it. */
#include "keep.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/memory.h"

#ifdef __linux__
#include <sys/xattr.h>

static const char acl_name[] = "system.posix_acl_access";

/* A file system, or a kernel, without attributes of the kind; or a file without this one. */
static bool has_none(int error)
{
    return error == ENODATA || error == ENOTSUP || error == ENOSYS;
}

/* Copies an attribute of so many bytes, which the file is known to have. */
static bool copy_attribute(const char *path, int fd, const char *name, ssize_t bytes)
{
    char *value = bytes >= 0 ? satf_alloc((size_t)bytes + 1) : NULL;
    ssize_t n = value ? getxattr(path, name, value, (size_t)bytes + 1) : -1;
    bool copied = n == bytes && bytes >= 0 && fsetxattr(fd, name, value, (size_t)n, 0) == 0;
    satf_free(value);
    return copied;
}

/* Copies all attributes whose names begin with "user.". */
static bool copy_user_attributes(const char *path, int fd)
{
    ssize_t room = listxattr(path, NULL, 0);
    if (room <= 0) {
        return room == 0 || has_none(errno);
    }
    char *names = satf_alloc((size_t)room);
    ssize_t n = names ? listxattr(path, names, (size_t)room) : -1;
    bool good = n >= 0;
    for (ssize_t at = 0; at < n; at += (ssize_t)strlen(names + at) + 1) {
        const char *name = names + at;
        if (strncmp(name, "user.", 5) == 0) {
            good = copy_attribute(path, fd, name, getxattr(path, name, NULL, 0)) && good;
        }
    }
    satf_free(names);
    return good;
}

/* The access ACL; the group bits of the file's mode are its mask. Without one the new file must not
 * keep that which its folder's default ACL has given it. */
static bool copy_acl(const char *path, int fd)
{
    ssize_t bytes = getxattr(path, acl_name, NULL, 0);
    if (bytes >= 0 || !has_none(errno)) {
        return copy_attribute(path, fd, acl_name, bytes);
    }
    return fremovexattr(fd, acl_name) == 0 || has_none(errno);
}
#else
static bool copy_user_attributes(const char *path, int fd)
{
    (void)path, (void)fd;
    return true;
}

static bool copy_acl(const char *path, int fd)
{
    (void)path, (void)fd;
    return true;
}
#endif

/* Attributes first: they want a file that is ours and may be written. File systems that know
 * neither owners nor modes give all files the same, which counts as kept. */
void io_keep(const char *path, int fd, io_output_report *report)
{
    struct stat old, made = {0};
    bool known = stat(path, &old) == 0;
    report->attributes_lost = known && !copy_user_attributes(path, fd);
    if (known && fchown(fd, old.st_uid, old.st_gid) != 0) {
        int ignored = fchown(fd, (uid_t)-1, old.st_gid);
        (void)ignored;
    }
    bool kept = known && copy_acl(path, fd);
    int ignored = kept ? fchmod(fd, old.st_mode & 0777) : 0;
    kept = fstat(fd, &made) == 0 && kept && made.st_gid == old.st_gid &&
           (made.st_mode & 0777) == (old.st_mode & 0777);
    if (!kept) {
        ignored = fchmod(fd, known ? old.st_mode & 0700 : 0600);
    }
    (void)ignored;
    report->access_lost = !kept;
    report->owner_lost = known && made.st_uid != old.st_uid;
    report->other_names = known ? (int64_t)old.st_nlink - 1 : 0;
}
