//! A shape of each kind of the table, and the points in it.

use std::sync::Arc;

use impinge::geometry::{
    Cutout, FieldMesh, HeightField, HeightFieldSettings, LevelMesh, LevelSetSettings, Primitive,
};
use impinge::prelude::*;
use impinge_oracle::solids::block;
use impinge_scenes::mesh::{Gear, Torus};
use impinge_scenes::random::Random;

use crate::gear::{slotted_gear, slotted_gear_by_hand};

/// Names the kinds once.
macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident,)*) => {
        /// The rows and columns of the table, and what is in none.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Kind {
            $($(#[$doc])* $kind,)*
        }

        /// Every kind.
        pub const ALL: &[Kind] = &[$(Kind::$kind,)*];
    };
}

kinds! {
    Sphere,
    Box,
    Cylinder,
    Capsule,
    Convex,
    Mesh,
    UvGrid,
    Plane,
    HeightField,
    Particles,
    SphereHole,
    CylinderHole,
    BoxHole,
    /// In no row of the table, as are those below.
    LevelSet,
    Composite,
    /// A gear with a slot beside its bore.
    SlottedGear,
}

use Kind::*;

pub const SOLIDS: [Kind; 5] = [Sphere, Box, Cylinder, Capsule, Convex];

/// A shape of a kind, about 1 m large, and the points in it.
pub struct Sample {
    pub kind: Kind,
    pub shape: Shape,
    /// The triangles that bound it, where that is how points in it are told.
    pub mesh: Option<TriMesh>,
    /// The same made by hand, whose contacts it should have.
    pub twin: Option<Shape>,
    /// As it is asked: a grid after its edits.
    pub prepared: PreparedShape,
}

impl Sample {
    /// `None` where there is no such kind of shape yet.
    pub fn new(kind: Kind) -> Option<Sample> {
        let of_mesh = |mesh: TriMesh| (Shape::from(mesh.clone()), Some(mesh));
        let (shape, mesh) = match kind {
            Sphere => (Shape::sphere(0.8).unwrap(), None),
            Box => (Shape::cuboid([0.9, 0.5, 0.4]).unwrap(), None),
            Cylinder => (Shape::cylinder(0.6, 0.5).unwrap(), None),
            Capsule => (Shape::capsule(0.5, 0.4).unwrap(), None),
            Convex => {
                let mesh = block([0.8, 0.6, 0.5]);
                let tip = Point3::new(0.1, 0.2, 1.1);
                let points: Vec<_> = mesh.vertices().iter().copied().chain([tip]).collect();
                let Shape::Hull(hull) = Shape::hull(&points).unwrap() else { panic!("a hull") };
                let mesh = TriMesh::clone(hull.mesh());
                (Shape::Hull(hull), Some(mesh))
            }
            Mesh => {
                let gear = Gear::default().mesh().unwrap();
                let size = 0.9 / f64::from(gear.bounding_sphere().radius);
                of_mesh(gear.scaled(size).unwrap())
            }
            Plane => (Shape::half_space(), None),
            HeightField => {
                let FieldMesh { mesh, .. } = ground().to_mesh().unwrap();
                (ground().into(), Some(mesh))
            }
            Particles => (powder().into(), None),
            UvGrid => {
                let (prepared, twin) = edited_ground();
                let (shape, mesh) = (prepared.shape().clone(), Some(twin.clone()));
                return Some(Sample { kind, shape, mesh, twin: Some(twin.into()), prepared });
            }
            SphereHole | CylinderHole | BoxHole => (holed(kind), None),
            SlottedGear => {
                let Shape::Mesh(mesh) = slotted_gear() else { panic!("a mesh") };
                (Shape::Mesh(Arc::clone(&mesh)), Some(TriMesh::clone(&mesh)))
            }
            Composite => (Shape::composite(children()).unwrap().scaled(0.75).unwrap(), None),
            LevelSet => {
                let LevelMesh { mesh, .. } = ring().to_mesh().unwrap();
                (ring().into(), Some(mesh))
            }
        };
        let twin = match kind {
            SphereHole | CylinderHole | BoxHole => Some(holed_by_hand(kind).into()),
            SlottedGear => Some(slotted_gear_by_hand().into()),
            _ => None,
        };
        let prepared = PreparedShape::new(&shape);
        Some(Sample { kind, shape, mesh, twin, prepared })
    }

