//! Outlines and samples of contact regions, against closed forms and exact brute force.

use super::*;
use impinge_geometry::Primitive;
use impinge_oracle::common_volume;
use impinge_oracle::solids::ring;
use impinge_scenes::asset;
use impinge_scenes::fixtures::{box_mesh, sphere_mesh};
use impinge_scenes::random::Random;

/// The patches of two shapes with `samples` along each region.
fn sampled(a: &Shape, b: &Shape, poses: [Pose; 2], samples: u32) -> PairResult {
    let settings = NarrowSettings { patch_samples: samples, ..NarrowSettings::default() };
    Asked::new(a, b, &settings).at(poses)
}

/// The region of the one patch of an answer.
#[track_caller]
fn region(out: &PairResult) -> &ContactPatch {
    let patch = only(out);
    let region = patch.region.as_deref().expect("regions were asked for");
    check_region(patch, region);
    region
}

/// What holds of every region.
#[track_caller]
fn check_region(patch: &Patch, region: &ContactPatch) {
    assert_eq!(region.normal, patch.normal);
    for s in &region.samples {
        assert!(s.depth >= 0.0 && s.area > 0.0);
        assert!((s.depth - (s.on_a - s.on_b).dot(&region.normal)).abs() < 1e-12);
        assert!((s.normal_a.norm() - 1.0).abs() < 1e-9 && (s.normal_b.norm() - 1.0).abs() < 1e-9);
        // The line leaves A and enters B.
        assert!(s.normal_a.dot(&region.normal) >= 0.0 && s.normal_b.dot(&region.normal) <= 0.0);
    }
}

/// The area that a loop encloses, seen along a normal (m²): positive counter-clockwise about it.
fn signed_area(points: &[Point3<f64>], normal: &Vector3<f64>) -> f64 {
    let first = points[0];
    let sum: Vector3<f64> = points.windows(2).map(|p| (p[0] - first).cross(&(p[1] - first))).sum();
    0.5 * sum.dot(normal)
}

/// The area that an outline encloses (m²).
fn outlined(region: &ContactPatch) -> f64 {
    region.boundary.iter().map(|points| signed_area(points, &region.normal)).sum()
}

#[track_caller]
fn near(what: f64, wanted: f64, within: f64) {
    assert!((what - wanted).abs() <= within, "{what} is not {wanted} to within {within}");
}

/// A ball of radius 1 is pressed by d into the half-space z ≤ 0: at a distance r from the middle it is d − (1 − √(1 − r²))
/// deep, the outline is a circle of radius √(2d − d²), and the volume that of a cap, π d² (3 − d) / 3.
#[test]
fn a_ball_in_a_half_space_has_a_cap() {
    let d = 0.1;
    let ball: Shape = Primitive::Sphere { radius: 1.0 }.into();
    let fine: Shape = sphere_mesh(1.0, 256, 128).into();
    let floor: Shape = Primitive::HalfSpace.into();
    let slab: Shape = Primitive::Cuboid { half: [3.0, 2.0, 1.0] }.into();
    let cap = std::f64::consts::PI * d * d * (3.0 - d) / 3.0;
    let rim = (2.0 * d - d * d).sqrt();
    // How far the triangles are inside the ball, and so the depths off.
    for (shape, sag) in [(&ball, 1e-9), (&fine, 4e-4)] {
        for (ground, top) in [(&floor, 0.0), (&slab, 1.0)] {
            for samples in [16, 48] {
                let out =
                    sampled(ground, shape, [Pose::identity(), shift(0.3, -0.2, top + 1.0 - d)], samples);
                let region = region(&out);
                let cell = 2.0 * rim / f64::from(samples);
                near(region.cell, cell, 0.05 * cell);
                let [points] = &region.boundary[..] else {
                    panic!("one loop, not {}", region.boundary.len())
                };
                let middle = Vector3::new(0.3, -0.2, 0.0);
                let off = |p: &Point3<f64>| {
                    let frame = PairFrame::new(&Pose::identity(), &shift(0.3, -0.2, top + 1.0 - d));
                    let at = frame.to_world(p).coords - middle;
                    (at.x.hypot(at.y), at.z - top)
                };
                for p in points {
                    let (r, z) = off(p);
                    near(r, rim, 1e-6 + 4.0 * sag);
                    near(z, 0.0, 1e-6);
                }
                // A polygon inside its circle: each of its sides, most of a cell long, leaves out a segment.
                near(outlined(region), std::f64::consts::PI * rim * rim, 0.6 * cell * cell + 12.0 * sag);
                near(region.area(), outlined(region), 1e-12);
                // The depth is a parabola, nearly: a cell's middle has 4/3n² more than its mean.
                near(region.volume(), cap, cap * (2.0 / f64::from(samples * samples) + 30.0 * sag));
                for s in &region.samples {
                    let (r, _) = off(&s.position());
                    near(s.depth, d - (1.0 - (1.0 - r * r).sqrt()), 1e-9 + sag);
                    near(s.normal_a.z, 1.0, 1e-12);
                    near(s.normal_b.z, -(1.0 - r * r).sqrt(), 1e-6 + 40.0 * sag);
                }
            }
        }
    }
}

