//! Skinned meshes: vertices that follow bones.

use nalgebra::{Isometry3, Matrix3, Point3, Vector3};

use crate::canonical::{checked_pose, rotation};
use crate::{PoseError, TriMesh};

/// The most bones that a vertex follows.
pub const INFLUENCES: usize = 4;

/// Which bones the vertices of a mesh follow, and by how much each (linear blend skinning: Magnenat-Thalmann, Laperrière and
/// Thalmann, "Joint-Dependent Local Deformations for Hand Animation and Object Grasping", 1988).
///
/// A vertex that stood at x stands at Σ wᵢ (Rᵢ x + tᵢ), the sum over its bones, reckoned in `f64` and rounded once to `f32`.
///
/// ```
/// use impinge_geometry::{Skin, TriMesh};
/// use nalgebra::{Isometry3, Point3, Vector3};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 2.0]].map(Point3::from);
/// let mesh = TriMesh::new(corners.to_vec(), vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
/// // The base follows bone 0, the tip half of it bone 1.
/// let base = ([0, 0, 0, 0], [1.0, 0.0, 0.0, 0.0]);
/// let skin = Skin::new(&mesh, 2, &[base, base, base, ([0, 1, 0, 0], [0.5, 0.5, 0.0, 0.0])])?;
/// let mut places = Vec::new();
/// skin.place(&[Isometry3::identity(), Isometry3::translation(1.0, 0.0, 0.0)], &mut places)?;
/// assert_eq!(places[3], Point3::new(0.5, 0.0, 2.0));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Skin {
    /// Where the vertices stood (m).
    rest: Vec<Point3<f32>>,
    /// Of every vertex its bones and their weights, which add up to 1; the heaviest first.
    influences: Vec<[(u32, f64); INFLUENCES]>,
    bones: usize,
}

/// A skin that cannot be made or placed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SkinError {
    /// Another number of influences than the mesh has vertices.
    #[error("influences of {given} vertices were given for a mesh of {expected}")]
    VertexCount {
        /// How many were given.
        given: usize,
        /// How many vertices there are.
        expected: usize,
    },
    /// A vertex follows a bone that is not there.
    #[error("vertex {vertex} follows bone {bone}; there are {bones} bones")]
    UnknownBone {
        /// The vertex.
        vertex: usize,
        /// The bone it names.
        bone: u32,
        /// How many bones there are.
        bones: usize,
    },
    /// Weights that cannot be used.
    #[error(
        "vertex {vertex} has the weights {weights:?}; each must be finite and not negative, and one positive"
    )]
    Weights {
        /// The vertex.
        vertex: usize,
        /// Its weights.
        weights: [f32; INFLUENCES],
    },
    /// Another number of poses than there are bones.
    #[error("{given} poses were given for {expected} bones")]
    BoneCount {
        /// How many were given.
        given: usize,
        /// How many bones there are.
        expected: usize,
    },
    /// A bone's pose cannot be used.
    #[error("bone {bone}: {error}")]
    BonePose {
        /// The bone.
        bone: usize,
        /// Why not.
        error: PoseError,
    },
}

/// A rotation, and a translation (m).
type BoneMove = (Matrix3<f64>, Vector3<f64>);

