#!/usr/bin/env bash
# Files of several pages on the command line: which pages, what their outputs are called, and what
# is said of one that fails.
set -u
. "$(dirname "$0")/script.sh"

# An array of four pages of 5 x 3, which are 1, 2, 3 and 4 everywhere, and a TIFF of them.
{ npy '|u1' '(4, 3, 5)' '' && for page in 1 2 3 4; do head -c 15 /dev/zero | tr '\000' "\\$page"; done; } >stack.npy
ends 1 'say CYX to take each plane for a page (--axes)$' --box 3 stack.npy x.npy # a stack without --axes
gives '0 same' 'tail -c 60 x.npy | cmp - <(tail -c 60 stack.npy) && echo same' --box 3 --axes ZYX stack.npy x.npy
run --box 1 --axes QYX stack.npy four.tif
[ -e "$build/libsatfilter-tiff.la" ] || leave tiff "built without libtiff"
check "an array to TIFF" "$? $(said)" "0 "

tells 0 '' --region 1,1,2x1 --unsharp 3 four.tif some.tif # a region of each page
ends 1 'leaves the picture of 5 x 3' --region 4,1,2x1 --unsharp 3 four.tif none.tif # a region outside of each page
printf 'P5\n5 3\n1\n\1\0\1\0\1\0\1\0\1\0\1\0\1\0\1' >mask.pgm
run --mask mask.pgm --by four.tif,op=add four.tif masked.npy # of each page
check "a mask" "$? $(values masked.npy u1 30)" "0 4 3 4 3 4 3 4 3 4 3 4 3 4 3 4 5 4 5 4 5 4 5 4 5 4 5 4 5 4 5"

# ------------------------------------------------------------- which pages

tells 0 '' --box 3 four.tif all.tif # all pages
gives '0 same' 'same all.npy stack.npy' --box 1 all.tif all.npy # and back
run --box 3 four.tif one.pgm
check "a picture takes the first" "$? $(said) $(tail -c 1 one.pgm | od -An -tu1)" \
    "0 four.tif: holds 4 pages; only the first is read, unless others are named (--page)    1"
gives '0     3' 'echo "$(said) $(tail -c 1 three.pgm | od -An -tu1)"' --box 3 --page 3 four.tif three.pgm # --page 3
gives '0 ./p-0001.pgm ./p-0002.pgm ./p-0003.pgm ./p-0004.pgm ' "files . | grep -o './p[^ ]*' | tr '\n' ' '" \
    -q --box 3 --page all four.tif p.pgm
check "each is its page" "$(tail -qc 1 p-000?.pgm | od -An -tu1 | tr -s ' ')" " 1 2 3 4"
fills 0 'four-0002.pgm four-0003.pgm' -q --box 3 --page 2-3 --format pgm four.tif -o d # --page 2-3 in a folder
fills 0 'four.tif' -q --box 3 --page 2- four.tif -o e # --page 2- stays a TIFF
gives '0 same' 'tail -c 45 e.npy | cmp - <(tail -c 45 stack.npy) && echo same' --box 1 e/four.tif e.npy # of three pages
fills 0 'four-0001.pgm four-0002.pgm four-0003.pgm four-0004.pgm one.pgm' \
    -q --box 3 --page all --format pgm one.pgm four.tif -o mixed
for wrong in 0 -1 x 3-2 2-x 1.5 '' all2; do
    gives '2 0' 'files . | grep -c no.tif' --box 3 --page="$wrong" four.tif no.tif
done
tells 1 'four.tif: has no page 5; it holds 4' --box 3 --page 5 four.tif no.tif # --page 5 of four
tells 1 'four.tif: has no page 9; it holds 4' --box 3 --page 2-9 four.tif no.pgm # --page 2-9 of four
check "nothing is written" "$(files . | grep -c 'no[.-]')" 0

# --------------------------------------------------------------- pipes

