#!/usr/bin/env bash
# What --help shows first can be typed, it is short, and docs/filters.md defines each filter.
set -u
. "$(dirname "$0")/script.sh"

# The files that the examples name. Formats are known by their content, so that a tiny picture will do
# where an array must fit.
printf 'P5\n3 2\n255\n\001\002\003\004\005\006' >in.pgm
mkdir example && cp "$source/samples/sharpen.txt" example/
cp "$source/samples/scene.png" example/in.png
cp "$source/samples/page.png" example/scan.png
run --box 1 example/in.png example/in.jpg
run --gauss 40 example/scan.png example/light.png
run --grey --template "$source/samples/sharpen.txt" --range 0:9000 --type u8 example/in.png example/radii.pgm
npy '|u1' '(6,)' '\05\04\03\02\01\0' >example/order.npy

# typed_example COMMAND: its status, and the files that it makes
typed_example()
{
    rm -rf typed && cp -r example typed
    case $1 in *order.npy*) cp in.pgm typed/in.png ;; esac
    (cd typed && sh -c "\"\$satfilter\" ${1#satfilter }" >../stdout 2>../stderr </dev/null)
    echo "$? $(cd typed && find . -type f -size +0c | grep -c -v -x -F "$(cd ../example && find . -type f)")"
}

# A line for each filter: its name, how a spec of all its parameters is written, their numbers.
run --list --json
awk 'function field(name,  s) {
        s = $0
        if (!sub(".*\"" name "\": ", "", s)) return ""
        if (sub(/^"/, "", s)) sub(/".*/, "", s); else sub(/[,}].*/, "", s)
        return s == "null" ? "" : s == "1e-06" ? "0.000001" : s
    }
    /^ \{"name": "[a-z]*", "help"/ { name = spec = field("name"); numbers = ""; sign = "=" }
    /^  "kind"/ { print_it = 1 }
    /^  \{"name"/ {
        word = field("name") (field("syntax") == "" ? "" : "=" field("syntax"))
        spec = spec sign (field("is_value") == "true" ? field("syntax") : word); sign = ","
        if (field("type") ~ /real|integer/ && field("name") !~ /full/)
            numbers = numbers " " field("min") " " field("max") " " field("default")
        if (field("type") == "size") numbers = numbers " " field("default")
    }
    print_it && /\]\}/ { print name, spec, numbers; print_it = 0 }' stdout |
    at_least 30 "filters of --list --json" >table || exit 1
while read -r filter spec numbers; do
    gives '0 ' "awk 'length > 100 || NR > 15' stdout" --help "$filter"
    check "--help $filter: an example, what for" \
        "$(sed -n '1s/ .*//p;2p;3s/^[A-Z].*/text/p' stdout | tr '\n' ' ')" "satfilter  text "
    example=$(head -n 1 stdout)
    check "$example" "$(typed_example "$example")" "0 1"
    # Its exact definition is a section, which begins with all parameters and has their numbers.
    awk -v head="## $filter" '/^## / { on = $0 == head } on' "$source/docs/filters.md" | sed 's/−/-/g' >section
    check "docs/filters.md: the parameters of $filter" "$(sed -n '2s/^`\([^`]*\)`.*/\1/p' section)" "$spec"
    for number in $numbers; do
        check "docs/filters.md: $filter, $number" "$(grep -c -w -F -e "$number" section | sed 's/^[1-9].*/told/')" told
    done
done <table

run --help
sed -n 's/^  \(satfilter .*[a-z]\)   *.*/\1/p' stdout | sed 's/  .*//' >examples
check "examples of --help" "$(wc -l <examples)" 5
while read -r example; do
    check "$example" "$(typed_example "$example")" "0 1"
done <examples

finish
