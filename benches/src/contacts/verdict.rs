//! Percentiles over the random pairs, and whether each requirement is met.

use std::fmt::Write;

use super::ContactRow;
use super::claim::Who;
use super::scene::Kind;

/// How far a depth may be from the truth.
const DEPTH: std::ops::RangeInclusive<f64> = 0.9..=1.1;
/// How much may be left of a piece (%).
const LEFT: f64 = 2.0;

/// The value at a share of a sorted list.
pub fn percentile(sorted: &[f64], share: f64) -> f64 {
    let last = sorted.len().saturating_sub(1);
    sorted.get((share * last as f64).round() as usize).copied().unwrap_or(f64::NAN)
}

/// A Markdown table of percentiles over the random pairs.
pub fn distribution(rows: &[ContactRow]) -> String {
    let mut text = String::new();
    let random: Vec<&ContactRow> = rows.iter().filter(|row| row.kind == Kind::Random).collect();
    if random.is_empty() {
        return text;
    }
    let _ = writeln!(
        text,
        "\n| random pairs: 5th / 50th / 95th percentile | pairs | no contact | points | depth ÷ true | separation ÷ least | left % | backward |"
    );
    let _ = writeln!(text, "|---|---|---|---|---|---|---|---|");
    for who in Who::ALL {
        let of: Vec<_> = random.iter().filter(|row| row.who == who.name()).collect();
        if of.is_empty() {
            continue;
        }
        let spread = |value: &dyn Fn(&ContactRow) -> Option<f64>| {
            let mut values: Vec<f64> = of.iter().filter_map(|row| value(row)).collect();
            values.sort_by(f64::total_cmp);
            [0.05, 0.5, 0.95].map(|share| format!("{:.2}", percentile(&values, share))).join(" / ")
        };
        let none = of.iter().filter(|row| row.quality.points == 0).count();
        let points: usize = of.iter().map(|row| row.quality.points).sum();
        let backward: usize = of.iter().map(|row| row.quality.backward).sum();
        let _ = writeln!(
            text,
            "| {} | {} | {none} | {} | {} | {} | {} | {:.1} % |",
            who.name(),
            of.len(),
            spread(&|row| Some(row.quality.points as f64)),
            spread(&|row| row.quality.depth_ratio),
            spread(&|row| row.quality.separation_ratio),
            spread(&|row| row.quality.left),
            100.0 * backward as f64 / points.max(1) as f64,
        );
    }
    text
}

/// A Markdown table of the depth ratios of the named cases.
pub fn named(rows: &[ContactRow]) -> String {
    let named: Vec<&ContactRow> = rows.iter().filter(|row| row.kind != Kind::Random).collect();
    let whos: Vec<&str> =
        Who::ALL.iter().map(|who| who.name()).filter(|who| named.iter().any(|row| row.who == *who)).collect();
    let mut text = String::new();
    if named.is_empty() {
        return text;
    }
    let _ = writeln!(
        text,
        "\ndepth ÷ true depth (volume left, %; points)\n\n| case | true depth (m) | {} |",
        whos.join(" | ")
    );
    let _ = writeln!(text, "|---|---|{}", "---|".repeat(whos.len()));
    let mut at = 0;
    while at < named.len() {
        let of_case: Vec<_> = named[at..].iter().take_while(|row| row.case == named[at].case).collect();
        let _ = write!(text, "| {} | {:.4} |", named[at].case, named[at].true_depth);
        for row in &of_case {
            let quality = &row.quality;
            let _ = match (quality.depth_ratio, quality.left) {
                (Some(depth), Some(left)) => {
                    write!(text, " {depth:.2} ({left:.1}; {}) |", quality.points)
                }
                (Some(depth), None) => write!(text, " {depth:.2} (–; {}) |", quality.points),
                _ => write!(text, " none |"),
            };
        }
        text.push('\n');
        at += of_case.len();
    }
    text
}

/// One line per requirement on impinge: PASS or FAIL with the figure.
pub fn verdicts(rows: &[ContactRow]) -> Vec<String> {
    let ours: Vec<&ContactRow> = rows.iter().filter(|row| row.who == Who::Impinge.name()).collect();
    let mut lines = Vec::new();
    let mut say = |what: &str, holds: bool, figure: String| {
        lines.push(format!("{}  {what}: {figure}", if holds { "PASS" } else { "FAIL" }));
    };
    for kind in [Kind::Tori, Kind::Gears, Kind::Terrain, Kind::Peg, Kind::Wedged, Kind::Nut] {
        let of: Vec<_> = ours.iter().filter(|row| row.kind == kind).collect();
        if of.is_empty() {
            continue;
        }
        let depths: Vec<f64> = of.iter().map(|row| row.quality.depth_ratio.unwrap_or(0.0)).collect();
        let list = |values: &[f64]| values.iter().map(|x| format!("{x:.3}")).collect::<Vec<_>>().join(" ");
        let holds = depths.iter().all(|depth| DEPTH.contains(depth));
        // What is wedged on two sides has no one depth.
        if kind != Kind::Wedged {
            say(&format!("{} depth ÷ true depth in 0.9 to 1.1", kind.name()), holds, list(&depths));
        }
        if kind == Kind::Wedged {
            let points: Vec<f64> = of.iter().map(|row| row.quality.points as f64).collect();
            let holds = points.iter().all(|&points| points > 4.0);
            say("wedged bodies are pressed from more than one side, points", holds, list(&points));
            continue;
        }
        let left: Vec<f64> = of.iter().map(|row| row.quality.left.unwrap_or(100.0)).collect();
        let holds = left.iter().all(|&left| left <= LEFT);
        say(&format!("{} volume left at most 2 %", kind.name()), holds, list(&left));
    }
    let backward: usize = ours.iter().map(|row| row.quality.backward).sum();
    let points: usize = ours.iter().map(|row| row.quality.points).sum();
    say("no backward normal", backward == 0, format!("{backward} of {points} points"));
    let most = ours.iter().map(|row| row.quality.points).max().unwrap_or(0);
    say("at most four manifolds of four points", most <= 16, format!("{most} points"));
    let (worse, of) = worse_than_best(rows);
    say(
        "depth nowhere worse than the best peer's",
        worse.is_empty(),
        format!("worse in {} of {of} cases: {}", worse.len(), worse.join(", ")),
    );
    lines
}

/// The cases in which a peer's depth is nearer to the truth than ours and ours is out of the allowed
/// range, and how many cases there are.
fn worse_than_best(rows: &[ContactRow]) -> (Vec<&str>, usize) {
    let off = |row: &ContactRow| row.quality.depth_ratio.map_or(f64::INFINITY, |x| x.max(1e-12).ln().abs());
    let of_ours = |row: &&ContactRow| row.who == Who::Impinge.name() && row.kind != Kind::Wedged;
    let ours: Vec<&ContactRow> = rows.iter().filter(of_ours).collect();
    let worse = ours.iter().filter(|own| {
        let out = !own.quality.depth_ratio.is_some_and(|x| DEPTH.contains(&x));
        out && rows.iter().any(|row| row.case == own.case && row.who != own.who && off(row) < off(own))
    });
    (worse.map(|row| row.case.as_str()).collect(), ours.len())
}
