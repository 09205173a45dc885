#!/usr/bin/env bash
# Every command of README.md, docs/gallery.md, docs/recipes.md, docs/pages.md and samples/README.md runs as it stands,
# in a copy of what a clone has, and makes the files that it names; ./bootstrap has run before.
# README's C compiles, too.
# Each picture that it makes is read again: it has its input's size, unless it is resized, cropped or awk's, and
# shows something.
set -u
. "$(dirname "$0")/script.sh"

# The outputs that a command names: behind -o, the last word, what a ">" leads to.
outputs_of()
{
    # shellcheck disable=SC2086 # words of a command that this project wrote
    set -- $1
    local last=
    while [ $# -gt 0 ]; do
        case $1 in
        -o | '>') echo "$2" && last= && shift ;;
        '<' | '|') last= ;;
        *) last=$1 ;;
        esac
        shift
    done
    case $last in *.png | *.npy | *.pgm) echo "$last" ;; esac
}

# "640x480": the size of a picture or an array, which becomes the array shown.npy; nothing if it
# cannot be read.
size_of()
{
    { ./satfilter -q --json --box 1 --page 1 "$1" shown.npy 2>>stderr ||
        ./satfilter -q --json --box 1 --page 1 --axes ZYX "$1" shown.npy 2>>stderr; } |
        sed -n 's/.*"width": \([0-9]*\), "height": \([0-9]*\), .*/\1x\2/p'
}

