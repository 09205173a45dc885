#!/usr/bin/env bash
# The command's manners: nothing that people have is lost, nothing is left out in
# silence, and what is wrong is answered with what to do.
set -u
. "$(dirname "$0")/script.sh"

says() { check "the message has '$1'" "$(grep -c -e "$1" stderr)" 1; }

printf 'P5\n3 2\n255\n\001\002\003\004\005\006' >in.pgm
printf 'P5\n3 2\n255\n\011\011\011\011\011\011' >other.pgm
run --box 3 in.pgm want.pgm

# ------------------------------------------------------- at a terminal: questions

# typed ANSWER COMMAND...: runs the command at a terminal on which the answer is typed; its
# output is in the file screen, its status the function's. The shell is sh for everyone: shells
# differ in what they write of their own.
typed()
{
    local answer=$1
    shift
    printf '%s\n' "$answer" | SHELL=/bin/sh script -qec "$*" /dev/null >screen
}

if command -v script >/dev/null 2>&1; then
    cp other.pgm kept.pgm
    typed n '"$satfilter" --box 3 in.pgm kept.pgm'
    check "n keeps the file" "$? $(same other.pgm kept.pgm)" "1 same"
    check "it was asked" "$(grep -c 'kept.pgm: exists; overwrite? \[y/N\]' screen)" 1
    typed '' '"$satfilter" --box 3 in.pgm kept.pgm'
    check "no answer keeps the file" "$? $(same other.pgm kept.pgm)" "1 same"
    typed y '"$satfilter" --box 3 in.pgm kept.pgm'
    check "y replaces it" "$? $(same want.pgm kept.pgm)" "0 same"
    cp other.pgm kept.pgm
    typed n '"$satfilter" -f --box 3 in.pgm kept.pgm'
    check "--force does not ask" "$? $(same want.pgm kept.pgm) $(grep -c overwrite screen)" "0 same 0"
    cp in.pgm own.pgm
    typed n '"$satfilter" --box 3 own.pgm own.pgm'
    check "n keeps the input" "$? $(same in.pgm own.pgm)" "1 same"
    check "of which it was asked" "$(grep -c 'own.pgm: is the input itself; overwrite? \[y/N\]' screen)" 1
    typed y '"$satfilter" --box 3 own.pgm own.pgm'
    check "y replaces it" "$? $(same want.pgm own.pgm)" "0 same"
    typed n '"$satfilter" --box 3 in.pgm new.pgm'
    check "what is not there needs no question" "$? $(same want.pgm new.pgm)" "0 same"
    typed n '"$satfilter" --box 3 in.pgm /dev/null --format pgm'
    check "nor does a device" "$?" 0

    # Standard input may be a list or a picture: it is the terminal that is asked.
    cp other.pgm kept.pgm
    typed n 'echo in.pgm kept.pgm | xargs "$satfilter" --box 3'
    check "behind xargs" "$(same other.pgm kept.pgm) $(grep -c 'overwrite?' screen)" "same 1"
    typed n '"$satfilter" --box 3 - kept.pgm <in.pgm'
    check "a picture on standard input" "$? $(same other.pgm kept.pgm)" "1 same"
    typed y '"$satfilter" --box 3 - kept.pgm <in.pgm'
    check "the same, overwritten" "$? $(same want.pgm kept.pgm)" "0 same"
    mkdir listed && cp other.pgm listed/in.pgm
    typed n 'echo in.pgm | "$satfilter" --box 3 --filelist - -o listed'
    check "a list on standard input" "$? $(same other.pgm listed/in.pgm)" "1 same"

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
    typed '' '"$satfilter" --box 3 --format pgm in.pgm /dev/stdout'
    check "nor by its other name" "$? $(grep -c P5 screen)" "2 0"
    typed '' '"$satfilter" --box 3 <in.pgm'
    check "nor of standard input" "$? $(grep -c 'a terminal cannot show' screen)" "2 1"
    typed '' '"$satfilter" --box 3 --format pgm in.pgm /dev/tty'
    check "nor on the terminal itself" "$? $(grep -c P5 screen)" "2 0"

    # The second picture comes after more than a second: then the line is drawn, and stays.
    mkfifo late.pgm
    (sleep 1.3 && cat in.pgm >late.pgm) &
    long=a-name-that-is-longer-than-a-terminal-of-forty-columns-is-wide
    cp in.pgm $long.pgm
    typed '' "stty cols 40; \"\$satfilter\" -T 1 --box 3 a/1.pgm late.pgm $long.pgm -o slow"
    check "a batch at a terminal" "$? $(ls slow | wc -l)" "0 3"
    line=$(tr '\r' '\n' <screen | grep -a '1 of 3 files' | tail -n 1 | sed 's/\x1b\[K//g')
    check "progress: what has no room is left out" \
        "$(echo "$line" | grep -c '^1 of 3 files, [0-9]* s left: late.pgm [0-9]* %$')" 1
    check "the last line" "$(grep -ac 'satfilter: 3 of 3 done in [0-9.]* s ([0-9.]* a second)' screen)" 1
    rm late.pgm && mkfifo late.pgm never.pgm
    (sleep 1.3 && cat in.pgm >late.pgm) &
    typed '' 'stty cols 120; "$satfilter" -T 2 --box 3 a/1.pgm late.pgm never.pgm -o cut & child=$!
        sleep 2; kill -TERM $child; wait $child 2>/dev/null'
    line=$(tr '\r' '\n' <screen | grep -a '1 of 3 files' | tail -n 1 | sed 's/\x1b\[K//g')
    check "progress: all of it" \
        "$(echo "$line" | grep -c '^1 of 3 files, [0-9.]* a second, [0-9]* s left: late.pgm [0-9]* %$')" 1
    line=$(tr '\r' '\n' <screen | grep -a files -A 1 | tail -n 1)
    check "a signal clears the line" "$line" $'\033[K'

    # Questions are asked until they are answered.
    cp other.pgm kept.pgm
    typed $'what\nyes' '"$satfilter" --box 3 in.pgm kept.pgm'
    check "a mistyped answer" "$? $(same want.pgm kept.pgm) $(grep -ao 'overwrite? ' screen | wc -l)" "0 same 2"
    typed $'x\n\nq\ns' '"$satfilter" --box 3 a/*.pgm -o out'
    check "an empty one behind it stops" "$? $(grep -ac 'stopped; nothing was written' screen)" "1 1"
