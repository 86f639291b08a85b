//! A uniform grid of particles, of which only the cells that hold some are known: they are sorted by their cells, row by row along x, so
//! that the neighbours of a cell in a row of cells stand one after the other.

use impinge_geometry::{Particles, Radii};

use super::radix::{self, RadixScratch};

/// The most cells along an axis: three such numbers, and their borders, fit a key.
const MOST_CELLS: f64 = (1u32 << 20) as f64;

/// Numbers that may be read beyond the last.
pub(super) const LANES: usize = 8;

/// The particles of one class of radii, sorted by their cells.
#[derive(Clone, Debug, Default)]
pub(super) struct Level {
    low: [f64; 3],
    /// Side of a cell (m): at least twice the greatest radius.
    cell: f64,
    /// Cells along each axis, an empty one at either end among them.
    count: [u32; 3],
    /// Bits of the places of y and z in a key.
    shift: [u32; 2],
    greatest: f64,
    /// Of each particle, rising.
    keys: Vec<u64>,
    numbers: Vec<u32>,
    /// Centres (m, the particles' frame) and radii in that order, and room to read eight from the last.
    pub places: [Vec<f32>; 3],
    pub radii: Vec<f32>,
}

impl Level {
    /// Takes in the particles with these numbers, no radius of which is greater than `greatest` (m).
    pub fn fill(
        &mut self,
        particles: &Particles,
        greatest: f64,
        numbers: impl Iterator<Item = u32>,
        keys: &mut Vec<u64>,
        room: &mut RadixScratch,
    ) {
        let centers = particles.centers();
        self.numbers.clear();
        self.numbers.extend(numbers);
        self.greatest = greatest;
        self.bound(particles);
        keys.clear();
        keys.extend(self.numbers.iter().map(|&n| {
            let p = &centers[n as usize];
            self.key([0, 1, 2].map(|k| self.cell_of(k, f64::from(p[k]))))
        }));
        let bits = self.shift[1] + u32::BITS - self.count[2].leading_zeros();
        radix::sort(keys, &mut self.numbers, bits, room);
        self.keys.clear();
        self.keys.extend_from_slice(keys);
        for (k, places) in self.places.iter_mut().enumerate() {
            places.clear();
            places.extend(self.numbers.iter().map(|&n| centers[n as usize][k]));
            places.resize(self.numbers.len() + LANES, f32::INFINITY);
        }
        self.radii.clear();
        match particles.radii() {
            Radii::One(radius) => self.radii.resize(self.numbers.len(), *radius),
            Radii::Each(radii) => self.radii.extend(self.numbers.iter().map(|&n| radii[n as usize])),
        }
        self.radii.resize(self.numbers.len() + LANES, 0.0);
    }

    /// Lays the cells.
    fn bound(&mut self, particles: &Particles) {
        let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        for &n in &self.numbers {
            let p = &particles.centers()[n as usize];
            for k in 0..3 {
                low[k] = low[k].min(p[k]);
                high[k] = high[k].max(p[k]);
            }
        }
        self.low = low.map(f64::from);
        let extent = [0, 1, 2].map(|k| f64::from(high[k]) - self.low[k]);
        // A little more than twice the radius: what is apart by no more than rounding is in neighbouring cells.
        let longest = extent.iter().fold(0.0, |most: f64, &x| most.max(x));
        self.cell = (2.0 * self.greatest * (1.0 + 1e-6)).max(longest / MOST_CELLS);
        self.count = extent.map(|x| (x / self.cell) as u32 + 3);
        let bits = |k: usize| u32::BITS - self.count[k].leading_zeros();
        self.shift = [bits(0), bits(0) + bits(1)];
    }

    /// The cell of a coordinate, from 1 on.
    #[inline]
    fn cell_of(&self, axis: usize, x: f64) -> u32 {
        ((x - self.low[axis]) / self.cell) as u32 + 1
    }

    #[inline]
    fn key(&self, [x, y, z]: [u32; 3]) -> u64 {
        u64::from(x) | u64::from(y) << self.shift[0] | u64::from(z) << self.shift[1]
    }

    /// The number of a particle, by its place.
    #[inline]
    pub fn number(&self, place: usize) -> u32 {
        self.numbers[place]
    }

    #[inline]
    pub fn keys(&self) -> &[u64] {
        &self.keys
    }

    /// The greatest radius (m).
    pub fn greatest(&self) -> f64 {
        self.greatest
    }

    /// Side of a cell (m).
    pub fn cell(&self) -> f64 {
        self.cell
    }

    /// By how much the key grows from a cell to that of the next row, and to that of the next layer.
    pub fn steps(&self) -> [u64; 2] {
        self.shift.map(|shift| 1 << shift)
    }

    /// Visits the ranges of places in which all particles are whose centres may be within `reach` (m) of a point, in rising order.
    pub fn around(&self, p: &[f64; 3], reach: f64, mut visit: impl FnMut(usize, usize)) {
        let mut cells = [[0u32; 2]; 3];
        for k in 0..3 {
            // Rounding included.
            let far = reach + 1e-12 * (reach + p[k].abs() + self.low[k].abs());
            let last = f64::from(self.count[k] - 2);
            let [low, high] = [-far, far].map(|by| (p[k] + by - self.low[k]) / self.cell + 1.0);
            if !(high >= 1.0 && low < last + 1.0) {
                return;
            }
            cells[k] = [low.max(1.0) as u32, high.min(last) as u32];
        }
        let [x, y, z] = cells;
        let mut at = self.first_from(0, self.key([x[0], y[0], z[0]]));
        // From cell to cell that holds something, past rows that hold nothing.
        while let Some(&key) = self.keys.get(at) {
            let own = self.cell_at(key);
            if own[2] > z[1] {
                return;
            }
            let next_layer = [x[0], y[0], own[2] + 1];
            let next = if own[1] > y[1] {
                next_layer
            } else if own[1] < y[0] {
                [x[0], y[0], own[2]]
            } else if own[0] < x[0] {
                [x[0], own[1], own[2]]
            } else if own[0] <= x[1] {
                let end = self.first_from(at, self.key([x[1], own[1], own[2]]) + 1);
                visit(at, end);
                at = end;
                continue;
            } else if own[1] < y[1] {
                [x[0], own[1] + 1, own[2]]
            } else {
                next_layer
            };
            at = self.first_from(at, self.key(next));
        }
    }

    /// The cell that a key is of.
    #[inline]
    fn cell_at(&self, key: u64) -> [u32; 3] {
        let [y, z] = self.shift;
        let part = |key: u64, bits: u32| (key & ((1 << bits) - 1)) as u32;
        [part(key, y), part(key >> y, z - y), (key >> z) as u32]
    }

    /// The first place from `at` on whose key is not less, by steps that double.
    #[inline]
    fn first_from(&self, at: usize, key: u64) -> usize {
        let rest = &self.keys[at..];
        let mut step = 1;
        while step < rest.len() && rest[step - 1] < key {
            step *= 2;
        }
        let (low, high) = (step / 2, step.min(rest.len()));
        at + low + rest[low..high].partition_point(|&other| other < key)
    }
}
