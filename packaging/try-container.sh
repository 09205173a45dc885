#!/bin/sh
# The steps of packaging/Containerfile in a bare Debian 12, without a program for containers:
# packaging/try-container.sh, as root, with debootstrap, in a clone. MIRROR in the environment is where
# packages come from.
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
step=$(sed -n 's/^RUN //p' packaging/Containerfile)
inside CONFIGURE="$(sed -n 's/^ARG CONFIGURE=//p' packaging/Containerfile)" sh -c "$step"
inside sh -c 'cd /pictures && satfilter --box 15 in.png out.png && satfilter --self-test && satbench paper rap'
[ -s "$root/pictures/out.png" ]
echo "The container's steps were run."
