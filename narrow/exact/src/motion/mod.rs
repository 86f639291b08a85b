//! When do two parts first meet while both move?
//!
//! - Two surfaces of triangles: the trees are searched for the pairs of leaves that may meet, in the order of their
//!   times; eight pairs of triangles at once are filtered in `f32`. Of what is left, triangles that do not turn meet at a
//!   time that is computed directly (`linear`); triangles that turn are advanced (`advance`).
//!   Whether they meet at all is then decided by signs (`shadow`).
//! - A surface and a round solid: the same search, the solid as one box.
//! - Convex solids and half-spaces: both parts are advanced at once (`convex`, `half_space`).
//! - Surfaces whose vertices move on lines, against any of these (`deforming`), and their vertices, edges and faces among
//!   themselves (`feature_meetings`).
//!
//! Bodies move along a line and about an axis, or as links of a chain: only their velocities at a time and the bounds of what they stray differ.
//!
//! **Never late.** At no time before the one reported do the parts share a point. Where something turns, they are
//! no farther apart then than [`SweepSettings::gap`], and what passes by at less than that may be reported, too; where
//! nothing turns, the time is that of the contact but for rounding. `None` is a proof.
//!
//! Sources: Mirtich, "Impulse-based Dynamic Simulation of Rigid Body Systems", 1996 (conservative advancement); Redon,
//! Kheddar, Coquillart, 2002 (the motion between two poses). That any axis which parts two triangles proves how long they stay
//! apart, with the sagitta of its heights as the error, and the search in the order of times are ours.

mod advance;
mod answer;
mod convex;
mod deforming;
mod deforming_plane;
mod feature_meetings;
mod feature_pair;
mod flat;
mod half_space;
mod linear;
mod mesh_solid;
mod moving_surface;
mod near_triangles;
mod rigid_triangles;
mod shadow;
mod surfaces;
mod sweep;
mod swept_solid;
mod touched;
mod triangle_pair;

pub use answer::{FirstContact, FirstMeeting, SweepCounts, SweepScratch, SweepSettings};
pub use deforming::{sweep_surface_solid, sweep_surfaces};
pub use deforming_plane::sweep_surface_half_space;
pub use feature_meetings::{
    FeatureContact, FeatureSurface, Representatives, contacts_between, first_own_contact, own_contacts,
};
pub use feature_pair::{FeatureClearance, FeatureMeeting, FeaturePair};
pub use flat::{FLAT_TRIANGLES, is_flat};
pub use moving_surface::{DeformingSurface, MovingSurface};
pub use sweep::{first_meeting, sweep};
pub use touched::touched_normal;