# The input of a picture: one of its name in samples and docs/images, else the first that the
# command names.
input_of()
{
    local found word
    found=$(find samples docs/images -name "$(basename "$1")" | head -n 1)
    # shellcheck disable=SC2086 # words of a command that this project wrote
    for word in $2; do
        case $word in
        samples/*.png | samples/*.tif | docs/*.png | *.pgm) found=${found:-$word} ;;
        *.npy) [ -z "$(size_of "$word" 2>/dev/null)" ] || found=${found:-$word} ;; # an order has none
        esac
    done
    echo "$found"
}

# check_picture PICTURE COMMAND
check_picture()
{
    local want got
    want=$(size_of "$(input_of "$1" "$2")")
    got=$(size_of "$1")
    case $2 in
    *--resize* | *--crop* | awk*) want=$got ;;
    *"--rotate 90"* | *--transpose*) want=${want#*x}x${want%x*} ;;
    esac
    check "$2: the size of $1" "${got:-no picture}" "$want"
    holds "$2: $1 has more than one value" \
        [ "$(tail -c +129 shown.npy | od -An -v -w1 -tu1 | sort -u | wc -l)" -gt 1 ]
}

# check_output OUTPUT COMMAND: a file, or a folder that holds pictures.
check_output()
{
    local picture count=0
    case $1 in
    *.json) check "$2: two objects in $1" "$(grep -c '"output": ' "$1")" 2 && return ;;
    *.rgb) check "$2: a frame in $1" "$(wc -c <"$1")" $((3 * 600 * 400)) && return ;;
    esac
    while IFS= read -r picture; do
        check_picture "$picture" "$2"
        count=$((count + 1))
    done < <(find "$1" -type f)
    holds "$2: pictures in $1" [ $count -gt 0 ]
}

# without_device COMMAND: where there is no device, such a command says so, and makes nothing.
without_device()
{
    local output
    ! bash -c "$1" >stdout 2>stderr </dev/null
    check "$1: no device: an error of one line" "$? $(wc -l <stderr)" "0 1"
    for output in $(outputs_of "$1"); do
        check "$1: $output" "$(ls -d "$output" 2>/dev/null)" ""
    done
}

# page NAME LEAST: runs its commands, of which there must be so many; most make something.
page()
{
    local commands=0 ran=0 makes=0 command output status
    while IFS= read -r command; do
        [[ $command != '#'* ]] || continue
        commands=$((commands + 1))
        [[ $command != *numpy* || -n $numpy ]] || { without numpy "$command" && continue; }
        [[ $command != *order.npy* || -n $numpy ]] || continue
        command=${command#./bootstrap && }
        [ "$command" != "make check" ] || continue
        [[ $command != *.tif* || $leave_out != *tiff* ]] || continue
        [[ $command != *webp* || $leave_out != *webp* ]] || continue
        for output in $(outputs_of "$command"); do rm -rf "$output"; done
        case $command in *--skip-existing*) ./satfilter -q --box 31 samples/page.png -o out-blurred/ ;; esac
        if [[ $command == *"--device cuda"* && -z $device ]]; then
            without_device "$command"
            command=${command/--device cuda/--device cpu}
        fi
        bash -c "set -o pipefail; $command" >stdout 2>stderr </dev/null
        status=$?
        check "$1: $command" "$status" 0
        [ $status -eq 0 ] || continue
        for output in $(outputs_of "$command"); do
            check_output "$output" "$command"
            makes=$((makes + 1))
        done
        ran=$((ran + 1))
    done < <(sed '/^```/,/^```/d' "$source/$1" | sed -n 's/^    \([^ ].*\)/\1/p')
    holds "$1: $commands commands" [ "$commands" -ge "$2" ]
    holds "$1: of $ran commands $makes files or folders are looked at" [ "$makes" -ge $((ran * 4 / 5)) ]
}

mkdir "$work/clone" "$work/clone/docs" && cd "$work/clone" || exit 1
cp -r "$source/samples" . && cp -r "$source/docs/images" docs/ && chmod -R u+w .
ln -s "$build/satfilter" satfilter
for program in example file rows frames; do ln -sf "$build/samples/$program" samples/; done
device=$(./satfilter -q --device cuda --box 3 samples/scene.png - 2>/dev/null | head -c 1 | wc -c)
[ "$device" -gt 0 ] || device=
# A build without libtiff or libwebp leaves out what needs it.
leave_out=
for format in tiff webp; do
    [ -e "$build/libsatfilter-$format.la" ] || leave_out="$leave_out $format"
done
for format in $leave_out; do without "$format" "commands with $format (built without it)"; done
numpy=$(python3 -c 'import numpy' 2>/dev/null && echo there)
page README.md 7
page samples/README.md 9
page docs/recipes.md 42

# The means of the left and of the right half of a page of 640 x 560, as the recipe has them.
halves()
{
    ./satfilter -q -f --box 1 --format npy "$1" half.npy 2>stderr && tail -c $((640 * 560)) half.npy |
        od -An -v -w640 -tu1 | awk '
            { for (i = 1; i <= 640; i++) sum[i > 320] += $i }
            END { printf "%.1f and %.1f\n", sum[0] / 320 / 560, sum[1] / 320 / 560 }'
}
for picture in samples/page.png page-even.png; do
    means=$(halves $picture)
    holds "the halves of $picture are '$means'" grep -qF "${means:-none}" "$source/docs/recipes.md"
done
page docs/gallery.md 34
page docs/pages.md 2

# What docs/gallery.py makes of the filters.
if command -v python3 >/dev/null; then
    python3 "$source/docs/gallery.py" --satfilter ./satfilter --check >old
    check "pages that docs/gallery.py makes" "$? $(cat old)" "0 "
else
    without python3 "what docs/gallery.py makes (no python3)"
fi

# README's C, in a program around it.
{
    printf '#include <satfilter.h>\n#include <stdio.h>\nint main(void)\n{\n'
    sed -n '/^```c$/,/^```$/p' "$source/README.md" | grep -v '^```'
    printf '    satf_filter_destroy(blur);\n    satf_context_destroy(ctx);\n    return 0;\n}\n'
} >readme.c
cp samples/scene.png in.png
# shellcheck disable=SC2086 # lists of flags
{ ${CC:-cc} ${CFLAGS-} -Wall -Wextra -Wno-misleading-indentation -Werror -I"$source/src" \
    -o readme readme.c -L"$build/.libs" -lsatfilter && LD_LIBRARY_PATH="$build/.libs" ./readme; } >stdout 2>stderr
check "README's C" $? 0
check_picture out.png "README's C, samples/scene.png"

finish