else
    skip script "questions at a terminal (no script)"
fi

# ------------------------------------------------------------ without a terminal

cp other.pgm kept.pgm
run --box 3 in.pgm kept.pgm
check "without a terminal files are replaced" "$? $(same want.pgm kept.pgm)" "0 same"
mkdir -p b done && cp in.pgm b/1.pgm && cp in.pgm b/2.pgm && cp other.pgm done/1.pgm
run --box 3 --skip-existing -r b -o done
check "a batch goes on" "$? $(same other.pgm done/1.pgm) $(same want.pgm done/2.pgm)" "0 same same"
check "what it did" "$(sed 's/ in [0-9.]* s//' stderr)" \
    "satfilter: 1 of 2 done, 1 skipped, whose outputs exist"
run --box 3 --no-clobber -r b -o done -q
check "nothing is left to do" "$? $(sed 's/ in [0-9.]* s//' stderr)" \
    "0 satfilter: 0 of 2 done, 2 skipped, whose outputs exist"

# --------------------------------------------------------- black and white: a bit a pixel

# depth FILE: the bit depth that a PNG's header says
depth() { head -c 25 "$1" | tail -c 1 | od -An -tu1 | tr -d ' '; }
page=$source/samples/page.png
run --sauvola 31 "$page" bw.png
check "one bit in PNG" "$? $(depth bw.png)" "0 1"
run --no-stream --sauvola 31 --flip v "$page" flipped.png
check "also moved, and as a whole" "$? $(depth flipped.png)" "0 1"
run --sauvola 31 --type u8 "$page" bw8.png
check "8 bits where they are asked for" "$? $(depth bw8.png)" "0 8"
run --box 1 bw.png one.npy
run --box 1 bw8.png eight.npy
check "of the same pixels" "$(same one.npy eight.npy)" same
for picture in page scene; do
    run -f --png-level 1 --sauvola 31 "$source/samples/$picture.png" runs.png
    for level in 2 3 4 5 6 7 8 9; do
        run -f --png-level $level --sauvola 31 "$source/samples/$picture.png" searched.png
        check "$picture at level $level is hardly larger than at 1" \
            "$? $(($(stat -c %s searched.png) * 100 <= $(stat -c %s runs.png) * 103))" "0 1"
    done