/// A cube of 1 m stands on one of 2 m, sunk by 0.1 m, or flush: the outline is the square of its four corners, whether the
/// cubes are meshes or primitives, and straight or turned.
#[test]
fn a_cube_on_a_cube_has_a_square() {
    let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), 0.3);
    let [large, small] = [1.0f32, 0.5].map(|half| [half; 3]);
    let meshes = [box_mesh(large), box_mesh(small)].map(Shape::from);
    let solids = [large, small].map(|half| Shape::from(Primitive::Cuboid { half }));
    for [a, b] in [&meshes, &solids].map(|s| [&s[0], &s[1]]).into_iter().chain([[&meshes[0], &solids[1]]]) {
        for turn in [UnitQuaternion::identity(), turn] {
            for depth in [0.125, 0.0] {
                let pose = placed(0.25, 0.125, 1.5 - depth, turn);
                let out = sampled(a, b, [Pose::identity(), pose], 24);
                let region = region(&out);
                let [points] = &region.boundary[..] else {
                    panic!("one loop, not {}", region.boundary.len())
                };
                assert_eq!(points.len(), 4, "{points:?}");
                let frame = PairFrame::new(&Pose::identity(), &pose);
                for p in points {
                    let local = pose.inverse_transform_point(&frame.to_world(p));
                    near(local.x.abs(), 0.5, 1e-6);
                    near(local.y.abs(), 0.5, 1e-6);
                }
                near(outlined(region), 1.0, 1e-5);
                near(region.volume(), depth, 1e-5);
                assert!(region.samples.iter().all(|s| (s.depth - depth).abs() < 1e-9));
                // The lattice lies along the larger cube.
                if turn == UnitQuaternion::identity() {
                    assert_eq!(region.samples.iter().filter(|s| s.area > 0.5 / 576.0).count(), 576);
                }
            }
        }
    }
}

/// A cube tilted over its lower edge is sunk into a larger one: the overlap is a prism over a right-angled triangle, its
/// depth falls off evenly from the edge, and the sum over the cells is its exact volume.
#[test]
fn a_tilted_cube_has_a_prism() {
    let tilt = 0.1f64;
    let turn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), tilt);
    // The lowest edge is at local x = ½, z = −½.
    let lowest = turn * Vector3::new(0.5, 0.0, -0.5);
    let sunk = 0.04;
    let pose = placed(0.0, 0.0, 1.0 - sunk - lowest.z, turn);
    let volume = 0.5 * sunk * sunk * (1.0 / tilt.tan() + tilt.tan());
    let meshes = [box_mesh([1.0; 3]), box_mesh([0.5; 3])];
    let exact = common_volume([&meshes[0], &meshes[1]], &PairFrame::new(&Pose::identity(), &pose));
    near(exact, volume, 1e-6);
    let [a, b] = meshes.map(Shape::from);
    // Only the cells over the edge are not flat.
    for (samples, error) in [(32, 2e-2), (128, 4e-3)] {
        let out = sampled(&a, &b, [Pose::identity(), pose], samples);
        near(region(&out).volume(), exact, error * exact);
    }
    let out = sampled(&a, &b, [Pose::identity(), pose], 32);
    let region = region(&out);
    let deepest = region.samples.iter().map(|s| s.depth).fold(0.0, f64::max);
    let shallowest = region.samples.iter().map(|s| s.depth).fold(1.0, f64::min);
    assert!(deepest > 0.9 * only(&out).depth && shallowest < 0.05 * deepest);
}

