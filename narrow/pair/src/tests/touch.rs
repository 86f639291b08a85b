//! Step, sensor, query and distance say the same of touching.

use impinge_exact::distance::{DistanceMemory, DistanceScratch, Proximity, distance};
use impinge_exact::intersect::LastHit;
use impinge_midphase::{MidphaseCounts, Placed};
use impinge_scenes::fixtures::{box_mesh, sphere_mesh, torus};
use proptest::prelude::*;

use super::*;
use crate::{parts_touch, touches};

/// Every kind of part: round and flat primitives, a hull, and meshes that are closed, open, and closed by virtual
/// faces.
fn shapes() -> Vec<Shape> {
    let ball = sphere_mesh(0.5, 12, 8);
    let open = TriMesh::new(ball.vertices().to_vec(), ball.triangles()[1..].to_vec()).unwrap();
    let floor = [[-1.0f32, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]].map(Point3::from);
    let floor = TriMesh::new(floor.to_vec(), vec![[0, 1, 2], [0, 2, 3]]).unwrap();
    let one_sided = floor.one_sided(0.5, Vector3::z()).unwrap();
    vec![
        Shape::half_space(),
        Shape::sphere(0.5).unwrap(),
        Shape::capsule(0.4, 0.3).unwrap(),
        Shape::cylinder(0.4, 0.5).unwrap(),
        Shape::cuboid([0.5, 0.4, 0.3]).unwrap(),
        Shape::hull(box_mesh([0.4, 0.5, 0.3]).vertices()).unwrap(),
        box_mesh([0.5; 3]).into(),
        torus(0.6, 0.2, 16, 10).into(),
        open.into(),
        one_sided.into(),
    ]
}

struct Askers {
    shapes: [PreparedShape; 2],
    scratch: NarrowScratch,
    last: LastHit,
}

impl Askers {
    /// What a sensor is told, after asserting that step and query, with and without what they remember, and with
    /// a margin, are told the same, and that there is a distance, greater than 0, exactly where they do not touch.
    fn agreed(&mut self, pose: &Pose) -> Result<bool, TestCaseError> {
        let poses = [Pose::identity(), *pose];
        let Askers { shapes, scratch, last } = self;
        let parts = [0, 1].map(|k| &shapes[k].parts()[0]);
        let frame = PairFrame::new(&poses[0], &poses[1]);
        let query = parts_touch(parts, &frame, &mut LastHit::default(), scratch);
        prop_assert_eq!(query, parts_touch(parts, &frame, last, scratch), "remembered");
        for bound in [f64::INFINITY, 0.0] {
            let (memory, buffers) = (&mut DistanceMemory::default(), &mut DistanceScratch::default());
            match distance(parts, &frame, bound, memory, buffers) {
                Some(Proximity::Touching { .. }) => prop_assert!(query, "a distance of 0 of what is apart"),
                Some(Proximity::Apart(found)) => {
                    prop_assert!(
                        !query && found.distance > 0.0 && bound > 0.0,
                        "{:?} of what touches",
                        found
                    );
                }
                None => prop_assert!(!query && bound == 0.0, "no distance within {}", bound),
            }
        }
        for margin in [0.0, 0.05] {
            let settings = NarrowSettings { margin, ..NarrowSettings::default() };
            let mut batch = CandidateBatch::default();
            let [a, b] = [0, 1].map(|k| Placed { shape: &shapes[k], pose: poses[k] });
            impinge_midphase::find(0, a, b, margin, &mut batch, &mut MidphaseCounts::default());
            let (mut step, mut sensor) = (false, false);
            for job in &batch.jobs {
                let mut out = PairResult::default();
                run(job, &batch, &settings, &mut NarrowMemory::default(), scratch, &mut out);
                step |= out.touching;
                sensor |= touches(job, &batch, scratch);
            }
            prop_assert_eq!(sensor, query, "sensor and query, margin {}", margin);
            prop_assert_eq!(step, query, "step and query, margin {}", margin);
        }
        Ok(query)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// At a random place, and where the bodies are just about to touch along a line through it.
    #[test]
    fn step_sensor_and_query_agree(
        kinds in prop::array::uniform2(0usize..10),
        at in prop::array::uniform3(-1.0f64..1.0),
        turn in prop::array::uniform3(-3.0f64..3.0),
        straight in any::<bool>(),
    ) {
        let all = shapes();
        let shapes = kinds.map(|k| PreparedShape::new(&all[k]));
        let mut askers = Askers { shapes, scratch: NarrowScratch::default(), last: LastHit::default() };
        let rotation = match straight {
            true => UnitQuaternion::identity(),
            false => UnitQuaternion::from_euler_angles(turn[0], turn[1], turn[2]),
        };
        let at = Vector3::from(at);
        let pose = |t: f64| Pose::from_parts(Translation3::from(at * t), rotation);
        let (mut low, mut high) = (1.0f64, 8.0f64);
        let near = askers.agreed(&pose(low))?;
        // Where nothing changes on the way (two half-spaces), the ends are all there is to ask.
        if askers.agreed(&pose(high))? == near {
            return Ok(());
        }
        while (0.5 * (low + high)).clamp(low, high) != low && 0.5 * (low + high) != high {
            let middle = 0.5 * (low + high);
            if askers.agreed(&pose(middle))? == near { low = middle } else { high = middle }
        }
        // Steps of the bisection's last digits on both sides.
        for k in 1..4u64 {
            askers.agreed(&pose(f64::from_bits(low.to_bits() - k)))?;
            askers.agreed(&pose(f64::from_bits(high.to_bits() + k)))?;
        }
    }
}
