//! Pairs of meshes at poses in which they touch, nearly touch, or are apart.

use impinge_geometry::{Primitive, Shape, TriMesh};
use impinge_midphase::{CandidateBatch, MidphaseCounts, PairJob, PairKind, Placed, PreparedShape};
use impinge_scenes::mesh::{Blob, Bowl, Gear, Hook, Knot, Terrain, Torus};
use impinge_scenes::random::Random;
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

/// Two shapes, and poses of both.
pub struct PairScene {
    pub name: &'static str,
    pub shapes: [PreparedShape; 2],
    pub poses: Vec<[Isometry3<f64>; 2]>,
}

/// The jobs of all poses of a scene.
pub struct Jobs<'s> {
    pub batch: CandidateBatch<'s>,
}

impl PairScene {
    pub fn new(
        name: &'static str,
        [a, b]: [TriMesh; 2],
        poses: impl IntoIterator<Item = [Isometry3<f64>; 2]>,
    ) -> PairScene {
        let shapes = [a, b].map(|mesh| PreparedShape::new(&Shape::from(mesh)));
        PairScene { name, shapes, poses: poses.into_iter().collect() }
    }

    /// The midphase over every pose.
    pub fn jobs(&self) -> Jobs<'_> {
        let mut batch = CandidateBatch::default();
        let mut counts = MidphaseCounts::default();
        for (index, [a, b]) in self.poses.iter().enumerate() {
            let placed = |k: usize, pose: &Isometry3<f64>| Placed { shape: &self.shapes[k], pose: *pose };
            impinge_midphase::find(index as u32, placed(0, a), placed(1, b), 0.0, &mut batch, &mut counts);
        }
        Jobs { batch }
    }
}

impl<'s> Jobs<'s> {
    /// The jobs between surfaces with their leaf pairs.
    pub fn surfaces(&self) -> impl Iterator<Item = (&PairJob<'s>, &[[u32; 2]])> {
        self.batch.jobs.iter().filter_map(|job| match &job.kind {
            PairKind::Surfaces(_) => Some((job, self.batch.leaf_pairs_of(job))),
            _ => None,
        })
    }
}

pub fn block(half: [f32; 3]) -> TriMesh {
    Primitive::Cuboid { half }.surface().expect("a cuboid has a surface")
}

/// Random poses of B about A with the origins up to `reach` (m) apart, both far from the world's origin.
fn about(reach: f64, count: usize, seed: u64) -> Vec<[Isometry3<f64>; 2]> {
    let mut random = Random::new(seed);
    let far = Vector3::new(1000.0, -250.0, 12.5);
    (0..count)
        .map(|_| {
            let offset = random.direction() * (reach * random.unit());
            [random.rotation(), random.rotation()]
                .map(|rotation| Isometry3::from_parts(Translation3::from(far), rotation))
                .map_second(|b| b.translation.vector += offset)
        })
        .collect()
}

trait MapSecond {
    fn map_second(self, change: impl FnOnce(&mut Isometry3<f64>)) -> Self;
}

impl MapSecond for [Isometry3<f64>; 2] {
    fn map_second(mut self, change: impl FnOnce(&mut Isometry3<f64>)) -> Self {
        change(&mut self[1]);
        self
    }
}

/// Poses on a coarse lattice: faces in one plane, shared edges and corners.
fn lattice() -> Vec<[Isometry3<f64>; 2]> {
    let mut poses = Vec::new();
    for x in -2..=2 {
        for y in -2..=2 {
            for turn in [0.0, 0.5] {
                let rotation =
                    UnitQuaternion::from_axis_angle(&Vector3::z_axis(), turn * std::f64::consts::PI);
                let at = Translation3::new(f64::from(x) * 0.5, f64::from(y) * 0.5, 0.5);
                poses.push([Isometry3::identity(), Isometry3::from_parts(at, rotation)]);
            }
        }
    }
    poses
}

/// Two meshes as one.
fn joined(a: &TriMesh, b: &TriMesh) -> TriMesh {
    let base = a.vertices().len() as u32;
    let vertices = a.vertices().iter().chain(b.vertices()).copied().collect();
    let second = b.triangles().iter().map(|t| t.map(|v| v + base));
    TriMesh::new(vertices, a.triangles().iter().copied().chain(second).collect()).unwrap()
}

/// A ring here and there in ground of so many triangles that their numbers take more than sixteen bits.
pub fn wide_ground() -> PairScene {
    let sheet = Terrain { half: 4.0, relief: 0.2, cells: 220, ..Terrain::default() }.mesh().unwrap();
    let ground = sheet.one_sided(1.0, Vector3::z()).unwrap();
    let mut random = Random::new(21);
    let poses = (0..8).map(|k| {
        let [x, y] = [k % 4, k / 4].map(|n| 1.5 * f64::from(n) - 2.0);
        let at = Translation3::new(x, y + 1.5, 0.1);
        [Isometry3::identity(), Isometry3::from_parts(at, random.rotation())]
    });
    PairScene::new("wide-ground", [ground, Torus::default().mesh().unwrap()], poses)
}