/// A prism over a polygon (counter-clockwise, fanned as said), from −h to h.
fn prism(polygon: &[[f32; 2]], fans: &[[u32; 3]], h: f32) -> TriMesh {
    let n = polygon.len() as u32;
    let ring = |z: f32| polygon.iter().map(move |p| Point3::new(p[0], p[1], z));
    let vertices: Vec<Point3<f32>> = ring(-h).chain(ring(h)).collect();
    let mut triangles: Vec<[u32; 3]> =
        fans.iter().flat_map(|&[a, b, c]| [[a, c, b], [a + n, b + n, c + n]]).collect();
    triangles.extend((0..n).flat_map(|i| {
        let j = (i + 1) % n;
        [[i, j, j + n], [i, j + n, i + n]]
    }));
    TriMesh::new(vertices, triangles).unwrap()
}

/// An L with bars of 0.3 m lies on a plate, turned, flush or sunk: its outline has its six corners and its exact area. A ring
/// has two loops, the inner one clockwise.
#[test]
fn an_l_has_six_corners_and_a_ring_two_loops() {
    let corners = [[0.0, 0.0], [1.0, 0.0], [1.0, 0.3], [0.3, 0.3], [0.3, 1.0], [0.0, 1.0]];
    let l: Shape = prism(&corners, &[[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]], 0.5).into();
    let plate: Shape = box_mesh([4.0, 3.0, 0.5]).into();
    let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), 0.4);
    for depth in [0.0, 0.0625] {
        let out = sampled(&plate, &l, [Pose::identity(), placed(0.1, 0.2, 1.0 - depth, turn)], 32);
        let region = region(&out);
        let [points] = &region.boundary[..] else { panic!("one loop") };
        assert_eq!(points.len(), 6, "{points:?}");
        near(outlined(region), 0.51, 1e-5);
        near(region.area(), 0.51, 1e-5);
        near(region.volume(), 0.51 * depth, 1e-5);
    }
    let sides = 48;
    let hollow: Shape = ring(0.5, 1.0, 0.25, sides).into();
    for depth in [0.0, 0.0625] {
        let out = sampled(&plate, &hollow, [Pose::identity(), shift(0.1, 0.2, 0.75 - depth)], 32);
        let region = region(&out);
        let mut areas: Vec<f64> =
            region.boundary.iter().map(|points| signed_area(points, &region.normal)).collect();
        areas.sort_by(f64::total_cmp);
        let turn = std::f64::consts::TAU / f64::from(sides);
        let polygon = |r: f64| 0.5 * f64::from(sides) * r * r * turn.sin();
        assert_eq!(areas.len(), 2);
        near(areas[0], -polygon(0.5), region.cell * region.cell);
        near(areas[1], polygon(1.0), region.cell * region.cell);
        near(region.area(), outlined(region), 1e-12);
        near(region.volume(), depth * region.area(), 1e-9);
    }
}

/// Gears and knots in random poses. The samples are held against brute force over all triangles, in exact arithmetic where
/// it asks what is inside: a sample's ends lie on the surfaces, on triangles with its normals, what lies between is inside
/// both bodies, and what lies just beyond is not. All regions of a pair together have its volume.
#[test]
fn samples_of_random_poses_are_those_of_brute_force() {
    let mut random = Random::new(7);
    let (mut pairs, mut seen, mut off) = (0, 0, 0.0);
    for (a, b) in [("gear", "gear"), ("knot", "gear"), ("knot", "knot")] {
        let meshes = [a, b].map(|name| asset::make(name).unwrap().unwrap());
        let radius = meshes.each_ref().map(|m| f64::from(m.bounding_sphere().radius));
        let shapes = meshes.each_ref().map(|mesh| Shape::from(mesh.clone()));
        for _ in 0..6 {
            let away = random.direction() * (0.85 * (radius[0] + radius[1]));
            let poses = [
                placed(0.0, 0.0, 0.0, random.rotation()),
                Pose::from_parts(Translation3::from(away), random.rotation()),
            ];
            let out = sampled(&shapes[0], &shapes[1], poses, 16);
            if out.patches.is_empty() {
                continue;
            }
            pairs += 1;
            let frame = PairFrame::new(&poses[0], &poses[1]);
            let brute = impinge_oracle::Pair::new([&meshes[0], &meshes[1]], &frame);
            let counts = meshes.each_ref().map(|mesh| mesh.triangles().len() as u32);
            let mut total = 0.0;
            for patch in &out.patches {
                let region = patch.region.as_deref().unwrap();
                check_region(patch, region);
                total += region.volume();
                for s in region.samples.iter().step_by(11) {
                    seen += 1;
                    against_brute_force(&brute, counts, region, s);
                }
            }
            let volume = out.volume.unwrap();
            println!(
                "{a} {b}: {} patches, volume {volume:.3e}, of samples {:.4}",
                out.patches.len(),
                total / volume
            );
            off += (total / volume - 1.0).abs();
        }
    }
    assert!(pairs >= 8 && seen > 100, "{pairs} pairs, {seen} samples");
    assert!(off / f64::from(pairs) < 0.03, "volumes are off by {} on average", off / f64::from(pairs));
}

