#!/usr/bin/env bash
# --algorithm, --engine, --r and --sync by the command: each filter of --list honours them, which -v
# tells, or says in a sentence why not, before any work. The library's calls: tests/plan/test_settings.c.
set -u
. "$(dirname "$0")/script.sh"

printf 'P5\n4 3\n255\nabcdefghijkl' >in.pgm
printf -- '-1 0 1 1 -1\n1 0 2 1 0.5\n' >rects.txt
npy '|u1' '(12,)' '\013\012\011\010\07\06\05\04\03\02\01\0' >order.npy

# words FILTER: the option, with a value if it wants one
words()
{
    case $1 in
    resize) echo "--$1 50%" ;;
    threshold) echo "--$1 otsu" ;;
    template) echo "--$1 rects.txt" ;;
    permute) echo "--$1 order.npy" ;;
    by | varbox) echo "--$1 in.pgm" ;;
    rotate) echo "--$1 90" ;;
    flip) echo "--$1 h" ;;
    crop) echo "--$1 2x1" ;;
    linearize | delinearize) echo "--$1 srgb" ;;
    integral | transpose | real | grey) echo "--$1" ;;
    *) echo "--$1 3" ;;
    esac
}

filters=$("$satfilter" --list | sed -n '/^Filters/,/^$/s/^  \([a-z]*\) .*/\1/p' | at_least 30 filters) || exit 1
algorithms=$("$satfilter" --list | sed -n '/^Algorithms/,/^$/s/^  \([^ ]*\) *cpu .*/\1/p' |
    at_least 7 algorithms) || exit 1

for filter in $filters; do
    case $filter in
    gauss | dog) why="$filter sums lines, not windows" ;;
    resize | pixelate) why="$filter sums cells, not windows" ;;
    threshold | by | real | linearize | delinearize | grey)
        why="$filter looks at each pixel alone, and no filter here sums windows"
        ;;
    crop | transpose | rotate | flip | permute) why="$filter moves pixels, and no filter here sums windows" ;;
    *) why= ;;
    esac
    # shellcheck disable=SC2046 # an option and its value
    set -- --device cpu $(words "$filter")
    tells 0 '' "$@" in.pgm want.npy
    for algorithm in $algorithms; do
        if [ "$why" ]; then
            tells 2 "$why: algorithm $algorithm cannot serve it; leave that out (--algorithm)" \
                -v --algorithm "$algorithm" "$@" in.pgm out.npy
            continue
        fi
        gives '0 same' 'same want.npy out.npy' -v --algorithm "$algorithm" "$@" in.pgm out.npy
        check "-v says so of $filter" \
            "$(sed -n "s/^    $filter: .*sat engine, algorithm \([^,]*\), cpu.*/\1/p" stderr | sort -u)" "$algorithm"
        check "-v has no other sums of $filter" "$(grep -c '^    .*\(window\|lines\|cells\) engine' stderr)" 0
        rm out.npy
    done
    for engine in sat window; do
        case $engine$filter$why in
        windowvarbox | windowtemplate | windowintegral)
            ends 2 "$filter .* a summed area table: engine window cannot serve it; leave that out (--engine)$" \
                -v --engine $engine "$@" in.pgm out.npy
            ;;
        $engine$filter)
            gives '0 same' 'same want.npy out.npy' -v --engine $engine "$@" in.pgm out.npy
            holds "-v says so of $filter" grep -q "^    $filter: .*$engine engine" stderr
            ;;
        *)
            tells 2 "$why: engine $engine cannot serve it; leave that out (--engine)" \
                -v --engine $engine "$@" in.pgm out.npy
            ;;
        esac
        rm -f out.npy
    done
    # Beside a filter that sums windows, what sums nothing does not mind.
    case $why in
    *alone* | *moves*)
        run -f --device cpu "$@" --box 3 in.pgm want.npy
        run -v --algorithm 1+r "$@" --box 3 in.pgm out.npy
        check "$filter --box 3" "$? $(same want.npy out.npy) $(grep -c 'box: .*algorithm 1+r, cpu' stderr)" "0 same 1"
        ;;
    '') ;;
    *)
        gives "2 $why" 'said | cut -d: -f1' --algorithm 1+r --box 3 "$@" in.pgm out.npy
        ;;
    esac
    rm -f out.npy want.npy
done

# What an algorithm lacks.
for wrong in '--r 0.5' '--algorithm 2r1w --r 0.5' '--sync coop' '--algorithm 1+r --sync coop --device cpu' \
    '--algorithm 1+r --engine window' '--integral --engine window'; do
    # shellcheck disable=SC2086 # options
    ends 2 . $wrong --box 3 in.pgm none.npy
done
check "nothing was written" "$(ls none.npy 2>/dev/null)" ""

finish
