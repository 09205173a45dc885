#!/bin/sh
# The steps of packaging/Containerfile in a bare Debian 12, without a program for containers. What was installed works,
# and works again after it was moved: packaging/try-container.sh, as root, with debootstrap, in a clone. MIRROR in the
# environment is where packages come from.
set -eu
cd "$(dirname "$0")/.."
root=$(mktemp -d)
chmod 755 "$root"
trap 'umount "$root/proc" 2>/dev/null || true; rm -rf --one-file-system "$root"' EXIT

inside()
{
    chroot "$root" env -i PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp LC_ALL=C.UTF-8 "$@"
}

debootstrap --variant=minbase bookworm "$root" "${MIRROR:-http://deb.debian.org/debian}"
mount -t proc proc "$root/proc"
mkdir "$root/src" "$root/pictures"
git archive HEAD | tar -xf - -C "$root/src"
cp samples/scene.png "$root/pictures/in.png"
cp samples/scan.tif samples/file.c "$root/pictures"
step=$(sed -n 's/^RUN //p' packaging/Containerfile)
inside CONFIGURE="$(sed -n 's/^ARG CONFIGURE=//p' packaging/Containerfile)" sh -c "$step"
inside sh -c 'cd /pictures && satfilter --box 15 in.png out.png && satfilter --self-test && satbench paper rap'
[ -s "$root/pictures/out.png" ]
# shellcheck disable=SC2016 # for sh
inside sh -eux -c 'mv /usr/local /opt/moved && mkdir /usr/local && ldconfig && cd /pictures
    /opt/moved/bin/satfilter --box 15 in.png moved.png
    cmp out.png moved.png
    /opt/moved/bin/satfilter --box 3 scan.tif moved.tif
    export PKG_CONFIG_PATH=/opt/moved/lib/pkgconfig LD_LIBRARY_PATH=/opt/moved/lib
    cc -o program file.c $(pkg-config --cflags --libs satfilter)
    ./program box=15 in.png program.png
    cmp out.png program.png'
echo "The container's steps were run."
