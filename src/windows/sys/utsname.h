/* The system's name. */
#ifndef SATF_WINDOWS_UTSNAME_H
#define SATF_WINDOWS_UTSNAME_H

struct utsname {
    char sysname[16], machine[16];
};

static inline int uname(struct utsname *system)
{
    *system = (struct utsname){"Windows", "x86_64"};
    return 0;
}

#endif
