//! Manifolds become solver rows, and impulses come back.

use impinge_geometry::ColliderId;

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

/// Writes a row for every point of every manifold to `out` (emptied first), in their order. `side`
/// looks a collider up.
pub fn rows(
    manifolds: &[Manifold],
    side: impl Fn(ColliderId) -> RowSide,
    materials: &MaterialTable,
    out: &mut Vec<ContactRow>,
) {
    out.clear();
    for (index, manifold) in manifolds.iter().enumerate() {
        let [a, b] = manifold.colliders.map(&side);
        let material = manifold.material.unwrap_or_else(|| materials.combine(&a.material, &b.material));
        let own = manifold.points.iter().map(|point| (point, manifold.normal_at(point)));
        out.extend(own.map(|(point, normal)| ContactRow {
            colliders: manifold.colliders,
            user_data: [a.user_data, b.user_data],
            manifold: index as u32,
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
        }));
    }
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
    let points = manifolds.iter().map(|m| m.points.len()).sum();
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
