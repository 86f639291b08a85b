//! Every generated mesh is closed, outward, without defects, of the volume that its formula gives,
//! and does not cross itself.

use std::f64::consts::PI;

use impinge_geometry::predicate::orient3d;
use impinge_geometry::{Defect, TriMesh};
use impinge_scenes::GeneratorError;
use impinge_scenes::mesh::{
    Blob, Bolt, Bowl, ChainLink, Dish, Gear, HoleBlock, Hook, InvoluteGear, Knot, LeadScrew, Nut, OpenBox,
    Peg, Pipes, Ship, Spindle, Terrain, Torus, Tunnel,
};
use nalgebra::Point3;

/// Volume by signed tetrahedra (m³).
fn volume(mesh: &TriMesh) -> f64 {
    let corners = |t: u32| mesh.corners(t).map(|p| p.cast::<f64>().coords);
    (0..mesh.triangles().len() as u32).map(corners).map(|[a, b, c]| a.dot(&b.cross(&c)) / 6.0).sum()
}

/// Whether the segment `p q` passes through the inside of the triangle (exact).
fn pierces(p: &Point3<f64>, q: &Point3<f64>, [a, b, c]: &[Point3<f64>; 3]) -> bool {
    let (above, below) = (orient3d(a, b, c, p), orient3d(a, b, c, q));
    if above == 0.0 || below == 0.0 || (above > 0.0) == (below > 0.0) {
        return false;
    }
    let signs = [(a, b), (b, c), (c, a)].map(|(s, t)| orient3d(p, q, s, t));
    signs.iter().all(|&s| s > 0.0) || signs.iter().all(|&s| s < 0.0)
}

/// How many edges pass through triangles of the same mesh.
fn self_crossings(mesh: &TriMesh) -> usize {
    let point = |v: u32| mesh.vertices()[v as usize].cast::<f64>();
    let bounds = |corners: &[Point3<f64>]| {
        let mut low = corners[0].coords;
        let mut high = low;
        for p in corners {
            low = low.inf(&p.coords);
            high = high.sup(&p.coords);
        }
        (low, high)
    };
    let mut triangles: Vec<_> = mesh
        .triangles()
        .iter()
        .map(|t| {
            let corners = t.map(point);
            (bounds(&corners), corners, *t)
        })
        .collect();
    triangles.sort_by(|s, t| s.0.0.x.total_cmp(&t.0.0.x));
    let widest = triangles.iter().map(|t| t.0.1.x - t.0.0.x).fold(0.0, f64::max);
    let mut crossings = 0;
    for edge in mesh.edges() {
        let [p, q] = edge.vertices.map(point);
        let (low, high) = bounds(&[p, q]);
        let first = triangles.partition_point(|t| t.0.0.x < low.x - widest);
        for ((t_low, t_high), corners, indices) in &triangles[first..] {
            if t_low.x > high.x {
                break;
            }
            let apart = (0..3).any(|i| t_low[i] > high[i] || t_high[i] < low[i]);
            let shares = indices.iter().any(|v| edge.vertices.contains(v));
            if !apart && !shares && pierces(&p, &q, corners) {
                crossings += 1;
            }
        }
    }
    crossings
}

fn assert_sound(name: &str, mesh: &TriMesh, triangles: usize) {
    assert!(mesh.is_closed(), "{name} is not closed");
    assert_eq!(mesh.report().defects, [], "{name}");
    assert_eq!(mesh.triangles().len(), triangles, "{name}");
    assert_eq!(mesh.components().len(), 1, "{name}");
    assert_eq!(self_crossings(mesh), 0, "{name} crosses itself");
}

/// A polygon with `n` corners has the area of its circle times this.
fn polygon(n: u32) -> f64 {
    let turn = 2.0 * PI / f64::from(n);
    turn.sin() / turn
}

