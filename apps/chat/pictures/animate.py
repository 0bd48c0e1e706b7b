#!/usr/bin/env python3
"""Makes the moving picture of the READMEs out of real frames: `animate.py FRAMES shopping.webp`.

The frames are those that the browser test has taken, one PNG each, named NUMBER-MILLISECONDS.png:

    CHAT_PICTURES=/tmp/pictures .ci/browser looks::
    python3 apps/chat/pictures/animate.py /tmp/pictures/frames apps/chat/pictures/shopping.webp

Needs Pillow with WebP (`pip install Pillow`). Nothing is drawn and no time is changed; frames are only left out and put together.
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
        # One that follows too soon is left out: the one before it stands for longer.
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
