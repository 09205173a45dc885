"""What exact.py compares: each program's own way to a mean, a variance, a Gaussian and an area mean, the most exact of
those that its documentation offers, and the plain one where that is another. Pillow's and libvips' boxes take whole
pixels, so they are area means where a ratio is a whole number; scipy and OpenCV have variances by two means alone.

Wants numpy, scipy, scikit-image, opencv-python-headless, pillow, pyvips, kornia-rs, libvips and ImageMagick.
"""
import importlib.metadata
import shutil
import subprocess

import cv2
import kornia_rs
import numpy as np
import pyvips
import scipy.ndimage
import skimage.filters.rank
import skimage.transform
from PIL import Image, ImageFilter

import measure

SIGMA, RADIUS = 2, 8
RATIOS = {"2:1": (2, 1), "3:2": (3, 2)}
ALL, INTEGERS = ("u8", "u16", "f32"), ("u8", "u16")
MAGICK = shutil.which("magick") or shutil.which("convert") or measure.fail("ImageMagick is missing")


def magick(a, *words):
    """By ImageMagick's command, which keeps the depth; -depth 8 would cut 16 bits off. The result is a square."""
    head = f"P5 {a.shape[1]} {a.shape[0]} {np.iinfo(a.dtype).max}\n".encode()
    done = subprocess.run([MAGICK, "pgm:-", *words, "-endian", "LSB", "gray:-"],
                          input=head + a.astype(a.dtype.newbyteorder(">")).tobytes(), capture_output=True, check=True)
    made = np.frombuffer(done.stdout, a.dtype.newbyteorder("<"))
    return made.reshape(int(made.size ** 0.5), -1)


def vips(a):
    return pyvips.Image.new_from_array(a)


def vips_ones(window):
    return pyvips.Image.new_from_array([[1] * window], scale=window)


def vips_gauss(a):
    """Weights are cut where they are below 3e-4, which is behind the radius."""
    weights = pyvips.Image.gaussmat(SIGMA, 3e-4, separable=True, precision="float")
    assert weights.width == 2 * RADIUS + 1
    return vips(a).convsep(weights, precision="float").numpy()


