#!/bin/sh
# Style and layers: formatting, blanks, length, and who may include whom.
# Run from anywhere; prints every finding and fails if there was one.
set -u
cd "${top_srcdir:-$(dirname "$0")/..}" || exit 1
. tests/requires.sh

clang_format_major=14
max_lines=600
findings=$(mktemp) || exit 1
trap 'rm -f "$findings"' EXIT

sources=$(find src filters cuda tools plugins python tests samples -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' \
    -o -name '*.[ch]pp' |
    LC_ALL=C sort | at_least 700 "sources") || exit 1
texts=$(find bootstrap configure.ac Makefile.am satfilter.pc.in README.md CONTRIBUTING.md \
    SECURITY.md NEWS m4 src filters cuda tools plugins python tests samples docs packaging .ci -type f \( \
    -name '*.inc' -o -name '*.sh' -o -name '*.py' -o -name '*.pyi' -o -name '*.md' -o -name '*.ac' -o -name '*.in' \
    -o -name bootstrap -o -name run -o -name NEWS -o -name cuda.m4 -o -name flags.m4 \
    -o -name libraries.m4 -o -name places.m4 -o -name plugins.m4 \) | LC_ALL=C sort | at_least 200 "texts") || exit 1

# ------------------------------------------------------------------- layers
# folder: the folders and files, besides itself, whose headers it may include; a line or more.
# (src/ itself holds the public headers alone.) Of the folders that a filter's work goes
# through plan, sums and formula know one another: an engine is told of a step, and a plan of engines.
cat <<'TABLE' >"$findings.layers"
src: src/satfilter src/satfilter.h src/satfilter-filters.h src/satfilter-images.h src/satfilter-rows.h
src/base: src/base/device src/satfilter.h src/satfilter-expert.h
src/base/image.c: src/base src/io/meta
src/base/device: src/base src/satfilter.h
src/base/layout.h:
src/satfilter: src/satfilter.h
src/io: src/io/meta src/move src/base/device src/base src/satfilter.h src/formula/adapt.h
src/io/gif: src/io/meta src/io src/base
src/io/jpeg: src/io/meta src/io src/base
src/io/npy: src/io/meta src/io src/base
src/io/png: src/io/meta src/io src/base
src/io/pnm: src/io/meta src/io src/base
src/io/stb: src/io/meta src/io src/base
src/io/tiff: src/io/meta src/io src/base src/formula/adapt.h
src/io/webp: src/io/meta src/io src/base
src/io/meta: src/io src/base
src/io/meta/orient.c: src/io src/io/meta src/move
src/sat: src/satfilter src/base/device src/base src/satfilter.h
src/move: src/io/meta src/base src/satfilter.h
src/permute: src/move src/base/device src/base src/satfilter.h
src/chain: src/formula src/sums/march src/satfilter src/permute src/move src/sat
src/chain: src/base/device src/base filters/all.h
src/chain/picture.c: src/chain src/formula src/base src/satfilter-images.h
src/plan: src/chain src/formula src/sums/choice src/sums/lines src/sums/tables src/satfilter
src/plan: src/sat src/base/device src/base
src/plan/device_copies.c: src/plan src/sums/march src/base/device src/base
src/run: src/chain src/plan src/formula src/io/meta src/permute src/move src/base/device src/base
src/formula: src/chain src/plan src/sums/choice src/satfilter src/sat src/base/device src/base filters/all.h
src/sums/march: src/satfilter src/sat src/base src/satfilter.h
src/sums/march/window_engine.c: src/plan src/formula src/sums/march src/base
src/sums/march/device_window_engine.c: src/plan src/sat src/sums/march src/base/device src/base
src/sums/march/gpu.h: src/formula/terms.h src/sums/march src/satfilter src/base
src/sums/tables: src/chain src/plan src/formula src/sums/march src/sums/choice src/satfilter src/sat
src/sums/tables: src/base/device src/base
src/sums/cells: src/plan src/formula src/sat src/base/device src/base
src/sums/lines: src/chain src/plan src/formula src/satfilter src/move src/sat src/base/device src/base
src/sums/lines/device_taps.c: src/plan src/sums/march src/sums/lines src/base/device
src/sums/choice: src/plan src/formula src/sums/tables src/satfilter src/sat src/base/device src/base
filters:
src/pipeline: src/chain src/plan src/formula src/io/meta src/io src/base/device src/base src/satfilter.h
src/windows: src/base src/satfilter-images.h
src/windows/sys:
src/study: src/permute src/base/device src/base src/satfilter.h
cuda: cuda/base src/base/device
cuda/base: src/base/device src/base src/satfilter.h
cuda/sat: cuda/base src/sat src/base src/satfilter.h
cuda/sat/types: cuda/sat
cuda/sums: cuda/base cuda/formula src/sums/cells src/satfilter src/plan src/formula src/sums/choice src/sums/tables
cuda/sums: src/sat src/base filters/all.h
cuda/lines: cuda/base cuda/sums src/satfilter src/plan src/sums/lines src/base
cuda/formula: cuda/base cuda/sums src/satfilter src/plan src/formula src/sums/choice src/base filters/all.h
cuda/products: cuda/base src/sums/march src/base src/satfilter.h src/formula/clear.h
cuda/products: src/formula/formulas.h cuda/formula/keys.cuh filters/all.h
cuda/move: cuda/base src/move src/base src/satfilter.h
cuda/permute: cuda/base src/permute src/base src/satfilter.h
cuda/study: cuda/sat cuda/base src/study src/base src/satfilter.h
samples: src/satfilter.h
plugins:
plugins/frei0r: plugins
plugins/gegl: plugins
plugins/gstreamer: plugins
plugins/vips:
python/satfilter:
TABLE
trap 'rm -f "$findings" "$findings.layers" "$findings.picture" "$findings.public"' EXIT

