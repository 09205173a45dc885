# SATF_TRY_FLAGS(VARIABLE, FLAGS, [IF-TAKEN]): appends the compiler flags to
# VARIABLE if the C compiler takes all of them together without a warning.
AC_DEFUN([SATF_TRY_FLAGS], [
  AC_MSG_CHECKING([whether $CC takes $2])
  satf_saved_cflags=$CFLAGS
  CFLAGS="$CFLAGS $$1 $2 -Werror"
  AC_COMPILE_IFELSE([AC_LANG_PROGRAM()],
    [AC_MSG_RESULT([yes])
     CFLAGS=$satf_saved_cflags
     AS_IF([test "x$$1" = x], [$1="$2"], [AS_VAR_APPEND([$1], [" $2"])])
     $3],
    [AC_MSG_RESULT([no])
     CFLAGS=$satf_saved_cflags])])

# SATF_TRY_LINK(VARIABLE, FLAGS): the same for flags of the linker.
AC_DEFUN([SATF_TRY_LINK], [
  AC_MSG_CHECKING([whether the linker takes $2])
  satf_saved_ldflags=$LDFLAGS
  LDFLAGS="$LDFLAGS $$1 $2"
  AC_LINK_IFELSE([AC_LANG_PROGRAM()],
    [AC_MSG_RESULT([yes])
     AS_IF([test "x$$1" = x], [$1="$2"], [AS_VAR_APPEND([$1], [" $2"])])],
    [AC_MSG_RESULT([no])])
  LDFLAGS=$satf_saved_ldflags])

# SATF_HARDENING: flags that make a mistake end the program rather than be of use to
# somebody, in SATF_CFLAGS, HARDEN_LDFLAGS and (programs) PIE_LDFLAGS; docs/security.md.
AC_DEFUN([SATF_HARDENING], [
AC_ARG_ENABLE([hardening],
  [AS_HELP_STRING([--disable-hardening], [leave out flags such as -fstack-protector-strong])],
  [], [enable_hardening=yes])
AS_IF([test "x$enable_hardening" = xyes], [
  SATF_TRY_FLAGS([SATF_CFLAGS], [-fstack-protector-strong])
  # gcc for Windows breaks off over it (its bug 90458).
  AS_IF([test $windows = no], [SATF_TRY_FLAGS([SATF_CFLAGS], [-fstack-clash-protection])])
  # Checked functions need an optimiser, are the sanitizers' own business, and may be
  # the compiler's default. Level 3 only where it is not treated like 2.
  AC_COMPILE_IFELSE([AC_LANG_SOURCE([[
#if defined __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#error
#endif
#endif
#if !defined __OPTIMIZE__ || defined _FORTIFY_SOURCE || defined __SANITIZE_ADDRESS__ || \
    defined __SANITIZE_THREAD__
#error
#endif
]])], [
    satf_saved_cppflags=$CPPFLAGS
    for level in 3 2; do
      CPPFLAGS="$satf_saved_cppflags -D_FORTIFY_SOURCE=$level -Werror"
      AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include <stdio.h>]])],
        [AS_VAR_APPEND([SATF_CFLAGS], [" -D_FORTIFY_SOURCE=$level"])
         break])
    done
    CPPFLAGS=$satf_saved_cppflags])
  SATF_TRY_LINK([HARDEN_LDFLAGS], [-Wl,-z,relro])
  SATF_TRY_LINK([HARDEN_LDFLAGS], [-Wl,-z,now])
  AC_COMPILE_IFELSE([AC_LANG_SOURCE([[
#if defined __PIE__ || defined __PIC__
#error
#endif
]])], [SATF_TRY_FLAGS([SATF_CFLAGS], [-fPIE], [SATF_TRY_LINK([PIE_LDFLAGS], [-pie])])])])
AC_SUBST([HARDEN_LDFLAGS])
AC_SUBST([PIE_LDFLAGS])])
