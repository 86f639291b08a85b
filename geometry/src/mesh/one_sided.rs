//! Open sheets and terrains closed by extrusion.

use nalgebra::{Point3, Vector3};

use super::{Defect, TriMesh, topology};
use crate::{MeshError, predicate};

/// Cosine of the angle to `up` below which a face counts as looking away: vertical faces may lean
/// over by their rounding.
const LOOKS_AWAY: f64 = -1e-6;

impl TriMesh {
    /// The open sheet or terrain as a closed mesh: extruded by `thickness` (m) against `up`, with a
    /// turned copy below and walls along the border. The faces so made bound volume but never count
    /// as touching ([`TriMesh::is_virtual`]); they follow the sheet's own, which keep their order:
    /// [`TriMesh::source_triangles`] of the result are indices of this mesh's triangles.
    ///
    /// Every face must look to the side of `up`; a face at an angle to it is `thickness` times the
    /// cosine thick, so that behind a vertical one there is no volume. The sheet may have holes and
    /// several components, and where parts of it lie one above another nearer than `thickness` the
    /// volumes overlap.
    ///
    /// # Errors
    /// [`MeshError::Thickness`] unless it is finite, positive and large enough to be told from zero
    /// in `f32` at the sheet's coordinates; [`MeshError::Up`]; [`MeshError::LooksAway`];
    /// [`MeshError::StaysOpen`] where walls do not close the surface.
    pub fn one_sided(&self, thickness: f32, up: Vector3<f32>) -> Result<TriMesh, MeshError> {
        if !(thickness.is_finite() && thickness > 0.0) {
            return Err(MeshError::Thickness {
                value: thickness,
                remedy: "it must be finite and greater than 0",
            });
        }
        let direction = up.cast::<f64>().try_normalize(0.0).filter(|u| u.iter().all(|x| x.is_finite()));
        let direction = direction.ok_or(MeshError::Up { value: up.into() })?;
        self.expect_to_look(&direction)?;
        let (vertices, below) = self.with_copies_below(f64::from(thickness), &direction)?;
        let mut triangles = self.triangles().to_vec();
        triangles.extend(self.triangles().iter().map(|t| [t[0], t[2], t[1]].map(|v| below[v as usize])));
        for [a, b] in self.border() {
            let [under_a, under_b] = [a, b].map(|v| below[v as usize]);
            triangles.extend([[b, a, under_a], [b, under_a, under_b]]);
        }
        let closed = topology::build(vertices, &triangles, self.triangles().len())?;
        if closed.is_closed() { Ok(closed) } else { Err(closed.stays_open()) }
    }

    fn expect_to_look(&self, direction: &Vector3<f64>) -> Result<(), MeshError> {
        for (t, source) in self.source_triangles().iter().enumerate() {
            let area = predicate::area_vector(&self.corners(t as u32).map(|p| p.cast()));
            let normal = area.try_normalize(0.0).unwrap_or(*direction);
            if normal.dot(direction) < LOOKS_AWAY {
                return Err(MeshError::LooksAway { triangle: *source, normal: normal.cast().into() });
            }
        }
        Ok(())
    }

    /// The vertices, followed by a copy below of each one that is used; and where each one's is.
    fn with_copies_below(
        &self,
        thickness: f64,
        direction: &Vector3<f64>,
    ) -> Result<(Vec<Point3<f32>>, Vec<u32>), MeshError> {
        let mut vertices = self.vertices().to_vec();
        let mut below = vec![u32::MAX; vertices.len()];
        for &v in self.triangles().iter().flatten() {
            if below[v as usize] != u32::MAX {
                continue;
            }
            below[v as usize] = vertices.len() as u32;
            let top = vertices[v as usize].cast::<f64>();
            let under = (top - direction * thickness).cast::<f32>();
            // Rounded to f32 it must still be below, by something like the thickness.
            let depth = (top - under.cast::<f64>()).dot(direction);
            if !(0.5 * thickness..=2.0 * thickness).contains(&depth) {
                let remedy = "f32 cannot tell it from zero at the sheet's coordinates; make it thicker, or place the sheet nearer to its origin";
                return Err(MeshError::Thickness { value: thickness as f32, remedy });
            }
            vertices.push(under);
        }
        Ok((vertices, below))
    }

    /// The edges along which one more face runs in one direction than in the other, in that
    /// direction.
    fn border(&self) -> Vec<[u32; 2]> {
        let mut border = Vec::new();
        for (e, edge) in self.edges().iter().enumerate() {
            let [p, q] = edge.vertices;
            let faces = self.edge_faces(e as u32);
            let forward = faces.iter().filter(|&&t| self.runs(t, e as u32, p)).count();
            let backward = faces.len() - forward;
            border.extend(std::iter::repeat_n([p, q], forward.saturating_sub(backward)));
            border.extend(std::iter::repeat_n([q, p], backward.saturating_sub(forward)));
        }
        border
    }

