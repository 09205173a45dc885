#!/usr/bin/env python3
"""What becomes of metadata, as exiftool sees it: PNGs and JPEGs, each with one kind, through
satfilter --box 3 into both formats. Every tag must be kept, be changed in a way that is told here,
or be dropped with a note; anything else is an error. exiftool is Debian's libimage-exiftool-perl.

    metadata.py SATFILTER            writes the table into docs/formats.md
    metadata.py SATFILTER --check    exits with 1 if the page has another
"""
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import zlib

sys.dont_write_bytecode = True  # the source tree may be read-only, and stays as it is

from base import TOP, table

PAGE = TOP / "docs/formats.md"
BEGIN, END = "<!-- metadata -->\n", "<!-- end -->"
FORMATS = ("png", "jpg")
KEPT, CHANGED, DROPPED = "kept", "changed: ", "dropped with a note"
OWN = "speaks of the file alone, and goes"

# ------------------------------------------------------------------ pictures
WIDTH, HEIGHT = 12, 10


def chunk(name, data):
    body = name.encode() + data
    return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))


def png(ahead=b"", behind=b"", colour=2):
    channels = {0: 1, 2: 3, 6: 4}[colour]
    rows = b"".join(b"\0" + bytes((7 * x + 11 * y) % 256 for x in range(WIDTH * channels))
                    for y in range(HEIGHT))
    return (b"\x89PNG\r\n\x1a\n"
            + chunk("IHDR", struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, colour, 0, 0, 0)) + ahead
            + chunk("IDAT", zlib.compress(rows)) + behind + chunk("IEND", b""))


def marker(number, data):
    return struct.pack(">BBH", 0xff, number, len(data) + 2) + data


def plain_jpeg(satfilter, folder):
    """One without anything but JFIF."""
    there = folder / "plain.jpg"
    there.with_suffix(".png").write_bytes(png())
    subprocess.run([satfilter, "--strip", "--box", "1", there.with_suffix(".png"), there], check=True)
    return there.read_bytes()


def jpeg(plain, markers, jfif=None):
    """The plain one with markers in front, and another JFIF or none (b"")."""
    head, rest = plain[2:20], plain[20:]
    assert head[:4] == b"\xff\xe0\0\x10"
    return plain[:2] + (head if jfif is None else jfif) + markers + rest


# ------------------------------------------------------------------ metadata
def ascii_entry(tag, text):
    return tag, 2, text.encode() + b"\0"


def rational(tag, value):
    return tag, 5, struct.pack("<II", value, 1)


def tiff(entries, thumbnail=b""):
    """EXIF of entries (tag, type, bytes), and a second directory with the thumbnail."""
    sizes = {2: 1, 3: 2, 4: 4, 5: 8}
    values = 8 + 2 + 12 * len(entries) + 4
    head, tail = b"", b""
    for tag, kind, data in sorted(entries):
        count = len(data) // sizes[kind]
        if len(data) > 4:
            head += struct.pack("<HHII", tag, kind, count, values + len(tail))
            tail += data + b"\0" * (len(data) % 2)
        else:
            head += struct.pack("<HHI", tag, kind, count) + data.ljust(4, b"\0")
    link, second = 0, b""
    if thumbnail:
        link = values + len(tail)
        at = link + 2 + 2 * 12 + 4
        second = (struct.pack("<H", 2) + struct.pack("<HHII", 0x201, 4, 1, at)
                  + struct.pack("<HHII", 0x202, 4, 1, len(thumbnail)) + struct.pack("<I", 0)
                  + thumbnail)
    return (b"II*\0" + struct.pack("<I", 8) + struct.pack("<H", len(entries)) + head
            + struct.pack("<I", link) + tail + second)


def profile(text, words):
    """A raw profile's text, as ImageMagick writes it."""
    digits = words.hex()
    lines = "\n".join(digits[i:i + 72] for i in range(0, len(digits), 72))
    return f"\n{text}\n{len(words):8}\n{lines}\n".encode()


def raw(kind, words):
    return chunk("zTXt", f"Raw profile type {kind}".encode() + b"\0\0"
                 + zlib.compress(profile(kind, words)))


def text(keyword, value="said here"):
    return chunk("tEXt", keyword.encode() + b"\0" + value.encode("latin-1"))


def packed_text(keyword, value="said here"):
    return chunk("zTXt", keyword.encode() + b"\0\0" + zlib.compress(value.encode("latin-1")))


