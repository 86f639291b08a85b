//! Names of files and types.

use std::collections::BTreeMap;

use super::{STAGES, crates};

/// A file is named for a noun; these say nothing.
const EMPTY_NAMES: &[&str] = &["common", "utils", "util", "helpers", "helper", "misc", "detail"];

/// Files that are still called so. One that has another name now must be struck here.
const STILL_EMPTY: &[&str] = &[];

/// Names that several types of a crate share, of those that other modules can name, by crate. One that is no longer
/// shared must be struck here.
const SHARED_TYPE_NAMES: &[(&str, &[&str])] = &[("geometry", &["Base"])];

#[test]
fn files_have_names_that_say_something() {
    let mut found = Vec::new();
    for (name, modules) in crates(&[STAGES, &["."]].concat()) {
        for file in modules.file_names() {
            let stem =
                file.trim_end_matches("/mod.rs").trim_end_matches(".rs").rsplit('/').next().unwrap_or("");
            if EMPTY_NAMES.contains(&stem) {
                found.push(format!("{name}/src/{file}").trim_start_matches("./").to_owned());
            }
        }
    }
    found.sort();
    assert_eq!(found, STILL_EMPTY, "files are named for what is in them");
}

#[test]
fn types_of_a_crate_have_names_of_their_own() {
    let mut wrong = String::new();
    for (name, modules) in crates(STAGES) {
        let found: BTreeMap<String, Vec<String>> = modules.shared_type_names();
        let known = SHARED_TYPE_NAMES.iter().find(|(of, _)| *of == name).map_or(&[][..], |(_, names)| *names);
        if found.keys().map(String::as_str).ne(known.iter().copied()) {
            wrong += &format!("    (\"{name}\", &{:?}), // {found:?}\n", found.keys().collect::<Vec<_>>());
        }
    }
    assert!(wrong.is_empty(), "other shared names than the known ones:\n{wrong}");
}
