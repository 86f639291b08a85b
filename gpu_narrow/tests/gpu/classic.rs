//! The programs of the classic tests on the device against the software raster: the same stencil values and queries.

use impinge_gpu_narrow::classic::{ClassicEngine, ClassicRefusal};
use impinge_gpu_narrow::ldi::{CaptureMethod, LdiEngine, LdiSettings};
use impinge_gpu_narrow::{EngineSettings, testing};
use impinge_image_space::classic::*;
use impinge_image_space::ldi::{Faces, LdiJob, LdiView};
use impinge_scenes::fixtures::{box_mesh, sphere_mesh, torus};
use impinge_scenes::mesh::Knot;
use impinge_scenes::random::Random;
use nalgebra::{Isometry3, Point2, Point3, Vector3};

fn engine(test: &str) -> Option<ClassicEngine> {
    let adapter = testing::adapter_or_skip(test)?;
    let settings = EngineSettings { adapter, ..EngineSettings::default() };
    Some(ClassicEngine::new(settings).expect("the adapter runs the raster passes"))
}

fn pose(random: &mut Random, apart: f64) -> Isometry3<f64> {
    Isometry3::from_parts((random.direction() * apart * random.unit()).into(), random.rotation())
}

/// Both rasters, one after the other, with the same programs.
struct Both<'e> {
    engine: &'e mut ClassicEngine,
    software: FrameBuffer,
    programs: usize,
    refused: usize,
    marked: usize,
    passed: usize,
}

impl ClassicRaster for Both<'_> {
    fn run(&mut self, scene: &RasterScene, program: &Program) -> Result<Readout, ClassicError> {
        let wanted = self.software.run(scene, program)?;
        let found = match self.engine.run_program(scene, program) {
            Err(ClassicRefusal::Range { .. }) => {
                self.refused += 1;
                return Ok(wanted);
            }
            found => found.expect("the device runs it"),
        };
        assert!(found.stencil == wanted.stencil, "program {}: stencil values", self.programs);
        assert_eq!(found.passed, wanted.passed, "program {}: queries", self.programs);
        self.programs += 1;
        self.marked += found.stencil.iter().filter(|value| **value != 0).count();
        self.passed += found.passed.iter().filter(|passed| **passed).count();
        Ok(wanted)
    }
}

fn both(engine: &mut ClassicEngine) -> Both<'_> {
    Both { engine, software: FrameBuffer::default(), programs: 0, refused: 0, marked: 0, passed: 0 }
}

#[test]
fn pairs_are_marked_in_the_same_pixels() {
    let Some(mut engine) = engine("classic pairs") else { return };
    let (mut random, mut raster) = (Random::new(3), both(&mut engine));
    let meshes =
        [box_mesh([0.5, 0.3, 0.7]), sphere_mesh(0.6, 16, 8), Knot::default().with_triangles(1200).unwrap()];
    for case in 0..12 {
        let (a, b) = (&meshes[case % 3], &meshes[(case + case / 3) % 3]);
        let poses = [pose(&mut random, 0.3), pose(&mut random, 0.6)];
        let bodies = [ClassicBody::new(a, &poses[0]), ClassicBody::new(b, &poses[1])];
        let pixels = [16, 64, 100, 256][case % 4];
        let direction = random.direction();
        shinya_forgue(&bodies, direction, pixels, &mut raster).unwrap();
        baciu_wong(&bodies, direction, pixels, &mut raster).unwrap();
        recode(&bodies, pixels, &mut raster).unwrap();
        let Some(view) = overlap_view(&bodies, direction, pixels).unwrap() else { continue };
        let settings = CinderSettings { passes: 2, ..CinderSettings::default() };
        knott_pai(&bodies, &view, settings, &mut raster).unwrap();
        let tool = ToolVolume::swept_box([0.2, 0.1, 0.3], Vector3::new(0.1, 0.2, 0.0)).unwrap();
        let settings = ToolSettings { direction, pixels, dilated: false };
        lombardo(&tool, &poses[0], &bodies[1], settings, &mut raster).unwrap();
    }
    println!("{} programs, {} left, {} pixels marked", raster.programs, raster.refused, raster.marked);
    assert!(raster.refused * 20 < raster.programs);
    assert!(raster.programs > 60 && raster.marked > 50_000);
}

#[test]
fn sets_are_culled_by_the_same_queries() {
    let Some(mut engine) = engine("classic sets") else { return };
    let (mut random, mut raster) = (Random::new(5), both(&mut engine));
    let needle = box_mesh([0.4, 0.002, 0.003]);
    let meshes = [box_mesh([0.2, 0.3, 0.1]), torus(0.3, 0.1, 12, 6), needle];
    for (count, pixels, dilated) in [(24, 64, true), (24, 128, false), (40, 33, true)] {
        let poses: Vec<_> = (0..count).map(|_| pose(&mut random, 2.0)).collect();
        let bodies: Vec<_> =
            poses.iter().zip(meshes.iter().cycle()).map(|(p, m)| ClassicBody::new(m, p)).collect();
        let settings = CullideSettings { pixels, dilated, rounds: 2 };
        let set = cullide(&bodies, settings, &mut raster).unwrap();
        assert!(set.queries > 0 && set.bodies.len() < count as usize);
    }
    println!("{} programs, {} of the queries passed", raster.programs, raster.passed);
    assert!(raster.passed > 50);
}

