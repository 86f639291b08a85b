//! Why the patches that were sampled of a pair elsewhere do not do for it.

/// Why the patches that were sampled of a pair elsewhere do not do for it: the class of pairs that a device leaves to the CPU,
/// with its views or without.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Redo {
    /// Triangles meet, but none crosses another for certain.
    Uncertain,
    /// A body, or a shell of it, is inside the other.
    Contained,
    /// A contour does not close in single precision.
    OpenContour,
    /// Faces of one plane meet.
    Coplanar,
    /// A contour goes over a concave crease: it may be two contacts.
    Creased,
    /// The contours' area vector says nothing of a normal.
    NoNormal,
    /// The view does not show the overlap that the contours bound.
    Thin,
    /// The contours of a view bound several overlaps, or share one with those of another view.
    Split,
    /// An overlap goes on behind what the view shows.
    CutOff,
    /// The bodies are deep in each other.
    Deep,
    /// The bodies wrap around each other.
    Wraps,
    /// Another direction than the contours' parts the bodies by a shorter translation.
    Searched,
    /// Of several overlaps one is in the way of the translation that would measure another.
    Blocked,
    /// Faces in the overlap oppose each other.
    Opposed,
    /// Most faces of one body lie in a plane whose normal is not that of the contours' area vector.
    Leans,
    /// Faces wind round the normal, as on a thread, and are to be summed up in sectors.
    Winds,
    /// Its height maps are not those of the views that were sampled, or do not do for it.
    HeightMap,
    /// Of a mesh and a primitive, the views that were sampled do not show the contact along its normal, or not as a whole.
    Solid,
    /// A body is open, one-sided, of several shells, or of too many triangles, or the resolution is above 32.
    Shape,
    /// It has more contours, or more places where it may cross, than the device has room for.
    Contours,
    /// A line of the view crosses more surfaces or overlaps than the device has room for.
    Layers,
    /// A capacity was exceeded.
    Capacity,
    /// The device failed.
    Fault,
}

impl Redo {
    /// All of them.
    pub const ALL: [Redo; 23] = [
        Redo::Uncertain,
        Redo::Contained,
        Redo::OpenContour,
        Redo::Coplanar,
        Redo::Creased,
        Redo::NoNormal,
        Redo::Thin,
        Redo::Split,
        Redo::CutOff,
        Redo::Deep,
        Redo::Wraps,
        Redo::Searched,
        Redo::Blocked,
        Redo::Opposed,
        Redo::Leans,
        Redo::Winds,
        Redo::HeightMap,
        Redo::Solid,
        Redo::Shape,
        Redo::Contours,
        Redo::Layers,
        Redo::Capacity,
        Redo::Fault,
    ];

    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Redo::Uncertain => "uncertain",
            Redo::Contained => "contained",
            Redo::OpenContour => "open-contour",
            Redo::Coplanar => "coplanar",
            Redo::Creased => "creased",
            Redo::NoNormal => "no-normal",
            Redo::Thin => "thin",
            Redo::Split => "split",
            Redo::CutOff => "cut-off",
            Redo::Deep => "deep",
            Redo::Wraps => "wraps",
            Redo::Searched => "searched",
            Redo::Blocked => "blocked",
            Redo::Opposed => "opposed",
            Redo::Leans => "leans",
            Redo::Winds => "winds",
            Redo::HeightMap => "height-map",
            Redo::Solid => "solid",
            Redo::Shape => "shape",
            Redo::Contours => "contours",
            Redo::Layers => "layers",
            Redo::Capacity => "capacity",
            Redo::Fault => "fault",
        }
    }
}

/// How many pairs were answered from the beginning, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RedoCounts([u64; Redo::ALL.len()]);

impl RedoCounts {
    /// Counts one.
    pub fn count(&mut self, reason: Redo) {
        self.0[reason as usize] += 1;
    }

    /// How many for this reason.
    pub fn of(&self, reason: Redo) -> u64 {
        self.0[reason as usize]
    }

    /// How many in all.
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    /// The reasons there were, with their counts.
    pub fn iter(&self) -> impl Iterator<Item = (Redo, u64)> + '_ {
        Redo::ALL.into_iter().map(|reason| (reason, self.of(reason))).filter(|(_, count)| *count > 0)
    }
}

impl std::ops::AddAssign for RedoCounts {
    fn add_assign(&mut self, other: RedoCounts) {
        for (own, more) in self.0.iter_mut().zip(other.0) {
            *own += more;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_counted_apart_and_have_names_of_their_own() {
        let mut counts = RedoCounts::default();
        for (times, reason) in Redo::ALL.into_iter().enumerate() {
            assert_eq!(reason as usize, times);
            (0..times).for_each(|_| counts.count(reason));
        }
        let mut both = counts;
        both += counts;
        assert!(both.iter().all(|(reason, count)| count == 2 * reason as u64));
        assert_eq!((both.iter().count(), both.total()), (22, 2 * (22 * 23 / 2)));
        let mut names: Vec<_> = Redo::ALL.map(Redo::name).to_vec();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Redo::ALL.len());
    }
}
