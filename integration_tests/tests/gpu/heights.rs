//! Height maps in a step, of views that a device has sampled: the contacts of the CPU's height maps by meaning.

use impinge::prelude::*;
use impinge::{ColliderId, NarrowMethod};
use impinge_scenes::fixtures::sphere_mesh;
use impinge_scenes::mesh::{Blob, Gear, Terrain, Torus};
use impinge_scenes::random::Random;

use crate::{on_cpu, on_gpu};

/// Bodies on bumpy ground, a little in it.
struct Heath {
    world: World,
    bodies: Vec<(ColliderId, Isometry3<f64>)>,
}

impl Heath {
    fn new(mut world: World, cells: u32) -> Heath {
        let sheet = Terrain { half: 8.0, relief: 0.4, cells, ..Terrain::default() }.mesh().unwrap();
        let ground: Shape = sheet.one_sided(2.0, Vector3::z()).unwrap().into();
        let ground = PreparedShape::new(&ground);
        let place = world.add_prepared(&ground).unwrap();
        let method = NarrowMethod::HeightMap;
        world.add_collider(Collider::new(place).fixed(true).narrow_method(method)).unwrap();
        let shapes: [Shape; 4] = [
            sphere_mesh(0.4, 24, 12).into(),
            Torus::default().mesh().unwrap().into(),
            Blob::default().mesh().unwrap().into(),
            Gear::default().mesh().unwrap().into(),
        ];
        let mut random = Random::new(9);
        let mut bodies = Vec::new();
        for k in 0..16 {
            let shape = &shapes[k % shapes.len()];
            let pair = PairQuery::between(&ground, &PreparedShape::new(shape));
            let turn = random.rotation();
            let [x, y] = [k % 4, k / 4].map(|n| 3.0 * (n as f64 - 1.5));
            let at = |z| Isometry3::from_parts(Translation3::new(x, y, z), turn);
            let (mut low, mut high) = (-0.5, 2.0);
            while high - low > 1e-6 {
                let middle = 0.5 * (low + high);
                let touches = pair.touching(&Isometry3::identity(), &at(middle)).unwrap();
                (low, high) = if touches { (middle, high) } else { (low, middle) };
            }
            let pose = at(low - 0.03 * f64::from(shape.bounding_sphere().radius));
            let shape = world.add_shape(shape.clone()).unwrap();
            bodies.push((world.add_collider(Collider::new(shape).pose(pose)).unwrap(), pose));
        }
        Heath { world, bodies }
    }

    /// Takes a step; in every step all have moved by a tenth of a millimetre.
    fn step(&mut self, step: u32) -> StepReport {
        for (id, pose) in &self.bodies {
            let moved = Translation3::new(1e-4 * f64::from(step % 3), 0.0, 0.0) * pose;
            self.world.set_pose(*id, moved).unwrap();
        }
        self.world.step()
    }

    fn deepest(&self, id: ColliderId) -> &Manifold {
        let own = self.world.manifolds().iter().filter(|m| m.colliders.contains(&id));
        own.max_by(|a, b| a.depth.total_cmp(&b.depth)).expect("every body touches the ground")
    }
}

#[test]
fn height_maps_are_made_of_a_device_s_views_and_are_the_cpu_s_by_meaning() {
    // The second ground has more boxes of triangles than a wide box holds, and numbers of triangles beyond sixteen bits.
    for cells in [48, 240] {
        let Some(builder) = on_gpu("height maps") else { return };
        let mut gpu = Heath::new(builder.parity(Parity::Meaning).build().unwrap(), cells);
        let mut cpu = Heath::new(on_cpu().build().unwrap(), cells);
        let (mut asked, mut made, mut maps) = (0, 0, [0; 2]);
        let mut depths = Vec::new();
        for step in 0..3 {
            let (report, reference) = (gpu.step(step), cpu.step(step));
            assert!(report.status.is_none(), "{}", report.status);
            let (counts, expected) = (&report.counts, &reference.counts);
            assert_eq!((counts.touching, expected.touching), (16, 16));
            assert_eq!(counts.gpu_touching, 16);
            assert_eq!(counts.height_maps + counts.past_height_maps, 16);
            assert_eq!(counts.gpu_manifolds + counts.redone.total(), 16, "{:?}", counts.redone);
            (asked, made) = (asked + counts.gpu_touching, made + counts.gpu_manifolds);
            maps[0] += counts.height_maps;
            maps[1] += expected.height_maps;
            for (id, _) in &gpu.bodies {
                let [own, other] = [gpu.deepest(*id), cpu.deepest(*id)];
                // Lines of a view that stands elsewhere.
                depths.push(own.depth / other.depth);
                // Exact: of contours.
                let angle = own.normal.angle(&other.normal).to_degrees();
                let same = counts.past_height_maps == expected.past_height_maps;
                assert!(!same || angle < 1.0, "{cells} {step}: {angle} {own:?} {other:?}");
            }
        }
        depths.sort_by(f64::total_cmp);
        println!(
            "{cells}: {made} of {asked} without a view on the CPU, height maps {maps:?}, depths {depths:?}"
        );
        assert!(made * 10 >= asked * 8, "{made} of {asked}");
        assert!(maps[0].abs_diff(maps[1]) * 10 <= maps[1], "{maps:?}");
        let at = |part: f64| depths[((depths.len() - 1) as f64 * part) as usize];
        assert!(at(0.05) > 0.85 && at(0.95) < 1.15, "{depths:?}");
    }
}

#[test]
fn with_the_cpu_s_bits_height_maps_are_the_cpu_s_to_the_bit() {
    let Some(builder) = on_gpu("height maps, bits") else { return };
    let mut gpu = Heath::new(builder.build().unwrap(), 48);
    let mut cpu = Heath::new(on_cpu().build().unwrap(), 48);
    for step in 0..2 {
        let (report, _) = (gpu.step(step), cpu.step(step));
        assert!(report.counts.gpu_jobs > 0 && report.counts.height_maps > 0);
        assert_eq!(gpu.world.manifolds(), cpu.world.manifolds());
    }
}
