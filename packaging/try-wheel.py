"""What an installed wheel has to do: its metadata is whole, README's lines run, means are those that numpy makes of a
picture, every format is written and read, kernels are found where their wheel is. try-wheel.sh runs it, without a GPU,
in a folder with README.md and samples/."""
import re
from importlib import metadata

import numpy as np

import satfilter
from satfilter import _core

info = metadata.metadata("satfilter")
for field in ("Name", "Version", "Summary", "Author", "License-Expression", "License-File", "Requires-Python",
              "Requires-Dist", "Classifier", "Keywords", "Description-Content-Type"):
    assert info[field], f"the wheel does not say its {field}"
assert info.get_payload().startswith("# satfilter")

with open("README.md", encoding="utf-8") as page:
    lines = re.search(r"```python\n(.*?)```", page.read(), re.DOTALL)[1]
exec(lines)

image = satfilter.read("samples/scene.png")
rows, columns = image.shape[:2]
padded = np.pad(image, ((7, 7), (7, 7), (0, 0)), mode="edge")
sums = np.pad(padded.astype(np.int64).cumsum(0).cumsum(1), ((1, 0), (1, 0), (0, 0)))
sums = sums[15:, 15:] - sums[:-15, 15:] - sums[15:, :-15] + sums[:-15, :-15]
means = (2 * sums + 225) // 450
assert means.shape == image.shape
assert (satfilter.box(image, 15, channel_axis=-1) == means).all()
assert (satfilter.read("out.png") == means).all()

for suffix in ("png", "jpg", "webp", "tif", "pgm", "npy"):
    name = f"grey.{suffix}"
    grey = np.ascontiguousarray(image[..., 1])
    satfilter.write(name, grey)
    again = satfilter.read(name, formats="all").astype(int)
    again = again if again.ndim == 2 else again[..., 1]
    assert np.abs(again - grey).mean() < (3 if suffix in ("jpg", "webp") else 0.001), name
gif = (b"GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff,\x00\x00\x00\x00\x01\x00\x01\x00\x00"
       b"\x02\x02L\x01\x00;")
assert satfilter.read(gif, formats="all").max() == 255

kernels = any(found.metadata["Name"] == "satfilter-cuda" for found in metadata.distributions())
# On a device: address, the device, stream, type, shape and strides.
image, out = ((address, 0, 0, 0, (8, 8), (8, 1)) for address in (4096, 8192))
try:
    _core.run(_core.parse("box=3"), image, out, -1, 0, 0, 0.0)
    said = "nothing"
except _core.Error as error:
    said = str(error)
lacks = "the NVIDIA driver is not installed" if kernels else "libsatfilter-cuda.so.0 is not installed"
assert lacks in said, said
print(f"satfilter {info['Version']} with numpy {np.__version__}: right.")