#[test]
fn polygons_overlap_in_the_same_pixels() {
    let Some(mut engine) = engine("classic polygons") else { return };
    let (mut random, mut raster) = (Random::new(7), both(&mut engine));
    for _ in 0..10 {
        let mut star = || -> Vec<Point2<f64>> {
            let around = |k: usize| (k as f64 * 0.7, 0.3 + 0.9 * random.unit());
            (0..9).map(around).map(|(a, r)| Point2::new(r * a.cos(), r * a.sin())).collect()
        };
        let polygons = [star(), star()];
        let view = PlaneView::new(Point2::new(-1.1, -1.0), Point2::new(1.0, 1.2), 100).unwrap();
        assert!(hoff_overlap([&polygons[0], &polygons[1]], &view, &mut raster).unwrap().area > 0.05);
    }
    assert!(raster.marked > 10_000);
}

#[test]
fn parts_of_one_body_are_culled_by_the_same_queries() {
    let Some(mut engine) = engine("classic parts") else { return };
    let mut raster = both(&mut engine);
    let knot = Knot::default().with_triangles(600).unwrap();
    // Runs of triangles along the knot.
    let parts: Vec<u32> = (0..knot.triangles().len() as u32).map(|t| t / 20).collect();
    let count = parts.last().unwrap() + 1;
    let (mut random, mut kept) = (Random::new(13), 0);
    for pixels in [48, 100] {
        let pose = pose(&mut random, 1.0);
        let settings = CullideSettings { pixels, dilated: true, rounds: 2 };
        let body = [ClassicBody::new(&knot, &pose)];
        let set = cullide_self(&body, std::slice::from_ref(&parts), settings, &mut raster).unwrap();
        kept += set.parts.len();
        assert!(set.queries > 0 && set.parts.len() <= count as usize);
    }
    println!("{} programs, {} of the queries passed, {kept} parts kept", raster.programs, raster.passed);
    assert!(raster.refused == 0 && raster.programs >= 6 && raster.passed > 20);
}

/// Layers that the device has captured make the maps that the software makes, to the last bit.
#[test]
fn maps_of_an_avatar_are_those_of_the_software() {
    let Some(adapter) = testing::adapter_or_skip("classic avatar") else { return };
    let engine = EngineSettings { adapter, ..EngineSettings::default() };
    let mut engine = LdiEngine::new(LdiSettings { engine, ..LdiSettings::default() }).unwrap();
    let (mut random, mut seen) = (Random::new(19), 0);
    for mesh in [sphere_mesh(0.7, 20, 10), Knot::default().with_triangles(900).unwrap()] {
        let pose = pose(&mut random, 1.0);
        let body = ClassicBody::new(&mesh, &pose);
        let velocities: Vec<Vector3<f32>> = mesh.vertices().iter().map(|v| v.coords * 3.0).collect();
        let direction = random.direction();
        let software = AvatarMaps::new(&body, &velocities, direction, 90).unwrap();
        let view = AvatarMaps::view_along(&body, &velocities, direction, 90).unwrap();
        let jobs = [LdiJob { mesh: &mesh, pose: &pose, view, faces: Faces::Both }];
        for method in [CaptureMethod::Peeling, CaptureMethod::Unordered] {
            let captured = engine.capture(method, &jobs).unwrap();
            let image = captured[0].as_ref().unwrap();
            let device = AvatarMaps::of_layers(&body, &velocities, image).unwrap();
            for (back, pixel) in [false, true].into_iter().flat_map(|back| (0..8100).map(move |k| (back, k)))
            {
                assert_eq!(device.sample(back, pixel), software.sample(back, pixel));
                seen += usize::from(device.sample(back, pixel).is_some());
            }
        }
    }
    assert!(seen > 8000, "{seen}");
}

/// Inside and outside to the bit, distances in `f32`.
#[test]
fn fields_are_those_of_the_software() {
    let Some(mut engine) = engine("classic fields") else { return };
    let mut random = Random::new(23);
    let (mut inside, mut worst) = (0, 0.0f64);
    for pixels in [1, 33, 128] {
        let around = |k: usize| (k as f64 * 0.7, 0.3 + 0.9 * random.unit());
        let star: Vec<Point2<f64>> =
            (0..9).map(around).map(|(a, r)| Point2::new(1000.0 + r * a.cos(), r * a.sin())).collect();
        let view = PlaneView::new(Point2::new(998.9, -1.0), Point2::new(1001.0, 1.2), pixels).unwrap();
        let wanted = hoff_field(&star, &view, &mut FrameBuffer::default()).unwrap();
        let found = engine.distance_field(&star, &view).unwrap();
        assert_eq!(found.len(), wanted.len());
        for (found, wanted) in found.iter().zip(&wanted) {
            assert!(found.is_sign_negative() == wanted.is_sign_negative(), "{found} {wanted}");
            worst = worst.max((found - wanted).abs());
            inside += usize::from(*wanted < 0.0);
        }
    }
    println!("{inside} pixels inside, distances off by {worst:e} m at most");
    assert!(inside > 1000 && worst < 2e-6, "{inside} {worst}");
    let refused = engine.distance_field(
        &[Point2::origin()],
        &PlaneView::new(Point2::origin(), Point2::new(1.0, 1.0), 8).unwrap(),
    );
    assert!(matches!(refused, Err(ClassicRefusal::Program(ClassicError::Polygon { .. }))), "{refused:?}");
}