# shellcheck disable=SC2086 # lists of file names without blanks
awk -v layers="$findings.layers" '
    function folder(path) { sub(/\/[^\/]*$/, "", path); return path }
    function plain(path) {
        while (sub(/[^\/.]+\/\.\.\//, "", path)) { }
        return path
    }
    BEGIN {
        while ((getline line < layers) > 0) {
            split(line, side, ":")
            allowed[side[1]] = allowed[side[1]] " " side[2] " "
        }
    }
    /^[ \t]*#[ \t]*include[ \t]*"/ {
        split($0, part, "\"")
        if (part[2] == "config.h") next
        from = folder(FILENAME)
        if (from ~ /^tools/ && from !~ /satbench/ && plain(from "/" part[2]) ~ /^(src|cuda)\//)
            print FILENAME ":" FNR ": the command is a client of satfilter.h alone"
        if (from ~ /^(tools|tests)/) next # satbench and tests may include everything
        rule = (FILENAME in allowed) ? FILENAME : from
        if (!(rule in allowed)) {
            print FILENAME ": folder " from " has no layer in tests/check_style.sh"
            next
        }
        to = plain(from "/" part[2])
        if (part[2] == "satfilter.h") to = "src/" part[2]
        if (folder(to) != from && index(allowed[rule], " " folder(to) " ") == 0 &&
            index(allowed[rule], " " to " ") == 0)
            print FILENAME ":" FNR ": " rule " may not include " to
    }
' $sources >>"$findings"

# A folder of more than 30 files is to become two.
find src cuda tools -type f -name '*.[chi]*' | sed 's,/[^/]*$,,' | LC_ALL=C sort | uniq -c |
    awk '$1 > 30 { print $2 ": " $1 " files in one folder" }' >>"$findings"

# The picture of the tree in docs/design.md has every folder.
sed -n '/^```$/,/^```$/p' docs/design.md >"$findings.picture"
for folder in src/*/ cuda/*/; do
    grep -qw "$(basename "$folder")" "$findings.picture" || echo "docs/design.md: its picture lacks $folder"
done >>"$findings"

# ------------------------------------------------------------ public functions
# Kernels' files are compiled with all names hidden: a public function in one would not be exported,
# and a build without CUDA would not show it.
sed -n 's/^SATF_API .*[ *]\(satf_[a-z0-9_]*\)(.*/\1/p' src/satfilter*.h >"$findings.public"
# shellcheck disable=SC2046
grep -nE '^[a-z].*\bsatf_[a-z0-9_]*\(' $(find cuda -name '*.cu') | grep -wFf "$findings.public" |
    grep -v ';$' | sed 's/$/: a public function stands in src/' >>"$findings"

# ------------------------------------------------------------ fuzz targets
# A test of make check goes through the seeds of each.
for folder in tests/fuzz/corpus/*; do
    grep -q "^SEEDS(${folder##*/}, " tests/fuzz/test_seeds.c ||
        echo "$folder: no case of test_seeds.c takes it" >>"$findings"
done

# ----------------------------------------------- what belongs to an enumerator
# An array lacks an entry in silence where its enum grows; a switch without default does not compile.
# shellcheck disable=SC2046
grep -nE '(^|[{,(]) *\[[A-Z][A-Z0-9_]*\] = ' $(echo "$sources" | grep -v '^tests/') |
    sed 's/:[^:]*$/: an array by an enum: write a switch without default, or a list that makes both/' \
        >>"$findings"

# ------------------------------------------------------------------- shapes
# Who asks something of a pass's shape asks its row, so that a new one is a file and a line.
grep -rnE '(case|[=!<>]=|[<>]|<<|\[) *OVER_[A-Z]' src cuda tools --include='*.[ch]*' --include='*.cu*' |
    sed 's/:[^:]*$/: compares a shape: ask pass_shape_of() (src\/chain\/shape.h)/' >>"$findings"

# ------------------------------------------------------------------- skipped
# A test is skipped for lack of something that it names, so that it is not where CHECK_HAS has that (tests/requires.sh).
awk '/exit 77/ && !/without/ && !(FILENAME == file && last ~ /without/) {
        print FILENAME ":" FNR ": skipped, and not said to be without what (tests/requires.sh)"
    }
    { last = $0; file = FILENAME }' tests/*.sh >>"$findings"