    /// Whether a place (m, its frame) is in the shape, by more than rounding.
    pub fn holds(&self, p: &Point3<f64>) -> bool {
        let across = p.x.hypot(p.y);
        let in_block = p.iter().all(|x| x.abs() < BLOCK);
        match self.kind {
            // Outside of all corners of a round hole's facets.
            SphereHole => return in_block && p.coords.norm() > 1.02 * HOLE,
            CylinderHole => {
                let rim = (std::f64::consts::PI / 96.0).cos();
                return across < rim * BLOCK && p.z.abs() < BLOCK && across > HOLE / rim;
            }
            BoxHole => return in_block && (p.x.abs() > HOLE || p.y.abs() > 0.8 * HOLE),
            _ => {}
        }
        match &self.mesh {
            Some(mesh) => {
                let (low, high) = (mesh.aabb().min, mesh.aabb().max);
                let in_box = (0..3).all(|k| (f64::from(low[k])..f64::from(high[k])).contains(&p[k]));
                in_box && mesh.winding_number(p) > 0.5
            }
            None => holds(&self.shape, p),
        }
    }
}

/// Whether a place (m, its frame) is in a shape.
fn holds(shape: &Shape, p: &Point3<f64>) -> bool {
    let across = p.x.hypot(p.y);
    match shape {
        Shape::Mesh(mesh) => mesh.winding_number(p) > 0.5,
        Shape::Levels(levels) => levels.holds(p),
        Shape::Primitive(primitive) => match *primitive {
            Primitive::HalfSpace => p.z < 0.0,
            Primitive::Sphere { radius } => p.coords.norm() < f64::from(radius),
            Primitive::Cuboid { half } => (0..3).all(|k| p[k].abs() < f64::from(half[k])),
            Primitive::Capsule { half_height, radius } => {
                let over = (p.z.abs() - f64::from(half_height)).max(0.0);
                across.hypot(over) < f64::from(radius)
            }
            Primitive::Cylinder { half_height, radius } => {
                across < f64::from(radius) && p.z.abs() < f64::from(half_height)
            }
        },
        Shape::Particles(own) => (0..)
            .zip(own.centers())
            .any(|(k, center)| (p - center.cast::<f64>()).norm() < f64::from(own.radius(k))),
        Shape::Composite(composite) => {
            composite.children().iter().any(|(pose, child)| holds(child, &pose.inverse_transform_point(p)))
        }
        other => panic!("{other:?} has no points"),
    }
}

/// Rough ground of 8 × 8 cells, which the others stand about the middle of.
pub fn ground() -> HeightField {
    let height = |k: u32| {
        let [i, j] = [k % 9, k / 9].map(f64::from);
        (0.25 * (1.3 * i).sin() * (0.9 * j).cos()) as f32
    };
    let settings =
        HeightFieldSettings { spacing: [0.5, 0.5], bottom: Some(-3.0), ..HeightFieldSettings::default() };
    HeightField::new([9, 9], (0..81).map(height).collect(), &settings).unwrap()
}

/// Half the width of what holes are in, and of the holes (m).
pub const BLOCK: f64 = 1.6;
pub const HOLE: f64 = 1.2;

/// A ball in a block, a tube, and a block with a slot through it, cut out.
pub fn holed(kind: Kind) -> Shape {
    let (block, hole) = (BLOCK as f32, HOLE as f32);
    let whole = match kind {
        CylinderHole => Shape::cylinder(block, block).unwrap(),
        _ => Shape::cuboid([block; 3]).unwrap(),
    };
    let cutout = |primitive| Cutout::new(primitive).unwrap();
    let through = |cutout: Cutout| cutout.open(2, false).unwrap().open(2, true).unwrap();
    let cutout = match kind {
        SphereHole => cutout(Primitive::Sphere { radius: hole }).facets(24).unwrap(),
        CylinderHole => through(cutout(Primitive::Cylinder { half_height: block, radius: hole })),
        _ => through(cutout(Primitive::Cuboid { half: [hole, 0.8 * hole, block] })),
    };
    whole.cut(&[(Isometry3::identity(), cutout)]).unwrap()
}

