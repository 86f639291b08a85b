//! An object that changes its shape is redrawn only where its environment reaches it.

use std::ops::{ControlFlow, Range};

use impinge_geometry::Shape;
use impinge_midphase::Solid;
use impinge_midphase::obb_tree::Covered;
use nalgebra::Isometry3;

use super::gate::covered_by;
use super::profile::Region;
use super::{AgainstScratch, Bounds, HeightMapError, Obstacle, Profile};

impl Profile {
    /// As [`Profile::redraw`], but draws only where these obstacles may decide anything with the object at
    /// `pose`: what is asked next of the same obstacles, pose and bounds has the same answer, and nothing
    /// else may be asked.
    ///
    /// # Errors
    /// As [`Profile::new`]; the profile then is as it was.
    pub fn redraw_against(
        &mut self,
        shape: &Shape,
        pose: &Isometry3<f64>,
        obstacles: &[Obstacle],
        bounds: Bounds,
        scratch: &mut AgainstScratch,
    ) -> Result<(), HeightMapError> {
        self.place(shape)?;
        let region = self.reached(pose, obstacles, bounds, scratch);
        self.draw(&region);
        Ok(())
    }

    /// The pixels of the object's box that obstacles may cover within the bounds.
    fn reached(
        &self,
        pose: &Isometry3<f64>,
        obstacles: &[Obstacle],
        bounds: Bounds,
        scratch: &mut AgainstScratch,
    ) -> Region {
        let whole = self.whole();
        let hair = 1e-5 * self.length();
        let near = if bounds == Bounds::Terrain { f64::NEG_INFINITY } else { -hair };
        let [width, height] = self.plane().pixels().map(f64::from);
        let limits = [[-1.0, width + 1.0], [-1.0, height + 1.0], [near, self.length() + hair]];
        // What is no number is everywhere.
        let meets = |covered: &Covered| {
            let apart =
                |k: usize| f64::from(covered[k][1]) < limits[k][0] || f64::from(covered[k][0]) > limits[k][1];
            !(apart(0) || apart(1) || apart(2))
        };
        let (mut low, mut high) = ([f32::INFINITY; 2], [f32::NEG_INFINITY; 2]);
        for obstacle in obstacles {
            let relative = pose.inv_mul(&obstacle.pose);
            for part in obstacle.shape.parts() {
                if matches!(part.solid, Solid::Primitive(_)) {
                    return whole;
                }
                let Some(surface) = &part.surface else { continue };
                let projection = self.plane().projection(&(relative * part.pose));
                let leaf = |leaf| {
                    for triangle in surface.tree.leaf_triangles(leaf) {
                        let c = surface.faces().corners(triangle).map(|p| projection.at(p.into()));
                        let covered = covered_by(&c);
                        for k in 0..2 {
                            if meets(&covered) {
                                low[k] = low[k].min(covered[k][0]);
                                high[k] = high[k].max(covered[k][1]);
                            }
                        }
                    }
                    ControlFlow::Continue(())
                };
                let _ = surface.tree.projected(&projection, meets, leaf, &mut scratch.stack);
            }
        }
        let range = |k: usize, all: &Range<u32>| {
            // A float too large for u32, or negative, is held at the range's ends.
            let first = ((low[k] - 1.0).floor() as u32).min(all.end);
            first..((high[k] + 1.0).ceil() as u32).clamp(first, all.end)
        };
        Region { columns: range(0, &whole.columns), rows: range(1, &whole.rows) }
    }
}
