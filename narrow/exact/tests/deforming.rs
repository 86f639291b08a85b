//! Surfaces whose vertices move on lines, against samples of exact touching and against rigid motion.

use impinge_exact::motion::{
    DeformingSurface, FLAT_TRIANGLES, FeatureClearance, FeatureContact, FeatureSurface, FirstContact,
    MovingSurface, Representatives, SweepScratch, SweepSettings, contacts_between, first_own_contact,
    is_flat, own_contacts, sweep_surfaces,
};
use impinge_geometry::{Motion, PairPath, TriMesh};
use impinge_midphase::obb_tree::DeformingTree;
use impinge_midphase::{ObbTree, Surface};
use impinge_oracle::triangles_touch;
use impinge_scenes::mesh::{Blob, Knot, Torus};
use impinge_scenes::random::Random;
use nalgebra::{Isometry3, Point3, Vector3};
use std::sync::Arc;

fn cases(default: usize) -> usize {
    std::env::var("IMPINGE_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

/// A mesh and where its vertices begin and end.
struct Cloth {
    mesh: TriMesh,
    from: Vec<Point3<f32>>,
    to: Vec<Point3<f32>>,
    tree: DeformingTree,
    features: Representatives,
}

impl Cloth {
    fn new(mesh: &TriMesh, from: Vec<Point3<f32>>, to: Vec<Point3<f32>>) -> Cloth {
        let mut tree = DeformingTree::build(mesh);
        tree.fit(mesh, &from, &to).unwrap();
        Cloth { features: Representatives::new(mesh), mesh: mesh.clone(), from, to, tree }
    }

    fn surface(&self) -> DeformingSurface<'_> {
        DeformingSurface { mesh: &self.mesh, from: &self.from, to: &self.to, tree: &self.tree }
    }

    fn featured(&self) -> FeatureSurface<'_> {
        FeatureSurface { surface: self.surface(), features: &self.features }
    }

    fn corners(&self, triangle: usize, time: f64) -> [Point3<f64>; 3] {
        self.mesh.triangles()[triangle].map(|v| self.surface().vertex(v, time))
    }

    fn all(&self, time: f64) -> Vec<[Point3<f64>; 3]> {
        (0..self.mesh.triangles().len()).map(|t| self.corners(t, time)).collect()
    }
}

/// A square grid of `cells` cells a side, 1 m wide.
fn grid(cells: u32) -> TriMesh {
    let n = cells + 1;
    let at = |k: u32| Point3::new((k % n) as f32, (k / n) as f32, 0.0) / cells as f32;
    let cell = |k: u32| {
        let a = k / cells * n + k % cells;
        [[a, a + 1, a + n + 1], [a, a + n + 1, a + n]]
    };
    TriMesh::new((0..n * n).map(at).collect(), (0..cells * cells).flat_map(cell).collect()).unwrap()
}

/// Waves of a random kind, turned at random, and where they stand.
fn wave(mesh: &TriMesh, random: &mut Random, size: f64, aside: Vector3<f64>) -> Vec<Point3<f32>> {
    let turn = random.rotation();
    let place = |p: Point3<f32>| Point3::from((turn * p.coords.cast::<f64>() + aside).cast::<f32>());
    ripple(mesh, random, size).into_iter().map(place).collect()
}

/// Waves of a random kind.
fn ripple(mesh: &TriMesh, random: &mut Random, size: f64) -> Vec<Point3<f32>> {
    let (first, second) = (random.direction() * 4.0, random.direction() * 7.0);
    let (push, pull) = (random.direction() * size, random.direction() * size);
    let place = |p: &Point3<f32>| {
        let x = p.coords.cast::<f64>();
        Point3::from((x + push * first.dot(&x).sin() + pull * second.dot(&x).cos()).cast::<f32>())
    };
    mesh.vertices().iter().map(place).collect()
}

fn still_path() -> PairPath<'static> {
    let still = Motion::still(Isometry3::identity());
    PairPath::new([&still, &still])
}

fn meshes() -> Vec<TriMesh> {
    vec![
        grid(7),
        Torus { around: 12, across: 6, ..Torus::default() }.mesh().unwrap(),
        Blob { subdivisions: 2, ..Blob::default() }.mesh().unwrap(),
        Knot { along: 24, across: 5, ..Knot::default() }.mesh().unwrap(),
    ]
}

fn apart(p: &[Point3<f64>; 3], q: &[Point3<f64>; 3]) -> bool {
    let bounds = |t: &[Point3<f64>; 3]| (t[0].inf(&t[1]).inf(&t[2]), t[0].sup(&t[1]).sup(&t[2]));
    let ((a, b), (c, d)) = (bounds(p), bounds(q));
    (0..3).any(|k| b[k] < c[k] || d[k] < a[k])
}

