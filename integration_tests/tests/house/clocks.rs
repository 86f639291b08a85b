//! Where time is read.

use std::path::{Path, PathBuf};

use super::{STAGES, root};

/// The one file that reads the clock: `Instant::now` panics where there is none, as in a browser.
const CLOCK: &str = "src/clock.rs";

/// Files of the library that name a clock, tests aside.
fn readers() -> Vec<String> {
    let mut found = Vec::new();
    let mut open: Vec<PathBuf> =
        STAGES.iter().map(|stage| root().join(stage)).chain([root().join("src")]).collect();
    while let Some(path) = open.pop() {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && !["tests", "examples", "benches", "gpu_narrow"].contains(&name.as_str()) {
            let entries = std::fs::read_dir(&path).expect("a folder of the workspace");
            open.extend(entries.map(|entry| entry.expect("a readable entry").path()));
        } else if name.ends_with(".rs") && names_a_clock(&path) {
            let from_root = path.strip_prefix(root()).expect("below the root");
            found.push(from_root.to_string_lossy().replace('\\', "/"));
        }
    }
    found
}

fn names_a_clock(file: &Path) -> bool {
    let text = std::fs::read_to_string(file).expect("a readable file");
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let mut words = code.flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_'));
    words.any(|word| ["Instant", "SystemTime"].contains(&word))
}

#[test]
fn one_file_of_the_library_reads_the_clock() {
    assert_eq!(readers(), [CLOCK], "use `crate::clock::Stopwatch`");
}
