//! What an environment is made of beside shapes: triangles, lines and points of which no tree is built.

use std::ops::ControlFlow;

use impinge_geometry::PoseError;
use impinge_geometry::canonical::checked_pose;
use impinge_midphase::obb_tree::{Covered, Projection};
use nalgebra::{Isometry3, Point3, Vector3};

use super::draw::beyond;
use super::gate::{Gate, covered_by};
use super::{Hit, Obstacle};
use crate::coverage::rows::{Window, cover};

/// What the vertices of a piece of an environment make up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Topology {
    /// Three corners each, counter-clockwise seen from outside.
    Triangles,
    /// Two ends each.
    Lines,
    /// One place each.
    Points,
}

impl Topology {
    /// Vertices of one primitive.
    pub fn corners(self) -> u32 {
        match self {
            Topology::Triangles => 3,
            Topology::Lines => 2,
            Topology::Points => 1,
        }
    }
}

/// Triangles, lines or points of an environment as they are in this moment: nothing is prepared of them, so that they may be others with every question (a
/// cloth, plants, sparks). All of them are placed each time, and looked at where what they cover meets the object. A line fills the pixels that its ends are in, and one in each column or row that it
/// goes through, whichever are more; a point the pixel that it is in.
#[derive(Clone, Copy, Debug)]
pub struct LooseObstacle<'e> {
    /// What the vertices make up.
    pub topology: Topology,
    /// Their places (m, its own frame); what has one that is not finite is passed over.
    pub places: &'e [Point3<f32>],
    /// Corners by their numbers, if places are not corners one after the other.
    pub corners: Option<&'e [u32]>,
    /// Where it stands in the world.
    pub pose: Isometry3<f64>,
    /// What pixels in which it is hit are to say.
    pub body: u32,
}

/// Loose primitives that cannot be looked at.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LooseError {
    /// The corners make up no whole number of primitives.
    #[error("{count} corners, which is no multiple of {corners}")]
    Count {
        /// Corners given.
        count: usize,
        /// Corners of a primitive.
        corners: u32,
    },
    /// A corner that is not there.
    #[error("corner {corner} is place {place}; there are {places} places")]
    Corner {
        /// Which corner.
        corner: usize,
        /// The place it names.
        place: u32,
        /// How many there are.
        places: usize,
    },
    /// The pose cannot be used.
    #[error("pose: {0}")]
    Pose(#[from] PoseError),
}

/// What an object is held against: shapes with their trees, and what has none. Made of a list of [`Obstacle`]s alone by `into`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Environment<'e> {
    /// Shapes.
    pub obstacles: &'e [Obstacle],
    /// What no tree is built of.
    pub loose: &'e [LooseObstacle<'e>],
}

impl<'e> From<&'e [Obstacle]> for Environment<'e> {
    fn from(obstacles: &'e [Obstacle]) -> Environment<'e> {
        Environment { obstacles, loose: &[] }
    }
}

impl<'e, const N: usize> From<&'e [Obstacle; N]> for Environment<'e> {
    fn from(obstacles: &'e [Obstacle; N]) -> Environment<'e> {
        Environment { obstacles, loose: &[] }
    }
}

impl<'e> From<&'e Vec<Obstacle>> for Environment<'e> {
    fn from(obstacles: &'e Vec<Obstacle>) -> Environment<'e> {
        Environment { obstacles, loose: &[] }
    }
}

