"""What resize computes, in exact integers and fractions, by docs/design.md: as model_filters.py."""
from fractions import Fraction

from model_filters import mean
from model_sums import U, collect, real


def overlap(pixels, cells, cell, pixel):
    """What cell `cell` of that many and pixel `pixel` share, in units of 1 / (pixels cells)."""
    return (min((cell + 1) * pixels, (pixel + 1) * cells) -
            max(cell * pixels, pixel * cells))


def shares(pixels, cells, cell):
    """(pixel, share) of the pixels that the cell covers."""
    return [(pixel, overlap(pixels, cells, cell, pixel))
            for pixel in range(cell * pixels // cells, -(-(cell + 1) * pixels // cells))]


def resize(image, link):
    """Each sum of floats passes through at most as many additions as there are rows and columns."""
    def sample(channel, y, x, weighted):
        """The mean, and how far it is off."""
        weight = total = size = e_weight = e_total = 0
        for b, down in shares(image.height, link['shape'][1], y):
            for a, across in shares(image.width, link['shape'][0], x):
                share = down * across * (image.planes[-1][b][a] if weighted else 1)
                value = image.planes[channel][b][a]
                weight, total = weight + Fraction(share), total + Fraction(share) * Fraction(value)
                size += abs(float(share) * value)
                if image.errors:
                    off = image.errors[-1][b][a] * down * across if weighted else 0
                    e_weight += off
                    e_total += share * image.errors[channel][b][a] + abs(value) * off
        if real(image):
            e_total += (image.width + image.height + 4) * U * size
            e_weight += (image.width + image.height + 4) * U * float(weight) * weighted
        return mean(image, weight, total, e_weight, e_total, False, weighted)

    out = []
    for channel in range(image.channels):
        weighted = image.alpha and channel < image.channels - 1
        rows = [[sample(channel, y, x, weighted) for x in range(link['shape'][0])]
                for y in range(link['shape'][1])]
        out.append(tuple([[pair[k] for pair in row] for row in rows] for k in (0, 1)))
    return collect(image, out)


FILTERS = {'resize': resize}
