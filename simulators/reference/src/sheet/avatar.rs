//! A cloth out of an avatar: Vassilev, Spanlang, Chrysanthou 2001.

use impinge::query::classic::ClothHit;

use super::{Sheet, SheetContact};

impl Sheet {
    /// Moves vertices that [`AvatarMaps::test`](impinge::query::classic::AvatarMaps::test) has found in an avatar to the
    /// surface that its maps have there, along its normal. In a step of `dt` seconds they slide over it less, by friction times
    /// how deep they were, than they would have.
    pub fn clear_of_avatar(&mut self, hits: &[ClothHit], dt: f64) -> Vec<SheetContact> {
        let mut contacts = Vec::with_capacity(hits.len());
        for hit in hits {
            let vertex = hit.vertex as usize;
            let normal = hit.surface.normal.cast::<f64>();
            if vertex >= self.places.len() || !self.masses[vertex].is_finite() {
                continue;
            }
            let along = hit.surface.velocity.cast::<f64>();
            let moved = self.places[vertex] - self.last[vertex] - along * dt;
            let slide = moved - normal * moved.dot(&normal);
            let held = self.settings.friction * hit.depth;
            let kept = (1.0 - held / slide.norm().max(f64::MIN_POSITIVE)).max(0.0);
            self.places[vertex] += normal * hit.depth - slide * (1.0 - kept);
            self.met[vertex] = Some((normal, along));
            contacts.push(SheetContact { position: self.places[vertex], normal, depth: hit.depth });
        }
        contacts
    }
}