/// The same, vertex by vertex.
pub fn holed_by_hand(kind: Kind) -> TriMesh {
    use std::f64::consts::{FRAC_PI_2, TAU};
    if kind == SphereHole {
        let outer = block([BLOCK as f32; 3]);
        let (mut vertices, mut triangles) = (outer.vertices().to_vec(), outer.triangles().to_vec());
        let base = vertices.len() as u32;
        let place = |ring: u32, k: u32, radius: f64| {
            let (lat, lon) = (FRAC_PI_2 * (f64::from(ring) / 6.0 - 1.0), TAU * (f64::from(k) + 0.5) / 24.0);
            Point3::new(lat.cos() * lon.cos(), lat.cos() * lon.sin(), lat.sin()) * radius
        };
        // The facets nearest to the middle touch the ball: those between two parallels at half a step.
        let distance = |ring: u32| {
            let [p, q, r] = [(ring, 0), (ring, 1), (ring + 1, 0)].map(|(ring, k)| place(ring, k, 1.0));
            (q - p).cross(&(r - p)).normalize().dot(&p.coords).abs()
        };
        let radius = HOLE / (1..6).map(distance).fold(1.0, f64::min);
        for ring in 1..12 {
            vertices.extend((0..24).map(|k| place(ring, k, radius).cast::<f32>()));
        }
        vertices
            .extend([0, 12].map(|ring| Point3::new(0.0, 0.0, (radius * f64::from(ring - 6) / 6.0) as f32)));
        let at = |ring: u32, k: u32| match ring {
            0 => base + 11 * 24,
            12 => base + 11 * 24 + 1,
            ring => base + (ring - 1) * 24 + k % 24,
        };
        for ring in 0..12 {
            for k in 0..24 {
                let [a, b, c, d] = [at(ring, k), at(ring, k + 1), at(ring + 1, k + 1), at(ring + 1, k)];
                // Turned towards the middle.
                triangles.extend(
                    [[a, c, b], [a, d, c]]
                        .into_iter()
                        .filter(|t| t[0] != t[1] && t[1] != t[2] && t[0] != t[2]),
                );
            }
        }
        return TriMesh::new(vertices, triangles).unwrap();
    }
    // Two outlines around z, one in the other, as many corners each.
    let [outer, inner]: [Vec<[f64; 2]>; 2] = match kind {
        CylinderHole => [BLOCK, HOLE / (std::f64::consts::PI / 96.0).cos()].map(|radius| {
            (0..96)
                .map(|k| (TAU * (f64::from(k) + 0.5) / 96.0).sin_cos())
                .map(|(s, c)| [radius * c, radius * s])
                .collect()
        }),
        _ => [[BLOCK, BLOCK], [HOLE, 0.8 * HOLE]].map(|[x, y]| vec![[x, y], [-x, y], [-x, -y], [x, -y]]),
    };
    let n = outer.len() as u32;
    let ring = |outline: &[[f64; 2]], z: f64| {
        outline.iter().map(move |&[x, y]| Point3::new(x, y, z).cast::<f32>()).collect::<Vec<_>>()
    };
    let vertices =
        [ring(&outer, -BLOCK), ring(&outer, BLOCK), ring(&inner, -BLOCK), ring(&inner, BLOCK)].concat();
    let mut triangles = Vec::new();
    for k in 0..n {
        let [here, next] = [k, (k + 1) % n];
        let mut quad = |a: u32, b: u32, c: u32, d: u32| triangles.extend([[a, b, c], [a, c, d]]);
        quad(here, next, n + next, n + here);
        quad(2 * n + next, 2 * n + here, 3 * n + here, 3 * n + next);
        quad(n + here, n + next, 3 * n + next, 3 * n + here);
        quad(next, here, 2 * n + here, 2 * n + next);
    }
    TriMesh::new(vertices, triangles).unwrap()
}

