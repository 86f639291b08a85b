//! Vertices, edges and faces that come near each other while every vertex moves on a line.

use impinge_exact::motion::{
    FeatureClearance, FeatureContact, FeatureMeeting, FeaturePair, contacts_between, first_own_contact,
    own_contacts,
};
use impinge_geometry::{Motion, PairPath};
use nalgebra::{Isometry3, Point3};

use super::DeformingMesh;
use crate::query::motion::checked;
use crate::query::{PointError, QueryError, QueryScratch};

/// When a vertex and a face first come near each other: `from` and `to` are where the vertex, and then the face's corners, begin and
/// end (m). Never late: at no time before the one reported are they nearer than the clearance's separation, and none is a proof.
/// At the time reported they are apart by no more than separation and gap together, and what comes as near may be reported,
/// too; faces without area and features in one plane are no exception. What turns about each other faster than it closes, in one plane
/// all the time or with a separation, may end early, after 4,096 rounds.
///
/// ```
/// use impinge::query::{FeatureClearance, vertex_face};
/// use impinge::prelude::*;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let face = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]].map(Point3::from);
/// let with = |vertex: [f64; 3]| [Point3::from(vertex), face[0], face[1], face[2]];
/// let clearance = FeatureClearance { separation: 0.0, gap: 1e-9 };
/// let meeting = vertex_face(&with([1.0, 1.0, 3.0]), &with([1.0, 1.0, -1.0]), &clearance)?.ok_or("it meets")?;
/// assert!(meeting.time <= 0.75 && meeting.time > 0.75 - 1e-9);
/// assert!(vertex_face(&with([3.0, 3.0, 3.0]), &with([3.0, 3.0, -1.0]), &clearance)?.is_none());
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`QueryError::Point`] for a vertex that is not finite or too far away, [`QueryError::Margin`] and [`QueryError::Bound`] for a
/// separation and a gap that are none.
pub fn vertex_face(
    from: &[Point3<f64>; 4],
    to: &[Point3<f64>; 4],
    clearance: &FeatureClearance,
) -> Result<Option<FeatureMeeting>, QueryError> {
    first(FeaturePair::VertexFace { from: *from, to: *to }, clearance)
}

/// As [`vertex_face`], of two edges: the ends of one, and then of the other.
///
/// # Errors
/// As there.
pub fn edge_edge(
    from: &[Point3<f64>; 4],
    to: &[Point3<f64>; 4],
    clearance: &FeatureClearance,
) -> Result<Option<FeatureMeeting>, QueryError> {
    first(FeaturePair::EdgeEdge { from: *from, to: *to }, clearance)
}

fn first(pair: FeaturePair, clearance: &FeatureClearance) -> Result<Option<FeatureMeeting>, QueryError> {
    let (FeaturePair::VertexFace { from, to } | FeaturePair::EdgeEdge { from, to }) = &pair;
    for point in from.iter().chain(to) {
        PointError::check(point).map_err(QueryError::Point)?;
    }
    usable(clearance)?;
    Ok(pair.first(clearance, [0.0, 1.0], &mut 0))
}

fn usable(clearance: &FeatureClearance) -> Result<(), QueryError> {
    let FeatureClearance { separation, gap } = *clearance;
    if !(0.0..=impinge_geometry::FARTHEST).contains(&separation) {
        return Err(QueryError::Margin { margin: separation });
    }
    if gap.is_nan() || gap <= 0.0 {
        return Err(QueryError::Bound { bound: gap });
    }
    Ok(())
}

impl DeformingMesh {
    /// The first two of its features that come near each other and do not share a vertex, in the mesh's own frame: when, where, and
    /// what, with the promises of [`vertex_face`].
    ///
    /// # Errors
    /// [`QueryError::Margin`] and [`QueryError::Bound`] for a separation and a gap that are none.
    pub fn self_contact(
        &self,
        clearance: &FeatureClearance,
        scratch: &mut QueryScratch,
    ) -> Result<Option<FeatureContact>, QueryError> {
        usable(clearance)?;
        Ok(first_own_contact(&self.featured(), clearance, &mut scratch.sweep))
    }

    /// All pairs of its features that come near each other and do not share a vertex, each with the time at which it first does, by
    /// these times: appended to `out`. Edges that are shorter than the clearance are near their neighbours at all times.
    ///
    /// # Errors
    /// As [`DeformingMesh::self_contact`].
    pub fn self_contacts(
        &self,
        clearance: &FeatureClearance,
        out: &mut Vec<FeatureContact>,
        scratch: &mut QueryScratch,
    ) -> Result<(), QueryError> {
        usable(clearance)?;
        own_contacts(&self.featured(), clearance, out, &mut scratch.sweep);
        Ok(())
    }

    /// All pairs of its features and another mesh's that come near each other, each with the time at which it first does, by these
    /// times: appended to `out`. The frames stand at `poses`; normals have the axes of the world, points are beside the one halfway
    /// between the frames' origins (m).
    ///
    /// # Errors
    /// As [`DeformingMesh::self_contact`], and [`QueryError::Pose`].
    pub fn contacts(
        &self,
        other: &DeformingMesh,
        poses: [&Isometry3<f64>; 2],
        clearance: &FeatureClearance,
        out: &mut Vec<FeatureContact>,
        scratch: &mut QueryScratch,
    ) -> Result<(), QueryError> {
        usable(clearance)?;
        let motions = [checked('A', &Motion::still(*poses[0]))?, checked('B', &Motion::still(*poses[1]))?];
        let path = PairPath::new(motions.each_ref());
        contacts_between([&self.featured(), &other.featured()], &path, clearance, out, &mut scratch.sweep);
        Ok(())
    }
}
