# SATF_PLACES: how the parts of an installed tree find each other, so that it may be moved. In front of LT_INIT. Sets
#   MODULES_FROM_BIN, MODULES    the folder of modules, from that of programs and as installed
#   PROGRAM_RPATH, PLUGIN_RPATH  flags with which programs, and plugins one folder below libdir, find the library
#   PC_PREFIX, PC_LIBDIR, PC_INCLUDEDIR    these folders in pkg-config's files
#   PAGES_TO_INCLUDE             includedir from the folder of links to headers, which pages link to
# A prefix of the system has no such flags, for its folders are searched anyway, and none may name them.
AC_DEFUN([SATF_PLACES], [
AC_REQUIRE([AC_PROG_AWK])
satf_prefix=$prefix
AS_IF([test "x$satf_prefix" = xNONE], [satf_prefix=$ac_default_prefix])
satf_bindir=`SATF_EXPANDED([bindir])`
satf_libdir=`SATF_EXPANDED([libdir])`
satf_includedir=`SATF_EXPANDED([includedir])`
satf_to_lib=`SATF_WAY([$satf_bindir], [$satf_libdir])`
satf_to_prefix=`SATF_WAY([$satf_libdir/pkgconfig], [$satf_prefix])`
satf_to_include=`SATF_WAY([$satf_libdir/pkgconfig], [$satf_includedir])`
satf_docdir=`SATF_EXPANDED([docdir])`
PAGES_TO_INCLUDE=`SATF_WAY([$satf_docdir/src], [$satf_includedir])`
AC_DEFINE_UNQUOTED([SATF_MODULES_FROM_BIN], ["$satf_to_lib/satfilter/"], [The folder of modules, from that of programs])
AC_DEFINE_UNQUOTED([SATF_MODULES], ["$satf_libdir/satfilter/"], [The folder of modules, as installed])
PROGRAM_RPATH= PLUGIN_RPATH= PC_PREFIX=$satf_prefix PC_LIBDIR=$libdir PC_INCLUDEDIR=$includedir
AS_CASE([$satf_prefix], [/|/usr], [],
  [PROGRAM_RPATH="-Wl,-rpath,'\$\$ORIGIN/$satf_to_lib'"
   PLUGIN_RPATH="-Wl,-rpath,'\$\$ORIGIN/..'"
   PC_PREFIX="\${pcfiledir}/$satf_to_prefix" PC_LIBDIR='${pcfiledir}/..' PC_INCLUDEDIR="\${pcfiledir}/$satf_to_include"
   # libtool names no folder that the system searches, so none as installed.
   LT_SYS_LIBRARY_PATH="$satf_libdir${LT_SYS_LIBRARY_PATH:+:$LT_SYS_LIBRARY_PATH}"])
AC_SUBST([PROGRAM_RPATH])
AC_SUBST([PLUGIN_RPATH])
AC_SUBST([PC_PREFIX])
AC_SUBST([PC_LIBDIR])
AC_SUBST([PC_INCLUDEDIR])
AC_SUBST([PAGES_TO_INCLUDE])
])

# SATF_EXPANDED(VARIABLE): prints the folder that a variable such as libdir stands for.
m4_define([SATF_EXPANDED], [(prefix=$satf_prefix
  AS_IF([test "x$exec_prefix" = xNONE], [exec_prefix=$prefix])
  satf_place=$$1
  eval "satf_place=\"$satf_place\""
  eval "satf_place=\"$satf_place\""
  AS_ECHO(["$satf_place"]))])

# SATF_WAY(FROM, TO): prints the relative path between two folders.
m4_define([SATF_WAY], [AS_ECHO(["$1:$2"]) | $AWK -F: '{
    m = split(@S|@1, from, "/+"); n = split(@S|@2, to, "/+")
    for (same = 1; same <= m && same <= n && from@<:@same@:>@ == to@<:@same@:>@; same++) { }
    for (i = same; i <= m; i++) way = way "../"
    for (i = same; i <= n; i++) way = way to@<:@i@:>@ "/"
    sub(/\/$/, "", way)
    print way
  }'])
