#!/usr/bin/env bash
# Outputs that exist: without a terminal they are replaced, which is told; what satfilter cannot
# have written stays; what is passed over is counted.
set -u
. "$(dirname "$0")/script.sh"

# what it said, without the time that it took
said() { sed 's/^satfilter: //; s/ in [0-9.]* s\( ([0-9.]* a second)\)*//' stderr | tr '\n' '|'; }
# ended WHAT STATUS STATUS-AND-LINES FILE OUTPUT: how the command ended, and that the output is as
# the file.
ended() { check "$1" "$2 $(said)$(same "$4" "$5")" "$3same"; }

printf 'P5\n3 2\n255\n\001\002\003\004\005\006' >in.pgm
printf 'P5\n3 2\n255\n\011\011\011\011\011\011' >other.pgm
echo 'a text, and all that there is of it' >text
run --box 3 in.pgm want.pgm
run --box 3 in.pgm want.png
run --box 3 in.pgm want.jpg
run --box 3 in.pgm want.npy
run --box 3 in.pgm want.ppm
run --box 3 in.pgm want.pfm
check "what is new is not told of" "$(said)" ""

# ------------------------------------------------------------- one file

mkdir two && cp want.png two/a.png && run --flip h want.png two/b.png
(cd two && "$satfilter" --box 1 *.png >../stdout 2>../stderr </dev/null)
ended "a pattern that two files match" $? '0 b.png: existed and was replaced; -o DIR takes several pictures|' \
    want.png two/b.png
mkdir near && cp in.pgm near/in.pgm && cp other.pgm near/out.pgm
run --box 3 near/in.pgm ./near/out.pgm
ended "in one folder" $? '0 ./near/out.pgm: existed and was replaced; -o DIR takes several pictures|' \
    want.pgm near/out.pgm
run --box 3 in.pgm near/out.pgm
ended "in two folders" $? '0 near/out.pgm: existed and was replaced|' want.pgm near/out.pgm
run --box 3 in.pgm want.png
ended "of two suffixes" $? '0 want.png: existed and was replaced|' want.png want.png
cp other.pgm out.pgm
run --box 3 in.pgm -o out.pgm
ended "-o FILE" $? '0 out.pgm: existed and was replaced|' want.pgm out.pgm
"$satfilter" --box 3 - out.pgm <in.pgm >stdout 2>stderr
ended "of standard input" $? '0 out.pgm: existed and was replaced|' want.pgm out.pgm
for option in -q -f; do
    cp other.pgm out.pgm
    run $option --box 3 in.pgm out.pgm
    ended "$option says nothing" $? '0 ' want.pgm out.pgm
done
: >out.pgm
run --json --box 3 in.pgm out.pgm
ended "an empty file is no loss" $? '0 ' want.pgm out.pgm
check "nor for --json" "$(grep -c replaced stdout)" 0
cp in.pgm out.pgm
run --json --box 3 out.pgm ./out.pgm
ended "in place" $? '0 ./out.pgm: was the input, and was replaced by the result|' want.pgm out.pgm
check "--json has that too" "$(grep -c '"replaced": true}$' stdout)" 1
for option in -q -f; do
    cp in.pgm out.pgm
    run $option --box 3 out.pgm out.pgm
    ended "in place, $option says nothing" $? '0 ' want.pgm out.pgm
done
cp in.pgm out.pgm && ln -s out.pgm same.pgm
run --box 3 same.pgm out.pgm
ended "in place behind a link" $? '0 out.pgm: was the input, and was replaced by the result|' want.pgm out.pgm
cp in.pgm out.pgm && ln out.pgm twin.pgm
run --box 3 twin.pgm out.pgm
ended "another name of the input's file" $? "0 out.pgm: the file that it replaces has 1 other name \
(hard links), which keeps the old picture|out.pgm: existed and was replaced; -o DIR takes several pictures|" \
    want.pgm out.pgm
check "keeps the picture" "$(same in.pgm twin.pgm)" same
cp other.pgm far.pgm && ln -s far.pgm link.pgm
run --box 3 in.pgm -o link.pgm
ended "behind a link" $? '0 link.pgm: existed and was replaced|' want.pgm far.pgm
for option in -v -q -f; do
    run --json $option --box 3 in.pgm out.pgm
    check "--json $option" "$? $(grep -c '"replaced": true}$' stdout)" "0 1"
