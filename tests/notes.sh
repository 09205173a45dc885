#!/usr/bin/env bash
# What the command says of results that are not all that their inputs were, and what it writes then.
set -u
. "$(dirname "$0")/script.sh"

begins() { head -c 4 "$1" | od -An -tx1 | tr -d ' '; }

# --------------------------------------------------------- black and white

mkdir scans scans/old
run --box 1 "$source/samples/page.png" scans/a.jpg
cp scans/a.jpg scans/old/b.JPEG && cp "$source/samples/page.png" scans/c.png
for words in '--sauvola 31' '--wolf 31' '--adaptive --invert' '--box 3 --sauvola 31 --flip v --rotate 90'; do
    # shellcheck disable=SC2086 # some words
    run $words scans/a.jpg out.jpg
    check "$words to a JPEG" "$? $(files . | grep -c out.jpg) $(said)" \
        "2 0 out.jpg: a JPEG blurs black and white; write .png, or --type u8 for shades of grey"
done
gives '2  1' 'echo "$(files x) $(grep -c "blurs black and white" stderr)"' --sauvola 31 scans/a.jpg -o x --format jpeg
run --sauvola 31 scans/a.jpg - --format jpg
check "to standard output" "$? $(wc -c <stdout) $(grep -c 'blurs black and white' stderr)" "2 0 1"
for words in '--sauvola 31 --box 3' '--sauvola 31 --type u8' '--sauvola 31 --range 0:255' '--range auto --wolf 31' \
    '--wolf 31,k=0.5,surface' '--surface --adaptive --flip h'; do
    # shellcheck disable=SC2086
    gives '0 ffd8ffe0 ' 'echo "$(begins grey.jpg) $(said)"' -f $words scans/a.jpg grey.jpg
done

fills 0 'a.png c.png old/b.png' --sauvola 31 -r scans -o bw # a batch writes .png
check "which are PNGs" "$(begins bw/a.png) $(begins bw/old/b.png)" "89504e47 89504e47"
check "it says so once" "$(grep -c 'black and white goes to .png; a JPEG blurs it$' stderr)" 1
run --sauvola 31 scans/a.jpg -o one/
check "a folder for one input" "$? $(files one) $(said)" "0 ./a.png  black and white goes to .png; a JPEG blurs it"
gives '0 ./b.png  ' 'echo "$(files quiet) $(said)"' -q --wolf 31 --flip h -r scans/old -o quiet
gives '0 ./c.png  ' 'echo "$(files none) $(said)"' --sauvola 31 scans/c.png -o none # no JPEG, no note
gives '0 ./a.jpg  ' 'echo "$(files grey) $(said)"' --sauvola 31 --box 3 scans/a.jpg -o grey
gives '0 0' "grep -c 'black and white' stderr" --sauvola 21,surface scans/a.jpg -o surface # and so does a surface
mkdir twice && cp scans/a.jpg twice/a.jpg && cp scans/c.png twice/a.png
run --sauvola 31 -r twice -o t
check "a.jpg and a.png" "$? $(files t) $(grep -c 'twice/a.png: its output t/a.png is that of twice/a.jpg too' stderr)" \
    "3 ./a.png  1"
after '0 89504e47 -: is written as png; a JPEG blurs black and white' 'echo "$(begins bw.any) $(said)"' \
    '"$satfilter" --sauvola 31 <scans/a.jpg >bw.any'

# ------------------------------------------------------------- JPEGs of phones

"$satfilter" -q --box 9 "$source/samples/page.png" first.jpg
cat first.jpg scans/a.jpg >two.jpg
{ cat first.jpg && printf '\0\0\0\030ftypmp42\0\0\0\0mp42isom'; } >motion.jpg
for route in --stream --no-stream; do
    tells 0 'two.jpg: its second picture (such as a gain map) is not kept' -f $route --box 1 two.jpg out.png
    tells 0 'motion.jpg: its video is not kept' -f $route --box 1 motion.jpg out.jpg
    tells 0 '' -f $route --strip --box 1 motion.jpg out.jpg
done

# ------------------------------------------------------------------- damage