def international(keyword, value, packed=False):
    data = value.encode()
    return chunk("iTXt", keyword.encode() + (b"\0\1\0" if packed else b"\0\0\0") + b"\0\0"
                 + (zlib.compress(data) if packed else data))


def resource(number, data):
    return (b"8BIM" + struct.pack(">H", number) + b"\0\0" + struct.pack(">I", len(data)) + data
            + b"\0" * (len(data) % 2))


def icc():
    """Of a display with gamma 1.8 and odd colours."""
    def xyz(*values):
        return b"XYZ \0\0\0\0" + struct.pack(">3i", *(round(v * 65536) for v in values))
    named = b"desc\0\0\0\0" + struct.pack(">I", 6) + b"A name".ljust(7, b"\0") + b"\0" * 78
    tags = [(b"desc", named + b"\0" * (-len(named) % 4)), (b"wtpt", xyz(0.9642, 1, 0.8249)),
            (b"cprt", b"text\0\0\0\0nobody's\0\0\0\0"),
            (b"rXYZ", xyz(0.5, 0.25, 0.02)), (b"gXYZ", xyz(0.3, 0.65, 0.08)),
            (b"bXYZ", xyz(0.1642, 0.1, 0.7249))]
    tags += [(name, b"curv\0\0\0\0\0\0\0\1\1\xcd\0\0") for name in (b"rTRC", b"gTRC", b"bTRC")]
    at, list_, data = 128 + 4 + 12 * len(tags), b"", b""
    for name, body in tags:
        list_ += name + struct.pack(">II", at + len(data), len(body))
        data += body
    head = (struct.pack(">I", at + len(data)) + b"\0\0\0\0\2\x10\0\0mntrRGB XYZ "
            + struct.pack(">6H", 2020, 2, 2, 2, 2, 2) + b"acsp" + b"\0" * 28
            + bytes.fromhex("0000f6d6000100000000d32d"))
    return head.ljust(128, b"\0") + struct.pack(">I", len(tags)) + list_ + data


XMP = """<?xpacket begin='\ufeff' id='W5M0MpCehiHzreSzNTczkc9d'?>
<x:xmpmeta xmlns:x='adobe:ns:meta/'>
<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>
<rdf:Description rdf:about='' xmlns:dc='http://purl.org/dc/elements/1.1/'%s>
<dc:format>a format</dc:format><dc:source>Käthe</dc:source></rdf:Description></rdf:RDF>
</x:xmpmeta><?xpacket end='w'?>"""
MOTION = " xmlns:GCamera='http://ns.google.com/photos/1.0/camera/' GCamera:MotionPhoto='1'"
XMP_NOTE = " xmlns:xmpNote='http://ns.adobe.com/xmp/note/' xmpNote:HasExtendedXMP='%s'"
GUID = "0123456789ABCDEF0123456789ABCDEF"
APP1_XMP, APP1_EXIF = b"http://ns.adobe.com/xap/1.0/\0", b"Exif\0\0"
EXIF = tiff([ascii_entry(0x10f, "a maker"), ascii_entry(0x13b, "an artist"),
             ascii_entry(0x8298, "nobody's"), (0x112, 3, b"\6\0")])
RESOLUTION = tiff([rational(0x11a, 300), rational(0x11b, 200), (0x128, 3, b"\2\0")])
THUMBNAIL = bytes.fromhex("ffd8ffdb0004aaaaffc40004bbbbffda0004ccccdddddddddddddddd") + b"\xff\xd9"
IPTC = b"\x1c\2\x78\0\x09a caption\x1c\2\x50\0\4Jane"
EXTENDED = (b"http://ns.adobe.com/xmp/extension/\0" + GUID.encode() + struct.pack(">II", 9, 0)
            + b"<x>hi</x>")
HDR = {"cICP": bytes((9, 16, 0, 1)), "mDCV": struct.pack(">8H2I", *range(10, 18), 10000000, 50),
       "cLLI": struct.pack(">II", 10000000, 4000000)}


