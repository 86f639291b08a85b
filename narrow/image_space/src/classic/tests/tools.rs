//! Lombardo, Cani and Neyret against the exact test of every face.

use impinge_exact::intersect::{IntersectScratch, Surfaces, triangle_pairs};
use impinge_geometry::{PairFrame, TriMesh};
use impinge_midphase::ObbTree;
use impinge_scenes::fixtures::sphere_mesh;
use impinge_scenes::random::Random;
use nalgebra::{Isometry3, Point3, Vector3};

use super::super::*;

/// Faces of the tissue that touch the tool: they cross its surface, or have a corner inside.
fn exact(tool: &TriMesh, pose: &Isometry3<f64>, tissue: &TriMesh) -> Vec<u32> {
    let trees = [ObbTree::build(tool), ObbTree::build(tissue)];
    let here = Isometry3::identity();
    let frame = PairFrame::new(pose, &here);
    let surfaces = Surfaces { meshes: [tool.into(), tissue.into()], trees: trees.each_ref(), frame: &frame };
    let mut pairs = Vec::new();
    triangle_pairs(&surfaces, &mut IntersectScratch::default(), &mut pairs);
    let mut faces: Vec<u32> = pairs.iter().map(|pair| pair[1]).collect();
    let within = |v: &Point3<f32>| tool.winding_number(&pose.inverse_transform_point(&v.cast())) > 0.5;
    faces.extend((0..tissue.triangles().len() as u32).filter(|&t| tissue.corners(t).iter().any(within)));
    faces.sort_unstable();
    faces.dedup();
    faces
}

fn settings(pixels: u32, dilated: bool) -> ToolSettings {
    ToolSettings { direction: Vector3::new(0.2, 0.1, 1.0), pixels, dilated }
}

#[test]
fn faces_are_those_of_the_exact_test() {
    let tissue = sphere_mesh(1.0, 40, 20);
    let here = Isometry3::identity();
    let body = ClassicBody::new(&tissue, &here);
    let raster = &mut FrameBuffer::default();
    for pixels in [64, 256] {
        let (mut random, mut all, mut missed, mut falsely, mut extra, mut hits) =
            (Random::new(13), 0, 0, 0, 0, [0; 3]);
        for _ in 0..100 {
            let sweep = random.direction().cast::<f32>() * 0.3;
            let tool = ToolVolume::swept_box([0.1, 0.08, 0.4], sweep).unwrap();
            let pose =
                Isometry3::from_parts((random.direction() * (0.3 + random.unit())).into(), random.rotation());
            let wanted = exact(tool.mesh(), &pose, &tissue);
            let found = lombardo(&tool, &pose, &body, settings(pixels, false), raster).unwrap().triangles;
            let sure = lombardo(&tool, &pose, &body, settings(pixels, true), raster).unwrap().triangles;
            assert!(wanted.iter().all(|t| sure.binary_search(t).is_ok()), "with dilation none is missed");
            all += wanted.len();
            missed += wanted.iter().filter(|t| found.binary_search(t).is_err()).count();
            falsely += found.iter().filter(|t| wanted.binary_search(t).is_err()).count();
            extra += sure.len() - wanted.len();
            hits[0] += usize::from(!wanted.is_empty());
            hits[1] += usize::from(!wanted.is_empty() && found.is_empty());
            hits[2] += usize::from(wanted.is_empty() && !found.is_empty());
        }
        println!(
            "lombardo {pixels}: {all} faces, missed {missed}, false {falsely}, dilated {extra} more, {hits:?}"
        );
        assert!(all > 1000 && hits[0] > 40 && hits[2] == 0);
        assert!(missed * 5 < all && falsely * 200 < all && hits[1] <= 8);
        assert!(extra < all, "dilation stays near the tool");
    }
}

#[test]
fn a_sweep_finds_what_lies_between() {
    let patch = TriMesh::new(
        [[0.4, -0.01, 0.0], [0.42, 0.01, 0.0], [0.4, 0.02, 0.01]].map(Point3::from).to_vec(),
        vec![[0, 1, 2]],
    )
    .unwrap();
    let (here, raster) = (Isometry3::identity(), &mut FrameBuffer::default());
    let body = ClassicBody::new(&patch, &here);
    let mut ask = |sweep: f32| {
        let tool = ToolVolume::swept_box([0.1; 3], Vector3::new(sweep, 0.0, 0.0)).unwrap();
        lombardo(&tool, &here, &body, settings(128, false), raster).unwrap().triangles
    };
    assert_eq!(ask(0.0), [0u32; 0]);
    assert_eq!(ask(0.8), [0]);
    assert!(matches!(ToolVolume::swept_box([0.0; 3], Vector3::x()), Err(ClassicError::Tool { .. })));
}
