#!/usr/bin/env bash
# The Python package: format, lints, the wheel as users build it, and its tests in a virtual environment of its own.
# Needs a Python from 3.10 on (IMPINGE_PYTHON, by default python3) and a network for pip.
set -euo pipefail
cd "$(dirname "$0")"
python=${IMPINGE_PYTHON:-python3}

cargo fmt --check -- --config-path ..
cargo clippy --locked -- -D warnings

"$python" -c 'import sys; sys.exit(sys.version_info < (3, 10) and "the tests need Python 3.10 or newer")'
version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
venv=$PWD/target/venv-$version
# Made again where it is broken: without pip, or after its Python went.
"$venv/bin/python" -m pip --version > /dev/null 2>&1 || "$python" -m venv --clear "$venv"
"$venv/bin/python" -m pip install -q --disable-pip-version-check -r tests/requirements.txt
rm -f target/wheels/impinge-*.whl
./wheel.sh "$venv/bin/python" -m pip wheel -q --disable-pip-version-check --no-deps -w target/wheels .
"$venv/bin/python" tests/check_wheel.py target/wheels/impinge-*.whl
"$venv/bin/python" -m pip install -q --disable-pip-version-check --force-reinstall --no-deps target/wheels/impinge-*.whl
"$venv/bin/python" -m pip check
"$venv/bin/python" -m pytest -rs "$@"
