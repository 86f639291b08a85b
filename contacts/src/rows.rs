//! Manifolds become solver rows, and impulses come back.

use impinge_geometry::ColliderId;
use nalgebra::{Point3, Vector3};

use crate::{ContactError, ContactRow, Impulse, Manifold, Material, MaterialTable, SurfaceMotion, tangents};

/// The data of a collider that rows need.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RowSide {
    /// Its material.
    pub material: Material,
    /// The caller's own number of its body.
    pub user_data: u64,
    /// How its surface moves beside its body.
    pub surface: SurfaceMotion,
}

/// From so many manifolds on, their rows are written on all workers of the current pool, half and half.
pub const ROWS_WORTH_SHARING: usize = 256;

/// Makes `out` the rows of every point of every manifold, in their order. `side` looks a collider up.
pub fn rows(
    manifolds: &[Manifold],
    side: impl Fn(ColliderId) -> RowSide + Sync,
    materials: &MaterialTable,
    out: &mut Vec<ContactRow>,
) {
    out.resize(points(manifolds), BLANK);
    write_rows(manifolds, 0, &side, materials, out);
}

/// Writes the rows of manifolds of which the first has the number `first`; there is room for just them.
fn write_rows(
    manifolds: &[Manifold],
    first: usize,
    side: &(impl Fn(ColliderId) -> RowSide + Sync),
    materials: &MaterialTable,
    out: &mut [ContactRow],
) {
    if manifolds.len() > ROWS_WORTH_SHARING {
        let middle = manifolds.len() / 2;
        let (left, right) = manifolds.split_at(middle);
        let (rows_left, rows_right) = out.split_at_mut(points(left));
        rayon::join(
            || write_rows(left, first, side, materials, rows_left),
            || write_rows(right, first + middle, side, materials, rows_right),
        );
        return;
    }
    let mut rest = out.iter_mut();
    for (index, manifold) in manifolds.iter().enumerate() {
        let [a, b] = manifold.colliders.map(side);
        let material = manifold.material.unwrap_or_else(|| materials.combine(&a.material, &b.material));
        for (point, row) in manifold.points.iter().zip(&mut rest) {
            let normal = manifold.normal_at(point);
            *row = ContactRow {
                colliders: manifold.colliders,
                user_data: [a.user_data, b.user_data],
                manifold: (first + index) as u32,
                position: point.position,
                local_a: point.local_a,
                local_b: point.local_b,
                key: point.key,
                normal,
                tangents: tangents(&normal),
                depth: point.depth,
                weight: point.weight,
                surface_velocity: SurfaceMotion::between(&a.surface, &b.surface, &point.position, &normal),
                surface_spin: b.surface.angular - a.surface.angular,
                friction: material.friction,
                restitution: material.restitution,
                stiffness: material.stiffness,
                damping: material.damping,
                warm: point.impulse,
            };
        }
    }
}

/// Stands where a row is about to be written.
const BLANK: ContactRow = ContactRow {
    colliders: [ColliderId { index: 0, generation: 0 }; 2],
    user_data: [0; 2],
    manifold: 0,
    position: Point3::new(0.0, 0.0, 0.0),
    local_a: Point3::new(0.0, 0.0, 0.0),
    local_b: Point3::new(0.0, 0.0, 0.0),
    key: 0,
    normal: Vector3::new(0.0, 0.0, 0.0),
    tangents: [Vector3::new(0.0, 0.0, 0.0); 2],
    depth: 0.0,
    weight: 0.0,
    surface_velocity: Vector3::new(0.0, 0.0, 0.0),
    surface_spin: Vector3::new(0.0, 0.0, 0.0),
    friction: 0.0,
    restitution: 0.0,
    stiffness: None,
    damping: None,
    warm: Impulse { normal: 0.0, tangent: [0.0; 2] },
};

/// Points of all manifolds.
fn points(manifolds: &[Manifold]) -> usize {
    manifolds.iter().map(|manifold| manifold.points.len()).sum()
}

/// Whether `totals` are one finite impulse for each of `rows` rows.
///
/// # Errors
/// [`ContactError`] says which is not.
pub fn check_totals(totals: &[f64], rows: usize) -> Result<(), ContactError> {
    if totals.len() != rows {
        return Err(ContactError::ImpulseCount { impulses: totals.len(), points: rows });
    }
    match totals.iter().enumerate().find(|(_, value)| !value.is_finite()) {
        Some((row, &value)) => Err(ContactError::ImpulseNotFinite { row, value }),
        None => Ok(()),
    }
}

/// Gives every point the impulse that the solver found for its row.
///
/// # Errors
/// [`ContactError`] if there is not one finite impulse per row; the manifolds stay as they are.
pub fn write_back(impulses: &[Impulse], manifolds: &mut [Manifold]) -> Result<(), ContactError> {
    let points = points(manifolds);
    if impulses.len() != points {
        return Err(ContactError::ImpulseCount { impulses: impulses.len(), points });
    }
    for (row, impulse) in impulses.iter().enumerate() {
        let components = [impulse.normal, impulse.tangent[0], impulse.tangent[1]];
        if let Some(&value) = components.iter().find(|x| !x.is_finite()) {
            return Err(ContactError::ImpulseNotFinite { row, value });
        }
    }
    let points = manifolds.iter_mut().flat_map(|m| m.points.iter_mut());
    for (point, impulse) in points.zip(impulses) {
        point.impulse = *impulse;
    }
    Ok(())
}
