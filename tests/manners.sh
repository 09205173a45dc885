#!/usr/bin/env bash
# The command's manners: nothing that people have is lost, nothing is left out in
# silence, and what is wrong is answered with what to do.
set -u
. "$(dirname "$0")/script.sh"

printf 'P5\n3 2\n255\n\001\002\003\004\005\006' >in.pgm
printf 'P5\n3 2\n255\n\011\011\011\011\011\011' >other.pgm
run --box 3 in.pgm want.pgm

# ------------------------------------------------------- at a terminal: questions

if command -v script >/dev/null 2>&1; then
    cp other.pgm kept.pgm
    answers n '1 same' 'same other.pgm kept.pgm' '"$satfilter" --box 3 in.pgm kept.pgm' # n keeps the file
    check "it was asked" "$(grep -c 'kept.pgm: exists; overwrite? \[y/N\]' screen)" 1
    answers '' '1 same' 'same other.pgm kept.pgm' '"$satfilter" --box 3 in.pgm kept.pgm' # no answer keeps the file
    answers y '0 same' 'same want.pgm kept.pgm' '"$satfilter" --box 3 in.pgm kept.pgm' # y replaces it
    cp other.pgm kept.pgm
    typed n '"$satfilter" -f --box 3 in.pgm kept.pgm'
    check "--force does not ask" "$? $(same want.pgm kept.pgm) $(grep -c overwrite screen)" "0 same 0"
    cp in.pgm own.pgm
    answers n '1 same' 'same in.pgm own.pgm' '"$satfilter" --box 3 own.pgm own.pgm' # n keeps the input
    check "of which it was asked" "$(grep -c 'own.pgm: is the input itself; overwrite? \[y/N\]' screen)" 1
    answers y '0 same' 'same want.pgm own.pgm' '"$satfilter" --box 3 own.pgm own.pgm' # y replaces it
    answers n '0 same' 'same want.pgm new.pgm' '"$satfilter" --box 3 in.pgm new.pgm'
    answers n '0 ' ':' '"$satfilter" --box 3 in.pgm /dev/null --format pgm' # nor does a device

    # Standard input may be a list or a picture: it is the terminal that is asked.
    cp other.pgm kept.pgm
    typed n 'echo in.pgm kept.pgm | xargs "$satfilter" --box 3'
    check "behind xargs" "$(same other.pgm kept.pgm) $(grep -c 'overwrite?' screen)" "same 1"
    answers n '1 same' 'same other.pgm kept.pgm' '"$satfilter" --box 3 - kept.pgm <in.pgm' # a picture on standard input
    answers y '0 same' 'same want.pgm kept.pgm' '"$satfilter" --box 3 - kept.pgm <in.pgm' # the same, overwritten
    mkdir listed && cp other.pgm listed/in.pgm
    answers n '1 same' 'same other.pgm listed/in.pgm' 'echo in.pgm | "$satfilter" --box 3 --filelist - -o listed'

    mkdir a && cp in.pgm a/1.pgm && cp in.pgm a/2.pgm && cp in.pgm a/3.pgm
    mkdir out && cp other.pgm out/1.pgm && cp other.pgm out/3.pgm
    typed '' '"$satfilter" --box 3 a/*.pgm -o out'
    check "a batch stops" "$? $(files out) $(same other.pgm out/1.pgm)" "1 ./1.pgm ./3.pgm  same"
    check "how many exist" "$(grep -c '2 of 3 outputs exist' screen)" 1
    typed s '"$satfilter" --box 3 a/*.pgm -o out'
    check "a batch skips" "$? $(same other.pgm out/1.pgm) $(same want.pgm out/2.pgm)" "0 same same"
    typed o '"$satfilter" --box 3 a/*.pgm -o out'
    check "a batch overwrites" "$? $(same want.pgm out/1.pgm) $(same want.pgm out/3.pgm)" "0 same same"

    typed '' '"$satfilter" --box 3 in.pgm -'
    check "no picture on a screen" "$? $(grep -c 'a terminal cannot show' screen) $(grep -c PNG screen)" "2 1 0"
    answers '' '2 0' 'grep -c P5 screen' '"$satfilter" --box 3 --format pgm in.pgm /dev/stdout' # nor by its other name
    answers '' '2 1' 'grep -c "a terminal cannot show" screen' '"$satfilter" --box 3 <in.pgm' # nor of standard input
    answers '' '2 0' 'grep -c P5 screen' '"$satfilter" --box 3 --format pgm in.pgm /dev/tty'

    # The second picture comes after more than a second: then the line is drawn, and stays.
    mkfifo late.pgm
    (exec 9>late.pgm && sleep 1.3 && cat in.pgm >&9) & # from when it is opened to be read
    long=a-name-that-is-longer-than-a-terminal-of-forty-columns-is-wide
    cp in.pgm $long.pgm
    answers '' '0 3' 'ls slow | wc -l' "stty cols 40; \"\$satfilter\" -T 1 --box 3 a/1.pgm late.pgm $long.pgm -o slow"
    line=$(tr '\r' '\n' <screen | grep -a '1 of 3 files' | tail -n 1 | sed 's/\x1b\[K//g')
    check "progress: what has no room is left out" \
        "$(echo "$line" | grep -c '^1 of 3 files, [0-9]* s left: late.pgm [0-9]* %$')" 1
    check "the last line" "$(grep -ac 'satfilter: 3 of 3 done in [0-9.]* s ([0-9.]* a second)' screen)" 1
    rm late.pgm && mkfifo late.pgm never.pgm
    (exec 9>late.pgm && sleep 1.3 && cat in.pgm >&9) & # from when it is opened to be read
    typed '' 'stty cols 120; "$satfilter" -T 2 --box 3 a/1.pgm late.pgm never.pgm -o cut & child=$!
        sleep 4; kill -TERM $child; wait $child 2>/dev/null'
    line=$(tr '\r' '\n' <screen | grep -a '1 of 3 files' | tail -n 1 | sed 's/\x1b\[K//g')
    check "progress: all of it" \
        "$(echo "$line" | grep -c '^1 of 3 files, [0-9.]* a second, [0-9]* s left: late.pgm [0-9]* %$')" 1
    line=$(tr '\r' '\n' <screen | grep -a files -A 1 | tail -n 1)
    check "a signal clears the line" "$line" $'\033[K'

    # Questions are asked until they are answered.
    cp other.pgm kept.pgm
    typed $'what\nyes' '"$satfilter" --box 3 in.pgm kept.pgm'
    check "a mistyped answer" "$? $(same want.pgm kept.pgm) $(grep -ao 'overwrite? ' screen | wc -l)" "0 same 2"
    answers $'x\n\nq\ns' '1 1' 'grep -ac "stopped; nothing was written" screen' '"$satfilter" --box 3 a/*.pgm -o out'
