//! The first meeting of a mesh that deforms with another, or with a shape.

use impinge_exact::motion::{
    FirstContact, FirstMeeting, MovingSurface, SweepSettings, sweep_surface_half_space, sweep_surface_solid,
    sweep_surfaces,
};
use impinge_geometry::{Motion, PairPath, Primitive, Side};
use impinge_midphase::{Part, Solid};
use nalgebra::{Isometry3, Vector3};

use super::DeformingMesh;
use crate::query::motion::{checked, default_gap};
use crate::query::{Impact, PairSweep, PreparedShape, QueryError, QueryScratch};

impl DeformingMesh {
    /// When it first meets another mesh that deforms; their frames stand at `poses` (its own, then the other's, m). The other is B. They are apart
    /// by no more than `gap` (m; 1e-4 of the smaller one's size unless it is said) at the time reported, and what passes by nearer than
    /// that may be reported, too; the time is never late. Surfaces alone: what begins inside a closed mesh does not touch it.
    ///
    /// ```
    /// use impinge::query::{DeformingMesh, QueryScratch};
    /// use impinge::prelude::*;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let at = |z: f32| [[0.0, 0.0, z], [1.0, 0.0, z], [0.0, 1.0, z]].map(Point3::from);
    /// let mut sheets = [0.0, 1.0].map(|z| TriMesh::new(at(z).to_vec(), vec![[0, 1, 2]]).map(DeformingMesh::new));
    /// let [Ok(lower), Ok(upper)] = &mut sheets else { return Err("they are meshes".into()) };
    /// // One corner is pulled down through the other sheet.
    /// let mut pulled = at(1.0);
    /// pulled[0].z = -1.0;
    /// upper.move_to(&pulled)?;
    /// let here = Isometry3::identity();
    /// let found = lower.sweep(upper, [&here, &here], Some(1e-6), &mut QueryScratch::default())?;
    /// assert!((found.time().ok_or("it meets")? - 0.5).abs() < 1e-5);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`QueryError::Pose`], and [`QueryError::Bound`] for a gap that is not greater than 0.
    pub fn sweep(
        &self,
        other: &DeformingMesh,
        poses: [&Isometry3<f64>; 2],
        gap: Option<f64>,
        scratch: &mut QueryScratch,
    ) -> Result<PairSweep, QueryError> {
        let motions = [checked('A', &Motion::still(*poses[0]))?, checked('B', &Motion::still(*poses[1]))?];
        let gap = usable_gap(gap, self.default_gap().min(other.default_gap()))?;
        let path = PairPath::new(motions.each_ref());
        let surfaces = [self, other].map(|mesh| MovingSurface::Deforming(mesh.surface()));
        let found = sweep_surfaces(surfaces, &path, &SweepSettings { gap, bound: 1.0 }, &mut scratch.sweep);
        Ok(match found {
            None => PairSweep::Free,
            Some(FirstContact::AtStart) => PairSweep::AtStart { subshapes: [0; 2] },
            Some(FirstContact::Later(meeting)) => PairSweep::Impact(impact(&meeting, &path, None)),
        })
    }