fn touch(a: &[[Point3<f64>; 3]], b: &[[Point3<f64>; 3]]) -> bool {
    a.iter().any(|p| b.iter().any(|q| !apart(p, q) && triangles_touch(p, q)))
}

fn time_of(found: &Option<FirstContact>) -> Option<f64> {
    found.as_ref().map(|found| match found {
        FirstContact::AtStart => 0.0,
        FirstContact::Later(meeting) => meeting.time,
    })
}

const SETTINGS: SweepSettings = SweepSettings { gap: 1e-4, bound: 1.0 };

#[test]
fn meshes_that_deform_are_never_late_and_end_near() {
    let (mut random, meshes, path) = (Random::new(41), meshes(), still_path());
    let (mut hits, mut frees, mut starts) = (0, 0, 0);
    for n in 0..cases(120) {
        let (a, b) = (&meshes[n % 4], &meshes[(n / 4) % 4]);
        let aside = random.direction() * 2.5;
        let [past, far] = [0.8, -0.4].map(|x| random.direction() * 0.5 + aside * x);
        let to_b = if n.is_multiple_of(3) { far } else { -past };
        let from_b = wave(b, &mut random, 0.1, aside);
        let cloths = [
            Cloth::new(
                a,
                wave(a, &mut random, 0.1, Vector3::zeros()),
                wave(a, &mut random, 0.2, Vector3::zeros()),
            ),
            Cloth::new(b, from_b, wave(b, &mut random, 0.2, to_b)),
        ];
        let surfaces = cloths.each_ref().map(|cloth| MovingSurface::Deforming(cloth.surface()));
        let found = sweep_surfaces(surfaces, &path, &SETTINGS, &mut SweepScratch::default());
        let end = time_of(&found).unwrap_or(1.0);
        let at = |time: f64| cloths.each_ref().map(|cloth| cloth.all(time));
        for time in (0..60).map(|k| end * f64::from(k) / 60.0).filter(|&time| time < end) {
            let [p, q] = at(time);
            assert!(!touch(&p, &q), "case {n}: touch at {time}, found {end}");
        }
        match found {
            None => frees += 1,
            Some(FirstContact::AtStart) => {
                starts += 1;
                let [p, q] = at(0.0);
                assert!(touch(&p, &q), "case {n}: said to touch at the start");
            }
            Some(FirstContact::Later(meeting)) => {
                hits += 1;
                assert!(meeting.gap <= SETTINGS.gap * (1.0 + 1e-9), "case {n}: {}", meeting.gap);
                let exchanged = sweep_surfaces(
                    [surfaces[1], surfaces[0]],
                    &path,
                    &SETTINGS,
                    &mut SweepScratch::default(),
                );
                let other = time_of(&exchanged).expect("what is met is met by the other");
                assert!((other - meeting.time).abs() < 1e-2, "case {n}: {other} for {}", meeting.time);
            }
        }
    }
    println!("{hits} meet, {frees} do not, {starts} touch at the start");
    assert!(hits * 4 > cases(120) && frees > 0, "{hits} meet, {frees} do not");
}