done
run --sauvola 31 "$page" bw.pbm
check "one bit in PBM" "$? $(head -c 2 bw.pbm)" "0 P4"
for input in bw.png bw.pbm; do
    run -f --flip h $input turned.png && run -f --no-stream --flip h turned.png back.png
    check "one bit of $input, moved" "$? $(depth turned.png) $(same bw.png back.png)" "0 1 same"
done
if run -f --compression g4 --rotate 90 bw.png bw.tif; then
    run -f --rotate 270 bw.tif turned.png
    check "one bit through TIFF" "$? $(depth turned.png) $(same bw.png turned.png)" "0 1 same"
fi
run -f --flip h bw.png moved.jpg
check "a scan of one bit may be turned into a JPEG" "$?" 0
run --sauvola 31 --box 3 "$page" grey.png
check "what is filtered again is grey" "$? $(depth grey.png)" "0 8"

# ------------------------------------------------------------------- names of -o

run --box 3 in.pgm -o result.pgm
check "-o FILE" "$? $(same want.pgm result.pgm)" "0 same"
run --box 3 in.pgm -o made/here/result.pgm
check "-o FILE in folders that are not there" "$? $(same want.pgm made/here/result.pgm)" "0 same"
run --box 3 in.pgm -o folder.pgm/
check "-o DIR/" "$? $(files folder.pgm)" "0 ./in.pgm "
run --box 3 other.pgm -o folder.pgm
check "-o of a folder that is there" "$? $(files folder.pgm)" "0 ./in.pgm ./other.pgm "
run --box 3 in.pgm other.pgm -o two.pgm
check "-o FILE with two inputs" "$? $(ls -d two.pgm 2>/dev/null)" "2 "
says 'write two.pgm/'
run --box 3 in.pgm -o deep/er/still
check "missing parents of a folder" "$? $(files deep)" "0 ./er/still/in.pgm "
run --box 3 missing.pgm -o none/at/all/x.pgm
check "no folder stays behind a failure" "$? $(ls -d none 2>/dev/null)" "1 "
run --box 3 --format pgm in.pgm -o -
check "-o - is standard output" "$? $(same want.pgm stdout)" "0 same"
run --box 3 in.pgm other.pgm -o -
check "-o - with two inputs" "$? $(ls -d ./- 2>/dev/null)$(grep -c 'takes one picture' stderr)" "2 1"

run --box 3 in.pgm -o result.jp2
check "-o with a suffix of no format" "$? $(ls -d result.jp2 2>/dev/null)" "2 "
says 'names no format.* png, jpeg, pnm, pfm, npy, tiff, webp; for a folder of that name write result.jp2/'
run --box 3 in.pgm -o result.jp2/
check "the folder of that name" "$? $(files result.jp2)" "0 ./in.pgm "
run --box 3 --format pgm in.pgm -o result.xyz
check "--format makes it a file" "$? $(same want.pgm result.xyz)" "0 same"
run --box 3 in.pgm -o results-v1.2
check "a number is no suffix" "$? $(files results-v1.2)" "0 ./in.pgm "
run --box 3 --format pgm in.pgm -o plain
check "no suffix: a folder, with --format too" "$? $(files plain)" "0 ./in.pgm "
touch there
run --box 3 --format pgm in.pgm -o there
check "a file that is there is a file" "$? $(same want.pgm there)" "0 same"
run --box 3 in.pgm -o /dev/null
check "-o /dev/null" "$? $(cat stderr)" "0 "
run --box 3 in.pgm /dev/null
check "/dev/null" "$? $(cat stderr)" "0 "
run --box 3 in.pgm other.pgm -o /dev/null
check "-o /dev/null with two inputs" "$? $(grep -c 'is not a folder' stderr)" "1 1"

# ---------------------------------------------------------------------- parents

mkdir -p p/x p/y && cp in.pgm p/x/1.pgm && cp other.pgm p/y/1.pgm
run --box 3 p/x/1.pgm p/y/1.pgm -o flat
check "equal names of two folders" "$? $(ls -d flat 2>/dev/null)" "2 "
says 'p/y/1.pgm: its output flat/1.pgm is that of p/x/1.pgm too; --parents keeps their folders apart'
run -q --parents --box 3 p/x/1.pgm ./p//y/1.pgm -o apart
check "--parents" "$? $(files apart)" "0 ./p/x/1.pgm ./p/y/1.pgm "
for name in out.pgm /dev/null -; do
    run --parents --box 3 in.pgm -o $name
    check "--parents with -o $name" "$? $(grep -c "keeps paths below a folder, and $name names" stderr)" "2 1"
