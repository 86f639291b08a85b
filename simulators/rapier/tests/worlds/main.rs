//! Rapier's worlds with our contacts: they come to rest where they should, the same way each time.

mod bin;
mod fall;
mod rest;
mod scene;
mod settings;