#[test]
fn rigid_motions_are_told_the_same_by_their_vertices() {
    let (mut random, meshes) = (Random::new(42), meshes());
    let mut hits = 0;
    for n in 0..cases(60) {
        let (a, b) = (&meshes[n % 4], &meshes[(n / 4) % 4]);
        let aside = random.direction() * 2.5;
        let turned = |mesh: &TriMesh, random: &mut Random| {
            mesh.transformed(&Isometry3::from_parts(Vector3::zeros().into(), random.rotation())).unwrap()
        };
        let (a, b) = (turned(a, &mut random), turned(b, &mut random));
        // To the last bit a translation, in steps of 1/256.
        let step = |v: Vector3<f64>| v.map(|x| (x * 256.0).round() / 256.0);
        let (from, to) = (step(aside), step(random.direction() * 0.3 - aside));
        let rigid = |mesh: &TriMesh| Surface::of_mesh(Arc::new(mesh.clone()), Arc::new(ObbTree::build(mesh)));
        let (rigid_a, rigid_b) = (rigid(&a), rigid(&b));
        let motion = Motion::translation(Isometry3::translation(from.x, from.y, from.z), to - from);
        let still = Motion::still(Isometry3::identity());
        let moving = PairPath::new([&still, &motion]);
        let plain = [MovingSurface::Rigid(&rigid_a), MovingSurface::Rigid(&rigid_b)];
        let mut scratch = SweepScratch::default();
        let expected = time_of(&sweep_surfaces(plain, &moving, &SETTINGS, &mut scratch));
        let placed = |at: &Vector3<f64>| -> Vec<Point3<f32>> {
            b.vertices().iter().map(|p| Point3::from((p.coords.cast::<f64>() + at).cast::<f32>())).collect()
        };
        let cloth = Cloth::new(&b, placed(&from), placed(&to));
        let still_cloth = Cloth::new(&a, a.vertices().to_vec(), a.vertices().to_vec());
        let deforming = MovingSurface::Deforming(cloth.surface());
        // Against the rigid one, against a cloth that stands still, and carried by the path.
        let carried = Cloth::new(&b, b.vertices().to_vec(), b.vertices().to_vec());
        let cases = [
            (plain[0], deforming, still_path()),
            (MovingSurface::Deforming(still_cloth.surface()), deforming, still_path()),
            (plain[0], MovingSurface::Deforming(carried.surface()), moving),
        ];
        let speed = (to - from).norm();
        for (k, (p, q, path)) in cases.into_iter().enumerate() {
            let found = time_of(&sweep_surfaces([p, q], &path, &SETTINGS, &mut scratch));
            match (expected, found) {
                (Some(x), Some(y)) => {
                    hits += 1;
                    assert!((x - y).abs() <= 400.0 * SETTINGS.gap / speed, "case {n}.{k}: {y} for {x}");
                }
                (x, y) => assert_eq!(x.is_some(), y.is_some(), "case {n}.{k}: {y:?} for {x:?}"),
            }
        }
    }
    assert!(hits > cases(60), "{hits} meet");
}

#[test]
fn what_turns_meets_what_deforms_in_time() {
    let (mut random, meshes) = (Random::new(43), meshes());
    let mut hits = 0;
    for n in 0..cases(60) {
        let (a, b) = (&meshes[n % 4], &meshes[(n / 4) % 4]);
        let aside = random.direction() * 2.5;
        let rigid = Surface::of_mesh(Arc::new(a.clone()), Arc::new(ObbTree::build(a)));
        let turn = random.direction() * 4.0;
        let motion = Motion::still(Isometry3::identity()).turn(turn);
        let still = Motion::still(Isometry3::identity());
        let from = wave(b, &mut random, 0.1, aside);
        let cloth = Cloth::new(b, from, wave(b, &mut random, 0.1, aside * 0.2));
        let sides = [MovingSurface::Rigid(&rigid), MovingSurface::Deforming(cloth.surface())];
        let path = PairPath::new([&motion, &still]);
        let found = time_of(&sweep_surfaces(sides, &path, &SETTINGS, &mut SweepScratch::default()));
        let back = PairPath::new([&still, &motion]);
        let swapped = [sides[1], sides[0]];
        let other = time_of(&sweep_surfaces(swapped, &back, &SETTINGS, &mut SweepScratch::default()));
        assert_eq!(found.is_some(), other.is_some(), "case {n}");
        let end = found.unwrap_or(1.0);
        hits += usize::from(found.is_some());
        for time in (0..60).map(|k| end * f64::from(k) / 60.0).filter(|&time| time < end) {
            let pose = motion.pose(time);
            let turned: Vec<_> = (0..a.triangles().len() as u32)
                .map(|t| a.corners(t).map(|p| pose * p.cast::<f64>()))
                .collect();
            assert!(!touch(&turned, &cloth.all(time)), "case {n}: touch at {time}, found {found:?}");
        }
    }
    assert!(hits * 4 > cases(60), "{hits} meet");
}

/// The first of many times at which triangles that share no vertex touch, or an edge crosses a triangle with which it shares one.
fn crosses_itself(cloth: &Cloth, time: f64) -> bool {
    let all = cloth.all(time);
    let triangles = cloth.mesh.triangles();
    (0..all.len()).any(|i| {
        (0..i).any(|j| {
            let shared = triangles[i].iter().filter(|v| triangles[j].contains(v)).count();
            match shared {
                0 => !apart(&all[i], &all[j]) && triangles_touch(&all[i], &all[j]),
                // The edge that does not have the shared vertex, made a triangle of its own.
                1 => [[i, j], [j, i]].iter().any(|&[p, q]| {
                    let ends: Vec<usize> =
                        (0..3).filter(|&k| !triangles[q].contains(&triangles[p][k])).collect();
                    let edge = [all[p][ends[0]], all[p][ends[1]], all[p][ends[1]]];
                    triangles_touch(&edge, &all[q])
                }),
                _ => false,
            }
        })
    })
}

