"""What resize and pixelate compute, in exact integers and fractions, by docs/filters.md: as filters.py."""
from fractions import Fraction

from moments import mean
from sums import U, collect, real, scaled


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
    weights, unit = scaled(image.planes[-1]) if image.alpha else (None, 1)
    more = (image.width + image.height + 4) * U

    def sample(plane, d, errors, y, x, weighted):
        """The mean, and how far it is off."""
        weight = total = size = e_weight = e_total = 0
        for b, down in rows[y]:
            for a, across in columns[x]:
                area, value = down * across, plane[b][a]
                share = area * weights[b][a] if weighted else area
                weight, total, size = weight + share, total + share * value, size + abs(share * value)
                if errors:
                    off = image.errors[-1][b][a] * area if weighted else 0
                    e_weight += off
                    e_total += share * errors[b][a] / (unit if weighted else 1) + abs(value) / d * off
        weight, scale = (Fraction(weight, unit), d * unit) if weighted else (weight, d)
        if real(image):
            e_total += more * float(Fraction(size, scale))
            e_weight += more * float(weight) * weighted
        return mean(image, weight, Fraction(total, scale), e_weight, e_total, False, weighted)

    out = []
    for channel in range(image.channels):
        weighted = image.alpha and channel < image.channels - 1
        plane, d = scaled(image.planes[channel])
        errors = image.errors and image.errors[channel]
        found = [[sample(plane, d, errors, y, x, weighted) for x in range(len(columns))] for y in range(len(rows))]
        out.append(tuple([[pair[k] for pair in row] for row in found] for k in (0, 1)))
    return collect(image, out)


def resize(image, link):
    return means(image, *([shares(pixels, cells, cell) for cell in range(cells)]
                          for pixels, cells in zip((image.width, image.height), link['shape'])))


def pixelate(image, link):
    return means(image, *([square(pixels, side, pixel) for pixel in range(pixels)]
                          for pixels, side in zip((image.width, image.height), link['size'])))


FILTERS = {'resize': resize, 'pixelate': pixelate}
