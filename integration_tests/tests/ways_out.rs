//! The depth of the deepest manifold parts the bodies: spikes, bars through plates and bodies inside others, against the
//! least translation of convex bodies, which the axes of their faces and edges give exactly.

use std::sync::Arc;

use impinge::prelude::*;
use impinge::{BuildError, StepStatus};
use impinge_oracle::Movable;
use impinge_oracle::solids::block;
use impinge_scenes::mesh::Knot;
use impinge_scenes::random::Random;

/// A cone of `sides` sides on its tip, which is the origin; the base is above.
fn spike(radius: f32, height: f32, sides: u32) -> TriMesh {
    let mut vertices = vec![Point3::origin(), Point3::new(0.0, 0.0, height)];
    vertices.extend((0..sides).map(|k| {
        let angle = std::f32::consts::TAU * k as f32 / sides as f32;
        Point3::new(radius * angle.cos(), radius * angle.sin(), height)
    }));
    let (mut triangles, rim) = (Vec::new(), |k: u32| 2 + k % sides);
    for k in 0..sides {
        triangles.push([0, rim(k + 1), rim(k)]);
        triangles.push([1, rim(k), rim(k + 1)]);
    }
    TriMesh::new(vertices, triangles).unwrap()
}

fn scaled(mesh: &TriMesh, scale: f32) -> TriMesh {
    TriMesh::new(mesh.vertices().iter().map(|p| p * scale).collect(), mesh.triangles().to_vec()).unwrap()
}

fn ask(a: &Arc<TriMesh>, b: &Arc<TriMesh>, at: &Isometry3<f64>) -> PairAnswer {
    let [a, b] = [a, b].map(|mesh| Shape::Mesh(mesh.clone()));
    PairQuery::new(&a, &b, QuerySettings::default()).unwrap().at(&Isometry3::identity(), at).unwrap()
}

fn deepest(answer: &PairAnswer) -> Option<(Vector3<f64>, f64)> {
    let found = answer.manifolds.iter().reduce(|p, q| if q.depth > p.depth { q } else { p })?;
    Some((found.normal, found.depth))
}

fn is_free(meshes: [&Arc<TriMesh>; 2], at: &Isometry3<f64>, shift: &Vector3<f64>) -> bool {
    Movable::new([meshes[0], meshes[1]], [&Isometry3::identity(), at]).is_free(shift)
}

/// The least translation of two convex meshes: over the normals of their faces and the products of their edges, how far
/// one reaches beyond where the other begins.
fn least_translation(a: &TriMesh, b: &TriMesh, at: &Isometry3<f64>) -> f64 {
    let of_a: Vec<Point3<f64>> = a.vertices().iter().map(|p| p.cast()).collect();
    let of_b: Vec<Point3<f64>> = b.vertices().iter().map(|p| at * p.cast::<f64>()).collect();
    let edges = |mesh: &TriMesh, points: &[Point3<f64>]| -> Vec<Vector3<f64>> {
        let mut found: Vec<Vector3<f64>> = Vec::new();
        for t in mesh.triangles() {
            for k in 0..3 {
                let edge = (points[t[(k + 1) % 3] as usize] - points[t[k] as usize]).normalize();
                if found.iter().all(|other| other.dot(&edge).abs() < 1.0 - 1e-12) {
                    found.push(edge);
                }
            }
        }
        found
    };
    let normals = |mesh: &TriMesh, points: &[Point3<f64>]| -> Vec<Vector3<f64>> {
        let corner = |t: &[u32; 3], k: usize| points[t[k] as usize];
        let normal = |t: &[u32; 3]| (corner(t, 1) - corner(t, 0)).cross(&(corner(t, 2) - corner(t, 0)));
        mesh.triangles().iter().map(|t| normal(t).normalize()).collect()
    };
    let mut axes = normals(a, &of_a);
    axes.extend(normals(b, &of_b));
    for p in edges(a, &of_a) {
        axes.extend(edges(b, &of_b).iter().filter_map(|q| p.cross(q).try_normalize(1e-9)));
    }
    let along = |axis: &Vector3<f64>| {
        let high = of_a.iter().map(|p| p.coords.dot(axis)).fold(f64::NEG_INFINITY, f64::max);
        let low = of_b.iter().map(|p| p.coords.dot(axis)).fold(f64::INFINITY, f64::min);
        high - low
    };
    axes.iter().map(|axis| along(axis).min(along(&-axis))).fold(f64::INFINITY, f64::min)
}