#[test]
fn a_mesh_meets_itself_in_time() {
    let (mut random, meshes) = (Random::new(44), meshes());
    let clearance = FeatureClearance { separation: 0.0, gap: 1e-5 };
    let (mut hits, mut frees) = (0, 0);
    for n in 0..cases(80) {
        let mesh = &meshes[n % 3];
        // From its own form into crumples.
        let from = if n % 2 == 0 {
            mesh.vertices().to_vec()
        } else {
            wave(mesh, &mut random, 0.02, Vector3::zeros())
        };
        let size = [0.05, 0.3, 0.6][n / 3 % 3];
        let aside = random.direction();
        let to = wave(mesh, &mut random, size, aside);
        let cloth = Cloth::new(mesh, from, to);
        let scratch = &mut SweepScratch::default();
        let found = first_own_contact(&cloth.featured(), &clearance, scratch);
        let end = found.map_or(1.0, |found| found.time);
        for time in (0..40).map(|k| end * f64::from(k) / 40.0).filter(|&time| time < end) {
            assert!(!crosses_itself(&cloth, time), "case {n}: crosses itself at {time}, found {found:?}");
        }
        let mut all: Vec<FeatureContact> = Vec::new();
        own_contacts(&cloth.featured(), &clearance, &mut all, scratch);
        // The others may be brought forward in other steps.
        let times = [all.first(), found.as_ref()].map(|contact| contact.map_or(2.0, |contact| contact.time));
        assert!((times[0] - times[1]).abs() < 1e-3, "case {n}: {times:?}");
        let mut named: Vec<_> = all.iter().map(|contact| contact.features).collect();
        named.sort_unstable();
        named.dedup();
        assert_eq!(named.len(), all.len(), "case {n}: a pair of features twice");
        match found {
            None => frees += 1,
            Some(found) => {
                hits += 1;
                assert!(found.distance <= clearance.gap * (1.0 + 1e-9), "case {n}: {}", found.distance);
            }
        }
    }
    println!("{hits} meet themselves, {frees} do not");
    assert!(hits * 4 > cases(80) && frees * 8 > cases(80), "{hits} meet themselves, {frees} do not");
}

#[test]
fn all_near_pairs_are_those_of_brute_force() {
    use impinge_exact::motion::FeaturePair;
    let mut random = Random::new(45);
    let mesh = grid(4);
    let clearance = FeatureClearance { separation: 0.02, gap: 1e-4 };
    let mut total = 0;
    for n in 0..cases(30) {
        let from = wave(&mesh, &mut random, 0.02, Vector3::zeros());
        let to = wave(&mesh, &mut random, 0.4, Vector3::zeros());
        let cloth = Cloth::new(&mesh, from, to);
        let mut found = Vec::new();
        own_contacts(&cloth.featured(), &clearance, &mut found, &mut SweepScratch::default());
        let places = |v: [u32; 4]| [&cloth.from, &cloth.to].map(|at| v.map(|v| at[v as usize].cast::<f64>()));
        let mut expected = 0;
        for v in 0..mesh.vertices().len() as u32 {
            for t in mesh.triangles().iter().filter(|t| !t.contains(&v)) {
                let [from, to] = places([v, t[0], t[1], t[2]]);
                let pair = FeaturePair::VertexFace { from, to };
                expected += usize::from(pair.first(&clearance, [0.0, 1.0], &mut 0).is_some());
            }
        }
        for (i, e) in mesh.edges().iter().enumerate() {
            for f in &mesh.edges()[..i] {
                if e.vertices.iter().any(|v| f.vertices.contains(v)) {
                    continue;
                }
                let [from, to] = places([e.vertices[0], e.vertices[1], f.vertices[0], f.vertices[1]]);
                let pair = FeaturePair::EdgeEdge { from, to };
                expected += usize::from(pair.first(&clearance, [0.0, 1.0], &mut 0).is_some());
            }
        }
        assert_eq!(found.len(), expected, "case {n}");
        total += expected;
    }
    assert!(total > cases(30), "{total}");
}