after '0 same' 'same pipe.tif all.tif' '"$satfilter" --box 3 <four.tif >pipe.tif' # standard input to output
# shellcheck disable=SC2002 # a pipe
cat four.tif | "$satfilter" --box 3 2>stderr | cat >pipe.tif
check "a pipe to a pipe" "$(same pipe.tif all.tif)" same
# shellcheck disable=SC2002
cat stack.npy | "$satfilter" --axes ZYX --box 3 - pipe.npy 2>stderr
check "an array out of a pipe" "$? $(same pipe.npy x.npy)" "0 same"
echo before >appended
"$satfilter" --box 3 four.tif - --format tif >>appended 2>stderr
check "appended" "$? $(tail -c +8 appended | cmp - all.tif && echo same)" "0 same"
gives '2 0' 'wc -c <stdout' --box 3 --page all four.tif - --format pgm # pages to standard output
after '1 -: writing failed: No space left on device' 'said' '"$satfilter" --box 3 four.tif - --format tif >/dev/full'

# ---------------------------------------------------------- one that fails

# The second page's strip lies behind the end of the file.
cp four.tif hurt.tif
"$satfilter" --box 1 --compression none -f four.tif hurt.tif 2>stderr
at=$(grep -obUaP '\x11\x01\x04\x00\x01\x00\x00\x00' hurt.tif | sed -n '2s/:.*//p')
printf '\377\377\377\177' | dd of=hurt.tif bs=1 seek=$((at + 8)) conv=notrunc 2>/dev/null
tells 3 'hurt.tif: page 2: the TIFF is damaged: a strip is too short
rest.tif: 3 of 4 pages done' --box 3 hurt.tif rest.tif
run -f --box 3 -q --json hurt.tif rest.tif
check "in JSON" "$? $(grep -o '"pages": .*"status": "[A-Z_]*"}]' stdout)" \
    "3 \"pages\": 3, \"pages_failed\": [{\"page\": 2, \"error\": \"the TIFF is damaged: a strip is too\
 short\", \"status\": \"SATF_DATA\"}]"
gives '0 111111111111111333333333333333444444444444444' "tail -c 45 rest.npy | tr '\001\003\004' 134" \
    --box 1 rest.tif rest.npy
ends 1 'an array has all its pages, and 1 of 4 are missing' --box 3 hurt.tif no.npy # an array has all
gives '3 ./h-0001.pgm ./h-0003.pgm ./h-0004.pgm ' "files . | grep -o './h-[^ ]*' | tr '\n' ' '" \
    --box 3 --page all hurt.tif h.pgm
"$satfilter" --box 1 --compression none -f four.tif first.tif 2>stderr
at=$(grep -obUaP '\x11\x01\x04\x00\x01\x00\x00\x00' first.tif | sed -n '1s/:.*//p')
printf '\377\377\377\177' | dd of=first.tif bs=1 seek=$((at + 8)) conv=notrunc 2>/dev/null
gives '3 ./i-0002.pgm ./i-0003.pgm ./i-0004.pgm ' "files . | grep -o './i-[^ ]*' | tr '\n' ' '" \
    --box 3 --page all first.tif i.pgm
run --box 3 --page 2-4 --format pgm four.tif e/four.tif one.pgm -o few --parents
check "files without so many pages" "$? $(files few) $(grep -c 'has no page [24]; it holds [13]$' stderr)" \
    "3 ./four-0002.pgm ./four-0003.pgm ./four-0004.pgm  2"
run -q --json --box 3 --wolf 3 four.tif j.tif
check "steps in JSON" "$? $(grep -o '"filter": "box", ' stdout | wc -l)" "0 1"
run --box 1 --axes ZYX --page all <(head -c 143 stack.npy | sed 's/(4, 3, 5)/(1, 3, 5)/') k.npy
check "a stack of one" "$? $(grep -c '(1, 3, 5)' k.npy)" "0 1"
mkdir both && cp hurt.tif four.tif both
run --box 3 -r both -o done
check "in a batch" "$? $(files done) $(tail -n 1 stderr | sed 's/in .* s,/in s,/')" \
    "3 ./four.tif ./hurt.tif  satfilter: 2 of 2 done in s, 1 without all pages"

