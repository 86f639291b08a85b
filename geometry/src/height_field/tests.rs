//! The field against the mesh of the same triangles, and edits against new fields of the same heights.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::*;
use crate::mesh::NO_FACE;

/// Heights with gaps, cells taken out and diagonals of both kinds.
#[derive(Clone, Debug)]
struct Ground {
    size: [u32; 2],
    heights: Vec<f32>,
    settings: HeightFieldSettings,
}

impl Ground {
    fn made(&self) -> Result<HeightField, HeightFieldError> {
        HeightField::new(self.size, self.heights.clone(), &self.settings)
    }
}

fn ground(most: u32, gaps: f64) -> impl Strategy<Value = Ground> {
    let gaps = 0.0..=gaps;
    ([2..=most, 2..=most], gaps, any::<u64>(), crate::fixtures::scale()).prop_map(
        |(size, gaps, seed, scale)| {
            let mut state = seed | 1;
            let mut random = move || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 11) as f64 / (1u64 << 53) as f64
            };
            let count = (size[0] * size[1]) as usize;
            let scale = scale as f32;
            let mut height = || match random() < gaps {
                true => f32::NAN,
                // Now and then a needle or a pit.
                false => scale * (random() * if random() < 0.1 { 40.0 } else { 1.0 }) as f32,
            };
            let heights: Vec<f32> = (0..count).map(|_| height()).collect();
            let holes =
                if gaps > 0.2 { (0..count).map(|_| random() < 0.5 * gaps).collect() } else { Vec::new() };
            let diagonals = match (random() * 3.0) as u32 {
                0 => Diagonals::Rising,
                1 => Diagonals::Falling,
                _ => Diagonals::PerCell((0..count).map(|_| random() < 0.5).collect()),
            };
            let bottom = (random() < 0.5).then_some(-scale);
            let spacing = [scale, scale * (0.3 + random() as f32)];
            Ground { size, heights, settings: HeightFieldSettings { spacing, bottom, diagonals, holes } }
        },
    )
}

/// Everything that numbers say of triangles and edges, against what the mesh found out.
fn check_numbers(field: &HeightField) {
    let FieldMesh { mesh, triangles } = field.to_mesh().unwrap();
    assert!(mesh.is_closed(), "{:?}", mesh.report());
    assert_eq!(mesh.triangles().len(), triangles.len());
    let all: BTreeSet<u32> = (0..field.bound()).filter(|&t| field.has_triangle(t)).collect();
    assert_eq!(all.iter().copied().collect::<Vec<_>>(), triangles);
    let mut edge_of = BTreeMap::new();
    for (own, &t) in triangles.iter().enumerate() {
        assert_eq!(mesh.corners(own as u32), field.corners(t));
        assert_eq!(mesh.is_virtual(own as u32), t >= field.first_virtual());
        let (vertices, edges) = (field.vertices_of(t), field.edges_of(t));
        for k in 0..3 {
            assert!(field.has_vertex(vertices[k]));
            let own_edge = mesh.triangle_edges()[own][k];
            let edge = field.edge(edges[k]);
            let (p, q) = (vertices[k], vertices[(k + 1) % 3]);
            assert_eq!(edge.vertices, [p.min(q), p.max(q)], "edge {k} of {t}");
            // The lower vertex is the same one.
            let places = mesh.edges()[own_edge as usize].vertices.map(|v| mesh.vertices()[v as usize]);
            assert_eq!(places, edge.vertices.map(|v| field.vertex(v)));
            assert_eq!(*edge_of.entry(own_edge).or_insert(edges[k]), edges[k]);
            let faces: Vec<u32> = field.edge_faces(edges[k]).to_vec();
            let expected: Vec<u32> =
                mesh.edge_faces(own_edge).iter().map(|&face| triangles[face as usize]).collect();
            assert_eq!(faces, expected);
            assert_eq!(edge.faces, [expected[0], expected.get(1).copied().unwrap_or(NO_FACE)]);
        }
    }
    let distinct: BTreeSet<u32> = edge_of.values().copied().collect();
    assert_eq!(distinct.len(), edge_of.len(), "two edges have one number");
    assert_eq!(field.components().len(), mesh.components().len());
    for (own, &t) in triangles.iter().enumerate() {
        let component = mesh.vertices()[mesh.component_of(own as u32) as usize];
        assert_eq!(field.vertex(field.components()[field.shell_of(t) as usize]), component);
    }
    let first: BTreeSet<u32> = mesh.shells().iter().map(|&t| triangles[t as usize]).collect();
    assert_eq!(first, field.shells().iter().copied().collect());
    let (of_mesh, of_field) = (mesh.mass_properties().unwrap(), field.mass_properties().unwrap());
    assert!((of_field.volume / of_mesh.volume - 1.0).abs() < 1e-6);
    let aabb = mesh.aabb();
    assert!(field.aabb().contains(&aabb));
    assert_eq!(field.aabb().min[2], aabb.min[2]);
}

