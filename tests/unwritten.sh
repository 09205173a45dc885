#!/usr/bin/env bash
# No output depends on memory that nobody wrote. Seeds of every reader, whole, cut and damaged, give
# the same pictures, messages and status whatever new memory holds (MALLOC_PERTURB_ of the GNU C
# library) and whatever file was worked on before in the same process, whose buffers are used again.
set -u
. "$(dirname "$0")/script.sh"
# Blocks of the allocator's caches of each thread would not be perturbed.
GLIBC_TUNABLES=glibc.malloc.tcache_count=0
export GLIBC_TUNABLES

# ------------------------------------------------------------------- inputs

mkdir in
# the suffix is that of the output, too: a format that holds what the input has
for kind in png.png jpeg.jpg pnm.pam pfm.pfm npy.npy stb.npy tiff.npy gif.png webp.webp; do
    for seed in "$source/tests/fuzz/corpus/${kind%.*}"/*; do
        name=in/${kind%.*}-${seed##*/} suffix=${kind#*.}
        bytes=$(wc -c <"$seed")
        cp "$seed" "$name.$suffix"
        for part in 5 9; do
            head -c $((bytes * part / 10)) "$seed" >"$name-cut$part.$suffix"
        done
        for part in 1 4 8; do
            { head -c $((bytes * part / 10)) "$seed" && printf "\\30$part" &&
                tail -c +$((bytes * part / 10 + 2)) "$seed"; } >"$name-byte$part.$suffix"
        done
    done
done
files=(in/*)
holds "more than 300 inputs" [ ${#files[@]} -gt 300 ]

# --------------------------------------------------------------------- runs

# DIR FILE...: pictures into DIR, messages behind those in DIR.said. By one thread, which takes what the one
# before has left behind.
run()
{
    local dir=$1
    shift
    "$satfilter" -q -T1 --formats all --transpose --box 3 -o "$dir" "$@" 2>>"$dir.said"
}

# WHAT DIR DIR: the same pictures, and messages but for their order.
same()
{
    check "$1: pictures" "$(diff -r "$2" "$3" | head -n 3)" ""
    diff <(sed "s,: $2/,: ," "$2.said" | sort) <(sed "s,: $3/,: ," "$3.said" | sort) >differs
    check "$1: messages" "$(head -n 5 differs)" ""
}

MALLOC_PERTURB_=90 run fives "${files[@]}"
MALLOC_PERTURB_=165 run tens "${files[@]}"
same "memory that held something else" fives tens

pictures=$(find fives -type f | wc -l)
holds "more than 90 pictures" [ "$pictures" -gt 90 ]

for file in "${files[@]}"; do
    run alone "$file"
done
same "alone" fives alone

mapfile -t backwards < <(printf '%s\n' "${files[@]}" | sort -r)
run backwards "${backwards[@]}"
same "backwards" backwards alone

mapfile -t sizes < <(wc -c "${files[@]}" | sort -k1,1nr -k2 | sed -n 's/.* \(in\/\)/\1/p')
run sizes "${sizes[@]}"
same "the largest first" sizes alone

echo "${#files[@]} inputs, $pictures pictures"
finish
