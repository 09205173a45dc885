#!/usr/bin/env bash
# What bash, zsh and fish complete: every option of either program, and what it takes. Shells that
# are not installed are not asked.
set -u
. "$(dirname "$0")/script.sh"
fail()
{
    failed=1
    echo "FAIL: $*"
}
completions=$build/completions

# ---------------------------------------------------------------------- all options

# Filters and their flags, by the list for programs; the command's own options, by its help.
"$satfilter" --list --json |
    sed -n -e '/^ "borders"/q' -e 's/^.*{"name": "\([^"]*\)", "help".*/--\1/p' \
        -e 's/^  {"name": "\([^"]*\)", "type": "flag".*/--\1/p' |
    at_least 40 "filters and flags of --list --json" >satfilter || exit 1
grep -qx -e --squared satfilter || fail "--list --json has no flags"
"$satfilter" --help | sed -n 's/^ *\(-., \)\{0,1\}\(--[a-z0-9-]*\).*/\2/p' |
    at_least 60 "options of satfilter --help" >>satfilter || exit 1
"$satbench" --help | sed -n 's/^  \(--[a-z-]*\) .*/\1/p' |
    at_least 25 "options of satbench --help" >satbench || exit 1
for program in satfilter satbench; do
    while read -r option; do
        grep -qF -e "$option " "$completions"/$program.bash || fail "bash lacks $option of $program"
        grep -q -e "[*,]${option}[=[}]" "$completions"/_$program || fail "zsh lacks $option of $program"
        grep -q -e "-c $program -l ${option#--} " "$completions"/$program.fish ||
            fail "fish lacks $option of $program"
    done <$program
done
tables=$("$satbench" --list | sed -n '/^tables/,/^algorithms/s/^  \([a-z-]*\) .*/\1/p' |
    at_least 8 "tables of satbench --list") || exit 1
for table in $tables; do
    for file in satbench.bash _satbench satbench.fish; do
        grep ' giles ' "$completions/$file" | grep -q -e "[ '(]${table}[ ')]" || fail "$file lacks table $table"
    done
done

# ---------------------------------------------------------------------- by each shell

printf 'P5\n1 1\n255\nx' >in.pgm
touch notes.txt
mkdir photos

# ask_bash PROGRAM WORD...: what is offered for the last word.
ask_bash()
{
    bash -c '. "$1"; COMP_WORDS=("${@:2}"); COMP_CWORD=$(($# - 2)); _$2; echo "${COMPREPLY[*]}"' \
        - "$completions/$1.bash" "$@"
}

for program in satfilter satbench; do
    bash -n "$completions"/$program.bash || fail "bash cannot read the completion of $program"
done
check "files and folders" "$(ask_bash satfilter --box 3 '')" "photos in.pgm"
check "any file, where no picture fits" "$(ask_bash satfilter --box 3 no)" "notes.txt"
check "filters" "$(ask_bash satfilter --bo)" "--box --border"
check "formats" "$(ask_bash satfilter --format p)" "png pnm pfm"
check "formats behind =" "$(ask_bash satfilter --format = pn)" "png pnm"
check "topics" "$(ask_bash satfilter --help bo)" "box border borders"
check "a value that is a file" "$(ask_bash satfilter -o ph) $(ask_bash satfilter --permute no)" "photos notes.txt"
check "values of a filter" "$(ask_bash satfilter --rotate 1)" "180"
check "values of an option" "$(ask_bash satfilter --range a)" "auto"
check "tables" "$(ask_bash satbench per)" "permute permute-global"
check "options of satbench" "$(ask_bash satbench sat --algo)" "--algorithms"

if command -v zsh >/dev/null 2>&1; then
    for program in satfilter satbench; do
        zsh -f -n "$completions"/_$program || fail "zsh cannot read the completion of $program"
    done
else
    without zsh "zsh is not installed"
fi

# ask_fish PROGRAM LINE: the same for a line.
ask_fish()
{
    HOME=$work fish --no-config -c "source '$completions/$1.fish'; complete -C '$1 $2'" | cut -f 1 | LC_ALL=C sort |
        paste -s -d ' ' -
}

if command -v fish >/dev/null 2>&1; then
    for program in satfilter satbench; do
        fish --no-config -n "$completions"/$program.fish || fail "fish cannot read the completion of $program"
    done
    check "fish: filters" "$(ask_fish satfilter --bo)" "--border --box"
    check "fish: formats" "$(ask_fish satfilter '--format p')" "pfm png pnm"
    check "fish: topics" "$(ask_fish satfilter '--help bo')" "border borders box"
    check "fish: files" "$(ask_fish satfilter 'in')" "in.pgm"
    check "fish: folders" "$(ask_fish satfilter '--recursive ph')" "photos/"
    check "fish: values of a filter" "$(ask_fish satfilter '--rotate 1')" "180"
    check "fish: tables" "$(ask_fish satbench per)" "permute permute-global"
    check "fish: no file" "$(ask_fish satbench 'sat in')" ""
else
    without fish "fish is not installed"
fi
finish
