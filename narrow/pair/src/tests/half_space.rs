//! Closed meshes in a half-space.

use std::collections::BTreeMap;

use impinge_geometry::RepairSettings;
use impinge_scenes::fixtures::{box_mesh, sphere_mesh, torus};
use impinge_scenes::mesh::{Bowl, Gear, Hook, Knot, Terrain};
use impinge_scenes::random::Random;

use super::*;

fn space() -> Shape {
    Shape::half_space()
}

/// Two meshes as one: with `inward`, the second one bounds what is not of the body.
fn together(outer: &TriMesh, inner: &TriMesh, at: Vector3<f32>, inward: bool) -> TriMesh {
    let mut vertices = outer.vertices().to_vec();
    let mut triangles = outer.triangles().to_vec();
    let count = vertices.len() as u32;
    vertices.extend(inner.vertices().iter().map(|p| p + at));
    let turned = |[a, b, c]: [u32; 3]| if inward { [a, c, b] } else { [a, b, c] };
    triangles.extend(inner.triangles().iter().map(|t| turned(t.map(|v| v + count))));
    TriMesh::new(vertices, triangles).unwrap()
}

/// A box whose faces are grids of so many squares.
fn grid_box(half: [f32; 3], count: u32) -> TriMesh {
    let mut places: BTreeMap<[u32; 3], u32> = BTreeMap::new();
    let mut triangles = Vec::new();
    for (axis, end) in (0..3).flat_map(|axis| [(axis, 0), (axis, count)]) {
        for [i, j] in (0..count).flat_map(|i| (0..count).map(move |j| [i, j])) {
            let mut corner = |u: u32, v: u32| {
                let mut at = [end; 3];
                (at[(axis + 1) % 3], at[(axis + 2) % 3]) = (i + u, j + v);
                let next = places.len() as u32;
                *places.entry(at).or_insert(next)
            };
            let [a, b, c, d] = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
            let quad = if end == 0 { [a, d, c, b] } else { [a, b, c, d] };
            triangles.extend([[quad[0], quad[1], quad[2]], [quad[0], quad[2], quad[3]]]);
        }
    }
    let mut vertices = vec![Point3::origin(); places.len()];
    for (at, index) in places {
        vertices[index as usize] =
            Point3::from([0, 1, 2].map(|k| half[k] * (2.0 * at[k] as f32 / count as f32 - 1.0)));
    }
    TriMesh::new(vertices, triangles).unwrap()
}

/// Volume, first moment, section and first moment of the section of what of a mesh that stands at a pose is below z = 0, by a grid of
/// upright lines: each of them is in the mesh between every second of the triangles it meets and the next.
fn by_lines(mesh: &TriMesh, pose: &Pose) -> (f64, Vector3<f64>, f64, Vector3<f64>) {
    const LINES: usize = 300;
    let at: Vec<Point3<f64>> = mesh.vertices().iter().map(|v| pose * v.cast::<f64>()).collect();
    let low = at.iter().fold(at[0], |low, p| low.inf(p));
    let high = at.iter().fold(at[0], |high, p| high.sup(p));
    let cell = [0, 1].map(|k| (high[k] - low[k]) / LINES as f64);
    let place = |k: usize, i: usize| low[k] + (i as f64 + 0.5) * cell[k];
    let mut met = vec![Vec::new(); LINES * LINES];
    for [a, b, c] in mesh.triangles().iter().map(|t| t.map(|v| at[v as usize])) {
        let area = (b - a).xy().perp(&(c - a).xy());
        let range = |k: usize| {
            let ends = [a[k].min(b[k]).min(c[k]), a[k].max(b[k]).max(c[k])];
            let [from, until] = ends.map(|x| ((x - low[k]) / cell[k]).max(0.0) as usize);
            from..(until + 1).min(LINES)
        };
        for [i, j] in range(0).flat_map(|i| range(1).map(move |j| [i, j])) {
            let p = nalgebra::Vector2::new(place(0, i), place(1, j));
            let [a2, b2, c2] = [a, b, c].map(|q| q.coords.xy() - p);
            let shares = [b2.perp(&c2), c2.perp(&a2), a2.perp(&b2)].map(|s| s / area);
            if shares.iter().all(|s| *s >= 0.0) {
                met[j * LINES + i].push(shares[0] * a.z + shares[1] * b.z + shares[2] * c.z);
            }
        }
    }
    let (mut volume, mut moment) = (0.0, Vector3::zeros());
    let (mut section, mut section_moment) = (0.0, Vector3::zeros());
    let area = cell[0] * cell[1];
    for (index, heights) in met.iter_mut().enumerate() {
        heights.sort_by(f64::total_cmp);
        let across = Vector3::new(place(0, index % LINES), place(1, index / LINES), 0.0);
        for inside in heights.chunks_exact(2).filter(|inside| inside[0] < 0.0) {
            let top = inside[1].min(0.0);
            let own = (top - inside[0]) * area;
            volume += own;
            moment += own * (across + Vector3::z() * 0.5 * (top + inside[0]));
            if inside[1] > 0.0 {
                section += area;
                section_moment += area * across;
            }
        }
    }
    (volume, moment, section, section_moment)
}

