#!/bin/sh
# In a bare Debian 12 without a compiler a wheel is installed, with the oldest numpy that it takes and with the newest,
# and used as packaging/try-wheel.py says: packaging/try-wheel.sh [FOLDER]. As root, with debootstrap. MIRROR in the
# environment is where packages come from; numpy comes from PyPI, by the Python that PYTHON names.
set -eu
folder=$(readlink -f "${1:-build/wheel}")
python=${PYTHON:-python3}
here=$(readlink -f "$(dirname "$0")")
root=$(mktemp -d)
chmod 755 "$root"
trap 'umount "$root/proc" 2>/dev/null || true; rm -rf --one-file-system "$root"' EXIT

inside()
{
    chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp LC_ALL=C.UTF-8 "$@"
}

debootstrap --variant=minbase --include=python3,python3-venv bookworm "$root" \
    "${MIRROR:-http://deb.debian.org/debian}"
mount -t proc proc "$root/proc"
if inside sh -c 'command -v cc || command -v gcc'; then echo "FAILED: there is a compiler" >&2 && exit 1; fi
mkdir -p "$root/wheels/new" "$root/wheels/old" "$root/tmp/samples"
cp "$folder"/satfilter*.whl "$root/wheels"
cp "$here/try-wheel.py" "$here/../README.md" "$root/tmp"
cp "$here/../samples/scene.png" "$root/tmp/samples"

"$python" -m zipfile -e "$folder"/satfilter-*.whl "$root/unpacked"
least=$(sed -n 's/^Requires-Dist: numpy *>= *//p' "$root"/unpacked/satfilter-*.dist-info/METADATA)
fetch()
{
    "$python" -m pip download -q --no-deps --only-binary :all: --python-version 3.11 \
        --platform manylinux_2_28_x86_64 --platform manylinux_2_27_x86_64 --platform manylinux2014_x86_64 \
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
echo "The wheel was installed, used and removed."
