//! Pipes that wind around each other.

use std::f64::consts::FRAC_PI_2;

use impinge_geometry::TriMesh;
use nalgebra::{Isometry3, Point3, Unit, Vector3};

use super::assembly::joined;
use super::skin::Skin;
use super::{Check, GeneratorError};
use crate::random::Random;

/// Rings of a bend.
const BEND: u32 = 5;
/// Nodes of a pipe at most.
const LONGEST: usize = 16;
/// Starts that are tried.
const TRIALS: u32 = 100_000;

/// Pipes of round cross-section along the edges of a cubic lattice, with bends and couplings: no two share a node. They fill the space
/// between two spheres around the origin. Closed, in as many pieces as there are pipes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pipes {
    /// Pitch of the lattice (m).
    pub pitch: f64,
    /// Radius of the pipes (m).
    pub tube: f64,
    /// No node is nearer to the origin (m).
    pub inner: f64,
    /// No node is farther from the origin (m).
    pub outer: f64,
    /// No node is lower (m).
    pub lowest: f64,
    /// Corners of the cross-section.
    pub around: u32,
    /// There are so many triangles, or up to a pipe more, if there is room for them.
    pub triangles: u32,
    /// Which pipes.
    pub seed: u64,
}

impl Default for Pipes {
    fn default() -> Pipes {
        Pipes {
            pitch: 0.28,
            tube: 0.05,
            inner: 1.25,
            outer: 3.1,
            lowest: -1.0,
            around: 12,
            triangles: 38_000,
            seed: 3,
        }
    }
}

impl Pipes {
    /// The mesh.
    ///
    /// # Errors
    /// [`GeneratorError`] for a size that is not positive, for pipes thicker than the pitch allows, or for no room.
    pub fn mesh(&self) -> Result<TriMesh, GeneratorError> {
        let check = Check("pipes");
        for (name, value) in [("pitch", self.pitch), ("tube", self.tube), ("outer", self.outer)] {
            check.length(name, value)?;
        }
        check.below("tube", self.tube, 0.3 * self.pitch, "it must be below 0.3 of the pitch")?;
        check.steps("around", self.around, 3, "a pipe needs 3 corners")?;
        let cells = (self.outer / self.pitch).ceil();
        check.below("outer", cells, 100.0, "it must be below 100 pitches")?;
        let mut lattice = Lattice::new(self, cells as i64);
        let mut random = Random::new(self.seed);
        let (mut parts, mut triangles) = (Vec::new(), 0);
        for _ in 0..TRIALS {
            if triangles >= self.triangles as usize {
                break;
            }
            let nodes = lattice.walk(&mut random);
            if nodes.len() > 2 {
                let pipe = self.pipe(&nodes)?;
                triangles += pipe.triangles().len();
                parts.push((Isometry3::identity(), pipe));
            }
        }
        if parts.is_empty() {
            return Err(check.fail(
                "inner",
                self.inner,
                "it must leave room for pipes within the outer radius",
            ));
        }
        joined(&parts, "pipes")
    }

