//! Which crate may know which, and what stays out.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use cargo_metadata::{Dependency, DependencyKind, MetadataCommand};

/// Every crate of the workspace, the crates of the workspace that it is built on, and those that only its tests,
/// benchmarks and examples need. Data flows one way: a stage's output type lives in the crate that makes it and
/// is the next stage's input.
const EDGES: &[(&str, &[&str], &[&str])] = &[
    (
        "impinge",
        &[
            "broadphase",
            "contacts",
            "convex",
            "exact",
            "geometry",
            "gpu-narrow",
            "image-space",
            "midphase",
            "pair",
        ],
        &["reference", "scenes"],
    ),
    (
        "impinge-benches",
        &[
            "broadphase",
            "exact",
            "geometry",
            "impinge",
            "midphase",
            "oracle",
            "rapier",
            "reference",
            "scenes",
        ],
        &[],
    ),
    ("impinge-broadphase", &["geometry"], &[]),
    ("impinge-cli", &["impinge", "oracle", "reference", "scenes"], &["gpu-narrow"]),
    ("impinge-contacts", &["geometry", "pair"], &[]),
    ("impinge-convex", &["geometry", "midphase"], &[]),
    ("impinge-exact", &["convex", "geometry", "midphase"], &["oracle", "scenes"]),
    ("impinge-geometry", &[], &[]),
    (
        "impinge-gpu-narrow",
        &["exact", "geometry", "image-space", "midphase", "pair"],
        &["gpu-narrow", "scenes"],
    ),
    ("impinge-image-space", &["convex", "geometry", "midphase"], &["exact", "scenes"]),
    (
        "impinge-integration-tests",
        &[
            "broadphase",
            "contacts",
            "exact",
            "geometry",
            "image-space",
            "impinge",
            "midphase",
            "oracle",
            "pair",
            "reference",
            "scenes",
        ],
        &["gpu-narrow"],
    ),
    ("impinge-midphase", &["broadphase", "geometry"], &[]),
    // What it judges is not among them.
    ("impinge-oracle", &["geometry"], &[]),
    ("impinge-pair", &["convex", "exact", "geometry", "image-space", "midphase"], &["oracle", "scenes"]),
    ("impinge-rapier", &["impinge"], &["scenes"]),
    ("impinge-reference", &["impinge"], &[]),
    ("impinge-scenes", &["geometry"], &[]),
];

#[test]
fn crates_know_each_other_one_way_only() {
    let metadata = MetadataCommand::new()
        .manifest_path(concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml"))
        .no_deps()
        .exec()
        .expect("cargo metadata runs");
    // The facade's name is the prefix of all others.
    let short = |name: &str| name.strip_prefix("impinge-").unwrap_or(name).to_owned();
    let mut found = BTreeMap::new();
    for package in &metadata.packages {
        let of_kind = |kinds: &[DependencyKind]| {
            let here = |d: &&Dependency| kinds.contains(&d.kind) && d.path.is_some();
            package.dependencies.iter().filter(here).map(|d| short(&d.name)).collect::<BTreeSet<String>>()
        };
        let built_on = of_kind(&[DependencyKind::Normal, DependencyKind::Build]);
        found.insert(package.name.to_string(), [built_on, of_kind(&[DependencyKind::Development])]);
    }
    let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<String>>();
    let wanted: BTreeMap<String, [BTreeSet<String>; 2]> = EDGES
        .iter()
        .map(|(name, built_on, tested_with)| ((*name).to_owned(), [set(built_on), set(tested_with)]))
        .collect();
    assert_eq!(found, wanted, "the house's arrows changed: re-plan, then change this list");
}

/// The normal dependencies of a package, one a line.
fn tree(package: &str, more: &[&str]) -> String {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "-p", package, "--edges", "normal", "--prefix", "none", "--offline"])
        .args(more)
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .output()
        .expect("cargo tree runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn readers_of_files_come_with_their_features_alone() {
    const READER: &str = "gltf v";
    let none = tree("impinge", &["--no-default-features"]);
    let all = tree("impinge", &["--no-default-features", "--features", "files"]);
    let distinct =
        |tree: &str| tree.lines().map(|l| l.trim_end_matches(" (*)").to_owned()).collect::<BTreeSet<_>>();
    assert!(!none.contains(READER) && all.contains(READER));
    for feature in ["gltf", "obj", "ply", "stl"] {
        let one = tree("impinge", &["--no-default-features", "--features", feature]);
        assert_eq!(one.contains(READER), feature == "gltf", "{feature}");
        if feature != "gltf" {
            assert_eq!(distinct(&one), distinct(&none), "{feature} brings crates");
        }
    }
    // Without them and wgpu the library is about a third of what it is with all.
    let [none, everything] = [distinct(&none).len(), distinct(&tree("impinge", &[])).len()];
    assert!(5 * none <= 2 * everything, "{none} crates of {everything}");
}

#[test]
fn without_default_features_there_is_no_wgpu() {
    for package in ["impinge", "impinge-cli"] {
        let tree = |more: &[&str]| tree(package, more);
        let without = tree(&["--no-default-features"]);
        assert!(without.contains("impinge-pair"), "not the tree that was meant:\n{without}");
        assert!(!without.contains("wgpu"), "{package}: wgpu came in:\n{without}");
        assert!(tree(&[]).contains("wgpu"), "{package}: the feature `gpu` is not on by default");
    }
}