#[test]
fn tubes_are_sound_and_have_the_volume_of_section_times_length() {
    let torus = Torus::default();
    let mesh = torus.mesh().unwrap();
    assert_sound("torus", &mesh, 2 * 48 * 20);
    let expected = 2.0 * PI * torus.major * PI * torus.minor.powi(2) * polygon(48) * polygon(20);
    assert!((volume(&mesh) / expected - 1.0).abs() < 1e-3, "{} {expected}", volume(&mesh));

    let link = ChainLink::default();
    let mesh = link.mesh().unwrap();
    assert_sound("chain link", &mesh, 4 * (16 + 5) * 16);
    let length = 4.0 * link.half_straight + 2.0 * PI * link.bend * polygon(32);
    let expected = length * PI * link.tube.powi(2) * polygon(16);
    assert!((volume(&mesh) / expected - 1.0).abs() < 5e-3, "{} {expected}", volume(&mesh));

    let knot = Knot::default();
    let mesh = knot.mesh().unwrap();
    assert_sound("knot", &mesh, 2 * 120 * 14);
    let length: f64 = (0..6000)
        .map(|i| {
            let t = 2.0 * PI * f64::from(i) / 6000.0;
            let around = 2.0 * (knot.major + knot.minor * (3.0 * t).cos());
            around.hypot(3.0 * knot.minor) * 2.0 * PI / 6000.0
        })
        .sum();
    let expected = length * PI * knot.tube.powi(2) * polygon(14);
    assert!((volume(&mesh) / expected - 1.0).abs() < 2e-2, "{} {expected}", volume(&mesh));

    let hook = Hook::default();
    let mesh = hook.mesh().unwrap();
    assert_sound("hook", &mesh, 2 * 16 * (8 + 24 + 2 * 4 - 1));
    let length = hook.shank + hook.bend * hook.turn;
    let expected = (length * PI * hook.tube.powi(2) + 4.0 / 3.0 * PI * hook.tube.powi(3)) * polygon(16);
    assert!((volume(&mesh) / expected - 1.0).abs() < 1e-2, "{} {expected}", volume(&mesh));
}

#[test]
fn other_kinds_are_sound_and_have_the_volume_of_their_formula() {
    let gear = Gear::default();
    let mesh = gear.mesh().unwrap();
    assert_sound("gear", &mesh, 48 * 14);
    assert!((volume(&mesh) / gear.volume() - 1.0).abs() < 1e-5);

    let bowl = Bowl::default();
    let mesh = bowl.mesh().unwrap();
    assert_sound("bowl", &mesh, 2 * 36 * (2 * 12 + 6 - 1));
    let inner = bowl.radius - bowl.wall;
    let rim = 2.0 * PI * 0.5 * (bowl.radius + inner) * 0.5 * PI * (0.5 * bowl.wall).powi(2);
    let expected = 2.0 / 3.0 * PI * (bowl.radius.powi(3) - inner.powi(3)) + rim;
    assert!((volume(&mesh) / expected - 1.0).abs() < 2e-2, "{} {expected}", volume(&mesh));

    let ball = Blob { bump: 0.0, radius: 0.5, ..Blob::default() };
    let mesh = ball.mesh().unwrap();
    assert_sound("ball", &mesh, 20 * 64);
    assert!((volume(&mesh) / (PI / 6.0) - 1.0).abs() < 1e-2);
    assert_sound("blob", &Blob::default().mesh().unwrap(), 20 * 64);

    for divisions in [1, 5] {
        let bin = OpenBox { half_inside: [2.0, 1.5], divisions, ..OpenBox::default() };
        let mesh = bin.mesh().unwrap();
        assert_sound("open box", &mesh, 28 * (divisions * divisions) as usize);
        assert!((volume(&mesh) / bin.volume() - 1.0).abs() < 1e-6);
    }
}

#[test]
fn what_is_fastened_is_sound_and_fits() {
    let (peg, block) = (Peg::default(), HoleBlock::default());
    let mesh = peg.mesh().unwrap();
    assert_sound("peg", &mesh, 2 * 48 * 12 + 2 * 46);
    let expected = PI * peg.radius.powi(2) * polygon(48) * 2.0 * peg.half_height;
    assert!((volume(&mesh) / expected - 1.0).abs() < 1e-5);

    let mesh = block.mesh().unwrap();
    assert_sound("hole block", &mesh, 2 * 48 * 11);
    let area = 4.0 * block.half * block.half - PI * block.hole.powi(2) * polygon(48);
    assert!((volume(&mesh) / (area * 2.0 * block.half_height) - 1.0).abs() < 1e-5);
    assert!(peg.radius < block.hole);

    let (nut, bolt) = (Nut::default(), Bolt::default());
    let mesh = nut.mesh().unwrap();
    assert_sound("nut", &mesh, 2 * 48 * (3 * 12 + 3));
    let hexagon = 1.5 * 3f64.sqrt() * nut.outer.powi(2);
    let hole = PI * (nut.thread.radius + nut.play).powi(2);
    let height = nut.thread.pitch * f64::from(nut.turns);
    assert!((volume(&mesh) / ((hexagon - hole) * height) - 1.0).abs() < 2e-2);
    let mesh = bolt.mesh().unwrap();
    assert_sound("bolt", &mesh, 2 * 48 * (7 * 12 + 2) + 2 * 46);
    let shaft = PI * bolt.thread.radius.powi(2) * bolt.thread.pitch * f64::from(bolt.turns);
    let head = 1.5 * 3f64.sqrt() * bolt.head.powi(2) * bolt.head_height;
    assert!((volume(&mesh) / (shaft + head) - 1.0).abs() < 2e-2);
}