    /// When it first meets a shape that moves as a rigid body; its own frame stands at `pose` (m), and the shape is B. As
    /// [`DeformingMesh::sweep`] otherwise; of a solid that has triangles, its surface.
    ///
    /// ```
    /// use impinge::query::{DeformingMesh, QueryScratch};
    /// use impinge::prelude::*;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let at = |z: f32| [[-2.0, -2.0, z], [2.0, -2.0, z], [0.0, 3.0, z]].map(Point3::from);
    /// let mut sheet = DeformingMesh::new(TriMesh::new(at(0.0).to_vec(), vec![[0, 1, 2]])?);
    /// sheet.move_to(&at(1.0))?;
    /// // A ball comes down while the sheet goes up.
    /// let ball = PreparedShape::new(&Shape::sphere(0.5)?);
    /// let way = Motion::translation(Isometry3::translation(0.0, 0.0, 2.0), Vector3::new(0.0, 0.0, -1.0));
    /// let found = sheet.sweep_shape(&Isometry3::identity(), &ball, &way, None, &mut QueryScratch::default())?;
    /// assert!((found.time().ok_or("they meet")? - 0.75).abs() < 1e-3);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`DeformingMesh::sweep`], and [`QueryError::Motion`].
    pub fn sweep_shape(
        &self,
        pose: &Isometry3<f64>,
        shape: &PreparedShape,
        motion: &Motion,
        gap: Option<f64>,
        scratch: &mut QueryScratch,
    ) -> Result<PairSweep, QueryError> {
        let (still, motion) = (checked('A', &Motion::still(*pose))?, checked('B', motion)?);
        let shape = shape.stages();
        let gap = usable_gap(gap, self.default_gap().min(default_gap([shape, shape])))?;
        let mut best: Option<(FirstMeeting, PairPath, u32)> = None;
        for (index, part) in shape.parts().iter().enumerate() {
            let path = PairPath::new([&still, &motion.of_child(&part.pose)]);
            let bound = best.as_ref().map_or(1.0, |(meeting, ..)| meeting.time);
            // What touches at the start is told of all subshapes, whatever was met before.
            let settings = SweepSettings { gap, bound: bound.max(f64::MIN_POSITIVE) };
            match self.part(part, &path, &settings, scratch) {
                None => {}
                Some(FirstContact::AtStart) => {
                    return Ok(PairSweep::AtStart { subshapes: [0, index as u32] });
                }
                Some(FirstContact::Later(meeting)) if meeting.time < bound => {
                    best = Some((meeting, path, index as u32));
                }
                Some(FirstContact::Later(_)) => {}
            }
        }
        Ok(best.map_or(PairSweep::Free, |(meeting, path, index)| {
            let part = &shape.parts()[index as usize];
            PairSweep::Impact(impact(&meeting, &path, Some((part, index))))
        }))
    }

    fn part(
        &self,
        part: &Part,
        path: &PairPath,
        settings: &SweepSettings,
        scratch: &mut QueryScratch,
    ) -> Option<FirstContact> {
        let own = self.surface();
        match (&part.surface, &part.solid) {
            (Some(surface), _) => {
                let both = [MovingSurface::Deforming(own), MovingSurface::Rigid(surface)];
                sweep_surfaces(both, path, settings, &mut scratch.sweep)
            }
            (None, Solid::Primitive(Primitive::HalfSpace)) => {
                sweep_surface_half_space(Side::A, &own, path, settings, &mut scratch.sweep)
            }
            (None, Solid::Primitive(primitive)) => {
                let own = MovingSurface::Deforming(own);
                sweep_surface_solid(Side::A, own, *primitive, path, settings, &mut scratch.sweep)
            }
            (None, Solid::Hull | Solid::Mesh) => None,
        }
    }
}

fn usable_gap(gap: Option<f64>, default: f64) -> Result<f64, QueryError> {
    let gap = gap.unwrap_or(default);
    if gap.is_nan() || gap <= 0.0 { Err(QueryError::Bound { bound: gap }) } else { Ok(gap) }
}

/// A meeting in the world; B may be a subshape.
fn impact(meeting: &FirstMeeting, path: &PairPath, part: Option<(&Part, u32)>) -> Impact {
    let frame = path.at(meeting.time);
    let [on_a, on_b] = [0, 1].map(|k| frame.to_world(&meeting.points[k]));
    let local_b = frame.to_local(Side::B, &meeting.points[1]);
    let unit = |v: Vector3<f64>| v.try_normalize(0.0).unwrap_or(v);
    Impact {
        time: meeting.time,
        gap: meeting.gap,
        normal: unit(meeting.normal),
        on_a,
        on_b,
        local_a: frame.to_local(Side::A, &meeting.points[0]),
        local_b: part.map_or(local_b, |(part, _)| part.pose * local_b),
        features: meeting.features,
        triangles: meeting.triangles,
        subshapes: [0, part.map_or(0, |(_, index)| index)],
    }
}
