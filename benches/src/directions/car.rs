//! A saloon car: a body with a cabin and four wheels with gaps between them and the body.

use std::f64::consts::TAU;

use impinge::prelude::*;

/// Length, width, height, radius of the wheels (m).
const SIZE: [f64; 4] = [4.2, 1.8, 1.4, 0.32];
/// Cross-sections of the body, and corners of each.
const BODY: [u32; 2] = [33, 24];
/// Corners of a wheel.
const WHEEL: u32 = 32;

/// The car along +x, standing on z = 0; closed, in five pieces.
pub fn mesh() -> anyhow::Result<TriMesh> {
    let [length, width, height, wheel] = SIZE;
    let floor = 1.15 * wheel;
    let belt = floor + 0.45 * (height - floor);
    let mut hull = Hull::default();
    hull.begin();
    for k in 0..BODY[0] {
        let t = f64::from(k) / f64::from(BODY[0] - 1);
        // Up to the roof between a third and two thirds of the length, by smooth slopes.
        let smooth = |from: f64, to: f64| {
            let s = ((t - from) / (to - from)).clamp(0.0, 1.0);
            s * s * (3.0 - 2.0 * s)
        };
        let top = belt + smooth(0.12, 0.32) * (1.0 - smooth(0.55, 0.72)) * (height - belt);
        let half = [0.5 * width * (1.0 - 0.12 * (2.0 * t - 1.0).powi(4)), 0.5 * (top - floor)];
        hull.ring(BODY[1], |sin, cos| {
            // A superellipse: a box with round edges.
            let round = |x: f64| x.signum() * x.abs().sqrt();
            [length * (t - 0.5), half[0] * round(cos), 0.5 * (top + floor) + half[1] * round(sin)]
        });
    }
    hull.end();
    for (x, y) in [(0.3, 1.0), (0.3, -1.0), (-0.3, 1.0), (-0.3, -1.0)] {
        hull.begin();
        for side in [-0.1, 0.1] {
            let at = [x * length, y * (0.5 * width - 0.12) + side, wheel];
            hull.ring(WHEEL, |sin, cos| [at[0] + wheel * sin, at[1], at[2] + wheel * cos]);
        }
        hull.end();
    }
    let mesh = TriMesh::new(hull.vertices, hull.triangles)?;
    anyhow::ensure!(mesh.is_closed() && mesh.components().len() == 5, "the car is closed, in five pieces");
    Ok(mesh)
}

/// Rings stretched over and closed at both ends.
#[derive(Default)]
struct Hull {
    vertices: Vec<Point3<f32>>,
    triangles: Vec<[u32; 3]>,
    rings: Vec<(u32, u32)>,
}

impl Hull {
    fn begin(&mut self) {
        self.rings.clear();
    }

    fn ring(&mut self, count: u32, place: impl Fn(f64, f64) -> [f64; 3]) {
        self.rings.push((self.vertices.len() as u32, count));
        self.vertices.extend((0..count).map(|j| {
            let (sin, cos) = (TAU * f64::from(j) / f64::from(count)).sin_cos();
            Point3::from(place(sin, cos).map(|x| x as f32))
        }));
    }

    fn end(&mut self) {
        for pair in self.rings.windows(2) {
            let ((a, n), (b, _)) = (pair[0], pair[1]);
            for j in 0..n {
                let next = (j + 1) % n;
                self.triangles.push([a + j, a + next, b + j]);
                self.triangles.push([a + next, b + next, b + j]);
            }
        }
        if let (Some(&(a, n)), Some(&(b, _))) = (self.rings.first(), self.rings.last()) {
            self.triangles.extend((1..n - 1).map(|k| [a, a + k + 1, a + k]));
            self.triangles.extend((1..n - 1).map(|k| [b, b + k, b + k + 1]));
        }
    }
}
