//! Rows as they were kept.

use std::path::Path;

use anyhow::{Context, ensure};
use serde_json::Value;

/// A row of `benches/results`. Fields are named by JSON pointers (`/median_us`).
#[derive(Clone, Debug)]
pub struct Stored(Value);

/// The process that measured a row; ordered by date.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Run {
    /// Seconds since 1970.
    pub date: u64,
    pub commit: String,
    pub machine: String,
}

impl Stored {
    /// Fails unless the line is a row that says which commit, date and machine it comes from.
    pub fn parse(line: &str) -> anyhow::Result<Stored> {
        let row = Stored(serde_json::from_str(line)?);
        for field in ["/suite", "/commit", "/machine"] {
            ensure!(!row.text(field).is_empty(), "the row has no {field}");
        }
        ensure!(row.number("/date").is_some(), "the row has no /date");
        Ok(row)
    }

    /// A string as it is, a number as JSON writes it; empty where there is none.
    pub fn text(&self, field: &str) -> String {
        match self.0.pointer(field) {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Number(number)) => number.to_string(),
            _ => String::new(),
        }
    }

    pub fn number(&self, field: &str) -> Option<f64> {
        self.0.pointer(field)?.as_f64()
    }

    pub fn run(&self) -> Run {
        Run {
            date: self.0.pointer("/date").and_then(Value::as_u64).unwrap_or(0),
            commit: self.text("/commit"),
            machine: self.text("/machine"),
        }
    }
}

/// All rows of a file, in its order.
pub fn read(path: &Path) -> anyhow::Result<Vec<Stored>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.is_empty());
    lines
        .map(|(index, line)| Stored::parse(line).with_context(|| format!("{}:{}", path.display(), index + 1)))
        .collect()
}

/// Of rows that agree in `unique`, machine and adapter only the last, at the place of the first.
pub fn latest<'r>(rows: &'r [Stored], unique: &[&str]) -> Vec<&'r Stored> {
    let name = |row: &Stored| {
        let fields = unique.iter().chain(&["/machine", "/adapter"]);
        fields.map(|field| row.text(field)).collect::<Vec<_>>()
    };
    let mut latest: Vec<(Vec<String>, &Stored)> = Vec::new();
    for row in rows {
        let key = name(row);
        match latest.iter_mut().find(|(other, _)| *other == key) {
            Some((_, kept)) if kept.run().date <= row.run().date => *kept = row,
            Some(_) => {}
            None => latest.push((key, row)),
        }
    }
    latest.into_iter().map(|(_, row)| row).collect()
}
