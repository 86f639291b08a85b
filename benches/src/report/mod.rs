//! Tables of the rows in `benches/results`: one generated page of `docs/benchmarks` for each suite.

mod date;
mod stored;
mod suites;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};

use stored::{Run, Stored};
use suites::{Column, Key, SUITES, Suite};

/// A page and what belongs in it.
struct Page {
    path: PathBuf,
    text: String,
}

/// The root of the repository.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the benches are a folder of the repository")
}

/// Writes the pages.
pub fn write() -> anyhow::Result<()> {
    for page in pages()? {
        std::fs::create_dir_all(page.path.parent().expect("a page lies in a folder"))?;
        std::fs::write(&page.path, &page.text)
            .with_context(|| format!("cannot write {}", page.path.display()))?;
        println!("{}", page.path.strip_prefix(root())?.display());
    }
    Ok(())
}

/// Fails if a page is not what [`write()`] would make, or if the folder holds another page.
pub fn check() -> anyhow::Result<()> {
    let folder = root().join("docs/benchmarks");
    let mut others: BTreeSet<PathBuf> =
        std::fs::read_dir(&folder)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
    for page in pages()? {
        let found = std::fs::read_to_string(&page.path)
            .with_context(|| format!("cannot read {}; run `benches -- report`", page.path.display()))?;
        ensure!(
            found == page.text,
            "{} is not made from the stored rows; run `cargo run --release -p impinge-benches -- report`",
            page.path.display()
        );
        others.remove(&page.path);
    }
    ensure!(others.is_empty(), "no stored rows make {others:?}");
    Ok(())
}

/// The pages of all suites of which rows are stored.
fn pages() -> anyhow::Result<Vec<Page>> {
    let mut pages = Vec::new();
    for suite in SUITES {
        let results = root().join(format!("benches/results/{}.jsonl", suite.name));
        if results.exists() {
            let path = root().join(format!("docs/benchmarks/{}.md", suite.name));
            pages.push(Page { path, text: page(suite, &stored::read(&results)?) });
        }
    }
    Ok(pages)
}

/// The text of a page.
fn page(suite: &Suite, all: &[Stored]) -> String {
    let latest = stored::latest(all, suite.unique);
    let runs = runs(&latest);
    let mut text = format!(
        "<!-- Made by `cargo run --release -p impinge-benches -- report` from benches/results/{}.jsonl. -->\n\n# {}\n\n{}\n",
        suite.name, suite.title, suite.note
    );
    for section in distinct(latest.iter().map(|row| row.text(suite.section))) {
        let of_section: Vec<&Stored> =
            latest.iter().filter(|row| row.text(suite.section) == section).copied().collect();
        if !section.is_empty() {
            let _ = write!(text, "\n## {section}\n");
        }
        table(suite, &of_section, all, &runs, &mut text);
    }
    text.push_str("\n## Runs\n\n| run | commit | date (UTC) | machine | adapter |\n|---|---|---|---|---|\n");
    for (index, run) in runs.iter().enumerate() {
        let of_run = latest.iter().filter(|row| row.run() == *run);
        let adapters = distinct(of_run.map(|row| row.text("/adapter")).filter(|name| !name.is_empty()));
        let adapters = if adapters.is_empty() { "–".into() } else { adapters.join(", ") };
        let (commit, date, machine) = (&run.commit, date::utc(run.date), &run.machine);
        let _ = writeln!(text, "| {} | {commit} | {date} | {machine} | {adapters} |", index + 1);
    }
    text
}

fn table(suite: &Suite, rows: &[&Stored], all: &[Stored], runs: &[Run], text: &mut String) {
    // What is the same in all rows stands above the table.
    let values = |key: &Key| distinct(rows.iter().map(|row| row.text(key.field)));
    let (keys, same): (Vec<&Key>, Vec<&Key>) =
        suite.keys.iter().partition(|key| values(key).len() > 1 || key.always);
    let same =
        same.iter().map(|key| (key.heading, values(key).concat())).filter(|(_, value)| !value.is_empty());
    let same: Vec<String> = same.map(|(heading, value)| format!("{heading}: {value}")).collect();
    if !same.is_empty() {
        let _ = write!(text, "\n{}\n", same.join(", "));
    }
    let columns = suite.columns.iter().filter(|column| rows.iter().any(|row| column.concerns(row)));
    let columns: Vec<&Column> = columns.collect();
    let mut headings: Vec<&str> = keys.iter().map(|key| key.heading).collect();
    headings.extend(columns.iter().map(|column| column.heading));
    headings.extend(suite.ratio.as_ref().map(|ratio| ratio.heading));
    headings.push("run");
    let _ = writeln!(text, "\n| {} |\n|{}", headings.join(" | "), "---|".repeat(headings.len()));

    // Rows of two machines or devices are never one.
    let fields: Vec<&str> = keys.iter().map(|key| key.field).chain(["/machine", "/adapter"]).collect();
    let name = |row: &Stored| fields.iter().map(|field| row.text(field)).collect::<Vec<_>>();
    for names in distinct(rows.iter().map(|row| name(row))) {
        let group: Vec<&Stored> = rows.iter().filter(|row| name(row) == names).copied().collect();
        let mut cells = names[..keys.len()].to_vec();
        cells.extend(columns.iter().map(|column| column.cell(&group)));
        cells.extend(suite.ratio.as_ref().map(|ratio| ratio.cell(&group, all)));
        let from = runs.iter().enumerate().filter(|(_, run)| group.iter().any(|row| row.run() == **run));
        cells.push(from.map(|(index, _)| (index + 1).to_string()).collect::<Vec<_>>().join(", "));
        let _ = writeln!(text, "| {} |", cells.join(" | "));
    }
}

/// The runs that the rows come from, oldest first.
fn runs(rows: &[&Stored]) -> Vec<Run> {
    rows.iter().map(|row| row.run()).collect::<BTreeSet<_>>().into_iter().collect()
}

/// Each value once, in the order of their first appearance.
fn distinct<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut found = Vec::new();
    for value in values {
        if !found.contains(&value) {
            found.push(value);
        }
    }
    found
}
