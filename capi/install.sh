#!/usr/bin/env bash
# Builds the C library and installs header, libraries, pkg-config and CMake files. Usage: ./install.sh PREFIX [--debug]
set -euo pipefail
[ $# -ge 1 ] && [ $# -le 2 ] || { echo "usage: $0 PREFIX [--debug]" >&2; exit 2; }
prefix=$(mkdir -p "$1" && cd "$1" && pwd)
cd "$(dirname "$0")"
case ${2:-} in
  "") profile=release; cargo build --locked --release ;;
  --debug) profile=debug; cargo build --locked ;;
  *) echo "unknown: $2 (only --debug)" >&2; exit 2 ;;
esac
built=${CARGO_TARGET_DIR:-target}/$profile
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)
case $(uname) in
  Darwin) private="-lSystem -lm" ;;
  *) private="-lgcc_s -lutil -lrt -lpthread -lm -ldl -lc" ;;
esac

mkdir -p "$prefix"/{include,lib/pkgconfig,lib/cmake/impinge}
install -m 644 include/impinge.h include/impinge.hpp "$prefix/include/"
# The shared library is named by the version of its interface; the name without one is what programs are linked with.
abi=$(sed -n 's/^#define IMP_ABI_VERSION //p' include/impinge.h)
shared() { # BUILT NAMED
  [ -f "$built/$1" ] || return 0
  install -m 755 "$built/$1" "$prefix/lib/$2"
  ln -sf "$2" "$prefix/lib/$1"
}
shared libimpinge_c.so "libimpinge_c.so.$abi"
shared libimpinge_c.dylib "libimpinge_c.$abi.dylib"
[ ! -f "$built/libimpinge_c.a" ] || install -m 644 "$built/libimpinge_c.a" "$prefix/lib/"
sed -e "s|@VERSION@|$version|" -e "s|@PRIVATE@|$private|" impinge.pc.in >"$prefix/lib/pkgconfig/impinge.pc"
install -m 644 cmake/impingeConfig.cmake "$prefix/lib/cmake/impinge/"
sed "s|@VERSION@|$version|" cmake/impingeConfigVersion.cmake.in >"$prefix/lib/cmake/impinge/impingeConfigVersion.cmake"
echo "installed impinge $version to $prefix"
