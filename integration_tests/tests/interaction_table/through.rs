//! Every kind of shape through everything that can be asked of one: data and back, mass, rays, casts, nearest points.

use impinge::PairSweep;
use impinge::geometry::MassError;
use impinge::query::ShapeRay;
use impinge_scenes::mesh::Torus;

use super::*;

/// Shapes that no sample is: of whole numbers, with gaps, with virtual faces, with vertices moved, with names.
fn variants() -> Vec<(&'static str, Shape)> {
    use impinge::geometry::{Composite, Diagonals, HeightField, HeightFieldSettings, LevelSetSettings};
    let mut random = Random::new(9);
    let flags: Vec<bool> = (0..81).map(|_| random.index(3) == 0).collect();
    let settings = HeightFieldSettings {
        spacing: [0.5, 0.25],
        bottom: None,
        diagonals: Diagonals::PerCell(flags.clone()),
        holes: flags.iter().map(|&flag| flag && random.index(2) == 0).collect(),
    };
    let heights: Vec<f32> =
        (0..81).map(|k| if k % 13 == 5 { f32::NAN } else { random.signed() as f32 }).collect();
    let gaps = HeightField::new([9, 9], heights, &settings).unwrap();
    let whole = (0..81).map(|_| random.index(900) as u16).collect();
    let falling = HeightFieldSettings { diagonals: Diagonals::Falling, ..Default::default() };
    let whole = HeightField::quantized([9, 9], whole, [-0.3, 1e-3], &falling).unwrap();
    let grid = LevelSetSettings { spacing: [0.2; 3], origin: [-1.0; 3] };
    let values = (0..1331).map(|k: i32| {
        let far = [k % 11, k / 11 % 11, k / 121].map(|i| f64::from(i - 5) * 0.2);
        ((far.iter().map(|x| x * x).sum::<f64>().sqrt() - 0.7) * 1e4) as i16
    });
    let ball = impinge::LevelSet::quantized([11; 3], values.collect(), 1e-4, &grid).unwrap();
    let torus = Torus::default().mesh().unwrap();
    let crumpled = torus.vertices().iter().map(|p| p + Vector3::from_fn(|_, _| 0.2 * random.signed() as f32));
    let crumpled = torus.with_vertices(crumpled.collect()).unwrap();
    // Corners in one line, of which a mesh that is made would lose a triangle.
    let mut flat = torus.vertices().to_vec();
    let [a, b, c] = torus.triangles()[0];
    flat[c as usize] = Point3::from((flat[a as usize].coords + flat[b as usize].coords) * 0.5);
    let sheet = TriMesh::new(torus.vertices().to_vec(), torus.triangles()[..40].to_vec()).unwrap();
    let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.5, 0.5, 0.5]].map(Point3::from);
    let fold = TriMesh::new(corners.to_vec(), vec![[0, 1, 3], [1, 2, 3], [2, 0, 3]]).unwrap();
    let mut some = torus.clone();
    some.remove_triangles(&[3, 4, 5, 90]).unwrap();
    let turn = Isometry3::new(Vector3::new(0.1, 0.2, 0.3), Vector3::new(1.0, -2.0, 0.5));
    let named = Composite::named(vec![
        ("left".to_owned(), turn, Shape::sphere(0.4).unwrap()),
        (String::new(), turn.inverse(), fold.clone().into()),
    ]);
    vec![
        ("a field with gaps", gaps.into()),
        ("a field of whole numbers", whole.into()),
        ("a level set of whole numbers", ball.into()),
        ("a crumpled mesh", crumpled.into()),
        ("a mesh with a flat triangle", torus.with_vertices(flat).unwrap().into()),
        ("an open mesh", sheet.into()),
        ("a one-sided mesh", fold.one_sided(0.5, Vector3::z()).unwrap().into()),
        ("a mesh without some triangles", some.into()),
        ("a composite with names", named.unwrap().into()),
        ("particles of one radius", impinge::Particles::new(vec![Point3::origin()], 0.5).unwrap().into()),
    ]
}

/// All bits of what two shapes are.
fn same(a: &Shape, b: &Shape) -> bool {
    format!("{a:?}") == format!("{b:?}")
}