else
    skip script "questions at a terminal (no script)"
fi

# ------------------------------------------------------------ without a terminal

cp other.pgm kept.pgm
makes want.pgm --box 3 in.pgm kept.pgm # without a terminal files are replaced
mkdir -p b done && cp in.pgm b/1.pgm && cp in.pgm b/2.pgm && cp other.pgm done/1.pgm
run --box 3 --skip-existing -r b -o done
check "a batch goes on" "$? $(same other.pgm done/1.pgm) $(same want.pgm done/2.pgm)" "0 same same"
check "what it did" "$(sed 's/ in [0-9.]* s//' stderr)" \
    "satfilter: 1 of 2 done, 1 skipped, whose outputs exist"
gives '0 satfilter: 0 of 2 done, 2 skipped, whose outputs exist' 'sed "s/ in [0-9.]* s//" stderr' \
    --box 3 --no-clobber -r b -o done -q

# --------------------------------------------------------- black and white: a bit a pixel

# depth FILE: the bit depth that a PNG's header says
depth() { head -c 25 "$1" | tail -c 1 | od -An -tu1 | tr -d ' '; }
page=$source/samples/page.png
gives '0 1' 'depth bw.png' --sauvola 31 "$page" bw.png # one bit in PNG
gives '0 1' 'depth flipped.png' --no-stream --sauvola 31 --flip v "$page" flipped.png # also moved, and as a whole
gives '0 8' 'depth bw8.png' --sauvola 31 --type u8 "$page" bw8.png # 8 bits where they are asked for
run --box 1 bw.png one.npy
gives '0 same' 'same one.npy eight.npy' --box 1 bw8.png eight.npy # of the same pixels
for picture in page scene; do
    run -f --png-level 1 --sauvola 31 "$source/samples/$picture.png" runs.png
    for level in 2 3 4 5 6 7 8 9; do
        gives '0 1' 'echo $(($(stat -c %s searched.png) * 100 <= $(stat -c %s runs.png) * 103))' \
            -f --png-level $level --sauvola 31 "$source/samples/$picture.png" searched.png
    done
