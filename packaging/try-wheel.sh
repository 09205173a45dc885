#!/bin/sh
# In a bare Debian 12 without a compiler each wheel of a folder is installed, with the oldest numpy that it takes and
# with the newest, and used as packaging/try-wheel.py says: packaging/try-wheel.sh [FOLDER [MACHINE]]. As root, with
# debootstrap. MIRROR in the environment is where packages come from; numpy comes from PyPI, by the Python that PYTHON
# names. The wheel of aarch64 runs under qemu, which wants qemu-user-static and Linux 6.7.
set -eu
folder=$(readlink -f "${1:-build/wheel}")
machine=${2:-}
if [ -z "$machine" ]; then
    for wheel in "$folder"/satfilter-*.whl; do
        "$0" "$folder" "$(basename "$wheel" .whl | sed 's/.*manylinux_[0-9]*_[0-9]*_//')"
    done
    exit
fi
enter=chroot foreign=''
if [ "$machine" != "$(uname -m)" ]; then
    enter=emulated foreign=--foreign
fi
arch=$(echo "$machine" | sed 's/x86_64/amd64/; s/aarch64/arm64/')
python=${PYTHON:-python3}
here=$(readlink -f "$(dirname "$0")")
root=$(mktemp -d)
chmod 755 "$root"
trap 'umount "$root/proc" 2>/dev/null || true; rm -rf --one-file-system "$root"' EXIT

# In a namespace of its own the kernel gives qemu the programs of aarch64, which byte 18 tells.
emulated()
{
    # shellcheck disable=SC2016 # for sh
    unshare --map-root-user --mount sh -e -c '
        mount -t binfmt_misc none /proc/sys/fs/binfmt_misc
        printf ":aarch64:M:18:\\xb7::/usr/bin/qemu-aarch64-static:F" >/proc/sys/fs/binfmt_misc/register
        exec "$@"' sh chroot "$@"
}
inside()
{
    $enter "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp LC_ALL=C.UTF-8 "$@"
}

debootstrap --arch="$arch" $foreign --variant=minbase --include=python3,python3-venv bookworm "$root" \
    "${MIRROR:-http://deb.debian.org/debian}"
if [ -n "$foreign" ]; then # unpacked, and not configured, which takes minutes under qemu
    for package in "$root"/var/cache/apt/archives/*.deb; do
        dpkg-deb --fsys-tarfile "$package" | tar -x --keep-directory-symlink -C "$root"
    done
fi
mount -t proc proc "$root/proc"
if inside sh -c 'command -v cc || command -v gcc'; then echo "FAILED: there is a compiler" >&2 && exit 1; fi
mkdir -p "$root/wheels/new" "$root/wheels/old" "$root/tmp/samples"
cp "$folder"/satfilter*_"$machine".whl "$root/wheels"
cp "$here/try-wheel.py" "$here/../README.md" "$root/tmp"
cp "$here/../samples/scene.png" "$root/tmp/samples"

"$python" -m zipfile -e "$folder"/satfilter-*_"$machine".whl "$root/unpacked"
least=$(sed -n 's/^Requires-Dist: numpy *>= *//p' "$root"/unpacked/satfilter-*.dist-info/METADATA)
fetch()
{
    "$python" -m pip download -q --no-deps --only-binary :all: --python-version 3.11 \
        --platform "manylinux_2_28_$machine" --platform "manylinux_2_27_$machine" --platform "manylinux2014_$machine" \
        -d "$root/wheels/$1" "$2"
}
fetch old "numpy==$least.*"
fetch new numpy
for numpy in old new; do
    inside python3 -m venv "/tmp/$numpy"
    inside sh -c "/tmp/$numpy/bin/pip install -q --no-index -f /wheels/$numpy -f /wheels /wheels/*.whl"
    inside sh -c "cd /tmp && $numpy/bin/python try-wheel.py"
done
inside sh -c '/tmp/new/bin/pip uninstall -q -y satfilter satfilter-cuda'
left=$(find "$root/tmp/new" -name '*satfilter*')
[ -z "$left" ] || { echo "FAILED: left behind: $left" >&2 && exit 1; }
echo "The wheel for $machine was installed, used and removed."
