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
# leaves FILE OUTPUT STATUS SENTENCES WORD...: the command ends and says so, and the output is as the file
leaves()
{
    local file=$1 output=$2 wanted="$3 $4"
    shift 4
    run "$@"
    ended "$*" $? "$wanted" "$file" "$output"
}

printf 'P5\n3 2\n255\n\001\002\003\004\005\006' >in.pgm
printf 'P5\n3 2\n255\n\011\011\011\011\011\011' >other.pgm
echo 'a text, and all that there is of it' >text
run --box 3 in.pgm want.pgm
run --box 3 in.pgm want.png
run --box 3 in.pgm want.jpg
run --box 3 in.pgm want.npy
run --box 3 in.pgm want.ppm
gives '0 ' 'said' --box 3 in.pgm want.pfm # what is new is not told of

# ------------------------------------------------------------- one file

mkdir two && cp want.png two/a.png && run --flip h want.png two/b.png
(cd two && "$satfilter" --box 1 *.png >../stdout 2>../stderr </dev/null)
ended "a pattern that two files match" $? '0 b.png: existed and was replaced; -o DIR takes several pictures|' \
    want.png two/b.png
mkdir near && cp in.pgm near/in.pgm && cp other.pgm near/out.pgm
leaves want.pgm near/out.pgm 0 './near/out.pgm: existed and was replaced; -o DIR takes several pictures|' \
    --box 3 near/in.pgm ./near/out.pgm
leaves want.pgm near/out.pgm 0 'near/out.pgm: existed and was replaced|' --box 3 in.pgm near/out.pgm # in two folders
leaves want.png want.png 0 'want.png: existed and was replaced|' --box 3 in.pgm want.png # of two suffixes
cp other.pgm out.pgm
leaves want.pgm out.pgm 0 'out.pgm: existed and was replaced|' --box 3 in.pgm -o out.pgm # -o FILE
"$satfilter" --box 3 - out.pgm <in.pgm >stdout 2>stderr
ended "of standard input" $? '0 out.pgm: existed and was replaced|' want.pgm out.pgm
for option in -q -f; do
    cp other.pgm out.pgm
    leaves want.pgm out.pgm 0 '' $option --box 3 in.pgm out.pgm
done
: >out.pgm
leaves want.pgm out.pgm 0 '' --json --box 3 in.pgm out.pgm # an empty file is no loss
check "nor for --json" "$(grep -c replaced stdout)" 0
cp in.pgm out.pgm
leaves want.pgm out.pgm 0 './out.pgm: was the input, and was replaced by the result|' --json --box 3 out.pgm ./out.pgm
check "--json has that too" "$(grep -c '"replaced": true}$' stdout)" 1
for option in -q -f; do
    cp in.pgm out.pgm
    leaves want.pgm out.pgm 0 '' $option --box 3 out.pgm out.pgm
done
cp in.pgm out.pgm && ln -s out.pgm same.pgm
leaves want.pgm out.pgm 0 'out.pgm: was the input, and was replaced by the result|' --box 3 same.pgm out.pgm
cp in.pgm out.pgm && ln out.pgm twin.pgm
run --box 3 twin.pgm out.pgm
ended "another name of the input's file" $? "0 out.pgm: the file that it replaces has 1 other name \
(hard links), which keeps the old picture|out.pgm: existed and was replaced; -o DIR takes several pictures|" \
    want.pgm out.pgm
check "keeps the picture" "$(same in.pgm twin.pgm)" same
cp other.pgm far.pgm && ln -s far.pgm link.pgm
leaves want.pgm far.pgm 0 'link.pgm: existed and was replaced|' --box 3 in.pgm -o link.pgm # behind a link
for option in -v -q -f; do
    run --json $option --box 3 in.pgm out.pgm
    check "--json $option" "$? $(grep -c '"replaced": true}$' stdout)" "0 1"
done
tells 0 '' --box 3 in.pgm /dev/null # a device
mkfifo pipe.pgm
cat pipe.pgm >out.pgm &
run --box 3 in.pgm pipe.pgm
status=$?
wait
ended "a pipe" $status '0 ' want.pgm out.pgm
gives '1 0' 'grep -c replaced stderr' --box 3 missing.pgm out.pgm # what failed has replaced nothing

# ------------------------------------------------------------- a batch