#[test]
fn knots_have_exactly_the_triangles_asked_for() {
    for triangles in [968, 3_162, 5_202, 7_592, 9_614] {
        assert_sound("knot", &Knot::default().with_triangles(triangles).unwrap(), triangles as usize);
    }
    for triangles in [5_201, 7_591, 9_613] {
        let mesh = Knot::default().with_triangles(triangles).unwrap();
        assert_eq!(mesh.triangles().len(), triangles as usize);
        assert!(!mesh.is_closed());
        // The missing triangle leaves three edges with one face.
        assert_eq!(mesh.report().defects.len(), 3, "{:?}", mesh.report().defects);
    }
}

#[test]
fn the_ship_and_the_tunnel_have_the_triangles_of_the_fly_through() {
    assert_eq!((Ship::TRIANGLES, Tunnel::TRIANGLES), (9_716, 69_842));
    let ship = Ship::default().mesh().unwrap();
    assert_sound("ship", &ship, 9_716);
    let hull = impinge_geometry::ConvexHull::new(ship.vertices()).unwrap();
    assert!(volume(hull.mesh()) > 3.0 * volume(&ship), "the ship is far from convex");

    let tunnel = Tunnel::default();
    let mesh = tunnel.mesh().unwrap();
    assert!(mesh.is_closed(), "{:?}", mesh.report().defects.first());
    assert_eq!(mesh.report().defects, []);
    assert_eq!(mesh.triangles().len(), 69_842);
    assert_eq!(mesh.components().len(), 14);
    assert_eq!(self_crossings(&mesh), 0);
    // The middle is free between the obstacles.
    let (center, _) = tunnel.center(0.5 / 14.0);
    let gap = mesh.vertices().iter().map(|v| (v.cast::<f64>().coords - center).norm());
    assert!(gap.fold(f64::INFINITY, f64::min) > 0.8 * tunnel.radius);
}

#[test]
fn terrain_is_a_sheet_whose_only_defect_is_its_border() {
    let terrain = Terrain::default();
    let mesh = terrain.mesh().unwrap();
    assert_eq!(mesh.triangles().len(), 2 * 48 * 48);
    assert!(mesh.report().defects.iter().all(|d| matches!(d, Defect::Boundary { .. })));
    assert_eq!(mesh.report().defects.len(), 4 * 48);
    assert!(mesh.vertices().iter().all(|v| f64::from(v.z.abs()) <= terrain.relief));
}

/// A chamfer takes a ring off each end: of a peg a triangle's with legs c, revolved.
#[test]
fn broken_edges_are_cut_off() {
    let (whole, cut) = (Peg::default(), Peg { chamfer: 0.06, ..Peg::default() });
    let mesh = cut.mesh().unwrap();
    assert_sound("peg", &mesh, 2 * 48 * 14 + 2 * 46);
    let ring = |inner: f64, c: f64| {
        // Pappus: the middle of the triangle's area lies a third of its leg inside its right angle.
        0.5 * c * c * 2.0 * PI * polygon(48) * (inner + 2.0 / 3.0 * c)
    };
    let off = volume(&whole.mesh().unwrap()) - volume(&mesh);
    assert!((off / (2.0 * ring(cut.radius - 0.06, 0.06)) - 1.0).abs() < 1e-4, "{off}");
    let (whole, cut) = (HoleBlock::default(), HoleBlock { chamfer: 0.06, ..HoleBlock::default() });
    let mesh = cut.mesh().unwrap();
    assert_sound("hole block", &mesh, 2 * 48 * 13);
    let off = volume(&whole.mesh().unwrap()) - volume(&mesh);
    assert!((off / (2.0 * ring(cut.hole - 0.06, 0.06)) - 1.0).abs() < 0.15, "{off}");
    assert!(HoleBlock { chamfer: 0.4, ..whole }.mesh().is_err());
}

