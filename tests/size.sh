#!/bin/sh
# How large the tree is, as tests/size.txt records it: lines and bytes of code and of tests, words of pages but of the
# tables that are rendered from results/. The words of the help are those in the strings of the files that hold it.
#     tests/size.sh >tests/size.txt
# tests/check_style.sh compares, in a clone. A change that needs more raises the numbers in its own commit, which says
# what a user gets for it; a change that needs less lowers them.
cd "${top_srcdir:-$(dirname "$0")/..}" || exit 1
files()
{
    git -c safe.directory="$PWD" ls-files -z "$@"
}
count()
{
    files -z "$@" | grep -zE '\.([ch]|cuh?|[ch]pp|pyi?|sh|inc|def|map|mk|abi)$' | xargs -0 cat | wc -lc |
        awk '{ print $1 " lines, " $2 " bytes" }'
}
echo "code: $(count src cuda filters tools plugins python)"
echo "tests: $(count tests)"
words=$({
    files docs README.md CONTRIBUTING.md SECURITY.md ':!docs/tables' | grep -zE '\.md$' | xargs -0 cat
    cat filters/*.h tools/cli_text.c tools/satfilter/options/options.c tools/satbench/bench_help.c | grep -o '"[^"]*"'
} | wc -w)
echo "pages: $((words)) words"