def smaller(a, ratio):
    """The sides of the result."""
    up, down = RATIOS[ratio]
    return tuple(side * down // up for side in a.shape)


def moments(mean, squares):
    return squares - mean ** 2


def scipy_variance(a, w):
    a = a.astype(float)
    return moments(*(scipy.ndimage.uniform_filter(x, w) for x in (a, a * a)))


def cv_variance(a, w):
    return moments(*(f(a, cv2.CV_64F, (w, w)) for f in (cv2.boxFilter, cv2.sqrBoxFilter)))


def rank_mean(a, w):
    return skimage.filters.rank.mean(a, np.ones((w, w), np.uint8))


def peers(ours):
    """{operation: [(program, the call as the page shows it, samples, ratios or None, function)]}. ours(spec, a, type,
    shape) runs satfilter."""
    return {"mean": [
        ("satfilter", "box=W", ALL, None, lambda a, w: ours(f"box={w}", a)),
        ("OpenCV", "blur", ALL, None, lambda a, w: cv2.blur(a, (w, w))),
        ("OpenCV", "boxFilter, CV_64F", ALL, None, lambda a, w: cv2.boxFilter(a, cv2.CV_64F, (w, w))),
        ("Pillow", "BoxBlur", ("u8",), None,
         lambda a, w: np.asarray(Image.fromarray(a).filter(ImageFilter.BoxBlur(w // 2)))),
        ("scipy", "uniform_filter", INTEGERS, None, scipy.ndimage.uniform_filter),
        ("scipy", "uniform_filter, output=float64", ALL, None,
         lambda a, w: scipy.ndimage.uniform_filter(a, w, output=float)),
        ("scikit-image", "rank.mean", INTEGERS, None, rank_mean),
        ("libvips", "convsep, float", ALL, None, lambda a, w: vips(a).convsep(vips_ones(w), precision="float").numpy()),
        ("kornia-rs", "box_blur", ("u8",), None,
         lambda a, w: kornia_rs.imgproc.box_blur(a[..., None], (w, w))[..., 0]),
        ("ImageMagick", "-morphology Convolve Rectangle:WxW", INTEGERS, None,
         lambda a, w: magick(a, "-define", "convolve:scale=!", "-morphology", "Convolve", f"Rectangle:{w}x{w}")),
    ], "variance": [
        ("satfilter", "variance=W", ALL, None, lambda a, w: ours(f"variance={w}", a, float)),
        ("OpenCV", "sqrBoxFilter - boxFilter^2, CV_64F", ALL, None, cv_variance),
        ("scipy", "uniform_filter of squares - its square, float64", ALL, None, scipy_variance),
    ], "gauss": [
        ("satfilter", "gauss=2", ALL, None, lambda a: ours(f"gauss={SIGMA}", a)),
        ("satfilter", "real gauss=2", ALL, None, lambda a: ours(f"real gauss={SIGMA}", a, float)),
        ("OpenCV", "GaussianBlur, 17 x 17", ALL, None, lambda a: cv2.GaussianBlur(a, (2 * RADIUS + 1,) * 2, SIGMA)),
        ("Pillow", "GaussianBlur", ("u8",), None,
         lambda a: np.asarray(Image.fromarray(a).filter(ImageFilter.GaussianBlur(SIGMA)))),
        ("scipy", "gaussian_filter", INTEGERS, None, lambda a: scipy.ndimage.gaussian_filter(a, SIGMA)),
        ("scipy", "gaussian_filter, output=float64", ALL, None,
         lambda a: scipy.ndimage.gaussian_filter(a, SIGMA, output=float)),
        ("scikit-image", "gaussian, preserve_range", ALL, None,
         lambda a: skimage.filters.gaussian(a, SIGMA, preserve_range=True)),
        ("libvips", "convsep of gaussmat, float", ALL, None, vips_gauss),
        ("kornia-rs", "gaussian_blur, 17 x 17", ("u8",), None,
         lambda a: kornia_rs.imgproc.gaussian_blur(a[..., None], (2 * RADIUS + 1,) * 2, (SIGMA, SIGMA))[..., 0]),
        ("ImageMagick", "-gaussian-blur 8x2", INTEGERS, None,
         lambda a: magick(a, "-gaussian-blur", f"{RADIUS}x{SIGMA}")),
    ], "area": [
        ("satfilter", "resize=WxH!", ALL, RATIOS,
         lambda a, r: ours(f"resize={smaller(a, r)[1]}x{smaller(a, r)[0]}!", a, None, smaller(a, r))),
        ("OpenCV", "resize, INTER_AREA", ALL, RATIOS,
         lambda a, r: cv2.resize(a, smaller(a, r)[::-1], interpolation=cv2.INTER_AREA)),
        ("Pillow", "reduce", ("u8", "f32"), ("2:1",), lambda a, r: np.asarray(Image.fromarray(a).reduce(2))),
        ("Pillow", "resize, BOX", ALL, ("2:1",),
         lambda a, r: np.asarray(Image.fromarray(a).resize(smaller(a, r)[::-1], Image.Resampling.BOX))),
        ("scikit-image", "downscale_local_mean", ALL, ("2:1",),
         lambda a, r: skimage.transform.downscale_local_mean(a, (2, 2))),
        ("libvips", "shrink", ALL, ("2:1",), lambda a, r: vips(a).shrink(2, 2).numpy()),
        ("ImageMagick", "-scale", INTEGERS, RATIOS,
         lambda a, r: magick(a, "-scale", "{1}x{0}!".format(*smaller(a, r)))),
    ]}


def versions():
    names = ("numpy", "opencv-python-headless", "pillow", "scipy", "scikit-image", "pyvips", "kornia-rs")
    of_magick = subprocess.run([MAGICK, "-version"], capture_output=True, text=True, check=True).stdout
    return {**{name: importlib.metadata.version(name) for name in names},
            "libvips": ".".join(str(pyvips.version(k)) for k in range(3)), "ImageMagick": of_magick.split()[2]}