#[test]
fn volume_section_and_torque_are_those_of_fine_lines() {
    let hollow = together(&sphere_mesh(0.5, 48, 24), &sphere_mesh(0.3, 48, 24), Vector3::zeros(), true);
    let meshes = [
        torus(0.6, 0.2, 48, 24),
        Bowl::default().mesh().unwrap(),
        Gear::default().mesh().unwrap(),
        Hook::default().mesh().unwrap(),
        Knot::default().mesh().unwrap(),
        hollow,
    ];
    let mut random = Random::new(7);
    for (case, mesh) in meshes.iter().cycle().take(36).enumerate() {
        let turn = random.rotation();
        let heights = mesh.vertices().iter().map(|v| (turn * v.coords.cast::<f64>()).z);
        let lowest = heights.fold(f64::INFINITY, f64::min);
        // From a twentieth of the body to more than half of it.
        let depth = [0.05, 0.2, 0.6][case / 6 % 3];
        let pose = placed(7.3, -2.9, -lowest - depth, turn);
        let shapes = [Shape::from(mesh.clone()), space()];
        let poses = [pose, Pose::identity()];
        let order = if case % 2 == 0 { [0, 1] } else { [1, 0] };
        let [a, b] = order.map(|k| &shapes[k]);
        let out = Asked::new(a, b, &NarrowSettings::default()).at(order.map(|k| poses[k]));
        let origin = PairFrame::new(&poses[order[0]], &poses[order[1]]).origin.coords;
        let down = if case % 2 == 0 { -Vector3::z() } else { Vector3::z() };
        assert!(out.touching && out.counts.views == 0, "case {case}");
        assert!(out.patches.iter().all(|patch| (patch.normal - down).norm() < 1e-12));
        let deepest = out.patches.iter().map(|p| p.depth).fold(0.0, f64::max);
        assert!((deepest - depth).abs() < 1e-9, "case {case}: {deepest}");
        let (volume, moment, section, section_moment) = by_lines(mesh, &pose);
        assert_near(out.volume.unwrap(), volume, 3e-3);
        let own: Vector3<f64> = out.patches.iter().map(|p| (p.centroid.coords + origin) * p.volume).sum();
        assert!((own - moment).norm() < 3e-3 * moment.norm(), "case {case}");
        assert!((out.gradient - down * section).norm() < 0.01 * section.max(1e-3), "case {case}");
        let torque = (section_moment - origin * section).cross(&down);
        let most = section.max(1e-3).max(torque.norm());
        assert!((out.torque - torque).norm() < 0.01 * most, "case {case}: {torque}");
    }
}

/// A lens of a ball of many sides, in closed form, wherever the half-space's own origin is.
#[test]
fn a_cap_has_its_closed_form_far_from_the_origin() {
    let ball = Shape::from(sphere_mesh(0.5, 256, 128));
    for far in [0.0, 1e5] {
        for d in [0.2, 0.02] {
            let out = ask_shapes(&space(), &ball, shift(far, -far, 0.5 - d));
            let cap = only(&out);
            let pi = std::f64::consts::PI;
            assert!((cap.depth - d).abs() < 1e-6);
            assert_near(cap.volume, pi * d * d * (0.5 - d / 3.0), 0.02);
            assert_near(cap.gradient.norm(), pi * (d - d * d), 0.02);
            let height = -0.75 * (2.0 * 0.5 - d).powi(2) / (3.0 * 0.5 - d) + 0.5 - d;
            let origin = PairFrame::new(&Pose::identity(), &shift(far, -far, 0.5 - d)).origin.coords;
            let at = cap.centroid.coords + origin - Vector3::new(far, -far, 0.0);
            assert!((at - Vector3::new(0.0, 0.0, height)).norm() < 2e-3 * d, "{at}");
        }
    }
}

