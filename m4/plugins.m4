# SATF_PLUGINS: --enable-plugins[=LIST]. Sets a conditional for each host and $plugins_summary.
AC_DEFUN([SATF_PLUGINS], [
AC_ARG_ENABLE([plugins],
  [AS_HELP_STRING([--enable-plugins@<:@=LIST@:>@],
    [plugins for the hosts in LIST (frei0r, gegl, gstreamer, vips), or for all whose headers are there @<:@no@:>@])],
  [], [enable_plugins=no])
AS_CASE([,$enable_plugins,], [,no,|,yes,], [], [
  for satf_host in `AS_ECHO(["$enable_plugins"]) | tr ',' ' '`; do
    AS_CASE([$satf_host], [frei0r|gegl|gstreamer|vips], [],
      [AC_MSG_ERROR(m4_normalize([--enable-plugins=$enable_plugins: there are plugins for frei0r,
        gegl, gstreamer and vips, not for $satf_host]))])
  done])
plugins_summary=
SATF_PLUGIN([frei0r], [FREI0R], [frei0r-plugins-dev],
  [AC_CHECK_HEADER([frei0r.h], [have_frei0r=yes], [have_frei0r=no])])
SATF_PLUGIN([gegl], [GEGL], [libgegl-dev],
  [PKG_CHECK_MODULES([GEGL], [gegl-0.4 >= 0.4.30], [have_gegl=yes], [have_gegl=no])])
SATF_PLUGIN([gstreamer], [GSTREAMER], [libgstreamer-plugins-base1.0-dev],
  [PKG_CHECK_MODULES([GSTREAMER], [gstreamer-video-1.0 >= 1.20], [have_gstreamer=yes], [have_gstreamer=no])])
have_gstreamer_check=no
AS_IF([test "x$have_gstreamer" = xyes],
  [PKG_CHECK_MODULES([GSTREAMER_CHECK], [gstreamer-check-1.0 gstreamer-controller-1.0 gstreamer-video-1.0],
    [have_gstreamer_check=yes], [have_gstreamer_check=no])])
AM_CONDITIONAL([GSTREAMER_CHECK], [test "x$have_gstreamer_check" = xyes])
SATF_PLUGIN([vips], [VIPS], [libvips-dev],
  [PKG_CHECK_MODULES([VIPS], [vips >= 8.14], [have_vips=yes], [have_vips=no])])
AS_IF([test "x$have_vips" = xyes],
  [VIPS_SERIES=`$PKG_CONFIG --modversion vips | sed 's/^\([[0-9]]*\.[[0-9]]*\).*/\1/'`])
AC_SUBST([VIPS_SERIES])
AS_IF([test "x$plugins_summary" = x], [plugins_summary=no])
])

# SATF_PLUGIN(HOST, CONDITIONAL, DEBIAN PACKAGES, CHECK): CHECK, where the plugin is wanted, sets
# have_HOST; missing is an error if the host was named.
AC_DEFUN([SATF_PLUGIN], [
have_$1=no
AS_CASE([,$enable_plugins,],
  [*,yes,*|*,$1,*], [
    $4
    AS_IF([test "x$have_$1" = xyes], [satf_word="$1"], [satf_word="$1 left out (Debian: $3)"
      AS_IF([test "x$enable_plugins" != xyes],
        [AC_MSG_ERROR([--enable-plugins=$enable_plugins: the headers of $1 are missing (Debian: $3)])])])
    AS_VAR_APPEND([plugins_summary], ["${plugins_summary:+, }$satf_word"])])
AM_CONDITIONAL([$2], [test "x$have_$1" = xyes])
])
