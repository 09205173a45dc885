#!/bin/sh
# In a bare Debian 12 the packages of a folder are installed, used and removed, which leaves nothing behind:
# packaging/try-debian.sh [FOLDER]. As root, with debootstrap. MIRROR in the environment is where packages come from.
set -eu
folder=$(readlink -f "${1:-build/debian}")
tests=$(readlink -f "$(dirname "$0")/debian/tests")
root=$(mktemp -d)
chmod 755 "$root"
trap 'umount "$root/proc" 2>/dev/null || true; rm -rf --one-file-system "$root"' EXIT

inside()
{
    chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp LC_ALL=C.UTF-8 \
        DEBIAN_FRONTEND=noninteractive "$@"
}

debootstrap --variant=minbase bookworm "$root" "${MIRROR:-http://deb.debian.org/debian}"
mount -t proc proc "$root/proc"
printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d" # no service starts
chmod +x "$root/usr/sbin/policy-rc.d"
mkdir "$root/packages"
cp "$folder"/*.deb "$root/packages"
cp "$tests/installed" "$root/tmp"
names=$(for package in "$root"/packages/*; do dpkg-deb -f "$package" Package; done)

inside apt-get update -q
# shellcheck disable=SC2046,SC2086 # words
inside apt-get install -q -y --no-install-recommends $(sed -n 's/,//g; s/^Depends: @ //p' "$tests/control")
inside sh -c 'apt-get install -q -y /packages/*.deb'
inside /tmp/installed

# shellcheck disable=SC2086 # words
inside dpkg -L $names | grep '^/[^.]' | sort -u >"$root/files"
# shellcheck disable=SC2086 # words
inside apt-get purge -q -y $names
{
    # /var/cache/man has the pages that were read, until man-db clears it.
    find "$root" -xdev -name '*satf*' ! -path "$root/packages/*" ! -path "$root/tmp/*" ! -path "$root/var/cache/man/*"
    while read -r file; do
        [ ! -e "$root$file" ] || inside dpkg -S "$file" >"$root/owner" 2>&1 || echo "$root$file"
    done <"$root/files"
} | sort -u >"$root/left"
cat "$root/left"
[ ! -s "$root/left" ] || { echo "FAILED: the packages left these behind" >&2 && exit 1; }
echo "The packages were installed, used and removed."