done
run --box 3 in.pgm /dev/null
check "a device" "$? $(said)" "0 "
mkfifo pipe.pgm
cat pipe.pgm >out.pgm &
run --box 3 in.pgm pipe.pgm
status=$?
wait
ended "a pipe" $status '0 ' want.pgm out.pgm
run --box 3 missing.pgm out.pgm
check "what failed has replaced nothing" "$? $(grep -c replaced stderr)" "1 0"

# ------------------------------------------------------------- a batch

mkdir in && cp in.pgm in/1.pgm && cp in.pgm in/2.pgm && cp in.pgm in/3.pgm
run --box 3 -r in -o out
check "a new batch" "$? $(said)" "0 3 of 3 done|"
run --box 1 --json -r in -o out
check "again with another filter" "$? $(said)$(same in.pgm out/2.pgm)" "0 3 of 3 done, 3 existing files replaced|same"
check "--json has each of them" "$(grep -c '"replaced": true' stdout)" 3
check "and their number" "$(tail -n 1 stdout | grep -c '"existing": 0, "replaced": 3, ')" 1
rm out/1.pgm out/3.pgm
run --box 3 --json in/*.pgm -o out
check "one of three" "$? $(said)" "0 3 of 3 done, 1 existing file replaced|"
check "--json has that one" "$(grep '"replaced": true' stdout | grep -c '"output": "out/2.pgm"')" 1
run --box 3 in/1.pgm -o out
check "a folder for one input" "$? $(said)" "0 out/1.pgm: existed and was replaced|"
run -q --box 3 -r in -o out
check "-q" "$? $(said)" "0 "
run -f --json --box 3 -r in -o out
check "-f" "$? $(said)" "0 3 of 3 done|"
check "--json counts in any case" "$(tail -n 1 stdout | grep -c '"replaced": 3, ')" 1

# -------------------------------------------- what satfilter cannot have written

# keeps WHAT MESSAGE FILE OUTPUT OPTION...: the output, made as that file, is kept with that message.
keeps()
{
    local what=$1 message=$2 file=$3 output=$4
    shift 4
    rm -f "$output"
    cp "$file" "$output"
    run -q --box 3 "$@" in.pgm "$output"
    ended "$what" $? "1 $output: is kept, for it $message; -f replaces it|" "$file" "$output"
    run --box 3 -f "$@" in.pgm "$output"
    check "$what, with -f" "$? $(said)$(same "$file" "$output")" "0 "
}
# fits WHAT FILE OUTPUT OPTION...: it is replaced, and that is told.
fits()
{
    local what=$1 file=$2 output=$3
    shift 3
    cp "$file" "$output"
    run --box 9 "$@" in.pgm -o "$output"
    check "$what" "$? $(said)$(same "$file" "$output")" "0 $output: existed and was replaced|"
}
keeps "a text" 'holds no png' text text.png
keeps "a PNG named .jpg" 'holds png, not jpeg' want.png png.jpg
keeps "a JPEG named .png" 'holds jpeg, not png' want.jpg jpg.png
keeps "a PFM named .pgm" 'holds pfm, not pnm' want.pfm pfm.pgm
keeps "a text named .npy" 'holds no npy' text text.npy
printf 'GIF89a\001\000\001\000\000\000\000;' >dot
keeps "a GIF" 'holds gif, not png' dot dot.gif --format png
keeps "a text without suffix" 'holds no pnm' text notes --format pgm
keeps "a text with a suffix of its own" 'holds no png' text notes.txt --format png
keeps "neither the suffix nor the format" 'holds npy, not png' want.npy three.jpg --format png
printf x >byte
keeps "a single byte" 'holds no png' byte byte.png
fits "a PPM named .pgm" want.ppm ppm.pgm
fits "arrays" want.npy array.npy
fits "the suffix's format" want.jpg suffix.jpg --format png
fits "the format that it gets" want.png format.jpg --format png
fits "a picture without suffix" want.npy picture --format png
head -c 20 want.png >cut
fits "a PNG that is cut short" cut cut.png
ln -s text text-link.png
run --box 3 in.pgm text-link.png
check "behind a link" "$? $(said)$(readlink text-link.png)" \
    "1 text-link.png: is kept, for it holds no png; -f replaces it|text"
check "the text is whole" "$(cat text)" 'a text, and all that there is of it'
cp text text.png
cp text self.png
"$satfilter" --box 3 self.png self.png 2>stderr >stdout
check "in place it is an input" "$? $(grep -c 'format is not known' stderr)" "1 1"
cp want.png self.jpg
run --box 3 self.jpg self.jpg
check "and what it holds does not matter" "$? $(said)$(od -An -tx1 -N2 self.jpg)" \
    "0 self.jpg: was the input, and was replaced by the result| ff d8"
run --json --box 3 in.pgm text.png
check "--json has the error" "$? $(grep -o '"error".*' stdout)" \
    '1 "error": "is kept, for it holds no png; -f replaces it", "status": "SATF_IO", "at": "text.png"}'

cp text out/2.pgm && rm out/3.pgm
run --box 9 --json -r in -o out
check "one of a batch stays, the others go on" "$? $(said)$(same text out/2.pgm)" \
    "3 out/2.pgm: is kept, for it holds no pnm; -f replaces it|2 of 3 done, 1 existing file replaced, 1 failed|same"
check "--json counts both" "$(tail -n 1 stdout | grep -c '"done": 2, "failed": 1, "existing": 0, "replaced": 1, ')" 1
cp text out/1.pgm && cp text out/3.pgm
run -T 2 --box 3 -r in -o out
check "all of a batch stay" "$? $(grep -c 'is kept, for it holds no pnm; -f' stderr) $(same text out/1.pgm)" "1 3 same"
check "nothing else is left" "$(find out -name '.*' | wc -l)" 0
run -f --box 3 -r in -o out
check "-f replaces them" "$? $(said)$(same want.pgm out/2.pgm)" "0 3 of 3 done|same"

if [ "$(id -u)" -eq 0 ]; then user='setpriv --reuid=65534 --regid=65534 --clear-groups'; else user=; fi
chmod 755 . && mkdir -m 777 theirs
# shellcheck disable=SC2086 # some words, or none
if $user "$satfilter" --version >stdout 2>stderr; then
    $user cp other.pgm theirs/out.pgm && $user chmod 200 theirs/out.pgm
    $user "$satfilter" --box 3 in.pgm theirs/out.pgm >stdout 2>stderr
    check "what may not be read" "$? $(said)" \
        "1 theirs/out.pgm: is kept, for it cannot be read: Permission denied; -f replaces it|"
else
    skip other-users "what may not be read (nobody else can run the program)"
fi

# ------------------------------------------------------------- what is passed over

run -q --skip-existing --variance 3 -r in -o out
check "--skip-existing -q" "$? $(said)" "0 0 of 3 done, 3 skipped, whose outputs exist|"
rm out/2.pgm && touch in/notes.txt
run -q --skip-existing --box 3 -r in -o out
check "one of them is done" "$? $(said)" "0 1 of 3 done, 2 skipped, whose outputs exist|"
run -q --skip-existing --box 3 in.pgm out.pgm
check "one file" "$? $(said)" "0 nothing to do, 1 skipped, whose outputs exist|"
run -q --skip-existing --box 3 in.pgm fresh.pgm
check "nothing was passed over" "$? $(said)" "0 "
run --skip-existing --json --box 3 -r in -o out
check "--json" "$? $(tail -n 1 stdout | grep -c '"existing": 3, "replaced": 0, ')" "0 1"

# ------------------------------------------------------------- at a terminal

# typed ANSWER COMMAND: runs the command at a terminal on which the answer is typed; its output is in
# the file screen.
typed() { printf '%s\n' "$1" | SHELL=/bin/sh script -qec "$2" /dev/null >screen; }
if command -v script >/dev/null 2>&1; then
    cp text text.png
    typed n '"$satfilter" --box 3 in.pgm text.png'
    check "a question about any file" "$? $(grep -c 'exists; overwrite' screen) $(same text text.png)" "1 1 same"
    typed y '"$satfilter" --box 3 in.pgm text.png'
    check "is the last word" "$? $(same want.png text.png) $(grep -c 'was replaced' screen)" "0 same 0"
    cp in.pgm self.pgm
    typed n '"$satfilter" --box 3 self.pgm self.pgm'
    check "a question about the input" "$? $(grep -c 'is the input itself; overwrite' screen) $(same in.pgm self.pgm)" \
        "1 1 same"
    typed y '"$satfilter" --box 3 self.pgm self.pgm'
    check "which is replaced then" "$? $(same want.pgm self.pgm) $(grep -c 'was replaced' screen)" "0 same 0"
    typed o '"$satfilter" --box 3 -r in -o out'
    check "so is one about many" "$? $(grep -c '3 of 3 done in [0-9.]* s.$' screen)" "0 1"
else
    skip script "questions at a terminal (no script)"
fi

echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
