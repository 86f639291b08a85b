//! The model beside a device: measured times of passes, by timestamps, over those that the model gives.

use std::time::Duration;

use anyhow::{bail, ensure};
use impinge::prelude::*;

use super::adapter_name;
use super::cards::{CARDS, Card};
use super::estimate::pass_time;
use crate::gpu::counted::CountedStep;
use crate::gpu::scene::Rows;

/// Pairs of the scene.
const PAIRS: usize = 1000;

/// Times passes on an adapter and prints them beside the model's for its card; for all cards where the adapter is none of them.
pub fn run(adapter: Option<&str>, steps: usize, warm_up: usize) -> anyhow::Result<()> {
    let name = adapter_name(adapter)?;
    let cards: Vec<&Card> = match CARDS.iter().find(|card| name.contains(card.adapter)) {
        Some(card) => vec![card],
        None => CARDS.iter().collect(),
    };
    if cards.len() > 1 {
        println!("{name} is no card of the model: its times stand beside those of all.");
    }
    for parity in [Parity::Meaning, Parity::Bits] {
        compare(&name, parity, &cards, steps, warm_up)?;
    }
    Ok(())
}

fn compare(
    adapter: &str,
    parity: Parity,
    cards: &[&Card],
    steps: usize,
    warm_up: usize,
) -> anyhow::Result<()> {
    let counted = CountedStep::take(parity, adapter, PAIRS, warm_up)?;
    let world = World::builder().backend(Backend::Gpu).adapter(adapter).parity(parity).build()?;
    let mut rows = Rows::new("measured", parity, world, PAIRS)?;
    let mut sums: Vec<(&'static str, Duration)> = Vec::new();
    for step in 0..warm_up + steps {
        rows.step(step, step >= warm_up)?;
        if step >= warm_up {
            let times = rows.world.gpu_pass_times();
            sums.resize(times.len(), ("", Duration::ZERO));
            for (sum, (pass, time)) in sums.iter_mut().zip(times) {
                *sum = (pass, sum.1 + time);
            }
        }
    }
    if sums.iter().all(|(_, time)| time.is_zero()) {
        bail!("{adapter} has no timestamps: passes cannot be timed one by one");
    }
    ensure!(rows.touching > 0, "nothing touches");
    let pairs = rows.touching as f64 / steps as f64;
    println!("{parity:?}, {pairs:.0} pairs on {adapter}: measured, and modelled (µs; measured ÷ modelled)");
    for (pass, time) in sums.iter().filter(|(_, time)| !time.is_zero()) {
        let measured = time.as_secs_f64() / steps as f64;
        print!("{pass:16} {:10.1}", measured * 1e6);
        let own = counted.passes.iter().find(|own| own.pass == *pass);
        for card in cards {
            let modelled = own.map_or(0.0, |own| pass_time(card, own, pairs / counted.pairs as f64).0);
            print!("   {}: {:9.1} ({:.2})", card.name, modelled * 1e6, measured / modelled.max(1e-12));
        }
        println!();
    }
    Ok(())
}
