//! Sheets that deform: closed forms, and nothing left in what they are kept out of.

use impinge::prelude::*;
use impinge::query::SelfScratch;
use impinge::query::classic::{AvatarMaps, ClassicBody, FrameBuffer, ToolSettings, ToolVolume, lombardo};
use impinge_reference::{Sheet, SheetBody, SheetError, SheetSettings};
use nalgebra::{Point3, Vector3};

const DT: f64 = 1.0 / 240.0;

/// A square sheet of 2·n² triangles, 1 m wide, at a height (m).
fn square(n: u32, height: f32) -> TriMesh {
    let at = |k: u32| k as f32 / n as f32 - 0.5;
    let vertices = (0..=n).flat_map(|j| (0..=n).map(move |i| Point3::new(at(i), at(j), height))).collect();
    let corner = |i: u32, j: u32| j * (n + 1) + i;
    let triangles = (0..n).flat_map(|j| (0..n).map(move |i| (i, j))).flat_map(|(i, j)| {
        let [a, b, c, d] = [corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)];
        [[a, b, c], [a, c, d]]
    });
    TriMesh::new(vertices, triangles.collect()).unwrap()
}

fn free() -> SheetSettings {
    SheetSettings { damping: 0.0, ..SheetSettings::default() }
}

#[test]
fn a_free_sheet_falls_as_one() {
    let mut sheet = Sheet::new(&square(8, 0.0), free()).unwrap();
    for _ in 0..240 {
        sheet.begin(DT);
        sheet.end(DT);
    }
    // Velocity first, then place: n (n + 1) / 2 steps' worth.
    let fallen = 9.81 * DT * DT * 240.0 * 241.0 / 2.0;
    for (now, rest) in sheet.places().iter().zip(sheet.rest()) {
        assert!((now - rest + Vector3::z() * fallen).norm() < 1e-9);
    }
    let energy = 0.5 * 0.3 * (9.81f64).powi(2);
    assert!((sheet.kinetic_energy() / energy - 1.0).abs() < 1e-6, "{}", sheet.kinetic_energy());
}

#[test]
fn a_sheet_hangs_from_what_is_held_and_a_bed_brings_it_back() {
    let held: Vec<u32> = (0..9).collect();
    let hung = SheetSettings { held: held.clone(), damping: 2.0, ..SheetSettings::default() };
    let mut sheet = Sheet::new(&square(8, 0.0), hung).unwrap();
    for _ in 0..2400 {
        sheet.begin(DT);
        sheet.end(DT);
    }
    for &vertex in &held {
        assert_eq!(sheet.places()[vertex as usize], sheet.rest()[vertex as usize]);
    }
    // The rest has swung down below the edge that is held, as long as it was.
    let lowest = sheet.places().iter().map(|p| p.z).fold(0.0, f64::min);
    assert!((-1.05..-0.98).contains(&lowest), "{lowest}");
    assert!(sheet.kinetic_energy() < 1e-4);

    let bed = SheetSettings { bed: 4e3, density: 10.0, damping: 6.0, gravity: Vector3::zeros(), ..free() };
    let mut sheet = Sheet::new(&square(8, 0.0), bed).unwrap();
    let tool = ToolVolume::swept_box([0.1; 3], Vector3::zeros()).unwrap();
    let faces: Vec<u32> = (0..128).collect();
    sheet.begin(DT);
    assert!(!sheet.clear_of_tool(&tool, &Isometry3::identity(), &faces).is_empty());
    sheet.end(DT);
    let off = |sheet: &Sheet| {
        let ways = sheet.places().iter().zip(sheet.rest()).map(|(now, rest)| (now - rest).norm());
        ways.fold(0.0, f64::max)
    };
    assert!(off(&sheet) > 0.05);
    for _ in 0..1200 {
        sheet.begin(DT);
        sheet.end(DT);
    }
    assert!(off(&sheet) < 1e-4, "{}", off(&sheet));
}

#[test]
fn no_vertex_is_left_in_a_tool() {
    let mut sheet = Sheet::new(&square(30, 0.0), SheetSettings { held: vec![465], ..free() }).unwrap();
    let half = [0.08, 0.12, 0.2];
    let tool = ToolVolume::swept_box(half.map(|x| x as f32), Vector3::zeros()).unwrap();
    let pose = Isometry3::new(Vector3::new(0.1, 0.05, 0.17), Vector3::new(0.2, 0.1, 0.4));
    let here = Isometry3::identity();
    sheet.begin(DT);
    let settings = ToolSettings { direction: pose * Vector3::z(), pixels: 64, dilated: true };
    let body = ClassicBody::new(sheet.surface().unwrap(), &here);
    let faces = lombardo(&tool, &pose, &body, settings, &mut FrameBuffer::default()).unwrap().triangles;
    let depth = |p: &Point3<f64>| {
        let local = pose.inverse_transform_point(p);
        (0..3).map(|k| half[k] - local[k].abs()).fold(f64::INFINITY, f64::min)
    };
    let inside = |sheet: &Sheet| sheet.places().iter().filter(|p| depth(p) > 1e-6).count();
    assert!(inside(&sheet) > 10, "{}", inside(&sheet));
    let contacts = sheet.clear_of_tool(&tool, &pose, &faces);
    assert_eq!(inside(&sheet), 0);
    assert!(contacts.iter().all(|contact| contact.depth > 0.0 && (contact.normal.norm() - 1.0).abs() < 1e-9));
    assert_eq!(sheet.places()[465], sheet.rest()[465], "what is held stays");
}