#[test]
fn every_test_and_every_operation_is_the_same() {
    let Some(mut engine) = engine("classic operations") else { return };
    let (mut random, mut raster) = (Random::new(11), both(&mut engine));
    let meshes = [box_mesh([0.5, 0.3, 0.7]), torus(0.7, 0.3, 16, 8)];
    let view =
        LdiView::new(Point3::origin(), Vector3::new(0.1, 0.4, 1.0), [1.6, 1.6, 1.2], [60, 44]).unwrap();
    let tests = [
        DepthTest::Always,
        DepthTest::Less,
        DepthTest::LessEqual,
        DepthTest::Greater,
        DepthTest::GreaterEqual,
    ];
    let ops = [
        StencilOp::Keep,
        StencilOp::Increment,
        StencilOp::Decrement,
        StencilOp::Set(5),
        StencilOp::Invert(130),
    ];
    let figures = [
        Figure::Faces(Faces::Both),
        Figure::Faces(Faces::Front),
        Figure::Shrunk(Faces::Back, 9),
        Figure::DilatedNear,
        Figure::DilatedFar,
        Figure::Points,
    ];
    for _ in 0..6 {
        let poses = [pose(&mut random, 0.4), pose(&mut random, 0.4)];
        let mut bodies: Vec<LatticeBody> = meshes
            .iter()
            .zip(&poses)
            .map(|(mesh, pose)| LatticeBody::new(&ClassicBody::new(mesh, pose), &view).unwrap())
            .collect();
        for body in &mut bodies {
            let point =
                |_| LatticePoint { pixel: random.index(60 * 44) as u32, depth: random.index(1 << 22) as u32 };
            body.points = (0..200).map(point).collect();
        }
        let scene = RasterScene { view, bodies };
        let mut program = Program::new();
        for _ in 0..60 {
            if random.index(5) == 0 {
                program.push(RasterCommand::ClearDepth([BUFFER_NEAR, BUFFER_FAR][random.index(2)]));
            }
            // What is written and counted in one draw depends on the order of its triangles: one or the other.
            let writes = random.index(2) == 0;
            program.push(RasterCommand::Draw(Draw {
                body: random.index(2),
                figure: figures[random.index(figures.len())],
                test: tests[random.index(tests.len())],
                writes,
                stencil: if writes { StencilOp::Keep } else { ops[random.index(ops.len())] },
                asks: !writes,
            }));
        }
        // Depths that are always written are those of the last triangle.
        for command in &mut program {
            if let RasterCommand::Draw(draw) = command
                && draw.writes
                && draw.test == DepthTest::Always
            {
                draw.test = DepthTest::Less;
            }
        }
        raster.run(&scene, &program).unwrap();
    }
    assert!(raster.marked > 5_000 && raster.passed > 60, "{} {}", raster.marked, raster.passed);
}

#[test]
fn more_queries_than_a_set_holds_and_bodies_too_far_away() {
    let Some(mut engine) = engine("classic limits") else { return };
    let cube = box_mesh([0.1; 3]);
    let here = Isometry3::identity();
    let view = LdiView::new(Point3::origin(), Vector3::z(), [1.0; 3], [16; 2]).unwrap();
    let near = LatticeBody::new(&ClassicBody::new(&cube, &here), &view).unwrap();
    let scene = RasterScene { view, bodies: vec![near] };
    let query = |k: usize| {
        let test = if k.is_multiple_of(3) { DepthTest::Greater } else { DepthTest::Less };
        RasterCommand::Draw(Draw::query(0, Figure::Faces(Faces::Both), test))
    };
    let program: Program = (0..5000).map(query).collect();
    let readout = engine.run_program(&scene, &program).unwrap();
    assert_eq!(readout, FrameBuffer::default().run(&scene, &program).unwrap());
    assert_eq!(readout.passed.iter().filter(|passed| **passed).count(), 5000 - 1667);
    assert_eq!(engine.counts().queries, 5000);

    let plate = box_mesh([5000.0, 5000.0, 1.0]);
    let far = LatticeBody::new(&ClassicBody::new(&plate, &here), &view).unwrap();
    let scene = RasterScene { view, bodies: vec![far] };
    let refused = engine.run_program(&scene, &vec![query(1)]).unwrap_err();
    assert!(refused.to_string().contains("too far from the view"), "{refused}");
    assert!(!refused.is_device_lost());
}