/// Every scene that the parity of the passes covers.
pub fn scenes() -> Vec<PairScene> {
    let torus = || Torus::default().mesh().unwrap();
    let small = |mesh: TriMesh, scale: f32| {
        let vertices = mesh.vertices().iter().map(|v| v * scale).collect();
        mesh.with_vertices(vertices).unwrap()
    };
    let reach = |mesh: &TriMesh| 1.6 * f64::from(mesh.bounding_sphere().radius);
    let (knot, gear) = (Knot::default().mesh().unwrap(), Gear::default().mesh().unwrap());
    let (hook, blob) = (Hook::default().mesh().unwrap(), Blob::default().mesh().unwrap());
    let bowl = Bowl::default().mesh().unwrap();
    let tiny = [small(torus(), 1e-6), small(torus(), 1e-6)];
    vec![
        PairScene::new("tori", [torus(), torus()], about(reach(&torus()), 24, 1)),
        PairScene::new("knots", [knot.clone(), knot.clone()], about(reach(&knot), 12, 2)),
        PairScene::new("gears", [gear.clone(), gear.clone()], about(reach(&gear), 12, 3)),
        PairScene::new("hook-blob", [hook.clone(), blob.clone()], about(reach(&hook), 16, 4)),
        PairScene::new("bowl-torus", [bowl.clone(), torus()], about(reach(&bowl), 16, 5)),
        PairScene::new("micrometre-tori", tiny, about(reach(&torus()) * 1e-6, 12, 6)),
        PairScene::new("torus-on-itself", [torus(), torus()], [[Isometry3::identity(); 2]]),
        PairScene::new("boxes-on-a-lattice", [block([0.5; 3]), block([0.5, 0.25, 0.25])], lattice()),
        PairScene::new("within", [blob.clone(), small(torus(), 0.3)], about(0.2, 16, 8)),
        PairScene::new("partly-within", [blob, joined(&torus(), &small(torus(), 0.3))], about(0.1, 12, 9)),
        PairScene::new("large-small", [block([400.0, 300.0, 0.5]), small(torus(), 0.5)], about(1.0, 16, 7)),
    ]
}

/// Random pairs of seven shapes, each pushed `depth` of the smaller one's radius into the other from where it begins to touch:
/// contacts as simulations have them.
pub fn shallow(count: usize, depth: f64, seed: u64) -> Vec<PairScene> {
    let meshes = || -> [TriMesh; 7] {
        [
            Torus::default().mesh().unwrap(),
            Knot::default().mesh().unwrap(),
            Gear::default().mesh().unwrap(),
            Hook::default().mesh().unwrap(),
            Blob::default().mesh().unwrap(),
            Bowl::default().mesh().unwrap(),
            block([0.3, 0.2, 0.1]),
        ]
    };
    let mut random = Random::new(seed);
    let mut list = Vec::new();
    for (one, name) in ["torus", "knot", "gear", "hook", "blob", "bowl", "block"].into_iter().enumerate() {
        for other in 0..=one {
            let [a, b] = [one, other].map(|k| meshes()[k].clone());
            let mut scene = PairScene::new(name, [a, b], []);
            let spheres = [0, 1].map(|k| f64::from(meshes()[[one, other][k]].bounding_sphere().radius));
            for _ in 0..count {
                let pose = |k: f64, random: &mut Random| {
                    let aside = random.direction() * (0.5 * k);
                    Isometry3::from_parts(Translation3::from(aside), random.rotation())
                };
                let [a, mut b] = [pose(0.0, &mut random), pose(spheres[0].min(spheres[1]), &mut random)];
                let along = random.direction();
                let aside = b.translation.vector;
                let touches = |at: f64| {
                    let pose = Isometry3::from_parts(Translation3::from(aside + along * at), b.rotation);
                    let one = PairScene { name, shapes: scene.shapes.clone(), poses: vec![[a, pose]] };
                    let jobs = one.jobs();
                    let mut scratch = impinge_pair::NarrowScratch::default();
                    jobs.batch.jobs.iter().any(|job| impinge_pair::touches(job, &jobs.batch, &mut scratch))
                };
                let (mut near, mut far) = (0.0, spheres[0] + spheres[1] + aside.norm());
                for _ in 0..24 {
                    let middle = 0.5 * (near + far);
                    *(if touches(middle) { &mut near } else { &mut far }) = middle;
                }
                b.translation.vector += along * (near - depth * spheres[0].min(spheres[1]));
                scene.poses.push([a, b]);
            }
            list.push(scene);
        }
    }
    list
}

/// Small bodies that lie a little in a floor four thousand times as wide as their contacts, all over it: on its triangles' long
/// edges, near its corners and its rim.
pub fn huge_floors() -> Vec<PairScene> {
    let small = |mesh: TriMesh| {
        let scale = 0.02 / mesh.bounding_sphere().radius;
        let vertices = mesh.vertices().iter().map(|v| v * scale).collect();
        mesh.with_vertices(vertices).unwrap()
    };
    let bodies = [
        ("torus on a floor", small(Torus::default().mesh().unwrap())),
        ("gear on a floor", small(Gear::default().mesh().unwrap())),
        ("block on a floor", small(block([0.3, 0.2, 0.1]))),
    ];
    let mut random = Random::new(31);
    bodies
        .map(|(name, body)| {
            let floor = block([20.0, 20.0, 0.5]);
            let lowest = |rotation: &UnitQuaternion<f64>| {
                let along = body.vertices().iter().map(|v| (rotation * v.coords.cast::<f64>()).z);
                along.fold(f64::INFINITY, f64::min)
            };
            let poses = [0.0, 1.0, 7.0, -12.5, 19.95].into_iter().flat_map(|x| [x, -3.0]).map(|x| {
                let (turn, aside) = (random.rotation(), random.direction() * 0.01);
                let y = if x == -3.0 { 15.0 * aside.x * 100.0 } else { x + aside.x };
                let at = Vector3::new(x + aside.y, y, 0.5 - lowest(&turn) - 4e-4);
                [Isometry3::identity(), Isometry3::from_parts(Translation3::from(at), turn)]
            });
            let poses: Vec<_> = poses.collect();
            PairScene::new(name, [floor, body.clone()], poses)
        })
        .into()
}