done
gives '0 P4' 'head -c 2 bw.pbm' --sauvola 31 "$page" bw.pbm # one bit in PBM
for input in bw.png bw.pbm; do
    run -f --flip h $input turned.png && run -f --no-stream --flip h turned.png back.png
    check "one bit of $input, moved" "$? $(depth turned.png) $(same bw.png back.png)" "0 1 same"
done
if run -f --compression g4 --rotate 90 bw.png bw.tif; then
    gives '0 1 same' 'echo "$(depth turned.png) $(same bw.png turned.png)"' -f --rotate 270 bw.tif turned.png
fi
ends 0 '' -f --flip h bw.png moved.jpg # a scan of one bit may be turned into a JPEG
gives '0 8' 'depth grey.png' --sauvola 31 --box 3 "$page" grey.png # what is filtered again is grey

# ------------------------------------------------------------------- names of -o

makes want.pgm --box 3 in.pgm -o result.pgm # -o FILE
makes want.pgm --box 3 in.pgm -o made/here/result.pgm # -o FILE in folders that are not there
fills 0 'in.pgm' --box 3 in.pgm -o folder.pgm/ # -o DIR/
fills 0 'in.pgm other.pgm' --box 3 other.pgm -o folder.pgm # -o of a folder that is there
refuses 2 'write two.pgm/' --box 3 in.pgm other.pgm -o two.pgm
gives '0 ./er/still/in.pgm ' 'files deep' --box 3 in.pgm -o deep/er/still # missing parents of a folder
gives '1 ' 'ls -d none 2>/dev/null' --box 3 missing.pgm -o none/at/all/x.pgm # no folder stays behind a failure
gives '0 same' 'same want.pgm stdout' --box 3 --format pgm in.pgm -o - # -o - is standard output
gives '2 1' 'echo "$(ls -d ./- 2>/dev/null)$(grep -c "takes one picture" stderr)"' --box 3 in.pgm other.pgm -o -

refuses 2 'names no format.* png, jpeg, pnm, pfm, npy, tiff, webp; for a folder of that name write result.jp2/' \
    --box 3 in.pgm -o result.jp2
fills 0 'in.pgm' --box 3 in.pgm -o result.jp2/ # the folder of that name
makes want.pgm --box 3 --format pgm in.pgm -o result.xyz # --format makes it a file
fills 0 'in.pgm' --box 3 in.pgm -o results-v1.2 # a number is no suffix
fills 0 'in.pgm' --box 3 --format pgm in.pgm -o plain # no suffix: a folder, with --format too
touch there
makes want.pgm --box 3 --format pgm in.pgm -o there # a file that is there is a file
tells 0 '' --box 3 in.pgm -o /dev/null # -o /dev/null
ends 1 'is not a folder' --box 3 in.pgm other.pgm -o /dev/null # -o /dev/null with two inputs

# ---------------------------------------------------------------------- parents

mkdir -p p/x p/y && cp in.pgm p/x/1.pgm && cp other.pgm p/y/1.pgm
refuses 2 'p/y/1.pgm: its output flat/1.pgm is that of p/x/1.pgm too; --parents keeps their folders apart' \
    --box 3 p/x/1.pgm p/y/1.pgm -o flat
fills 0 'p/x/1.pgm p/y/1.pgm' -q --parents --box 3 p/x/1.pgm ./p//y/1.pgm -o apart # --parents
for name in out.pgm /dev/null -; do
    ends 2 "keeps paths below a folder, and $name names" --parents --box 3 in.pgm -o $name
done
fills 0 "p/x/1.pgm ${work#/}/p/y/1.pgm" -q --parents --box 3 -r p/x -r "$work/p/y" -o apart2 # --parents with -r
printf 'p/x/1.pgm\np/y/1.pgm\n' >list
fills 0 'p/x/1.pgm p/y/1.pgm' -q --parents --box 3 --filelist list -o apart3 # --parents with a list
gives '2 ' 'ls -d apart4 2>/dev/null' --parents --box 3 p/../in.pgm -o apart4/below # never out of the folder
says "'..' leads out"
ends 2 'in.pgm: is named twice$' --box 3 in.pgm in.pgm -o twice # one input named twice
ends 2 './in.pgm: is named twice, also as in.pgm$' --box 3 in.pgm ./in.pgm -o twice # by two names
ends 2 'is named twice, also as p//x/1.pgm$' --parents --box 3 p//x/1.pgm p/./x/1.pgm -o twice
mkdir same && cp in.pgm same/p.pgm && cp in.pgm same/q.pgm
"$satfilter" --box 3 --format png in.pgm - >same/p.png 2>stderr
refuses 2 'same/p.png: its output twice/p.pgm is that of same/p.pgm too; filter them into different folders' \
    --box 3 same/p.pgm same/p.png --format pgm -o twice
