//! What is known of where particles are among each other.

use impinge_geometry::{Particles, Radii};

use super::grid::Level;
use super::morton;
use super::radix::RadixScratch;

/// Halvings of the radius that have a grid of their own; smaller particles are in the last one's.
const MOST_LEVELS: usize = 16;

/// Where particles are among each other, in their own frame: an order in which neighbours come one after the other, and grids to find them
/// in. Each is made when it is needed, and again when they have moved.
#[derive(Clone, Debug, Default)]
pub struct CloudIndex {
    order: Vec<u32>,
    ordered: bool,
    levels: Vec<Level>,
    /// How many levels there are now.
    used: usize,
    members: Vec<Vec<u32>>,
    keys: Vec<u64>,
    room: RadixScratch,
}

impl CloudIndex {
    /// Says that the particles have moved.
    pub fn forget(&mut self) {
        (self.ordered, self.used) = (false, 0);
    }

    /// Makes the order, as [`against`](super::against) needs it, unless it is there.
    pub fn make_order(&mut self, particles: &Particles) {
        if !self.ordered {
            morton::sort(particles.centers(), &mut self.order, &mut self.keys, &mut self.room);
            self.ordered = true;
        }
    }

    /// Makes the grids, as [`themselves`](super::themselves) and the second of [`between`](super::between) need them, unless they are there.
    pub fn make_grid(&mut self, particles: &Particles) {
        if self.used > 0 {
            return;
        }
        let most = particles.greatest_radius();
        match particles.radii() {
            Radii::One(_) => self.add_level(|level, keys, room| {
                level.fill(particles, f64::from(most), 0..particles.len() as u32, keys, room);
            }),
            Radii::Each(radii) => {
                let mut members = std::mem::take(&mut self.members);
                members.resize(MOST_LEVELS, Vec::new());
                members.iter_mut().for_each(Vec::clear);
                for (number, &radius) in (0..).zip(radii) {
                    members[class(radius, most)].push(number);
                }
                for (k, members) in members.iter().enumerate().filter(|(_, members)| !members.is_empty()) {
                    let greatest = f64::from(most) * 0.5f64.powi(k as i32);
                    self.add_level(|level, keys, room| {
                        level.fill(particles, greatest, members.iter().copied(), keys, room);
                    });
                }
                self.members = members;
            }
        }
    }

    fn add_level(&mut self, fill: impl FnOnce(&mut Level, &mut Vec<u64>, &mut RadixScratch)) {
        if self.levels.len() == self.used {
            self.levels.push(Level::default());
        }
        fill(&mut self.levels[self.used], &mut self.keys, &mut self.room);
        self.used += 1;
    }

    /// The particles, neighbours one after the other.
    pub(super) fn order(&self) -> &[u32] {
        &self.order
    }

    /// The grids, of the largest particles first.
    pub(super) fn levels(&self) -> &[Level] {
        &self.levels[..self.used]
    }
}

/// How often a radius goes into the greatest, as a power of two.
fn class(radius: f32, most: f32) -> usize {
    let (mut half, mut class) = (0.5 * most, 0);
    while radius <= half && class + 1 < MOST_LEVELS {
        (half, class) = (0.5 * half, class + 1);
    }
    class
}