# -------------------------------------------------------- blanks and length
# shellcheck disable=SC2086
awk -v max=$max_lines '
    /\t/ && FILENAME !~ /(\.inc|Makefile\.am)$/ { print FILENAME ":" FNR ": a tab" }
    /[ \t]$/ { print FILENAME ":" FNR ": blanks at the end of the line" }
    length($0) > 120 && FILENAME !~ /\.md$/ { print FILENAME ":" FNR ": more than 120 columns" }
    FNR == max + 1 { print FILENAME ": more than " max " lines" }
' $sources $texts >>"$findings"

# ---------------------------------------------------------------------- size
# No number may be above tests/size.txt, nor so far below that the next change could grow unseen.
if [ -e .git ]; then
    tests/size.sh | awk -v held=tests/size.txt '
        BEGIN { while ((getline <held) > 0) for (i = 2; i < NF; i += 2) most[$1 $(i + 1)] = $i }
        {
            for (i = 2; i < NF; i += 2) {
                of = $1 $(i + 1)
                if (!(of in most) || $i > most[of])
                    print held ": " $1 " " $i " " $(i + 1) " and not " most[of] + 0 ": what does a user get?"
                else if ($i < most[of] * 0.998)
                    print held ": " $1 " " $i " " $(i + 1) " now, and not " most[of] ": lower the number"
            }
        }' >>"$findings"
fi

# --------------------------------------------------------------- formatting
for clang_format in clang-format-$clang_format_major clang-format none; do
    case $($clang_format --version 2>/dev/null) in
    *" version $clang_format_major."*) break ;;
    esac
done
if [ "$clang_format" = none ]; then
    without clang-format-$clang_format_major "formatting (clang-format $clang_format_major is not installed)"
else
    # shellcheck disable=SC2086
    $clang_format --dry-run -Werror $sources 2>&1 | sed -n 's/:[0-9:]* error:.*//p' | sort -u |
        sed "s/$/: not as $clang_format -i leaves it/" >>"$findings"
fi

cat "$findings"
echo "$(echo "$sources" | wc -l) sources, $(wc -l <"$findings") findings"
[ ! -s "$findings" ]
