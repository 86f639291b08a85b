//! Random and awkward meshes and poses.

use std::sync::Arc;

use impinge_geometry::{PairFrame, Side, TriMesh};
use nalgebra::{Isometry3, Point3, Quaternion, Translation3, UnitQuaternion};
use proptest::prelude::*;

pub type Corners = [Point3<f64>; 3];

/// What the triangles of a random set look like.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// Any corners in the unit cube.
    Large,
    /// Small triangles spread over the unit cube.
    Small,
    /// A thousand times longer than wide.
    Needles,
    /// All in the plane z = ½.
    Coplanar,
    /// Corners on a grid of 1/4: faces, edges and corners meet exactly.
    Grid,
    /// All around one centre.
    Concentric,
    /// Along one line, nearly.
    Collinear,
}

const KINDS: [Kind; 7] =
    [Kind::Large, Kind::Small, Kind::Needles, Kind::Coplanar, Kind::Grid, Kind::Concentric, Kind::Collinear];

fn triangle(kind: Kind, r: &[f64; 9]) -> [[f64; 3]; 3] {
    let corner = |k: usize| [r[3 * k], r[3 * k + 1], r[3 * k + 2]];
    let offset = |p: [f64; 3], q: [f64; 3], s: f64| std::array::from_fn(|i| p[i] + s * (q[i] - 0.5));
    let (p, q, s) = (corner(0), corner(1), corner(2));
    match kind {
        Kind::Large => [p, q, s],
        Kind::Small => [p, offset(p, q, 0.1), offset(p, s, 0.1)],
        Kind::Needles => [p, q, offset(q, s, 1e-3)],
        Kind::Coplanar => [p, q, s].map(|[x, y, _]| [x, y, 0.5]),
        Kind::Grid => [p, q, s].map(|x| x.map(|c| (c * 4.0).round() / 4.0)),
        Kind::Concentric => {
            let third = std::array::from_fn(|i| 1.5 - p[i] - q[i]);
            [p, q, third]
        }
        Kind::Collinear => [p, q, s].map(|[x, y, z]| [x, 0.5 + 1e-5 * y, 0.5 + 1e-5 * z]),
    }
}

/// A mesh of up to `most` triangles in a cube with edges of `scale` (m) around the origin, or beside it.
pub fn mesh(most: usize, scale: f64) -> impl Strategy<Value = Arc<TriMesh>> {
    let rows = prop::collection::vec(prop::array::uniform9(0.0..1.0), 1..most);
    let offset = prop_oneof![3 => Just(0.0), 1 => Just(64.0)];
    (prop::sample::select(&KINDS[..]), rows, offset).prop_filter_map(
        "no sound triangle",
        move |(kind, rows, offset)| {
            let point = |c: [f64; 3]| Point3::from(c.map(|x| (scale * (x - 0.5 + offset)) as f32));
            let vertices = rows.iter().flat_map(|r| triangle(kind, r)).map(point).collect();
            let triangles = (0..rows.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
            TriMesh::new(vertices, triangles).ok().map(Arc::new)
        },
    )
}

/// A length unit from a micrometre to a thousand kilometres (m).
pub fn scale() -> impl Strategy<Value = f64> {
    (-6..=6).prop_map(|k| 10f64.powi(k))
}

pub fn rotation() -> impl Strategy<Value = UnitQuaternion<f64>> {
    let turned = prop::array::uniform4(-1.0..1.0f64).prop_filter_map("no direction", |q| {
        let q = Quaternion::new(q[0], q[1], q[2], q[3]);
        (q.norm() > 0.1).then(|| UnitQuaternion::new_normalize(q))
    });
    prop_oneof![1 => Just(UnitQuaternion::identity()), 3 => turned]
}

/// A pose within about `reach` (m) of `center`: any, or with coordinates on a grid of `reach / 4`.
pub fn pose(center: [f64; 3], reach: f64) -> impl Strategy<Value = Isometry3<f64>> {
    let place = prop::array::uniform3(-1.0..1.0f64);
    (rotation(), place, any::<bool>()).prop_map(move |(rotation, place, grid)| {
        let place = place.map(|x| if grid { (4.0 * x).round() / 4.0 } else { x } * reach);
        let [x, y, z] = std::array::from_fn(|i| center[i] + place[i]);
        Isometry3::from_parts(Translation3::new(x, y, z), rotation)
    })
}

/// The canonical corners of every triangle.
pub fn placed(mesh: &TriMesh, frame: &PairFrame, side: Side) -> Vec<Corners> {
    (0..mesh.triangles().len() as u32).map(|t| mesh.corners(t).map(|p| frame.place(side, &p))).collect()
}

/// `pose` moved so that the middles of the two meshes' boxes meet, but for the pose's translation.
pub fn meeting(a: &TriMesh, b: &TriMesh, pose: &Isometry3<f64>) -> Isometry3<f64> {
    let middle = |m: &TriMesh| m.aabb().center().cast::<f64>();
    let shift = middle(a) - pose.rotation * middle(b) + pose.translation.vector;
    Isometry3::from_parts(Translation3::from(shift), pose.rotation)
}

/// A closed torus around z with `n` × `m` quads.
pub fn torus(ring: f64, tube: f64, n: u32, m: u32) -> TriMesh {
    let angle = |k: u32, of: u32| std::f64::consts::TAU * f64::from(k % of) / f64::from(of);
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
    for i in 0..n {
        for j in 0..m {
            let (u, v) = (angle(i, n), angle(j, m));
            let r = ring + tube * v.cos();
            vertices.push(Point3::new(r * u.cos(), r * u.sin(), tube * v.sin()).cast::<f32>());
            let at = |i: u32, j: u32| (i % n) * m + j % m;
            let (a, b, c, d) = (at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1));
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    TriMesh::new(vertices, triangles).expect("a torus is a sound mesh")
}
