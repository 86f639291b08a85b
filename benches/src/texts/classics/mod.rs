//! The classic image-space tests at random placements: how long each takes, and how often it is wrong, by resolution.
//! The texts print no times for them; RAPID's stand beside the pairs of knots.

mod crowds;
mod measured;
mod others;
mod pairs;
mod planes;

use super::{Choice, TextRow};

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
