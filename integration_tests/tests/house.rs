//! The house rules that a machine can check: which crate may know which, and what stays out.

use std::collections::BTreeMap;
use std::process::Command;

use cargo_metadata::{DependencyKind, MetadataCommand};

/// Every crate of the workspace and the crates of the workspace it is built on. Data flows one way: a
/// stage's output type lives in the crate that makes it and is the next stage's input.
const EDGES: &[(&str, &[&str])] = &[
    (
        "impinge",
        &[
            "impinge-broadphase",
            "impinge-contacts",
            "impinge-convex",
            "impinge-exact",
            "impinge-geometry",
            "impinge-gpu-narrow",
            "impinge-image-space",
            "impinge-midphase",
            "impinge-pair",
        ],
    ),
    (
        "impinge-benches",
        &[
            "impinge",
            "impinge-broadphase",
            "impinge-exact",
            "impinge-geometry",
            "impinge-integration-tests",
            "impinge-midphase",
            "impinge-reference",
            "impinge-scenes",
        ],
    ),
    ("impinge-broadphase", &["impinge-geometry"]),
    ("impinge-cli", &["impinge", "impinge-reference", "impinge-scenes"]),
    ("impinge-convex", &["impinge-geometry", "impinge-midphase"]),
    ("impinge-exact", &["impinge-convex", "impinge-geometry", "impinge-midphase"]),
    ("impinge-contacts", &["impinge-geometry", "impinge-pair"]),
    ("impinge-geometry", &[]),
    (
        "impinge-gpu-narrow",
        &["impinge-exact", "impinge-geometry", "impinge-image-space", "impinge-midphase", "impinge-pair"],
    ),
    (
        "impinge-integration-tests",
        &[
            "impinge",
            "impinge-broadphase",
            "impinge-contacts",
            "impinge-exact",
            "impinge-geometry",
            "impinge-midphase",
            "impinge-reference",
            "impinge-scenes",
        ],
    ),
    ("impinge-midphase", &["impinge-broadphase", "impinge-geometry"]),
    ("impinge-image-space", &["impinge-convex", "impinge-geometry", "impinge-midphase"]),
    (
        "impinge-pair",
        &["impinge-convex", "impinge-exact", "impinge-geometry", "impinge-image-space", "impinge-midphase"],
    ),
    ("impinge-reference", &["impinge"]),
    ("impinge-scenes", &["impinge-geometry"]),
];

#[test]
fn crates_know_each_other_one_way_only() {
    let metadata = MetadataCommand::new()
        .manifest_path(concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml"))
        .no_deps()
        .exec()
        .expect("cargo metadata runs");
    let mut found = BTreeMap::new();
    for package in &metadata.packages {
        let mut on: Vec<String> = package
            .dependencies
            .iter()
            .filter(|d| d.kind == DependencyKind::Normal && d.path.is_some())
            .map(|d| d.name.clone())
            .collect();
        on.sort_unstable();
        found.insert(package.name.to_string(), on);
    }
    let wanted: BTreeMap<String, Vec<String>> = EDGES
        .iter()
        .map(|(name, on)| ((*name).to_owned(), on.iter().map(|s| (*s).to_owned()).collect()))
        .collect();
    assert_eq!(found, wanted, "the house's arrows changed: re-plan, then change this list");
}

#[test]
fn without_default_features_there_is_no_wgpu() {
    for package in ["impinge", "impinge-cli"] {
        let tree = |more: &[&str]| {
            let output = Command::new(env!("CARGO"))
                .args(["tree", "-p", package, "--edges", "normal", "--offline"])
                .args(more)
                .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
                .output()
                .expect("cargo tree runs");
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            String::from_utf8_lossy(&output.stdout).into_owned()
        };
        let without = tree(&["--no-default-features"]);
        assert!(without.contains("impinge-pair"), "not the tree that was meant:\n{without}");
        assert!(!without.contains("wgpu"), "{package}: wgpu came in:\n{without}");
        assert!(tree(&[]).contains("wgpu"), "{package}: the feature `gpu` is not on by default");
    }
}
