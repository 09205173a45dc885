#!/bin/sh
# The binary interface keeps the rules of "Interface" in docs/numbers.md: structs that can grow say
# their size, and programs that were linked to the last release run with this library. A release records its
# interface: `CC=gcc tests/abi.sh --record` writes tests/abi/satfilter.abi, with which this compares. gcc 12 and
# abidw 2.2 always write the same bytes; other compilers compare alike, but write it in other words.
# What is compared is a library of empty functions, made of the headers; tests/exports.sh compares
# the headers with the library.
set -eu
. "$(dirname "$0")/script.sh"
records=$source/tests/abi
exec 3>&2
fail() { echo "FAILED: $*" >&3 && exit 1; }

# stub FOLDER HEADER...: the text of a library with the functions that the headers of FOLDER declare
stub()
{
    folder=$1
    shift
    # shellcheck disable=SC2086 # CC is a list of words
    printf '#include <%s>\n' "$@" | $CC -E -P -DSATF_API=SATF_API -I"$folder" -x c - | tr -s '\n ' ' ' |
        sed 's/SATF_API \([^;]*\);/\1 { __builtin_trap(); }\n/g'
}

# kind WORD: the structs of the rows of docs/numbers.md that begin with it
kind()
{
    sed -n "s/^| $1[^|]*|//p" "$source/docs/numbers.md" | grep -o 'satf_[a-z_]*' | tr '\n' ' '
}

# rules FOLDER: what breaks the rules in its headers
rules()
{
    stub "$1" satfilter.h satfilter-expert.h |
        awk -v frozen="$(kind frozen)" -v growing="$(kind grow)" '
        { text = text " " $0 }
        END {
            gsub(/static inline [^{]*[{][^}]*[}]/, "", text) # the callers own
            while (match(text, /typedef struct satf_[a-z_]+ [{][^}]*[}]/)) {
                body = substr(text, RSTART, RLENGTH)
                text = substr(text, 1, RSTART - 1) ";" substr(text, RSTART + RLENGTH)
                split(body, word, " ")
                sub(/^[^{]*[{] */, "", body)
                members[word[3]] = body
                if (index(" " frozen growing, " " word[3] " ") == 0)
                    print word[3] ": neither frozen nor growing"
            }
            count = split(frozen growing, names, " ")
            for (i = 1; i <= count; i++)
                if (!(names[i] in members)) print names[i] ": no such struct"
            count = split(growing, names, " ")
            calls = split(text, call, /[;{]/)
            for (i = 1; i <= count; i++) {
                name = names[i]
                sized = members[name] ~ /^size_t bytes;/
                for (other in members) {
                    if (match(members[other], "(^|[^a-z_])" name " [a-z]")) print other ": holds a " name
                    if (match(members[other], "(^|[^a-z_])" name " [*]") && !sized)
                        print other ": points to a " name ", which does not say its size"
                }
                for (k = 1; k <= calls; k++) {
                    said = call[k]
                    gsub("[^a-z_]" name " [*][a-z_]+" (sized ? "" : ", size_t [a-z_]*bytes"), "", said)
                    if (said ~ "[^a-z_]" name "[^a-z_]" && said ~ /[(]/)
                        print name ": its size is missing in" call[k]
                }
            }
        }'
}

# interface FOLDER: what abidw says of a library of its headers
interface()
{
    stub "$1" satfilter.h satfilter-expert.h >stub.c
    number=$(sed -n "s/^satf[a-z_]*_\([0-9]*\) {/\1/p" "$1/satfilter.map")
    # shellcheck disable=SC2086
    $CC -g -w -shared -fPIC -Wl,-soname,"libsatfilter.so.$number" \
        -Wl,--version-script="$1/satfilter.map" -o stub.so stub.c || fail "the library cannot be made"
    abidw --no-corpus-path --no-comp-dir-path --no-show-locs --no-elf-needed --no-architecture \
        --exported-interfaces-only --type-id-style hash stub.so || fail abidw
}

# members STRUCT FILE: one a line, with place and type
members()
{
    awk -v name="name='$1'" '/<class-decl/ { on = index($0, name) } /<\/class-decl/ { on = 0 }
        on && /<(data-member|var-decl)/' "$2"
}

# runs FOLDER: programs for the recorded library run with that of its headers
runs()
{
    interface "$1" >now.abi
    abidiff --no-architecture --no-added-syms --suppressions growing "$records/satfilter.abi" now.abi || return 1
    for struct in $(kind grow); do
        members "$struct" "$records/satfilter.abi" >was
        members "$struct" now.abi | head -n "$(wc -l <was)" | diff was - || return 1
    done
}

if [ "${1:-}" = --record ]; then
    mkdir -p "$records" && interface "$source/src" >"$records/satfilter.abi"
    exit
fi

found=$(rules "$source/src")
[ -z "$found" ] || fail "$found"

# changed FILE EXPRESSION: the headers with that change are in the folder `changed`
changed()
{
    rm -rf changed
    mkdir changed
    cp "$source"/src/satfilter*.h "$source"/src/*.map changed
    chmod -R u+w changed # a tarball is read-only
    sed -i "$2" "changed/$1"
    ! cmp -s "$source/src/$1" "changed/$1" || fail "nothing is changed by $2"
}

# Rules that are broken are found.
while read -r file change; do
    changed "$file" "$change"
    [ -n "$(rules changed)" ] || fail "a broken rule is not found: $change"
done <<'END'
satfilter.h s/^} satf_rect;/satf_used ran; &/
satfilter.h s/^} satf_rect;/const satf_used *used; &/
satfilter-images.h s/^} satf_file_note;/satf_write_options all[2]; &/
satfilter.h s/satf_context_used(.*/satf_context_used(const satf_context *ctx, satf_used *used);/
satfilter-images.h s/size_t report_bytes);/int count);/
satfilter-images.h s/^ *size_t bytes; .*of this struct, by satf_file_options_init.*//
satfilter.h s/^} satf_rect;/} satf_other; typedef struct satf_new {int a;} satf_new;/
END

