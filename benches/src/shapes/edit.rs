//! 64² samples of a field of 4,096² changed, at random places.

use impinge_scenes::random::Random;

use super::field::{field, height};
use super::{Choice, Measured, Watch};

const SIDE: u32 = 64;

pub fn run(choice: &Choice<'_>) -> anyhow::Result<Measured> {
    let (mut field, build_ms) = field(4096)?;
    let (mut random, mut times) = (Random::new(3), Vec::with_capacity(choice.count));
    for n in 0..choice.count as u32 + 10 {
        let first = [0, 1].map(|_| random.index((4096 - SIDE) as usize) as u32);
        let heights: Vec<f32> = (0..SIDE * SIDE)
            .map(|k| height(first[0] + k % SIDE, first[1] + k / SIDE) + 0.01 * (n % 7) as f32)
            .collect();
        let watch = Watch::start();
        field.set_heights(first, [SIDE; 2], &heights)?;
        if n >= 10 {
            times.push(watch.micros());
        }
    }
    let (scene, work) = ("field-edit".to_owned(), u64::from(SIDE * SIDE) * choice.count as u64);
    let beside = (scene.clone(), "impinge");
    let bytes = field.bytes();
    Ok(Measured { scene, query: "edit", who: "impinge", times, work, bytes, build_ms, beside })
}
