#!/usr/bin/env bash
# ./bootstrap on machines that lack packages: what it installs, asks for, and can do without. The machines
# are made of stand-ins for the commands that it runs; nothing is installed or built.
set -u
. "$(dirname "$0")/script.sh"

# What the machine has, a line each in the file `has`: packages of pkg-config, headers, commands.
all='libpng libjpeg zlib libtiff-4 libwebpmux cmocka stb_image.h gif_lib.h'
mkdir bin tree
for tool in bash sh sed sort tr cat rm find head tail dirname touch chmod cp env grep nproc; do
    ln -s "$(command -v $tool)" bin/ || exit 1
done
make_command() { { echo "#!$(command -v bash)" && cat; } >"bin/$1" && chmod +x "bin/$1"; }
for tool in autoconf automake libtoolize; do make_command $tool </dev/null; done
make_command pkg-config <<<'grep -qx "$2" "$MACHINE/has"'
make_command cc <<<'read -r _ header; header=${header#<} && grep -qx "${header%>}" "$MACHINE/has"'
make_command id <<<'echo "$USER_ID"'
# What has been said before sudo is run for the first time stays in a file.
make_command sudo <<<'[ -e "$MACHINE/before" ] || cp "$MACHINE/stderr" "$MACHINE/before"
[ "$1" != -n ] || exit "$SUDO_ASKS"
exec "$@"'
make_command make <<<'[ "$2" = clean ] || { echo "made: $*"; touch satfilter; }'
make_command autoreconf <<'END'
printf '#!/bin/sh\necho "configured: $*"\ntouch config.status Makefile\n' >configure
chmod +x configure
touch Makefile.in
END
# apt-get knows all packages but those in the file `unknown`.
make_command apt-get.stand-in <<'END'
echo "apt-get $*" >>"$MACHINE/apt"
[ "$1" = install ] || exit 0
shift
for package; do
    if grep -qx -e "$package" "$MACHINE/unknown"; then
        echo "E: Unable to locate package $package"
        exit 100
    fi
done
for package; do
    case $package in
    libtiff-dev) echo libtiff-4 ;;
    libwebp-dev) echo libwebpmux ;;
    libgif-dev) echo gif_lib.h ;;
    libcmocka-dev) echo cmocka ;;
    libpng-dev) echo libpng ;;
    esac >>"$MACHINE/has"
done
END

# machine LACKS...: a new one with apt-get, of a user who may use sudo, in a new tree.
machine()
{
    rm -rf tree && mkdir -p tree/m4 tree/docs
    for folder in src filters cuda tools tests samples; do mkdir "tree/$folder"; done
    cp "$source/bootstrap" tree/
    touch tree/configure.ac tree/Makefile.am tree/m4/x.m4
    tr ' ' '\n' <<<"$all" >has
    for lack; do sed -i "/^$lack\$/d" has; done
    : >apt && : >unknown
    rm -f before
    cp bin/apt-get.stand-in bin/apt-get
    rm -f bin/dnf
    user=1000 asks=0
}
bootstrap()
{
    env -i PATH="$work/bin" MACHINE="$work" USER_ID=$user SUDO_ASKS=$asks tree/bootstrap --disable-cuda "$@" \
        >stdout 2>stderr </dev/null
}
said() { sed 's/^bootstrap: //' stderr | grep -v -e '^generating' -e '^configuring' -e '^building' | tr '\n' '|'; }
# ended WHAT OPTION WANTED: runs it; how it ended, what it said, and whether it has built.
ended()
{
    # shellcheck disable=SC2086 # an option or none
    bootstrap $2
    check "$1" "$? $(said)$(grep -o '^made' stdout)" "$3"
}

machine
ended "all there" "" '0 made'
check "nothing is installed" "$(cat apt)" ""

leaves='(--no-install leaves that)'
left='left out, for their packages are missing:'
please='please install what is missing, then run this again:'
for package in libtiff-4:libtiff-dev:TIFF libwebpmux:libwebp-dev:WebP gif_lib.h:libgif-dev:GIF \
    cmocka:libcmocka-dev:tests; do
    IFS=: read -r lack name what <<<"$package"
    machine "$lack"
    ended "without $what, --no-install" "--no-install" "0 $left $what ($name)|made"
    check "nothing is installed" "$(cat apt)" ""
    check "which is not configure's" "$(grep configured stdout)" "configured: --quiet --disable-cuda"
    echo "$lack" >>has
    ended "when it is there" "" \
        '0 other options, compilers or libraries than the last time: everything is built anew|made'
    check "it is configured again" "$(grep -c configured stdout)" 1
    bootstrap
    check "once" "$? $(grep -c configured stdout)" "0 0"
done

machine gif_lib.h libtiff-4
ended "it says what it installs before sudo" "" \
    "0 installing by sudo apt-get: libgif-dev libtiff-dev $leaves|made"
check "before" "$(cat before)" "bootstrap: installing by sudo apt-get: libgif-dev libtiff-dev $leaves"
check "and does" "$(grep -c 'install .*libgif-dev libtiff-dev' apt)" 1
machine gif_lib.h
user=0
ended "as root" "" "0 installing by apt-get: libgif-dev $leaves|made"

machine gif_lib.h cmocka
echo libgif-dev >unknown
user=0
ended "a package that the system does not know" "" \
    "0 installing by apt-get: libcmocka-dev libgif-dev $leaves|apt-get could not install libgif-dev: \
E: Unable to locate package libgif-dev|$left GIF (libgif-dev)|made"
machine libpng cmocka
echo libpng-dev >unknown
user=0
ended "one that it needs" "" \
    "1 installing by apt-get: libpng-dev libcmocka-dev $leaves|apt-get could not install libpng-dev: \
E: Unable to locate package libpng-dev|$please apt-get install libpng-dev|"

machine libpng gif_lib.h
ended "what it needs, --no-install" "--no-install" \
    "1 $please apt-get install libpng-dev|"
machine gif_lib.h
asks=1
ended "sudo asks, and nobody is there" "" \
    "0 installing by sudo apt-get: libgif-dev $leaves|\
sudo asks for a password, and there is no terminal: nothing is installed|$left GIF (libgif-dev)|made"
machine gif_lib.h libpng
rm bin/apt-get && make_command dnf </dev/null
ended "another system" "" "1 $please dnf install libpng-devel|"
echo libpng >>has
ended "which lacks what it can do without" "" "0 $left GIF (giflib-devel)|made"

machine
bootstrap --enable-werror
env -i PATH="$work/bin" MACHINE="$work" USER_ID=0 tree/bootstrap --no-install >stdout 2>stderr </dev/null
check "--no-install keeps the options of the last time" \
    "$? $(grep -c configured stdout) $(tail -n 1 tree/config.bootstrap)" "0 0 --enable-werror"

finish
