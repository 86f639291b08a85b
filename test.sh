#!/usr/bin/env bash
# Everything that has to hold before a change lands: format, lints, all tests, doc tests, the Python package, docs.
set -euo pipefail
cd "$(dirname "$0")"
export CARGO_TERM_COLOR=${CARGO_TERM_COLOR:-auto}
# A clone that is built once has no use for what helps to build it again, or to step through it.
if [ "${CI:-}" = true ]; then
  export CARGO_INCREMENTAL=${CARGO_INCREMENTAL:-0} CARGO_PROFILE_DEV_DEBUG=${CARGO_PROFILE_DEV_DEBUG:-false}
fi

step() { printf '\n== %s\n' "$*"; }

# Installs Debian packages where that can be done; tests that miss them say SKIPPED, and fail under CI=true.
install() {
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    (apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$@") >/dev/null || true
  fi
}

# GPU tests run on any adapter, Mesa's software one where there is no other.
drivers() { find /usr/share/vulkan/icd.d /etc/vulkan/icd.d -name '*.json' 2>/dev/null || true; }

step "tools"
[ "$(uname)" != Linux ] || ldconfig -p | grep -q libEGL.so || install libegl1 libgl1-mesa-dri
command -v chromium >/dev/null || command -v google-chrome >/dev/null || install chromium
[ "$(uname)" != Linux ] || [ -n "$(drivers)" ] || install mesa-vulkan-drivers libvulkan1
echo "Vulkan drivers: $(drivers | xargs -rn1 basename | xargs)"
# Keeps Mesa from writing about windows to standard error.
export XDG_RUNTIME_DIR=${XDG_RUNTIME_DIR:-${TMPDIR:-/tmp}}
IMPINGE_SKIP_LOG=$(mktemp)
export IMPINGE_SKIP_LOG
trap 'rm -f "$IMPINGE_SKIP_LOG"' EXIT

# The same random cases every time, so that what fails here fails again by hand. To try others, set another seed.
export PROPTEST_RNG_SEED=${PROPTEST_RNG_SEED:-1}

step "format"
cargo fmt --all -- --check

step "lints"
cargo clippy --workspace --all-targets --locked -- -D warnings

# Other targets and fewer features, as far as their standard libraries are installed (rustup target add).
step "targets"
cargo clippy -p impinge --no-default-features --all-targets --locked -- -D warnings
oldest=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
oldest=$(rustup toolchain list 2>/dev/null | grep -oE "^$oldest(\.0)?-[a-z0-9_-]+" | head -1 || true)
if [ -n "$oldest" ]; then
  cargo "+$oldest" check -p impinge --no-default-features --locked --target-dir target/oldest
else
  echo "SKIPPED: the library was not checked with the oldest Rust that it declares (install: rustup toolchain install 1.89)"
fi
for target in aarch64-unknown-linux-gnu wasm32-unknown-unknown; do
  if [ -d "$(rustc --print sysroot)/lib/rustlib/$target/lib" ]; then
    cargo clippy -p impinge --no-default-features --locked --target "$target" -- -D warnings
  else
    echo "SKIPPED: the library was not checked for $target (install: rustup target add $target)"
  fi
done

step "tests"
cargo test --workspace --all-targets --locked

step "doc tests"
cargo test --workspace --doc --locked

# Modules with unsafe code that Miri can run: the vectors, and the broad phase's kernels on them.
step "Miri"
if cargo +nightly miri --version >/dev/null 2>&1; then
  for features in "" "-C target-feature=+avx2"; do
    RUSTFLAGS=$features cargo +nightly miri test --locked -p impinge-geometry --lib simd::
    RUSTFLAGS=$features cargo +nightly miri test --locked -p impinge-broadphase --lib -- lanes:: scattered::
  done
else
  echo "SKIPPED: Miri did not check the unsafe code (install: rustup toolchain install nightly --component miri)"
fi

step "Python"
python/test.sh

step "C and C++"
capi/test.sh

step "Avian"
simulators/avian/test.sh

step "packages"
cargo package --workspace --no-verify --allow-dirty --locked --quiet
if cargo deny --version >/dev/null 2>&1; then
  for workspace in . capi python simulators/avian; do
    cargo deny --manifest-path "$workspace/Cargo.toml" --config deny.toml check licenses bans sources
  done
else
  echo "SKIPPED: cargo-deny is not installed; the test \`house\` has compared licences with deny.toml"
fi

step "docs"
RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked

skipped=$(wc -l <"$IMPINGE_SKIP_LOG")
if [ "$skipped" -gt 0 ]; then
    step "all that ran passed; $skipped GPU tests SKIPPED for want of an adapter"
    sort "$IMPINGE_SKIP_LOG"
    [ "${CI:-}" != true ]
else
    step "all passed, no GPU test skipped"
fi
