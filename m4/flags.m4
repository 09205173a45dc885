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