# Names that are links to one file would leave one picture of two. Those of a link's own do not.
mkdir linked && cp other.pgm linked/in.pgm && ln -s in.pgm linked/other.pgm
gives '2 same' 'same other.pgm linked/in.pgm' --box 3 in.pgm other.pgm -o linked # two outputs that are one by a link
says 'other.pgm: its output linked/other.pgm is that of in.pgm too; filter them into different folders'
printf 'in.pgm\nother.pgm\n' >list
gives '3 same' 'same want.pgm linked/in.pgm' --box 3 --filelist list -o linked # the first of a list has it
mkdir -p linked/x && ln -s x linked/y
gives '3 ./1.pgm ' 'files linked/x' --box 3 -r p -o linked # two folders that are one by a link
cp other.pgm linked/far.pgm && ln -sf far.pgm linked/other.pgm
run -q --box 3 in.pgm other.pgm -o linked
check "a link to a file of its own" "$? $(readlink linked/other.pgm) $(same other.pgm linked/far.pgm)" "0 far.pgm same"
cp in.pgm linked/hard.pgm && ln -f linked/hard.pgm linked/in.pgm && ln -f linked/hard.pgm linked/other.pgm
gives '0 same same' 'echo "$(same want.pgm linked/in.pgm) $(same other.pgm linked/other.pgm)"' \
    -q --box 3 in.pgm other.pgm -o linked
check "and what is no output stays" "$(same in.pgm linked/hard.pgm)" same

fills 3 'p.pgm q.pgm' --box 3 -r same --format pgm -o once # with -r the later one fails alone
says 'same/p.png: its output once/p.pgm is that of same/p.pgm too; filter them'
mkdir odd && cp in.pgm "odd/(limit: a).pgm" && cp same/p.png "odd/(limit: a).png"
run --box 3 odd/*.pgm odd/*.png --format pgm -o twice
says 'odd/(limit: a).png: its output twice/(limit: a).pgm is that of odd/(limit: a).pgm too'
run --max-pixels 3 --box 3 in.pgm out.pgm
says 'above the limit of 3 pixels (--max-pixels)$'
ends 3 'is that of' --box 3 -r same --format pgm -o once --skip-existing # and is not taken for one that exists

# ---------------------------------------------------------------------- folders

mkdir -p tree/sub && cp in.pgm tree/1.pgm && cp in.pgm tree/sub/2.pgm
touch tree/a.heic tree/b.jp2 tree/sub/c.JP2
gives '0 satfilter: 3 files skipped: .heic .jp2' 'tail -n 1 stderr' --box 3 -r tree -o t1 # what -r passes over
touch tree/README && ln -s sub tree/link
gives '0 satfilter: 4 files skipped: .heic .jp2, without suffix; 1 link to a folder not followed' 'tail -n 1 stderr' \
    --box 3 -r tree -o t2 --json
check "--json counts them" "$(tail -n 1 stdout | sed 's/.*"unreadable"/"unreadable"/; s/, "ms".*//')" \
    '"unreadable": 0, "skipped": 4, "skipped_suffixes": [".heic", ".jp2"], "links": 1'
ln -s nowhere tree/gone.pgm
gives '3 ./1.pgm ./sub/2.pgm  1' 'echo "$(files t3) $(grep -c "tree/gone.pgm: is a link" stderr)"' --box 3 -r tree -o t3
rm tree/gone.pgm
# Root may read everything: a path that is too long cannot be read either.
(cd tree/sub && for _ in $(seq 22); do d=$(printf '%0200d' 0) && mkdir "$d" && cd "$d" || exit; done)
if [ -e tree/sub/"$(printf '%0200d' 0)" ]; then
    gives '3 1.pgm
sub 2.pgm' 'echo "$(ls t4) $(ls t4/sub)"' --box 3 -r tree -o t4
    check "it is counted" "$(grep -c '2 of 2 done.*, 1 unreadable' stderr)" 1
    rm -rf tree/sub/0*
else
    skip long-paths "a path that is too long (none can be made here)"
