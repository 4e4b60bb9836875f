"""python -m tools.publish book [NN …] | slides NN … | handout [NN …]"""

import errno
import sys

from tools.publish import book, build, handout, slides
from tools.publish.build import Folders, Problem


def main(command, *starts):
    folders = Folders()
    starts = starts or ([] if command == "slides" else [""])
    if not starts:
        raise Problem("slides needs the number of a notebook, such as: slides 01")
    paths = [path for start in starts for path in build.notebooks(folders, start)]
    if command == "book":
        place = book.write(folders, paths)
        build.say(f"The book is in {place}; open {place / 'index.html'}.")
    elif command == "handout":
        place = handout.write(paths, folders.build / "handout")
        build.say(f"The handouts are in {place}. To grade with nbgrader, see INSTRUCTORS.md.")
    else:
        for made in slides.write(folders, paths):
            build.say(f"Slides: {made}")


def told(error):
    """What went wrong, in one sentence."""
    if getattr(error, "errno", None) in (errno.ENOSPC, errno.EDQUOT):
        return "The disk is full: make room and start again; what was there is as it was."
    if isinstance(error, PermissionError):
        return f"{error.filename} cannot be written to; what was there is as it was."
    return str(error)


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except (Problem, OSError) as error:
        sys.exit(told(error))
    except KeyboardInterrupt:
        sys.exit("Interrupted; what was there is as it was.")
