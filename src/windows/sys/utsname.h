/* The system's name. */
#ifndef SATF_WINDOWS_UTSNAME_H
#define SATF_WINDOWS_UTSNAME_H

struct utsname {
    char sysname[16], machine[16];
};

static inline int uname(struct utsname *system)
{
#ifdef __aarch64__
    *system = (struct utsname){"Windows", "aarch64"};
#else
    *system = (struct utsname){"Windows", "x86_64"};
#endif
    return 0;
}

#endif
