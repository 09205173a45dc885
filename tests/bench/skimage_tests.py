#!/usr/bin/env python3
"""satfilter.filters beside scikit-image: its own tests of thresholds, and how far Gaussians that are made of boxes go.

    python3 skimage_tests.py test_thresholding.py    runs the tests on satfilter.filters, and counts those that call it
    python3 skimage_tests.py                         the table of docs/python.md

The file is of scikit-image's sources, which wheels do not have: tests/skimage/filters/test_thresholding.py of the
installed version, from its sdist at PyPI or its repository. It needs scikit-image, pytest and the package satfilter.
"""
import subprocess
import sys
from pathlib import Path

PLUGIN = Path(__file__).resolve().parents[1] / "python"


def table():
    import numpy as np
    import satfilter
    from skimage import data, filters

    print("| block | largest difference of thresholds | root mean square | pixels that turn out otherwise |")
    print("|---|---|---|---|")
    for block in (3, 11, 15, 35, 101):
        rows = []
        for image in (data.page(), data.camera(), data.coins()):
            made, want = satfilter.filters.threshold_local(image, block), filters.threshold_local(image, block)
            off = made - want
            otherwise = ((image > made) != (image > want)).mean()
            rows.append((np.abs(off).max(), np.sqrt((off * off).mean()), 100 * otherwise))
        most = np.max(rows, 0)
        print(f"| {block} | {most[0]:.1f} of 255 | {most[1]:.1f} | {most[2]:.1f} % |")


def main():
    if len(sys.argv) < 2:
        return table()
    code = "import sys, pytest; sys.path.insert(0, sys.argv[1]); sys.exit(pytest.main(sys.argv[2:]))"
    options = ["-q", "-p", "skimage_patched", "-p", "no:cacheprovider", "-W", "ignore", "--tb=line"]
    sys.exit(subprocess.run([sys.executable, "-c", code, PLUGIN, *options, *sys.argv[1:]]).returncode)


if __name__ == "__main__":
    main()