impl Skin {
    /// A skin over a mesh in its rest pose: for each vertex at most four bones, below `bones`, and their weights, which are divided by
    /// their sum. What follows fewer bones names any with a weight of 0.
    ///
    /// # Errors
    /// [`SkinError::VertexCount`], [`SkinError::UnknownBone`] or [`SkinError::Weights`].
    pub fn new(
        mesh: &TriMesh,
        bones: usize,
        influences: &[([u32; INFLUENCES], [f32; INFLUENCES])],
    ) -> Result<Skin, SkinError> {
        let (given, expected) = (influences.len(), mesh.vertices().len());
        if given != expected {
            return Err(SkinError::VertexCount { given, expected });
        }
        let checked = |(vertex, (names, weights)): (usize, &([u32; INFLUENCES], [f32; INFLUENCES]))| {
            if let Some(&bone) = names.iter().find(|&&bone| bone as usize >= bones) {
                return Err(SkinError::UnknownBone { vertex, bone, bones });
            }
            let sum: f64 = weights.iter().map(|&weight| f64::from(weight)).sum();
            let usable = weights.iter().all(|weight| weight.is_finite() && *weight >= 0.0);
            if !usable || sum <= 0.0 {
                return Err(SkinError::Weights { vertex, weights: *weights });
            }
            let mut own: [(u32, f64); INFLUENCES] =
                std::array::from_fn(|k| (names[k], f64::from(weights[k]) / sum));
            own.sort_by(|p, q| q.1.total_cmp(&p.1).then(p.0.cmp(&q.0)));
            Ok(own)
        };
        let influences = influences.iter().enumerate().map(checked).collect::<Result<_, _>>()?;
        Ok(Skin { rest: mesh.vertices().to_vec(), influences, bones })
    }

    /// How many bones there are.
    pub fn bones(&self) -> usize {
        self.bones
    }

    /// The bones of a vertex and their weights, which add up to 1; the heaviest first.
    pub fn influences(&self, vertex: u32) -> &[(u32, f64); INFLUENCES] {
        &self.influences[vertex as usize]
    }

    /// The bone that a triangle of the mesh follows most, so that a contact can name it; of several the lowest.
    pub fn bone_of(&self, mesh: &TriMesh, triangle: u32) -> u32 {
        let corners = mesh.triangles()[triangle as usize];
        let all = || corners.iter().flat_map(|&v| self.influences(v));
        let weight =
            |bone: u32| all().filter(|(other, _)| *other == bone).map(|(_, weight)| weight).sum::<f64>();
        let heavier = |p: u32, q: u32| {
            let (of_p, of_q) = (weight(p), weight(q));
            if of_q > of_p || of_q == of_p && q < p { q } else { p }
        };
        all().map(|(bone, _)| *bone).reduce(heavier).unwrap_or(0)
    }

    /// Where the vertices stood in the rest pose (m).
    pub fn rest(&self) -> &[Point3<f32>] {
        &self.rest
    }

    /// The bones' rotations, normalised, and translations (m): what [`Skin::place`] goes by.
    ///
    /// # Errors
    /// As there.
    pub fn matrices(&self, bones: &[Isometry3<f64>]) -> Result<Vec<BoneMove>, SkinError> {
        let (given, expected) = (bones.len(), self.bones);
        if given != expected {
            return Err(SkinError::BoneCount { given, expected });
        }
        let checked = |(bone, pose): (usize, &Isometry3<f64>)| {
            let pose = checked_pose(pose).map_err(|error| SkinError::BonePose { bone, error })?;
            Ok((rotation(&pose.rotation), pose.translation.vector))
        };
        bones.iter().enumerate().map(checked).collect()
    }