impl LooseObstacle<'_> {
    /// Whether it can be looked at.
    ///
    /// # Errors
    /// [`LooseError`].
    pub fn check(&self) -> Result<(), LooseError> {
        let (count, each) = (self.corners.map_or(self.places.len(), <[u32]>::len), self.topology.corners());
        if !count.is_multiple_of(each as usize) {
            return Err(LooseError::Count { count, corners: each });
        }
        let places = self.places.len();
        let unknown = |(_, place): &(usize, &u32)| **place as usize >= places;
        if let Some((corner, &place)) = self.corners.unwrap_or(&[]).iter().enumerate().find(unknown) {
            return Err(LooseError::Corner { corner, place, places });
        }
        checked_pose(&self.pose)?;
        Ok(())
    }

    /// Where the corners of a primitive are in a list like that of the places; `None` where one is not there.
    #[inline(always)]
    fn primitive<T: Copy>(&self, places: &[T], number: usize) -> Option<[T; 3]> {
        let each = self.topology.corners() as usize;
        let corner = |k: usize| {
            let at = number * each + k;
            let at = self.corners.map_or(Some(at), |corners| corners.get(at).map(|&place| place as usize))?;
            places.get(at).copied()
        };
        // What is not a corner is where the first is.
        let first = corner(0)?;
        let other = |k: usize| if k < each { corner(k) } else { Some(first) };
        Some([first, other(1)?, other(2)?])
    }

    /// Where all places appear; what is not finite is no number. And what they cover, by which no pixel is left out.
    fn project(&self, projection: &Projection, out: &mut Vec<[f64; 3]>) -> Covered {
        let mut covered = [[f64::INFINITY, f64::NEG_INFINITY]; 3];
        out.clear();
        out.extend(self.places.iter().map(|p| {
            if !p.iter().all(|x| x.is_finite()) {
                return [f64::NAN; 3];
            }
            let at = projection.at((*p).into());
            for (range, x) in covered.iter_mut().zip(at) {
                *range = [range[0].min(x), range[1].max(x)];
            }
            at
        }));
        // Lines and points fill the pixels that they are in, not those whose middle they cover.
        let [aside, along] = [1.0, 0.0];
        let grown = |k: usize, by: f64| {
            [((covered[k][0] - by) as f32).next_down(), ((covered[k][1] + by) as f32).next_up()]
        };
        [grown(0, aside), grown(1, aside), grown(2, along)]
    }

    /// Calls `visit` with pixel, depth and primitive for all that overlaps the object in a pixel; `counts`: primitives looked at.
    pub(super) fn scan(
        &self,
        gate: &Gate<'_>,
        projection: &Projection,
        (seen, counts): (&mut Vec<[f64; 3]>, &mut u64),
        mut visit: impl FnMut(usize, f32, u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let each = self.topology.corners() as usize;
        let count = self.corners.map_or(self.places.len(), <[u32]>::len) / each;
        let [wide, high] = gate.size;
        let window = Window { columns: 0..wide as u32, rows: 0..high as u32 };
        if !gate.opens(&self.project(projection, seen)) {
            return ControlFlow::Continue(());
        }
        for number in 0..count {
            *counts += 1;
            let Some(c) = self.primitive(seen, number) else { continue };
            if c.iter().any(|p| p[0].is_nan()) || beyond(&c, [f64::NEG_INFINITY, f64::INFINITY], &window) {
                continue;
            }
            let mut flow = ControlFlow::Continue(());
            let mut offer = |x: f64, y: f64, depth: f64| {
                let inside = x >= 0.0 && y >= 0.0 && x < wide as f64 && y < high as f64;
                let k = if inside { y as usize * wide + x as usize } else { return };
                if flow.is_continue() && gate.holds(k, depth as f32) {
                    flow = visit(k, depth as f32, number as u32);
                }
            };
            match self.topology {
                Topology::Triangles => {
                    if !gate.opens(&covered_by(&c)) {
                        continue;
                    }
                    cover(&c, &window, |span| {
                        for x in span.first..span.end {
                            offer(f64::from(x), f64::from(span.y), span.value(x));
                        }
                    });
                }
                Topology::Lines => line(&c[0], &c[1], gate.size, &mut offer),
                Topology::Points => offer(c[0][0], c[0][1], c[0][2]),
            }
            flow?;
        }
        ControlFlow::Continue(())
    }

    /// What was hit at a depth.
    pub(super) fn hit(&self, depth: f32, number: u32) -> Hit {
        let normal = match (self.topology, self.primitive(self.places, number as usize)) {
            (Topology::Triangles, Some(corners)) => {
                let [a, b, c] = corners.map(|p| p.cast::<f64>());
                let n = (b - a).cross(&(c - a));
                (self.pose.rotation * n.try_normalize(0.0).unwrap_or_default()).cast()
            }
            _ => Vector3::zeros(),
        };
        Hit { depth: depth.into(), body: self.body, triangle: number, normal }
    }
}

/// Both ends of a line, and of it one place for each middle of a column or a row.
fn line(a: &[f64; 3], b: &[f64; 3], size: [usize; 2], offer: &mut impl FnMut(f64, f64, f64)) {
    offer(a[0], a[1], a[2]);
    offer(b[0], b[1], b[2]);
    let along = usize::from((b[1] - a[1]).abs() > (b[0] - a[0]).abs());
    let (from, to) = if a[along] <= b[along] { (a, b) } else { (b, a) };
    let long = to[along] - from[along];
    if long <= 0.0 {
        return;
    }
    let first = (from[along] - 0.5).ceil().max(0.0);
    let last = (to[along] - 0.5).floor().min(size[along] as f64 - 1.0);
    let mut at = first;
    while at <= last {
        let share = (at + 0.5 - from[along]) / long;
        let place: [f64; 3] = std::array::from_fn(|k| from[k] + (to[k] - from[k]) * share);
        // The middle itself, so that rounding does not take it to another column.
        let middle = at + 0.5;
        if along == 0 {
            offer(middle, place[1], place[2])
        } else {
            offer(place[0], middle, place[2])
        }
        at += 1.0;
    }
}