done
run -q --parents --box 3 -r p/x -r "$work/p/y" -o apart2
check "--parents with -r" "$? $(files apart2)" "0 ./p/x/1.pgm .$work/p/y/1.pgm "
printf 'p/x/1.pgm\np/y/1.pgm\n' >list
run -q --parents --box 3 --filelist list -o apart3
check "--parents with a list" "$? $(files apart3)" "0 ./p/x/1.pgm ./p/y/1.pgm "
run --parents --box 3 p/../in.pgm -o apart4/below
check "never out of the folder" "$? $(ls -d apart4 2>/dev/null)" "2 "
says "'..' leads out"
run --box 3 in.pgm in.pgm -o twice
check "one input named twice" "$? $(grep -c 'in.pgm: is named twice$' stderr)" "2 1"
run --box 3 in.pgm ./in.pgm -o twice
check "by two names" "$? $(grep -c './in.pgm: is named twice, also as in.pgm$' stderr)" "2 1"
run --parents --box 3 p//x/1.pgm p/./x/1.pgm -o twice
check "two names with --parents" "$? $(grep -c 'is named twice, also as p//x/1.pgm$' stderr)" "2 1"
mkdir same && cp in.pgm same/p.pgm && cp in.pgm same/q.pgm
"$satfilter" --box 3 --format png in.pgm - >same/p.png 2>stderr
run --box 3 same/p.pgm same/p.png --format pgm -o twice
check "equal names in one folder" "$? $(ls -d twice 2>/dev/null)" "2 "
says 'same/p.png: its output twice/p.pgm is that of same/p.pgm too; filter them into different folders'
# Names that are links to one file would leave one picture of two. Those of a link's own do not.
mkdir linked && cp other.pgm linked/in.pgm && ln -s in.pgm linked/other.pgm
run --box 3 in.pgm other.pgm -o linked
check "two outputs that are one by a link" "$? $(same other.pgm linked/in.pgm)" "2 same"
says 'other.pgm: its output linked/other.pgm is that of in.pgm too; filter them into different folders'
printf 'in.pgm\nother.pgm\n' >list
run --box 3 --filelist list -o linked
check "the first of a list has it" "$? $(same want.pgm linked/in.pgm)" "3 same"
mkdir -p linked/x && ln -s x linked/y
run --box 3 -r p -o linked
check "two folders that are one by a link" "$? $(files linked/x)" "3 ./1.pgm "
cp other.pgm linked/far.pgm && ln -sf far.pgm linked/other.pgm
run -q --box 3 in.pgm other.pgm -o linked
check "a link to a file of its own" "$? $(readlink linked/other.pgm) $(same other.pgm linked/far.pgm)" "0 far.pgm same"
cp in.pgm linked/hard.pgm && ln -f linked/hard.pgm linked/in.pgm && ln -f linked/hard.pgm linked/other.pgm
run -q --box 3 in.pgm other.pgm -o linked
check "names of one file are parted" "$? $(same want.pgm linked/in.pgm) $(same other.pgm linked/other.pgm)" \
    "0 same same"
check "and what is no output stays" "$(same in.pgm linked/hard.pgm)" same

run --box 3 -r same --format pgm -o once
check "with -r the later one fails alone" "$? $(files once)" "3 ./p.pgm ./q.pgm "
says 'same/p.png: its output once/p.pgm is that of same/p.pgm too; filter them'
mkdir odd && cp in.pgm "odd/(limit: a).pgm" && cp same/p.png "odd/(limit: a).png"
run --box 3 odd/*.pgm odd/*.png --format pgm -o twice
says 'odd/(limit: a).png: its output twice/(limit: a).pgm is that of odd/(limit: a).pgm too'
run --max-pixels 3 --box 3 in.pgm out.pgm
says 'above the limit of 3 pixels (--max-pixels)$'
run --box 3 -r same --format pgm -o once --skip-existing
check "and is not taken for one that exists" "$? $(grep -c 'is that of' stderr)" "3 1"

# ---------------------------------------------------------------------- folders

mkdir -p tree/sub && cp in.pgm tree/1.pgm && cp in.pgm tree/sub/2.pgm
touch tree/a.heic tree/b.jp2 tree/sub/c.JP2
run --box 3 -r tree -o t1
check "what -r passes over" "$? $(tail -n 1 stderr)" "0 satfilter: 3 files skipped: .heic .jp2"
touch tree/README && ln -s sub tree/link
run --box 3 -r tree -o t2 --json
check "files without suffix, links" "$? $(tail -n 1 stderr)" \
    "0 satfilter: 4 files skipped: .heic .jp2, without suffix; 1 link to a folder not followed"
check "--json counts them" "$(tail -n 1 stdout | sed 's/.*"unreadable"/"unreadable"/; s/, "ms".*//')" \
    '"unreadable": 0, "skipped": 4, "skipped_suffixes": [".heic", ".jp2"], "links": 1'
