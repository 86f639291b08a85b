//! One pair at a time, against our own queries, rapier's dispatcher and closed forms.

mod answers;
mod casts;
mod contacts;
mod left;
mod shapes;