fi
# What somebody else may not read, for whom root tries it.
if [ "$(id -u)" -eq 0 ]; then user='setpriv --reuid=65534 --regid=65534 --clear-groups'; else user=; fi
mkdir -m 777 theirs && mkdir sealed && cp in.pgm sealed/ && cp -r sealed tree/a-sealed && cp in.pgm tree/a-sealed.pgm
chmod 0 sealed tree/a-sealed tree/a-sealed.pgm && chmod 755 .
# shellcheck disable=SC2086 # some words, or none
if $user "$satfilter" --version >stdout 2>stderr; then
    $user "$satfilter" --box 3 -r tree -o theirs/t >stdout 2>stderr
    check "a folder and a file that may not be read" "$? $(files theirs/t)" "3 ./1.pgm ./sub/2.pgm "
    check "each is named" "$(grep -c 'tree/a-sealed\(.pgm\)*: cannot be read: ' stderr)" 2
    check "both are counted" "$(grep -c '2 of 3 done.*, 1 failed, 1 unreadable' stderr)" 1
    $user "$satfilter" --box 3 -r sealed -o theirs/none >stdout 2>stderr
    check "nothing but that" "$? $(wc -l <stderr) $(ls -d theirs/none 2>/dev/null)" "1 1 "
else
    skip other-users "what may not be read (nobody else can run the program)"
fi
chmod 755 sealed tree/a-sealed tree/a-sealed.pgm && rm -r tree/a-sealed tree/a-sealed.pgm
mkdir pipes && cp in.pgm pipes/ && mkfifo pipes/f.pgm
gives '0 ./in.pgm  satfilter: 1 file skipped: .pgm' 'echo "$(files t8) $(tail -n 1 stderr)"' --box 3 -r pipes -o t8
mkdir only && touch only/x.jp2
ends 3 'hold none; 1 file skipped: .jp2' --box 3 -r only -o t5 # a folder without pictures

# Folders as deep as a path can name take no more of the stack than others.
(cd only && for _ in $(seq 400); do printf 'a/a/a/a/a/'; done >../path && mkdir -p "$(cat ../path)")
ends 3 'hold none' --box 3 -r only -o t6 # very deep folders
ends 2 'tree/: is a folder.* -r' --box 3 tree/ only/ -o t7 # folders as operands
gives '0 same' 'same want.pgm stdout' --box 3 --format pgm in.pgm -o /dev/stdout # -o /dev/stdout

# A folder that cannot be made leaves none behind, and the next input tries again.
touch blocked && mkdir q && cp in.pgm q/1.pgm && cp in.pgm q/2.pgm && mkdir -p t9 && touch t9/q
gives '3 ./other.pgm ./q  2' 'echo "$(files t9) $(grep -c "^satfilter: t9/q/[12].pgm: t9/q is no folder" stderr)"' \
    --box 3 --parents q/1.pgm q/2.pgm other.pgm -o t9
long=$(printf '%0256d' 0)
gives '1 ' 'ls -d t10 2>/dev/null' --box 3 in.pgm -o "t10/a/$long/x.pgm" # no half of a path stays
says 'cannot be made: File name too long'
ends 1 'in.pgm/x.pgm: in.pgm is no folder' --box 3 in.pgm -o in.pgm/x.pgm # a file in a folder's place
ends 1 'in.pgm is no directory' --box 3 in.pgm in.pgm/x.pgm # also without -o

# -------------------------------------------------------------------------- JSON

# json KEY FILE: the values of that key, an object a line.
json() { sed -n 's/.*"'"$1"'": \("[^"]*"\|[^,}]*\).*/\1/p' "$2" | tr '\n' ' '; }
"$satfilter" --json --box 3 --format pgm in.pgm - >piped 2>stderr
check "bytes that went to standard output" "$(json output_bytes stderr)" "$(wc -c <piped) "
for route in --stream --no-stream; do
    for name in j.png j.jpg j.npy j.pfm; do
        run --json --box 3 --range 0:255 $route in.pgm $name
        check "bytes of $name, $route" "$(json output_bytes stdout)" "$(wc -c <$name) "
    done
done
run --json --box 3 --skip-existing in.pgm j.png
check "an object for what is skipped" "$? $(json skipped stdout) $(json output stdout)" '0 true  "j.png" '
gives '0 4' 'wc -l <stdout' --json --box 3 --skip-existing j.png in.pgm other.pgm -o done # in a batch too
run --json --box 3 --skip-existing j.png in.pgm other.pgm -o done
check "each of them" "$? $(grep -c '"skipped": true' stdout)" "0 3"
run --json --box 3 --parents q/1.pgm q/2.pgm -o t9
check "an object where no folder can be made" "$? $(json error stdout) $(json status stdout)" \
    '1 "t9/q is no folder" "t9/q is no folder"  "SATF_IO" "SATF_IO" '