ln -s nowhere tree/gone.pgm
run --box 3 -r tree -o t3
check "what cannot be read stops nothing" "$? $(files t3) $(grep -c 'tree/gone.pgm: is a link' stderr)" \
    "3 ./1.pgm ./sub/2.pgm  1"
rm tree/gone.pgm
# Root may read everything: a path that is too long cannot be read either.
(cd tree/sub && for _ in $(seq 22); do d=$(printf '%0200d' 0) && mkdir "$d" && cd "$d" || exit; done)
if [ -e tree/sub/"$(printf '%0200d' 0)" ]; then
    run --box 3 -r tree -o t4
    check "an unreadable folder stops nothing" "$? $(ls t4) $(ls t4/sub)" "3 1.pgm
sub 2.pgm"
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
run --box 3 -r pipes -o t8
check "pipes under -r are counted" "$? $(files t8) $(tail -n 1 stderr)" "0 ./in.pgm  satfilter: 1 file skipped: .pgm"
mkdir only && touch only/x.jp2
run --box 3 -r only -o t5
check "a folder without pictures" "$? $(grep -c 'hold none; 1 file skipped: .jp2' stderr)" "3 1"

# Folders as deep as a path can name take no more of the stack than others.
(cd only && for _ in $(seq 400); do printf 'a/a/a/a/a/'; done >../path && mkdir -p "$(cat ../path)")
run --box 3 -r only -o t6
check "very deep folders" "$? $(grep -c 'hold none' stderr)" "3 1"
run --box 3 tree/ only/ -o t7
check "folders as operands" "$? $(grep -c 'tree/: is a folder.* -r' stderr)" "2 1"
run --box 3 --format pgm in.pgm -o /dev/stdout
check "-o /dev/stdout" "$? $(same want.pgm stdout)" "0 same"

# A folder that cannot be made leaves none behind, and the next input tries again.
touch blocked && mkdir q && cp in.pgm q/1.pgm && cp in.pgm q/2.pgm && mkdir -p t9 && touch t9/q
run --box 3 --parents q/1.pgm q/2.pgm other.pgm -o t9
check "a folder that cannot be made" "$? $(files t9) $(grep -c '^satfilter: t9/q/[12].pgm: t9/q is no folder' stderr)" \
    "3 ./other.pgm ./q  2"
long=$(printf '%0256d' 0)
run --box 3 in.pgm -o "t10/a/$long/x.pgm"
check "no half of a path stays" "$? $(ls -d t10 2>/dev/null)" "1 "
says 'cannot be made: File name too long'
run --box 3 in.pgm -o in.pgm/x.pgm
check "a file in a folder's place" "$? $(grep -c 'in.pgm/x.pgm: in.pgm is no folder' stderr)" "1 1"
run --box 3 in.pgm in.pgm/x.pgm
check "also without -o" "$? $(grep -c 'in.pgm is no directory' stderr)" "1 1"

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
run --json --box 3 --skip-existing j.png in.pgm other.pgm -o done
check "in a batch too" "$? $(wc -l <stdout)" "0 4"
run --json --box 3 --skip-existing j.png in.pgm other.pgm -o done
check "each of them" "$? $(grep -c '"skipped": true' stdout)" "0 3"
run --json --box 3 --parents q/1.pgm q/2.pgm -o t9
check "an object where no folder can be made" "$? $(json error stdout) $(json status stdout)" \
    '1 "t9/q is no folder" "t9/q is no folder"  "SATF_IO" "SATF_IO" '
run --json --box 3 -r same --format pgm -o once
check "an object for a collision" "$(json at stdout)" '"same/p.png" '

