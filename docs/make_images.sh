#!/usr/bin/env bash
# Makes the pictures of docs/SCENES.md: each scene as its usual run leaves it, and a replay in a browser.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo build --release --locked -p impinge-cli
impinge=${CARGO_TARGET_DIR:-target}/release/impinge
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
for scene in ${*:-gears nut-bolt chain bowls peg-in-hole terrain pile-1000}; do
    "$impinge" simulate --scene "$scene" --out "$out/$scene" || echo "$scene: not all that it demands is met"
    cp "$out/$scene/last.png" "docs/images/scene-$scene.png"
done

# The page of a recording, opened in Chromium without a window at the seventh second.
"$impinge" simulate --scene nut-bolt --out "$out/nut-bolt" --record "$out/nut.rec"
"$impinge" view "$out/nut.rec"
chromium --headless=new --no-sandbox --use-angle=swiftshader --enable-unsafe-swiftshader \
    --window-size=1200,900 --virtual-time-budget=4000 --user-data-dir="$out/profile" \
    --screenshot="$PWD/docs/images/replay-nut-bolt.png" "file://$out/nut.html#frame=420"
