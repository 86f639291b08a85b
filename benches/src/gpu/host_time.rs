//! Time on the processor that is the host's own: the driver of a software adapter works on the same cores.

use std::fs;

/// A moment, by the time that the host's threads have had.
pub struct HostTime(Option<u64>);

impl HostTime {
    pub fn now() -> HostTime {
        HostTime(of_own_threads())
    }

    /// Seconds since then; 0 where the system does not tell threads apart.
    pub fn elapsed(&self) -> f64 {
        match (self.0, of_own_threads()) {
            (Some(then), Some(now)) => now.saturating_sub(then) as f64 * 1e-9,
            _ => 0.0,
        }
    }
}

/// Nanoseconds on the processor of the first thread and of the worlds' own; all others are the driver's.
fn of_own_threads() -> Option<u64> {
    let first = std::process::id().to_string();
    let mut sum = 0;
    for task in fs::read_dir("/proc/self/task").ok()? {
        let folder = task.ok()?.path();
        // A thread may end meanwhile.
        let Ok(name) = fs::read_to_string(folder.join("comm")) else { continue };
        if folder.file_name().is_some_and(|id| id == first.as_str()) || is_of_a_world(name.trim()) {
            let Ok(times) = fs::read_to_string(folder.join("schedstat")) else { continue };
            sum += times.split_whitespace().next()?.parse::<u64>().ok()?;
        }
    }
    Some(sum)
}

/// Whether a thread of this name is a world's worker.
fn is_of_a_world(name: &str) -> bool {
    let rest = name.strip_prefix("impinge-");
    rest.is_some_and(|rest| rest == "step" || (!rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workers_of_worlds_are_told_from_threads_that_took_the_program_s_name() {
        assert!(is_of_a_world("impinge-0") && is_of_a_world("impinge-12") && is_of_a_world("impinge-step"));
        assert!(
            !is_of_a_world("impinge-benches") && !is_of_a_world("llvmpipe-0") && !is_of_a_world("impinge-")
        );
    }
}