odd=$(printf 'c1\302\233\302\240.pgm')
cp in.pgm "$odd"
run --json --box 3 "$odd" out.pgm
check "JSON holds no control characters of 8 bits" "$(grep -cF '"c1\u009b' stdout)" 1

# Notes that many inputs share are told three times, and then counted.
mkdir two && for i in 1 2 3 4 5; do cat in.pgm in.pgm >two/$i.pgm; done
run --box 3 -r two -o t11
check "a note of many" "$? $(grep -c '/[1-5].pgm: holds more than one' stderr)" "0 3"
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
    box-blur bilateral denoise adaptive-threshold contrast silent depth gray negate equalize keep; do
    known=$("$satfilter" --help | grep -c "^  --$word ")
    run --$word 3 in.pgm none.pgm
    status=$?
    answered="no such option; .*\(--[a-z]\|size\|grey\)"
    check "--$word" "$status $known $(grep -c "^satfilter: --$word: $answered" stderr)" "2 0 1"
done
for word in 'eps .* --guided N,eps=E' 'k .* --sauvola N,k=K' 'op .* --by FILE,op=add' 'passes .* --gauss S,passes=K'; do
    run --box 3 --${word%% *} 1 in.pgm none.pgm
    check "--${word%% *}" "$? $(grep -c -e "^satfilter: --${word/ /: no such option; }$" stderr)" "2 1"
done
cp in.pgm -- -y.pgm && cp in.pgm -- --box.pgm
for name in -y.pgm --box.pgm; do
    run --box 3 $name none.pgm
    check "a file $name" "$? $(grep -c "^satfilter: $name: no such option; .* write ./$name$" stderr)" "2 1"
    run --box 3 ./$name out.pgm
    check "a file ./$name" "$? $(same want.pgm out.pgm)" "0 same"