/// What worlds find in which a probe stands about a shape, to the bit.
fn found(shape: &Shape, probe: &Shape) -> String {
    let mut world = World::builder().backend(Backend::Cpu).threads(1).build().unwrap();
    let [a, b] = [shape, probe].map(|shape| world.add_shape(shape.clone()).unwrap());
    world.add_collider(Collider::new(a).fixed(true)).unwrap();
    let probe = world.add_collider(Collider::new(b)).unwrap();
    let mut random = Random::new(1);
    let mut all = String::new();
    for _ in 0..6 {
        let away = Vector3::from_fn(|_, _| 1.2 * random.signed());
        world.set_pose(probe, Isometry3::from_parts(Translation3::from(away), random.rotation())).unwrap();
        world.step();
        let points: Vec<_> = world.particle_contacts().collect();
        all += &format!("{:?} {points:?}", world.manifolds());
    }
    all
}

#[test]
fn shapes_are_the_same_after_data_and_back() {
    let samples = ALL.iter().map(|&kind| (format!("{kind:?}"), Sample::new(kind).unwrap().shape));
    let variants = variants().into_iter().map(|(name, shape)| (name.to_owned(), shape));
    let probe = Shape::cuboid([0.5, 0.4, 0.3]).unwrap();
    for (name, shape) in samples.chain(variants) {
        let text = serde_json::to_string(&shape).unwrap();
        let back: Shape = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(same(&shape, &back), "{name} is another shape");
        assert!(found(&shape, &probe) == found(&back, &probe), "{name} has other contacts");
        assert_eq!(text, serde_json::to_string(&back).unwrap(), "{name}");
    }
}

#[test]
fn data_that_is_no_shape_is_refused_with_the_place() {
    let sound = |kind| serde_json::to_value(Sample::new(kind).unwrap().shape).unwrap();
    let mut hull = sound(Convex);
    hull["hull"]["surface"]["vertices"][0] = serde_json::json!([0.0, 0.0, 0.0]);
    let mut twice = sound(Mesh);
    twice["mesh"]["triangles"][1] = twice["mesh"]["triangles"][0].clone();
    let mut sources = sound(Mesh);
    sources["mesh"]["made"]["sources"] = serde_json::json!([0]);
    let mut lost = sound(Mesh);
    lost["mesh"]["triangles"][5][1] = serde_json::json!(99_999);
    let mut levels = sound(LevelSet);
    levels["level_set"]["samples"]["values"][0] = serde_json::json!(-1.0);
    for (data, says) in [
        (serde_json::json!({"sphere": {"radius": -1.0}}), "radius is -1"),
        (serde_json::json!({"sphere": {"diameter": 1.0}}), "diameter"),
        (serde_json::json!({"ball": {}}), "ball"),
        (serde_json::json!({"composite": []}), "no children"),
        (serde_json::json!({"hull": {"points": [[0, 0, 0]]}}), "volume"),
        (
            serde_json::json!({"height_field": {"size": [2, 2], "spacing": [1, 1], "samples": {"heights": [0]}}}),
            "need 4",
        ),
        (serde_json::json!({"particles": {"centers": [[0, 0, 0]], "radii": {"each": []}}}), "0 radii"),
        (hull, "convex"),
        (twice, "repeats another"),
        (sources, "one entry of `sources`"),
        (lost, "triangle 5"),
        (levels, "at the border"),
    ] {
        let error = serde_json::from_value::<Shape>(data).unwrap_err().to_string();
        assert!(error.contains(says), "`{error}` does not say {says}");
    }
    // By hand, and no more than is needed.
    let by_hand = r#"{"composite": [{"shape": {"sphere": {"radius": 0.5}}},
        {"pose": {"position": [1, 0, 0]}, "shape": {"hull": {"points": [[0,0,0], [1,0,0], [0,1,0], [0,0,1]]}}},
        {"shape": {"mesh": {"vertices": [[0,0,0], [1,0,0], [0,1,0]], "triangles": [[0, 1, 2]]}}}]}"#;
    let Shape::Composite(made) = serde_json::from_str(by_hand).unwrap() else { panic!("a composite") };
    assert_eq!(made.children().len(), 3);
}

