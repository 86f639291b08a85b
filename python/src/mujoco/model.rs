//! Geoms and meshes as they lie in MuJoCo's memory.

use std::ffi::c_void;
use std::slice;

use impinge::nalgebra::{Isometry3, Matrix3, Rotation3, Translation3, UnitQuaternion};

use super::setup::Offsets;

/// An `mjModel` and an `mjData` of it, for the time of one call.
#[derive(Clone, Copy)]
pub struct Model<'c> {
    model: *const c_void,
    data: *const c_void,
    offsets: &'c Offsets,
}

/// The arrays of a mesh.
pub struct MeshArrays<'c> {
    /// Three numbers each (m).
    pub vertices: &'c [f32],
    /// Three indices each, from the mesh's own first vertex on.
    pub faces: &'c [i32],
    /// Where the vertices as they were given stand in the frame of mass that MuJoCo computed: translation (m) and quaternion.
    pub frame: [f64; 7],
}

impl<'c> Model<'c> {
    /// # Safety
    /// Both are what MuJoCo gave the callback, valid and unchanged for `'c`, and `offsets` are those of its structs.
    pub unsafe fn new(model: *const c_void, data: *const c_void, offsets: &'c Offsets) -> Model<'c> {
        Model { model, data, offsets }
    }

    pub fn address(&self) -> usize {
        self.model as usize
    }

    fn of_model<T>(&self, offset: usize) -> *const T {
        // SAFETY: by the contract of `new` there is a pointer to an array at this offset.
        unsafe { self.model.byte_add(offset).cast::<*const T>().read() }
    }

    fn of_data<T>(&self, offset: usize) -> *const T {
        // SAFETY: as above.
        unsafe { self.data.byte_add(offset).cast::<*const T>().read() }
    }

    pub fn geom_type(&self, geom: usize) -> i32 {
        // SAFETY: MuJoCo calls with geoms of the model, whose array has an entry for each.
        unsafe { self.of_model::<i32>(self.offsets.geom_type).add(geom).read() }
    }

    /// The mesh of a geom of type mesh.
    pub fn mesh_of(&self, geom: usize) -> Option<usize> {
        // SAFETY: as above.
        let id = unsafe { self.of_model::<i32>(self.offsets.geom_dataid).add(geom).read() };
        usize::try_from(id).ok()
    }

    pub fn geom_size(&self, geom: usize) -> [f64; 3] {
        // SAFETY: as above; three numbers for each.
        unsafe { self.of_model::<[f64; 3]>(self.offsets.geom_size).add(geom).read() }
    }

    /// Where a geom stands (m); `None` where that is not finite.
    pub fn pose(&self, geom: usize) -> Option<Isometry3<f64>> {
        // SAFETY: as above; three numbers for each.
        let at = unsafe { self.of_data::<[f64; 3]>(self.offsets.geom_xpos).add(geom).read() };
        // SAFETY: as above; nine numbers for each, row by row.
        let turn = unsafe { self.of_data::<[f64; 9]>(self.offsets.geom_xmat).add(geom).read() };
        if !at.iter().chain(&turn).all(|x| x.is_finite()) {
            return None;
        }
        let turn = Rotation3::from_matrix_unchecked(Matrix3::from_row_slice(&turn));
        Some(Isometry3::from_parts(Translation3::from(at), UnitQuaternion::from_rotation_matrix(&turn)))
    }

    /// The arrays of a mesh.
    pub fn mesh(&self, mesh: usize) -> MeshArrays<'c> {
        // SAFETY: MuJoCo's geoms name meshes of the model, whose arrays have an entry for each.
        let entry = |offset| unsafe { self.of_model::<i32>(offset).add(mesh).read() } as usize;
        let o = self.offsets;
        let (vertex, vertices) = (entry(o.mesh_vertadr), entry(o.mesh_vertnum));
        let (face, faces) = (entry(o.mesh_faceadr), entry(o.mesh_facenum));
        // SAFETY: the model has these vertices, three numbers each, and they stay for `'c`.
        let vertices =
            unsafe { slice::from_raw_parts(self.of_model::<f32>(o.mesh_vert).add(3 * vertex), 3 * vertices) };
        // SAFETY: the same of the faces.
        let faces =
            unsafe { slice::from_raw_parts(self.of_model::<i32>(o.mesh_face).add(3 * face), 3 * faces) };
        // SAFETY: the model has three and four numbers for each mesh.
        let (shift, turn) = unsafe {
            let shift = self.of_model::<[f64; 3]>(o.mesh_pos).add(mesh).read();
            (shift, self.of_model::<[f64; 4]>(o.mesh_quat).add(mesh).read())
        };
        let frame = [shift[0], shift[1], shift[2], turn[0], turn[1], turn[2], turn[3]];
        MeshArrays { vertices, faces, frame }
    }
}
