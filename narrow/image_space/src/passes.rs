//! The table of passes. The runner's spans, profiling labels and the parity test between the CPU and
//! other backends go by it; a pass's source has the stem of its name.

/// One pass of the narrow phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pass {
    /// Its name: of its span, its source file or folder, and its shader.
    pub name: &'static str,
    /// What it reads.
    pub reads: &'static [&'static str],
    /// What it writes.
    pub writes: &'static [&'static str],
}

/// The nearest or farthest surface on an image plane.
pub const HEIGHT_MAP: &str = "height_map";
/// All surfaces of one body along the lines of a view, in order of depth, for queries on them.
pub const LDI: &str = "ldi";
/// The nearest surfaces as the points of a cloud see them, and the points that go through.
pub const CLOUD: &str = "cloud";
/// Bodies over one depth and one stencil buffer, as the classic tests draw them.
pub const CLASSIC: &str = "classic";
/// The directions and rectangles in which a pair is looked at.
pub const VIEW: &str = "view";
/// The triangles that a view may show, in whole numbers.
pub const SNAP: &str = "snap";
/// All surfaces of both bodies on an image plane, in order of depth.
pub const LAYERS: &str = "layers";
/// Intervals of overlap, their volume and area vector.
pub const INTERVALS: &str = "intervals";

/// All passes, in the order in which they run on a pair that needs every one of them.
pub const PASSES: &[Pass] = &[
    Pass { name: HEIGHT_MAP, reads: &["mesh", "view"], writes: &["height_map"] },
    Pass { name: LDI, reads: &["mesh", "view"], writes: &["ldi"] },
    Pass { name: CLASSIC, reads: &["mesh", "view"], writes: &["stencil"] },
    Pass { name: CLOUD, reads: &["mesh", "view", "points"], writes: &["cloud_hits"] },
    Pass { name: VIEW, reads: &["job", "clusters"], writes: &["view"] },
    Pass { name: SNAP, reads: &["job", "view"], writes: &["triangles"] },
    Pass { name: LAYERS, reads: &["job", "view"], writes: &["fragments"] },
    Pass { name: INTERVALS, reads: &["fragments"], writes: &["intervals"] },
];

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn every_pass_has_a_source_of_its_name() {
        let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        for pass in PASSES {
            let file = src.join(format!("{}.rs", pass.name));
            let folder = src.join(pass.name).join("mod.rs");
            assert!(file.is_file() || folder.is_file(), "pass {} has no source", pass.name);
        }
    }

    #[test]
    fn names_are_unique_and_nothing_is_read_before_it_is_written() {
        let mut known = vec!["job", "clusters", "mesh"];
        let mut names: Vec<&str> = PASSES.iter().map(|p| p.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), PASSES.len());
        // Height maps, layered depth images and clouds are taken in a view that the caller gives.
        known.extend(["view", "points"]);
        for pass in PASSES {
            for what in pass.reads {
                assert!(known.contains(what), "{} reads {what}, which nobody wrote", pass.name);
            }
            known.extend(pass.writes);
        }
    }
}
