# SATF_LIBRARY(PREFIX, PKG-CONFIG MODULE, DEBIAN PACKAGE): PREFIX_CFLAGS and
# PREFIX_LIBS, or a word more in $missing.
AC_DEFUN([SATF_LIBRARY], [
  PKG_CHECK_MODULES([$1], [$2], [],
    [AS_VAR_APPEND([missing], ["${missing:+, }$2 (Debian: $3)"])])])

# SATF_STB: STB_CFLAGS, with which #include <stb_image.h> is found.
AC_DEFUN([SATF_STB], [
  PKG_CHECK_MODULES([STB], [stb], [], [STB_CFLAGS=])
  satf_saved_cppflags=$CPPFLAGS
  AC_MSG_CHECKING([for stb_image.h])
  satf_stb=no
  for satf_flag in "$STB_CFLAGS" -I/usr/include/stb -I/usr/local/include/stb; do
    CPPFLAGS="$satf_saved_cppflags $satf_flag"
    AC_PREPROC_IFELSE([AC_LANG_SOURCE([[#include <stb_image.h>]])],
      [satf_stb=yes
       STB_CFLAGS=$satf_flag
       break])
  done
  CPPFLAGS=$satf_saved_cppflags
  AC_MSG_RESULT([$satf_stb])
  AS_IF([test $satf_stb = no],
    [AS_VAR_APPEND([missing], ["${missing:+, }stb_image.h (Debian: libstb-dev)"])])])
