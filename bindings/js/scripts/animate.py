#!/usr/bin/env python3
"""Joins the frames of the demo into one moving picture: `animate.py FRAMES ../../../pictures/demo.webp`.

`demo-picture.mjs` takes the frames, one PNG each, named NUMBER-MILLISECONDS.png. Needs Pillow with WebP
(`pip install Pillow`). Frames are only left out and joined; none is drawn, and no time is changed.
"""

import pathlib
import sys

from PIL import Image

LEAST_MS = 220
MOST_BYTES = 2_000_000


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    folder, out = map(pathlib.Path, sys.argv[1:])
    paths = sorted(folder.glob("*-*.png"))
    if not paths:
        sys.exit(f"no frames in {folder}")
    frames, durations = [], []
    for path in paths:
        # A frame that follows too soon is left out, and the one before it is shown for longer.
        duration = int(path.stem.split("-")[1])
        if durations and durations[-1] < LEAST_MS and path != paths[-1]:
            durations[-1] += duration
            continue
        frames.append(Image.open(path).convert("RGB"))
        durations.append(duration)
    first, *rest = frames
    first.save(
        out,
        save_all=True,
        append_images=rest,
        duration=durations,
        loop=0,
        quality=70,
        method=6,
        minimize_size=True,
    )
    size = out.stat().st_size
    print(f"{out}: {len(frames)} frames, {sum(durations) / 1000:.1f} s, {size} bytes")
    if size > MOST_BYTES:
        sys.exit(f"more than {MOST_BYTES} bytes")


if __name__ == "__main__":
    main()
