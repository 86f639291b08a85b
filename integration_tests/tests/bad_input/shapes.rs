//! A bad call of every constructor and every edit of a shape: what is said of it names the place and what would be right, and the world stays as it was.

use impinge::geometry::{
    Cutout, HeightField, HeightFieldSettings, LevelSetSettings, Particles, Primitive, RepairSettings,
};
use impinge::prelude::*;
use impinge::{LevelSet, WorldError};
use impinge_oracle::solids::block;

/// A call, what it was refused with, and what the message has to say.
type Refused = (&'static str, Option<String>, Vec<&'static str>);

fn refused<T, E: std::error::Error>(
    call: &'static str,
    answer: Result<T, E>,
    says: &[&'static str],
) -> Refused {
    (call, answer.err().map(|error| error.to_string()), says.to_vec())
}

fn judge(all: Vec<Refused>) {
    for (call, error, says) in all {
        let error = error.unwrap_or_else(|| panic!("{call}: it was taken"));
        let missing: Vec<_> = says.iter().filter(|words| !error.contains(**words)).collect();
        assert!(missing.is_empty(), "{call}: `{error}` does not say {missing:?}");
    }
}

fn ball() -> Primitive {
    Primitive::Sphere { radius: 0.3 }
}

fn field(heights: Vec<f32>, settings: &HeightFieldSettings) -> Result<HeightField, impl std::error::Error> {
    HeightField::new([3, 3], heights, settings)
}

/// Values of 5³ samples: a ball in the middle.
fn values() -> Vec<f32> {
    let far = |k: usize| [k % 5, k / 5 % 5, k / 25].map(|i| i as f32 - 2.0);
    (0..125).map(|k| far(k).iter().map(|x| x * x).sum::<f32>().sqrt() - 1.5).collect()
}

fn with<T: Clone>(mut all: Vec<T>, at: usize, value: T) -> Vec<T> {
    all[at] = value;
    all
}

#[test]
fn primitives_hulls_and_composites_say_what_is_wrong() {
    let nan = f32::NAN;
    let lost = Isometry3::translation(0.0, f64::NAN, 0.0);
    let whole = Shape::sphere(1.0).unwrap();
    let powder = Shape::from(Particles::new(vec![Point3::origin()], 0.1).unwrap());
    let here = Isometry3::identity();
    judge(vec![
        refused("sphere", Shape::sphere(-1.0), &["sphere: radius is -1", "greater than 0"]),
        refused("cuboid", Shape::cuboid([1.0, nan, 1.0]), &["half[1] is NaN", "greater than 0"]),
        refused("capsule", Shape::capsule(0.0, 1.0), &["capsule: half_height is 0", "greater than 0"]),
        refused("cylinder", Shape::cylinder(1.0, f32::INFINITY), &["cylinder: radius is inf", "at most"]),
        refused("scaled", whole.scaled(0.0), &["scale", "is 0", "not 0"]),
        refused("scaled out of reach", whole.scaled(1e35), &["radius", "at most"]),
        refused("hull of NaN", Shape::hull(&[Point3::new(0.0, nan, 0.0)]), &["point 0", "finite"]),
        refused("flat hull", Shape::hull(&[Point3::origin(); 4]), &["4 points", "volume"]),
        refused("empty composite", Shape::composite(vec![]), &["no children", "at least one"]),
        refused("lost child", Shape::composite(vec![(lost, whole.clone())]), &["child 0", "y is NaN"]),
        refused(
            "particles as a child",
            Shape::composite(vec![(here, whole), (here, powder)]),
            &["child 1", "a collider of its own"],
        ),
    ]);
}

#[test]
fn meshes_and_cuts_say_what_is_wrong() {
    let corners = block([1.0; 3]).vertices().to_vec();
    let triangles = block([1.0; 3]).triangles().to_vec();
    let sheet = TriMesh::new(corners[..4].to_vec(), vec![[0, 1, 2]]).unwrap();
    let far = with(corners.clone(), 2, Point3::new(1e31, 0.0, 0.0));
    let hole = Cutout::new(ball()).unwrap().facets(8).unwrap();
    let at = |x: f64| vec![(Isometry3::translation(x, 0.0, 0.0), hole)];
    let solid = Shape::from(block([1.0; 3]));
    let large =
        [(Isometry3::identity(), Cutout::new(Primitive::Sphere { radius: 3.0 }).unwrap().facets(8).unwrap())];
    let settings = RepairSettings::default().tolerance(f64::NAN);
    judge(vec![
        refused("no triangles", TriMesh::new(corners.clone(), vec![]), &["no triangles", "at least one"]),
        refused(
            "a corner that is not there",
            TriMesh::new(corners.clone(), vec![[0, 1, 8]]),
            &["triangle 0", "index 8", "8 vertices"],
        ),
        refused("a far corner", TriMesh::new(far, triangles.clone()), &["vertex 2", "at most"]),
        refused(
            "nothing sound",
            TriMesh::new(corners.clone(), vec![[0, 0, 1]]),
            &["none of the 1", "1 degenerate"],
        ),
        refused("welded", TriMesh::welded(corners.clone(), vec![[0, 1, 9]]), &["index 9"]),
        refused("repaired", TriMesh::repaired(corners, triangles, &settings), &["tolerance is NaN"]),
        refused("one-sided", sheet.one_sided(f32::NAN, Vector3::z()), &["thickness is NaN"]),
        refused("one-sided nowhere", sheet.one_sided(1.0, Vector3::zeros()), &["`up`", "not zero"]),
        refused("mesh scaled", sheet.scaled(f64::NAN), &["scale", "NaN"]),
        refused("mesh scaled by", sheet.scaled_by([1.0, 0.0, 1.0]), &["along y is 0"]),
        refused("vertices", sheet.with_vertices(vec![]), &["0 vertices", "mesh of 4"]),
        refused("a half-space as a hole", Cutout::new(Primitive::HalfSpace), &["half-space is no hole"]),
        refused("a hole of no size", Cutout::new(Primitive::Sphere { radius: 0.0 }), &["radius is 0"]),
        refused("an open ball", hole.open(0, true), &["sphere has no flat side along axis 0"]),
        refused("few facets", hole.facets(6), &["6 facets", "8 to 512"]),
        refused(
            "a hole that is lost",
            solid.cut(&[(Isometry3::translation(f64::NAN, 0.0, 0.0), hole)]),
            &["hole 0", "x is NaN"],
        ),
        refused("an open mesh", Shape::from(sheet).cut(&large), &["hole 0 reaches child 0", "close"]),
        refused(
            "swallowed",
            Shape::cuboid([0.1; 3]).unwrap().cut(&at(0.0)),
            &["hole 0 leaves nothing of child 0", "leave the child out"],
        ),
    ]);
}

#[test]
fn fields_level_sets_and_particles_say_what_is_wrong() {
    let (nan, flat) = (f32::NAN, vec![0.0; 9]);
    let sound = HeightFieldSettings::default();
    let settings = |change: &dyn Fn(&mut HeightFieldSettings)| {
        let mut settings = HeightFieldSettings::default();
        change(&mut settings);
        settings
    };
    let narrow = settings(&|s| s.spacing[1] = 0.0);
    let floor = settings(&|s| s.bottom = Some(0.0));
    let holes = settings(&|s| s.holes = vec![true; 4]);
    let grid = LevelSetSettings::default();
    let set = |values: Vec<f32>, grid: &LevelSetSettings| LevelSet::new([5; 3], values, grid);
    let open = TriMesh::new(block([1.0; 3]).vertices().to_vec(), vec![[0, 1, 2]]).unwrap();
    let center = vec![Point3::origin(); 2];
    let cloud = |centers: Vec<Point3<f32>>, radii: Vec<f32>| Particles::new(centers, radii);
    judge(vec![
        refused("one sample", HeightField::new([1, 9], flat.clone(), &sound), &["[1, 9]", "from 2"]),
        refused("few heights", field(vec![0.0; 8], &sound), &["8 samples", "need 9"]),
        refused("no spacing", field(flat.clone(), &narrow), &["spacing along y is 0", "greater than 0"]),
        refused("no end", field(with(flat.clone(), 5, f32::INFINITY), &sound), &["[2, 1]", "inf", "NaN"]),
        refused("a high bottom", field(flat.clone(), &floor), &["bottom is 0", "below all samples"]),
        refused("few holes", field(flat, &holes), &["4 holes", "need 9"]),
        refused("no terrain", field(vec![nan; 9], &sound), &["no triangle is left"]),
        refused(
            "a step that is none",
            HeightField::quantized([3, 3], vec![0; 9], [0.0, nan], &sound),
            &["step of the samples is NaN", "finite"],
        ),
        refused("two levels", LevelSet::new([2, 5, 5], vec![1.0; 50], &grid), &["[2, 5, 5]", "from 3"]),
        refused("few levels", set(vec![1.0; 7], &grid), &["7 samples", "need 125"]),
        refused("a bad value", set(with(values(), 62, nan), &grid), &["[2, 2, 2]", "NaN"]),
        refused("at the border", set(with(values(), 2, -1.0), &grid), &["[2, 0, 0]", "at the border"]),
        refused("nothing inside", set(vec![1.0; 125], &grid), &["nothing is inside"]),
        refused(
            "levels at no distance",
            set(values(), &LevelSetSettings { spacing: [1.0, 0.0, 1.0], ..grid.clone() }),
            &["spacing along y is 0"],
        ),
        refused(
            "levels far away",
            set(values(), &LevelSetSettings { origin: [0.0, 0.0, 1e6], ..grid.clone() }),
            &["along z", "4096"],
        ),
        refused("a step of levels", LevelSet::quantized([5; 3], vec![0; 125], 0.0, &grid), &["step", "is 0"]),
        refused("of a function", LevelSet::from_function([5; 3], &grid, |_| f64::NAN), &["[0, 0, 0]", "NaN"]),
        refused("of a soup", LevelSet::from_mesh(&open, 0.1), &["soup", "close it"]),
        refused("of a mesh, too coarse", LevelSet::from_mesh(&block([1.0; 3]), 0.0), &["spacing"]),
        refused("no particles", cloud(vec![], vec![]), &["at least one"]),
        refused("a radius", cloud(center.clone(), vec![0.1, -1.0]), &["radius 1 is -1", "greater than 0"]),
        refused("radii", cloud(center.clone(), vec![0.1]), &["1 radii", "2 centres"]),
        refused(
            "a centre",
            cloud(with(center, 1, Point3::new(0.0, nan, 0.0)), vec![0.1; 2]),
            &["centre 1", "finite"],
        ),
    ]);
}

/// A world with a shape of each kind and a ball on each, stepped once; and its shapes in the order of `EDITED`.
fn world() -> (World, Vec<ShapeId>) {
    let mut world = World::builder().backend(Backend::Cpu).threads(1).build().unwrap();
    let ground = HeightField::new([3, 3], vec![0.0; 9], &HeightFieldSettings::default()).unwrap();
    let steps = HeightField::quantized([3, 3], vec![1; 9], [0.0, 0.1], &HeightFieldSettings::default());
    let levels = LevelSet::new([5; 3], values(), &LevelSetSettings::default()).unwrap();
    let whole: Vec<i16> = values().iter().map(|x| (x * 100.0) as i16).collect();
    let whole = LevelSet::quantized([5; 3], whole, 0.01, &LevelSetSettings::default()).unwrap();
    let powder = Particles::new(vec![Point3::origin(), Point3::new(0.5, 0.0, 0.0)], 0.2).unwrap();
    let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]].map(Point3::from);
    let sheet = TriMesh::new(corners.to_vec(), vec![[0, 1, 2], [0, 2, 3]]).unwrap();
    let shapes: Vec<Shape> = vec![
        block([1.0; 3]).into(),
        ground.into(),
        steps.unwrap().into(),
        levels.into(),
        whole.into(),
        powder.into(),
        ball().into(),
        sheet.one_sided(0.5, Vector3::z()).unwrap().into(),
    ];
    let body = world.add_shape(ball()).unwrap();
    let ids: Vec<ShapeId> = shapes.into_iter().map(|shape| world.add_shape(shape).unwrap()).collect();
    for (k, &id) in ids.iter().enumerate() {
        let x = 10.0 * k as f64;
        world.add_collider(Collider::new(id).position([x, 0.0, 0.0]).fixed(true)).unwrap();
        let top = f64::from(world.shape(id).unwrap().aabb().max[2]);
        let middle = world.shape(id).unwrap().aabb().center().cast::<f64>();
        world.add_collider(Collider::new(body).position([x + middle.x, middle.y, top + 0.2])).unwrap();
    }
    world.step();
    (world, ids)
}

