#!/usr/bin/env bash
# Avian with our colliders: format, and lints, which compile all but what draws, and take no machine code of Bevy. With --all also the tests, with and
# without `parallel`, whose scenes have to end with the same bits, Bevy's device shared, the example with the window, and the documentation.
set -euo pipefail
cd "$(dirname "$0")"
# Bevy declares a newer Rust than what is used of it needs.
any="--locked --ignore-rust-version"

cargo fmt --check -- --config-path ../..
cargo clippy --all-targets $any -- -D warnings
case ${1:-} in
  "") echo "SKIPPED: Avian's scenes were not run (simulators/avian/test.sh --all)"; exit ;;
  --all) ;;
  *) echo "unknown: $1 (only --all)" >&2; exit 2 ;;
esac
hashes() { cargo test $any "$@" --test app -- --nocapture | tee >(cat >&2) | grep -E '^(rings|balls): ' | sort; }
plain=$(hashes)
parallel=$(hashes --features parallel)
[ -n "$plain" ] && [ "$plain" = "$parallel" ] || { echo "with the feature parallel the scenes end otherwise" >&2; exit 1; }
cargo clippy --all-targets $any --features window -- -D warnings
cargo test $any --features window
# Without a display it steps without a window.
env -u DISPLAY -u WAYLAND_DISPLAY cargo run $any --features window --example rings
RUSTDOCFLAGS="-D warnings" cargo doc $any --no-deps --features gizmos,device
