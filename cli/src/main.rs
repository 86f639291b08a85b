//! The impinge command line: `simulate`, `view`, `collide`, `sweep`, `cast`, `ray`, `inspect`, `shape`, `devices`.
//!
//! Exit status: 0 where all went well, 1 where a simulation ended but failed one of its scene's
//! checks, 2 for anything that could not be done.

mod arguments;
mod body_colors;
mod collide;
mod devices;
mod field_surface;
mod inspect;
mod output;
mod pose_file;
mod ray;
mod ray_file;
mod replay;
mod shape;
mod shape_file;
mod shape_report;
mod simulate;
mod sweep;

use std::process::ExitCode;

use clap::Parser;

use arguments::{Arguments, Command};

fn main() -> ExitCode {
    let done = match Arguments::parse().command() {
        Command::Simulate(arguments) => simulate::run(&arguments),
        Command::Collide(arguments) => collide::run(&arguments),
        Command::Sweep(arguments) => sweep::sweep(&arguments),
        Command::Cast(arguments) => sweep::cast(&arguments),
        Command::Ray(arguments) => ray::run(&arguments),
        Command::Inspect(arguments) => inspect::run(&arguments),
        Command::Shape(arguments) => shape::run(&arguments),
        Command::View(arguments) => replay::view(&arguments),
        Command::Devices => devices::run(),
    };
    done.unwrap_or_else(|error| {
        if output::is_closed(&error) {
            // The reader has closed the pipe.
            return ExitCode::SUCCESS;
        }
        output::complain(&error);
        ExitCode::from(2)
    })
}