/// The blocks hold their samples, tightly, and say where walls are.
fn check_levels(field: &HeightField) {
    for (level, bits) in BLOCK_BITS.iter().enumerate().take(field.top_level() + 1) {
        let blocks = field.blocks(level);
        for at in (0..blocks[1]).flat_map(|y| (0..blocks[0]).map(move |x| [x, y])) {
            let range = |k: usize| (at[k] << bits[k])..=(((at[k] + 1) << bits[k]).min(field.size[k] - 1));
            let heights = range(1).flat_map(|j| range(0).map(move |i| [i, j])).map(|at| field.height(at));
            let expected =
                heights.fold([f32::INFINITY, f32::NEG_INFINITY], |[low, high], h| [low.min(h), high.max(h)]);
            assert_eq!(field.bounds(level, at), expected, "level {level}, {at:?}");
            let own = |k: usize| (at[k] << bits[k])..(((at[k] + 1) << bits[k]).min(field.size[k]));
            let walls = own(1)
                .flat_map(|j| own(0).map(move |i| [i, j]))
                .any(|at| (0..3).any(|d| field.has_wall(3 * field.vertex_at(at) + d)));
            assert_eq!(field.has_walls(level, at), walls, "level {level}, {at:?}");
        }
    }
}

#[test]
fn a_flat_field_is_a_slab() {
    let settings = HeightFieldSettings { bottom: Some(-0.5), ..HeightFieldSettings::default() };
    let field = HeightField::new([5, 4], vec![0.0; 20], &settings).unwrap();
    check_numbers(&field);
    check_levels(&field);
    let mass = field.mass_properties().unwrap();
    assert!((mass.volume - 4.0 * 3.0 * 0.5).abs() < 1e-12);
    assert!((mass.center - Point3::new(2.0, 1.5, -0.25)).norm() < 1e-12);
    for (at, inside) in [
        ([1.2, 2.3, -0.1], true),
        ([1.2, 2.3, 0.1], false),
        ([1.2, 2.3, -0.6], false),
        ([4.1, 1.0, -0.1], false),
    ] {
        assert_eq!(field.holds(&Point3::from(at)), inside, "{at:?}");
    }
}

#[test]
fn a_sample_that_is_none_takes_the_triangles_round_it_away() {
    let mut heights = vec![1.0f32; 25];
    heights[12] = f32::NAN;
    let field = HeightField::new([5, 5], heights, &HeightFieldSettings::default()).unwrap();
    check_numbers(&field);
    check_levels(&field);
    // Six of 32; a hole through the ground.
    assert_eq!(field.terrain().count(), 26);
    assert!(field.holds(&Point3::new(0.5, 0.5, 0.9)) && !field.holds(&Point3::new(2.1, 1.9, 0.9)));
    assert_eq!(field.bottom(), 1.0 - 4.0);
}

#[test]
fn islands_are_told_apart() {
    let mut heights = vec![0.5f32; 7 * 5];
    for j in 0..5 {
        heights[7 * j + 3] = f32::NAN;
    }
    let field = HeightField::new([7, 5], heights, &HeightFieldSettings::default()).unwrap();
    check_numbers(&field);
    assert_eq!(field.components().len(), 2);
}

