//! Other heights for some samples, at a cost in proportion to how many these are.

use super::samples::Samples;
use super::{HeightField, HeightFieldError};
use crate::Aabb;

/// Samples that are checked side by side.
const LANES: usize = 8;

/// Bytes of a cache line, as most processors have it; where it is another, only time is lost.
const LINE: usize = 64;

/// What an edit has changed.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct FieldEdit {
    /// Box of the ground that was there before or is now, over all cells that have one of the samples (m, the field's frame).
    pub changed: Aabb,
    /// No place of the terrain was raised or lowered by more (m); where triangles came or went, how high the ground is.
    pub moved: f64,
    /// Whether triangles came or went, because samples became NaN or were: then the whole field was looked through.
    pub gaps_changed: bool,
}

/// Samples as they are given.
enum Given<'g> {
    F32(&'g [f32]),
    U16(&'g [u16]),
}

/// What is known of samples that were checked row by row.
struct CheckedRows {
    /// By how much a height changes at most (m).
    most: f64,
    /// The highest before and after (m).
    highest: [f32; 2],
}

impl HeightField {
    /// Gives the samples from `first` (place in a row, row) on, `count` along x and y, other heights (m), row by row; NaN is no terrain.
    ///
    /// # Errors
    /// [`HeightFieldError`]; the field is then as it was.
    pub fn set_heights(
        &mut self,
        first: [u32; 2],
        count: [u32; 2],
        heights: &[f32],
    ) -> Result<FieldEdit, HeightFieldError> {
        if let Samples::U16 { .. } = self.samples {
            return Err(HeightFieldError::Form { stored: "u16", given: "f32" });
        }
        self.set(first, count, &Given::F32(heights))
    }

    /// As [`HeightField::set_heights`], of a field made by [`HeightField::quantized`].
    ///
    /// # Errors
    /// As there.
    pub fn set_quantized(
        &mut self,
        first: [u32; 2],
        count: [u32; 2],
        values: &[u16],
    ) -> Result<FieldEdit, HeightFieldError> {
        if let Samples::F32(_) = self.samples {
            return Err(HeightFieldError::Form { stored: "f32", given: "u16" });
        }
        self.set(first, count, &Given::U16(values))
    }

    fn set(
        &mut self,
        first: [u32; 2],
        count: [u32; 2],
        given: &Given<'_>,
    ) -> Result<FieldEdit, HeightFieldError> {
        let beyond = |k: usize| first[k].checked_add(count[k]).is_none_or(|end| end > self.size[k]);
        if beyond(0) || beyond(1) {
            return Err(HeightFieldError::OutOfRange { first, count, size: self.size });
        }
        let expected = (count[0] * count[1]) as usize;
        let length = match given {
            Given::F32(heights) => heights.len(),
            Given::U16(values) => values.len(),
        };
        if length != expected {
            return Err(HeightFieldError::Count { what: "samples", given: length, expected, size: count });
        }
        let last = [0, 1].map(|k| (first[k] + count[k]).saturating_sub(1).min(self.size[k] - 1));
        if expected == 0 {
            return Ok(FieldEdit { changed: Aabb::EMPTY, moved: 0.0, gaps_changed: false });
        }
        let rows = self.check_rows(first, count, given);
        let (gaps_changed, most) = match &rows {
            Some(rows) => (false, rows.most),
            None => self.check(first, count, given)?,
        };
        // What surrounds the samples is the same before and after.
        let ring = if rows.is_some() { self.highest_round([first, last]) } else { f32::NEG_INFINITY };
        let before = match &rows {
            Some(rows) => self.box_round([first, last], ring.max(rows.highest[0])),
            None => self.around([first, last]),
        };
        let old = gaps_changed.then(|| self.clone());
        self.write(first, count, given);
        if gaps_changed {
            self.gaps = true;
            if !self.find_islands() {
                if let Some(old) = old {
                    *self = old;
                }
                return Err(HeightFieldError::Empty);
            }
        }
        self.measure([first, last]);
        if gaps_changed {
            // Walls stand under edges of the cells round the samples.
            let from = first.map(|k| k.saturating_sub(1));
            let to = [0, 1].map(|k| (last[k] + 1).min(self.size[k] - 1));
            self.find_walls([from, to]);
        }
        let after = match &rows {
            Some(rows) => self.box_round([first, last], ring.max(rows.highest[1])),
            None => self.around([first, last]),
        };
        let changed = before.merged(&after);
        let moved = if gaps_changed { f64::from(changed.max[2]) - f64::from(changed.min[2]) } else { most };
        Ok(FieldEdit { changed, moved, gaps_changed })
    }

    /// Whether samples become NaN or cease to be, and by how much a height changes at most (m).
    fn check(
        &self,
        first: [u32; 2],
        count: [u32; 2],
        given: &Given<'_>,
    ) -> Result<(bool, f64), HeightFieldError> {
        let (mut gaps_changed, mut most) = (false, 0.0f64);
        for (index, sample) in places(first, count).enumerate() {
            let value = self.given(given, index);
            // Not so of NaN.
            if value.abs() > crate::FARTHEST as f32 {
                return Err(HeightFieldError::Height { sample, value });
            }
            if value <= self.bottom {
                return Err(HeightFieldError::Bottom { bottom: self.bottom, lowest: value, sample });
            }
            let old = self.height(sample);
            gaps_changed |= value.is_nan() != old.is_nan();
            // What is NaN changes nothing here.
            most = most.max((f64::from(value) - f64::from(old)).abs());
        }
        Ok((gaps_changed, most))
    }

    /// As [`HeightField::check`], row by row, where nothing is wrong with them and no triangle comes or goes.
    fn check_rows(&self, first: [u32; 2], count: [u32; 2], given: &Given<'_>) -> Option<CheckedRows> {
        let (Given::F32(heights), Samples::F32(own)) = (given, &self.samples) else { return None };
        let row = count[0] as usize;
        self.fetch(first, count, own);
        let mut most = [0.0f64; LANES];
        let mut highest = [[f32::NEG_INFINITY; LANES]; 2];
        let mut sound = true;
        let mut take = |new: &[f32], old: &[f32]| {
            for (k, (&new, &old)) in new.iter().zip(old).enumerate().take(LANES) {
                // No comparison holds of NaN.
                sound &= (new.abs() <= crate::FARTHEST as f32) & (new > self.bottom) & !old.is_nan();
                let change = (f64::from(new) - f64::from(old)).abs();
                most[k] = if change > most[k] { change } else { most[k] };
                highest[0][k] = if old > highest[0][k] { old } else { highest[0][k] };
                highest[1][k] = if new > highest[1][k] { new } else { highest[1][k] };
            }
        };
        for (new, j) in heights.chunks_exact(row).zip(first[1]..) {
            let old = &own[self.index([first[0], j])..][..row];
            let ((new, new_rest), (old, old_rest)) = (new.as_chunks::<LANES>(), old.as_chunks::<LANES>());
            new.iter().zip(old).for_each(|(new, old)| take(new, old));
            take(new_rest, old_rest);
        }
        sound.then(|| CheckedRows {
            most: most.into_iter().fold(0.0, f64::max),
            highest: highest.map(|lanes| lanes.into_iter().fold(f32::NEG_INFINITY, f32::max)),
        })
    }

    /// Reads one number of every cache line that an edit goes over: rows are far apart, and the processor waits for all of them at once, not for
    /// one after the other.
    fn fetch(&self, first: [u32; 2], count: [u32; 2], own: &[f32]) {
        let mut seen = 0;
        let [from, to] = self.cells_round([first, [0, 1].map(|k| first[k] + count[k] - 1)]);
        for j in from[1]..=to[1] {
            let row = &own[self.index([from[0], j])..=self.index([to[0], j])];
            row.iter().step_by(LINE / size_of::<f32>()).for_each(|height| seen ^= height.to_bits());
        }
        let blocks = &self.levels[0];
        for y in first[1] >> 2..=(first[1] + count[1] - 1) >> 2 {
            let at = y * blocks.size[0];
            let row = &blocks.bounds
                [(at + (first[0] >> 2)) as usize..=(at + ((first[0] + count[0] - 1) >> 2)) as usize];
            row.iter().step_by(LINE / size_of::<[f32; 2]>()).for_each(|bounds| seen ^= bounds[0].to_bits());
        }
        std::hint::black_box(seen);
    }

    fn given(&self, given: &Given<'_>, index: usize) -> f32 {
        match (given, &self.samples) {
            (Given::F32(heights), _) => heights[index],
            (Given::U16(values), Samples::U16 { base, step, .. }) => base + step * f32::from(values[index]),
            (Given::U16(values), Samples::F32(_)) => f32::from(values[index]),
        }
    }

    fn write(&mut self, first: [u32; 2], count: [u32; 2], given: &Given<'_>) {
        let row = count[0] as usize;
        for j in 0..count[1] as usize {
            let at = self.index([first[0], first[1] + j as u32]);
            match (&mut self.samples, given) {
                (Samples::F32(own), Given::F32(heights)) => {
                    own[at..at + row].copy_from_slice(&heights[j * row..(j + 1) * row]);
                }
                (Samples::U16 { values, .. }, Given::U16(new)) => {
                    values[at..at + row].copy_from_slice(&new[j * row..(j + 1) * row]);
                }
                _ => {}
            }
        }
    }

    /// Box of the ground over the cells that have a sample between two (m).
    fn around(&self, range: [[u32; 2]; 2]) -> Aabb {
        let [from, to] = self.cells_round(range);
        let [_, highest] = self.heights_of(from, [to[0] - from[0], to[1] - from[1]]);
        self.box_round(range, highest)
    }

    /// The samples of the cells that have a sample between two: the first and the last.
    fn cells_round(&self, [first, last]: [[u32; 2]; 2]) -> [[u32; 2]; 2] {
        [first.map(|k| k.saturating_sub(1)), [0, 1].map(|k| (last[k] + 1).min(self.size[k] - 1))]
    }

    /// The highest sample of these cells that is not between the two (m).
    fn highest_round(&self, [first, last]: [[u32; 2]; 2]) -> f32 {
        let [from, to] = self.cells_round([first, last]);
        let rows = [(from[1], from[1] < first[1]), (to[1], to[1] > last[1])];
        let columns = [(from[0], from[0] < first[0]), (to[0], to[0] > last[0])];
        let of_row = |(j, _)| self.heights_of([from[0], j], [to[0] - from[0], 0])[1];
        let of_column = |(i, _)| self.heights_of([i, first[1]], [0, last[1] - first[1]])[1];
        let rows = rows.into_iter().filter(|(_, beyond)| *beyond).map(of_row);
        let columns = columns.into_iter().filter(|(_, beyond)| *beyond).map(of_column);
        rows.chain(columns).fold(f32::NEG_INFINITY, f32::max)
    }

    /// Box of the ground over these cells, by their highest sample (m).
    fn box_round(&self, range: [[u32; 2]; 2], highest: f32) -> Aabb {
        let [from, to] = self.cells_round(range);
        if highest < self.bottom {
            return Aabb::EMPTY;
        }
        Aabb {
            min: [self.along(0, from[0]), self.along(1, from[1]), self.bottom],
            max: [self.along(0, to[0]), self.along(1, to[1]), highest],
        }
    }
}

/// Places row by row.
fn places(first: [u32; 2], count: [u32; 2]) -> impl Iterator<Item = [u32; 2]> {
    (0..count[1]).flat_map(move |j| (0..count[0]).map(move |i| [first[0] + i, first[1] + j]))
}