def kinds(plain):
    """name, format, file, {format of the result: how it changes, beginnings of tags that may go,
    beginning of a tag that shows it}"""
    gamma = chunk("gAMA", struct.pack(">I", 50000))
    colours = chunk("cHRM", struct.pack(">8I", 31270, 32900, 64000, 33000, 21000, 71000, 15000,
                                        6000))
    to_icc = {"jpg": ("an ICC profile that says the same", "PNG:", "ICC_Profile:")}
    rounded = {"jpg": ("dots per inch or centimetre", "PNG-pHYs:", "JFIF:XResolution")}
    bare = {f: ("without the small picture", ("JFXX:", "IFD1:Thumbnail"), "") for f in FORMATS}
    yield "ICC profile (iCCP)", "png", png(chunk("iCCP", b"a\0\0" + zlib.compress(icc()))), {
        "png": ("the chunk gives it another name", "PNG:ProfileName", "PNG:ProfileName"),
        "jpg": ("without the name that the chunk gives it", "PNG:ProfileName", "ICC_Profile:")}
    yield "ICC profile of other pixels", "png", png(
        chunk("iCCP", b"a\0\0" + zlib.compress(icc())), colour=0), {}
    yield "cHRM that is impossible", "png", png(chunk("cHRM", struct.pack(">8I", *[1] * 8))), {}
    yield "gAMA", "png", png(gamma), to_icc
    yield "gAMA and cHRM", "png", png(gamma + colours), to_icc
    yield "gAMA of grey", "png", png(gamma, colour=0), to_icc
    yield "sRGB", "png", png(chunk("sRGB", b"\0")), {
        "jpg": ("no profile, which means sRGB", "PNG:SRGBRendering", "")}
    for name, data in HDR.items():
        yield name, "png", png(chunk(name, data)), {}
    yield "resolution (pHYs)", "png", png(chunk("pHYs", struct.pack(">IIB", 11811, 11811, 1))), rounded
    yield "EXIF (eXIf)", "png", png(chunk("eXIf", EXIF)), {}
    yield "EXIF behind the pixels", "png", png(behind=chunk("eXIf", EXIF)), {}
    yield "XMP (iTXt)", "png", png(international("XML:com.adobe.xmp", XMP % "")), {}
    yield "packed XMP", "png", png(international("XML:com.adobe.xmp", XMP % "", True)), {}
    yield "XMP behind the pixels", "png", png(
        behind=international("XML:com.adobe.xmp", XMP % "")), {}
    yield "Raw profile type exif", "png", png(raw("exif", APP1_EXIF + EXIF)), {}
    yield "Raw profile type APP1", "png", png(raw("APP1", APP1_EXIF + EXIF)), {}
    yield "Raw profile type xmp", "png", png(raw("xmp", (XMP % "").encode())), {}
    yield "Raw profile type iptc", "png", png(raw("iptc", resource(0x404, IPTC))), {}
    yield "Raw profile type iptc without Photoshop's block", "png", png(raw("iptc", IPTC)), {}
    yield "Raw profile type 8bim", "png", png(raw("8bim", resource(0x404, IPTC))), {}
    yield "Raw profile type icc", "png", png(raw("icc", icc())), {}
    for name in ("Author", "Copyright"):
        yield f"text {name}", "png", png(text(name)), {}
        yield f"packed text {name}", "png", png(packed_text(name)), {}
        yield f"text {name} of Unicode", "png", png(international(name, "Käthe")), {}
        yield f"text {name} behind the pixels", "png", png(behind=text(name)), {}
    for name in ("Title", "Description", "Comment", "Disclaimer", "Warning", "Source",
                 "Creation Time", "Artist"):
        yield f"text {name}", "png", png(text(name)), {}
    yield "bKGD", "png", png(chunk("bKGD", b"\0\1\0\2\0\3")), {}
    yield "sBIT", "png", png(chunk("sBIT", b"\5\6\5")), {}
    yield "PLTE of RGB", "png", png(chunk("PLTE", bytes(range(12)))), {}
    yield "hIST", "png", png(chunk("PLTE", bytes(range(6))) + chunk("hIST", b"\0\1\0\2")), {}
    yield "sPLT", "png", png(chunk("sPLT", b"a name\0\x08" + bytes(range(6)))), {}
    yield "oFFs", "png", png(chunk("oFFs", struct.pack(">iiB", 5, 6, 0))), {}
    yield "pCAL", "png", png(chunk("pCAL", b"a name\0" + struct.pack(">iiBB", 0, 255, 0, 2)
                                   + b"m\0000\0001")), {}
    yield "sCAL", "png", png(chunk("sCAL", b"\0011\0001")), {}
    yield "sTER", "png", png(chunk("sTER", b"\0")), {}
    yield "C2PA (caBX)", "png", png(chunk("caBX", struct.pack(">I", 41) + b"jumb" + struct.pack(
        ">I", 33) + b"jumdc2pa" + bytes.fromhex("00110010800000aa00389b71") + b"\3c2pa\0\0\0\0")), {}
    yield "animation (acTL)", "png", png(
        chunk("acTL", struct.pack(">II", 2, 0))
        + chunk("fcTL", struct.pack(">IIIIIHHBB", 0, WIDTH, HEIGHT, 0, 0, 1, 10, 0, 0)),
        chunk("fcTL", struct.pack(">IIIIIHHBB", 1, 1, 1, 0, 0, 1, 10, 0, 0))
        + chunk("fdAT", struct.pack(">I", 2) + zlib.compress(b"\0\1\2\3"))), {}
    itself = {f: (OWN, "PNG:", "") for f in FORMATS}
    yield "tIME", "png", png(chunk("tIME", struct.pack(">HBBBBB", 2020, 2, 3, 4, 5, 6))), itself
    for name in ("Software", "date:create", "date:modify", "date:timestamp"):
        yield f"text {name}", "png", png(text(name, "2020-02-02T02:02:02+00:00")), itself

    def app1(lead, data):
        return jpeg(plain, marker(0xe1, lead + data))
    resources = resource(0x404, IPTC) + resource(0x3ed, struct.pack(">IHHIHH", 72 << 16, 1, 1,
                                                                    72 << 16, 1, 1))
    yield "density (JFIF)", "jpg", jpeg(
        plain, b"", marker(0xe0, b"JFIF\0\1\1\1" + struct.pack(">HHBB", 300, 200, 0, 0))), {
            "png": ("pixels per metre", "JFIF:", "PNG-pHYs:PixelsPerUnitX")}
    yield "JFIF's small picture (JFXX)", "jpg", jpeg(
        plain, marker(0xe0, b"JFXX\0\x13\1\1abc")), bare
    yield "ICC profile (APP2)", "jpg", jpeg(plain, marker(0xe2, b"ICC_PROFILE\0\1\1" + icc())), {}
    yield "EXIF (APP1)", "jpg", app1(APP1_EXIF, EXIF), {}
    yield "EXIF's resolution", "jpg", jpeg(plain, marker(0xe1, APP1_EXIF + RESOLUTION), b""), {
        "png": ("stands in pHYs too", (), "PNG-pHYs:PixelsPerUnitX"),
        "jpg": ("stands in JFIF too", (), "JFIF:XResolution")}
    yield "EXIF's small picture", "jpg", app1(
        APP1_EXIF, tiff([ascii_entry(0x10f, "a maker")], THUMBNAIL)), bare
    yield "XMP (APP1)", "jpg", app1(APP1_XMP, (XMP % "").encode()), {}
    yield "second EXIF", "jpg", jpeg(plain, marker(0xe1, APP1_EXIF + EXIF) + marker(
        0xe1, APP1_EXIF + tiff([ascii_entry(0x131, "a program")]))), {}
    yield "extended XMP", "jpg", jpeg(
        plain, marker(0xe1, APP1_XMP + (XMP % (XMP_NOTE % GUID)).encode()) + marker(0xe1, EXTENDED)), {}
    yield "XMP of a video (MotionPhoto)", "jpg", jpeg(plain, marker(0xe1, APP1_XMP + (
        XMP % (MOTION)).encode())), {}
    yield "IPTC (APP13)", "jpg", jpeg(
        plain, marker(0xed, b"Photoshop 3.0\0" + resource(0x404, IPTC))), {}
    yield "Photoshop's resources", "jpg", jpeg(plain, marker(0xed, b"Photoshop 3.0\0" + resources)), {}
    yield "Photoshop's small picture", "jpg", jpeg(plain, marker(
        0xed, b"Photoshop 3.0\0" + resources + resource(0x40c, b"\0\0\0\1".ljust(28, b"\0")
                                                        + THUMBNAIL))), bare
    yield "comment (COM)", "jpg", jpeg(plain, marker(0xfe, b"said here")), {}
    yield "several pictures (MPF, APP2)", "jpg", jpeg(plain, marker(
        0xe2, b"MPF\0II*\0\x08\0\0\0\1\0\0\xb0\7\0\4\0\0\0000100\0\0\0\0")), {}
    yield "C2PA (APP11)", "jpg", jpeg(plain, marker(
        0xeb, b"JP\0\1\0\0\0\1" + struct.pack(">I", 41) + b"jumb" + struct.pack(">I", 33)
        + b"jumdc2pa" + bytes.fromhex("00110010800000aa00389b71") + b"\3c2pa\0\0\0\0")), {}
    yield "picture info (APP12)", "jpg", jpeg(plain, marker(
        0xec, b"[picture info]\r\nType=a type\r\n\0")), {}


