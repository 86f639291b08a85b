//! The documents name only what exists: files, links, examples.

use std::path::{Path, PathBuf};

/// Endings of files that a document may name by their path.
const ENDINGS: [&str; 9] = [".rs", ".wgsl", ".md", ".sh", ".toml", ".jsonl", ".hash", ".cpp", ".png"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests are a folder of the repository")
}

/// The documents and their texts.
fn documents() -> Vec<(PathBuf, String)> {
    let mut files: Vec<PathBuf> = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "benches/README.md"]
        .map(|name| root().join(name))
        .into();
    for folder in ["docs", "docs/benchmarks"] {
        let entries = std::fs::read_dir(root().join(folder)).expect("the folder is there");
        let paths = entries.map(|entry| entry.expect("the folder can be read").path());
        files.extend(paths.filter(|path| path.extension().is_some_and(|ending| ending == "md")));
    }
    let text = |path: &PathBuf| std::fs::read_to_string(path).expect("a document is text");
    files.into_iter().map(|path| (path.clone(), text(&path))).collect()
}

/// What stands between each `open` and the next `close` of a line.
fn between<'t>(text: &'t str, open: &'t str, close: &'t str) -> impl Iterator<Item = &'t str> {
    text.lines().flat_map(move |line| {
        let parts: Vec<&str> = if open == close {
            line.split(open).skip(1).step_by(2).collect()
        } else {
            line.split(open).skip(1).filter_map(|rest| Some(rest.split_once(close)?.0)).collect()
        };
        parts
    })
}

/// Targets of relative links that do not exist.
fn broken_links(document: &Path, text: &str) -> Vec<String> {
    let folder = document.parent().expect("a document lies in a folder");
    let relative =
        between(text, "](", ")").filter(|target| !target.contains("://") && !target.starts_with('#'));
    let file = |target: &str| folder.join(target.split('#').next().unwrap_or_default());
    relative.filter(|target| !file(target).exists()).map(str::to_owned).collect()
}

/// Paths in `code` that do not exist, from the root of the repository.
fn missing_files(text: &str) -> Vec<String> {
    let is_path = |code: &&str| {
        let plain = code.chars().all(|c| c.is_ascii_alphanumeric() || "_-./".contains(c));
        plain && code.contains('/') && ENDINGS.iter().any(|ending| code.ends_with(ending))
    };
    between(text, "`", "`")
        .filter(is_path)
        .filter(|path| !root().join(path).exists())
        .map(str::to_owned)
        .collect()
}

/// Names after `--example` that no crate has.
fn missing_examples(text: &str) -> Vec<String> {
    let word =
        |rest: &str| rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect::<String>();
    let crates = ["examples", "midphase/examples", "scenes/examples"];
    let known =
        |name: &String| crates.iter().any(|folder| root().join(folder).join(format!("{name}.rs")).exists());
    text.split("--example ").skip(1).map(word).filter(|name| !known(name)).collect()
}

#[test]
fn what_documents_name_exists() {
    let documents = documents();
    assert!(documents.len() > 12, "only {} documents were found", documents.len());
    let mut wrong = Vec::new();
    for (path, text) in &documents {
        let missing = [broken_links(path, text), missing_files(text), missing_examples(text)].concat();
        let name = path.strip_prefix(root()).expect("documents lie in the repository").display();
        wrong.extend(missing.into_iter().map(|what| format!("{name}: {what}")));
    }
    assert!(wrong.is_empty(), "these do not exist:\n{}", wrong.join("\n"));
}

#[test]
fn what_is_missing_is_found() {
    let text = "[a](GPU.md#x) [b](nowhere.md) `src/world/mod.rs` `src/nowhere.rs` `a/b` `--example nobody` [c](https://x.y)";
    assert_eq!(broken_links(&root().join("docs/X.md"), text), ["nowhere.md"]);
    assert_eq!(missing_files(text), ["src/nowhere.rs"]);
    assert_eq!(missing_examples(text), ["nobody"]);
}