gives '3 "same/p.png" ' 'json at stdout' --json --box 3 -r same --format pgm -o once # an object for a collision

odd=$(printf 'c1\302\233\302\240.pgm')
cp in.pgm "$odd"
run --json --box 3 "$odd" out.pgm
check "JSON holds no control characters of 8 bits" "$(grep -cF '"c1\u009b' stdout)" 1

# Notes that many inputs share are told three times, and then counted.
mkdir two && for i in 1 2 3 4 5; do cat in.pgm in.pgm >two/$i.pgm; done
gives '0 3' "grep -c '/[1-5].pgm: holds more than one' stderr" --box 3 -r two -o t11 # a note of many
says '^satfilter: 2 more files: holds more than one picture; only the first is read$'
run --box 3 -v -r two -o t11
check "-v tells all" "$(grep -c '/[1-5].pgm: holds more than one' stderr) $(grep -c 'more files' stderr)" "5 0"

# ------------------------------------------------------------------------- steps

if grep -q '^CUDA_LIBS = *[^ ]' "$build/Makefile"; then
    reason='the CPU will finish first'
else
    reason='a build without CUDA: computed on the CPU' # there is nothing to be faster than
fi
(unset SATFILTER_CUDA && run -v --box 3 in.pgm out.pgm)
says "^  $reason$"
for route in --stream --no-stream; do
    run -v --device cpu $route --box 3 --flip h --range 0:9 --variance 3 in.pgm out.pgm
    check "-v $route has a line for each filter" \
        "$(sed -n 's/^    \(.*\) engine, cpu, [0-9.]* ms$/\1/p' stderr | tr '\n' ';')" \
        "box: 3 x 3 pixels, window;flip: move;variance: 3 x 3 pixels, window;"
done
run -v --device cpu --guided 3 --algorithm 4r1w in.pgm out.pgm
check "-v has a line for each step of a filter" \
    "$(grep -c '^    guided: [13] x [13] pixels, sat engine, algorithm 4r1w, cpu, [0-9.]* ms$' stderr)" 4
run --json --device cpu --guided 3 --box 3 --algorithm 4r1w in.pgm out.pgm
step='"filter": "[a-z]*", "window": \[[13], [13]\], "device": "cpu", "engine": "sat", "algorithm": "4r1w", "ms": [0-9]'
check "--json too" "$(grep -o "$step" stdout | cut -d '"' -f 4 | tr '\n' ' ')" \
    "guided guided guided guided box "

# ------------------------------------------------------------------- wrong words

for word in blur gaussian median binarize sharpen scale size std otsu convolve kernel edge laplacian \
    box-blur bilateral denoise adaptive-threshold contrast silent depth grayscale negate equalize keep; do
    known=$("$satfilter" --help | grep -c "^  --$word ")
    run --$word 3 in.pgm none.pgm
    status=$?
    answered="no such option; .*\(--[a-z]\|size\|grey\)"
    check "--$word" "$status $known $(grep -c "^satfilter: --$word: $answered" stderr)" "2 0 1"
done
for word in 'eps .* --guided N,eps=E' 'k .* --sauvola N,k=K' 'op .* --by FILE,op=add' 'passes .* --gauss S,passes=K'; do
    ends 2 "^satfilter: --${word/ /: no such option; }$" --box 3 --${word%% *} 1 in.pgm none.pgm
done
cp in.pgm -- -y.pgm && cp in.pgm -- --box.pgm
for name in -y.pgm --box.pgm; do
    ends 2 "^satfilter: $name: no such option; .* write ./$name$" --box 3 $name none.pgm
    makes want.pgm --box 3 ./$name out.pgm
done
for letter in y:--force n:--skip-existing j:--threads i:'without an option'; do
    ends 2 "^satfilter: -${letter%:*}: no such option; .*${letter#*:}" -${letter%:*} in.pgm out.pgm
done
for word in crop:--crop? resize:--resize? output:--output? box:--box? \
    threads:--threads?; do
    ends 2 "^satfilter: -${word%:*}: .*${word#*:}$" -${word%:*} 50% in.pgm out.pgm
