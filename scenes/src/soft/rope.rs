//! A rope that is drawn tight to a knot.

use nalgebra::{Isometry3, Point3, Vector3};

use super::{Fabric, Path, SoftContact, SoftDemand, SoftScene, Wind};
use crate::SceneError;
use crate::mesh::Rope;
use crate::scene::camera;

/// Rings at each end that are led.
const LED: u32 = 2;
/// The thickness of its skin (m).
const THICKNESS: f64 = 0.005;

pub(super) fn scene() -> Result<SoftScene, SceneError> {
    let rope = Rope::default();
    let mesh = rope.mesh()?;
    let Rope { along, across, .. } = rope;
    let vertex = |ring: u32, corner: u32| ring * across + corner % across;
    // Across each ring, and from it to the other side of the next: the rope keeps its roundness.
    let mut struts = Vec::new();
    for ring in 0..along {
        for corner in 0..across {
            let opposite = corner + across / 2;
            if corner < across / 2 {
                struts.push([vertex(ring, corner), vertex(ring, opposite)]);
            }
            if ring + 1 < along {
                struts.push([vertex(ring, corner), vertex(ring + 1, opposite)]);
            }
        }
    }
    let ends =
        [0, along - LED].map(|first| -> Vec<u32> { (first * across..(first + LED) * across).collect() });
    let of_end = |end: usize| mesh.vertices()[ends[end][0] as usize].cast::<f64>();
    let apart = (of_end(1) - of_end(0)).normalize();
    let led = |end: usize| {
        let way = apart * if end == 0 { -0.9 } else { 0.9 };
        let to =
            |time: f64, share: f64| (time, Isometry3::from_parts((way * share).into(), Default::default()));
        (ends[end].clone(), Path::new(vec![to(0.3, 0.0), to(8.0, 1.0)], Point3::origin()))
    };
    Ok(SoftScene {
        name: "rope".into(),
        color: [205, 170, 120],
        fabric: Fabric {
            held: ends.concat(),
            density: 0.5,
            compliance: [1e-4, 1e-1],
            bed: 0.0,
            damping: 3.0,
            friction: 0.2,
            struts,
            drag: 0.0,
        },
        movers: Vec::new(),
        contact: SoftContact::Apart { thickness: THICKNESS },
        led: vec![led(0), led(1)],
        sheet: mesh,
        wind: Wind::default(),
        meadow: None,
        camera: camera::camera(Point3::new(0.0, 0.2, 0.0), 1.1, 60.0),
        gravity: Vector3::zeros(),
        steps: 600,
        demands: vec![SoftDemand::Untangled, SoftDemand::Kept(0.25), SoftDemand::Folded(60)],
    })
}