/// A table stands on four legs, each a patch of its own with the corners of the leg for points; one leg is shorter.
#[test]
fn each_leg_is_a_part_with_its_own_depth() {
    let leg = box_mesh([0.05, 0.05, 0.4]);
    let feet: [([f32; 2], f32); 4] =
        [([0.5, 0.5], 0.0), ([-0.5, 0.5], 0.0), ([-0.5, -0.5], 0.002), ([0.5, -0.5], 0.0)];
    let mut table = box_mesh([0.6, 0.6, 0.05]);
    for ([x, y], up) in feet {
        table = together(&table, &leg, Vector3::new(x, y, -0.46 + up), false);
    }
    let out = ask_shapes(&space(), &table.into(), shift(3.0, 1.0, 0.855));
    let mut depths: Vec<f64> = out.patches.iter().map(|patch| patch.depth).collect();
    depths.sort_by(f64::total_cmp);
    let wanted = [0.003, 0.005, 0.005, 0.005];
    assert_eq!(depths.len(), 4);
    assert!(depths.iter().zip(wanted).all(|(d, w)| (d - w).abs() < 1e-6), "{depths:?}");
    for patch in &out.patches {
        assert_eq!((patch.points.len(), patch.corners.len()), (4, 4));
        assert!((patch.gradient.norm() - 0.01).abs() < 1e-6);
        assert!(patch.points.iter().all(|p| (p.depth - patch.depth).abs() < 1e-6));
    }
}

/// What the border cuts out of a hollow ball is a ring, and the ball one part; wholly inside, the section is none.
#[test]
fn a_cavity_is_taken_away_from_what_holds_it() {
    let ball = |radius: f32| sphere_mesh(radius, 128, 64);
    let hollow = Shape::from(together(&ball(0.5), &ball(0.3), Vector3::new(0.05, 0.0, 0.0), true));
    let pi = std::f64::consts::PI;
    let out = ask_shapes(&space(), &hollow, shift(0.0, 0.0, 0.0));
    let half = only(&out);
    assert_near(half.gradient.norm(), pi * (0.25 - 0.09), 0.01);
    assert_near(half.volume, 2.0 / 3.0 * pi * (0.125 - 0.027), 0.01);
    // The centroid of the ring is beside that of the ball: as much as the hole is beside it.
    let origin = PairFrame::new(&Pose::identity(), &Pose::identity()).origin.coords;
    let x = (half.pressure_center.coords + origin).x;
    assert!((x + 0.05 * 0.09 / (0.25 - 0.09)).abs() < 1e-3, "{x}");
    let out = ask_shapes(&space(), &hollow, shift(0.0, 0.0, -1.0));
    let whole = only(&out);
    assert_near(whole.volume, 4.0 / 3.0 * pi * (0.125 - 0.027), 0.01);
    assert!((whole.depth - 1.5).abs() < 1e-6 && whole.gradient.norm() == 0.0, "{}", whole.gradient);
}

/// Of a face of many vertices, few are candidates: its corners and the deepest among them.
#[test]
fn a_fine_face_has_few_candidates() {
    let block = grid_box([0.5, 0.4, 0.1], 60);
    let lean = UnitQuaternion::from_scaled_axis(Vector3::new(0.004, -0.003, 0.2));
    let pose = placed(0.3, 0.2, 0.099, lean);
    let heights = block.vertices().iter().map(|v| (pose * v.cast::<f64>()).z);
    let (lowest, below) =
        heights.fold((0.0f64, 0), |(low, count), z| (low.min(z), count + usize::from(z < 0.0)));
    let out = ask_shapes(&space(), &block.into(), pose);
    let patch = only(&out);
    assert!(below > 1000 && patch.points.len() <= 280, "{below} vertices, {} candidates", patch.points.len());
    assert!((patch.depth + lowest).abs() < 1e-9);
    let deepest = patch.points.iter().map(|p| p.depth).fold(0.0, f64::max);
    assert!((deepest - patch.depth).abs() < 1e-12 && patch.corners.len() >= 3);
}

