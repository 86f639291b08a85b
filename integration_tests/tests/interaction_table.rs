//! The table of interactions that engines are measured by: which kinds of shapes collide with which. Every mark whose kinds there are is
//! walked, and `N of 61` is printed.
//!
//! What is said of a pair is judged by points: points in both shapes, by closed forms and solid angles, say that they touch; where the pair is moved
//! by its depth along its normal, there are none. Answers are those of the exchanged pair, and of the pair made larger or smaller.

use std::collections::BTreeSet;

use impinge::PointFeature;
use impinge::geometry::{
    Cutout, FieldMesh, HeightField, HeightFieldSettings, LevelMesh, LevelSetSettings, Primitive,
};
use impinge::prelude::*;
use impinge_oracle::solids::block;
use impinge_scenes::mesh::{Gear, Torus};
use impinge_scenes::random::Random;

/// The rows and columns of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
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
    /// In no row of the table.
    LevelSet,
}

use Kind::*;

const SOLIDS: [Kind; 5] = [Sphere, Box, Cylinder, Capsule, Convex];

/// The marks, each once.
fn marks() -> Vec<[Kind; 2]> {
    let mut marks = Vec::new();
    for (k, &a) in SOLIDS.iter().enumerate() {
        marks.extend(SOLIDS[k..].iter().map(|&b| [a, b]));
    }
    marks.extend(SOLIDS.map(|b| [Mesh, b]));
    marks.push([Mesh; 2]);
    for a in [Plane, UvGrid, HeightField] {
        marks.extend(SOLIDS.map(|b| [a, b]));
        marks.push([a, Mesh]);
    }
    marks
        .extend(SOLIDS.iter().chain(&[Mesh, UvGrid, Plane, HeightField, Particles]).map(|&b| [Particles, b]));
    for hole in [SphereHole, CylinderHole, BoxHole] {
        marks.extend([Sphere, Box, Cylinder, Capsule].map(|b| [hole, b]));
    }
    marks
}

/// A shape of a kind, about 1 m large, and the points in it.
struct Sample {
    kind: Kind,
    shape: Shape,
    /// The triangles that bound it, where that is how points in it are told.
    mesh: Option<TriMesh>,
    /// The same made by hand, whose contacts it should have.
    twin: Option<Shape>,
    /// As it is asked: a grid after its edits.
    prepared: PreparedShape,
}

impl Sample {
    /// `None` where there is no such kind of shape yet.
    fn new(kind: Kind) -> Option<Sample> {
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
            LevelSet => {
                let LevelMesh { mesh, .. } = ring().to_mesh().unwrap();
                (ring().into(), Some(mesh))
            }
        };
        let twin = match kind {
            SphereHole | CylinderHole | BoxHole => Some(holed_by_hand(kind).into()),
            _ => None,
        };
        let prepared = PreparedShape::new(&shape);
        Some(Sample { kind, shape, mesh, twin, prepared })
    }

    /// Whether a place (m, its frame) is in the shape, by more than rounding.
    fn holds(&self, p: &Point3<f64>) -> bool {
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
        match (&self.shape, &self.mesh) {
            (_, Some(mesh)) => mesh.winding_number(p) > 0.5,
            (Shape::Primitive(primitive), None) => match *primitive {
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
            (Shape::Particles(own), None) => (0..)
                .zip(own.centers())
                .any(|(k, center)| (p - center.cast::<f64>()).norm() < f64::from(own.radius(k))),
            _ => panic!("{:?} has no points", self.kind),
        }
    }
}

/// Rough ground of 8 × 8 cells, which the others stand about the middle of.
fn ground() -> HeightField {
    let height = |k: u32| {
        let [i, j] = [k % 9, k / 9].map(f64::from);
        (0.25 * (1.3 * i).sin() * (0.9 * j).cos()) as f32
    };
    let settings =
        HeightFieldSettings { spacing: [0.5, 0.5], bottom: Some(-3.0), ..HeightFieldSettings::default() };
    HeightField::new([9, 9], (0..81).map(height).collect(), &settings).unwrap()
}

