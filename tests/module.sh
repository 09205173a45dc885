#!/bin/sh
# Filters of one's own: a module with the sample's filter, each filter of windows of filters/ as a
# module beside itself, and what is no module.
set -u
. "$(dirname "$0")/script.sh"
unset SATFILTER_MODULES
run() { "$satfilter" -f "$@" >stdout 2>stderr </dev/null; }

# module NAME [FLAG...]: NAME.so of NAME.h
module()
{
    made=$1
    shift
    printf '#define SATF_MODULE "%s.h"\n#include <satfilter-module.h>\n' "$made" >"$made.c"
    # shellcheck disable=SC2086 # CC is a list of words
    $CC -std=gnu11 -O2 -Wall -Werror -shared -fPIC -ffp-contract=off -I. -I"$source/src" "$@" \
        -o "$made.so" "$made.c" >"$made.log" 2>&1 || { cat "$made.log" && exit 1; }
}

cp "$source/samples/contrast.h" .
module contrast
awk 'BEGIN { print "P2\n13 9\n255"; for (i = 0; i < 117; i++) print (i * i * 37 + i * 11) % 256 }' >in.txt
run --box 1 in.txt in.pgm
gives '0 ' : --module contrast.so --contrast 5,gain=1.5 --format pgm in.pgm out.pgm # a module's filter
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
gives '2 ' : --contrast 5 in.pgm out.pgm # nothing is loaded unasked
gives '0 1' 'grep -c "gain=G" stdout' --module contrast.so --module ./contrast.so --help contrast
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
for file in "$source"/filters/*.h; do
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
        run "--$name" 5,colour "$source/samples/scene.png" want.png
        first=$?
        run --module own.so --own 5,colour "$source/samples/scene.png" out.png
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
gives '0 ' : --module mixed.so --mixed 5 in.pgm out.pgm # a first pass that mixes
run --box 5 in.pgm box.pgm
tail -c 117 out.pgm | od -An -v -w1 -tu1 | tr -d ' ' >got
# 255 less the mean, which halves do not round alike: at most 1 apart, and mostly not
tail -c 117 box.pgm | od -An -v -w1 -tu1 | paste -d' ' - got |
    awk '{ d = 255 - $1 - $2; far += d < -1 || d > 1; other += d != 0 } END { exit far > 0 || other > 10 }'
check "its values" $? 0
module mixed -DLANES=2
ends 1 'reads images of other channels than it sums over, or makes' --module mixed.so --mixed 5 in.pgm out.pgm

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
    $CC -std=gnu11 -O1 -shared -fPIC -I. -I"$source/src" -o "$1.so" "$1.c" || exit 1
}
while IFS= read -r statement; do
    twist twisted "$statement"
    ends 2 'module twisted.so ' --module twisted.so --contrast 5 in.pgm out.pgm
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
i.on_device = i.ways[0]
p[0].over = OVER_MIX, p[0].mix = 1
p[0].over = OVER_MIX, p[0].mix = 1, p[0].formula = 0, m.mixes = x, m.mix_count = 2
f[1].call = NULL
f[1].loops[1] = NULL
f[1].reads = 2 * FORMULA_GROWS
m.formula_count = 33
a[3].kind = (param_kind)99
a[3].kind = PARAM_SHAPE
a[3].default_text = NULL
a[3].metavar = NULL
a[3].unit = NULL
a[3].offset = sizeof(contrast_options) - 4
a[3].offset += 4
a[3].offset = sizeof(contrast_options)
i.ways[0].count = 25
i.ways[1] = i.ways[0], p[1] = p[0], p[1].type = TYPE_REAL, i.ways[1].list = p + 1
i.options_bytes = 16
END
twist twisted 'i.way = seven'
gives '0 same' 'cmp out.pgm sat.pgm && echo same' --module twisted.so --contrast 5,gain=1.5 in.pgm out.pgm

# What is refused.
ends 2 'module missing.so cannot be opened: ' --module missing.so --box 3 in.pgm out.pgm
echo text >text.so
ends 2 'module text.so cannot be opened: ' --module text.so --box 3 in.pgm out.pgm
echo 'int nothing;' >nothing.c && $CC -shared -fPIC -o nothing.so nothing.c
ends 2 'nothing.so is no module of satfilter' --module nothing.so --box 3 in.pgm out.pgm
SATFILTER_MODULES=nothing.so ends 2 'SATFILTER_MODULES: nothing.so is no module' --box 3 in.pgm out.pgm
cp "$source/filters/box.h" "$source/filters/integral.h" .
module box
ends 2 'module box.so: there is a filter box already' --module box.so --box 3 in.pgm out.pgm
mkdir other && cp -r "$source/src/." other && chmod -R u+w other # a tarball is read-only
sed -i "s/SATF_MODULE_ABI [0-9]*\$/SATF_MODULE_ABI 99/" other/satfilter/module.h
# shellcheck disable=SC2086
$CC -shared -fPIC -I. -Iother -o later.so contrast.c
abi=$(sed -n 's/.*define SATF_MODULE_ABI //p' "$source/src/satfilter/module.h")
ends 2 "headers of another version (99, this library has $abi): compile it again" \
    --module later.so --box 3 in.pgm out.pgm
sed 's/integral/own/g; s/OVER_WINDOW/OVER_ALL/' integral.h >own.h
module own
ends 2 'module own.so ' --module own.so --own in.pgm out.pgm
for change in 's/"contrast",/"no blanks",/' 's/FORMULA_contrast,$/99,/' 's/FILTER_WINDOW_PARAMS(.*),$//' \
    's/sizeof(contrast_options),/4096,/'; do
    sed "$change" "$source/samples/contrast.h" >wrong.h
    module wrong
    ends 2 'module wrong.so ' --module wrong.so --box 3 in.pgm out.pgm
done

finish