done
check "no folder of 'esize'" "$(ls -d esize utput 2>/dev/null)" ""
for guess in out:--output? boxx:--box? thread:--threads? keeps:--list zzz:--list sun:--sum?; do
    ends 2 "${guess#*:}$" --${guess%:*} 3 in.pgm out.pgm
done
ends 2 "rotate: .*in.png" --rotate in.png out.png # a file in the value's place
ends 1 'tree: is a directory.* -r' --box 3 tree out.pgm # a folder as an input
refuses 2 'quality: is for jpeg and webp files; out.png is png' --quality 80 --box 3 in.pgm out.png
ends 2 'png-level: is for png files' --png-level 3 --box 3 in.pgm out.jpg
for outputs in 'in.pgm j.npy' 'in.pgm j.pfm' 'in.pgm other.pgm --format npy -o plain-values'; do
    # shellcheck disable=SC2086 # words
    ends 0 '^satfilter: --range: is for pictures; .* plain values' --box 3 --range auto $outputs
    # shellcheck disable=SC2086
    tells 0 '' -q --box 3 --range 0:9 $outputs
done
gives '0 1' 'wc -l <stderr' -f --box 3 --range 0:9 --type u8 in.pgm j.npy # nor does it change integers
tells 0 '' -f --box 3 --range 0:9 in.pgm j.png # --range of a picture
ends 0 '' -q --quality 80 --box 3 --format jpeg in.pgm other.pgm -o jpegs # --quality with JPEGs

# -------------------------------------------------------------------------- help

run --list --json
grep -v -e '"name": "gif"' -e '"name": "tiff"' -e '"name": "webp"' stdout >own # in modules
check "formats that are read and written" \
    "$(grep -c '"reads": true, "writes": true' own) $(grep -c '"reads": true, "writes": false' own)" "5 4"
check "filters in words" "$(grep -c '^  "detail": ".' stdout)" "$(grep -c '"kind": "' stdout)"
check "what they make" "$(grep -c '"kind": "window", "output_types": {"u8": "f64", "u16": "f64"' stdout)" 4

gives '0 1' 'grep -c "^satfilter [0-9]" stdout' -V
run help
after '0 same' 'same usage stdout' '"$satfilter" --help >usage' # help
gives '0 1' 'grep -c "^satfilter --box" stdout' help box
gives '0 2' 'grep -c -e "--border" -e "dcb|abcd|cba" stdout' --help border
gives '0 1' "tr '\n' ' ' <stdout | grep -c 'pencil.*Take wolf'" --help sauvola
gives '0 1' 'grep -c "^  png  *rw" stdout' --help formats
gives '0 1 5' 'echo "$(grep -c "1 to 100" stdout) $(wc -l <stdout)"' --help --quality
gives '0 satfilter --box 15 in.jpg out.jpg' 'head -n 1 stdout' --help --box 15 in.pgm out.pgm
gives '0 --box --stddev ' "grep '^satfilter' stdout | cut -d' ' -f2 | tr '\n' ' '" --help box stddev
for topic in blur:'mean over N x N pixels is --box' blur:'Gaussian blur is --gauss S' shrink:'by --resize 640x$' \
    paint:'--kuwahara 7' bokeh:'--varbox MAP' bw:'--wolf 21' png:'png  *rw' jpg:'jpeg  *rw' \
    no-clobber:'leave existing files alone' -r:'^  -r, --recursive DIR' r:'^  --r X' \
    1r1w:1r1w 2r2w:2r2w -o:'--output DIR' \
    squared:'A flag of --integral' resize:'Smaller: the mean' scale:'--resize 50%' type:'u8 u16' \
    options:'^  --png-level N' options:'^Speed and memory:' border:'numpy.pad symmetric' \
    window:'moves half a pixel' window:'may be a length' box:'--help window' type:'floats are not saturated'; do
    gives '0 told' 'grep -q -e "${topic#*:}" stdout && echo told' --help "${topic%%:*}"
done
gives '0 2' "grep -c -e '--help window' stdout" --help box kuwahara resize
gives '0 0' 'grep -c "window" stdout' --help resize
gives '0 1' 'grep -c "^satfilter --box" stdout' --help=box
gives '2 0 1' 'echo "$(wc -c <stdout) $(grep -c "nothing on .in.png.; see --list" stderr)"' --help box in.png
ends 2 'did you mean border?' --help brder
run
check "no argument at all" "$? $(grep -c '^  satfilter --' stderr)" "2 5"

