//! Names the shared library by the version of its interface, so that a program never loads one that it was not built for.

use std::env::var;

fn main() {
    println!("cargo::rerun-if-changed=src/lib.rs");
    let source = std::fs::read_to_string("src/lib.rs").expect("the crate's source is here");
    let version = source.split_once("IMP_ABI_VERSION: u32 = ").and_then(|(_, rest)| rest.split_once(';'));
    let (version, _) = version.expect("src/lib.rs has IMP_ABI_VERSION");
    match (var("CARGO_CFG_TARGET_OS").as_deref(), var("CARGO_CFG_TARGET_FAMILY").as_deref()) {
        (Ok("macos"), _) => {
            println!("cargo::rustc-cdylib-link-arg=-Wl,-install_name,@rpath/libimpinge_c.{version}.dylib");
        }
        (_, Ok("unix")) => println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libimpinge_c.so.{version}"),
        _ => {}
    }
}
