//! What one view sees of two closed meshes, line by line: for pictures, and for whoever wants to look at
//! a contact as the narrow phase does.

use impinge_geometry::{PairFrame, TriMesh};
use impinge_midphase::ObbTree;
use nalgebra::{Isometry3, Point3, Vector3};

use crate::columns::Obstacle;
use crate::layers::{Body, Layers};
use crate::view::{Axes, Extent, View};

/// A view along a direction over a square.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Glance {
    /// Where the view looks (world, unit).
    pub direction: Vector3<f64>,
    /// The middle of its square (m, world).
    pub center: Point3<f64>,
    /// Half the side of the square (m).
    pub half: f64,
    /// Pixels per side, from 1 to 1024.
    pub count: u32,
}

/// The lines of a view, pixel by pixel.
#[derive(Clone, Debug, PartialEq)]
pub struct Sight {
    /// Its axes (world): right, up, and where it looks.
    pub axes: Axes,
    /// Pixels per side.
    pub count: u32,
    /// Row after row, `count`² of them; pixel (0, 0) is least to the right and least up.
    pub lines: Vec<Line>,
}

/// The stretches of one line that lie inside each body.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Line {
    /// For A and for B: where each stretch begins and ends, along the view from the square's middle (m).
    pub solid: [Vec<[f64; 2]>; 2],
    /// How many surfaces the line crosses.
    pub layers: usize,
}

impl Line {
    /// The longest overlap of a stretch of A and one of B on this line (m); 0 where there is none.
    pub fn overlap(&self) -> f64 {
        let [a, b] = &self.solid;
        let meet = |a: &[f64; 2], b: &[f64; 2]| a[1].min(b[1]) - a[0].max(b[0]);
        a.iter().flat_map(|a| b.iter().map(move |b| meet(a, b))).fold(0.0, f64::max)
    }
}

/// Looks at two meshes at their poses.
pub fn sight(meshes: [&TriMesh; 2], poses: [&Isometry3<f64>; 2], glance: &Glance) -> Sight {
    let frame = PairFrame::new(poses[0], poses[1]);
    let trees = meshes.map(ObbTree::build);
    let bodies = [0, 1].map(|k| Body::Surface { mesh: meshes[k], tree: &trees[k] });
    let count = glance.count.clamp(1, 1024);
    let axes = Axes::towards(&glance.direction);
    let middle = glance.center - frame.to_world(&Point3::origin());
    let center = axes.coordinates(&middle);
    let extent = Extent {
        min: std::array::from_fn(|k| center[k] - glance.half),
        max: std::array::from_fn(|k| center[k] + glance.half),
    };
    let view = View::of_extent(&axes, &extent, count, glance.half * 1e-9);
    let (mut layers, mut obstacle) = (Layers::default(), Obstacle::default());
    let _ = layers.capture(&view, &frame, &bodies);
    obstacle.read(&mut layers, [false; 2], i32::MAX);
    let lines = (0..count * count)
        .map(|pixel| {
            let solid = obstacle.line(pixel).map(|stretches| {
                let depth = |z: i32| f64::from(z) * view.step - glance.half;
                stretches.iter().map(|s| [depth(s.open), depth(s.close)]).collect::<Vec<_>>()
            });
            let seen = layers.sorted((pixel % count) as usize, (pixel / count) as usize).len();
            Line { solid, layers: seen }
        })
        .collect();
    Sight { axes, count, lines }
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge_scenes::fixtures::box_mesh;

    #[test]
    fn two_cubes_overlap_in_a_slab() {
        // Cubes of side 2, one 1.75 above the other: along z they share a quarter, from 0.75 to 1.
        let cube = box_mesh([1.0; 3]);
        let above = Isometry3::translation(0.5, 0.0, 1.75);
        let glance = Glance { direction: Vector3::z(), center: Point3::origin(), half: 2.0, count: 16 };
        let seen = sight([&cube, &cube], [&Isometry3::identity(), &above], &glance);
        let both: Vec<&Line> = seen.lines.iter().filter(|line| line.overlap() > 0.0).collect();
        // From −0.5 to 1 along x and from −1 to 1 along y, pixels of a quarter.
        assert_eq!(both.len(), 6 * 8);
        for line in both {
            assert!((line.overlap() - 0.25).abs() < 1e-5, "{line:?}");
            assert!((line.solid[0][0][1] - 1.0).abs() < 1e-5, "{line:?}");
            assert!((line.solid[1][0][0] - 0.75).abs() < 1e-5, "{line:?}");
            assert_eq!(line.layers, 4);
        }
    }
}