/// A spike 0.2 wide and 1 high, its tip 0.05 inside a block, upright and tilted: it has gone in by 0.05.
#[test]
fn a_spike_is_as_deep_as_its_tip() {
    let (floor, spike) = (Arc::new(block([1.0; 3])), Arc::new(spike(0.1, 1.0, 24)));
    for tilt in [0.0, 20.0f64, 45.0] {
        let turn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), tilt.to_radians());
        let at = Isometry3::from_parts(Translation3::new(0.13, 0.07, 0.95), turn);
        let (normal, depth) = deepest(&ask(&floor, &spike, &at)).unwrap();
        assert!((depth - 0.05).abs() < 1e-6, "tilted {tilt}°: {depth}");
        assert!(normal.angle(&Vector3::z()) < 1e-3, "tilted {tilt}°: {normal}");
    }
}

/// A square bar 0.2 thick and 2 long stands through the middle of a plate 0.07 thick, 0.1 from its rim: out by the
/// rim, 0.1 and the bar's 0.2, or past whatever else is shorter.
#[test]
fn a_bar_through_a_plate_leaves_by_the_rim() {
    let (plate, bar) = (Arc::new(block([0.5, 0.5, 0.035])), Arc::new(block([0.1, 0.1, 1.0])));
    let at = Isometry3::translation(0.3, 0.05, 0.02);
    let (normal, depth) = deepest(&ask(&plate, &bar, &at)).unwrap();
    assert!((depth - 0.3).abs() < 1e-6, "{depth}");
    assert!(normal.angle(&Vector3::x()) < 1e-6, "{normal}");
}

/// A spike nearly wholly inside a block leaves as far as it is in.
#[test]
fn a_spike_inside_a_block_leaves_by_what_is_shortest() {
    let (block, spike) = (Arc::new(block([1.0; 3])), Arc::new(spike(0.1, 1.0, 24)));
    let turn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), 0.2);
    for z in [0.1, 0.25, 0.5] {
        let at = Isometry3::from_parts(Translation3::new(0.05, 0.02, z), turn);
        let (normal, depth) = deepest(&ask(&block, &spike, &at)).unwrap();
        let least = least_translation(&block, &spike, &at);
        assert!((depth / least - 1.0).abs() < 1e-3, "{depth}, least {least}");
        assert!(is_free([&block, &spike], &at, &(normal * (1.001 * depth))));
    }
}

/// Pairs of convex meshes at random poses and scales: how the deepest manifold compares to the least translation.
struct Family {
    ratios: Vec<f64>,
    held: usize,
}

impl Family {
    fn of(
        count: usize,
        seed: u64,
        mut pair: impl FnMut(&mut Random) -> (TriMesh, TriMesh, Isometry3<f64>),
    ) -> Family {
        let mut random = Random::new(seed);
        let mut family = Family { ratios: Vec::new(), held: 0 };
        while family.ratios.len() < count {
            let (a, b, at) = pair(&mut random);
            let scale = 10f64.powf(12.0 * random.unit() - 6.0);
            let [a, b] = [a, b].map(|mesh| Arc::new(scaled(&mesh, scale as f32)));
            let at = Isometry3::from_parts(Translation3::from(at.translation.vector * scale), at.rotation);
            let Some((normal, depth)) = deepest(&ask(&a, &b, &at)) else { continue };
            let least = least_translation(&a, &b, &at);
            family.ratios.push(depth / least);
            family.held += usize::from(!is_free([&a, &b], &at, &(normal * (1.001 * depth))));
        }
        family.ratios.sort_by(f64::total_cmp);
        family
    }

    #[track_caller]
    fn assert_parted(&self, name: &str) {
        let count = self.ratios.len();
        let share = |part: f64| self.ratios[((count - 1) as f64 * part) as usize];
        println!(
            "{name}: depth ÷ least translation {:.4} {:.4} {:.4} {:.4} {:.4} (least, 1 %, median, 99 %, most), {} of {count} held",
            share(0.0),
            share(0.01),
            share(0.5),
            share(0.99),
            share(1.0),
            self.held
        );
        assert!((share(0.5) - 1.0).abs() < 1e-3 && share(0.99) <= 1.03);
        assert!(share(0.01) >= 0.97 && 100 * self.held <= count, "{} of {count} are held", self.held);
    }
}

