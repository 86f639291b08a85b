//! Touching, triangle pairs and containment of random meshes equal brute force in exact arithmetic: generic poses,
//! and poses that put corners, edges and faces exactly on each other, from micrometres to kilometres.

use impinge::prelude::*;
use impinge_geometry::canonical::checked_pose;
use impinge_geometry::{PairFrame, Side};
use impinge_oracle::Pair;
use impinge_oracle::solids::{block, hollow_block, pin, ring};
use proptest::prelude::*;

/// Closed meshes and soups of about unit size; the lattice ones have corners at multiples of a quarter.
fn mesh() -> impl Strategy<Value = Option<TriMesh>> {
    let quarter = || (1..5u8).prop_map(|n| f32::from(n) * 0.25);
    let lattice = prop::array::uniform3(prop::array::uniform3((-4..=4i8).prop_map(|n| f32::from(n) * 0.25)));
    let soup = prop::collection::vec(lattice, 1..10).prop_map(|triangles| {
        let vertices = triangles.iter().flatten().map(|&p| Point3::from(p)).collect();
        let indices = (0..triangles.len() as u32).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
        TriMesh::welded(vertices, indices).ok()
    });
    prop_oneof![
        3 => prop::array::uniform3(quarter()).prop_map(|half| Some(block(half))),
        1 => Just(Some(hollow_block([1.0; 3], [0.5; 3]))),
        2 => (4..12u32).prop_map(|sides| Some(ring(0.5, 1.0, 0.5, sides))),
        2 => (3..12u32, quarter()).prop_map(|(sides, r)| Some(pin(r, 0.75, sides))),
        2 => Just(Some(side_by_side())),
        3 => soup,
    ]
}

/// Two blocks that share a corner, as one mesh of two components.
fn side_by_side() -> TriMesh {
    let half = block([0.25; 3]);
    let place = |by: f32| half.vertices().iter().map(move |v| v + Vector3::repeat(by));
    let more = half.triangles().iter().map(|t| t.map(|v| v + half.vertices().len() as u32));
    let triangles = half.triangles().iter().copied().chain(more).collect();
    TriMesh::new(place(-0.25).chain(place(0.25)).collect(), triangles).unwrap()
}

/// Poses of B as seen from A, in units of the meshes' scale: on the lattice, nearly so, and anywhere.
fn pose() -> impl Strategy<Value = Isometry3<f64>> {
    let quarters = prop::array::uniform3((-6..=6i8).prop_map(|n| f64::from(n) * 0.25));
    // Half turns are exact in quaternions, quarter turns are not: what met before then meets up to rounding.
    let turns = prop::sample::select(vec![0.0, 0.5, 1.0, 1.5]);
    let axis = 0..3usize;
    let squared = (quarters, turns, axis).prop_map(|(at, half_turns, axis)| {
        Isometry3::new(Vector3::from(at), Vector3::ith(axis, half_turns * std::f64::consts::PI))
    });
    let anywhere = (prop::array::uniform3(-1.5..1.5f64), prop::array::uniform3(-3.0..3.0f64))
        .prop_map(|(at, turn)| Isometry3::new(Vector3::from(at), Vector3::from(turn)));
    let nudged = (quarters_near(), 0..3usize).prop_map(|(at, _)| Isometry3::translation(at[0], at[1], at[2]));
    prop_oneof![4 => squared, 2 => nudged, 4 => anywhere]
}

/// Lattice points moved by a few units in the last place, or by about a billionth.
fn quarters_near() -> impl Strategy<Value = [f64; 3]> {
    let step = prop::sample::select(vec![0.0, 2e-16, -2e-16, 1e-9, -1e-9]);
    prop::array::uniform3(((-6..=6i8), step).prop_map(|(n, step)| f64::from(n) * 0.25 + step))
}

/// A mesh scaled by a factor for each axis.
fn stretched(mesh: &TriMesh, by: [f32; 3]) -> Option<TriMesh> {
    let place = |v: &Point3<f32>| Point3::from([0, 1, 2].map(|k| v[k] * by[k]));
    TriMesh::new(mesh.vertices().iter().map(place).collect(), mesh.triangles().to_vec()).ok()
}

fn cases(default: u32) -> ProptestConfig {
    let asked = std::env::var("IMPINGE_CASES").ok().and_then(|n| n.parse().ok());
    ProptestConfig::with_cases(asked.unwrap_or(default))
}

proptest! {
    #![proptest_config(cases(2_000))]

    #[test]
    fn queries_say_what_brute_force_says(
        a in mesh(),
        b in mesh(),
        same in any::<bool>(),
        scale in prop::sample::select(vec![1e-6f32, 1e-3, 0.25, 1.0, 1e3]),
        flat in prop::sample::select(vec![1.0f32, 1.0, 1e-3]),
        pose in pose(),
        far in prop::sample::select(vec![0.0, 0.0, 1e4, -1e6]),
        base in prop_oneof![Just([0.0; 3]), prop::array::uniform3(-3.0..3.0f64)],
    ) {
        let Some(a) = a.and_then(|a| stretched(&a, [scale, scale, flat * scale])) else { return Ok(()) };
        let b = if same { Some(a.clone()) } else { b.and_then(|b| stretched(&b, [scale; 3])) };
        let Some(b) = b else { return Ok(()) };
        let base = Isometry3::new(Vector3::repeat(far), Vector3::from(base));
        let mut pose = pose;
        pose.translation.vector *= f64::from(scale);
        let placed = base * pose;
        // Queries normalise the quaternions they are given, once.
        let normalised = [&base, &placed].map(|pose| checked_pose(pose).unwrap());
        let truth = Pair::new([&a, &b], &PairFrame::new(&normalised[0], &normalised[1]));
        let met = truth.triangle_pairs();
        let inside = Side::BOTH.map(|side| truth.is_inside(side));

        let settings = QuerySettings::default().resolution(8).count_triangle_pairs(true);
        let shapes = [&a, &b].map(|mesh| Shape::from(mesh.clone()));
        let query = PairQuery::new(&shapes[0], &shapes[1], settings).unwrap();
        let mut listed: Vec<[u32; 2]> =
            query.triangle_pairs(&base, &placed).unwrap().iter().map(|pair| pair.triangles).collect();
        listed.sort_unstable();
        prop_assert_eq!(&listed, &met);
        let answer = query.at(&base, &placed).unwrap();
        prop_assert_eq!(answer.triangle_pairs, Some(met.len() as u64));
        prop_assert_eq!(query.touching(&base, &placed).unwrap(), answer.touching);
        if inside.contains(&Some(true)) {
            prop_assert!(answer.contained && answer.touching);
        } else {
            prop_assert_eq!(answer.touching, !met.is_empty());
            prop_assert!(!answer.contained || inside.contains(&None));
        }
        // Exchanged, the answers are the same.
        let back = PairQuery::new(&shapes[1], &shapes[0], settings).unwrap().at(&placed, &base).unwrap();
        prop_assert_eq!((back.touching, back.triangle_pairs), (answer.touching, answer.triangle_pairs));
    }
}
