#!/usr/bin/env bash
# Makes the README's first picture and those of docs/SCENES.md: each scene as its usual run leaves it, and a replay in
# a browser. Arguments name the scenes whose pictures are made; `bin` is the README's, and the replay is `nut-bolt`'s.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo build --release --locked -p impinge-cli
impinge=${CARGO_TARGET_DIR:-target}/release/impinge
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
scenes=${*:-bin gears nut-bolt chain bowls peg-in-hole terrain pile-1000 bullets level-set digging particles vehicle hand arm arm-machines tissue cloth-avatar cloth flag rope}
for scene in $scenes; do
    "$impinge" simulate --scene "$scene" --out "$out/$scene" || echo "$scene: not all that it demands is met"
    picture=scene-$scene
    [ "$scene" != bin ] || picture=heap
    # The tool has left the tissue at the end, the hand has turned over, and the ship has passed the flag.
    moment=last
    case $scene in tissue | hand | flag) moment=middle ;; esac
    cp "$out/$scene/$moment.png" "docs/images/$picture.png"
done

[[ " $scenes " == *" nut-bolt "* ]] || exit 0
# The page of a recording, opened in Chromium without a window after four and a half seconds.
"$impinge" simulate --scene nut-bolt --out "$out/nut-bolt" --record "$out/nut.rec"
"$impinge" view "$out/nut.rec"
chromium --headless=new --no-sandbox --use-angle=swiftshader --enable-unsafe-swiftshader \
    --window-size=1200,900 --virtual-time-budget=4000 --user-data-dir="$out/profile" \
    --screenshot="$PWD/docs/images/replay-nut-bolt.png" "file://$out/nut.html#frame=270"