#[test]
fn spikes_in_blocks_part_by_their_depth() {
    let family = Family::of(2000, 5, |random| {
        let spike = spike(0.05 + 0.2 * random.unit() as f32, 1.0, 5 + random.index(5) as u32);
        let half = [0, 1, 2].map(|_| 0.2 + 0.8 * random.unit() as f32);
        let away = random.direction() * random.unit();
        (block(half), spike, Isometry3::from_parts(Translation3::from(away), random.rotation()))
    });
    family.assert_parted("spikes");
}

/// The same so shallow that only tips and crossing edges are in each other, by 1e-5 to 1e-2 of the bodies' size.
#[test]
fn shallow_tips_and_edges_part_by_their_depth() {
    let family = Family::of(1000, 7, |random| {
        let spike = spike(0.05 + 0.2 * random.unit() as f32, 1.0, 5 + random.index(5) as u32);
        let half = [0, 1, 2].map(|_| 0.2 + 0.8 * random.unit() as f32);
        let (away, turn) = (random.direction(), random.rotation());
        let at = |distance: f64| Isometry3::from_parts(Translation3::from(away * distance), turn);
        let block = block(half);
        // Where they first touch, and from there back.
        let [mut near, mut far] = [0.0, 4.0];
        for _ in 0..40 {
            let middle = 0.5 * (near + far);
            if least_translation(&block, &spike, &at(middle)) > 0.0 { near = middle } else { far = middle }
        }
        let sunk = 10f64.powf(-5.0 + 3.0 * random.unit());
        (block, spike, at(near - sunk))
    });
    family.assert_parted("shallow spikes");
}

#[test]
fn bars_through_plates_part_by_their_depth() {
    let family = Family::of(1000, 6, |random| {
        let thin = 0.01 + 0.05 * random.unit() as f32;
        let bar = block([thin + 0.05, thin + 0.03, 0.6 + random.unit() as f32]);
        let away = random.direction() * (0.5 * random.unit());
        (block([0.5, 0.4, thin]), bar, Isometry3::from_parts(Translation3::from(away), random.rotation()))
    });
    family.assert_parted("bars");
}

/// Of knots deep in each other, with a search that may cost next to nothing and one that may cost anything.
#[test]
fn a_search_that_is_cut_short_parts_the_bodies_and_says_so() {
    let knot = Arc::new(Knot { along: 40, across: 6, ..Knot::default() }.mesh().unwrap());
    let shape = Shape::Mesh(knot.clone());
    let queries = [1, u64::MAX].map(|budget| {
        PairQuery::new(&shape, &shape, QuerySettings::default().search_budget(budget)).unwrap()
    });
    let mut random = Random::new(31);
    let mut cut = 0;
    for _ in 0..24 {
        let at = Isometry3::from_parts((random.direction() * 0.4).into(), random.rotation());
        let [short, long] = queries.each_ref().map(|query| query.at(&Isometry3::identity(), &at).unwrap());
        assert!(!long.status.contains(StepStatus::SEARCH_CUT));
        if !short.status.contains(StepStatus::SEARCH_CUT) {
            assert_eq!(short.manifolds, long.manifolds);
            continue;
        }
        let ([one], [least]) = (&short.manifolds[..], &long.manifolds[..]) else { continue };
        cut += 1;
        // What is about as short along the overlap's own normal is taken for the least.
        assert!(one.depth >= 0.97 * least.depth, "{} {}", one.depth, least.depth);
        assert!(is_free([&knot, &knot], &at, &(one.normal * (one.depth * (1.0 + 1e-6)))));
    }
    assert!(cut >= 5, "{cut}");
    let refused = PairQuery::new(&shape, &shape, QuerySettings::default().search_budget(0));
    assert!(refused.unwrap_err().to_string().contains("search_budget"));
    let refused = World::builder().backend(Backend::Cpu).search_budget(0).build();
    assert!(matches!(refused, Err(BuildError::Setting { setting: "search_budget", .. })));
}
