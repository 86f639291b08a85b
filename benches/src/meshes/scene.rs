//! The scenes of the mesh suite: two meshes and the poses at which they are asked about.

use std::sync::Arc;

use anyhow::Context;
use impinge_geometry::TriMesh;
use impinge_scenes::mesh::{Blob, Knot, Ship, Tunnel};
use impinge_scenes::random::Random;

use super::poses::{Mix, Overlap, Placement, Poses, flight};
use crate::mesh_peers::{Ours, Way};

/// Triangles of the knots: the sizes of Shen et al., "A Hybrid Collision Detection Algorithm Based on
/// Image Space", Table 1.
pub const KNOTS: [u32; 5] = [968, 3_162, 5_201, 7_591, 9_613];
/// The odd ones of these sizes with the triangle that closes them: only these have an inside, and so a depth.
pub const CLOSED_KNOTS: [u32; 3] = [5_202, 7_592, 9_614];
/// The gap of near misses of knots (m).
pub const KNOT_GAP: f64 = 1e-3;
/// The gap of near misses of balls (m).
pub const BALL_GAP: f64 = 1e-4;
const COHERENT: &str = "-coherent";

/// Two meshes and where they stand.
pub struct MeshScene {
    pub name: String,
    pub meshes: [Arc<TriMesh>; 2],
    pub placements: Vec<Placement>,
}

/// All names, the coherent ones last.
pub fn names() -> Vec<String> {
    let mut names: Vec<String> =
        KNOTS.iter().chain(&CLOSED_KNOTS).map(|count| format!("knot-{count}")).collect();
    names.extend(["fly-through".to_owned(), "ico-80k".to_owned()]);
    let coherent: Vec<String> = names.iter().map(|name| format!("{name}{COHERENT}")).collect();
    names.extend(coherent);
    names
}

/// A scene by its name.
pub fn make(name: &str) -> anyhow::Result<MeshScene> {
    let (base, coherent) = match name.strip_suffix(COHERENT) {
        Some(base) => (base, true),
        None => (name, false),
    };
    let known = || format!("no scene {name}; there are {}", names().join(", "));
    if base == "fly-through" {
        let tunnel = Tunnel::default();
        let meshes = [Arc::new(tunnel.mesh()?), Arc::new(Ship::default().mesh()?)];
        let placements =
            if coherent { flight(&tunnel, 0.0535, 0.083, 200) } else { flight(&tunnel, 0.03, 0.97, 800) };
        return Ok(MeshScene { name: name.to_owned(), meshes, placements });
    }
    let (mesh, mix, swing, turn) = if base == "ico-80k" {
        let ball = Blob { radius: 1.0, bump: 0.06, bumps: 60, width: 0.22, subdivisions: 6, seed: 5 };
        let overlap = Overlap::Length(0.002, 0.08);
        let mix = Mix { colliding: 100, near_misses: 20, clear: 0, gap: BALL_GAP, overlap };
        (ball.mesh()?, mix, 0.02, 5e-4)
    } else {
        let count = base.strip_prefix("knot-").and_then(|count| count.parse().ok());
        let count = KNOTS.into_iter().chain(CLOSED_KNOTS).find(|&known| Some(known) == count);
        let count = count.with_context(known)?;
        let overlap = Overlap::Share(0.8);
        let mix = Mix { colliding: 60, near_misses: 100, clear: 40, gap: KNOT_GAP, overlap };
        (knot().with_triangles(count)?, mix, 0.04, 1e-3)
    };
    let mesh = Arc::new(mesh);
    let meshes = [mesh.clone(), mesh];
    let mut oracle = Ours::new(Way::Best, &meshes);
    let sphere = meshes[0].bounding_sphere();
    let reach = 2.0 * (f64::from(sphere.radius) + sphere.center.coords.cast::<f64>().norm()) * 1.0001;
    let mut poses = Poses { oracle: &mut oracle, reach, random: Random::new(1) };
    let placements = if coherent { poses.steps(200, swing, turn) } else { poses.mixed(&mix) };
    Ok(MeshScene { name: name.to_owned(), meshes, placements })
}

/// The knot of all five sizes, about two metres across.
fn knot() -> Knot {
    Knot { major: 0.5, minor: 0.25, tube: 0.15, ..Knot::default() }
}
