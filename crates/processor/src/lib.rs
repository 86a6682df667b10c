//! Levels of x86-64 instructions: that of a build, that of the machine, and the choice among builds.
//!
//! Kernels work in lanes whose width is fixed when they are compiled. A program is therefore built for a [`Level`]: on a machine
//! below it the first wide instruction would end the program with SIGILL, on a machine above it kernels are slower than they
//! could be. [`require`] turns the first case into a sentence, [`note`] tells the second, and [`choose`] picks one of several builds.
//!
//! Other processors have no levels here: their builds run wherever they start.

mod bits;
mod choice;
mod features;
mod level;
mod machine;

pub use choice::{ChoiceError, FORCE, choose};
pub use level::Level;

use std::io::Write;

/// Exit code of a program that the machine cannot run.
pub const CANNOT_RUN: i32 = 7;

/// Ends the program, with what to do, where the machine lacks instructions that the compiler was allowed to use.
///
/// Call it first in `main`, and let everything else be in a function that is not inlined: the compiler may use wide
/// instructions anywhere in our code. What runs before (the start of the standard library) is compiled without them.
#[inline(never)]
pub fn require() {
    if machine::lacks_needed() {
        refuse();
    }
}

/// Writes plain bytes by functions of the standard library: formatting would be compiled here, with wide instructions.
#[cold]
#[inline(never)]
fn refuse() -> ! {
    let mut stderr = std::io::stderr();
    let mut write = |text: &str| drop(stderr.write_all(text.as_bytes()));
    write("error: this program was built for another processor: this one lacks");
    for feature in machine::missing() {
        write(" ");
        write(feature);
    }
    write(
        "\nbuild it on this machine (cargo install --path crates/pliant), or take a build for a lower level of x86-64\n",
    );
    std::process::exit(CANNOT_RUN)
}

/// Instructions this program was built for: the level, and wide instructions beyond it.
pub fn built() -> String {
    let Some(level) = Level::built() else { return std::env::consts::ARCH.to_string() };
    let beyond = features::wide().filter(|feature| feature.level > level).map(|feature| feature.name);
    beyond.fold(level.name().to_string(), |name, feature| format!("{name}+{feature}"))
}

/// Sentence for users of a build below the machine's level, with the cure; none where they chose it by [`FORCE`].
pub fn note() -> Option<String> {
    if std::env::var_os(FORCE).is_some() {
        return None;
    }
    below(Level::built()?, Level::of_machine()?)
}

fn below(built: Level, machine: Level) -> Option<String> {
    let price = match (built, machine) {
        _ if built >= machine => return None,
        (Level::V3, _) => "half as wide as they could be",
        // Measured: docs/decisions/0023-levels-of-instructions.md.
        _ => "2 to 5 times slower than they could be",
    };
    Some(format!(
        "note: this program is built for {}, and this machine has {}: element kernels are {price}; build it on this machine by \
         RUSTFLAGS=\"-C target-cpu=native\" cargo install --path crates/pliant, or say {FORCE}={} to keep these bits without \
         this note\n",
        built.name(),
        machine.name(),
        built.short()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_below_its_machine_is_told_with_the_cure() {
        let told = below(Level::V1, Level::V3).unwrap();
        for words in ["built for x86-64,", "has x86-64-v3:", "2 to 5 times", "target-cpu=native", "PLIANT_CPU=v1"] {
            assert!(told.contains(words), "{told}");
        }
        assert!(below(Level::V3, Level::V4).unwrap().contains("half as wide"));
        assert_eq!(below(Level::V3, Level::V3), None);
        assert_eq!(below(Level::V4, Level::V3), None);
    }

    #[test]
    fn these_tests_run_on_a_machine_that_can() {
        require();
        assert_eq!(machine::missing().next(), None);
        assert!(Level::built() <= Level::of_machine());
        assert!(built().starts_with(Level::built().map_or(std::env::consts::ARCH, Level::name)));
    }
}
