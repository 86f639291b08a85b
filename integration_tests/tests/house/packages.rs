//! What is published, and what it is built from.

use std::collections::BTreeSet;
use std::process::Command;

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, Package};

use super::root;

fn metadata(more: &[&str]) -> Metadata {
    let mut command = MetadataCommand::new();
    command
        .manifest_path(root().join("Cargo.toml"))
        .other_options(more.iter().map(|&s| s.to_owned()).collect::<Vec<_>>());
    command.exec().expect("cargo metadata runs")
}

/// The platform that this runs on, as cargo names it.
fn host() -> String {
    let output = Command::new(env!("CARGO")).arg("-vV").output().expect("cargo runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().find_map(|line| line.strip_prefix("host: ")).expect("cargo names its host").to_owned()
}

/// The licences that `deny.toml` allows.
fn allowed() -> BTreeSet<String> {
    let text = std::fs::read_to_string(root().join("deny.toml")).expect("deny.toml is there");
    let (_, list) = text.split_once("\nallow = [").expect("deny.toml has a list `allow`");
    let (list, _) = list.split_once(']').expect("the list ends");
    let names = list.split(',').map(|name| name.trim().trim_matches('"').to_owned());
    names.filter(|name| !name.is_empty()).collect()
}

/// An expression of SPDX 3, annex B: licences joined by `AND`, which binds, and `OR`, in parentheses or not. (A `/` is an old `OR`.)
struct Expression<'t> {
    words: Vec<&'t str>,
    at: usize,
}

impl<'t> Expression<'t> {
    /// Whether it can be met by licences that are allowed; `None` where it cannot be read.
    fn is_met(text: &'t str, allowed: &BTreeSet<String>) -> Option<bool> {
        let mut words = Vec::new();
        let mut rest = text.trim();
        while let Some(first) = rest.chars().next() {
            let length = match first {
                '(' | ')' | '/' => 1,
                _ => rest.find([' ', '(', ')', '/']).unwrap_or(rest.len()),
            };
            words.push(&rest[..length]);
            rest = rest[length..].trim_start();
        }
        let mut expression = Expression { words, at: 0 };
        let met = expression.either(allowed)?;
        (expression.at == expression.words.len()).then_some(met)
    }

    fn take(&mut self, words: &[&str]) -> bool {
        let found = self.words.get(self.at).is_some_and(|word| words.contains(word));
        self.at += usize::from(found);
        found
    }

    fn either(&mut self, allowed: &BTreeSet<String>) -> Option<bool> {
        let mut met = self.both(allowed)?;
        while self.take(&["OR", "/"]) {
            met |= self.both(allowed)?;
        }
        Some(met)
    }

    fn both(&mut self, allowed: &BTreeSet<String>) -> Option<bool> {
        let mut met = self.one(allowed)?;
        while self.take(&["AND"]) {
            met &= self.one(allowed)?;
        }
        Some(met)
    }

    fn one(&mut self, allowed: &BTreeSet<String>) -> Option<bool> {
        if self.take(&["("]) {
            let met = self.either(allowed)?;
            return self.take(&[")"]).then_some(met);
        }
        let name = *self.words.get(self.at)?;
        self.at += 1;
        if ["AND", "OR", "WITH", ")", "/"].contains(&name) {
            return None;
        }
        if !self.take(&["WITH"]) {
            return Some(allowed.contains(name));
        }
        let exception = self.words.get(self.at)?;
        self.at += 1;
        Some(allowed.contains(&format!("{name} WITH {exception}")))
    }
}

#[test]
fn expressions_of_licences_are_read_as_they_bind() {
    let allowed = ["MIT", "ISC", "Apache-2.0 WITH LLVM-exception"].map(str::to_owned).into();
    let met = |text| Expression::is_met(text, &allowed);
    assert_eq!(met("MIT"), Some(true));
    assert_eq!(met("GPL-3.0/MIT"), Some(true));
    assert_eq!(met("MIT AND GPL-3.0 OR ISC"), Some(true));
    assert_eq!(met("MIT AND (GPL-3.0 OR Zlib)"), Some(false));
    assert_eq!(met("(GPL-3.0 OR MIT) AND ISC"), Some(true));
    assert_eq!(met("Apache-2.0 WITH LLVM-exception"), Some(true));
    assert_eq!(met("Apache-2.0"), Some(false));
    for wrong in ["", "MIT OR", "(MIT", "MIT ISC", "AND", "MIT WITH"] {
        assert_eq!(met(wrong), None, "{wrong}");
    }
}

/// As `cargo deny check licenses sources`, for what is built on this system; it needs nothing but cargo.
#[test]
fn everything_built_from_may_be_used_freely() {
    let all = metadata(&["--locked", "--offline", "--filter-platform", &host()]);
    let allowed = allowed();
    assert!(allowed.contains("MIT") && all.packages.len() > 100, "not what was meant to be read");
    let is_wrong = |package: &&Package| {
        let licence = package.license.as_deref().unwrap_or_default();
        let foreign = package.source.as_ref().is_some_and(|s| !s.repr.contains("crates.io-index"));
        foreign || Expression::is_met(licence, &allowed) != Some(true)
    };
    let wrong: Vec<String> = all
        .packages
        .iter()
        .filter(is_wrong)
        .map(|package| {
            format!("{} {}: {:?}, {:?}", package.name, package.version, package.license, package.source)
        })
        .collect();
    assert!(wrong.is_empty(), "not in deny.toml, or not from crates.io:\n{}", wrong.join("\n"));
}

/// What `cargo publish` and docs.rs want to know.
#[test]
fn published_packages_say_what_they_are() {
    let metadata = metadata(&["--no-deps"]);
    let published =
        |package: &&Package| package.publish.as_ref().is_none_or(|registries| !registries.is_empty());
    let mut count = 0;
    for package in metadata.packages.iter().filter(published) {
        count += 1;
        let name = &package.name;
        assert!(package.description.as_ref().is_some_and(|text| text.len() > 20), "{name}: description");
        assert_eq!(package.license.as_deref(), Some("MIT OR Apache-2.0"), "{name}: license");
        assert_eq!(package.documentation, Some(format!("https://docs.rs/{name}")), "{name}: documentation");
        assert!(package.rust_version.is_some(), "{name}: rust-version");
        let fits =
            |word: &String| word.len() <= 20 && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
        assert!(
            (1..=5).contains(&package.keywords.len()) && package.keywords.iter().all(fits),
            "{name}: keywords"
        );
        assert!((1..=5).contains(&package.categories.len()), "{name}: categories");
        // A dependency in the workspace is looked up by its version once it is published.
        let unversioned = |d: &&cargo_metadata::Dependency| {
            d.path.is_some()
                && d.kind != DependencyKind::Development
                && d.req == "*".parse().expect("a requirement")
        };
        let without = package.dependencies.iter().filter(unversioned).map(|d| d.name.clone());
        assert_eq!(
            without.collect::<Vec<_>>(),
            Vec::<String>::new(),
            "{name}: dependencies without a version"
        );
    }
    assert!(count >= 12, "{count} packages are published");
}
