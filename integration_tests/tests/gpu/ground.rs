//! Bodies on ground that is computed, in two worlds side by side: a device's contacts and the CPU's.

use impinge::prelude::*;
use impinge::{ColliderId, ShapeId};
use impinge_scenes::random::Random;

/// Bodies on the ground, a little in it.
pub struct Ground {
    pub world: World,
    pub ground: ShapeId,
    bodies: Vec<(ColliderId, Isometry3<f64>)>,
}

impl Ground {
    /// Bodies of these shapes in turn, one at each place (m, along x and y of the ground's frame), as high as they touch the ground between two
    /// heights and then some thirtieth of their radius lower.
    pub fn new(
        mut world: World,
        ground: Shape,
        shapes: &[Shape],
        heights: [f64; 2],
        places: &[[f64; 2]],
    ) -> Ground {
        let prepared = PreparedShape::new(&ground);
        let ground = world.add_shape(ground).unwrap();
        let turn = UnitQuaternion::from_euler_angles(0.1, -0.05, 0.4);
        let lies = Isometry3::from_parts(Translation3::new(-3.0, 2.0, 1.0), turn);
        world.add_collider(Collider::new(ground).fixed(true).pose(lies)).unwrap();
        let mut random = Random::new(9);
        let mut bodies = Vec::new();
        for (k, &[x, y]) in places.iter().enumerate() {
            let shape = &shapes[k % shapes.len()];
            let pair = PairQuery::between(&prepared, &PreparedShape::new(shape));
            let turn = random.rotation();
            let at = |z| lies * Isometry3::from_parts(Translation3::new(x, y, z), turn);
            let [mut low, mut high] = heights;
            while high - low > 1e-6 {
                let middle = 0.5 * (low + high);
                let touches = pair.touching(&lies, &at(middle)).unwrap();
                (low, high) = if touches { (middle, high) } else { (low, middle) };
            }
            let pose = at(low - 0.03 * f64::from(shape.bounding_sphere().radius));
            let shape = world.add_shape(shape.clone()).unwrap();
            bodies.push((world.add_collider(Collider::new(shape).pose(pose)).unwrap(), pose));
        }
        Ground { world, ground, bodies }
    }

    /// Takes a step; in every step all have moved by a tenth of a millimetre.
    pub fn step(&mut self, step: u32) -> StepReport {
        for (id, pose) in &self.bodies {
            let moved = Translation3::new(1e-4 * f64::from(step % 3), 0.0, 0.0) * pose;
            self.world.set_pose(*id, moved).unwrap();
        }
        self.world.step()
    }
}

/// Touching pairs are the same exactly, normals within a degree, depths, but for one or a tenth of them, within 1 % and a tenth of a millimetre, the others within
/// 5 % and half a millimetre. How many manifolds there are.
pub fn assert_alike(gpu: &World, cpu: &World) -> usize {
    let touching = |world: &World| world.contacts().map(|contact| contact.colliders).collect::<Vec<_>>();
    assert_eq!(touching(gpu), touching(cpu));
    let (gpu, cpu) = (gpu.manifolds(), cpu.manifolds());
    assert_eq!(gpu.len(), cpu.len());
    let mut off = 0;
    for one in gpu {
        let middle = |m: &Manifold| m.points.iter().map(|p| p.position.coords).sum::<Vector3<f64>>();
        let place = |m: &Manifold| middle(m) / m.points.len() as f64;
        let near = |other: &&Manifold| (place(other) - place(one)).norm();
        let same = cpu.iter().filter(|m| m.colliders == one.colliders);
        let other = same.min_by(|p, q| near(p).total_cmp(&near(q))).expect("the CPU's");
        let depth = (one.depth - other.depth).abs() / (other.depth + 0.01);
        assert!(depth < 0.05, "{one:?} {other:?}");
        off += usize::from(depth > 0.01);
        assert!(one.normal.angle(&other.normal).to_degrees() < 1.0, "{one:?} {other:?}");
    }
    assert!(10 * off <= gpu.len() + 9, "{off} of {}", gpu.len());
    gpu.len()
}
