//! Which columns the page of a suite has.

use super::stored::Stored;

/// How the rows of a suite become a page.
pub struct Suite {
    /// Of the suite, of its results and of its page.
    pub name: &'static str,
    pub title: &'static str,
    pub note: &'static str,
    /// Fields that tell measurements apart; of those alike only the last counts.
    pub unique: &'static [&'static str],
    /// Each value of this field has a table of its own.
    pub section: &'static str,
    /// The first columns: rows that agree in them are one row of the table.
    pub keys: &'static [Key],
    pub columns: &'static [Column],
    pub ratio: Option<Ratio>,
}

/// A column that names the row.
pub struct Key {
    pub heading: &'static str,
    pub field: &'static str,
    /// Whether it has a column even where all rows agree.
    pub always: bool,
}

/// A column of numbers.
pub struct Column {
    pub heading: &'static str,
    field: &'static str,
    show: Show,
}

#[derive(Clone, Copy)]
enum Show {
    /// The value times this; what is 0 was not measured.
    Scaled(f64),
    /// A whole number.
    Whole,
    /// Percentiles 5, 50 and 95 of all rows.
    Spread,
    /// The number of rows that have a value.
    Count,
    /// The sum over all rows.
    Sum,
    /// False hits and missed ones.
    Wrong,
}

/// A last column: a time over that of a row of the same run.
pub struct Ratio {
    pub heading: &'static str,
    /// The first of these fields that is not 0 counts.
    times: &'static [&'static str],
    /// Whether a row is divided by the other one.
    base: fn(&Stored, &Stored) -> bool,
}

impl Column {
    /// Whether the row has anything in this column.
    pub fn concerns(&self, row: &Stored) -> bool {
        match self.show {
            Show::Wrong => row.number(&format!("{}/missed", self.field)).is_some(),
            Show::Scaled(_) => row.number(self.field).is_some_and(|value| value != 0.0),
            _ => row.number(self.field).is_some(),
        }
    }

    pub fn cell(&self, group: &[&Stored]) -> String {
        let mut values: Vec<f64> = group.iter().filter_map(|row| row.number(self.field)).collect();
        match self.show {
            Show::Scaled(scale) => values
                .first()
                .filter(|value| **value != 0.0)
                .map_or("–".into(), |value| short(value * scale)),
            Show::Whole => values.first().map_or("–".into(), |value| format!("{value:.0}")),
            Show::Count => values.len().to_string(),
            Show::Sum => format!("{:.0}", values.iter().sum::<f64>()),
            Show::Spread if values.is_empty() => "–".into(),
            Show::Spread => {
                values.sort_by(f64::total_cmp);
                let at = |share: f64| values[((values.len() - 1) as f64 * share).round() as usize];
                [0.05, 0.5, 0.95].map(|share| format!("{:.3}", at(share))).join(" / ")
            }
            Show::Wrong => {
                let part = |name: &str| group[0].text(&format!("{}/{name}", self.field));
                format!("{} + {}", part("false_hits"), part("missed"))
            }
        }
    }
}

impl Ratio {
    pub fn cell(&self, group: &[&Stored], all: &[Stored]) -> String {
        let [row] = group else { return "–".into() };
        let time =
            |row: &Stored| self.times.iter().filter_map(|field| row.number(field)).find(|time| *time > 0.0);
        let base = all.iter().find(|other| other.run() == row.run() && (self.base)(row, other));
        match (time(row), base.and_then(time)) {
            (Some(time), Some(base)) => short(time / base),
            _ => "–".into(),
        }
    }
}

/// Three digits that count; whole numbers above.
fn short(x: f64) -> String {
    let digits = (2.0 - x.abs().log10().floor()).clamp(0.0, 6.0) as usize;
    format!("{x:.digits$}")
}

const fn scaled(heading: &'static str, field: &'static str, scale: f64) -> Column {
    Column { heading, field, show: Show::Scaled(scale) }
}

const fn shown(heading: &'static str, field: &'static str, show: Show) -> Column {
    Column { heading, field, show }
}

const fn key(heading: &'static str, field: &'static str) -> Key {
    Key { heading, field, always: true }
}

/// Stands above the table where all rows agree.
const fn maybe(heading: &'static str, field: &'static str) -> Key {
    Key { heading, field, always: false }
}