/// A tooth is half a pitch thick at the pitch circle and about a gap's shape apart from the next: the teeth
/// fill a good half of what lies between roots and tips.
#[test]
fn involute_gears_are_sound() {
    for teeth in [8, 18, 36, 100] {
        let gear = InvoluteGear { teeth, bore: 0.05, ..InvoluteGear::default() };
        let mesh = gear.mesh().unwrap();
        assert_sound("involute gear", &mesh, 128 * teeth as usize);
        let disc =
            |r: f64| (PI * r * r - polygon(16 * teeth) * PI * gear.bore.powi(2)) * 2.0 * gear.half_width;
        let (root, tip) =
            (disc(gear.pitch_radius() - 1.25 * gear.module), disc(gear.pitch_radius() + gear.module));
        let share = (volume(&mesh) - root) / (tip - root);
        assert!((0.4..0.65).contains(&share), "{teeth} teeth: {share}");
    }
    assert!(InvoluteGear { teeth: 5, ..InvoluteGear::default() }.mesh().is_err());
    assert!(InvoluteGear { bore: 0.4, ..InvoluteGear::default() }.mesh().is_err());
    assert!(InvoluteGear { pressure: 1.0, ..InvoluteGear::default() }.mesh().is_err());
}

/// Each slice of the rod is a turned copy of the one below: its volume is the section's area, which is the mean
/// of the squared radius over a pitch, times π and the length. The ends take a turn to begin.
#[test]
fn a_lead_screw_and_its_nut_are_sound() {
    let screw = LeadScrew::default();
    let rod = screw.rod().unwrap();
    assert_sound("lead screw", &rod, 480 * 7 + 106);
    let longer = LeadScrew { turns: 8, ..screw }.rod().unwrap();
    let squares = |r: f64, s: f64| (r * r + r * s + s * s) / 3.0;
    let (r, s) = (screw.inner, screw.outer);
    let mean = 0.35 * r * r + 0.35 * s * s + 0.3 * squares(r, s);
    let turn = PI * polygon(48) * mean * screw.pitch;
    assert!(((volume(&longer) - volume(&rod)) / turn - 1.0).abs() < 2e-3, "{}", volume(&rod));
    let nut = screw.nut().unwrap();
    assert_sound("lead nut", &nut, 480 * 3 + 298);
    assert!(LeadScrew { inner: 0.05, ..screw }.rod().is_err());
    assert!(LeadScrew { nut: 0.25, ..screw }.nut().is_err());
    assert!(LeadScrew { turns: 0, ..screw }.rod().is_err());
}

/// One bowl stands in another without touching its wall.
#[test]
fn dishes_nest() {
    let dish = Dish::default();
    let mesh = dish.mesh().unwrap();
    assert_sound("dish", &mesh, 2 * 64 * (4 + 2 * 9 + 2 - 1) + 2 * 64);
    let moved = mesh.vertices().iter().map(|v| v + nalgebra::Vector3::z() * (dish.pitch() as f32 + 1e-3));
    let above = TriMesh::new(moved.collect(), mesh.triangles().to_vec()).unwrap();
    let both: Vec<Point3<f32>> = mesh.vertices().iter().chain(above.vertices()).copied().collect();
    let n = mesh.vertices().len() as u32;
    let shifted = mesh.triangles().iter().map(|t| t.map(|v| v + n));
    let triangles = mesh.triangles().iter().copied().chain(shifted).collect();
    assert_eq!(self_crossings(&TriMesh::new(both, triangles).unwrap()), 0);
    assert!(Dish { foot: 0.3, ..dish }.mesh().is_err());
    assert!(Dish { height: 0.15, ..dish }.mesh().is_err());
}

#[test]
fn non_convex_kinds_are_far_from_their_hulls() {
    let hull = |mesh: &TriMesh| {
        volume(impinge_geometry::ConvexHull::new(mesh.vertices()).unwrap().mesh()) / volume(mesh)
    };
    for (name, mesh) in [
        ("knot", Knot::default().mesh().unwrap()),
        ("torus", Torus::default().mesh().unwrap()),
        ("gear", Gear::default().mesh().unwrap()),
        ("hook", Hook::default().mesh().unwrap()),
        ("bowl", Bowl::default().mesh().unwrap()),
        ("link", ChainLink::default().mesh().unwrap()),
        ("blob", Blob::default().mesh().unwrap()),
    ] {
        assert!(hull(&mesh) > 1.15, "{name}: {}", hull(&mesh));
    }
}