    /// Puts into `out` where the vertices stand when each bone has been moved by a pose from where it stood in the rest pose (its pose
    /// times the inverse of its rest pose; m). Rotations are normalised first.
    ///
    /// # Errors
    /// [`SkinError::BoneCount`] or [`SkinError::BonePose`]; `out` is then as it was.
    pub fn place(&self, bones: &[Isometry3<f64>], out: &mut Vec<Point3<f32>>) -> Result<(), SkinError> {
        let bones = self.matrices(bones)?;
        out.clear();
        out.extend(self.rest.iter().zip(&self.influences).map(|(at, own)| {
            let x = at.coords.cast::<f64>();
            let mut place = Vector3::zeros();
            for (bone, weight) in own {
                if *weight > 0.0 {
                    let (turn, shift) = &bones[*bone as usize];
                    place += (turn * x + shift) * *weight;
                }
            }
            Point3::from(place.cast::<f32>())
        }));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::UnitQuaternion;

    use super::*;
    use crate::fixtures::ball;

    fn mesh() -> TriMesh {
        ball(2)
    }

    fn poses() -> [Isometry3<f64>; 3] {
        [0.0, 1.0, 2.0].map(|k| {
            let turn = UnitQuaternion::from_scaled_axis(Vector3::new(0.3 * k, -0.2, 0.5 + k));
            Isometry3::from_parts(Vector3::new(k, 0.5, -0.25 * k).into(), turn)
        })
    }

    #[test]
    fn one_bone_carries_the_mesh_along() {
        let mesh = mesh();
        let own = vec![([2, 0, 1, 0], [3.0, 0.0, 0.0, 0.0]); mesh.vertices().len()];
        let skin = Skin::new(&mesh, 3, &own).unwrap();
        let mut places = Vec::new();
        skin.place(&poses(), &mut places).unwrap();
        for (at, from) in places.iter().zip(mesh.vertices()) {
            let expected = poses()[2] * from.cast::<f64>();
            assert!((at.cast::<f64>() - expected).norm() <= 2e-7 * (1.0 + expected.coords.norm()));
        }
        assert!((0..mesh.triangles().len() as u32).all(|t| skin.bone_of(&mesh, t) == 2));
    }

    #[test]
    fn places_are_the_blend_of_where_each_bone_puts_them() {
        let mesh = mesh();
        let own: Vec<_> = (0..mesh.vertices().len())
            .map(|v| ([0, 1, 2, 1], [1.0 + v as f32, (v % 3) as f32, (v % 5) as f32, 0.5]))
            .collect();
        let skin = Skin::new(&mesh, 3, &own).unwrap();
        let mut places = Vec::new();
        skin.place(&poses(), &mut places).unwrap();
        for ((at, from), (bones, weights)) in places.iter().zip(mesh.vertices()).zip(&own) {
            let sum: f64 = weights.iter().map(|&w| f64::from(w)).sum();
            let put = (0..4).map(|k| {
                (poses()[bones[k] as usize] * from.cast::<f64>()).coords * (f64::from(weights[k]) / sum)
            });
            let expected: Vector3<f64> = put.sum();
            assert!((at.coords.cast::<f64>() - expected).norm() <= 2e-7 * (1.0 + expected.norm()));
        }
        let total: f64 = skin.influences(7).iter().map(|(_, weight)| weight).sum();
        assert!((total - 1.0).abs() < 1e-15);
    }

    #[test]
    fn what_cannot_be_used_is_named() {
        let mesh = mesh();
        let count = mesh.vertices().len();
        let good = ([0, 1, 0, 0], [0.5, 0.5, 0.0, 0.0]);
        type Own = Vec<([u32; INFLUENCES], [f32; INFLUENCES])>;
        let made = |change: &dyn Fn(&mut Own)| {
            let mut own = vec![good; count];
            change(&mut own);
            Skin::new(&mesh, 2, &own).map(|skin| skin.bones())
        };
        assert_eq!(made(&|_| ()), Ok(2));
        let few = made(&|own| own.truncate(3));
        assert_eq!(few, Err(SkinError::VertexCount { given: 3, expected: count }));
        let unknown = made(&|own| own[5].0[2] = 2);
        assert_eq!(unknown, Err(SkinError::UnknownBone { vertex: 5, bone: 2, bones: 2 }));
        for bad in [[0.0; 4], [-1.0, 2.0, 0.0, 0.0], [f32::INFINITY, 0.0, 0.0, 0.0]] {
            let error = made(&|own| own[4].1 = bad);
            assert_eq!(error, Err(SkinError::Weights { vertex: 4, weights: bad }));
        }
        assert!(matches!(made(&|own| own[4].1[0] = f32::NAN), Err(SkinError::Weights { vertex: 4, .. })));
        let skin = Skin::new(&mesh, 2, &vec![good; count]).unwrap();
        let mut out = vec![Point3::origin()];
        let still = Isometry3::identity();
        assert_eq!(skin.place(&[still], &mut out), Err(SkinError::BoneCount { given: 1, expected: 2 }));
        let lost = Isometry3::translation(0.0, f64::NAN, 0.0);
        let error = skin.place(&[still, lost], &mut out).unwrap_err();
        assert!(matches!(error, SkinError::BonePose { bone: 1, .. }), "{error}");
        assert_eq!(out.len(), 1);
    }
}
