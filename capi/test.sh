#!/usr/bin/env bash
# The C and C++ interface: format, lints, header, an installation, examples by pkg-config and by CMake, answers, hostile calls and leaks, and clients of engines.
set -euo pipefail
cd "$(dirname "$0")"
# Third-party builds are the library's own.
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/../target}
root=$PWD
missing=0

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  for need in cc:build-essential cmake:cmake valgrind:valgrind pkg-config:pkg-config; do
    command -v "${need%%:*}" >/dev/null || packages="${packages:-} ${need##*:}"
  done
  pkg-config --exists ode bullet 2>/dev/null || packages="${packages:-} libode-dev libbullet-dev"
  [ -z "${packages:-}" ] || (apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $packages) >/dev/null || true
fi
has() {
  command -v "$1" >/dev/null && return
  echo "SKIPPED: $2 (install: $1)"
  missing=1
  return 1
}

cargo fmt --check -- --config-path ..
cargo clippy --all-targets --locked -- -D warnings
cargo test --locked --test header

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
./install.sh "$work/prefix" --debug
export PKG_CONFIG_PATH=$work/prefix/lib/pkgconfig LD_LIBRARY_PATH=$work/prefix/lib
strict="-O1 -g -Wall -Wextra -Wpedantic -Werror"

if has cc "C and C++ were not compiled" && has pkg-config "C and C++ were not compiled"; then
  flags=$(pkg-config --cflags --libs impinge)
  cc -std=c99 $strict examples/pair.c -o "$work/pair" $flags -lm
  c++ -std=c++17 $strict examples/world.cpp -o "$work/world" $flags
  c++ -std=c++17 $strict -fno-exceptions -fsyntax-only -x c++ include/impinge.hpp -I include
  cc -std=c11 $strict tests/hostile.c -o "$work/hostile" $flags -pthread
  cc -std=c99 $strict tests/answers.c -o "$work/answers" $flags -lm
  gear=../scenes/assets/gear.ply
  for program in pair world hostile "answers $gear"; do
    "$work"/$program
  done

  # A program asks for the interface that it was built for.
  if [ "$(uname)" = Linux ] && has readelf "the library's name was not checked"; then
    abi=$(sed -n 's/^#define IMP_ABI_VERSION //p' include/impinge.h)
    readelf -d "$work/pair" | grep -q "NEEDED.*\[libimpinge_c.so.$abi\]"
    readelf -d "$work/prefix/lib/libimpinge_c.so" | grep -q "SONAME.*\[libimpinge_c.so.$abi\]"
  fi

  # Everything that a program made it has freed: `imp_live_objects` says so in each; nothing is lost in the library either.
  if has valgrind "leaks were not searched for"; then
    # Worker threads of a pool that lasts as long as the process are no leak; two of them are enough.
    for program in pair world hostile "answers $gear"; do
      RAYON_NUM_THREADS=2 timeout 300 valgrind -q --leak-check=full --errors-for-leak-kinds=definite --show-leak-kinds=definite \
        --error-exitcode=99 "$work"/$program >/dev/null
      echo "valgrind: $program has no error and no leak"
    done
  fi

  c++ -std=c++17 $strict clients/jolt_test.cpp -o "$work/jolt_test" $flags
  "$work/jolt_test"
  # Engines' headers are not ours to keep clean.
  for engine in ode bullet; do
    if pkg-config --exists "$engine"; then
      c++ -std=c++17 $strict "clients/${engine}_test.cpp" -o "$work/${engine}_test" $flags \
        $(pkg-config --cflags "$engine" | sed 's/-I */-isystem /g') $(pkg-config --libs "$engine")
      "$work/${engine}_test"
    else
      echo "SKIPPED: the client of $engine was not built (install: lib$engine-dev)"
      missing=1
    fi
  done
fi

if has cmake "find_package was not tried"; then
  cmake -S examples -B "$work/build" -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_BUILD_TYPE=Debug >/dev/null
  cmake --build "$work/build" >/dev/null
  (cd "$work/build" && ctest --output-on-failure)
fi
[ "$missing" = 0 ] || [ "${CI:-}" != true ]
cd "$root"