#[test]
fn quantized_samples_are_what_they_say() {
    let values: Vec<u16> = (0..30).map(|k| (k * 2_111 % 65_536) as u16).collect();
    let settings = HeightFieldSettings { spacing: [0.25, 0.5], ..HeightFieldSettings::default() };
    let field = HeightField::quantized([6, 5], values.clone(), [-3.0, 1e-3], &settings).unwrap();
    let heights = values.iter().map(|&q| -3.0 + 1e-3 * f32::from(q)).collect();
    let same = HeightField::new([6, 5], heights, &settings).unwrap();
    check_numbers(&field);
    for t in same.triangles() {
        assert_eq!(same.corners(t), field.corners(t));
    }
    assert!(field.bytes() < same.bytes());
}

#[test]
fn what_is_no_field_is_refused() {
    use HeightFieldError as E;
    let usual = HeightFieldSettings::default();
    let new = |size, heights: &[f32], settings: &HeightFieldSettings| {
        HeightField::new(size, heights.to_vec(), settings).unwrap_err()
    };
    assert!(matches!(new([1, 4], &[0.0; 4], &usual), E::Size { size: [1, 4] }));
    assert!(matches!(new([2, 20_000], &[0.0; 40_000], &usual), E::Size { .. }));
    assert!(matches!(
        new([2, 2], &[0.0; 5], &usual),
        E::Count { what: "samples", given: 5, expected: 4, .. }
    ));
    for bad in [0.0, -1.0, f32::NAN, f32::INFINITY, 1e30] {
        let settings = HeightFieldSettings { spacing: [1.0, bad], ..usual.clone() };
        assert!(matches!(new([3, 3], &[0.0; 9], &settings), E::Spacing { axis: "y", .. }), "{bad}");
    }
    for bad in [f32::INFINITY, f32::NEG_INFINITY, 2e30] {
        assert!(matches!(new([2, 2], &[0.0, 0.0, bad, 0.0], &usual), E::Height { sample: [0, 1], .. }));
    }
    for bottom in [0.0, 1.0, f32::NAN, f32::NEG_INFINITY, -2e30] {
        let settings = HeightFieldSettings { bottom: Some(bottom), ..usual.clone() };
        assert!(
            matches!(new([2, 2], &[1.0, 0.0, 1.0, 1.0], &settings), E::Bottom { sample: [1, 0], .. }),
            "{bottom}"
        );
    }
    assert!(matches!(new([2, 2], &[f32::NAN; 4], &usual), E::Empty));
    // One corner less leaves one triangle of two, two less none.
    let one = [f32::NAN, 0.0, 0.0, 0.0];
    assert!(matches!(new([2, 2], &one, &usual), E::Empty));
    let falling = HeightFieldSettings { diagonals: Diagonals::Falling, ..usual.clone() };
    assert_eq!(HeightField::new([2, 2], one.to_vec(), &falling).unwrap().terrain().count(), 1);
    let holes = HeightFieldSettings { holes: vec![true; 3], ..usual.clone() };
    assert!(matches!(new([2, 2], &[0.0; 4], &holes), E::Count { what: "holes", .. }));
    let falls = HeightFieldSettings { diagonals: Diagonals::PerCell(vec![]), ..usual.clone() };
    assert!(matches!(new([2, 2], &[0.0; 4], &falls), E::Count { what: "diagonals", .. }));
    let scale = HeightField::quantized([2, 2], vec![0; 4], [0.0, f32::NAN], &usual);
    assert!(matches!(scale, Err(E::Scale { what: "step", .. })));
}

