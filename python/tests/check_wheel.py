"""Checks what is in a wheel: licences, no folder of the machine that built it, nothing that does not belong there.

    python tests/check_wheel.py path/to/impinge-*.whl
"""

from __future__ import annotations

import os
import re
import sys
import zipfile
from email.parser import Parser
from pathlib import Path
from typing import List

CHECKOUT = Path(__file__).resolve().parents[2]
LICENCES = ("LICENSE-APACHE", "LICENSE-MIT")
#: Where a path of a file may lie that another machine has not. (What begins with /rustc/ is Rust's own, and no folder.)
LOCAL = re.compile(rb"(?:/(?:home|root|tmp|Users|build|work)/|[A-Z]:\\Users\\)[\w.\-/\\]+")


def faults(path: Path) -> List[str]:
    """What is wrong with a wheel, a line each."""
    found = []
    with zipfile.ZipFile(path) as wheel:
        names = wheel.namelist()
        (metadata,) = [name for name in names if name.endswith(".dist-info/METADATA")]
        info = metadata[: -len("METADATA")]
        for licence in LICENCES:
            inside = [name for name in names if name.startswith(info) and name.endswith("/" + licence)]
            if not inside:
                found.append(f"{licence} is not in it")
            elif wheel.read(inside[0]) != (CHECKOUT / licence).read_bytes():
                found.append(f"{inside[0]} is not that of the checkout")
        headers = Parser().parsestr(wheel.read(metadata).decode())
        if sorted(headers.get_all("License-File", [])) != sorted(LICENCES):
            found.append(f"METADATA names the licences {headers.get_all('License-File')}")
        if headers["License-Expression"] != "MIT OR Apache-2.0":
            found.append(f"METADATA has the licence {headers['License-Expression']}")
        for name in names:
            allowed = name.startswith(("impinge/", info)) and not re.search(r"__pycache__|\.pyc$|/sboms/", name)
            if not allowed:
                found.append(f"{name} does not belong there")
            content = wheel.read(name)
            here = [str(folder).encode() for folder in (CHECKOUT, Path.home()) if len(str(folder)) > 1 and str(folder).encode() in content]
            local = [match.decode(errors="replace") for match in LOCAL.findall(content)]
            for place in sorted({*(folder.decode() for folder in here), *local})[:3]:
                found.append(f"{name} names the folder {place}")
        if not any(re.fullmatch(r"impinge/_impinge\.(abi3\.so|pyd)", name) for name in names):
            found.append("the extension module is not in it")
        if "impinge/py.typed" not in names or "impinge/_impinge.pyi" not in names:
            found.append("its types are not in it")
    return found


def main() -> int:
    wrong = 0
    for path in sys.argv[1:]:
        for fault in faults(Path(path)):
            print(f"{os.path.basename(path)}: {fault}", file=sys.stderr)
            wrong += 1
    return min(wrong, 1) if len(sys.argv) > 1 else 2


if __name__ == "__main__":
    sys.exit(main())
