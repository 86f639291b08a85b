"""``python -m impinge.demo``."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from ..errors import Error
from . import mujoco_scenes


def main() -> int:
    """Runs the demonstration that the command line names."""
    parser = argparse.ArgumentParser(prog="python -m impinge.demo", description=__doc__)
    which = parser.add_subparsers(dest="demo", required=True)
    scenes = which.add_parser("mujoco", help="rings on a peg and balls in a bowl, in MuJoCo: hulls, distance fields, meshes")
    scenes.add_argument("--json", action="store_true", help="print JSON instead of a table")
    scenes.add_argument("--out", type=Path, default=Path("impinge-demo"), help="folder of the picture (default: impinge-demo)")
    scenes.add_argument("--seconds", type=float, help="simulated time (default: 3 s)")
    scenes.add_argument("--no-sdf", action="store_true", help="leave out MuJoCo's distance fields, which take most of the time")
    arguments = parser.parse_args()
    try:
        runs, path, reason = mujoco_scenes.run_all(arguments.out, arguments.seconds, sdf=not arguments.no_sdf)
    except Error as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    if arguments.json:
        print(json.dumps(mujoco_scenes.as_json(runs, path, reason), indent=1))
    else:
        print(mujoco_scenes.table(runs))
        print(f"picture: {path}" if path else f"no picture: {reason}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
