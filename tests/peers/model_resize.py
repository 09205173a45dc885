"""What resize and pixelate compute, in exact integers and fractions, by docs/design.md: as model_filters.py."""
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


def square(pixels, side, pixel):
    """The same of the pixels of the cell of that side that the pixel is in."""
    first = pixel - pixel % side
    return [(k, 1) for k in range(first, min(first + side, pixels))]


def means(image, columns, rows):
    """Of such shares for each pixel of the result. Each sum of floats passes through at most as many
    additions as there are rows and columns."""
    def sample(channel, y, x, weighted):
        """The mean, and how far it is off."""
        weight = total = size = e_weight = e_total = 0
        for b, down in rows[y]:
            for a, across in columns[x]:
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
        found = [[sample(channel, y, x, weighted) for x in range(len(columns))] for y in range(len(rows))]
        out.append(tuple([[pair[k] for pair in row] for row in found] for k in (0, 1)))
    return collect(image, out)


def resize(image, link):
    return means(image, *([shares(pixels, cells, cell) for cell in range(cells)]
                          for pixels, cells in zip((image.width, image.height), link['shape'])))


def pixelate(image, link):
    return means(image, *([square(pixels, side, pixel) for pixel in range(pixels)]
                          for pixels, side in zip((image.width, image.height), link['size'])))


FILTERS = {'resize': resize, 'pixelate': pixelate}
