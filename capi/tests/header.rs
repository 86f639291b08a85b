//! `include/impinge.h` is what cbindgen makes of the crate. To make it again: `IMPINGE_WRITE_HEADER=1 cargo test --test header`.

use std::path::Path;

#[test]
fn the_header_is_as_the_crate_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(root.join("cbindgen.toml")).expect("cbindgen.toml");
    let made = cbindgen::Builder::new().with_crate(root).with_config(config).generate().expect("bindings");
    let mut text = Vec::new();
    made.write(&mut text);
    let made = String::from_utf8(text).expect("UTF-8");
    let path = root.join("include/impinge.h");
    if std::env::var_os("IMPINGE_WRITE_HEADER").is_some() {
        std::fs::write(&path, &made).expect("the header is written");
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = kept.lines().zip(made.lines()).position(|(kept, made)| kept != made);
    assert!(
        kept == made,
        "include/impinge.h differs from the crate, first in line {:?}; make it again with IMPINGE_WRITE_HEADER=1",
        differs.map(|line| line + 1)
    );
    for item in ["imp_abi_version", "imp_mesh_new", "imp_world_step", "imp_set_log", "ImpQueryFilter"] {
        assert!(made.contains(item), "{item} is missing");
    }
}

/// cargo-c names the shared library by what `Cargo.toml` says, `install.sh` by the header.
#[test]
fn cargo_c_gives_the_library_the_version_of_the_interface() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |name: &str| std::fs::read_to_string(root.join(name)).expect(name);
    let header = read("include/impinge.h");
    let abi =
        header.lines().find_map(|line| line.strip_prefix("#define IMP_ABI_VERSION ")).expect("a version");
    let manifest = read("Cargo.toml");
    let (_, library) = manifest.split_once("[package.metadata.capi.library]").expect("cargo-c's part");
    let (library, _) = library.split_once("\n[").expect("another part");
    for line in [format!("version = \"{abi}.0.0\""), "version_suffix_components = 1".to_owned()] {
        assert!(library.lines().any(|of| of == line), "{line} is missing:{library}");
    }
}