/// A large block's face is a half-space's border: what the exact overlap of two meshes has for volume, area and moment, in as many parts.
#[test]
fn a_half_space_answers_as_a_block_does() {
    let mut random = Random::new(11);
    let block = Shape::from(box_mesh([5.0; 3]));
    let meshes =
        [Knot::default().mesh(), Gear::default().mesh(), Bowl::default().mesh(), Hook::default().mesh()];
    for mesh in meshes.into_iter().map(Result::unwrap) {
        for k in 0..6 {
            let turn = if k == 0 { UnitQuaternion::identity() } else { random.rotation() };
            let heights = mesh.vertices().iter().map(|v| (turn * v.coords.cast::<f64>()).z);
            let lowest = heights.fold(f64::INFINITY, f64::min);
            let pose = placed(0.3, -0.2, -lowest - 0.02, turn);
            let [exact, beside] = [(space(), 0.0), (block.clone(), -5.0)].map(|(ground, height)| {
                Asked::new(&ground, &mesh.clone().into(), &NarrowSettings::default())
                    .at([shift(0.0, 0.0, height), pose])
            });
            let depths = |out: &PairResult| {
                let mut depths: Vec<f64> = out.patches.iter().map(|patch| patch.depth).collect();
                depths.sort_by(f64::total_cmp);
                depths
            };
            let (own, other) = (depths(&exact), depths(&beside));
            assert_eq!(own.len(), other.len(), "{own:?} {other:?}");
            for (p, q) in own.iter().zip(&other) {
                assert!((p - q).abs() <= 0.01 * p, "{own:?} {other:?}");
            }
            assert_near(exact.volume.unwrap(), beside.volume.unwrap(), 1e-6);
            let area = exact.gradient.norm();
            assert!((exact.gradient - beside.gradient).norm() <= 1e-6 * area);
            // Both are about the pair's origin, and the block's is elsewhere.
            let about = |out: &PairResult, height: f64| {
                let origin = PairFrame::new(&shift(0.0, 0.0, height), &pose).origin.coords;
                out.torque + origin.cross(&out.gradient)
            };
            let [own, other] = [about(&exact, 0.0), about(&beside, -5.0)];
            assert!((own - other).norm() <= 1e-6 * area.max(own.norm()), "{own} {other}");
        }
    }
}

/// A box that was found without its top, and a bumpy sheet that is one-sided: closed by virtual faces.
fn closed_by_virtual_faces() -> [TriMesh; 2] {
    let block = box_mesh([0.5, 0.4, 0.3]);
    let is_top = |t: &[u32; 3]| t.iter().all(|&v| block.vertices()[v as usize].z > 0.0);
    let open = block.triangles().iter().copied().filter(|t| !is_top(t)).collect();
    let settings = RepairSettings::default().close_holes(f64::INFINITY);
    let filled = TriMesh::repaired(block.vertices().to_vec(), open, &settings).unwrap();
    let bumpy = Terrain { half: 0.6, relief: 0.1, rim: 0.0, cells: 12, seed: 3 };
    [filled, bumpy.mesh().unwrap().one_sided(0.3, Vector3::z()).unwrap()]
}

/// Virtual faces bound what overlaps in a half-space as they do in a block.
#[test]
fn virtual_faces_bound_what_overlaps() {
    let mut random = Random::new(5);
    let block = Shape::from(box_mesh([5.0; 3]));
    let mut blocks = 0;
    for mesh in closed_by_virtual_faces() {
        let shape = Shape::from(mesh.clone());
        for _ in 0..16 {
            let turn = random.rotation();
            let heights = mesh.vertices().iter().map(|v| (turn * v.coords.cast::<f64>()).z);
            let pose = placed(0.3, -0.2, -heights.fold(f64::INFINITY, f64::min) - 0.35, turn);
            let [exact, in_block] = [(space(), 0.0), (block.clone(), -5.0)].map(|(ground, height)| {
                Asked::new(&ground, &shape, &NarrowSettings::default()).at([shift(0.0, 0.0, height), pose])
            });
            // What has come through a virtual face alone is in the block without meeting its surface.
            if in_block.touching {
                blocks += 1;
                assert_near(in_block.volume.unwrap(), exact.volume.unwrap(), 1e-6);
                assert_near(in_block.gradient.norm(), exact.gradient.norm(), 1e-6);
            }
        }
    }
    assert!(blocks >= 16, "{blocks}");
}
