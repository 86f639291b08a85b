//! Trees hold what they should, whatever the input and however many threads build them.

use impinge_geometry::TriMesh;
use impinge_midphase::obb_tree::{BuildSettings, Covariance, LEAF_TRIANGLES, REBUILD_AT, Splits};
use impinge_midphase::{ObbTree, TreeCache};
use nalgebra::Point3;
use proptest::prelude::*;

use crate::input::{mesh, scale, torus};

fn soup(corners: Vec<[[f32; 3]; 3]>) -> TriMesh {
    let triangles = (0..corners.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    TriMesh::new(corners.into_iter().flatten().map(Point3::from).collect(), triangles).expect("sound")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn trees_are_valid(
        a in scale().prop_flat_map(|unit| mesh(200, unit)),
        covariance in prop_oneof![Just(Covariance::Areas), Just(Covariance::Vertices)],
        refine_steps in 0u32..4,
        splits in prop_oneof![Just(Splits::Fine), Just(Splits::Coarse)],
    ) {
        let tree = ObbTree::build_with(&a, &BuildSettings { covariance, refine_steps, splits });
        prop_assert_eq!(tree.validate(&a), Ok(()));
        prop_assert_eq!(tree.triangle_count(), a.triangles().len());
    }
}

#[test]
fn degenerate_sets_give_valid_trees() {
    let copies = |f: fn(f32) -> [[f32; 3]; 3]| soup((0..300).map(|k| f(k as f32)).collect());
    let sets = [
        // One triangle three hundred times (each with vertices of its own).
        copies(|_| [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]),
        // Each half as large as the one before it: the heuristic peels them off one by one.
        copies(|k| {
            [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].map(|p| p.map(|x| x * 0.75f32.powf(k)))
        }),
        // Each with its corner twice as far out.
        copies(|k| [[0.0, 0.0, 0.0], [1.25f32.powf(k), 0.0, 0.0], [0.0, 1e-3, 1e-3 * k]]),
        // In a row on a line, nearly.
        copies(|k| [[k, 0.0, 0.0], [k + 1.0, 0.0, 0.0], [k + 0.5, 1e-6, 0.0]]),
        // Near the greatest and the least number.
        copies(|k| [[0.0, 0.0, 0.0], [1e29, k * 1e26, 0.0], [0.0, 1e29, 1e28]]),
        copies(|k| [[0.0, 0.0, 0.0], [1e-40, k * 1e-41, 0.0], [0.0, 1e-40, 1e-41]]),
    ];
    for (set, mesh) in sets.iter().enumerate() {
        for settings in [BuildSettings::default(), BuildSettings::QUICK] {
            let tree = ObbTree::build_with(mesh, &settings);
            assert_eq!(tree.validate(mesh), Ok(()), "set {set}, {settings:?}");
            assert!(tree.leaf_count() >= mesh.triangles().len().div_ceil(LEAF_TRIANGLES));
        }
    }
}

/// 40,000 triangles in a geometric progression: a tree that followed the heuristic alone would be
/// thousands of nodes deep.
#[test]
fn no_input_makes_the_tree_overflow_the_stack() {
    let corner = |k: u32| 1.0017f32.powi(k as i32 % 40_000);
    let mesh = soup(
        (0..40_000)
            .map(|k| {
                let x = corner(k);
                [[x, 0.0, 0.0], [x, x, 0.0], [x * 1.001, 0.0, x]]
            })
            .collect(),
    );
    let tree = std::thread::Builder::new()
        .stack_size(256 * 1024)
        .spawn(move || {
            let pool =
                rayon::ThreadPoolBuilder::new().num_threads(1).stack_size(256 * 1024).build().expect("pool");
            let tree = pool.install(|| ObbTree::build(&mesh));
            assert_eq!(tree.validate(&mesh), Ok(()));
            tree
        })
        .expect("thread")
        .join()
        .expect("no overflow");
    assert!(tree.leaf_count() >= 10_000);
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let mesh = torus(1.0, 0.3, 200, 60);
    for settings in [BuildSettings::default(), BuildSettings::QUICK] {
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("pool");
            format!("{:?}", pool.install(|| ObbTree::build_with(&mesh, &settings)))
        };
        let one = with(1);
        assert!(one == with(2) && one == with(5), "{settings:?}");
    }
}