fn alike(row: &Stored, other: &Stored, fields: &[&str]) -> bool {
    fields.iter().all(|field| row.text(field) == other.text(field))
}

fn same_question(row: &Stored, other: &Stored) -> bool {
    alike(row, other, &["/scene", "/query", "/threads"])
}

/// Contenders with grown boxes are compared with ours.
fn broadphase_base(row: &Stored, other: &Stored) -> bool {
    let who = row.text("/who");
    let fat = who.contains("fat") || who.starts_with("bullet") || who == "rapier";
    other.text("/who") == if fat { "impinge-fat" } else { "impinge" } && same_question(row, other)
}

fn impinge_base(row: &Stored, other: &Stored) -> bool {
    other.text("/who") == "impinge" && same_question(row, other)
}

fn cpu_base(row: &Stored, other: &Stored) -> bool {
    other.text("/who").ends_with("-cpu") && same_question(row, other)
}

fn thread_base(row: &Stored, other: &Stored) -> bool {
    other.text("/threads") == "1" && alike(row, other, &["/scene", "/simd"])
}

const MS: f64 = 1e-3;

/// All suites, in the order of `docs/BENCHMARKS.md`.
pub const SUITES: &[Suite] = &[
    Suite {
        name: "broadphase",
        title: "Broad phase",
        note: "Time of a step (ms). Ratio: time on the processor over that of `impinge` in the same run; of contenders\n\
               with grown boxes over that of `impinge-fat`.",
        unique: &["/scene", "/query", "/who", "/threads"],
        section: "",
        keys: &[key("scene", "/scene"), key("contender", "/who"), maybe("threads", "/threads")],
        columns: &[
            scaled("median", "/median_us", MS),
            scaled("mean", "/mean_us", MS),
            scaled("max", "/max_us", MS),
            scaled("processor, mean", "/cpu_us", MS),
            scaled("first update", "/build_us", MS),
            shown("pairs", "/work", Show::Whole),
            scaled("MiB", "/memory", 1.0 / 1_048_576.0),
        ],
        ratio: Some(Ratio { heading: "ratio", times: &["/cpu_us", "/mean_us"], base: broadphase_base }),
    },
    Suite {
        name: "shapes",
        title: "Shapes whose triangles are computed, particles, edits, and round bodies on meshes",
        note: "Time of a question or an edit (µs), one thread; above 0.1 ms the processor's. Made: what the shape took to make (ms).",
        unique: &["/scene", "/query", "/who"],
        section: "",
        keys: &[key("scene", "/scene"), key("question", "/query"), key("contender", "/who")],
        columns: &[
            scaled("median", "/median_us", 1.0),
            scaled("mean", "/mean_us", 1.0),
            scaled("max", "/max_us", 1.0),
            scaled("made", "/build_ms", 1.0),
            scaled("MB", "/bytes", 1e-6),
            shown("found or changed", "/work", Show::Whole),
        ],
        ratio: Some(Ratio { heading: "ratio", times: &["/median_us"], base: impinge_base }),
    },
    Suite {
        name: "bodies",
        title: "Bodies that deform",
        note: "Time of a step (ms), one thread, by the clock. Over: its mean over that of the contender it is measured by, in the same run.\n\
               Found: contact points, pairs of triangles or pixels in all steps.",
        unique: &["/scene", "/who", "/triangles"],
        section: "/scene",
        keys: &[key("contender", "/who"), maybe("triangles", "/triangles"), maybe("steps", "/steps")],
        columns: &[
            scaled("median", "/median_us", MS),
            scaled("mean", "/mean_us", MS),
            scaled("p99", "/p99_us", MS),
            scaled("max", "/max_us", MS),
            shown("found", "/found", Show::Whole),
            scaled("over", "/over", 1.0),
            scaled("printed", "/printed_us", MS),
        ],
        ratio: None,
    },
    Suite {
        name: "threads",
        title: "Broad phase: threads and instruction sets",
        note: "Mean time of a step in the best of five rounds (ms). Ratio: over that of one thread in the same run. A\n\
               hash of every pair that began or ended is the same in all rows of a scene.",
        unique: &["/scene", "/simd", "/threads"],
        section: "",
        keys: &[
            key("scene", "/scene"),
            key("instructions", "/simd"),
            maybe("threads", "/threads"),
            maybe("hash", "/hash"),
        ],
        columns: &[scaled("best", "/best_us", MS)],
        ratio: Some(Ratio { heading: "ratio", times: &["/best_us"], base: thread_base }),
    },
    Suite {
        name: "meshes",
        title: "Two meshes",
        note: "Time of a call (µs), warm unless said otherwise, over the poses of a scene (`build`: both trees). Ratio:\n\
               mean time over that of `impinge` in the same run.",
        unique: &["/scene", "/query", "/who", "/threads"],
        section: "/query",
        keys: &[key("scene", "/scene"), key("contender", "/who"), maybe("threads", "/threads")],
        columns: &[
            scaled("median", "/median_us", 1.0),
            scaled("mean", "/mean_us", 1.0),
            scaled("max", "/max_us", 1.0),
            scaled("first calls, mean", "/first_us", 1.0),
        ],
        ratio: Some(Ratio { heading: "ratio", times: &["/mean_us"], base: impinge_base }),
    },
    Suite {
        name: "contacts",
        title: "Contacts against the truth",
        note: "Percentiles 5, 50 and 95 over the cases of a scene: depth of the deepest contact over the least translation\n\
               that frees the pair; how far B must move along its normal, over the same; the part of the volume left (%).",
        unique: &["/scene", "/case", "/who"],
        section: "",
        keys: &[key("scene", "/scene"), key("contender", "/who")],
        columns: &[
            shown("cases", "/true_depth", Show::Count),
            shown("depth ÷ true", "/depth_ratio", Show::Spread),
            shown("separation ÷ least", "/separation_ratio", Show::Spread),
            shown("left, %", "/left", Show::Spread),
            shown("points, all", "/points", Show::Sum),
            shown("backward, all", "/backward", Show::Sum),
        ],
        ratio: None,
    },
    Suite {
        name: "gpu",
        title: "The narrow phase on a device",
        note: "Time of a step (ms), the device's own time and that of its passes among it, and bytes of a step. Ratio: median\n\
               over that of the CPU in the same run. An adapter marked `software` is emulated by the CPU: its rows show\n\
               that the work is done and what is sent, not how fast a GPU is.",
        unique: &["/scene", "/query", "/who", "/threads"],
        section: "/query",
        keys: &[key("scene", "/scene"), key("contender", "/who"), maybe("threads", "/threads")],
        columns: &[
            scaled("median", "/median_us", MS),
            scaled("mean", "/mean_us", MS),
            scaled("max", "/max_us", MS),
            scaled("device", "/gpu_us", MS),
            scaled("stream", "/gpu_stream_us", MS),
            scaled("snap or view", "/gpu_view_us", MS),
            scaled("layers", "/gpu_layers_us", MS),
            scaled("columns", "/gpu_columns_us", MS),
            shown("pairs on it", "/gpu_jobs", Show::Whole),
            scaled("sent (KiB)", "/bytes_up", 1.0 / 1024.0),
            scaled("read back (KiB)", "/bytes_down", 1.0 / 1024.0),
            shown("submissions", "/submissions", Show::Whole),
            shown("waits", "/waits", Show::Whole),
            shown("buffers made", "/buffers_made", Show::Whole),
            scaled("host (us a pair)", "/host_us_per_pair", 1.0),
            scaled("operations a pair (M)", "/operations_per_pair", 1e-6),
        ],
        ratio: Some(Ratio { heading: "ratio", times: &["/median_us"], base: cpu_base }),
    },
    Suite {
        name: "motion",
        title: "Motion: rays, casts, sweeps, chains",
        note: "Time of a question (µs). Ratio: the median of impinge over the contender's in the same run; over a printed time\n\
               impinge's mean. Different: answers that differ from impinge's by more than 1e-4 of them.",
        unique: &["/scene", "/query", "/who"],
        section: "/query",
        keys: &[key("scene", "/scene"), key("contender", "/who")],
        columns: &[
            shown("questions", "/questions", Show::Whole),
            shown("hits", "/hits", Show::Whole),
            scaled("median", "/median_us", 1.0),
            scaled("mean", "/mean_us", 1.0),
            scaled("p99", "/p99_us", 1.0),
            scaled("impinge ÷ it", "/impinge_over", 1.0),
            shown("different", "/differ", Show::Whole),
        ],
        ratio: None,
    },
    Suite {
        name: "steps",
        title: "Whole simulations",
        note: "Time of a step (ms) by the clock and on the processor (all threads), and the state at the end: the least\n\
               translation that parts a touching pair, of 50 drawn by lot (mm). Ratio: processor time, median, over that of\n\
               `impinge` in the same run.",
        unique: &["/scene", "/who", "/threads", "/bodies", "/steps"],
        section: "/scene",
        keys: &[
            key("contender", "/who"),
            maybe("threads", "/threads"),
            maybe("bodies", "/bodies"),
            maybe("steps", "/steps"),
        ],
        columns: &[
            scaled("making (s)", "/build_s", 1.0),
            scaled("median", "/median_us", MS),
            scaled("mean", "/mean_us", MS),
            scaled("max", "/max_us", MS),
            scaled("processor, median", "/cpu_median_us", MS),
            scaled("processor, p99", "/cpu_p99_us", MS),
            shown("lost", "/lost", Show::Whole),
            shown("touching", "/touching", Show::Whole),
            scaled("depth, median", "/median_depth_mm", 1.0),
            scaled("depth, p90", "/p90_depth_mm", 1.0),
            scaled("depth, max", "/max_depth_mm", 1.0),
        ],
        ratio: Some(Ratio { heading: "ratio", times: &["/cpu_median_us"], base: impinge_base }),
    },
    Suite {
        name: "growth",
        title: "Growth of a step",
        note: "Time of a step (ms) with nobody asleep, by the number of bodies and of triangles of a body.",
        unique: &["/by", "/bodies", "/triangles", "/threads", "/steps"],
        section: "/by",
        keys: &[
            maybe("bodies", "/bodies"),
            key("triangles of a body", "/triangles"),
            maybe("threads", "/threads"),
            maybe("steps", "/steps"),
        ],
        columns: &[
            scaled("median", "/median_us", MS),
            scaled("mean", "/mean_us", MS),
            scaled("p99", "/p99_us", MS),
            scaled("processor, mean", "/cpu_us", MS),
        ],
        ratio: None,
    },
    Suite {
        name: "texts",
        title: "Workloads of papers",
        note: "Time of a frame (µs) of the workloads that papers print times of, at their sizes, beside the printed time; false\n\
               and missed frames against the exact answer.",
        unique: &["/text", "/scene", "/who", "/threads", "/frames"],
        section: "/text",
        keys: &[
            key("scene", "/scene"),
            key("contender", "/who"),
            maybe("printed on", "/printed_on"),
            maybe("frames", "/frames"),
            maybe("the machine", "/note"),
        ],
        columns: &[
            scaled("printed", "/printed_us", 1.0),
            scaled("median", "/median_us", 1.0),
            scaled("mean", "/mean_us", 1.0),
            scaled("p99", "/p99_us", 1.0),
            scaled("with hit", "/with_us", 1.0),
            scaled("without", "/without_us", 1.0),
            shown("false", "/false_hits", Show::Whole),
            shown("missed", "/missed_hits", Show::Whole),
            scaled("false of 1,000", "/false_per_1000", 1.0),
            scaled("missed of 1,000", "/missed_per_1000", 1.0),
            scaled("min", "/min_us", 1.0),
            scaled("max", "/max_us", 1.0),
            shown("pairs of boxes", "/box_pairs", Show::Whole),
            shown("kept", "/kept_pairs", Show::Whole),
            shown("touching", "/touching_pairs", Show::Whole),
        ],
        ratio: None,
    },
    Suite {
        name: "directions",
        title: "The direction of a height map",
        note: "False hits + missed ones of height maps along directions chosen by themselves (the least waste of 6, 26 and 406;\n\
               the last contact's normal), beside the best, the middle and the worst of 406 directions.",
        unique: &["/object", "/bounds", "/placements"],
        section: "",
        keys: &[key("object", "/object"), key("bounds", "/bounds")],
        columns: &[
            shown("placements", "/placements", Show::Whole),
            shown("overlapping", "/touching", Show::Whole),
            shown("least waste of 6", "/of_6", Show::Wrong),
            shown("of 26", "/of_26", Show::Wrong),
            shown("of 406", "/of_406", Show::Wrong),
            shown("last normal", "/followed", Show::Wrong),
            shown("best", "/best", Show::Wrong),
            shown("median", "/median", Show::Wrong),
            shown("worst", "/worst", Show::Wrong),
        ],
        ratio: None,
    },
];
