"""Whole pages as cameras and scanners see them, drawn from a seed: what thresholds.py reads.

The words are ordinary ones, drawn at random, so that no text is anybody's. The fonts are those of
Debian's fonts-dejavu-core, fonts-liberation and fonts-freefont-ttf.
"""
import dataclasses
import io
import os

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

SHEETS = {200: (8.27, 11.69), 300: (5.83, 8.27)}  # inches by dpi: A4, and A5 as books have it
FOLDER = os.environ.get("SCAN_FONTS", "/usr/share/fonts/truetype")
FONTS = ["dejavu/DejaVuSans.ttf", "dejavu/DejaVuSerif.ttf", "liberation/LiberationSans-Regular.ttf",
         "liberation/LiberationSerif-Regular.ttf", "freefont/FreeSans.ttf", "freefont/FreeSerif.ttf"]
PRINTER = ["dejavu/DejaVuSansMono.ttf", "liberation/LiberationMono-Regular.ttf", "freefont/FreeMonoBold.ttf"]
WORDS = """able above across after again air all almost along also always animal answer apple arm around ask
autumn away back bag ball bank basket bear because bed been before began behind below bench best better
between bird black blue board boat body book both bottle bread bridge bring brother brown build butter
button buy call came card carry castle cat catch chair change child circle city clean clear clock close
cloud coat coffee cold colour come copper corn corner country cover cross cup dark daughter deep desk
different dinner door down draw dream dress drive each early earth east easy egg eight empty engine enough
evening every face family far farm father feather feel field finger fire first fish five flag floor flower
follow foot forest found four fresh friend from fruit full garden gate gave give glass gold good grass
great green ground grow half hammer hand happy harbour hat have head hear heart heavy help here high hill
hold home horse hot hour house hundred ice inside island jacket join journey keep kettle key kind kitchen
knife know ladder lake lamp land large last late laugh leaf learn leather left letter light line listen
little long look lunch machine many map market matter meadow meet metal middle milk minute mirror money
month moon morning mother mountain mouth move much music name narrow near neck needle never new night nine
north nothing number often old open orange order other over page paint paper park part pass pencil people
picture piece place plain plant plate play pocket pond pool potato press price pull quick quiet quite rain
reach read ready red rest rice rich ring river road rock roof room root rope round salt same sand school
sea second seed seven shade shape sheep ship shirt shoe shop short shoulder side silver sister six skin
sky sleep slow small smoke snow soap soft some song soon south speak spoon spring square stand star start
station stay step stick still stone stop store story street strong sugar summer sun supper sure sweet
table take talk tall teach tell ten than thank that their then thick thin thing think third thread three
through ticket time tired today together took tower town train tree trip turn twelve two under until upon
valley very village voice wagon wait walk wall want warm wash watch water wave weather week well west wet
what wheel when where which while white wide wind window winter wish with wonder wood wool word work
world write yard year yellow yesterday young""".split()


@dataclasses.dataclass
class Look:
    """How a page is seen: all between 0 and 1, but for inches, pixels of blur and levels of noise."""
    dpi: int
    cover: np.ndarray        # where ink is
    light: np.ndarray
    ink: float | np.ndarray  # how much of the light ink takes
    back: float | np.ndarray  # how much of it the other side takes
    blur: float
    noise: float
    quality: int
    paper: tuple | None = None  # the colours of a page that is not grey
    tone: tuple = (1, 1, 1)     # how much of each colour its ink takes


@dataclasses.dataclass
class Scan:
    text: str
    file: bytes


# ------------------------------------------------------------------- fields
def smooth(field, radius):
    return cv2.GaussianBlur(field, (0, 0), radius)


def places(look):
    """Columns and rows in inches."""
    height, width = look.cover.shape
    return (np.arange(width, dtype=np.float32) / look.dpi,
            np.arange(height, dtype=np.float32)[:, None] / look.dpi)


def ramp(rng, look):
    """0 to 1 across the page, in any direction."""
    x, y = places(look)
    angle = rng.uniform(0, 2 * np.pi)
    along = x * np.float32(np.cos(angle)) + y * np.float32(np.sin(angle))
    return (along - along.min()) / np.ptp(along)