/// All that a step says.
fn answers(world: &World) -> String {
    let points: Vec<_> = world.particle_contacts().collect();
    format!("{:?} {points:?} {:?}", world.manifolds(), world.pairs())
}

#[test]
fn edits_that_are_refused_leave_the_world_as_it_was() {
    let (mut world, ids) = world();
    let [mesh, ground, steps, levels, whole, powder, round, sheet] = ids[..] else { panic!("eight shapes") };
    let (before, report) = (answers(&world), world.step());
    assert!(report.counts.touching >= 6, "{report:?}");
    let shapes: Vec<String> = ids.iter().map(|&id| format!("{:?}", world.shape(id).unwrap())).collect();
    let (nan, origin) = (f32::NAN, Point3::origin());
    let lost = Point3::new(0.0, nan, 0.0);
    let gone = ShapeId { index: 77, generation: 0 };
    let triangles = block([1.0; 3]).triangles().len() as u32;
    let all: Vec<u32> = (0..triangles).collect();
    let w = &mut world;
    judge(vec![
        refused("set_vertices", w.set_vertices(mesh, &[origin; 3]), &["3 vertices", "mesh of 8"]),
        refused("set_vertices, lost", w.set_vertices(mesh, &[lost; 8]), &["vertex 0", "finite"]),
        refused("set_vertices, no mesh", w.set_vertices(ground, &[]), &["is no mesh"]),
        refused("set_vertices_from", w.set_vertices_from(mesh, 7, &[origin; 2]), &["7 to 9", "mesh of 8"]),
        refused("edit_vertices", w.edit_vertices(mesh, &[(8, origin)]), &["vertices 8", "mesh of 8"]),
        refused("edit_vertices, lost", w.edit_vertices(mesh, &[(3, lost)]), &["vertex 0", "finite"]),
        refused("remove_triangles", w.remove_triangles(mesh, &[triangles]), &["triangle 12", "mesh of 12"]),
        refused("remove_triangles, all", w.remove_triangles(mesh, &all), &["one at least has to stay"]),
        refused("remove_triangles, sheet", w.remove_triangles(sheet, &[0]), &["virtual faces"]),
        refused("remove_triangles, no mesh", w.remove_triangles(levels, &[0]), &["is no mesh"]),
        refused("set_heights", w.set_heights(ground, [2, 2], [2, 1], &[0.0; 2]), &["beyond", "[3, 3]"]),
        refused("set_heights, few", w.set_heights(ground, [0, 0], [2, 2], &[0.0; 3]), &["3", "need 4"]),
        refused(
            "set_heights, high",
            w.set_heights(ground, [0, 1], [1, 1], &[f32::INFINITY]),
            &["[0, 1]", "inf"],
        ),
        refused("set_heights, low", w.set_heights(ground, [0, 0], [1, 1], &[-1e6]), &["below all samples"]),
        refused(
            "set_heights, nothing left",
            w.set_heights(ground, [0, 0], [3, 3], &[nan; 9]),
            &["no triangle"],
        ),
        refused("set_heights, numbers", w.set_heights(steps, [0, 0], [1, 1], &[0.0]), &["u16", "f32"]),
        refused("set_heights, no field", w.set_heights(mesh, [0, 0], [1, 1], &[0.0]), &["no height field"]),
        refused("quantized heights", w.set_quantized_heights(steps, [3, 0], [1, 1], &[0]), &["beyond"]),
        refused("quantized, f32", w.set_quantized_heights(ground, [0, 0], [1, 1], &[0]), &["f32", "u16"]),
        refused("edit_levels", w.edit_levels(levels, [4; 3], [2; 3], &[1.0; 8]), &["beyond", "[5, 5, 5]"]),
        refused("edit_levels, few", w.edit_levels(levels, [1; 3], [2; 3], &[1.0; 7]), &["7", "need 8"]),
        refused("edit_levels, NaN", w.edit_levels(levels, [1; 3], [1; 3], &[nan]), &["[1, 1, 1]", "NaN"]),
        refused("edit_levels, border", w.edit_levels(levels, [0; 3], [1; 3], &[-1.0]), &["at the border"]),
        refused(
            "edit_levels, empty",
            w.edit_levels(levels, [0; 3], [5; 3], &[1.0; 125]),
            &["nothing is inside"],
        ),
        refused("edit_levels, numbers", w.edit_levels(whole, [1; 3], [1; 3], &[1.0]), &["i16", "f32"]),
        refused("edit_levels, no set", w.edit_levels(mesh, [0; 3], [1; 3], &[1.0]), &["no level set"]),
        refused("quantized levels", w.edit_quantized_levels(whole, [5; 3], [1; 3], &[1]), &["beyond"]),
        refused("quantized, f32", w.edit_quantized_levels(levels, [1; 3], [1; 3], &[1]), &["f32", "i16"]),
        refused("set_particles", w.set_particles(powder, 1, &[origin; 2]), &["from particle 1", "are 2"]),
        refused("set_particles, lost", w.set_particles(powder, 1, &[lost]), &["centre 0", "finite"]),
        refused("set_particles, none", w.set_particles(mesh, 0, &[origin]), &["none of particles"]),
        refused("resize", w.resize(round, Primitive::Sphere { radius: -1.0 }), &["radius is -1"]),
        refused("resize, a mesh", w.resize(mesh, ball()), &["is no primitive", "replaced"]),
        refused(
            "replace_shape",
            w.replace_shape(round, Primitive::Cuboid { half: [1.0, 0.0, 1.0] }),
            &["half[1] is 0"],
        ),
        refused("replace_shape, gone", w.replace_shape(gone, Shape::half_space()), &["not in this world"]),
    ]);
    let unknown = WorldError::UnknownShape { id: gone };
    assert_eq!(w.set_heights(gone, [0; 2], [1; 2], &[0.0]).unwrap_err(), unknown);
    assert_eq!(w.edit_levels(gone, [0; 3], [1; 3], &[0.0]).unwrap_err(), unknown);
    assert_eq!(w.set_particles(gone, 0, &[origin]).unwrap_err(), unknown);
    assert_eq!(w.resize(gone, ball()).unwrap_err(), unknown);
    let after: Vec<String> = ids.iter().map(|&id| format!("{:?}", world.shape(id).unwrap())).collect();
    assert!(shapes == after, "a shape was changed");
    let report = world.step();
    assert_eq!((report.counts.moved, world.edited_pairs().len()), (0, 0));
    assert!(answers(&world) == before, "the world answers otherwise");
}