#[test]
fn friction_holds_a_cloth_on_a_ball() {
    let ball = ball_mesh();
    let pose = Isometry3::translation(0.0, 0.03, 0.0);
    let still = vec![Vector3::zeros(); ball.vertices().len()];
    let maps = AvatarMaps::new(&ClassicBody::new(&ball, &pose), &still, Vector3::y(), 200).unwrap();
    let mut lowest = [0.0; 2];
    for (friction, lowest) in [0.0, 1.0].into_iter().zip(&mut lowest) {
        let settings = SheetSettings { friction, ..SheetSettings::default() };
        let mut sheet = Sheet::new(&square(24, 0.32), settings).unwrap();
        let mut deepest = 0.0f64;
        for _ in 0..960 {
            sheet.begin(DT);
            let hits = maps.test(sheet.places()).unwrap();
            sheet.clear_of_avatar(&hits, DT);
            sheet.end(DT);
            let depth = |p: &Point3<f64>| 0.3 - (p - pose * Point3::origin()).norm();
            deepest = sheet.places().iter().map(depth).fold(deepest, f64::max);
        }
        // A pixel is 3 mm.
        assert!(deepest < 6e-3, "{friction}: {deepest}");
        *lowest = sheet.places().iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
    }
    assert!(lowest[0] < -10.0 && lowest[1] > -0.6, "{lowest:?}");
}

/// A ball of 0.3 m as a hull.
fn ball_mesh() -> TriMesh {
    let points: Vec<Point3<f32>> = (0..600)
        .map(|k| {
            let z = 1.0 - (2.0 * f64::from(k) + 1.0) / 600.0;
            let (sin, cos) = libm::sincos(2.399_963_229_728_653 * f64::from(k));
            let r = (1.0 - z * z).sqrt();
            Point3::new(r * cos, r * sin, z).cast::<f32>() * 0.3
        })
        .collect();
    TriMesh::clone(ToolVolume::hull(&points).unwrap().mesh())
}

#[test]
fn bad_settings_are_refused() {
    let made = |settings| Sheet::new(&square(2, 0.0), settings).map(|_| ()).unwrap_err();
    let refused = made(SheetSettings { density: 0.0, ..free() });
    assert_eq!(refused.to_string(), "setting `density` is 0: it must be finite and above 0");
    let refused = made(SheetSettings { compliance: [f64::NAN, 0.0], ..free() });
    assert!(matches!(refused, SheetError::Setting { setting: "compliance of edges", .. }), "{refused}");
    assert!(
        made(SheetSettings { gravity: Vector3::repeat(f64::INFINITY), ..free() })
            .to_string()
            .contains("gravity")
    );
    let refused = made(SheetSettings { held: vec![1, 9], ..free() });
    assert_eq!(refused.to_string(), "vertex 9 is to be held, and there are 9");
}

fn thick(thickness: f64) -> SheetSettings {
    SheetSettings { thickness, ..SheetSettings::default() }
}

#[test]
fn a_sheet_with_a_thickness_falls_as_another_and_comes_to_rest_half_of_it_above_the_ground() {
    let ground = PreparedShape::new(&Shape::half_space());
    let here = Isometry3::identity();
    let bodies = [SheetBody { shape: &ground, poses: [here; 2] }];
    let mut free = Sheet::new(&square(8, 0.5), SheetSettings::default()).unwrap();
    let mut kept = Sheet::new(&square(8, 0.5), thick(0.02)).unwrap();
    for _ in 0..40 {
        free.begin(DT);
        free.end(DT);
        assert!(kept.step_apart(DT, &bodies).unwrap().is_empty());
    }
    // What has nothing near it moves as if there were nothing.
    for (p, q) in free.places().iter().zip(kept.places()) {
        assert!((p - q).norm() < 1e-12, "{p} {q}");
    }
    let mut pushed = 0;
    for _ in 0..480 {
        pushed = kept.step_apart(DT, &bodies).unwrap().len();
    }
    assert_eq!(pushed, 81, "every vertex is held by the ground");
    for place in kept.places() {
        assert!((place.z - 0.01).abs() < 1e-4, "{place}");
    }
    assert!(kept.kinetic_energy() < 1e-6);
}