    /// Whether a triangle's run along its edge `edge` begins at vertex `from`.
    fn runs(&self, triangle: u32, edge: u32, from: u32) -> bool {
        let k = self.triangle_edges()[triangle as usize].iter().position(|&e| e == edge);
        k.is_some_and(|k| self.triangles()[triangle as usize][k] == from)
    }

    fn stays_open(&self) -> MeshError {
        let is_open = |d: &&Defect| !matches!(d, Defect::Degenerate { .. } | Defect::Duplicate { .. });
        let open: Vec<&Defect> = self.report().defects.iter().filter(is_open).collect();
        let vertices = open.iter().find_map(|defect| match defect {
            Defect::Boundary { vertices, .. }
            | Defect::NonManifold { vertices, .. }
            | Defect::Turned { vertices, .. } => Some(*vertices),
            _ => None,
        });
        let [from, to] = vertices.unwrap_or_default().map(|v| self.vertices()[v as usize].into());
        MeshError::StaysOpen { open: open.len(), from, to }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::fixtures::{ball, joined, sheet, torus};
    use crate::mesh::Arrays;

    fn made((vertices, triangles): Arrays) -> TriMesh {
        TriMesh::new(vertices, triangles).unwrap()
    }

    fn volume(mesh: &TriMesh) -> f64 {
        mesh.mass_properties().unwrap().volume
    }

    #[test]
    fn a_flat_sheet_becomes_a_slab() {
        let slab = made(sheet(4, |_, _| 0.0)).one_sided(0.5, Vector3::z() * 7.0).unwrap();
        assert!(slab.is_closed() && slab.report().defects.is_empty());
        assert!((volume(&slab) - 0.5).abs() < 1e-6);
        assert_eq!((slab.aabb().min, slab.aabb().max), ([0.0, 0.0, -0.5], [1.0, 1.0, 0.0]));
        for t in 0..slab.triangles().len() as u32 {
            let on_top = slab.corners(t).iter().all(|p| p.z == 0.0);
            assert_eq!(slab.is_virtual(t), !on_top);
        }
        // 32 on top, 32 below, 16 border edges with two each.
        assert_eq!(slab.triangles().len(), 96);
    }

    #[test]
    fn a_sheet_with_a_hole_and_one_beside_it_are_closed() {
        let (vertices, mut triangles) = sheet(6, |x, y| 0.1 * x * y);
        // The quads in the middle go.
        triangles.retain(|t| {
            let middle =
                t.map(|v| vertices[v as usize].coords.xy()).iter().sum::<nalgebra::Vector2<f32>>() / 3.0;
            (middle - nalgebra::Vector2::new(0.5, 0.5)).amax() > 0.17
        });
        let mut beside = sheet(2, |_, _| 3.0);
        beside.0.iter_mut().for_each(|p| p.x += 2.0);
        let both = made(joined((vertices, triangles), beside));
        let closed = both.one_sided(0.25, Vector3::z()).unwrap();
        assert_eq!(closed.components().len(), 2);
        assert!((volume(&closed) - 0.25 * (1.0 - 1.0 / 9.0 + 1.0)).abs() < 1e-6);
    }

    #[test]
    fn two_sheets_that_share_a_corner_only_are_closed() {
        let corner = [[0., 0.], [1., 0.], [1., 1.], [0., 1.], [2., 1.], [2., 2.], [1., 2.]];
        let vertices = corner.map(|[x, y]| Point3::new(x, y, 0.0)).to_vec();
        let bow = made((vertices, vec![[0, 1, 2], [0, 2, 3], [2, 4, 5], [2, 5, 6]]));
        let closed = bow.one_sided(1.0, Vector3::z()).unwrap();
        assert!((volume(&closed) - 2.0).abs() < 1e-6);
    }

    #[test]
    fn thickness_and_up_that_say_nothing_are_refused() {
        let flat = made(sheet(1, |_, _| 0.0));
        for thickness in [0.0, -1.0, f32::NAN, f32::INFINITY] {
            let error = flat.one_sided(thickness, Vector3::z()).unwrap_err();
            assert!(matches!(error, MeshError::Thickness { .. }), "{error}");
        }
        for up in [[0.0; 3], [f32::NAN, 0.0, 1.0], [f32::INFINITY, 0.0, 0.0]] {
            let error = flat.one_sided(1.0, up.into()).unwrap_err();
            assert!(matches!(error, MeshError::Up { .. }), "{error}");
        }
        // A micrometre at 1000 km.
        let far =
            flat.with_vertices(flat.vertices().iter().map(|p| p + Vector3::repeat(1e6)).collect()).unwrap();
        assert!(matches!(far.one_sided(1e-6, Vector3::z()), Err(MeshError::Thickness { .. })));
        assert!(far.one_sided(1.0, Vector3::z()).unwrap().is_closed());
        assert!(matches!(far.one_sided(1e29, Vector3::z()), Ok(mesh) if mesh.is_closed()));
        assert!(matches!(far.one_sided(1e38, Vector3::z()), Err(MeshError::VertexTooFar { .. })));
    }

    #[test]
    fn faces_that_look_away_are_named() {
        let (vertices, mut triangles) = sheet(3, |x, _| x);
        assert!(matches!(
            made((vertices.clone(), triangles.clone())).one_sided(1.0, -Vector3::z()),
            Err(MeshError::LooksAway { triangle: 0, .. })
        ));
        triangles[7].swap(0, 1);
        let error = made((vertices, triangles)).one_sided(1.0, Vector3::z()).unwrap_err();
        assert!(matches!(error, MeshError::LooksAway { triangle: 7, .. }), "{error}");
        for closed in [ball(1), torus(2.0, 0.5, 8, 8)] {
            assert!(matches!(closed.one_sided(1.0, Vector3::z()), Err(MeshError::LooksAway { .. })));
        }
    }

    #[test]
    fn a_step_with_a_vertical_face_between_two_floors_is_closed_where_it_has_a_border_floor() {
        // Two floors 1 m apart in height, a vertical riser between them that tapers to nothing at
        // both ends, so that no border edge is vertical.
        let places = [[0., 0., 0.], [1., -1., 0.], [1., 0., 1.], [2., 0., 0.], [1., 1., 0.], [1., 0., 0.]];
        let vertices: Vec<Point3<f32>> = places.map(Point3::from).to_vec();
        // Lower side x > 1 is flat at z = 0 and meets the riser's foot; the upper side slopes.
        let triangles = vec![[0, 1, 2], [0, 2, 4], [1, 5, 2], [5, 4, 2], [1, 3, 5], [5, 3, 4]];
        let step = made((vertices, triangles)).one_sided(0.5, Vector3::z()).unwrap();
        assert!(step.is_closed());
        assert!((volume(&step) - 0.5 * 2.0).abs() < 1e-6);
    }

    #[test]
    fn a_border_parallel_to_up_is_refused() {
        let vertices = [[0., 0., 0.], [1., 0., 0.], [0., 0., 1.]].map(Point3::from).to_vec();
        let wall = made((vertices, vec![[0, 1, 2]]));
        assert!(matches!(wall.one_sided(0.5, Vector3::z()), Err(MeshError::StaysOpen { .. })));
    }

    proptest! {
        /// A random terrain, extruded in a random direction that all its faces look to: closed, its
        /// volume the area seen from `up` times the thickness, its own faces first and unchanged.
        #[test]
        fn a_terrain_holds_its_area_times_its_thickness(
            heights in prop::collection::vec(0.0f64..0.08, 36),
            lean in prop::array::uniform2(-0.3f32..0.3),
            thickness in 0.01f32..2.0,
            scale in crate::fixtures::scale(),
        ) {
            let (mut vertices, triangles) = sheet(5, |x, y| heights[(x * 5.0 + y * 30.0 + 0.5) as usize]);
            vertices.iter_mut().for_each(|p| *p *= scale as f32);
            let terrain = made((vertices, triangles));
            let up = Vector3::new(lean[0], lean[1], 1.0);
            let thickness = thickness * scale as f32;
            let closed = terrain.one_sided(thickness, up).unwrap();
            prop_assert!(closed.is_closed());
            prop_assert!(closed.report().defects.is_empty());
            let own = terrain.triangles().len();
            prop_assert_eq!(&closed.triangles()[..own], terrain.triangles());
            prop_assert!((0..own as u32).all(|t| !closed.is_virtual(t)));
            prop_assert!((own as u32..closed.triangles().len() as u32).all(|t| closed.is_virtual(t)));
            let direction = up.cast::<f64>().normalize();
            let area: f64 = (0..own as u32)
                .map(|t| predicate::area_vector(&terrain.corners(t).map(|p| p.cast())).dot(&direction))
                .sum();
            let expected = area * f64::from(thickness);
            prop_assert!((volume(&closed) / expected - 1.0).abs() < 1e-4);
        }
    }
}
