"""The moving pictures of README, a run of AboveThreshold.  python tools/moving.py"""

from pathlib import Path

from PIL import Image

from course_lib.demos.above_threshold import one_run
from course_lib.demos.drawing import Renderer

ROOT = Path(__file__).resolve().parent.parent
PICTURES = {"light": ROOT / "docs" / "run-light.png", "dark": ROOT / "docs" / "run-dark.png"}
SEEN = range(1, 16)  # the ⊤ comes with query 15
DOTS_PER_INCH = 150
STEP, REST = 600, 3000  # milliseconds that a frame stays, and the last one


def frame(num_queries, theme):
    """The run after so many queries."""
    renderer = Renderer(DOTS_PER_INCH, dark=theme == "dark")
    pixels = renderer.draw(one_run(num_queries=num_queries))
    return Image.fromarray(pixels[..., :3].copy())


def write(theme):
    frames = [frame(num_queries, theme) for num_queries in SEEN]
    durations = [STEP] * (len(frames) - 1) + [REST]
    options = {"save_all": True, "append_images": frames[1:], "duration": durations, "loop": 0}
    frames[0].save(PICTURES[theme], optimize=True, **options)


if __name__ == "__main__":
    for theme, path in PICTURES.items():
        write(theme)
        print(f"{path.relative_to(ROOT)}: {path.stat().st_size / 1000:.0f} KB")