needs abidiff "abidiff is missing: interfaces are not compared (Debian: abigail-tools)"
kind grow | tr ' ' '\n' | sed 's/..*/[suppress_type]\nname = &\n/' >growing
number=$(sed -n 's/^satf_\([0-9]*\) {/\1/p' "$source/src/satfilter.map")
grep -q "soname='libsatfilter.so.$number'" "$records/satfilter.abi" ||
    leave record "libsatfilter.so.$number has no record yet, so nothing is compared: its release makes one"
runs "$source/src" || fail "programs for the recorded library do not run with this one"

# What breaks programs is found, and what does not is let through.
while read -r wanted file change; do
    changed "$file" "$change"
    if runs changed >diff 2>&1; then is=fits; else is=breaks; fi
    [ "$is" = "$wanted" ] || fail "$is: $change" "$(cat diff)"
done <<'END'
breaks satfilter.h s/^} satf_view;/int more; &/
breaks satfilter.h s/^ *double full;/int64_t full;/
breaks satfilter.h s/^ *int64_t memory_bytes;/int64_t more; &/
breaks satfilter.h s/^ *double ms; /int64_t ms;/
breaks satfilter.h s/^SATF_API int satf_type_find.*//
breaks satfilter.h s/int threads);/int64_t threads);/
breaks satfilter.h s/^ *SATF_CANCELLED /SATF_MORE, &/
breaks satfilter.map s/satf_[0-9]* {/satf_99 {/
fits satfilter.h s/^} satf_used;/int more; &/
fits satfilter.h s/^} satf_status;/, SATF_MORE &/
fits satfilter.h s/^SATF_API int satf_type_find.*/&SATF_API void satf_new(void);/
END