# ---------------------------------------------------------- defaults, others' names
# A window's default stands in where no size follows: a file, an option, nothing.
run --sauvola 31 "$page" wanted.pgm
cp "$page" 31
for words in '--sauvola ./31 made.pgm' '--sauvola --type u8 ./31 made.pgm' './31 made.pgm --sauvola' \
    '--sauvola -o made.pgm ./31'; do
    rm -f made.pgm
    # shellcheck disable=SC2086 # words
    gives '0 same' 'same wanted.pgm made.pgm' $words
done
for wrong in 0 3x 3x0 -3 3.5 31,k=many; do
    run --sauvola "$wrong" "$page" wrong.pgm
    check "a wrong size $wrong" "$? $(grep -c ' --sauvola: ' stderr) $(ls wrong.pgm 2>/dev/null)" "2 1 "
done
ends 2 'no input' --box # a default, but no input
for border in replicate:clamp BORDER_REPLICATE:clamp reflect101:mirror BORDER_REFLECT_101:mirror \
    symmetric:reflect Wrap:wrap grid-constant:constant:0; do
    ends 2 "called ${border#*:}$" --box 3 --border "${border%%:*}" in.pgm wrong.pgm
    ends 2 "called ${border#*:}$" --box "3,border=${border%%:*}" in.pgm wrong.pgm
done
ends 2 'valid are possible$' --box 3 --border torus in.pgm wrong.pgm # a border of nobody's

# --------------------------------------------------------- lists, names, pipes

printf 'in.pgm\r\nother.pgm\r\n' >crlf
fills 0 'in.pgm other.pgm' -q --box 3 --filelist crlf -o c1 # CR LF in a list
odd=$(printf 'esc\033[31m.pgm')
cp in.pgm "$odd"
run -v --box 3 "$odd" "out$odd"
check "-v escapes names" "$? $(grep -c "$(printf '\033')" stderr) $(grep -cF 'esc\x1b[31m.pgm: ' stderr)" "0 0 2"
after '0 same' 'same want.pgm piped' '"$satfilter" --box 3 <in.pgm >piped' # no file at all: the input's format
"$satfilter" --box 3 <in.pgm 2>stderr | cmp -s - want.pgm
check "into a pipe" $? 0
"$satfilter" --box 3 --format png <in.pgm 2>stderr | head -c 4 | tail -c 3 >stdout
check "--format goes first" "$(cat stdout)" PNG
after '0 same' 'same want.pgm piped' '"$satfilter" --box 3 /dev/stdin - --format pgm <in.pgm >piped' # /dev/stdin
for name in /dev/stdout -; do
    echo before >piped
    after '0 PNG' 'head -c 11 piped | tail -c 3' '"$satfilter" --box 3 in.pgm $name >>piped'
done
"$satfilter" --box 3 --quality 50 <in.pgm >piped 2>stderr
check "--quality for what is no JPEG" "$? $(grep -c 'quality is for jpeg and webp files; this is pnm' stderr)" "0 1"
ends 2 '/dev/stdin: is standard input, and no output' --box 3 in.pgm /dev/stdin # /dev/stdin is no output
ends 2 'is standard input, and no output' --box 3 in.pgm -o /dev/fd/0 # nor behind -o
ends 2 'is standard output, and no input' --box 3 /dev/stdout out.pgm # /dev/stdout is no input
ends 2 "^satfilter: '' is not the name of a file; name the output" --box 3 in.pgm '' # an empty name
ends 2 "'' is not the name of a file; name the input" --box 3 '' in.pgm -o out # an empty name of an input
printf '\357\273\277in.pgm\nother.pgm\n' >marked
fills 0 'in.pgm other.pgm' -q --box 3 --filelist marked -o c2 # a byte order mark in front of a list
for range in auto:10% auto:10; do
    ends 0 '' -q --box 1 --range $range in.pgm range-${range%\%}.pgm
done
for range in auto:10%% auto:% auto:60% 0:10%; do
    ends 2 '^satfilter: --range: ' --box 1 --range $range in.pgm out.pgm
done
gives '2 1 ' 'echo "$(wc -l <stderr) $(ls -d at 2>/dev/null)"' --box 3,at=2:0 in.pgm other.pgm -o at
says '^satfilter: --box: at=2:0 of box: a window of 3 x 3 contains its own pixel for -1 to 1'
ends 2 '^satfilter: --threads: ' --threads -1 --box 3 in.pgm out.pgm
ends 2 'no input and no output' --box 3 # /dev/null is no input

finish