/// A strip that is laid double falls on a box: it is kept apart from itself and from the box, in the same places every time.
#[test]
fn a_folded_sheet_stays_apart_from_itself_and_a_turning_box() {
    let strip = square(16, 0.0);
    // Over the middle it turns back, at a distance of more than the thickness.
    let folded = strip.vertices().iter().map(|p| {
        let (along, gap) = (p.x + 0.5, 0.06f32);
        let turn = (along - 0.5).clamp(-0.047, 0.047) / 0.094 + 0.5;
        let (sin, cos) = (std::f32::consts::PI * turn).sin_cos();
        let back = along.min(0.453) - (along - 0.547).max(0.0);
        Point3::new(back + 0.5 * gap * sin, p.y, 0.45 - 0.5 * gap * cos)
    });
    let folded = strip.with_vertices(folded.collect()).unwrap();
    let settings = SheetSettings { thickness: 0.02, compliance: [1e-5, 1e-1], ..SheetSettings::default() };
    let block = PreparedShape::new(&Shape::cuboid([0.2, 0.2, 0.2]).unwrap());
    let pose = |step: u32| {
        let turn = 0.4 * (f64::from(step) * DT).sin();
        Isometry3::new(Vector3::new(0.2, 0.0, 0.0), Vector3::z() * turn)
    };
    let run = || {
        let mut sheet = Sheet::new(&folded, settings.clone()).unwrap();
        let (mut pairs, mut scratch, mut near) = (Vec::new(), SelfScratch::default(), 0);
        for step in 0..240 {
            let bodies = [SheetBody { shape: &block, poses: [pose(step), pose(step + 1)] }];
            near = near.max(sheet.step_apart(DT, &bodies).unwrap().len());
            let surface = PreparedShape::new(&Shape::from(sheet.surface().unwrap().clone()));
            surface.self_intersections_with(false, &mut scratch, &mut pairs);
            assert_eq!(pairs, Vec::<[u32; 2]>::new(), "step {step}");
            let crossing = PairQuery::between(&surface, &block)
                .count_triangle_pairs(&Isometry3::identity(), &pose(step + 1))
                .unwrap();
            assert_eq!(crossing, 0, "step {step}");
        }
        assert!(near > 50, "{near}");
        sheet.places().to_vec()
    };
    assert_eq!(run(), run());
}

#[test]
fn what_cannot_be_kept_apart_is_refused() {
    let surface = square(2, 0.0);
    let refused = |settings: SheetSettings| Sheet::new(&surface, settings).unwrap_err();
    assert!(matches!(refused(thick(-0.1)), SheetError::Setting { setting: "thickness", .. }));
    assert!(matches!(refused(thick(f64::NAN)), SheetError::Setting { setting: "thickness", .. }));
    let struts = SheetSettings { struts: vec![[0, 9]], ..SheetSettings::default() };
    assert_eq!(refused(struts), SheetError::Strut { ends: [0, 9], count: 9 });
    let mut plain = Sheet::new(&surface, SheetSettings::default()).unwrap();
    assert!(matches!(plain.step_apart(DT, &[]), Err(SheetError::Setting { setting: "thickness", .. })));
    let mut sheet = Sheet::new(&surface, thick(0.01)).unwrap();
    let ground = PreparedShape::new(&Shape::half_space());
    let nowhere = Isometry3::translation(0.0, f64::NAN, 0.0);
    let bodies = [SheetBody { shape: &ground, poses: [nowhere; 2] }];
    assert_eq!(sheet.step_apart(DT, &bodies).unwrap_err(), SheetError::Body);
    assert_eq!(sheet.places(), sheet.rest(), "it has not moved");
}

/// A held seam that is led takes the sheet along, and a wind fills it.
#[test]
fn a_sheet_is_led_and_blown() {
    let held: Vec<u32> = (0..9).collect();
    let settings = SheetSettings {
        held: held.clone(),
        drag: 1.2,
        damping: 2.0,
        gravity: Vector3::zeros(),
        thickness: 0.01,
        ..SheetSettings::default()
    };
    let mut sheet = Sheet::new(&square(8, 0.0), settings).unwrap();
    for step in 1..=240 {
        for &vertex in &held {
            let to = sheet.rest()[vertex as usize] + Vector3::y() * (-0.3 * f64::from(step) / 240.0);
            sheet.carry(vertex, &to);
        }
        sheet.carry(40, &Point3::new(9.0, 9.0, 9.0));
        sheet.blow(&Vector3::new(0.0, 0.0, 3.0), DT);
        sheet.step_apart(DT, &[]).unwrap();
    }
    for &vertex in &held {
        assert_eq!(sheet.places()[vertex as usize].y, -0.8);
    }
    let last = sheet.places()[80];
    assert!(last.z > 0.3 && last.coords.norm() < 2.0, "{last}");
}
