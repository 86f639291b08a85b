//! Other values for some samples, at a cost in proportion to how many these are.

use super::kuhn::TETRAHEDRA;
use super::pieces::Pieces;
use super::pyramid::places;
use super::samples::LevelSamples;
use super::{LevelSet, LevelSetError};
use crate::Aabb;

/// What an edit has changed.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct LevelEdit {
    /// Box of all cells that have one of the samples (m, the level set's frame): nothing has changed beyond it.
    pub changed: Aabb,
    /// Whether the parts of the surface that hang together were found again, all of them: parts came, went, or were joined or cut, or might have been.
    pub shells_changed: bool,
}

/// Samples as they are given.
enum Given<'g> {
    F32(&'g [f32]),
    I16(&'g [i16]),
}

impl LevelSet {
    /// Gives the samples from `first` on (places along x, y and z), `count` along each axis, other values: x fastest, then y, then z.
    ///
    /// # Errors
    /// [`LevelSetError`]; the level set is then as it was.
    pub fn set_values(
        &mut self,
        first: [u32; 3],
        count: [u32; 3],
        values: &[f32],
    ) -> Result<LevelEdit, LevelSetError> {
        if let LevelSamples::I16 { .. } = self.samples {
            return Err(LevelSetError::Form { stored: "i16", given: "f32" });
        }
        self.set(first, count, &Given::F32(values))
    }

    /// As [`LevelSet::set_values`], of a level set made by [`LevelSet::quantized`].
    ///
    /// # Errors
    /// As there.
    pub fn set_quantized(
        &mut self,
        first: [u32; 3],
        count: [u32; 3],
        values: &[i16],
    ) -> Result<LevelEdit, LevelSetError> {
        if let LevelSamples::F32(_) = self.samples {
            return Err(LevelSetError::Form { stored: "f32", given: "i16" });
        }
        self.set(first, count, &Given::I16(values))
    }

    fn set(
        &mut self,
        first: [u32; 3],
        count: [u32; 3],
        given: &Given<'_>,
    ) -> Result<LevelEdit, LevelSetError> {
        if (0..3).any(|k| first[k].checked_add(count[k]).is_none_or(|end| end > self.size[k])) {
            return Err(LevelSetError::OutOfRange { first, count, size: self.size });
        }
        let expected = count.iter().map(|&n| n as usize).product();
        let length = match given {
            Given::F32(values) => values.len(),
            Given::I16(values) => values.len(),
        };
        if length != expected {
            return Err(LevelSetError::Count { given: length, expected, size: count });
        }
        if expected == 0 {
            return Ok(LevelEdit { changed: Aabb::EMPTY, shells_changed: false });
        }
        let last: [u32; 3] = std::array::from_fn(|k| first[k] + count[k] - 1);
        for (index, sample) in places([first, last]).enumerate() {
            self.check_value(sample, self.given(given, index))?;
        }
        // The cells that have one of them.
        let cells =
            [first.map(|n| n.saturating_sub(1)), std::array::from_fn(|k| last[k].min(self.size[k] - 2))];
        let before = self.pieces(cells);
        let old: Vec<f32> = places([first, last]).map(|at| self.value(at)).collect();
        self.write([first, last], |this, index, _| this.given(given, index));
        self.measure([first, last]);
        if !self.has_inside() {
            self.write([first, last], |_, index, _| old[index]);
            self.measure([first, last]);
            return Err(LevelSetError::Empty);
        }
        let after = self.pieces(cells);
        let shells_changed = !after.joins_as(&before);
        if shells_changed {
            self.find_shells();
        } else {
            self.update_shells(&before, &after);
        }
        self.update_bounds(cells, &after);
        let changed = Aabb {
            min: std::array::from_fn(|k| self.along(k, cells[0][k] as f32)),
            max: std::array::from_fn(|k| self.along(k, (cells[1][k] + 1) as f32)),
        };
        Ok(LevelEdit { changed, shells_changed })
    }

    /// Finds the cells that the surface passes after a change within some of them (the least and greatest), where it has these pieces now.
    fn update_bounds(&mut self, [first, last]: [[u32; 3]; 2], pieces: &Pieces) {
        let [mut low, mut high] = self.used;
        let (mut least, mut most) = ([u32::MAX; 3], [0; 3]);
        for &tet in &pieces.tetrahedra {
            let cell = self.place_of(tet / TETRAHEDRA as u32);
            least = std::array::from_fn(|k| least[k].min(cell[k]));
            most = std::array::from_fn(|k| most[k].max(cell[k]));
        }
        // What was least may have been there, and be there no longer.
        let lost = (0..3).any(|k| {
            first[k] <= low[k] && least[k] > low[k]
                || last[k] >= high[k] && (most[k] < high[k] || least[k] > most[k])
        });
        if lost {
            self.measure_bounds();
            return;
        }
        for k in 0..3 {
            (low[k], high[k]) = (low[k].min(least[k]), high[k].max(most[k]));
        }
        self.set_used([low, high]);
    }

    /// Whether any sample is negative.
    fn has_inside(&self) -> bool {
        self.is_crossed(self.top_level(), [0; 3])
    }

    fn given(&self, given: &Given<'_>, index: usize) -> f32 {
        match (given, &self.samples) {
            (Given::F32(values), _) => values[index],
            (Given::I16(values), LevelSamples::I16 { step, .. }) => step * f32::from(values[index]),
            (Given::I16(values), LevelSamples::F32(_)) => f32::from(values[index]),
        }
    }

    /// Writes samples between two, both included; `value` gives them by their place in the list.
    fn write(&mut self, range: [[u32; 3]; 2], value: impl Fn(&LevelSet, usize, [u32; 3]) -> f32) {
        for (index, at) in places(range).enumerate() {
            let (value, place) = (value(self, index, at), self.index(at));
            match &mut self.samples {
                LevelSamples::F32(own) => own[place] = value,
                // What was a whole number times the step is one again.
                LevelSamples::I16 { values, step } => values[place] = (value / *step).round() as i16,
            }
        }
    }
}
