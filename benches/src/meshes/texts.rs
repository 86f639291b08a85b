//! Our ratios beside those that two papers print, on scenes of the same sizes.

use std::fmt::Write;

use super::MeshRow;

/// Triangles, and RAPID's time over theirs: Shen et al., "A Hybrid Collision Detection Algorithm Based
/// on Image Space", Table 1 (ms of RAPID and of their algorithm).
const SHEN: [(u32, f64); 5] = [
    (968, 4.1620 / 3.9716),
    (3_162, 7.6131 / 6.5753),
    (5_201, 11.0231 / 9.5957),
    (7_591, 14.4713 / 11.7126),
    (9_613, 18.3837 / 13.2147),
];
/// FCL's time over theirs, averaged over 800 frames: Fabrizio et al., "Easy Real-Time Collision
/// Detection", Table 1 (s).
const FABRIZIO: f64 = 0.000_205_084_627_5 / 0.000_101_614_386_25;

/// A Markdown table of FCL's time over ours (how many times faster we are), beside the papers' own
/// ratios. Empty where FCL did not run.
pub fn table(rows: &[MeshRow]) -> String {
    let times = |scene: &str, query: &str, who: &str| {
        let found = |row: &&MeshRow| row.row.scene == scene && row.row.query == query && row.row.who == who;
        rows.iter().find(found).map(|row| row.row.mean_us)
    };
    let faster =
        |scene: &str, query: &str| Some(times(scene, query, "fcl")? / times(scene, query, "impinge")?);
    let show = |ratio: Option<f64>| ratio.map_or_else(|| "–".to_owned(), |ratio| format!("{ratio:.1} ×"));
    let mut text = String::new();
    let mut line = |what: String, paper: String, scene: &str| {
        let ratios = ["touching", "pairs"].map(|query| faster(scene, query));
        if ratios.iter().any(Option::is_some) {
            let _ = writeln!(text, "| {what} | {paper} | {} | {} |", show(ratios[0]), show(ratios[1]));
        }
    };
    for (triangles, ratio) in SHEN {
        let what = format!("two meshes of {triangles} triangles (Shen)");
        line(what, format!("{ratio:.2} × RAPID"), &format!("knot-{triangles}"));
    }
    let what = "ship of 9716 triangles, 800 frames (Fabrizio)".to_owned();
    line(what, format!("{FABRIZIO:.1} × FCL"), "fly-through");
    if text.is_empty() {
        return text;
    }
    format!(
        "\n| scene | the paper: times faster than | impinge, touching: times FCL OBB | all pairs: times FCL OBB |\n|---|---|---|---|\n{text}"
    )
}
