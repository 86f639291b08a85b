//! Nothing that touches is ever culled: trees and jobs against brute force over all triangles.

mod build;
mod descend;
mod distance;
mod field;
mod find;
mod input;
mod levels;
mod own;
mod query;