#[test]
fn sizes_that_give_no_mesh_are_named() {
    let bad = |result: Result<TriMesh, GeneratorError>, expected: &str| match result {
        Err(GeneratorError::Parameter { parameter, .. }) => assert_eq!(parameter, expected),
        other => panic!("{other:?}"),
    };
    bad(Torus { minor: 0.3, ..Torus::default() }.mesh(), "minor");
    bad(Torus { major: f64::NAN, ..Torus::default() }.mesh(), "major");
    bad(Torus { around: 2, ..Torus::default() }.mesh(), "around");
    bad(Knot { p: 2, q: 4, ..Knot::default() }.mesh(), "p");
    bad(ChainLink { tube: 1.0, ..ChainLink::default() }.mesh(), "tube");
    bad(Hook { turn: 6.0, ..Hook::default() }.mesh(), "turn");
    bad(Gear { root: 0.5, ..Gear::default() }.mesh(), "root");
    bad(Gear { teeth: 2, ..Gear::default() }.mesh(), "teeth");
    bad(Bowl { wall: 0.0, ..Bowl::default() }.mesh(), "wall");
    bad(Blob { subdivisions: 9, ..Blob::default() }.mesh(), "subdivisions");
    bad(OpenBox { divisions: 0, ..OpenBox::default() }.mesh(), "divisions");
    bad(Knot::default().with_triangles(2 * 4801), "triangles");
    bad(Peg { steps: 0, ..Peg::default() }.mesh(), "steps");
    bad(HoleBlock { around: 6, ..HoleBlock::default() }.mesh(), "around");
    bad(HoleBlock { hole: 0.7, ..HoleBlock::default() }.mesh(), "hole");
    bad(Nut { outer: 0.2, ..Nut::default() }.mesh(), "radius");
    bad(Bolt { turns: 0, ..Bolt::default() }.mesh(), "turns");
    bad(Ship { span: 0.1, ..Ship::default() }.mesh(), "body");
    bad(Tunnel { wall: 0.0, ..Tunnel::default() }.mesh(), "wall");
    bad(OpenBox { height: f64::INFINITY, ..OpenBox::default() }.mesh(), "height");
    bad(Terrain { rim: -1.0, ..Terrain::default() }.mesh(), "rim");
    bad(Terrain { rim: f64::NAN, ..Terrain::default() }.mesh(), "rim");
    bad(Terrain { cells: 0, ..Terrain::default() }.mesh(), "cells");
}

#[test]
fn pipes_and_spindles_are_sound_and_pipes_keep_apart() {
    let spindle = Spindle::default();
    assert_sound("spindle", &spindle.mesh().unwrap(), 32 * spindle.around as usize - 4);
    let pipes = Pipes { around: 8, triangles: 6_000, ..Pipes::default() };
    let mesh = pipes.mesh().unwrap();
    let triangles = mesh.triangles().len();
    assert!((6_000..7_200).contains(&triangles), "{triangles}");
    assert!(mesh.is_closed() && mesh.components().len() > 3);
    assert_eq!(mesh.report().defects, []);
    assert_eq!(self_crossings(&mesh), 0, "no two cross");
    // Between all of the tubes' length and half of it.
    let length = volume(&mesh) / (PI * pipes.tube.powi(2) * polygon(8));
    assert!(length > 10.0 && length < 60.0, "{length} m");
    for pipes in [
        Pipes { tube: 0.2, ..pipes },
        Pipes { around: 2, ..pipes },
        Pipes { pitch: f64::NAN, ..pipes },
        Pipes { pitch: 1e-3, tube: 1e-4, ..pipes },
        Pipes { inner: 5.0, ..pipes },
    ] {
        assert!(matches!(pipes.mesh(), Err(GeneratorError::Parameter { mesh: "pipes", .. })), "{pipes:?}");
    }
    let thick = Spindle { waist: 0.2, ..spindle };
    assert!(matches!(thick.mesh(), Err(GeneratorError::Parameter { parameter: "waist", .. })));
}