    /// A pipe through some nodes.
    fn pipe(&self, nodes: &[Vector3<i64>]) -> Result<TriMesh, GeneratorError> {
        let place = |node: &Vector3<i64>| Point3::from(node.cast::<f64>() * self.pitch);
        let ways: Vec<Vector3<f64>> = nodes.windows(2).map(|pair| (pair[1] - pair[0]).cast()).collect();
        let mut n = if ways[0].x == 0.0 { Vector3::x() } else { Vector3::y() };
        let mut skin = Skin::default();
        let circle = |skin: &mut Skin, at: Point3<f64>, n: &Vector3<f64>, way: &Vector3<f64>, radius: f64| {
            skin.circle(at, *n, way.cross(n), radius, self.around);
        };
        circle(&mut skin, place(&nodes[0]), &n, &ways[0], self.tube);
        let round = 0.4 * self.pitch;
        for k in 1..nodes.len() - 1 {
            let (from, to, at) = (ways[k - 1], ways[k], place(&nodes[k]));
            if from == to {
                // A coupling.
                for (along, radius) in [(-0.12, 1.0), (-0.12, 1.35), (0.12, 1.35), (0.12, 1.0)] {
                    let slant = if radius > 1.0 { 0.9 } else { 1.0 };
                    let at = at + from * (along * slant * self.pitch);
                    circle(&mut skin, at, &n, &from, self.tube * radius);
                }
                continue;
            }
            let axis = Unit::new_normalize(from.cross(&to));
            let start = n;
            for step in 0..=BEND {
                let angle = FRAC_PI_2 * f64::from(step) / f64::from(BEND);
                let (sine, cosine) = libm::sincos(angle);
                let at = at + (to - from) * round + (from * sine - to * cosine) * round;
                let way = from * cosine + to * sine;
                n = turned(&axis, angle, &start);
                circle(&mut skin, at, &n, &way, self.tube);
            }
        }
        let (last, way) = (nodes[nodes.len() - 1], ways[ways.len() - 1]);
        circle(&mut skin, place(&last), &n, &way, self.tube);
        skin.capped_mesh("pipes")
    }
}

/// A vector turned about an axis (Rodrigues).
fn turned(axis: &Unit<Vector3<f64>>, angle: f64, v: &Vector3<f64>) -> Vector3<f64> {
    let (sine, cosine) = libm::sincos(angle);
    v * cosine + axis.cross(v) * sine + axis.into_inner() * (axis.dot(v) * (1.0 - cosine))
}

/// The nodes that may be taken.
struct Lattice {
    cells: i64,
    free: Vec<bool>,
}

impl Lattice {
    fn new(pipes: &Pipes, cells: i64) -> Lattice {
        let all = -cells..=cells;
        let nodes = all.clone().flat_map(|z| {
            let all = -cells..=cells;
            all.clone().flat_map(move |y| (-cells..=cells).map(move |x| Vector3::new(x, y, z)))
        });
        let is_free = |node: Vector3<i64>| {
            let p = node.cast::<f64>() * pipes.pitch;
            (pipes.inner..=pipes.outer).contains(&p.norm()) && p.z >= pipes.lowest
        };
        Lattice { cells, free: nodes.map(is_free).collect() }
    }

    fn index(&self, node: &Vector3<i64>) -> Option<usize> {
        let within = node.iter().all(|x| x.abs() <= self.cells);
        let side = 2 * self.cells + 1;
        let at = ((node.z + self.cells) * side + node.y + self.cells) * side + node.x + self.cells;
        within.then_some(at as usize)
    }

    fn take(&mut self, node: &Vector3<i64>) -> bool {
        self.index(node).is_some_and(|at| std::mem::replace(&mut self.free[at], false))
    }

    fn is_free(&self, node: &Vector3<i64>) -> bool {
        self.index(node).is_some_and(|at| self.free[at])
    }

    /// Nodes of a walk that meets no other; empty where it began on one.
    fn walk(&mut self, random: &mut Random) -> Vec<Vector3<i64>> {
        let side = 2 * self.cells as usize + 1;
        let mut node = Vector3::from_fn(|_, _| random.index(side) as i64 - self.cells);
        let mut nodes = Vec::new();
        if !self.take(&node) {
            return nodes;
        }
        nodes.push(node);
        let axes = [Vector3::x(), Vector3::y(), Vector3::z()];
        let ways = axes.map(|axis: Vector3<i64>| [axis, -axis]).concat();
        let mut way = ways[random.index(6)];
        while nodes.len() < LONGEST {
            if random.unit() < 0.4 || !self.is_free(&(node + way)) {
                let back = -way;
                let open: Vec<_> =
                    ways.iter().filter(|w| **w != back && self.is_free(&(node + *w))).collect();
                let Some(next) = open.get(random.index(open.len())) else { break };
                way = **next;
            }
            node += way;
            if !self.take(&node) {
                break;
            }
            nodes.push(node);
        }
        nodes
    }
}