/// Rough ground of triangles of any shape down to a floor, of which vertices rose and sank and a boulder was taken away, triangle by triangle; and
/// the mesh of what is left.
pub fn edited_ground() -> (PreparedShape, TriMesh) {
    let mut random = Random::new(12);
    let side = 7u32;
    let at = |i: u32, j: u32, layer: u32| layer * side * side + j * side + i;
    let mut vertices = Vec::new();
    for layer in 0..2 {
        for j in 0..side {
            for i in 0..side {
                let within = |k: u32| (1..side - 1).contains(&k);
                let moved =
                    |random: &mut Random| if within(i) && within(j) { 0.15 * random.signed() } else { 0.0 };
                let [x, y] = [i, j].map(|k| 0.7 * (f64::from(k) - 3.0) + moved(&mut random));
                let z = if layer == 0 { 0.0 } else { -3.0 };
                vertices.push(Point3::new(x, y, z).cast::<f32>());
            }
        }
    }
    let mut triangles = Vec::new();
    for j in 0..side - 1 {
        for i in 0..side - 1 {
            for layer in 0..2 {
                let [a, b, c, d] =
                    [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)].map(|(i, j)| at(i, j, layer));
                let two = if (i + j) % 2 == 0 { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] };
                triangles.extend(two.map(|[p, q, r]| if layer == 0 { [p, q, r] } else { [p, r, q] }));
            }
        }
    }
    let last = side - 1;
    for k in 0..last {
        for [p, q] in [
            [(k, 0), (k + 1, 0)],
            [(last, k), (last, k + 1)],
            [(k + 1, last), (k, last)],
            [(0, k + 1), (0, k)],
        ] {
            let [a, b, c, d] = [at(p.0, p.1, 0), at(q.0, q.1, 0), at(q.0, q.1, 1), at(p.0, p.1, 1)];
            triangles.extend([[b, a, d], [b, d, c]]);
        }
    }
    let whole = triangles.len() as u32;
    let boulder = block([0.3; 3]);
    let base = vertices.len() as u32;
    vertices.extend(boulder.vertices().iter().map(|p| p + Vector3::new(0.2, 0.1, 1.0)));
    triangles.extend(boulder.triangles().iter().map(|t| t.map(|v| v + base)));
    let mesh = TriMesh::new(vertices, triangles).unwrap();
    assert!(mesh.is_closed());
    let mut prepared = PreparedShape::new(&Shape::from(mesh.clone()));
    for round in 0..6 {
        let edits: Vec<(u32, Point3<f32>)> = (0..side * side)
            .filter(|k| k % 6 == round)
            .map(|k| {
                let p = mesh.vertices()[k as usize];
                (k, Point3::new(p.x, p.y, (0.35 * random.signed()) as f32))
            })
            .collect();
        prepared.edit_vertices(&edits).unwrap();
        let boulder: Vec<u32> = (whole..mesh.triangles().len() as u32).filter(|t| t % 6 == round).collect();
        assert_eq!(prepared.remove_triangles(&boulder).unwrap() as usize, boulder.len());
    }
    let Shape::Mesh(edited) = prepared.shape().clone() else { panic!("a mesh") };
    assert!(edited.is_closed() && edited.removed_triangles() == 12);
    let left = edited.triangles()[..whole as usize].to_vec();
    (prepared, TriMesh::new(edited.vertices().to_vec(), left).unwrap())
}

/// A ring 12 cells across, whose tube is four cells wide.
pub fn ring() -> impinge::LevelSet {
    let settings = LevelSetSettings { spacing: [0.1875; 3], origin: [-1.3125; 3] };
    let tube = |p: &Point3<f64>| (p.x.hypot(p.y) - 0.75).hypot(p.z) - 0.375;
    impinge::LevelSet::from_function([15; 3], &settings, tube).unwrap()
}

/// Balls of three sizes in a heap.
pub fn powder() -> impinge::Particles {
    let mut random = Random::new(3);
    let centers = (0..40).map(|_| Point3::from((random.direction() * 0.7 * random.unit()).cast())).collect();
    let radii = (0..40).map(|k| [0.05, 0.1, 0.2][k % 3]).collect::<Vec<f32>>();
    impinge::Particles::new(centers, radii).unwrap()
}

/// A ball, a box, a torus of triangles and a level set, one about the other.
pub fn children() -> Vec<(Isometry3<f64>, Shape)> {
    let torus: Shape = Torus::default().mesh().unwrap().into();
    let torus = torus.scaled(0.5 / f64::from(torus.bounding_sphere().radius)).unwrap();
    vec![
        (Isometry3::translation(0.5, 0.0, 0.0), Shape::sphere(0.4).unwrap()),
        (Isometry3::translation(-0.5, 0.1, 0.0), Shape::cuboid([0.3, 0.3, 0.5]).unwrap()),
        (Isometry3::translation(0.0, -0.6, 0.2), torus),
        (Isometry3::translation(0.2, 0.7, 0.1), Shape::from(ring()).scaled(0.5).unwrap()),
    ]
}
