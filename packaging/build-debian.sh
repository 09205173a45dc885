#!/bin/sh
# Debian's packages, from a tarball of `make dist` into build/debian: packaging/build-debian.sh TARBALL. `make deb` is
# both. lintian has to be content.
set -eu
tarball=$(readlink -f "$1")
name=$(basename "$tarball" .tar.xz)
rm -rf build/debian
mkdir -p build/debian
cd build/debian
cp "$tarball" "$(echo "$name" | tr - _).orig.tar.xz"
tar -xf "$tarball"
cd "$name"
cp -R packaging/debian debian
cat >debian/changelog <<END
$(echo "$name" | sed 's/-\(.*\)/ (\1-1)/') bookworm; urgency=medium

  * See NEWS.

 -- $(sed -n 's/^Maintainer: //p' debian/control)  $(date -u -R -r configure.ac)
END
unset MAKEFLAGS MFLAGS MAKELEVEL
export PATH="/usr/bin:/bin:$PATH" # Debian's own programs first
export DEB_BUILD_OPTIONS="noautodbgsym ${DEB_BUILD_OPTIONS:-}"
dpkg-buildpackage -us -uc -b
# Debian's tracker has no bug that asks for the packages.
lintian --allow-root --fail-on error,warning --tag-display-limit 0 --suppress-tags initial-upload-closes-no-bugs \
    ../*.changes
