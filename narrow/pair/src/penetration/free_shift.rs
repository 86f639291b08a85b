//! First free shifts along the normals of patches.

use impinge_exact::translation::Clearance;
use nalgebra::Vector3;

use crate::patch::Patch;
use crate::tunables;

/// The first free shift along the normal of a patch, which has its depth by it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FreeShift {
    /// Unit, pair frame.
    pub normal: Vector3<f64>,
    pub shift: Clearance,
    /// Whether it is longer than the patch's points said and ends on what leans against it: another direction may be shorter.
    pub leans: bool,
}

impl FreeShift {
    pub fn of(patch: &Patch, shift: Clearance) -> Self {
        let leans = is_deeper(patch, &shift) && !is_square(&shift, &patch.normal);
        Self { normal: patch.normal, shift, leans }
    }
}

/// Whether a shift is clearly longer than a patch is deep.
pub(super) fn is_deeper(patch: &Patch, own: &Clearance) -> bool {
    own.length > (1.0 + tunables::LEAST_DEPTH_GAIN) * patch.depth
}

/// Whether a translation ends about square to what it passes last: then none beside it is clearly shorter.
pub(super) fn is_square(own: &Clearance, normal: &Vector3<f64>) -> bool {
    own.normal.is_none_or(|end| end.dot(normal) > tunables::SQUARE_END)
}
