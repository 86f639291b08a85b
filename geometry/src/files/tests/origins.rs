//! Coordinates far from the origin.

use nalgebra::Vector3;
use proptest::prelude::*;

use super::*;
use crate::mesh::RepairSettings;
use crate::{Composite, Shape};

/// A box as text, with `digits` decimals.
fn box_text(name: &str, low: [f64; 3], high: [f64; 3], digits: usize) -> String {
    let unit = crate::fixtures::box_arrays([0.0; 3], [1.0; 3]);
    let place = |p: &Point3<f32>| -> [String; 3] {
        std::array::from_fn(|k| format!("{:.digits$}", if p[k] < 0.5 { low[k] } else { high[k] }))
    };
    let places: Vec<String> = unit.0.iter().map(|p| place(p).join(" ")).collect();
    let corners = unit.1.iter();
    match name.rsplit('.').next() {
        Some("obj") => {
            let places = places.iter().map(|p| format!("v {p}\n"));
            places.chain(corners.map(|t| format!("f {} {} {}\n", t[0] + 1, t[1] + 1, t[2] + 1))).collect()
        }
        Some("off") => {
            let head = std::iter::once("OFF\n8 12 0\n".to_owned());
            let places = places.iter().map(|p| format!("{p}\n"));
            head.chain(places).chain(corners.map(|t| format!("3 {} {} {}\n", t[0], t[1], t[2]))).collect()
        }
        Some("ply") => {
            let head = std::iter::once(
                "ply\nformat ascii 1.0\nelement vertex 8\nproperty double x\nproperty double y\nproperty double z\n\
                 element face 12\nproperty list uchar int vertex_index\nend_header\n"
                    .to_owned(),
            );
            let places = places.iter().map(|p| format!("{p}\n"));
            head.chain(places).chain(corners.map(|t| format!("3 {} {} {}\n", t[0], t[1], t[2]))).collect()
        }
        _ => {
            let facet = |t: &[u32; 3]| {
                let vertices = t.map(|v| format!("vertex {}\n", places[v as usize])).concat();
                format!("facet normal 0 0 0\nouter loop\n{vertices}endloop\nendfacet\n")
            };
            format!("solid\n{}endsolid\n", corners.map(facet).collect::<String>())
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// A box of a few decimetres and more, anywhere on a grid: its volume and its places are kept.
    #[test]
    fn a_box_on_a_survey_grid_keeps_its_digits(
        far in prop::array::uniform3(-6_000_000i64..6_000_000),
        sides in prop::array::uniform3(20u32..9000),
        format in prop::sample::select(vec!["a.obj", "a.off", "a.ply", "a.stl"]),
    ) {
        let low: [f64; 3] = far.map(|x| x as f64 + 0.37);
        let high: [f64; 3] = std::array::from_fn(|k| low[k] + f64::from(sides[k]) * 0.01);
        let folder = Folder::new();
        let path = folder.write(format, box_text(format, low, high, 2));
        let (mesh, origin) = TriMesh::load_placed(&path, Some(&RepairSettings::default())).unwrap();
        let right: f64 = sides.iter().map(|side| f64::from(*side) * 0.01).product();
        prop_assert!((volume(&mesh) / right - 1.0).abs() < 1e-5, "{} is not {right}", volume(&mesh));
        let size = Vector3::from(sides.map(|side| f64::from(side) * 0.01)).norm();
        for k in 0..3 {
            let found = [mesh.aabb().min[k], mesh.aabb().max[k]].map(|x| f64::from(x) + origin[k]);
            prop_assert!((found[0] - low[k]).abs() < 2e-6 * size && (found[1] - high[k]).abs() < 2e-6 * size);
        }
        prop_assert!(mesh.repairs().rounding <= 1e-6 * size);
    }

    /// Two files of one site: as children of one composite they stand where the files put them.
    #[test]
    fn files_of_one_site_stay_in_one_frame(far in prop::array::uniform3(-6_000_000i64..6_000_000), gap in 1u32..5000) {
        let low: [f64; 3] = far.map(|x| x as f64 + 0.1);
        let shifted = |by: f64| low.map(|x| x + by);
        let folder = Folder::new();
        let gap = f64::from(gap) * 0.1;
        let one = folder.write("one.obj", box_text("one.obj", low, shifted(0.3), 1));
        let other = folder.write("other.stl", box_text("other.stl", shifted(gap), shifted(gap + 0.7), 1));
        let Shape::Composite(site) = Shape::from_files([one, other]).unwrap() else { panic!("files give composites") };
        let corner = |site: &Composite, child: usize| {
            let (pose, shape) = &site.children()[child];
            let Shape::Mesh(mesh) = shape else { panic!("files give meshes") };
            pose * Point3::from(mesh.aabb().min).cast::<f64>()
        };
        let apart = corner(&site, 1) - corner(&site, 0);
        prop_assert!((apart - Vector3::repeat(gap)).amax() < 2e-6, "{apart} for {gap}");
    }
}

#[test]
fn meshes_that_lose_nothing_have_no_origin() {
    let folder = Folder::new();
    for (low, high, digits) in
        [([0.0; 3], [0.1; 3], 4), ([1.0; 3], [3.5; 3], 6), ([432_512.0; 3], [432_516.0; 3], 1)]
    {
        let path = folder.write("a.obj", box_text("a.obj", low, high, digits));
        let (mesh, origin) = TriMesh::load_placed(&path, None).unwrap();
        assert_eq!(origin, Vector3::zeros());
        assert_eq!(corners(&mesh), corners(&TriMesh::load(&path).unwrap()));
    }
}
