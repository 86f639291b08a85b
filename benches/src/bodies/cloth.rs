//! Layers of cloth: where a sheet is near itself.

use std::sync::Arc;

use impinge::TriMesh;
use impinge::query::{SheetPoint, SheetQuery, SheetScratch};
use nalgebra::Point3;
use parry3d::bounding_volume::Aabb;
use parry3d::math::Vector;
use parry3d::partitioning::{Bvh, BvhBuildStrategy, BvhWorkspace};

use super::{BodyContender, Cast};

/// How many layers lie on each other.
const LAYERS: u32 = 50;
/// How far apart they lie (m), and how thick they are.
const APART: f32 = 0.012;
const THICKNESS: f64 = 0.014;
/// How high the waves are (m): layers go along with each other, and nearly touch.
pub const HEIGHT: f64 = 0.01;

/// The layers, in one mesh, and those that are asked in each step.
pub fn make(triangles: u32) -> anyhow::Result<Cast> {
    let cells = (f64::from(triangles) / f64::from(2 * LAYERS)).sqrt().round().max(1.0) as u32;
    let (mut vertices, mut faces) = (Vec::new(), Vec::new());
    for layer in 0..LAYERS {
        let first = vertices.len() as u32;
        for j in 0..=cells {
            for i in 0..=cells {
                let at = |k: u32| k as f32 / cells as f32 - 0.5;
                vertices.push(Point3::new(at(i), at(j), APART * layer as f32));
            }
        }
        for j in 0..cells {
            for i in 0..cells {
                let [a, b] = [0, 1].map(|up| first + (j + up) * (cells + 1) + i);
                faces.extend([[a, a + 1, b], [a + 1, b + 1, b]]);
            }
        }
    }
    let mesh = Arc::new(TriMesh::new(vertices, faces)?);
    let contenders: Vec<Box<dyn BodyContender>> =
        vec![Box::new(Ours::new(&mesh)?), Box::new(Boxes::new(&mesh))];
    Ok(Cast { mesh, contenders })
}

/// A fit of the tree and all points.
struct Ours {
    query: SheetQuery,
    scratch: SheetScratch,
    points: Vec<SheetPoint>,
}

impl Ours {
    fn new(mesh: &Arc<TriMesh>) -> anyhow::Result<Ours> {
        let mut query = SheetQuery::new(Arc::clone(mesh), THICKNESS)?;
        // As if the layers rested far apart: nothing is excused for having been near.
        let lift = |(v, p): (usize, &Point3<f32>)| {
            Point3::new(p.x, p.y, p.z + (v / (mesh.vertices().len() / LAYERS as usize)) as f32)
        };
        query.set_rest(&mesh.vertices().iter().enumerate().map(lift).collect::<Vec<_>>())?;
        Ok(Ours { query, scratch: SheetScratch::default(), points: Vec::new() })
    }
}

impl BodyContender for Ours {
    fn who(&self) -> &'static str {
        "impinge"
    }

    fn beside(&self) -> &'static str {
        "parry-boxes"
    }

    fn step(&mut self, places: &[Point3<f32>]) -> u64 {
        self.query.set_vertices(places).expect("the mesh has as many vertices");
        self.query.self_contacts(&mut self.scratch, &mut self.points);
        self.points.len() as u64
    }
}

/// parry's tree over triangles' boxes, each grown by half the thickness, refitted and traversed against itself: what a cloth solver begins
/// with that has no more than boxes. It measures nothing.
struct Boxes {
    triangles: Vec<[u32; 3]>,
    bvh: Bvh,
    workspace: BvhWorkspace,
    pairs: Vec<[u32; 2]>,
}

fn around(places: &[Point3<f32>], corners: [u32; 3]) -> Aabb {
    let [p, q, r] = corners.map(|v| places[v as usize].coords);
    let (low, high) = (p.inf(&q).inf(&r), p.sup(&q).sup(&r));
    let grown = 0.5 * THICKNESS as f32;
    let corner = |v: nalgebra::Vector3<f32>, by: f32| Vector::new(v.x + by, v.y + by, v.z + by);
    Aabb::new(corner(low, -grown), corner(high, grown))
}

impl Boxes {
    fn new(mesh: &TriMesh) -> Boxes {
        let boxes: Vec<Aabb> = mesh.triangles().iter().map(|&t| around(mesh.vertices(), t)).collect();
        Boxes {
            triangles: mesh.triangles().to_vec(),
            bvh: Bvh::from_leaves(BvhBuildStrategy::Binned, &boxes),
            workspace: BvhWorkspace::default(),
            pairs: Vec::new(),
        }
    }
}

impl BodyContender for Boxes {
    fn who(&self) -> &'static str {
        "parry-boxes"
    }

    fn beside(&self) -> &'static str {
        "parry-boxes"
    }

    fn step(&mut self, places: &[Point3<f32>]) -> u64 {
        let Boxes { triangles, bvh, workspace, pairs } = self;
        for (k, &corners) in triangles.iter().enumerate() {
            bvh.insert_or_update_partially(around(places, corners), k as u32, 0.0);
        }
        bvh.refit(workspace);
        pairs.clear();
        bvh.traverse_bvtt_single_tree::<false>(workspace, &mut |a, b| pairs.push([a, b]));
        pairs.len() as u64
    }
}
