//! Standard output and standard error.

use std::io::{self, Write};

/// Says on standard error what went wrong.
pub fn complain(error: &anyhow::Error) {
    // Where standard error is closed there is no one left to tell.
    let _ = writeln!(io::stderr(), "impinge: {}", message(error));
}

/// An error and its causes, each said once: many errors already end with their cause's words.
fn message(error: &anyhow::Error) -> String {
    let mut message = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if message.is_empty() {
            message = cause;
        } else if !message.contains(&cause) {
            message = format!("{message}: {cause}");
        }
    }
    message
}

/// Whether the error is that nobody reads standard output any more.
pub fn is_closed(error: &anyhow::Error) -> bool {
    error
        .chain()
        .any(|cause| cause.downcast_ref::<io::Error>().is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe))
}

#[cfg(test)]
mod tests {
    use anyhow::Context;

    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("poses.txt: {source}")]
    struct Whole {
        source: io::Error,
    }

    #[test]
    fn every_cause_is_said_once() {
        let missing = || io::Error::new(io::ErrorKind::NotFound, "no such file");
        let error = anyhow::Error::from(Whole { source: missing() });
        assert_eq!(message(&error), "poses.txt: no such file");
        let error = Err::<(), _>(missing()).context("step 3").unwrap_err();
        assert_eq!(message(&error), "step 3: no such file");
    }
}
