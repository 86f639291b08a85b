//! The command as a user runs it, and what it leaves.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

/// Runs the command.
pub fn impinge(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_impinge")).args(arguments).output().expect("the binary runs")
}

/// Path of a mesh of the scenes.
pub fn asset(file: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenes/assets");
    folder.join(file).to_str().unwrap().to_owned()
}

/// What a run wrote to standard output.
pub fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// What a run wrote to standard error.
pub fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// A file in a new folder that goes away with the returned guard.
pub fn file(name: &str, text: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    let path = path.to_str().unwrap().to_owned();
    (folder, path)
}

/// Nothing on standard output, one message on standard error that holds all of `parts`, status 2.
pub fn assert_refused(output: &Output, parts: &[&str]) {
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert_eq!(stdout(output), "");
    for part in parts {
        assert!(stderr(output).contains(part), "`{part}` is missing in: {}", stderr(output));
    }
    assert!(!stderr(output).contains("panicked"), "{}", stderr(output));
}

/// Runs `simulate`; its output, and its summary or null.
pub fn simulate(out: &Path, more: &[&str]) -> (Output, Value) {
    let mut arguments = vec!["simulate", "--out", out.to_str().unwrap()];
    arguments.extend(more);
    let output = impinge(&arguments);
    let summary = std::fs::read_to_string(out.join("summary.json")).unwrap_or_else(|_| "null".into());
    (output, serde_json::from_str(&summary).unwrap())
}
