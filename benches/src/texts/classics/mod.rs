//! The classic image-space tests at random placements: how long each takes, and how often it is wrong, by resolution.
//! The texts print no times for them; RAPID's stand beside the pairs of knots.

mod crowds;
mod measured;
mod others;
mod pairs;
mod planes;

use super::{Choice, TextRow};

/// Random placements of each test.
const PLACEMENTS: usize = 1000;

/// Placements on a device: a software adapter takes its time.
const PLACEMENTS_GPU: usize = 12;

/// Pixels along a side.
const PIXELS: [u32; 5] = [64, 128, 256, 512, 1024];

pub fn run(choice: &Choice<'_>) -> anyhow::Result<Vec<TextRow>> {
    let mut rows = pairs::run(choice)?;
    for more in [others::run, planes::run, crowds::run] {
        rows.extend(more(choice)?);
    }
    Ok(rows)
}

/// How many placements are asked about.
fn placements(choice: &Choice<'_>, most: usize) -> usize {
    if choice.frames == 0 { most } else { choice.frames.min(most) }
}
