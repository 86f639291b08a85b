//! Avian's apps without a window, with our colliders in them.

#[cfg(feature = "device")]
mod device;
#[cfg(feature = "gizmos")]
mod gizmos;
mod play;
mod scenes;
mod simulation;
mod tuning;
