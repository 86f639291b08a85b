//! The house rules that a machine can check: which crate and which file may know which, and what names there are.

mod clocks;
mod edges;
mod modules;
mod names;
mod packages;

use std::path::PathBuf;

use modules::Modules;

/// Files that use each other, by crate: to be taken apart. A group that has shrunk or gone must be struck here.
const KNOWN_CYCLES: &[(&str, &[&[&str]])] = &[
    (
        "geometry",
        &[
            &[
                "mass.rs",
                "mesh/mod.rs",
                "mesh/edges.rs",
                "mesh/orientation.rs",
                "mesh/topology.rs",
                "mesh/weld.rs",
                "shape/mod.rs",
                "shape/composite.rs",
                "shape/hull.rs",
                "shape/primitive.rs",
                "shape/quickhull.rs",
            ],
            &["simd/mod.rs", "simd/scalar.rs", "simd/avx2.rs", "simd/halves.rs", "simd/sse2.rs"],
        ],
    ),
    (
        "broadphase",
        &[
            &[
                "broad_phase.rs",
                "grid/cell_assignment.rs",
                "grid/layout.rs",
                "registry/boxes.rs",
                "registry/disable.rs",
                "registry/insert_remove.rs",
            ],
            &["grid/mod.rs", "grid/quantize.rs", "registry/proxy.rs"],
            &[
                "sweep/mod.rs",
                "sweep/cached.rs",
                "sweep/dense.rs",
                "sweep/gather.rs",
                "sweep/inactive.rs",
                "sweep/place.rs",
                "sweep/sparse.rs",
            ],
            &[
                "sweep/lanes/mod.rs",
                "sweep/lanes/coarse.rs",
                "sweep/lanes/shells.rs",
                "sweep/lanes/states.rs",
            ],
        ],
    ),
    (
        "midphase",
        &[&[
            "obb_tree/mod.rs",
            "obb_tree/build.rs",
            "obb_tree/covariance.rs",
            "obb_tree/fit.rs",
            "obb_tree/leaf.rs",
            "obb_tree/leaf_fit.rs",
            "obb_tree/loose.rs",
            "obb_tree/refine.rs",
            "obb_tree/refit.rs",
            "obb_tree/split.rs",
            "obb_tree/tree_vertices.rs",
            "obb_tree/validate.rs",
        ]],
    ),
    (
        "gpu_narrow",
        &[
            &[
                "device/clock.rs",
                "device/fault_injection.rs",
                "image/dispatch.rs",
                "image/reference/mod.rs",
                "image/reference/dispatch.rs",
                "image/volume/mod.rs",
                "image/volume/dispatch.rs",
                "manifold/mod.rs",
                "manifold/dispatch.rs",
                "engine.rs",
                "step.rs",
            ],
            &["height_map/mod.rs", "height_map/draw.rs", "height_map/profile.rs"],
        ],
    ),
];

/// The workspace's root.
fn root() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// The crates in the folders named, and in their folders: `narrow` is one crate or holds several.
fn crates(folders: &[&str]) -> Vec<(String, Modules)> {
    let mut found = Vec::new();
    for folder in folders {
        let mut inner: Vec<PathBuf> = vec![root().join(folder)];
        if *folder != "." {
            let listed = std::fs::read_dir(root().join(folder)).expect("a folder of the workspace");
            inner.extend(listed.map(|entry| entry.expect("a readable entry").path()));
        }
        inner.retain(|path| path.join("Cargo.toml").is_file() && path.join("src/lib.rs").is_file());
        inner.sort();
        for path in inner {
            let name = if *folder == "." {
                ".".into()
            } else {
                path.strip_prefix(root()).expect("below the root").to_string_lossy().into_owned()
            };
            found.push((name, Modules::of_crate(&path)));
        }
    }
    assert!(found.len() >= folders.len(), "fewer crates than folders: {folders:?}");
    found
}

const STAGES: &[&str] = &["geometry", "broadphase", "midphase", "narrow", "gpu_narrow", "contacts"];

/// No file of a stage uses another that uses it, directly or through others: neither modules of a crate nor
/// files of a folder. A folder's `mod.rs` is a file like any other: it may use its files, or they may use what
/// it defines, but not both. See `modules.rs` for what counts as a use.
#[test]
fn files_know_each_other_one_way_only() {
    let mut wrong = String::new();
    for (name, modules) in crates(STAGES) {
        let found = modules.cycles();
        let known = KNOWN_CYCLES.iter().find(|(of, _)| *of == name).map_or(&[][..], |(_, groups)| *groups);
        if found != known {
            wrong += &format!("    (\n        \"{name}\",\n        &[\n");
            for group in &found {
                wrong += &format!("            &{group:?},\n");
            }
            wrong += "        ],\n    ),\n";
        }
    }
    assert!(wrong.is_empty(), "other cycles than the known ones:\n{wrong}");
}
