//! Pairs whose truth can be found: those of the suite `contacts`, and some that are apart by a hair.

use std::sync::Arc;

use anyhow::bail;
use impinge_geometry::TriMesh;
use nalgebra::Isometry3;

use crate::contacts::scene::{self as overlapping, Kind};
use crate::mesh_peers::{Ours, Way};

/// Pairs that do not touch.
pub const APART: &str = "apart";

/// Two meshes where they stand.
pub struct Known {
    pub scene: &'static str,
    pub name: String,
    pub meshes: [Arc<TriMesh>; 2],
    pub poses: [Isometry3<f64>; 2],
}

/// All scenes, in the order of the table.
pub fn scenes() -> Vec<&'static str> {
    Kind::ALL.iter().map(|kind| kind.name()).chain([APART]).collect()
}

/// The pairs of a scene, or of all.
pub fn known(scene: Option<&str>, random_pairs: usize) -> anyhow::Result<Vec<Known>> {
    if let Some(name) = scene
        && !scenes().contains(&name)
    {
        bail!("no such scene; there are {}", scenes().join(", "));
    }
    let mut all = Vec::new();
    if scene != Some(APART) {
        for case in overlapping::cases(scene, random_pairs)? {
            all.push(Known {
                scene: case.kind.name(),
                name: case.name,
                meshes: case.meshes,
                poses: case.poses,
            });
        }
    }
    if scene.is_none_or(|name| name == APART) {
        for case in overlapping::cases(Some(Kind::Random.name()), random_pairs)? {
            let poses = moved_apart(&case);
            all.push(Known { scene: APART, name: case.name, meshes: case.meshes, poses });
        }
    }
    Ok(all)
}

/// The poses of an overlapping pair with B moved along the line of the origins until it is free, and by a millionth of the way more.
fn moved_apart(case: &overlapping::Case) -> [Isometry3<f64>; 2] {
    let [a, b] = case.poses;
    let way = b.translation.vector - a.translation.vector;
    let at = |share: f64| {
        let mut moved = b;
        moved.translation.vector = a.translation.vector + way * share;
        moved
    };
    let mut judge = Ours::new(Way::Best, &case.meshes);
    let (mut inside, mut free) = (1.0, 2.0);
    while judge.touching(&a, &at(free)) {
        free *= 2.0;
    }
    while free - inside > 1e-6 {
        let middle = 0.5 * (inside + free);
        if judge.touching(&a, &at(middle)) { inside = middle } else { free = middle }
    }
    [a, at(free)]
}