#[track_caller]
fn against_brute_force(
    pair: &impinge_oracle::Pair<'_>,
    counts: [u32; 2],
    region: &ContactPatch,
    s: &PatchSample,
) {
    let bodies = &pair.bodies;
    // Where the line crosses the triangles of each body, and their normals.
    let crossings = [0, 1].map(|k| {
        let body = &bodies[k];
        let on_line = |t: u32| {
            let [p, q, r] = body.corners(t);
            let normal = (q - p).cross(&(r - p));
            let along = normal.dot(&region.normal);
            let at = s.on_b + region.normal * (normal.dot(&(p - s.on_b)) / along);
            let inside = |x: &Point3<f64>, y: &Point3<f64>| {
                (y - x).cross(&(at - x)).dot(&normal) >= -1e-9 * normal.norm_squared()
            };
            let hit = along != 0.0 && inside(&p, &q) && inside(&q, &r) && inside(&r, &p);
            hit.then(|| ((at - s.on_b).dot(&region.normal), normal.normalize()))
        };
        (0..counts[k]).filter_map(on_line).collect::<Vec<_>>()
    });
    let tolerance = 1e-7;
    let exit = crossings[0].iter().filter(|c| (c.1 - s.normal_a).norm() < 1e-6 && c.0 > s.depth - tolerance);
    let entry = crossings[1].iter().filter(|c| (c.1 - s.normal_b).norm() < 1e-6 && c.0 < tolerance);
    assert!(exit.count() > 0 && entry.count() > 0, "no triangle has the sample's normals: {s:?}");
    let ends_at = |at: f64| crossings.iter().flatten().any(|c| (c.0 - at).abs() < tolerance);
    assert!(ends_at(0.0) && ends_at(s.depth), "no surface where the overlap ends: {s:?}");
    let between = |c: &&(f64, Vector3<f64>)| c.0 > tolerance && c.0 < s.depth - tolerance;
    let crossed = crossings.iter().flatten().filter(between).count();
    assert_eq!(crossed, 0, "a surface within the overlap: {s:?}");
    if s.depth > 4.0 * tolerance {
        for (share, wanted) in [(0.5, true), (1e-3, true), (0.999, true)] {
            let at = s.on_b + region.normal * (s.depth * share);
            assert_eq!(bodies.iter().all(|body| body.winding(&at) > Some(0)), wanted, "{s:?}");
        }
        for beyond in [-2.0 * tolerance, s.depth + 2.0 * tolerance] {
            let at = s.on_b + region.normal * beyond;
            assert!(!bodies.iter().all(|body| body.winding(&at) > Some(0)), "the overlap goes on: {s:?}");
        }
    }
}

/// Without samples nothing else of an answer differs; gaps and surfaces without an inside have no region.
#[test]
fn regions_change_nothing_else() {
    let mesh = asset::make("gear").unwrap().unwrap();
    let radius = mesh.bounding_sphere().radius;
    let [gear, ball] = [Shape::from(mesh), Primitive::Sphere { radius }.into()];
    for b in [&gear, &ball] {
        let poses = [Pose::identity(), shift(1.8 * f64::from(radius), 0.0, 0.0)];
        let with = sampled(&gear, b, poses, 8);
        let without = sampled(&gear, b, poses, 0);
        assert!(with.patches.iter().all(|p| p.region.is_some()) && !with.patches.is_empty());
        assert!(without.patches.iter().all(|p| p.region.is_none()));
        let mut stripped = with.clone();
        stripped.patches.iter_mut().for_each(|p| p.region = None);
        assert_eq!(stripped, without);
    }
}