/// Half the width of what holes are in, and of the holes (m).
const BLOCK: f64 = 1.6;
const HOLE: f64 = 1.2;

/// A ball in a block, a tube, and a block with a slot through it, cut out.
fn holed(kind: Kind) -> Shape {
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
fn holed_by_hand(kind: Kind) -> TriMesh {
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
fn edited_ground() -> (PreparedShape, TriMesh) {
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
fn ring() -> impinge::LevelSet {
    let settings = LevelSetSettings { spacing: [0.1875; 3], origin: [-1.3125; 3] };
    let tube = |p: &Point3<f64>| (p.x.hypot(p.y) - 0.75).hypot(p.z) - 0.375;
    impinge::LevelSet::from_function([15; 3], &settings, tube).unwrap()
}

/// Balls of three sizes in a heap.
fn powder() -> impinge::Particles {
    let mut random = Random::new(3);
    let centers = (0..40).map(|_| Point3::from((random.direction() * 0.7 * random.unit()).cast())).collect();
    let radii = (0..40).map(|k| [0.05, 0.1, 0.2][k % 3]).collect::<Vec<f32>>();
    impinge::Particles::new(centers, radii).unwrap()
}

/// Where A stands: fields about the middle.
fn pose_of(kind: Kind) -> Isometry3<f64> {
    match kind {
        HeightField => Isometry3::translation(-2.0, -2.0, 0.0),
        _ => Isometry3::identity(),
    }
}

fn place(kind: Kind, random: &mut Random) -> Isometry3<f64> {
    let away = match kind {
        Plane | HeightField | UvGrid => {
            let [x, y] = [0, 1].map(|_| 0.8 * random.signed());
            Vector3::new(x, y, 0.2 + 1.4 * random.unit())
        }
        SphereHole | CylinderHole | BoxHole => random.direction() * random.unit(),
        _ => random.direction() * (0.2 + 2.2 * random.unit()),
    };
    Isometry3::from_parts(Translation3::from(away), random.rotation())
}

/// Whether some of many points are in both, and in both by so much that a step of a hundredth does not leave one of them.
fn common_point(
    a: (&Sample, &Isometry3<f64>),
    b: (&Sample, &Isometry3<f64>),
    points: usize,
    random: &mut Random,
) -> bool {
    let sphere = b.0.shape.bounding_sphere();
    let (middle, radius) = (b.1 * sphere.center.cast::<f64>(), f64::from(sphere.radius));
    (0..points).any(|_| {
        let p = middle + Vector3::from_fn(|_, _| radius * random.signed());
        let deep =
            |(sample, pose): (&Sample, &Isometry3<f64>)| sample.holds(&pose.inverse_transform_point(&p));
        deep(b) && deep(a)
    })
}

fn deepest(manifolds: &[Manifold]) -> Option<&Manifold> {
    manifolds.iter().max_by(|m, n| m.depth.total_cmp(&n.depth))
}

/// What was seen of a mark.
#[derive(Default)]
struct Seen {
    touching: usize,
    apart: usize,
    /// Where a body that is not convex was cut into regions of other depths when the pair was exchanged or scaled, or its one region left
    /// more than its depth.
    off: usize,
}

fn walk(mark: [Kind; 2]) -> Option<Seen> {
    let [a, b] = [Sample::new(mark[0])?, Sample::new(mark[1])?];
    let convex = mark.iter().all(|kind| {
        !matches!(kind, Mesh | HeightField | LevelSet | UvGrid | SphereHole | CylinderHole | BoxHole)
    });
    let mut random = Random::new(mark[0] as u64 * 31 + mark[1] as u64);
    let new = |a: &Shape, b: &Shape| PairQuery::new(a, b, QuerySettings::default()).unwrap();
    let query = PairQuery::between(&a.prepared, &b.prepared);
    let exchanged = PairQuery::between(&b.prepared, &a.prepared);
    let by_hand = a.twin.as_ref().map(|twin| new(twin, &b.shape));
    let scales = [-10i32, 10].map(|exponent| {
        let factor = 2f64.powi(exponent);
        (factor, new(&a.shape.scaled(factor).unwrap(), &b.shape.scaled(factor).unwrap()))
    });
    let mut seen = Seen::default();
    for n in 0..24 {
        let name = format!("{:?} with {:?}, pose {n}", mark[0], mark[1]);
        let (at, to) = (pose_of(a.kind), place(a.kind, &mut random));
        let touching = query.touching(&at, &to).unwrap();
        let apart = query.distance(&at, &to).unwrap().distance();
        assert_eq!(touching, apart == 0.0, "{name}");
        assert_eq!(touching, exchanged.touching(&to, &at).unwrap(), "{name}");
        let shared = common_point((&a, &at), (&b, &to), 250, &mut random);
        assert!(touching || !shared, "{name}: a point is in both");
        *(if touching { &mut seen.touching } else { &mut seen.apart }) += 1;
        let manifolds = query.contacts(&at, &to).unwrap();
        assert_eq!(touching, !manifolds.is_empty(), "{name}");
        let mut depths_agree = true;
        for (factor, query) in &scales {
            let scaled = |pose: &Isometry3<f64>| {
                Isometry3::from_parts(Translation3::from(pose.translation.vector * *factor), pose.rotation)
            };
            assert_eq!(
                touching,
                query.touching(&scaled(&at), &scaled(&to)).unwrap(),
                "{name} times {factor}"
            );
            let found = query.contacts(&scaled(&at), &scaled(&to)).unwrap();
            if let (Some(one), Some(other)) = (deepest(&manifolds), deepest(&found)) {
                depths_agree &= (other.depth / (one.depth * factor) - 1.0).abs() < 0.02;
            }
        }
        if let Some(by_hand) = &by_hand {
            let same = by_hand.touching(&at, &to).unwrap();
            // What a cut has rounded decides where they all but touch.
            assert!(
                touching == same || (apart - by_hand.distance(&at, &to).unwrap().distance()).abs() < 1e-6,
                "{name}"
            );
            let found = by_hand.contacts(&at, &to).unwrap();
            if let (Some(one), Some(other)) = (deepest(&manifolds), deepest(&found)) {
                let near = (one.depth / other.depth - 1.0).abs() < 0.02;
                depths_agree &= near && (one.normal.dot(&other.normal) > 0.999 || one.depth > 0.3);
            }
        }
        let Some(contact) = deepest(&manifolds) else { continue };
        assert!((contact.normal.norm() - 1.0).abs() < 1e-9 && contact.depth > 0.0, "{name}");
        let back = exchanged.contacts(&to, &at).unwrap();
        let depth = deepest(&back).map_or(0.0, |m| m.depth);
        assert!(
            (depth - contact.depth).abs() < 1e-6 * contact.depth,
            "{name}: {depth}, not {}",
            contact.depth
        );
        // One region of overlap: moved by its depth they are apart, by less they are not.
        if let [only] = &manifolds[..] {
            let moved = |part: f64| Translation3::from(only.normal * (only.depth * part)) * to;
            depths_agree &= !common_point((&a, &at), (&b, &moved(1.03)), 120, &mut random);
            depths_agree &= query.touching(&at, &moved(0.9)).unwrap();
        }
        assert!(depths_agree || !convex, "{name}: depths disagree");
        seen.off += usize::from(!depths_agree);
    }
    Some(seen)
}

/// As [`walk`], of particles: each is freed by its own contact, and none that has no contact touches.
fn walk_particles(other: Kind) -> Option<Seen> {
    let [a, b] = [Sample::new(Particles)?, Sample::new(other)?];
    let mut random = Random::new(other as u64 + 500);
    let mut seen = Seen::default();
    for n in 0..16 {
        let name = format!("particles with {other:?}, pose {n}");
        let (at, to) = (place(other, &mut random), pose_of(b.kind));
        let found = particle_contacts([&a.shape, &b.shape], [&at, &to], &name);
        let depth = |k: u32| {
            found.iter().filter(|(own, ..)| *own == k).map(|&(_, depth, _)| depth).fold(0.0, f64::max)
        };
        let Shape::Particles(own) = &a.shape else { panic!("particles") };
        for (k, center) in (0..).zip(own.centers()) {
            let (center, radius) = (at * center.cast::<f64>(), f64::from(own.radius(k)));
            // Points of the ball, some of them on its surface.
            let touches = (0..60).any(|n| {
                let far = radius * if n < 30 { 1.0 } else { random.unit() };
                b.holds(&to.inverse_transform_point(&(center + random.direction() * far)))
            });
            assert!(!touches || depth(k) > 0.0, "{name}: {k} touches");
            *(if depth(k) > 0.0 { &mut seen.touching } else { &mut seen.apart }) += 1;
            // Of several contacts, with other particles, each alone does not free it.
            let [(_, depth, normal)] =
                found.iter().filter(|(own, ..)| *own == k).copied().collect::<Vec<_>>()[..]
            else {
                continue;
            };
            let moved = center + normal * (1.02 * depth);
            let held =
                (0..60).any(|_| b.holds(&to.inverse_transform_point(&(moved + random.direction() * radius))));
            seen.off += usize::from(held);
        }
        for exponent in [-10i32, 10] {
            let factor = 2f64.powi(exponent);
            let scaled = |pose: &Isometry3<f64>| {
                Isometry3::from_parts(Translation3::from(pose.translation.vector * factor), pose.rotation)
            };
            let shapes = [&a.shape, &b.shape].map(|shape| shape.scaled(factor).unwrap());
            let again = particle_contacts(shapes.each_ref(), [&scaled(&at), &scaled(&to)], &name);
            assert_eq!(again.len(), found.len(), "{name} times {factor}");
            for (one, other) in found.iter().zip(&again) {
                assert!(one.0 == other.0 && (one.1 - other.1 / factor).abs() < 1e-6, "{name} times {factor}");
            }
        }
    }
    Some(seen)
}

/// Particle, depth and normal of each contact of two colliders in a world, in either order.
fn particle_contacts(
    shapes: [&Shape; 2],
    poses: [&Isometry3<f64>; 2],
    name: &str,
) -> Vec<(u32, f64, Vector3<f64>)> {
    let of_order = |order: [usize; 2]| {
        let mut world = World::builder().backend(Backend::Cpu).build().unwrap();
        let ids = order.map(|k| {
            let shape = world.add_shape(shapes[k].clone()).unwrap();
            world.add_collider(Collider::new(shape).pose(*poses[k])).unwrap()
        });
        let report = world.step();
        let pair = world.particle_contacts_between(ids[0], ids[1]).unwrap();
        assert_eq!(report.counts.touching == 1, pair.is_some(), "{name}");
        let both = shapes.iter().all(|shape| matches!(shape, Shape::Particles(_)));
        let mut found: Vec<_> = pair
            .map_or(&[][..], |pair| pair.contacts)
            .iter()
            .map(|contact| {
                let turned = both && order[0] == 1;
                match (turned, contact.feature) {
                    (true, PointFeature::Particle(own)) => {
                        (own, contact.depth, -contact.normal.cast::<f64>())
                    }
                    _ => (contact.particle, contact.depth, contact.normal.cast::<f64>()),
                }
            })
            .collect();
        found.sort_by(|p, q| p.0.cmp(&q.0).then(p.1.total_cmp(&q.1)));
        found
    };
    let (found, exchanged) = (of_order([0, 1]), of_order([1, 0]));
    assert_eq!(found.len(), exchanged.len(), "{name}");
    for (one, other) in found.iter().zip(&exchanged) {
        assert!(
            one.0 == other.0 && (one.1 - other.1).abs() < 1e-9 && (one.2 - other.2).norm() < 1e-5,
            "{name}"
        );
    }
    found
}

#[test]
fn interaction_table() {
    let marks = marks();
    assert_eq!((marks.len(), marks.iter().collect::<BTreeSet<_>>().len()), (61, 61));
    let mut walked = Vec::new();
    for &mark in &marks {
        let seen = if mark[0] == Particles { walk_particles(mark[1]) } else { walk(mark) };
        match seen {
            Some(Seen { touching, apart, off }) => {
                println!("{mark:?}: {touching} touch, {apart} do not, {off} depths disagree");
                assert!(touching >= 4 && apart >= 1, "{mark:?}: {touching} touch, {apart} do not");
                assert!(4 * off <= touching, "{mark:?}: {off} of {touching} depths disagree");
                walked.push(mark);
            }
            None => println!("missing: {:?} with {:?}", mark[0], mark[1]),
        }
    }
    println!("{} of 61", walked.len());
    assert_eq!(walked.len(), 61);
}

#[test]
fn level_sets_with_all() {
    let mut marks: Vec<[Kind; 2]> = SOLIDS.map(|b| [LevelSet, b]).to_vec();
    marks.extend([[LevelSet, Mesh], [LevelSet, LevelSet], [Plane, LevelSet], [HeightField, LevelSet]]);
    marks.push([Particles, LevelSet]);
    for mark in marks {
        let seen = if mark[0] == Particles { walk_particles(mark[1]) } else { walk(mark) };
        let Seen { touching, apart, off } = seen.unwrap();
        assert!(touching >= 4 && apart >= 1, "{mark:?}: {touching} touch, {apart} do not");
        assert!(4 * off <= touching, "{mark:?}: {off} of {touching} depths disagree");
    }
}

#[test]
fn composites_with_all() {
    let mut random = Random::new(77);
    let torus: Shape = Torus::default().mesh().unwrap().into();
    let torus = torus.scaled(0.5 / f64::from(torus.bounding_sphere().radius)).unwrap();
    let children = vec![
        (Isometry3::translation(0.5, 0.0, 0.0), Shape::sphere(0.4).unwrap()),
        (Isometry3::translation(-0.5, 0.1, 0.0), Shape::cuboid([0.3, 0.3, 0.5]).unwrap()),
        (Isometry3::translation(0.0, -0.6, 0.2), torus),
        (Isometry3::translation(0.2, 0.7, 0.1), Shape::from(ring()).scaled(0.5).unwrap()),
    ];
    let composite = Shape::composite(children.clone()).unwrap();
    for kind in [Sphere, Box, Cylinder, Capsule, Convex, Mesh, Plane, HeightField, LevelSet] {
        let other = Sample::new(kind).unwrap();
        let query = PairQuery::new(&other.shape, &composite, QuerySettings::default()).unwrap();
        for _ in 0..12 {
            let (at, to) = (pose_of(kind), place(kind, &mut random));
            let expected = children.iter().any(|(own, child)| {
                let query = PairQuery::new(&other.shape, child, QuerySettings::default()).unwrap();
                query.touching(&at, &(to * own)).unwrap()
            });
            assert_eq!(query.touching(&at, &to).unwrap(), expected, "{kind:?}");
            assert_eq!(!query.contacts(&at, &to).unwrap().is_empty(), expected, "{kind:?}");
        }
    }
    // Of particles each has the contacts with every child.
    let powder = Shape::from(powder());
    let mut met = 0;
    for n in 0..8 {
        let (at, to) = (Isometry3::identity(), place(Particles, &mut random));
        let name = format!("particles with a composite, pose {n}");
        let found = particle_contacts([&powder, &composite], [&at, &to], &name);
        let each = children
            .iter()
            .map(|(own, child)| particle_contacts([&powder, child], [&at, &(to * own)], &name).len());
        assert_eq!(found.len(), each.sum::<usize>(), "{name}");
        met += found.len();
    }
    assert!(met > 20, "{met}");
}