# ------------------------------------------------------- several inputs into one

cp "$source/samples/page.png" page.png
tells 0 '' page.png four.tif one.pgm -o joined.tif # without a filter
run --page 2-5 --region 0,0,1x1 --box 1 joined.tif rest.npy
gives '0 same' 'tail -c 60 rest.npy | cmp - <(tail -c 60 stack.npy) && echo same' --page 2-5 --box 1 joined.tif rest.npy
run -f --page 1 --box 1 joined.tif first.png
run -f --box 1 page.png want.png
run -f --box 1 first.png first.npy
gives '0 same' 'same first.npy want.npy' -f --box 1 want.png want.npy # the first of them
tells 3 'gone.png: cannot be read: No such file or directory
hurt.tif: page 2: the TIFF is damaged: a strip is too short
some.tif: 8 of 10 pages done' -f --json --box 3 four.tif gone.png hurt.tif one.pgm -o some.tif
check "in JSON" "$(grep -o '"more_inputs": [^]]*]' stdout) $(grep -o '"pages": .*, "steps"' stdout)" \
    '"more_inputs": ["gone.png", "hurt.tif", "one.pgm"] "pages": 8, "pages_failed": [{"page": 5, '"\
"'"input": "gone.png", "error": "cannot be read: No such file or directory", "status": "SATF_IO"}, {"page": 7, '"\
"'"input": "hurt.tif", "error": "the TIFF is damaged: a strip is too short", "status": "SATF_DATA"}], "steps"'
printf '%s\n' one.pgm four.tif >list
run --page 1 --filelist list -o l.tif
gives "0 $(printf '1%.0s' {1..30})" "tail -c 30 l.npy | od -An -tu1 | tr -d ' \n'" -f --box 1 --page all l.tif l.npy
gives '0 1' 'grep -c "(3, 3, 5)" three.npy' one.pgm one.pgm one.pgm -o three.npy # an array
ends 1 'an array has pages of one shape; write .tif' one.pgm page.png -o no.npy # an array of several shapes
"$satfilter" one.pgm four.tif -o - --format tif 2>stderr | cat >out.tif
gives '0  30 1 15 2 15 3 15 4 ' "tail -c 75 out.npy | od -An -v -tu1 -w1 | uniq -c | tr -s ' \n' ' '" \
    -f --box 1 out.tif out.npy
mkdir folder.tif
fills 0 'four.tif one.pgm' --box 3 one.pgm four.tif -o folder.tif # a folder of that name
tells 2 'no.png: png holds one picture; several go into a .tif, or a folder: for one of that name write no.png/' \
    --box 3 one.pgm four.tif -o no.png
tells 2 'four.tif: the output would replace an input; give it another name' four.tif one.pgm -o four.tif
ends 2 . one.pgm - -o no.tif # standard input among them

# -------------------------------------------------------------- compression

for c in none lzw deflate zstd; do
    run -f --box 3 --compression "$c" four.tif c.tif
    status=$?
    gives '0 0 same' 'echo "$status $(same c.npy stack.npy)"' -f --box 1 c.tif c.npy
done
ends 1 'g4 is for black and white' --box 3 --compression g4 four.tif no.tif # g4 of grey
tells 2 "--compression: 'jpeg' is none of none lzw deflate zstd g4" --box 3 --compression jpeg four.tif no.tif
ends 2 . --box 3 --compression lzw four.tif no.png # of a PNG
ends 0 '' --sauvola 15 "$source/samples/page.png" bw.tif
run --sauvola 15 "$source/samples/page.png" bw.png
run --flip h bw.tif a.png
makes a.png --flip h bw.png b.png # is what a PNG has
check "nothing else is left" "$(files . | grep -c 'no[.-]')" 0

finish