#[test]
fn edits_that_cannot_be_taken_change_nothing() {
    use HeightFieldError as E;
    let settings = HeightFieldSettings { bottom: Some(-1.0), ..HeightFieldSettings::default() };
    let mut field = HeightField::new([4, 4], vec![0.0; 16], &settings).unwrap();
    let before = format!("{field:?}");
    let mut refused = |first, count, heights: &[f32]| field.set_heights(first, count, heights).unwrap_err();
    assert!(matches!(refused([3, 0], [2, 1], &[0.0; 2]), E::OutOfRange { .. }));
    assert!(matches!(refused([0, u32::MAX], [1, 2], &[0.0; 2]), E::OutOfRange { .. }));
    assert!(matches!(refused([0, 0], [2, 2], &[0.0; 3]), E::Count { given: 3, expected: 4, .. }));
    assert!(matches!(refused([1, 1], [2, 1], &[0.0, f32::INFINITY]), E::Height { sample: [2, 1], .. }));
    assert!(matches!(refused([1, 1], [2, 1], &[0.0, -1.0]), E::Bottom { sample: [2, 1], .. }));
    assert!(matches!(refused([0, 0], [4, 4], &[f32::NAN; 16]), E::Empty));
    assert!(matches!(field.set_quantized([0, 0], [1, 1], &[0]), Err(E::Form { .. })));
    assert_eq!(format!("{field:?}"), before);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn numbers_are_those_of_the_mesh(ground in ground(11, 0.4)) {
        let Ok(field) = ground.made() else { return Ok(()) };
        check_numbers(&field);
        check_levels(&field);
    }

    #[test]
    fn larger_fields_have_sound_blocks(ground in ground(70, 0.02)) {
        let Ok(field) = ground.made() else { return Ok(()) };
        check_levels(&field);
    }

    /// After edits the field is what it would be if it were made of the heights that it has.
    #[test]
    fn an_edited_field_is_one_made_anew(
        ground in ground(24, 0.1),
        edits in prop::collection::vec(([0u32..24, 0u32..24], [0u32..9, 0u32..9], 0.0f32..3.0, any::<bool>()), 1..6),
    ) {
        let mut ground = ground;
        // The bottom must not depend on the heights.
        ground.settings.bottom = Some(-100.0 * ground.settings.spacing[0]);
        let Ok(mut field) = ground.made() else { return Ok(()) };
        for (first, count, height, gap) in edits {
            let first = [0, 1].map(|k| first[k].min(ground.size[k] - 1));
            let count = [0, 1].map(|k| count[k].min(ground.size[k] - first[k]));
            let heights: Vec<f32> = (0..count[0] * count[1])
                .map(|k| if gap && k % 5 == 0 { f32::NAN } else { ground.settings.spacing[0] * (height + k as f32 * 0.1) })
                .collect();
            let mut next = ground.clone();
            for j in 0..count[1] {
                for i in 0..count[0] {
                    let at = ((first[1] + j) * ground.size[0] + first[0] + i) as usize;
                    next.heights[at] = heights[(j * count[0] + i) as usize];
                }
            }
            match (field.set_heights(first, count, &heights), next.made()) {
                (Ok(edit), Ok(made)) => {
                    check_levels(&field);
                    prop_assert_eq!(field.triangles().collect::<Vec<_>>(), made.triangles().collect::<Vec<_>>());
                    prop_assert_eq!(field.components(), made.components());
                    prop_assert_eq!(field.shells(), made.shells());
                    prop_assert_eq!(field.aabb(), made.aabb());
                    for t in made.triangles() {
                        prop_assert_eq!(field.corners(t), made.corners(t));
                        prop_assert_eq!(field.shell_of(t), made.shell_of(t));
                    }
                    if count[0] * count[1] > 0 {
                        prop_assert!(edit.changed.min[0] >= 0.0 && edit.changed.min[2] >= made.bottom());
                        // The highest of all cells that have one of the samples, before or after.
                        let near = |at: u32, k: usize| at + 1 >= first[k] && at <= first[k] + count[k];
                        let highest = [&ground.heights, &next.heights].into_iter().flat_map(|heights| {
                            (0..).zip(heights).filter(|&(at, h): &(u32, &f32)| {
                                let [i, j] = [at % ground.size[0], at / ground.size[0]];
                                near(i, 0) && near(j, 1) && !h.is_nan()
                            })
                        });
                        let highest = highest.map(|(_, &h)| h).fold(f32::NEG_INFINITY, f32::max);
                        if highest.is_finite() {
                            prop_assert_eq!(edit.changed.max[2], highest);
                        }
                    }
                    ground = next;
                }
                (Err(edited), Err(made)) => prop_assert_eq!(edited, made),
                (edited, made) => prop_assert!(false, "{:?} {:?}", edited, made.map(|_| ())),
            }
        }
    }
}
