//! Asking contenders in turn, frame by frame.

use std::time::Instant;

use cpu_time::ThreadTime;

/// From this on (µs) a time is the thread's own on the processor, which other processes do not lengthen.
const FROM_CPU_US: f64 = 50.0;

/// One who is asked about every frame; the answer is a number that is kept.
pub struct Asked<'a> {
    pub who: String,
    /// Whether its work stays on the thread that asks, so that the thread's own time counts.
    pub alone: bool,
    pub ask: Box<dyn FnMut(usize) -> u64 + 'a>,
}

/// Times (µs) of the best round and answers, frame by frame.
#[derive(Clone, Debug)]
pub struct Answers {
    pub times: Vec<f64>,
    pub answers: Vec<u64>,
}

/// Asks all about all frames in turn, `rounds` times; who goes first changes from frame to frame.
pub fn in_turn(asked: &mut [Asked<'_>], frames: &[usize], rounds: usize) -> Vec<Answers> {
    let fresh = Answers { times: vec![f64::INFINITY; frames.len()], answers: vec![0; frames.len()] };
    let mut all = vec![fresh; asked.len()];
    for round in 0..rounds {
        for (index, &frame) in frames.iter().enumerate() {
            for turn in 0..asked.len() {
                let k = (turn + index + round) % asked.len();
                let (cpu, wall) = (ThreadTime::now(), Instant::now());
                all[k].answers[index] = (asked[k].ask)(frame);
                let wall = wall.elapsed().as_secs_f64() * 1e6;
                let long = asked[k].alone && wall >= FROM_CPU_US;
                let time = if long { cpu.elapsed().as_secs_f64() * 1e6 } else { wall };
                all[k].times[index] = all[k].times[index].min(time);
            }
        }
    }
    all
}
