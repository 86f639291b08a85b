//! When does a shape first leave another?

use impinge_exact::MeshSolid;
use impinge_exact::intersect::{LastHit, Surfaces};
use impinge_exact::motion::{SweepSettings, first_meeting};
use impinge_exact::touch::parts_touch;
use impinge_exact::translation::{clearance, solid_clearance};
use impinge_geometry::{Motion, PairFrame, PairPath, Primitive};
use impinge_midphase::{PairKind, Part, PreparedShape};
use nalgebra::{Isometry3, Rotation3, Translation3, UnitQuaternion, Vector3};

use super::checked;
use crate::query::{PairPoses, PairQuery, QueryError, QueryScratch};

/// Subshapes may hand a shape on to each other so often.
const MOST_ROUNDS: u32 = 1000;

/// Precision of the time at which convex solids part, as a part of the smaller one's radius.
const PRECISION: f64 = 1e-9;

/// How a shape that moves along a line leaves another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PairExit {
    /// It is free at the start.
    Free,
    /// It is first free at this time (0 to 1), but for rounding.
    At(f64),
    /// It is not free before the end of its way.
    Never,
}

impl PairExit {
    /// When it is first free: 0 where it is at the start; `None` where it never is.
    pub fn time(&self) -> Option<f64> {
        match self {
            PairExit::Free => Some(0.0),
            PairExit::At(time) => Some(*time),
            PairExit::Never => None,
        }
    }
}

impl PairQuery {
    /// When B, moved from `b` along `way` (m, world) without a turn, is first free of A, which stands at `a`: when they neither
    /// touch nor is one inside the other.
    ///
    /// ```
    /// use impinge::prelude::*;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let cube = Shape::cuboid([0.5; 3])?;
    /// let query = PairQuery::new(&cube, &cube, QuerySettings::default())?;
    /// let (here, there) = (Isometry3::identity(), Isometry3::translation(0.0, 0.0, 0.75));
    /// let exit = query.exit(&here, &there, &Vector3::new(0.0, 0.0, 1.0))?;
    /// assert!((exit.time().ok_or("it is free in the end")? - 0.25).abs() < 1e-6);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`QueryError::Pose`], or [`QueryError::Motion`] for a way that is not finite or leads too far.
    pub fn exit(
        &self,
        a: &Isometry3<f64>,
        b: &Isometry3<f64>,
        way: &Vector3<f64>,
    ) -> Result<PairExit, QueryError> {
        self.exit_with(a, b, way, &mut QueryScratch::default())
    }

    /// As [`PairQuery::exit`], with buffers that are used again.
    ///
    /// # Errors
    /// As there.
    pub fn exit_with(
        &self,
        a: &Isometry3<f64>,
        b: &Isometry3<f64>,
        way: &Vector3<f64>,
        scratch: &mut QueryScratch,
    ) -> Result<PairExit, QueryError> {
        let motion = checked('B', &Motion::translation(*b, *way))?;
        let still = checked('A', &Motion::still(*a))?;
        let length = way.norm();
        let Some(direction) = way.try_normalize(0.0) else {
            let touching = self.touching_with(a, b, scratch)?;
            return Ok(if touching { PairExit::Never } else { PairExit::Free });
        };
        let poses = PairPoses::checked(*still.start(), *motion.start());
        Ok(match exit_shift(self.shapes(), &poses, &direction, length, scratch) {
            Some(0.0) => PairExit::Free,
            Some(shift) => PairExit::At((shift / length).min(1.0)),
            None => PairExit::Never,
        })
    }
}

/// The first shift (m) of B along a unit direction, if not beyond `most`, at which it is free of A: 0 where it is at the start.
pub(crate) fn exit_shift(
    shapes: [&PreparedShape; 2],
    poses: &PairPoses,
    direction: &Vector3<f64>,
    most: f64,
    scratch: &mut QueryScratch,
) -> Option<f64> {
    let [at_a, at_b] = poses.both().map(|pose| *pose);
    let mut moved = 0.0f64;
    for _ in 0..MOST_ROUNDS {
        let shifted = Isometry3::from_parts(
            Translation3::from(at_b.translation.vector + direction * moved),
            at_b.rotation,
        );
        let mut near = std::mem::take(&mut scratch.part_pairs);
        let holding = PairPoses::checked(at_a, shifted)
            .pairs_near(shapes, 0.0, &mut near)
            .find(|pair| parts_touch(pair.parts, &pair.frame, &mut LastHit::default(), &mut scratch.touch));
        let holding = holding.map(|pair| pair.indices);
        scratch.part_pairs = near;
        let Some(holding) = holding else { return Some(moved) };
        let pair = poses.pair(shapes, holding);
        match leave(pair.parts, &pair.frame, direction, [moved, most], scratch) {
            Some(left) if left > moved && left <= most => moved = left,
            // By less than can be said.
            Some(left) if left <= moved => moved += PRECISION * most.max(moved),
            _ => return None,
        }
    }
    None
}

/// The first shift (m) from `moved` on at which two parts are free of each other, if not beyond `most`.
fn leave(
    parts: [&Part; 2],
    frame: &PairFrame,
    direction: &Vector3<f64>,
    [moved, most]: [f64; 2],
    scratch: &mut QueryScratch,
) -> Option<f64> {
    let bound = most.next_up();
    let found = match PairKind::new(parts)? {
        PairKind::Surfaces(both) => {
            clearance(&Surfaces::new(both, frame), direction, moved, bound, &mut scratch.clearance).length
        }
        PairKind::MeshSolid { mesh, surface, primitive } if !matches!(primitive, Primitive::HalfSpace) => {
            let pair = MeshSolid { mesh, surface, primitive, frame };
            solid_clearance(&pair, direction, moved, bound, &mut scratch.clearance)?.length
        }
        _ => return leave_convex(parts, frame, direction, [moved, most], scratch),
    };
    (found < bound).then_some(found)
}

/// Convex solids, and whatever meets a half-space, touch during one interval of shifts: its end is the first contact of the way
/// back.
fn leave_convex(
    parts: [&Part; 2],
    frame: &PairFrame,
    direction: &Vector3<f64>,
    [moved, most]: [f64; 2],
    scratch: &mut QueryScratch,
) -> Option<f64> {
    let way = direction * (most - moved);
    let pose = |k: usize, shift: Vector3<f64>| {
        let rotation = Rotation3::from_matrix_unchecked(frame.rotation[k]);
        let rotation = UnitQuaternion::from_rotation_matrix(&rotation);
        Isometry3::from_parts(Translation3::from(frame.offset[k] + shift), rotation)
    };
    let back = Motion::translation(pose(1, direction * most), -way);
    let path = PairPath::new([&Motion::still(pose(0, Vector3::zeros())), &back]);
    if parts_touch(parts, &path.at(0.0), &mut LastHit::default(), &mut scratch.touch) {
        return None;
    }
    let radius = parts.map(|part| f64::from(part.sphere.radius));
    let gap = PRECISION * radius[0].min(radius[1]).min(1e30);
    let found = first_meeting(parts, &path, &SweepSettings { gap, bound: 1.0 }, &mut scratch.sweep)?;
    Some(moved + (1.0 - found.time) * (most - moved))
}
