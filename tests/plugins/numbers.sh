# Pictures as bare samples and as files of the command; its .npy files as bare samples. For scripts
# that have read tests/script.sh.
# shellcheck shell=sh disable=SC2154

"$satfilter" -q -f --type u8 --format pam --box 1 "$source/samples/scene.png" scene.pam
tail -c +100000 scene.pam >bytes

# values FILE.npy: what follows its header
values()
{
    tail -c +$(($(od -An -j8 -N2 -tu2 --endian=little "$1") + 11)) "$1"
}

# shape FILE.npy: width, height, channels and type, "66 50 3 u1"
shape()
{
    # shellcheck disable=SC2046
    set -- $(head -c 120 "$1" | tr -d '\0,' |
        LC_ALL=C sed -n "s/^.*'descr': '.\(..\)'.*'shape': (\([0-9 ]*\)).*/\1 \2/p")
    echo "$3 $2 ${4-1} $1"
}

# native: samples of 16 bits in this machine's order
native()
{
    case $(printf '\1\0' | od -An -tu2 | tr -d ' ') in 1) dd conv=swab status=none ;; *) cat ;; esac
}

# picture TYPE CHANNELS WIDTH HEIGHT: the samples in $work/in.raw, and the same for the command in the file
# $in; $width and $height. Alpha, of 2 and 4 channels of u8 and u16, goes from opaque to clear; f32 and f64 are
# fractions.
picture()
{
    width=$3 height=$4 in=$work/in.pam most=255 samples=$(($2 * $3 * $4))
    case $2 in 1) tuple=GRAYSCALE ;; 2) tuple=GRAYSCALE_ALPHA ;; 3) tuple=RGB ;; *) tuple=RGB_ALPHA ;; esac
    [ "$1" != u16 ] || most=65535 samples=$((2 * samples))
    { head -c $((samples - samples / 3)) bytes && head -c $samples /dev/zero | tr '\0' '\377'; } |
        head -c $samples >in.raw
    { printf 'P7\nWIDTH %d\nHEIGHT %d\nDEPTH %d\nMAXVAL %d\nTUPLTYPE %s\nENDHDR\n' "$3" "$4" "$2" $most $tuple &&
        cat in.raw; } >in.pam
    case $1 in
    u16) native <in.raw >swapped && mv swapped in.raw ;;
    f32 | f64)
        in=$work/in.npy
        "$satfilter" -q -f --type "$1" --stddev 3 in.pam "$in"
        values "$in" >in.raw
        ;;
    esac
}

# coloured BYTES CHANNELS: grey samples of so many bytes as opaque pixels of 3 or 4 channels
coloured()
{
    opaque='\\377'
    [ "$1" = 1 ] || opaque='\\377\\377'
    [ "$2" = 4 ] || opaque=
    # shellcheck disable=SC2059
    printf "$(od -An -v -to1 -w"$1" | sed "s/ /\\\\/g;s/.*/&&&$opaque/" | tr -d '\n')"
}

# samples FILE: the bytes that end the file, a PAM of 8 bits
samples()
{
    tail -c $(($(sed -n 's/^WIDTH //p;s/^HEIGHT //p;s/^DEPTH //p;/ENDHDR/q' "$1" | tr '\n' '*')1)) "$1"
}