#[test]
fn every_kind_has_mass_rays_casts_and_nearest_points() {
    let ball = Shape::sphere(0.2).unwrap();
    for &kind in ALL {
        let sample = Sample::new(kind).unwrap();
        let (at, mut random) = (pose_of(kind), Random::new(kind as u64 + 70));
        let sphere = sample.shape.bounding_sphere();
        let (middle, reach) = match kind {
            Plane => (Point3::origin(), 2.0),
            _ => (at * sphere.center.cast::<f64>(), f64::from(sphere.radius)),
        };
        let holds = |p: &Point3<f64>| sample.holds(&at.inverse_transform_point(p));
        // A hole's own facets decide what is beyond them.
        let inside = |p: &Point3<f64>| match &sample.shape {
            Shape::Mesh(mesh) => mesh.winding_number(&at.inverse_transform_point(p)) > 0.5,
            _ => holds(p),
        };
        match sample.shape.mass_properties() {
            Err(MassError::HalfSpace) => assert_eq!(kind, Plane),
            // Where balls and children overlap they count twice.
            _ if matches!(kind, Particles | Composite) => {}
            mass => {
                let mass = mass.unwrap_or_else(|error| panic!("{kind:?}: {error}"));
                let cube = 2.0 * reach;
                let n = 4_000;
                let mut inside = Vec::new();
                for _ in 0..n {
                    let p = middle + Vector3::from_fn(|_, _| reach * random.signed());
                    inside.extend(holds(&p).then_some(p));
                }
                let share = inside.len() as f64 / f64::from(n);
                let deviation = (share * (1.0 - share) / f64::from(n)).sqrt();
                let expected = mass.volume / cube.powi(3);
                assert!((share - expected).abs() < 5.0 * deviation, "{kind:?}: {share}, not {expected}");
                let center = inside.iter().map(|p| p.coords).sum::<Vector3<f64>>() / inside.len() as f64;
                let off = (at * mass.center).coords - center;
                assert!(off.norm() < 6.0 * reach / (inside.len() as f64).sqrt(), "{kind:?}: {off:?}");
            }
        }
        if kind == Particles {
            // These are asked about by `ParticleQuery` and in worlds alone.
            continue;
        }
        let query = PairQuery::between(&sample.prepared, &PreparedShape::new(&ball));
        let (mut hits, mut met) = (0, 0);
        for n in 0..24 {
            let name = format!("{kind:?}, {n}");
            let mut from = random.direction();
            from.z = from.z.abs() + 0.3;
            let (from, to) = match kind {
                // From above: its walls are virtual, and nothing is hit there.
                HeightField => [[0.4, 2.5], [-2.0, -0.5]]
                    .map(|[low, high]| {
                        let [x, y] = [0, 1].map(|_| 1.5 * random.signed());
                        Point3::new(x, y, low + (high - low) * random.unit())
                    })
                    .into(),
                _ => (
                    middle + from.normalize() * (1.5 * reach + 0.5),
                    middle + random.direction() * (0.7 * reach * random.unit()),
                ),
            };
            let ray = ShapeRay::between(from, to).length(3.0);
            let hit = sample.prepared.ray(&at, &ray).unwrap();
            let on = |time: f64| from + (to - from) * time;
            let until = hit.map_or(1.0, |hit| hit.time);
            let free = (0..200).all(|k| !holds(&on(until * f64::from(k) / 200.0 - 1e-6)));
            assert!(free, "{name}: the ray was in it before");
            if let Some(hit) = hit {
                hits += 1;
                assert!(hit.entering && inside(&on(hit.time + 1e-4)), "{name}: {hit:?}");
                let near = sample.prepared.nearest(&at, hit.point, 1.0).unwrap().unwrap();
                assert!((near.point - hit.point).norm() < 1e-5, "{name}: {near:?}");
            }
            let start = Isometry3::translation(from.x, from.y, from.z);
            let sweep = query.cast(&at, &start, &(to - from)).unwrap();
            let time = match sweep {
                PairSweep::Impact(impact) => {
                    met += 1;
                    let deeper = Translation3::from((to - from) * (impact.time + 0.01)) * start;
                    assert!(query.touching(&at, &deeper).unwrap(), "{name}: {impact:?}");
                    impact.time
                }
                _ => 1.0,
            };
            for k in 0..20 {
                let moved = Translation3::from((to - from) * (time * f64::from(k) / 20.0)) * start;
                assert!(!query.touching(&at, &moved).unwrap(), "{name}: they meet before {time}");
            }
        }
        assert!(hits >= 6 && met >= 6, "{kind:?}: {hits} hits, {met} impacts");
    }
}
