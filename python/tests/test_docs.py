"""The Python of the documents runs as it stands, block after block."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

import impinge.mujoco

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("document", ["python/README.md", "docs/PYTHON.md"])
def test_what_the_documents_show_runs(document, assets, tmp_path, monkeypatch):
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / document).read_text(), re.MULTILINE | re.DOTALL)
    assert blocks
    for name in ("gear.ply", "knot.obj"):
        shutil.copy(assets / name, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    try:
        for number, block in enumerate(blocks):
            exec(compile(block, f"{document}, block {number}", "exec"), names)
    finally:
        impinge.mujoco.uninstall()
    if document == "docs/PYTHON.md":
        assert names["free"].shape == (1000,) and 0 < names["free"].sum() < 1000
        assert names["done"]["touching"] == 1 and names["report"].pairs > 0 and names["hit"]


def test_the_tables_name_what_there_is():
    text = (ROOT / "docs/PYTHON.md").read_text()
    for call in re.findall(r"^\| `(\w+)\(", text, re.MULTILINE):
        assert callable(getattr(impinge, call)), call
