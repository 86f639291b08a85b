//! Cross-crate tests live in `tests/`, golden files and captures beside it; brute force and fixtures are
//! `impinge-oracle`'s.