/// The same triangles with every vertex moved.
fn moved(mesh: &TriMesh, to: impl Fn(Point3<f32>) -> Point3<f32>) -> TriMesh {
    let vertices = mesh.vertices().iter().map(|&p| to(p)).collect();
    let moved = TriMesh::new(vertices, mesh.triangles().to_vec()).expect("sound");
    assert_eq!(moved.triangles().len(), mesh.triangles().len());
    moved
}

#[test]
fn a_refit_follows_the_vertices_and_says_how_much_it_lost() {
    let mesh = torus(1.0, 0.3, 100, 40);
    let mut tree = ObbTree::build(&mesh);
    assert_eq!(tree.degradation(), 1.0);
    assert!(tree.refit(&mesh).expect("the same mesh") <= 1.01);
    assert_eq!(tree.validate(&mesh), Ok(()));
    // Bent a little: still good. Twisted by a turn per metre: worse. Vertices swapped about: useless.
    let bent = moved(&mesh, |p| Point3::new(p.x, p.y, p.z + 0.1 * p.x * p.x));
    let twisted = moved(&mesh, |p| {
        let (s, c) = (6.0 * p.x).sin_cos();
        Point3::new(p.x, c * p.y - s * p.z, s * p.y + c * p.z)
    });
    let count = mesh.vertices().len();
    let scattered = TriMesh::new(
        (0..count).map(|v| mesh.vertices()[v * 1009 % count]).collect(),
        mesh.triangles().to_vec(),
    )
    .expect("sound");
    let mut found = Vec::new();
    for deformed in [&bent, &twisted, &scattered] {
        found.push(tree.refit(deformed).expect("as many triangles"));
        assert_eq!(tree.wants_rebuild(), found[found.len() - 1] >= REBUILD_AT);
        assert_eq!(tree.validate(deformed), Ok(()));
    }
    assert!(found[0] < 1.3 && found[1] > 1.3 && found[2] > 5.0, "{found:?}");
    assert!(tree.wants_rebuild());
    assert!(!ObbTree::build(&scattered).wants_rebuild());
    assert!(tree.refit(&torus(1.0, 0.3, 10, 10)).is_err());
    assert_eq!(tree.validate(&scattered), Ok(()), "a refused refit changes nothing");
}

#[test]
fn a_refit_changes_with_no_number_of_threads() {
    let mesh = torus(1.0, 0.3, 100, 40);
    let bent = moved(&mesh, |p| Point3::new(p.x, p.y, p.z + 0.1 * p.x * p.x));
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("pool");
        let mut tree = ObbTree::build(&mesh);
        pool.install(|| tree.refit(&bent)).expect("as many triangles");
        format!("{tree:?}")
    };
    assert!(with(1) == with(3));
}

#[test]
fn memory_per_triangle_stays_small() {
    let mesh = torus(1.0, 0.3, 200, 60);
    let tree = ObbTree::build(&mesh);
    let per_triangle = tree.bytes() as f64 / mesh.triangles().len() as f64;
    assert!(per_triangle < 90.0, "{per_triangle} bytes per triangle");
}

#[test]
fn a_tree_over_nothing_finds_nothing() {
    let mut cache = TreeCache::default();
    let torus = std::sync::Arc::new(torus(1.0, 0.3, 8, 8));
    let (tree, empty) = (cache.tree(&torus), ObbTree::default());
    let mut leaves = Vec::new();
    empty.overlapping(&tree.root(), 1.0, &mut leaves);
    assert_eq!((leaves.len(), empty.leaf_count(), empty.leaf_triangles(0).len()), (0, 0, 0));
    assert!(empty.validate(&torus).is_err());
}
