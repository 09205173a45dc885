#!/bin/sh
# What make install puts in place: man pages, completions, and the first page
# with everything that the pages link to.
set -eu
. "$(dirname "$0")/script.sh"

must make -s -C "$build" install-data DESTDIR="$work" prefix=/here
share=$work/here/share
doc=$share/doc/satfilter
for file in README.md CONTRIBUTING.md SECURITY.md NEWS LICENSE CITATION.cff \
    ../../man/man1/satfilter.1 ../../man/man1/satbench.1 \
    $(cd "$source/src" && find satfilter*.h satfilter -name '*.h*' | sed 's,^,../../../include/,'); do
    [ -f "$doc/$file" ] || fail "$file is not installed"
done
[ -z "$(find "$doc/src" -type f)" ] || fail "headers are installed twice"
version=$(sed -n 's/^VERSION = //p' "$build/Makefile")
grep -q "^satfilter $version " "$doc/NEWS" || fail "NEWS has nothing of $version"
grep -qx "version: $version" "$doc/CITATION.cff" || fail "CITATION.cff is of another version than $version"
for file in bash-completion/completions/satfilter.bash zsh/site-functions/_satfilter zsh/site-functions/_satbench \
    fish/vendor_completions.d/satfilter.fish fish/vendor_completions.d/satbench.fish; do
    [ -s "$share/$file" ] || fail "$file is not installed"
done
# A shared library alone needs no other: paths of this machine's toolkits stay out.
if grep -q '^build_old_libs=no' "$build/libtool"; then
    grep -q '^Libs.private: *$' "$build/satfilter.pc" || fail "satfilter.pc names libraries"
fi
for page in "$source"/docs/*.md "$source"/docs/tables/*.md; do
    [ -f "$doc/${page#"$source"/}" ] || fail "$page is not installed"
done
for page in "$doc"/*.md "$doc"/docs/*.md "$doc"/docs/tables/*.md; do
    for link in $(sed 's/`[^`]*`//g' "$page" | grep -o '](\([^):]*\))' | sed 's/](\(.*\))/\1/'); do
        echo "$link" >>"$work/links"
        file=${link%%#*} # and a heading behind #, in small letters, with - for blanks, without commas
        target=$page
        [ -z "$file" ] || target=$(dirname "$page")/$file
        [ -e "$target" ] || fail "$page: nothing at $link"
        [ "$file" = "$link" ] || sed -n 's/^##* //p' "$target" | tr 'A-Z ' 'a-z-' | tr -d ',()' |
            grep -qxF -e "${link#*#}" || fail "$page: no heading $link"
    done
done
at_least 100 "links of pages" <"$work/links" >"$work/log"