# Bytes between two segments of a JPEG, in front of its pixels.
{ head -c 20 first.jpg && printf junk && tail -c +21 first.jpg; } >junk.jpg
damage="is damaged: bytes that make no sense are passed over; it may look wrong"
for route in --stream --no-stream; do
    run -f $route --box 1 first.jpg whole.png
    run -f $route --json --box 1 junk.jpg damaged.png
    check "damage that is read past, $route" \
        "$? $(said) $(grep -o '"damaged": true' stdout) $(cmp whole.png damaged.png && echo same)" \
        "3 junk.jpg: $damage \"damaged\": true same"
    tells 3 "junk.jpg: $damage" -q -f $route --box 1 junk.jpg damaged.png
done
for i in 1 2 3 4 5; do
    cp junk.jpg "junk$i.jpg"
done
run --json --box 1 first.jpg junk?.jpg -o many
check "a batch names each" "$? $(grep -c ": $damage" stderr) $(grep -c '6 of 6 done in .* 5 damaged$' stderr)" "3 5 1"
check "and counts them" "$(tail -n 1 stdout | grep -c '"done": 6, "failed": 0, .*"damaged": 5')" 1
ends 1 'junk.jpg: the file is damaged: bytes of it make no sense' -f --by junk.jpg,op=sub first.jpg out.png
head -c 10000 first.jpg >cut.jpg
{ cat cut.jpg && printf '\377\331'; } >closed.jpg
run --box 1 cut.jpg closed.jpg -o cut
check "missing pixels are an error" "$? $(files cut) $(grep -c 'damaged\|truncated' stderr)" "1  2"

# ------------------------------------------------------------------- a fax

fax="is damaged: lines of the fax make no sense or have a wrong length; they may look wrong"
cp "$source/tests/fuzz/corpus/tiff/group3-lengths" fax.tif
run --box 1 fax.tif fax.png
code=$?
if [ -e "$build/libsatfilter-tiff.la" ]; then
    check "a fax with lines of a wrong length" "$code $(said)" \
        "3 fax.tif: $fax"
    cp "$source/tests/fuzz/corpus/tiff/pages-bad-code" pages.tif
    run --json --box 1 pages.tif both.tif
    check "a damaged page of two" \
        "$? $(said) $(grep -o '"pages": 2,' stdout) $(grep -o '"damaged": true' stdout)" \
        "3 pages.tif: page 1: $fax \"pages\": 2, \"damaged\": true"
    cp "$source/tests/fuzz/corpus/tiff/rgb-unnamed" four.tif
    tells 0 'four.tif: its fourth sample, which nothing names, is taken for alpha' --box 1 four.tif four.png
else
    skip tiff "a fax and the tags of a TIFF (built without libtiff)"
fi

# ------------------------------------------------------------- a TIFF's tags

seeds=$source/tests/fuzz/corpus/tiff
if [ -e "$build/libsatfilter-tiff.la" ]; then
    cp "$seeds/tags" tags.tif && cp "$seeds/imagej" imagej.tif
    maker="tags.tif: the camera maker's notes in its EXIF change their place, which makes offsets in them wrong"
    for route in --stream --no-stream; do
        tells 0 '' -f $route --box 3 imagej.tif out.tif
        tells 0 "$maker" -f $route --box 3 tags.tif out.tif
        tells 0 "tags.tif: its GeoTIFF data is not kept: the pixels change their places
$maker" -f $route --flip h tags.tif out.tif
        tells 0 'imagej.tif: its description, which programs read, is not kept: it tells of other pages or samples' \
            -f $route --box 3 --page 1 imagej.tif out.tif
        tells 0 "tags.tif: its GeoTIFF data is not kept: the pixels change their places
$maker
tags.tif: its text ('a text', 'ab') is not kept
tags.tif: its page name is not kept" -f $route --flip h tags.tif out.png
        tells 0 "$maker
tags.tif: its text ('a text', 'ab') is not kept
tags.tif: its page name and GeoTIFF data are not kept" -f $route --box 3 tags.tif out.jpg
        tells 0 '' -f $route --strip --flip h tags.tif out.tif
    done
    # The first tag of text says that it is nearly as long as memory.
    { head -c 348 tags.tif && printf '\377\377\377\177' && tail -c +353 tags.tif; } >damaged.tif
    tells 0 "damaged.${maker#tags.}
