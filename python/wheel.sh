#!/usr/bin/env bash
# Runs a command that builds the wheel, with the folders of this machine left out of it: panics name files from the checkout on.
#   ./wheel.sh maturin build --release --zig --compatibility manylinux2014 --target x86_64-unknown-linux-gnu
set -euo pipefail
cd "$(dirname "$0")"
checkout=$(dirname "$PWD")
# The last that fits holds. Between flags stands 0x1f, so that folders may have spaces in their names.
flags="--remap-path-prefix=${HOME:-/root}=~"
flags+=$'\x1f'"--remap-path-prefix=${CARGO_HOME:-${HOME:-/root}/.cargo}/registry/src=crates"
flags+=$'\x1f'"--remap-path-prefix=$checkout=impinge"
given=${CARGO_ENCODED_RUSTFLAGS:-}
if [ -z "$given" ]; then
    for flag in ${RUSTFLAGS:-}; do given+="${given:+$'\x1f'}$flag"; done
fi
export CARGO_ENCODED_RUSTFLAGS="${given:+$given$'\x1f'}$flags"
exec "$@"
