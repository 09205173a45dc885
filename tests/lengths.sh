#!/usr/bin/env bash
# Windows that are lengths, on the command line: each file's resolution makes its own pixels.
set -u
. "$(dirname "$0")/script.sh"
needs python3 "the pictures are made by python3"

windows() { grep -o '"window": \(null\|\[[0-9, ]*\]\)' stdout | cut -d ' ' -f 2- | tr '\n' ';'; }

python3 - <<'PYTHON' || exit 1
import struct
import zlib

WIDTH, HEIGHT = 90, 70
def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
rows = b"".join(bytes([0] + [(x * 7919 + y * 104729) // 8 % 256 for x in range(WIDTH)])
                for y in range(HEIGHT))
def write(name, resolution=None, unit=1):
    with open(name, "wb") as f:
        f.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 0, 0, 0, 0)))
        if resolution:
            f.write(chunk(b"pHYs", struct.pack(">IIB", *resolution, unit)))
        f.write(chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))
write("300.png", (11811, 11811)) # per metre
write("300x150.png", (11811, 5906))
write("none.png")
write("aspect.png", (1, 2), 0)
write("zero.png", (0, 11811))
PYTHON

# ----------------------------------------------------------------- one picture

run --box 31x15 300x150.png pixels.png
for words in '--box 0.1in' '--box=0.1in' '--box 2.54mm' '--box 0.1inx0.254cm' '--stream --box 0.1in' \
    '--no-stream --box 0.1in'; do
    # shellcheck disable=SC2086 # some words
    gives '0 [31, 15]; same' 'echo "$(windows) $(same length.png pixels.png)"' --json $words 300x150.png length.png
    rm -f length.png
done
run --sauvola 0.33in,border=mirror 300.png length.png && run --sauvola 99,border=mirror 300.png pixels.png
check "a length and parameters" "$? $(same length.png pixels.png)" "0 same"
run -v --sauvola 0.33in 300x150.png out.png
check "-v" "$? $(sed -n 's/^    \(.*\), [a-z]* engine, .*/\1/p' stderr)" "0 sauvola: 99 x 49 pixels"
rm -f out.png
run -v --sauvola 31 --integral none.png out.npy
check "-v of pixels, and of no window" \
    "$? $(sed -n 's/^    \(.*\) engine, .*/\1/p' stderr | cut -d , -f 1 | tr '\n' ';')" \
    "0 sauvola: 31 x 31 pixels;integral: sat;"
gives '0 [23, 11];null;[11, 23];' 'windows' --json --box 2mm --rotate 90 --box 2mm 300x150.png turned.png # a turn
run --json --box 3 turned.png out.npy && run --json --box 2mm turned.png 2.png
check "the turned picture" "$? $(windows)" "0 [11, 23];"
run --box 1 300x150.png 300x150.jpg && run --json --box 0.1in 300x150.jpg out2.png
check "a JPEG" "$? $(windows)" "0 [31, 15];"
run --json --box 0.1in 300x150.png - --format png
check "a picture to standard output" "$? $(grep -o '"window": [^a-z]*]' stderr)" '0 "window": [31, 15]'
"$satfilter" --box 0.1in <300x150.png >piped.png 2>stderr
gives '0 same' 'same piped.png pixels2.png' --box 31x15 300x150.png pixels2.png # a pipe

# ------------------------------------------------------------------- refusals

for words in none.png aspect.png zero.png; do
    run --box 2mm $words refused.png
    code=$?
    case $words in aspect.png) why="its resolution in no unit" ;; *) why="no resolution" ;; esac
    check "$words" "$code $(said) $(ls refused.png 2>/dev/null)" \
        "1 $words: size=2mm of box is a length, but the file names $why; give it in pixels "
done
tells 1 '300.png: size = 7000mm, 82681x82681 pixels: 1 to 65535 are possible' --box 7000mm 300.png refused.png
for size in 3x2mm 2mmx3 -2mm 0mm 2mmm 1e308in nanin infmm 1e3in 0x1in 10001in 99999999999999999999in; do
    gives "2 --box: '$size' is no window for box " 'echo "$(said | cut -d : -f 1-2) $(ls refused.png 2>/dev/null)"' \
        --box=$size 300.png refused.png
done

# ------------------------------------------------- words that are sizes, or files

cp 300.png 2mm.png && cp 300.png 3in && mkdir new
gives '0 [31, 31];' 'windows' --json --sauvola 2mm.png out3.png # a name that begins like a length
gives '0 [31, 31];' 'windows' --json --sauvola ./3in out4.png # ./3in is a file
gives '0 [35, 35];' 'windows' --json --sauvola 3mm,k=0.3 ./3in out5.png # a length and a file

# ------------------------------------------------------------------------- --dpi

run --box 31 none.png pixels.png
gives '0 [31, 31]; ' 'echo "$(windows) $(said)"' --json --dpi 300 --box 0.1in none.png dpi.png # --dpi
gives '0 [31, 31];' 'windows' --json --box 0.1in dpi.png dpi2.png # the output names it
gives '0 [31, 15]; 300x150.png: keeps the 300 x 150 dpi that it names (--dpi)' 'echo "$(windows) $(said)"' \
    --json --dpi 100 --box 0.1in 300x150.png dpi3.png
gives '0 [11, 21];' 'windows' --json --dpi 100 --box 0.1in aspect.png dpi4.png # a file that names a ratio
for wrong in 0 -3 x 300dpi 1e7 nan; do
    gives '2 ' 'ls dpi5.png 2>/dev/null' --dpi "$wrong" --box 3 none.png dpi5.png
done

# ---------------------------------------------------------------------- a batch

run --json --box 0.1in 300.png none.png 300x150.png -o made
check "a batch" "$? $(windows) $(cd made && echo *)" "3 [31, 31];[31, 15]; 300.png 300x150.png"
check "the one without" "$(grep -c '"error": "size=0.1in of box is .* the file names no resolution' stdout)" 1
gives '0 same' 'same made/300x150.png batch.png' --box 31x15 300x150.png batch.png # its pixels

finish
