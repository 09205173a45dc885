# Pictures as bare samples and as files of the command; its .npy files as bare samples. Read by scripts
# that have set $work, a folder, and $satfilter, the command.
# shellcheck shell=sh disable=SC2154

"$satfilter" -q -f --type u8 --format pam --box 1 "$top_srcdir/samples/scene.png" "$work/scene.pam"
tail -c +100000 "$work/scene.pam" >"$work/bytes"

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
# $in. Alpha, of 2 and 4 channels of u8 and u16, goes from opaque to clear; f32 and f64 are fractions.
picture()
{
    in=$work/in.pam most=255 samples=$(($2 * $3 * $4))
    case $2 in 1) tuple=GRAYSCALE ;; 2) tuple=GRAYSCALE_ALPHA ;; 3) tuple=RGB ;; *) tuple=RGB_ALPHA ;; esac
    [ "$1" != u16 ] || most=65535 samples=$((2 * samples))
    { head -c $((samples - samples / 3)) "$work/bytes" && head -c $samples /dev/zero | tr '\0' '\377'; } |
        head -c $samples >"$work/in.raw"
    { printf 'P7\nWIDTH %d\nHEIGHT %d\nDEPTH %d\nMAXVAL %d\nTUPLTYPE %s\nENDHDR\n' "$3" "$4" "$2" $most $tuple &&
        cat "$work/in.raw"; } >"$work/in.pam"
    case $1 in
    u16) native <"$work/in.raw" >"$work/swapped" && mv "$work/swapped" "$work/in.raw" ;;
    f32 | f64)
        in=$work/in.npy
        "$satfilter" -q -f --type "$1" --stddev 3 "$work/in.pam" "$in"
        values "$in" >"$work/in.raw"
        ;;
    esac
}