done
for letter in y:--force n:--skip-existing j:--threads i:'without an option'; do
    run -${letter%:*} in.pgm out.pgm
    check "-${letter%:*}" "$? $(grep -c -e "^satfilter: -${letter%:*}: no such option; .*${letter#*:}" stderr)" "2 1"
done
for word in crop:--crop? resize:--resize? output:--output? box:--box? \
    threads:--threads?; do
    run -${word%:*} 50% in.pgm out.pgm
    check "-${word%:*} is one word" "$? $(grep -c -e "^satfilter: -${word%:*}: .*${word#*:}$" stderr)" "2 1"
done
check "no folder of 'esize'" "$(ls -d esize utput 2>/dev/null)" ""
for guess in out:--output? boxx:--box? thread:--threads? keeps:--list zzz:--list sun:--sum?; do
    run --${guess%:*} 3 in.pgm out.pgm
    check "a guess for --${guess%:*}" "$? $(grep -c -e "${guess#*:}$" stderr)" "2 1"
done
run --rotate in.png out.png
check "a file in the value's place" "$? $(grep -c "rotate: .*in.png" stderr)" "2 1"
run --box 3 tree out.pgm
check "a folder as an input" "$? $(grep -c 'tree: is a directory.* -r' stderr)" "1 1"
run --quality 80 --box 3 in.pgm out.png
check "--quality with PNG" "$? $(ls out.png 2>/dev/null)" "2 "
says 'quality: is for jpeg and webp files; out.png is png'
run --png-level 3 --box 3 in.pgm out.jpg
check "--png-level with JPEG" "$? $(grep -c 'png-level: is for png files' stderr)" "2 1"
for outputs in 'in.pgm j.npy' 'in.pgm j.pfm' 'in.pgm other.pgm --format npy -o plain-values'; do
    # shellcheck disable=SC2086 # words
    run --box 3 --range auto $outputs
    check "--range for $outputs" "$? $(grep -c '^satfilter: --range: is for pictures; .* plain values' stderr)" "0 1"
    # shellcheck disable=SC2086
    run -q --box 3 --range 0:9 $outputs
    check "-q has no note of it" "$? $(cat stderr)" "0 "
done
run -f --box 3 --range 0:9 --type u8 in.pgm j.npy
check "nor does it change integers" "$? $(wc -l <stderr)" "0 1"
run -f --box 3 --range 0:9 in.pgm j.png
check "--range of a picture" "$? $(cat stderr)" "0 "
run -q --quality 80 --box 3 --format jpeg in.pgm other.pgm -o jpegs
check "--quality with JPEGs" "$?" 0

# -------------------------------------------------------------------------- help

run --list --json
grep -v -e '"name": "gif"' -e '"name": "tiff"' -e '"name": "webp"' stdout >own # in modules
check "formats that are read and written" \
    "$(grep -c '"reads": true, "writes": true' own) $(grep -c '"reads": true, "writes": false' own)" "5 4"
check "filters in words" "$(grep -c '^  "detail": ".' stdout)" "$(grep -c '"kind": "' stdout)"
check "what they make" "$(grep -c '"kind": "window", "output_types": {"u8": "f64", "u16": "f64"' stdout)" 4

run -V
check "-V" "$? $(grep -c '^satfilter [0-9]' stdout)" "0 1"
run help
"$satfilter" --help >usage
check "help" "$? $(same usage stdout)" "0 same"
run help box
check "help box" "$? $(grep -c '^satfilter --box' stdout)" "0 1"
run --help border
check "--help border" "$? $(grep -c -e '--border' -e 'dcb|abcd|cba' stdout)" "0 2"
run --help sauvola
check "--help sauvola: what it loses" "$? $(tr '\n' ' ' <stdout | grep -c 'pencil.*Take wolf')" "0 1"
run --help formats
check "--help formats" "$? $(grep -c '^  png  *rw' stdout)" "0 1"
run --help --quality
check "--help of an option" "$? $(grep -c '1 to 100' stdout) $(wc -l <stdout)" "0 1 5"
run --help --box 15 in.pgm out.pgm
check "--help in front of a command" "$? $(head -n 1 stdout)" "0 satfilter --box 15 in.jpg out.jpg"
run --help box stddev
check "--help of two" "$? $(grep '^satfilter' stdout | cut -d' ' -f2 | tr '\n' ' ')" "0 --box --stddev "
for topic in blur:'mean over N x N pixels is --box' blur:'Gaussian blur is --gauss S' shrink:'by --resize 640x$' \
    paint:'--kuwahara 7' bokeh:'--varbox MAP' bw:'--wolf 21' png:'png  *rw' jpg:'jpeg  *rw' \
    no-clobber:'leave existing files alone' -r:'^  -r, --recursive DIR' r:'^  --r X' \
    1r1w:1r1w 2r2w:2r2w -o:'--output DIR' \
    squared:'A flag of --integral' resize:'Smaller: the mean' scale:'--resize 50%' type:'u8 u16' \
    options:'^  --png-level N' options:'^Speed and memory:' border:'numpy.pad symmetric' \
    window:'moves half a pixel' window:'may be a length' box:'--help window' type:'floats are not saturated'; do
    run --help "${topic%%:*}"
    check "--help ${topic%%:*}" "$? $(grep -q -e "${topic#*:}" stdout && echo told)" "0 told"
done
run --help box kuwahara resize
check "--help tells of windows where there are any" "$(grep -c -e '--help window' stdout)" 2
run --help resize
check "--help resize: no window" "$? $(grep -c 'window' stdout)" "0 0"
run --help=box
check "--help=box" "$? $(grep -c '^satfilter --box' stdout)" "0 1"
run --help box in.png
check "--help of what is no topic" "$? $(wc -c <stdout) $(grep -c "nothing on 'in.png'; see --list" stderr)" "2 0 1"
run --help brder
check "--help of nothing" "$? $(grep -c 'did you mean border?' stderr)" "2 1"
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
    run $words
    check "$words" "$? $(same wanted.pgm made.pgm)" "0 same"
done
for wrong in 0 3x 3x0 -3 3.5 31,k=many; do
    run --sauvola "$wrong" "$page" wrong.pgm
    check "a wrong size $wrong" "$? $(grep -c ' --sauvola: ' stderr) $(ls wrong.pgm 2>/dev/null)" "2 1 "
done
run --box
check "a default, but no input" "$? $(grep -c 'no input' stderr)" "2 1"
for border in replicate:clamp BORDER_REPLICATE:clamp reflect101:mirror BORDER_REFLECT_101:mirror \
    symmetric:reflect Wrap:wrap grid-constant:constant:0; do
    run --box 3 --border "${border%%:*}" in.pgm wrong.pgm
    check "--border ${border%%:*}" "$? $(grep -c "called ${border#*:}$" stderr)" "2 1"
    run --box "3,border=${border%%:*}" in.pgm wrong.pgm
    check "border=${border%%:*}" "$? $(grep -c "called ${border#*:}$" stderr)" "2 1"
done
run --box 3 --border torus in.pgm wrong.pgm
check "a border of nobody's" "$? $(grep -c 'valid are possible$' stderr)" "2 1"
# "put --integral last" is for what follows an integral.
for words in '--sum 3 --integral --box 3' '--box 3 --sum 3 --integral'; do
    # shellcheck disable=SC2086 # words
    run $words in.pgm wrong.pgm
    check "$words" "$? $(grep -c 'integral cannot filter u32.*or f64$' stderr)" "2 1"
done

# --------------------------------------------------------- lists, names, pipes

printf 'in.pgm\r\nother.pgm\r\n' >crlf
run -q --box 3 --filelist crlf -o c1
check "CR LF in a list" "$? $(files c1)" "0 ./in.pgm ./other.pgm "
odd=$(printf 'esc\033[31m.pgm')
cp in.pgm "$odd"
run -v --box 3 "$odd" "out$odd"
check "-v escapes names" "$? $(grep -c "$(printf '\033')" stderr) $(grep -cF 'esc\x1b[31m.pgm: ' stderr)" "0 0 2"
"$satfilter" --box 3 <in.pgm >piped 2>stderr
check "no file at all: the input's format" "$? $(same want.pgm piped)" "0 same"
"$satfilter" --box 3 <in.pgm 2>stderr | cmp -s - want.pgm
check "into a pipe" $? 0
"$satfilter" --box 3 --format png <in.pgm 2>stderr | head -c 4 | tail -c 3 >stdout
check "--format goes first" "$(cat stdout)" PNG
"$satfilter" --box 3 /dev/stdin - --format pgm <in.pgm >piped 2>stderr
check "/dev/stdin" "$? $(same want.pgm piped)" "0 same"
for name in /dev/stdout -; do
    echo before >piped
    "$satfilter" --box 3 in.pgm $name >>piped 2>stderr
    check "$name without --format" "$? $(head -c 11 piped | tail -c 3)" "0 PNG"
done
"$satfilter" --box 3 --quality 50 <in.pgm >piped 2>stderr
check "--quality for what is no JPEG" "$? $(grep -c 'quality is for jpeg and webp files; this is pnm' stderr)" "0 1"
run --box 3 in.pgm /dev/stdin
check "/dev/stdin is no output" "$? $(grep -c '/dev/stdin: is standard input, and no output' stderr)" "2 1"
run --box 3 in.pgm -o /dev/fd/0
check "nor behind -o" "$? $(grep -c 'is standard input, and no output' stderr)" "2 1"
run --box 3 /dev/stdout out.pgm
check "/dev/stdout is no input" "$? $(grep -c 'is standard output, and no input' stderr)" "2 1"
run --box 3 in.pgm ''
check "an empty name" "$? $(grep -c "^satfilter: '' is not the name of a file; name the output" stderr)" "2 1"
run --box 3 '' in.pgm -o out
check "an empty name of an input" "$? $(grep -c "'' is not the name of a file; name the input" stderr)" "2 1"
printf '\357\273\277in.pgm\nother.pgm\n' >marked
run -q --box 3 --filelist marked -o c2
check "a byte order mark in front of a list" "$? $(files c2)" "0 ./in.pgm ./other.pgm "
for range in auto:10% auto:10; do
    run -q --box 1 --range $range in.pgm range-${range%\%}.pgm
    check "--range $range" "$?" 0
done
for range in auto:10%% auto:% auto:60% 0:10%; do
    run --box 1 --range $range in.pgm out.pgm
    check "--range $range" "$? $(grep -c '^satfilter: --range: ' stderr)" "2 1"
done
run --box 3,at=2:0 in.pgm other.pgm -o at
check "at= beside the window" "$? $(wc -l <stderr) $(ls -d at 2>/dev/null)" "2 1 "
says '^satfilter: --box: at=2:0 of box: a window of 3 x 3 contains its own pixel for -1 to 1'
run --threads -1 --box 3 in.pgm out.pgm
check "--threads -1" "$? $(grep -c '^satfilter: --threads: ' stderr)" "2 1"
run --box 3
check "/dev/null is no input" "$? $(grep -c 'no input and no output' stderr)" "2 1"

echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