# ----------------------------------------------------------------- comparing
def chunk_tags(path):
    """The HDR chunks, which not every exiftool knows."""
    data, at, found = path.read_bytes(), 8, {}
    while path.suffix == ".png" and at < len(data):
        (n,) = struct.unpack(">I", data[at:at + 4])
        name = data[at + 4:at + 8].decode()
        if name in HDR:
            found[f"chunk:{name}"] = data[at + 8:at + 8 + n].hex()
        at += 12 + n
    return found


CODING = ("SourceFile", "ExifTool:", "System:", "File:", "Composite:")


def read_tags(paths):
    """{path: {group:tag: value}} of what is no pixels and no coding."""
    said = subprocess.run(["exiftool", "-j", "-G1", "-a", "-u", "-b", *paths], check=True,
                          capture_output=True, text=True).stdout
    return {pathlib.Path(one["SourceFile"]): {
        **{tag: value for tag, value in one.items()
           if not tag.startswith(CODING) or tag == "File:Comment"},
        **chunk_tags(pathlib.Path(one["SourceFile"]))} for one in json.loads(said)}


def judge(before, after, notes, change):
    """A cell of the table; a ValueError if something is lost in silence."""
    lost = [tag for tag, value in before.items() if after.get(tag) != value]
    if change:
        told, may_go, shows = change
        if notes or not all(tag.startswith(may_go) for tag in lost) or not any(
                tag.startswith(shows) for tag in after):
            raise ValueError(f"is not {told}, or loses more: {', '.join(lost)}; {notes}")
        return told if told == OWN else CHANGED + told
    if lost and not notes:
        raise ValueError(f"loses {', '.join(lost)} in silence")
    if notes and not lost:
        raise ValueError(f"has a note though all of it is kept: {notes}")
    return DROPPED if lost else KEPT


