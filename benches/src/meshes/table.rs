//! Tables of ratios, in Markdown.

use std::fmt::Write;

use super::MeshRow;
use crate::mesh_peers::Query;

/// Which time of a row (µs).
type Time = fn(&MeshRow) -> f64;

/// For every query a table: mean time of a warm call, and in brackets its ratio to that of each of
/// `references`; below it, the same for first calls.
pub fn ratios(rows: &[MeshRow], references: &[&str]) -> String {
    let mut text = String::new();
    for query in Query::ALL {
        let of_query: Vec<&MeshRow> = rows.iter().filter(|row| row.row.query == query.name()).collect();
        if of_query.is_empty() {
            continue;
        }
        let warm: Time = |row| row.row.mean_us;
        let first: Time = |row| row.first_us;
        let kinds: &[(&str, Time)] = match query {
            Query::Build => &[("both meshes", warm)],
            _ => &[("warm calls", warm), ("first calls", first)],
        };
        for (kind, time) in kinds {
            let about = references.iter().map(|who| format!("÷ {who}")).collect::<Vec<_>>().join(", ");
            let _ = writeln!(text, "\n{}, {kind}: mean µs ({about})\n", query.name());
            table(&of_query, references, *time, &mut text);
        }
    }
    text
}

fn table(rows: &[&MeshRow], references: &[&str], time: Time, text: &mut String) {
    let (mut scenes, mut whos) = (Vec::new(), Vec::new());
    for row in rows {
        if !scenes.contains(&&row.row.scene) {
            scenes.push(&row.row.scene);
        }
        if !whos.contains(&&row.row.who) {
            whos.push(&row.row.who);
        }
    }
    let find = |scene: &str, who: &str| rows.iter().find(|row| row.row.scene == scene && row.row.who == who);
    let _ = write!(text, "| scene |");
    for who in &whos {
        let _ = write!(text, " {who} |");
    }
    let _ = writeln!(text, "\n|---|{}", "---|".repeat(whos.len()));
    for scene in scenes {
        let _ = write!(text, "| {scene} |");
        for who in &whos {
            let Some(row) = find(scene, who) else {
                text.push_str(" – |");
                continue;
            };
            let ratio = |other: &&str| match find(scene, other) {
                Some(other) => format!("{:.3}", time(row) / time(other)),
                None => "–".to_owned(),
            };
            let ratios: Vec<String> = references.iter().filter(|other| *other != *who).map(ratio).collect();
            let _ = write!(text, " {} ({}) |", short(time(row)), ratios.join(", "));
        }
        text.push('\n');
    }
}

/// Three digits that count.
fn short(x: f64) -> String {
    let digits = (2.0 - x.abs().max(1e-9).log10().floor()).clamp(0.0, 6.0) as usize;
    format!("{x:.digits$}")
}
