#!/bin/sh
# Filters of one's own: a module with the sample's filter, each filter of windows of filters/ as a
# module beside itself, and what is no module.
set -u
: "${top_srcdir:?is set by make check}" "${top_builddir:?}" "${CC:?}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset SATFILTER_MODULES
passed=0 failed=0

# check NAME FOUND WANTED
check()
{
    if [ "$2" = "$3" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL: $1: '$2' instead of '$3'"
        head -n 5 stderr
    fi
}
run() { "$top_builddir/satfilter" -f "$@" >stdout 2>stderr </dev/null; }
# says STATUS TEXT: one message, which has that
says() { check "one message, with '$2'" "$1 $(grep -c -e "$2" stderr) $(wc -l <stderr)" "$3 1 1"; }

# module NAME [FLAG...]: NAME.so of NAME.h
module()
{
    made=$1
    shift
    printf '#define SATF_MODULE "%s.h"\n#include <satfilter-module.h>\n' "$made" >"$made.c"
    # shellcheck disable=SC2086 # CC is a list of words
    $CC -std=gnu11 -O2 -Wall -Werror -shared -fPIC -ffp-contract=off -I. -I"$top_srcdir/src" "$@" \
        -o "$made.so" "$made.c" >"$made.log" 2>&1 || { cat "$made.log" && exit 1; }
}

cp "$top_srcdir/samples/contrast.h" .
module contrast
awk 'BEGIN { print "P2\n13 9\n255"; for (i = 0; i < 117; i++) print (i * i * 37 + i * 11) % 256 }' >in.txt
run --box 1 in.txt in.pgm
run --module contrast.so --contrast 5,gain=1.5 --format pgm in.pgm out.pgm
check "a module's filter" $? 0
awk -v w=13 -v h=9 '
    NR > 3 { p[NR - 4] = $1 }
    function at(x, y) { x = x < 0 ? 0 : x >= w ? w - 1 : x; y = y < 0 ? 0 : y >= h ? h - 1 : y; return p[y * w + x] }
    END {
        for (y = 0; y < h; y++) for (x = 0; x < w; x++) {
            sum = 0
            for (j = -2; j <= 2; j++) for (i = -2; i <= 2; i++) sum += at(x + i, y + j)
            v = int(127.5 + 1.5 * (p[y * w + x] - sum / 25) + 0.5)
            print (v < 0 ? 0 : v > 255 ? 255 : v)
        }
    }' in.txt >want
tail -c 117 out.pgm | od -An -v -w1 -tu1 | tr -d ' ' | cmp - want
check "its values, by hand" $? 0
run --contrast 5 in.pgm out.pgm
check "nothing is loaded unasked" $? 2
run --module contrast.so --module ./contrast.so --help contrast
check "twice is once; it has help" "$? $(grep -c 'gain=G' stdout)" "0 1"
SATFILTER_MODULES=:contrast.so run --contrast 5,gain=1.5 --engine sat in.pgm sat.pgm
check "by the environment; tables" "$? $(tail -c 117 sat.pgm | cmp - out.pgm 2>&1 | wc -l)" "0 1"
run --module contrast.so --contrast 5,gain=1.5 --engine window in.pgm window.pgm
check "engines agree" "$(cmp sat.pgm window.pgm && echo same)" same
SATFILTER_MODULES=$work/contrast.so run --list
check "it is listed" "$(grep -c '^  contrast ' stdout)" 1
SATFILTER_MODULES=$work/contrast.so run --self-test
check "the self-test leaves it out" $? 0

# What the entry does not list is 0, in each kind of arithmetic: then all is half of the range.
sed 's/contrast/shy/g; s/FORMULA_SUM | FORMULA_CENTRE/FORMULA_SUM/
    s/(in->centre - mean)/(in->centre + (double)in->square + in->real_square + in->aux[0] + 0 * mean)/' \
    contrast.h >shy.h
module shy
while read -r type bytes format half; do
    run --box 1 --type "$type" --range 0:255 in.pgm in.npy
    for engine in window sat; do
        run --module shy.so --shy 5 --engine $engine in.npy out.npy
        all=$(tail -c $((117 * bytes)) out.npy | od -An -v -w"$bytes" -t"$format" | sort -u | tr -d ' ')
        check "unlisted moments, $engine of $type" "$? $all" "0 $half"
    done
done <<END
u8 1 u1 128
u16 2 u2 32768
f32 4 fF 0.5
END

# The very files of filters/, under another name, compute the very bytes of the library's.
: >tried
for file in "$top_srcdir"/filters/*.h; do
    grep -q FILTER_WINDOW_PARAMS "$file" || continue
    name=$(basename "$file" .h)
    sed "s/\\b$name\\b/own/g; s/\\b${name}_/own_/g; s/FORMULA_$name/FORMULA_own/g
        s/MIX_$name/MIX_own/g" "$file" >own.h
    module own
    for spec in '5' '7x3,border=mirror' '4,at=1:0,border=constant:9'; do
        for type in u8 u16 f32; do
            run --box 1 --type $type --range 0:255 in.pgm in.npy
            run "--$name" "$spec" in.npy want.npy
            first=$?
            run --module own.so --own "$spec" in.npy out.npy
            check "$name $spec of $type" "$? $first $(cmp want.npy out.npy && echo same)" "0 0 same"
        done
    done
    if grep -q '^MIX_ENTRY' "$file"; then
        run "--$name" 5,colour "$top_srcdir/samples/scene.png" want.png
        first=$?
        run --module own.so --own 5,colour "$top_srcdir/samples/scene.png" out.png
        check "mixes of $name" "$? $first $(cmp want.png out.png && echo same)" "0 0 same"
        echo "$name" >>mixed
    fi
    echo "$name" >>tried
done
check "filters were tried" "$([ "$(wc -l <tried)" -ge 8 ] && echo many)" many
check "mixes were tried" "$(cat mixed)" guided

# A first pass that is a mix: the mean of the negative. Its lanes may be others than the picture's.
cat >mixed.h <<'END'
#if defined(FILTER_ENTRY)
FILTER_ENTRY(mixed)
#elif defined(MIX_ENTRY)
MIX_ENTRY(mixed, turned, 1)
#elif defined(FORMULA_ENTRY)
FORMULA_ENTRY(mixed, FORMULA_SUM)
#elif !defined(MIXED_H)
#define MIXED_H
#include <satfilter-module.h>
typedef struct mixed_options {
    filter_window window;
} mixed_options;
SATF_FORMULA void mixed_turned_mix(const formula_pixels *in, const mixed_options *options,
                                   double *result)
{
    (void)options;
    for (int c = 0; c < in->lanes; c++) {
        result[c] = in->common->full - in->of[0][c];
    }
}
SATF_FORMULA formula_value mixed_formula(const formula_sums *in, const mixed_options *options)
{
    (void)options;
    return formula_real(formula_true_mean(in));
}
#elif defined(FILTER_DESCRIPTORS)
static const filter_param mixed_params[] = {FILTER_WINDOW_PARAMS(mixed_options, "3"),
                                            FILTER_PARAM_END};
#ifndef LANES
#define LANES 0
#endif
static const filter_pass mixed_passes[] = {
    {.over = OVER_MIX, .mix = MIX_mixed_turned, .lanes = LANES},
    {.over = OVER_WINDOW, .of = 2, .type = TYPE_OF_INPUT, .formula = FORMULA_mixed}};
static const filter_info mixed_filter = {.name = "mixed",
                                         .help = "the mean of the negative",
                                         .detail = "So it is.",
                                         .params = mixed_params,
                                         .needs_value = true,
                                         .options_bytes = sizeof(mixed_options),
                                         .ways = {FILTER_PASSES(mixed_passes)}};
#endif
END
module mixed
SATFILTER_MODULES=mixed.so run --list --json
check "the kind of a filter that begins with a mix" \
    "$? $(tr '\n' ' ' <stdout | grep -o '"name": "mixed".*' | grep -o '"kind": "[a-z]*"' | head -n 1)" \
    '0 "kind": "window"'
run --module mixed.so --mixed 5 in.pgm out.pgm
check "a first pass that mixes" $? 0
run --box 5 in.pgm box.pgm
tail -c 117 out.pgm | od -An -v -w1 -tu1 | tr -d ' ' >got
# 255 less the mean, which halves do not round alike: at most 1 apart, and mostly not
tail -c 117 box.pgm | od -An -v -w1 -tu1 | paste -d' ' - got |
    awk '{ d = 255 - $1 - $2; far += d < -1 || d > 1; other += d != 0 } END { exit far > 0 || other > 10 }'
check "its values" $? 0
module mixed -DLANES=2
run --module mixed.so --mixed 5 in.pgm out.pgm
says $? 'reads images of other channels than it sums over, or makes' 1

# Whatever a module says that the library looks up by a number, or calls, is checked.
#   twist NAME STATEMENT: a module that is contrast.h's but for that
twist()
{
    cat >"$1.c" <<END
#define satf_module_entry sound_entry
#define SATF_MODULE "contrast.h"
#include <satfilter-module.h>
#undef satf_module_entry
static satf_module m;
static satf_module_formula f[2];
static satf_module_mix x[2];
static filter_info i;
static filter_pass p[2];
static filter_param a[8];
static int seven(const void *options, int colours, bool aux)
{
    return options && colours && aux ? 7 : -7;
}
static void turned(const void *options, int64_t *width, int64_t *height)
{
    *width = *height = options ? 1000 : 0;
}
__attribute__((visibility("default"))) const satf_module *satf_module_entry(void);
const satf_module *satf_module_entry(void)
{
    m = *sound_entry();
    f[1] = m.formulas[1];
    i = *m.filter;
    p[0] = i.ways[0].list[0];
    memcpy(a, i.params, 5 * sizeof *a);
    i.ways[0].list = p;
    i.params = a;
    m.filter = &i;
    m.formulas = f;
    x[1].images = 1;
    (void)seven, (void)turned, (void)x;
    $2;
    return &m;
}
END
    # shellcheck disable=SC2086
    $CC -std=gnu11 -O1 -shared -fPIC -I. -I"$top_srcdir/src" -o "$1.so" "$1.c" || exit 1
}
while IFS= read -r statement; do
    twist twisted "$statement"
    run --module twisted.so --contrast 5 in.pgm out.pgm
    says $? 'module twisted.so ' 2
done <<'END'
p[0].over = (filter_over)77
p[0].over = (filter_over)-1
p[0].type = (filter_type_rule)99
p[0].type = TYPE_OF_SUM
p[0].type = TYPE_WHOLE
p[0].type = TYPE_BILEVEL, p[0].bilevel = 4000
p[0].type = TYPE_BILEVEL, p[0].bilevel = sizeof(contrast_options) - 1
p[0].formula = 2
p[0].formula = -1
p[0].reduction = 2
p[0].mix = 1
p[0].aux[5] = 2
p[0].of = -1
p[0].averages_alpha = p[0].keeps_alpha = true
p[0].histogram = true
p[0].shape = turned
p[0].all = true
i.there = i.ways[0]
p[0].over = OVER_MIX, p[0].mix = 1
p[0].over = OVER_MIX, p[0].mix = 1, p[0].formula = 0, m.mixes = x, m.mix_count = 2
f[1].call = NULL
f[1].loops[1] = NULL
f[1].reads = 4096
m.formula_count = 33
a[3].kind = (param_kind)99
a[3].kind = PARAM_SHAPE
a[3].default_text = NULL
a[3].metavar = NULL
a[3].unit = NULL
a[3].offset = sizeof(contrast_options) - 4
a[3].offset += 4
i.ways[0].count = 25
i.ways[1] = i.ways[0], p[1] = p[0], p[1].type = TYPE_REAL, i.ways[1].list = p + 1
i.options_bytes = 16
END
twist twisted 'i.way = seven'
run --module twisted.so --contrast 5,gain=1.5 in.pgm out.pgm
check "a way that is not there is the first" "$? $(cmp out.pgm sat.pgm && echo same)" "0 same"

# What is refused.
run --module missing.so --box 3 in.pgm out.pgm
says $? 'module missing.so cannot be opened: ' 2
echo text >text.so
run --module text.so --box 3 in.pgm out.pgm
says $? 'module text.so cannot be opened: ' 2
echo 'int nothing;' >nothing.c && $CC -shared -fPIC -o nothing.so nothing.c
run --module nothing.so --box 3 in.pgm out.pgm
says $? 'nothing.so is no module of satfilter' 2
SATFILTER_MODULES=nothing.so run --box 3 in.pgm out.pgm
says $? 'SATFILTER_MODULES: nothing.so is no module' 2
cp "$top_srcdir/filters/box.h" "$top_srcdir/filters/integral.h" .
module box
run --module box.so --box 3 in.pgm out.pgm
says $? 'module box.so: there is a filter box already' 2
mkdir other && cp -r "$top_srcdir/src/." other && chmod -R u+w other # a tarball is read-only
sed -i "s/SATF_MODULE_ABI [0-9]*\$/SATF_MODULE_ABI 99/" other/satfilter/module.h
# shellcheck disable=SC2086
$CC -shared -fPIC -I. -Iother -o later.so contrast.c
abi=$(sed -n 's/.*define SATF_MODULE_ABI //p' "$top_srcdir/src/satfilter/module.h")
run --module later.so --box 3 in.pgm out.pgm
says $? "headers of another version (99, this library has $abi): compile it again" 2
sed 's/integral/own/g; s/OVER_WINDOW/OVER_ALL/' integral.h >own.h
module own
run --module own.so --own in.pgm out.pgm
says $? 'module own.so ' 2
for change in 's/"contrast",/"no blanks",/' 's/FORMULA_contrast,$/99,/' 's/FILTER_WINDOW_PARAMS(.*),$//' \
    's/sizeof(contrast_options),/4096,/'; do
    sed "$change" "$top_srcdir/samples/contrast.h" >wrong.h
    module wrong
    run --module wrong.so --box 3 in.pgm out.pgm
    says $? 'module wrong.so ' 2
done

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