def convert(satfilter, source, result):
    """What satfilter notes."""
    run = subprocess.run([satfilter, "--box", "3", source, result], capture_output=True, text=True,
                         check=False)
    if run.returncode:
        sys.exit(f"{source}: {run.stderr}")
    return run.stderr.strip()


def compare(satfilter, folder):
    """The table's lines, and what is wrong."""
    plain = plain_jpeg(satfilter, folder)
    cases = [("bare", "png", png(), {}), ("bare", "jpg", plain, {}), *kinds(plain)]
    notes, paths = {}, []
    for i, (_, suffix, data, _) in enumerate(cases):
        source = folder / f"{i}.{suffix}"
        source.write_bytes(data)
        results = [folder / f"{i}.of.{to}" for to in FORMATS]
        notes.update({result: convert(satfilter, source, result) for result in results})
        paths += [source, *results]
    tags = read_tags(paths)
    bare = {"png": tags[folder / "0.png"], "jpg": tags[folder / "1.jpg"]}
    lines, wrong = [], []
    for i, (name, suffix, _, changes) in enumerate(cases[2:], 2):
        before = {tag: value for tag, value in tags[folder / f"{i}.{suffix}"].items()
                  if bare[suffix].get(tag) != value}
        if not before:
            wrong.append(f"{name}: exiftool sees nothing of it")
        line = ["PNG" if suffix == "png" else "JPEG", name]
        for to in FORMATS:
            result = folder / f"{i}.of.{to}"
            try:
                line.append(judge(before, tags[result], notes[result], changes.get(to)))
            except ValueError as error:
                wrong.append(f"{name}, {suffix} to {to}: {error}")
        lines.append(line)
    return lines, wrong


def alike(lines):
    """One line for all kinds that fare alike."""
    groups = {}
    for suffix, name, *cells in lines:
        groups.setdefault((suffix, *cells), []).append(name)
    return [[suffix, ", ".join(names), *cells] for (suffix, *cells), names in groups.items()]


def main(satfilter, check):
    os.environ["LC_ALL"] = "C.UTF-8"
    with tempfile.TemporaryDirectory() as folder:
        lines, wrong = compare(os.path.abspath(satfilter), pathlib.Path(folder))
    for text_ in wrong:
        print(text_)
    if wrong:
        return 1
    page = PAGE.read_text(encoding="utf-8")
    made = table(["<of a", "<metadata", "<in a PNG", "<in a JPEG"], alike(lines))
    before, rest = page.split(BEGIN)
    fresh = before + BEGIN + made + "\n" + END + rest.split(END, 1)[1]
    if check and fresh != page:
        print("docs/formats.md: the table of metadata is another than what exiftool finds")
    elif not check:
        PAGE.write_text(fresh, encoding="utf-8")
    return int(check and fresh != page)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ["--check"]):
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], len(sys.argv) == 3))