damaged.tif: its damaged metadata is not kept" -f --box 3 damaged.tif out.tif
fi

# ------------------------------------------------------------------ --stats

# Means of 3 x 3: 2 3 4 3 4 5, a mean of 3.5 and a variance of 11/12.
printf 'P5 3 2 255\n\001\002\003\004\005\006' >in.pgm
run --json --stats --box 3 in.pgm counted.pgm
check "--stats in --json" "$? $(grep -o '"stats": [^]]*]' stdout | sed 's/9574271[0-9]*/9574271/')" \
    '0 "stats": [{"samples": 6, "least": 2, "greatest": 5, "mean": 3.5, "deviation": 0.9574271}]'
tells 0 'counted.pgm: least 2, greatest 5, mean 3.5, deviation 0.9574271078' -f -q --stats --box 3 in.pgm counted.pgm

# ------------------------------------------------- formats that are not read

mkdir -p shots/deep empty
printf '\377\117\377\121' >shots/a.jp2 && printf '\0\0\0\030ftypheic' >shots/deep/b.HEIC && : >shots/.hidden.jp2
for quiet in '' -q; do
    # shellcheck disable=SC2086
    tells 3 'no input: the lists and folders hold none; 2 files skipped: .jp2 .heic' $quiet --box 3 -r shots -o s
    # shellcheck disable=SC2086
    tells 2 'no input: the lists and folders hold none' $quiet --box 3 -r empty -o s
done
cp scans/c.png shots/
gives '0 ./c.png  2 files skipped: .jp2 .heic' 'echo "$(files s) $(said)"' --box 3 -r shots -o s # something beside them
tells 0 '' -q --box 3 -r shots -o s -f # something beside them, -q
tells 1 'shots/a.jp2: is a JPEG 2000 file, which cannot be read; opj_decompress makes a picture of it' \
    --box 3 shots/a.jp2 x.png
run --box 3 shots/a.jp2 shots/deep/b.HEIC shots/c.png -o some
check "others go on" "$? $(files some) $(grep -c 'is a \(JPEG 2000\|HEIC\) file' stderr)" "3 ./c.png  2"

# ------------------------------------------------------------- upright pictures

cp "$source/tests/fuzz/corpus/png/exif_thumbnails" side.png # orientation 6
run --box 1 side.png plain.npy
gives '0 0' 'said | grep -c orientation' --auto-orient side.png upright.npy
gives '0 same ' 'echo "$(same upright.npy turned.npy) $(same upright.npy plain.npy)"' --rotate 90 side.png turned.npy
run --auto-orient --json side.png upright.png
check "in JSON" "$? $(grep -o '"filter": "copy", "width": [0-9]*' stdout)" '0 "filter": "copy", "width": 2'
run --auto-orient upright.png again.npy && run --box 1 upright.png same.npy
check "an upright picture stays" "$(same again.npy same.npy)" same
ends 1 'its pixels are turned by its orientation, for which all are held (--stream)$' \
    --auto-orient --stream side.png no.npy
ends 2 'no filter: say what to do' --no-stream -f side.png no.npy # no filter, and nothing else to do

# ------------------------------------------------------------ words of others

for word in circle:3 disk:15 square:7x5; do
    ends 2 "^satfilter: --box: '$word' is no window .* windows are rectangles" --box $word first.jpg no.png
done
cp first.jpg disk:9
gives '0 89504e47' 'begins disk.png' -f --box disk:9 disk.png # a file disk:9
for word in gamma median deskew despeckle erode dilate overlay orient levels saturation composite append density; do
    run --$word 3 first.jpg no.png
    check "--$word" "$? $(wc -l <stderr) $(grep -c "^satfilter: --$word: no such option; .*" stderr) \
$(grep -c 'see --help' stderr)" "2 1 1 0"
done
printf '%%PDF-1.7\n' >scan.pdf
tells 1 'scan.pdf: is a PDF file, which cannot be read; pdftoppm -tiff -r 300 makes pictures of its pages' \
    --box 3 scan.pdf no.png

finish
