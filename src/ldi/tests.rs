use impinge_scenes::mesh::{Knot, Torus};
use nalgebra::Vector3;

use super::*;

fn bodies() -> ([TriMesh; 2], [Isometry3<f64>; 2]) {
    let meshes = [Knot::default().mesh().unwrap(), Torus::default().mesh().unwrap()];
    (meshes, [Isometry3::identity(), Isometry3::translation(0.2, 0.05, 0.1)])
}

/// A capturer on whatever adapter there is.
#[cfg(feature = "gpu")]
fn on_device(test: &str, capture: Capture) -> Option<Capturer> {
    impinge_gpu_narrow::testing::adapter_or_skip(test)?;
    Some(Capturer::new(capture).unwrap())
}

#[test]
#[cfg(feature = "gpu")]
fn all_ways_give_the_same_images() {
    let (meshes, poses) = bodies();
    let pair = [(&meshes[0], &poses[0]), (&meshes[1], &poses[1])];
    let view = LdiView::of_overlap(pair, Vector3::new(0.1, 0.4, 1.0), [64, 48]).unwrap().unwrap();
    let jobs = pair.map(|(mesh, pose)| LdiJob { mesh, pose, view, faces: Faces::Both });
    let wanted = Capturer::new(Capture::Software).unwrap().capture(&jobs).unwrap();
    assert!(wanted[0].intersection_volume(&wanted[1]).unwrap() > 0.0);
    for method in [Capture::Peeling, Capture::Unordered] {
        let Some(mut capturer) = on_device("methods of capture", method) else { return };
        assert_eq!(capturer.capture(&jobs).unwrap(), wanted);
        let status = CaptureStatus { method: Some(method), redone: 0, reason: None };
        assert_eq!(capturer.status(), &status);
        assert!(capturer.adapter().is_some());
    }
}

#[test]
#[cfg(feature = "gpu")]
fn what_a_device_leaves_is_scanned_and_said() {
    let (meshes, poses) = bodies();
    // So small a part of a torus that its triangles are larger than the view.
    let at = nalgebra::Point3::new(0.28 + 0.12 + 0.2, 0.05, 0.1);
    let view = LdiView::new(at, Vector3::z(), [0.002; 3], [32, 32]).unwrap();
    let Some(mut capturer) = on_device("what a device leaves", Capture::Peeling) else { return };
    let image = capturer.capture_one(&meshes[1], &poses[1], view).unwrap();
    assert_eq!(image, LayeredDepthImage::capture(&meshes[1], &poses[1], view).unwrap());
    assert_eq!(capturer.status().redone, 1);
    let reason = capturer.status().reason.clone().unwrap();
    assert!(reason.contains("larger than the view's lattice"), "{reason}");
}

#[test]
fn the_fastest_way_is_never_an_emulated_device() {
    let (meshes, poses) = bodies();
    let view = LdiView::of_body(&meshes[0], &poses[0], Vector3::z(), [32, 32]).unwrap();
    let mut capturer = Capturer::new(Capture::Auto).unwrap();
    for _ in 0..8 {
        let image = capturer.capture_one(&meshes[0], &poses[0], view).unwrap();
        assert_eq!(image, LayeredDepthImage::capture(&meshes[0], &poses[0], view).unwrap());
        if capturer.adapter().is_none() {
            assert_eq!(capturer.status().method, Some(Capture::Software));
        }
    }
    #[cfg(feature = "gpu")]
    for adapter in crate::gpu_narrow::adapters().iter().filter(|a| a.is_software()) {
        let error = Capturer::on_adapter(Capture::Auto, &adapter.name).unwrap_err();
        assert!(error.to_string().contains("emulated"), "{error}");
    }
    let error = Capturer::on_adapter(Capture::Peeling, "no such adapter").unwrap_err();
    assert!(matches!(error, BuildError::Backend { .. }), "{error}");
}

#[test]
fn a_job_that_cannot_be_done_is_refused_by_name() {
    let (meshes, poses) = bodies();
    let view = LdiView::of_body(&meshes[0], &poses[0], Vector3::z(), [32, 32]).unwrap();
    let far = Isometry3::translation(1e9, 0.0, 0.0);
    let mut capturer = Capturer::new(Capture::Software).unwrap();
    let error = capturer.capture_one(&meshes[0], &far, view).unwrap_err();
    assert!(matches!(error, LdiError::TooFar { .. }), "{error}");
    assert!(capturer.capture(&[]).unwrap().is_empty());
}
