"""Pages as cameras and scanners see them, drawn from a seed: what thresholds.py reads.

The words are ordinary ones, drawn at random, so that no text is anybody's. The fonts are those of
Debian's fonts-dejavu-core, fonts-liberation and fonts-freefont-ttf.
"""
import dataclasses
import io

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

WIDTH, HEIGHT, MARGIN = 800, 400, 50
FONTS = ["dejavu/DejaVuSans.ttf", "dejavu/DejaVuSerif.ttf", "liberation/LiberationSans-Regular.ttf",
         "liberation/LiberationSerif-Regular.ttf", "freefont/FreeSans.ttf", "freefont/FreeSerif.ttf"]
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
    """How a page is seen: all between 0 and 1, but for pixels of blur and levels of noise."""
    light: np.ndarray
    ink: np.ndarray
    back: np.ndarray   # what shows of the other side
    blur: float
    noise: float
    quality: int


@dataclasses.dataclass
class Scan:
    kind: str
    text: str
    pixels: np.ndarray


# ------------------------------------------------------------------- fields
def smooth(field, radius):
    return cv2.GaussianBlur(field, (0, 0), radius)


def ramp(rng):
    """0 to 1 across the page, in any direction."""
    angle = rng.uniform(0, 2 * np.pi)
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH]
    along = x * np.cos(angle) + y * np.sin(angle)
    return (along - along.min()) / np.ptp(along)


def clouds(rng, cell):
    """Noise as coarse as a cell, mean 0, deviation 1."""
    coarse = rng.normal(size=(HEIGHT // cell + 2, WIDTH // cell + 2)).astype(np.float32)
    image = Image.fromarray(coarse).resize((WIDTH, HEIGHT), Image.BICUBIC)
    field = np.asarray(image, dtype=float)
    return (field - field.mean()) / field.std()


def shadow(rng, look, edge):
    """Light beyond a line across the page is down to a quarter or a half, over so many pixels."""
    side = (ramp(rng) - rng.uniform(0.35, 0.65)) * np.hypot(WIDTH, HEIGHT) / edge
    look.light *= 1 - rng.uniform(0.5, 0.75) / (1 + np.exp(-np.clip(4 * side, -50, 50)))


# -------------------------------------------------------------------- kinds
def even(rng, look):
    """Nothing but what all pages have."""


def shading(rng, look):
    look.light *= 1 - rng.uniform(0.55, 0.8) * ramp(rng)


def gutter(rng, look):
    away = np.arange(WIDTH, dtype=float)
    if rng.random() < 0.5:
        away = away[::-1]
    look.light *= 1 - 0.9 * np.exp(-away / rng.uniform(50, 100))


def bleed_through(rng, look):
    other, _ = written(rng)
    other = np.roll(other[:, ::-1], rng.integers(46), axis=0)
    look.back = rng.uniform(0.12, 0.35) * smooth(other, rng.uniform(0.8, 1.6))


def hard_shadow(rng, look):
    shadow(rng, look, rng.uniform(3, 6))


def soft_shadow(rng, look):
    shadow(rng, look, rng.uniform(80, 160))


def pencil(rng, look):
    grain = np.clip(0.75 + 0.25 * clouds(rng, 2), 0.2, 1)
    look.ink = rng.uniform(0.16, 0.26) * grain
    look.noise *= 0.6


def faded_ink(rng, look):
    look.ink = 0.85 - rng.uniform(0.6, 0.7) * ramp(rng)


def stains(rng, look):
    spots = 1 / (1 + np.exp(-8 * (clouds(rng, 90) - 0.6)))
    look.light *= 1 - rng.uniform(0.4, 0.6) * spots


def dim_photo(rng, look):
    look.light *= rng.uniform(0.25, 0.4)
    look.blur += 0.3
    look.noise += 1
    look.quality -= 15


KINDS = [even, shading, gutter, bleed_through, hard_shadow, soft_shadow, pencil, faded_ink, stains,
         dim_photo]


# -------------------------------------------------------------------- pages
def written(rng):
    """Where ink is, 0 to 1, and the text: lines of words that end in a full stop now and then."""
    font = ImageFont.truetype("/usr/share/fonts/truetype/" + rng.choice(FONTS), int(rng.integers(25, 30)))
    image = Image.new("L", (WIDTH, HEIGHT))
    draw = ImageDraw.Draw(image)
    lines, top, begins = [], MARGIN, True
    while top + 40 < HEIGHT - MARGIN:
        line = ""
        while True:
            word = str(rng.choice(WORDS))
            word = (word.capitalize() if begins else word) + ("." if rng.random() < 0.12 else "")
            longer = f"{line} {word}".lstrip()
            if draw.textlength(longer, font=font) > WIDTH - 2 * MARGIN:
                break
            line, begins = longer, word.endswith(".")
        draw.text((MARGIN, top), line, fill=255, font=font)
        lines.append(line)
        top += 46
    return np.asarray(image, dtype=float) / 255, "\n".join(lines)


def scan(seed, index):
    """One page of a kind: its text on paper in some light, seen with noise, kept as a JPEG."""
    rng = np.random.default_rng([seed, index])
    kind = KINDS[index % len(KINDS)]
    full = np.ones((HEIGHT, WIDTH))
    look = Look(full * rng.uniform(0.85, 0.97), full * 0.85, full * 0, rng.uniform(0.5, 0.8),
                rng.uniform(2, 5), int(rng.integers(55, 90)))
    ink, text = written(rng)
    kind(rng, look)
    paper = look.light * (1 + 0.01 * clouds(rng, 4))
    seen = 255 * paper * (1 - np.minimum(look.ink * ink + look.back, 0.9))
    seen = smooth(seen, look.blur) + rng.normal(0, look.noise, seen.shape)
    packed = io.BytesIO()
    Image.fromarray(np.clip(np.rint(seen), 0, 255).astype(np.uint8)).save(
        packed, "JPEG", quality=look.quality)
    return Scan(kind.__name__.replace("_", " ").replace("bleed ", "bleed-"), text,
                np.asarray(Image.open(packed)))