def clouds(rng, shape, cell):
    """Noise as coarse as a cell of so many pixels, mean 0, deviation 1."""
    cell = max(1, round(cell))
    coarse = rng.normal(size=(shape[0] // cell + 3, shape[1] // cell + 3)).astype(np.float32)
    field = cv2.resize(coarse, shape[::-1], interpolation=cv2.INTER_CUBIC)
    return (field - field.mean()) / field.std()


def step(field, width):
    """0 where a field is below 0, 1 where it is above, and in between within about a width."""
    return 1 / (1 + np.exp(-np.clip(4 * field / np.float32(width), -50, 50)))


def shadow(rng, look, inches):
    """Light beyond a line across the page is down to a quarter or a half, over so many inches."""
    height, width = look.cover.shape
    side = (ramp(rng, look) - rng.uniform(0.35, 0.65)) * np.hypot(width, height) / look.dpi
    look.light *= 1 - rng.uniform(0.5, 0.75) * step(side, inches)


# -------------------------------------------------------------------- kinds
def even(rng, look):
    """Nothing but what all pages have."""


def shading(rng, look):
    look.light *= 1 - rng.uniform(0.55, 0.8) * ramp(rng, look)


def gutter(rng, look):
    away = places(look)[0]
    if rng.random() < 0.5:
        away = away[::-1]
    look.light *= 1 - 0.9 * np.exp(-away / rng.uniform(0.25, 0.5))


def bleed_through(rng, look):
    other, _ = written(rng, look.dpi, FONTS, 1)
    other = np.roll(other[:, ::-1], rng.integers(look.dpi // 4), axis=0)
    look.back = rng.uniform(0.12, 0.35) * smooth(other, rng.uniform(0.004, 0.008) * look.dpi)


def hard_shadow(rng, look):
    shadow(rng, look, rng.uniform(0.015, 0.03))


def soft_shadow(rng, look):
    shadow(rng, look, rng.uniform(0.4, 0.8))


def pencil(rng, look):
    grain = np.clip(0.75 + 0.25 * clouds(rng, look.cover.shape, look.dpi / 100), 0.2, 1)
    look.ink = rng.uniform(0.16, 0.26) * grain
    look.noise *= 0.6


def faded_ink(rng, look):
    look.ink = 0.85 - rng.uniform(0.6, 0.7) * ramp(rng, look)


def wavy_ink(rng, look):
    """Pale and darker in waves across the page, as a worn ribbon or a dry pen leaves it."""
    height, width = look.cover.shape
    waves = ramp(rng, look) * np.hypot(width, height) / look.dpi / rng.uniform(0.8, 3)
    look.ink = 0.4 + 0.15 * np.sin(2 * np.pi * (waves + rng.random()))


def stains(rng, look):
    spots = step(clouds(rng, look.cover.shape, 0.45 * look.dpi) - 0.6, 0.5)
    look.light *= 1 - rng.uniform(0.4, 0.6) * spots


def sharp_stains(rng, look):
    """Spots of something that dried: their rims are sharp, and often darker than they are."""
    field = clouds(rng, look.cover.shape, rng.uniform(0.4, 0.7) * look.dpi) - rng.uniform(0.5, 0.9)
    steep = np.hypot(*np.gradient(field)) + 1e-6
    inside = field / steep / look.dpi  # about how far within the rim, in inches
    spots = step(inside, 0.01)
    rim = spots * np.exp(-np.abs(inside) / rng.uniform(0.01, 0.03))
    look.light *= (1 - rng.uniform(0.3, 0.6) * spots) * (1 - rng.uniform(0, 0.4) * rim)


def dim_photo(rng, look):
    look.light *= rng.uniform(0.25, 0.4)
    look.blur += 0.3
    look.noise += 1
    look.quality -= 15


PAPERS = [(1, 0.9, 0.45), (1, 0.65, 0.7), (0.6, 0.9, 0.6), (0.55, 0.75, 0.95), (1, 0.7, 0.35), (0.8, 0.45, 0.4)]


def coloured_paper(rng, look):
    look.paper = PAPERS[rng.integers(len(PAPERS))]
    look.tone = (1, 0.9, 0.6) if rng.random() < 0.5 else (1, 1, 1)  # blue ink, or black
    look.ink = rng.uniform(0.65, 0.85)
    look.light *= 1 - rng.uniform(0, 0.3) * ramp(rng, look)


def thermal_paper(rng, look):
    """A receipt: pale, in bands and columns that the printer heats less, dark where it lay warm."""
    shape = look.cover.shape
    bands = clouds(rng, (shape[0], 8), 0.3 * look.dpi)[:, :1]
    columns = 1 - 0.7 * (cv2.resize(rng.random((1, shape[1] * 203 // look.dpi)).astype(np.float32),
                                    (shape[1], 1), interpolation=cv2.INTER_NEAREST) < 0.02)
    look.ink = np.clip(rng.uniform(0.3, 0.6) + 0.08 * bands, 0.2, 0.8) * columns
    look.light *= 1 - rng.uniform(0.1, 0.35) * step(clouds(rng, shape, look.dpi) - 0.8, 1.5)
    look.paper, look.tone = (1, 0.98, 0.93), (1, 0.95, 0.8)


def moved(field, x, y, outside):
    return cv2.remap(field, x.astype(np.float32), y.astype(np.float32), cv2.INTER_CUBIC,
                     borderMode=cv2.BORDER_CONSTANT, borderValue=outside)


def book_photo(rng, look):
    """An open book under a lamp: lines bend to the gutter, the far side is smaller, a table shows."""
    x, y = places(look)
    height, width = look.cover.shape[0] / look.dpi, look.cover.shape[1] / look.dpi
    spine = width / 2 if width > height else rng.choice([0, width])
    away = np.abs(x - spine)
    dip = np.exp(-away / rng.uniform(0.5, 0.8))
    bend = dip * (rng.uniform(0.04, 0.1) + rng.uniform(-0.02, 0.02) * (y - height / 2))
    far = 1 + rng.uniform(0.01, 0.03) * (0.5 - y / height)
    from_x = (width / 2 + (x - width / 2) * far * 1.03 + 0.08 * dip * np.sign(x - spine)) * look.dpi
    from_y = (height / 2 + (y - height / 2) * 1.03 + bend) * look.dpi + 0 * x
    sheet = moved(np.ones_like(look.cover), from_x, from_y, 0)
    look.cover = np.clip(moved(look.cover, from_x, from_y, 0), 0, 1)
    lamp = np.hypot(x - rng.uniform(0, width), y - rng.uniform(0, height / 2)) / rng.uniform(7, 12)
    look.light *= (1 - rng.uniform(0.55, 0.8) * dip) / (1 + lamp * lamp)
    look.light *= 1 - rng.uniform(0.5, 0.8) * (1 - sheet)
    look.paper = (1, rng.uniform(0.9, 0.97), rng.uniform(0.75, 0.9))
    look.blur += 0.2


KINDS = [even, shading, gutter, bleed_through, hard_shadow, soft_shadow, pencil, faded_ink, wavy_ink, stains,
         sharp_stains, dim_photo, coloured_paper, thermal_paper, book_photo]


# -------------------------------------------------------------------- pages
def column(rng, draw, box, font, leading):
    """Lines of words that end in a full stop now and then, and leave a gap after a paragraph."""
    left, top, right, bottom = box
    lines, begins = [], True
    while top + leading < bottom:
        line = ""
        while True:
            word = str(rng.choice(WORDS))
            word = (word.capitalize() if begins else word) + ("." if rng.random() < 0.12 else "")
            longer = f"{line} {word}".lstrip()
            if draw.textlength(longer, font=font) > right - left:
                break
            line, begins = longer, word.endswith(".")
        draw.text((left, top), line, fill=255, font=font)
        lines.append(line)
        top += leading * (2 if rng.random() < 0.12 else 1)
    return lines


def written(rng, dpi, fonts, part, sheet=None, columns=1, sizes=(9, 12)):
    """Where ink is, 0 to 1, and the text, which fills a part of the page: letters of so many points,
    lines 1.3 to 2 of it apart."""
    sides = sheet or SHEETS[dpi]
    width, height = (round(side * dpi) for side in sides)
    points = rng.uniform(*sizes) * dpi / 72
    font = ImageFont.truetype(f"{FOLDER}/{rng.choice(fonts)}", round(points))
    image = Image.new("L", (width, height))
    margin, each = round(min(0.8, sides[0] / 8) * dpi), width // columns
    lines, leading = [], points * rng.uniform(1.3, 2)
    end = margin + (height - 2 * margin) * part
    for i in range(columns):
        box = (i * each + margin, margin, (i + 1) * each - margin, end)
        lines += column(rng, ImageDraw.Draw(image), box, font, leading)
    return np.asarray(image, dtype=np.float32) / 255, "\n".join(lines)


def paper(rng, kind, dpi, part):
    if kind is thermal_paper:
        return written(rng, dpi, PRINTER, part, (3.15, rng.uniform(5, 7.5)), sizes=(7.5, 9.5))
    if kind is book_photo and dpi == 200:
        return written(rng, dpi, FONTS, part, SHEETS[200][::-1], columns=2)
    return written(rng, dpi, FONTS, part)


def seen(rng, look):
    """The page's pixels: paper and ink in their light, through a lens, with noise."""
    taken = np.minimum(look.ink * look.cover + look.back, 0.92)
    light = 255 * look.light * (1 + 0.01 * clouds(rng, look.cover.shape, look.dpi / 50))
    if look.paper is None:
        pixels = light * (1 - taken)
    else:
        pixels = np.dstack([light * part * (1 - tone * taken) for part, tone in zip(look.paper, look.tone)])
    pixels = smooth(pixels.astype(np.float32), look.blur)
    pixels += look.noise * rng.standard_normal(pixels.shape, dtype=np.float32)
    return np.clip(np.rint(pixels), 0, 255).astype(np.uint8)


def dpi(number):
    """Pages of a kind take turns."""
    return sorted(SHEETS)[number % 2]


def name(kind):
    return kind.__name__.replace("_", " ").replace("bleed ", "bleed-")


def scan(seed, kind, number, parts):
    """A page of a kind: its text on paper, which it fills to a part between two, seen and kept as a JPEG."""
    rng = np.random.default_rng([seed, KINDS.index(kind), number])
    cover, text = paper(rng, kind, dpi(number), rng.uniform(*parts))
    full = np.ones_like(cover)
    look = Look(dpi(number), cover, full * rng.uniform(0.85, 0.97), 0.85, 0,
                rng.uniform(0.5, 0.8) * dpi(number) / 200, rng.uniform(2, 5), int(rng.integers(55, 90)))
    kind(rng, look)
    packed = io.BytesIO()
    Image.fromarray(seen(rng, look)).save(packed, "JPEG", quality=look.quality,
                                             dpi=(look.dpi, look.dpi))
    return Scan(text, packed.getvalue())