#[test]
fn pairs_of_two_meshes_begin_with_their_first_meeting() {
    let (mut random, meshes, path) = (Random::new(46), meshes(), still_path());
    let mut hits = 0;
    for n in 0..cases(40) {
        let (a, b) = (&meshes[n % 4], &meshes[(n / 4) % 4]);
        let aside = random.direction() * 2.5;
        let from = wave(b, &mut random, 0.1, aside);
        let cloths = [
            Cloth::new(
                a,
                wave(a, &mut random, 0.1, Vector3::zeros()),
                wave(a, &mut random, 0.1, Vector3::zeros()),
            ),
            Cloth::new(b, from, wave(b, &mut random, 0.1, -aside)),
        ];
        let surfaces = cloths.each_ref().map(|cloth| MovingSurface::Deforming(cloth.surface()));
        let first = time_of(&sweep_surfaces(surfaces, &path, &SETTINGS, &mut SweepScratch::default()));
        let [p, q] = cloths.each_ref().map(Cloth::featured);
        let mut all = Vec::new();
        let clearance = FeatureClearance { separation: 0.0, gap: SETTINGS.gap };
        contacts_between([&p, &q], &path, &clearance, &mut all, &mut SweepScratch::default());
        let Some(first) = first else { continue };
        hits += 1;
        let time = all.first().expect("what meets has features that meet").time;
        assert!((time - first).abs() < 1e-2, "case {n}: {time} for {first}");
    }
    assert!(hits * 4 > cases(40), "{hits} meet");
}

impl Cloth {
    fn cull(&mut self) {
        let still = DeformingTree::default();
        let Cloth { mesh, from, to, tree, .. } = self;
        let surface = DeformingSurface { mesh, from, to, tree: &still };
        tree.mark_flat(FLAT_TRIANGLES, &mut |triangles| is_flat(&surface, triangles));
    }
}

#[test]
fn what_is_flat_has_no_contacts_of_its_own() {
    let mut random = Random::new(47);
    let mesh = grid(12);
    let clearance = FeatureClearance { separation: 0.0, gap: 1e-6 };
    let (mut hits, mut followed, mut culled) = (0, 0, 0);
    for n in 0..cases(60) {
        let from = ripple(&mesh, &mut random, 0.02);
        let to = ripple(&mesh, &mut random, [0.05, 0.2, 0.4, 0.8][n % 4]);
        let mut cloth = Cloth::new(&mesh, from, to);
        let mut scratch = SweepScratch::default();
        let plain = first_own_contact(&cloth.featured(), &clearance, &mut scratch);
        followed += scratch.counts.followed;
        cloth.cull();
        let mut scratch = SweepScratch::default();
        let found = first_own_contact(&cloth.featured(), &clearance, &mut scratch);
        culled += scratch.counts.followed;
        let times = [plain, found].map(|contact| contact.map(|contact| contact.time));
        match times {
            [Some(x), Some(y)] => assert!((x - y).abs() < 1e-4, "case {n}: {times:?}"),
            [x, y] => assert_eq!(x, y, "case {n}"),
        }
        hits += usize::from(plain.is_some());
    }
    println!("{hits} hits; {followed} pairs followed, {culled} with flat regions passed over");
    assert!(hits * 8 > cases(60) && hits < cases(60), "{hits} meet themselves");
    assert!(culled * 5 < followed * 4, "{culled} of {followed}");
}

#[test]
fn folded_and_rolled_regions_are_not_flat() {
    let mesh = grid(6);
    let all: Vec<u32> = (0..mesh.triangles().len() as u32).collect();
    let flat = |from: &dyn Fn(&Point3<f32>) -> [f32; 3], to: &dyn Fn(&Point3<f32>) -> [f32; 3]| {
        let place = |f: &dyn Fn(&Point3<f32>) -> [f32; 3]| {
            mesh.vertices().iter().map(|p| Point3::from(f(p))).collect()
        };
        let (from, to): (Vec<_>, Vec<_>) = (place(from), place(to));
        let tree = DeformingTree::default();
        is_flat(&DeformingSurface { mesh: &mesh, from: &from, to: &to, tree: &tree }, &all)
    };
    let plane = |p: &Point3<f32>| [p.x, p.y, p.z];
    assert!(flat(&plane, &plane));
    assert!(flat(&plane, &|p| [p.x + 3.0, p.y - 1.0, p.x * p.y]));
    // A helix faces its axis all the way and covers places twice.
    let helix = |p: &Point3<f32>| {
        let (radius, angle) = (1.0 + p.x, 8.0 * p.y);
        [radius * angle.cos(), radius * angle.sin(), 0.3 * angle]
    };
    assert!(!flat(&helix, &helix));
    // Turned over on the way, and folded at the end.
    assert!(!flat(&plane, &|p| [-p.x, p.y, p.z]));
    assert!(!flat(&plane, &|p| [(p.x - 0.5).abs(), p.y, p.z]));
}
