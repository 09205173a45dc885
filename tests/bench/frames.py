#!/usr/bin/env python3
"""Measures the plugins beside filters that a host has, in frames a second.

    frames.py gstreamer|ffmpeg [--build DIR] [--repeat N] [--json FILE] [--page]

One frame of 1920 x 1080 is handed over again and again, a reference each time. A figure is the
time of many frames less that of few, the least of N runs in turn, so that the start of
programs does not count. DIR is where satfilter was built with --enable-plugins. Prints the
table; --page fills it in between `<!-- speed -->` and `<!-- end -->` of the host's page. Exits
with 77 where a program or an element is missing (Debian: gstreamer1.0-plugins-good and -bad,
frei0r-plugins).
"""
import os
import shutil
import subprocess
import tempfile

from measure import fill, in_turn, parser_of, process, skip, write

FEW = 10
CORES = (1, 2)
RADIUS = 15  # windows are of 31 x 31
SQUAREBLUR = (RADIUS + 0.5) / (1920 / 2)  # a part of half the width
SIZE31 = RADIUS / 127  # frei0r's `size`

# By host: format, filter, frames that take long enough, remark.
ROWS = {
    "gstreamer": [
        ("NV12", "satbox size=31", 600, ""),
        ("NV12", "satstddev size=31", 200, ""),
        ("NV12", "satsauvola size=31", 400, ""),
        ("RGBA", "satbox size=31", 200, ""),
        ("RGBA", "satstddev size=31", 60, ""),
        ("RGBA", "satsauvola size=31", 150, ""),
        ("I420", "videobox left=2 right=-2", 150, ", which copies all but an edge"),
        ("AYUV", "gaussianblur sigma=6", 15, ", 31 x 31 as well"),
        ("RGBA", f"frei0r-filter-squareblur kernel-size={SQUAREBLUR:.5f}", 40, ""),
    ],
    "ffmpeg": [
        ("rgba", f"frei0r=satfilter_box:{SIZE31:.4f}", 150, ""),
        ("rgba", f"frei0r=satfilter_sauvola:{SIZE31:.4f}", 120, ""),
        ("rgba", f"frei0r=squareblur:{SQUAREBLUR:.5f}", 40, ""),
        ("rgba", f"boxblur={RADIUS}:1", 40, ""),
        ("gbrap", f"avgblur={RADIUS}", 60, ""),
    ],
}
PAGES = {"gstreamer": "docs/gstreamer.md", "ffmpeg": "docs/frei0r.md"}


def command(host, fmt, filter_, frames):
    if host == "gstreamer":
        return ["gst-launch-1.0", "-q", "videotestsrc", "num-buffers=1", "!",
                f"video/x-raw,format={fmt},width=1920,height=1080,framerate=25/1", "!",
                "imagefreeze", f"num-buffers={frames}", "!", *filter_.split(), "!", "fakesink"]
    return ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "smptebars=size=1920x1080:rate=25",
            "-frames:v", str(frames), "-vf", f"format={fmt},loop=loop=-1:size=1,{filter_}",
            "-f", "null", "-"]


def environment(build, folder):
    return dict(os.environ, GST_PLUGIN_PATH=str(build / "plugins/gstreamer/.libs"),
                GST_REGISTRY=f"{folder}/registry", GST_REGISTRY_FORK="no",
                FREI0R_PATH=f"{build}/plugins/frei0r/.libs:/usr/lib/frei0r-1")


def check(host, variables):
    """gst-launch-1.0's exit status says little, so elements are asked for."""
    program = "gst-launch-1.0" if host == "gstreamer" else "ffmpeg"
    if not shutil.which(program):
        skip(f"{program} is missing")
    for _, filter_, _, _ in ROWS["gstreamer"] if host == "gstreamer" else ():
        name = filter_.split()[0]
        if subprocess.run(["gst-inspect-1.0", "--exists", "--atleast-version=0.1", name],
                          env=variables).returncode:
            skip(f"GStreamer has no {name}")


def measure(host, repeat, variables):
    """Least milliseconds by row, cores and number of frames: few, and more."""
    calls = {(row, cores, frames): lambda row=row, cores=cores, frames=frames: 1e3 * process(
        command(host, *row[:2], frames), cores=cores, env=variables, stdout=subprocess.DEVNULL)[0]
             for row in ROWS[host] for cores in CORES for frames in (FEW, FEW + row[2])}
    return {key: min(times) for key, times in in_turn(calls, repeat).items()}


def record_of(row, least):
    fmt, filter_, frames, _ = row
    record = {"filter": filter_, "format": fmt, "width": 1920, "height": 1080}
    for cores in CORES:
        ms = (least[row, cores, FEW + frames] - least[row, cores, FEW]) / frames
        record[f"ms_{cores}"] = round(ms, 3)
        record[f"fps_{cores}"] = round(1e3 / ms, 1)
    return record


def main():
    parser = parser_of(__doc__, build=".", repeat=5)
    parser.add_argument("host", choices=list(ROWS))
    parser.add_argument("--page", action="store_true")
    arguments = parser.parse_args()
    host = arguments.host
    print(f"Load average before the first figure: {os.getloadavg()[0]:.2f} (a quiet machine: 0).\n")
    lines = ["| filter | format | frames a second, one core | two cores |", "|---|---|--:|--:|"]
    with tempfile.TemporaryDirectory() as folder:
        variables = environment(arguments.build, folder)
        check(host, variables)
        least = measure(host, arguments.repeat, variables)
    records = [record_of(row, least) for row in ROWS[host]]
    for row, r in zip(ROWS[host], records):
        lines.append(f"| `{r['filter']}`{row[3]} | {r['format']} | {r['fps_1']:.0f} | {r['fps_2']:.0f} |")
    text = "\n".join(lines)
    print(text)
    write(arguments.json, records)
    if arguments.page:
        fill(PAGES[host], {"speed": text})


if __name__ == "__main__":
    main()
