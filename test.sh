#!/usr/bin/env bash
# Everything that has to hold before a change lands: format, lints, all tests, doc tests, docs.
set -euo pipefail
cd "$(dirname "$0")"
export CARGO_TERM_COLOR=${CARGO_TERM_COLOR:-auto}

step() { printf '\n== %s\n' "$*"; }

# Installs Debian packages where that can be done; tests that miss them say SKIPPED, and fail under CI=true.
install() {
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    (apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$@") >/dev/null || true
  fi
}

step "tools"
command -v chromium >/dev/null || command -v google-chrome >/dev/null || install chromium

step "format"
cargo fmt --all -- --check

step "lints"
cargo clippy --workspace --all-targets --locked -- -D warnings

step "tests"
cargo test --workspace --all-targets --locked

step "doc tests"
cargo test --workspace --doc --locked

step "docs"
RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked

step "all passed"