mkdir in && cp in.pgm in/1.pgm && cp in.pgm in/2.pgm && cp in.pgm in/3.pgm
tells 0 '3 of 3 done|' --box 3 -r in -o out # a new batch
run --box 1 --json -r in -o out
check "again with another filter" "$? $(said)$(same in.pgm out/2.pgm)" "0 3 of 3 done, 3 existing files replaced|same"
check "--json has each of them" "$(grep -c '"replaced": true' stdout)" 3
check "and their number" "$(tail -n 1 stdout | grep -c '"existing": 0, "replaced": 3, ')" 1
rm out/1.pgm out/3.pgm
tells 0 '3 of 3 done, 1 existing file replaced|' --box 3 --json in/*.pgm -o out # one of three
check "--json has that one" "$(grep '"replaced": true' stdout | grep -c '"output": "out/2.pgm"')" 1
tells 0 'out/1.pgm: existed and was replaced|' --box 3 in/1.pgm -o out # a folder for one input
tells 0 '' -q --box 3 -r in -o out
tells 0 '3 of 3 done|' -f --json --box 3 -r in -o out
check "--json counts in any case" "$(tail -n 1 stdout | grep -c '"replaced": 3, ')" 1

# -------------------------------------------- what satfilter cannot have written

# keeps WHAT MESSAGE FILE OUTPUT OPTION...: the output, made as that file, is kept with that message.
keeps()
{
    local what=$1 message=$2 file=$3 output=$4
    shift 4
    rm -f "$output"
    cp "$file" "$output"
    leaves "$file" "$output" 1 "$output: is kept, for it $message; -f replaces it|" -q --box 3 "$@" in.pgm "$output"
    gives '0 ' 'echo "$(said)$(same "$file" "$output")"' --box 3 -f "$@" in.pgm "$output"
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
gives '1 text-link.png: is kept, for it holds no png; -f replaces it|text' 'echo "$(said)$(readlink text-link.png)"' \
    --box 3 in.pgm text-link.png
check "the text is whole" "$(cat text)" 'a text, and all that there is of it'
cp text text.png
cp text self.png
"$satfilter" --box 3 self.png self.png 2>stderr >stdout
check "in place it is an input" "$? $(grep -c 'format is not known' stderr)" "1 1"
cp want.png self.jpg
gives '0 self.jpg: was the input, and was replaced by the result| ff d8' 'echo "$(said)$(od -An -tx1 -N2 self.jpg)"' \
    --box 3 self.jpg self.jpg
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
gives '0 3 of 3 done|same' 'echo "$(said)$(same want.pgm out/2.pgm)"' -f --box 3 -r in -o out

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

tells 0 '0 of 3 done, 3 skipped, whose outputs exist|' -q --skip-existing --variance 3 -r in -o out # --skip-existing -q
rm out/2.pgm && touch in/notes.txt
tells 0 '1 of 3 done, 2 skipped, whose outputs exist|' -q --skip-existing --box 3 -r in -o out # one of them is done
tells 0 'nothing to do, 1 skipped, whose outputs exist|' -q --skip-existing --box 3 in.pgm out.pgm # one file
tells 0 '' -q --skip-existing --box 3 in.pgm fresh.pgm # nothing was passed over
run --skip-existing --json --box 3 -r in -o out
check "--json" "$? $(tail -n 1 stdout | grep -c '"existing": 3, "replaced": 0, ')" "0 1"

# ------------------------------------------------------------- at a terminal

if command -v script >/dev/null 2>&1; then
    cp text text.png
    typed n '"$satfilter" --box 3 in.pgm text.png'
    check "a question about any file" "$? $(grep -c 'exists; overwrite' screen) $(same text text.png)" "1 1 same"
    typed y '"$satfilter" --box 3 in.pgm text.png'
    check "is the last word" "$? $(same want.png text.png) $(grep -c 'was replaced' screen)" "0 same 0"
    cp in.pgm self.pgm
    answers n '1 1 same' 'echo "$(grep -c "is the input itself; overwrite" screen) $(same in.pgm self.pgm)"' \
        '"$satfilter" --box 3 self.pgm self.pgm'
    typed y '"$satfilter" --box 3 self.pgm self.pgm'
    check "which is replaced then" "$? $(same want.pgm self.pgm) $(grep -c 'was replaced' screen)" "0 same 0"
    answers o '0 1' 'grep -c "3 of 3 done in [0-9.]* s.$" screen' '"$satfilter" --box 3 -r in -o out'
else
    skip script "questions at a terminal (no script)"
fi

finish
