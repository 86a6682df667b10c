//! The choice among builds of one program for several levels.

use crate::Level;
use std::fmt;

/// Environment variable that forces a level: runs have the same bits on one level only.
pub const FORCE: &str = "PLIANT_CPU";

/// Reason why no build can be started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChoiceError {
    /// The name is no level.
    Unknown {
        /// The name.
        name: String,
    },
    /// The level that was asked for has no build.
    NotInstalled {
        /// The requested level.
        asked: Level,
        /// Levels with a build.
        installed: Vec<Level>,
    },
    /// The level that was asked for is above the machine's.
    Above {
        /// The requested level.
        asked: Level,
        /// The machine's level.
        machine: Level,
    },
    /// No build is low enough for the machine, or there is none at all.
    None {
        /// The machine's level.
        machine: Level,
        /// Levels with a build.
        installed: Vec<Level>,
    },
}

/// Chooses the highest level that is installed and that the machine has, or the one that was asked for.
pub fn choose(machine: Level, installed: &[Level], asked: Option<&str>) -> Result<Level, ChoiceError> {
    let Some(name) = asked else {
        let fitting = installed.iter().copied().filter(|&level| level <= machine);
        return fitting.max().ok_or_else(|| ChoiceError::None { machine, installed: installed.to_vec() });
    };
    let asked = Level::named(name).ok_or_else(|| ChoiceError::Unknown { name: name.to_string() })?;
    if !installed.contains(&asked) {
        return Err(ChoiceError::NotInstalled { asked, installed: installed.to_vec() });
    }
    if asked > machine {
        return Err(ChoiceError::Above { asked, machine });
    }
    Ok(asked)
}

impl fmt::Display for ChoiceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = |levels: &[Level]| levels.iter().map(|level| level.short()).collect::<Vec<_>>().join(", ");
        match self {
            ChoiceError::Unknown { name } => {
                write!(f, "{FORCE}={name:?} is no level: use {}", names(&Level::ALL))
            }
            ChoiceError::NotInstalled { asked, installed } => {
                let (asked, installed) = (asked.short(), names(installed));
                write!(f, "{FORCE}={asked}, but there is no build for {asked}: use one of {installed}")
            }
            ChoiceError::Above { asked, machine } => {
                let (asked, machine) = (asked.short(), machine.short());
                write!(f, "{FORCE}={asked}, but this machine has {machine}: use {machine} or a lower level")
            }
            ChoiceError::None { machine, installed } if installed.is_empty() => {
                write!(f, "there is no build beside the launcher: install again, for {} or below", machine.name())
            }
            ChoiceError::None { machine, installed } => {
                let (machine, installed) = (machine.name(), names(installed));
                write!(
                    f,
                    "this machine has {machine}, and all builds are for more ({installed}): build it on this machine"
                )
            }
        }
    }
}

impl std::error::Error for ChoiceError {}

#[cfg(test)]
mod tests {
    use super::Level::{V1, V2, V3, V4};
    use super::*;

    #[test]
    fn the_best_that_the_machine_has() {
        let installed = [V1, V3, V4];
        for (machine, best) in [(V1, V1), (V2, V1), (V3, V3), (V4, V4)] {
            assert_eq!(choose(machine, &installed, None), Ok(best));
        }
        assert_eq!(choose(V4, &[V3, V1], None), Ok(V3));
    }

    #[test]
    fn what_was_asked_for() {
        assert_eq!(choose(V4, &[V1, V3, V4], Some("v3")), Ok(V3));
        assert_eq!(choose(V4, &[V1, V3, V4], Some("x86-64")), Ok(V1));
    }

    #[test]
    fn refusals_say_what_to_do() {
        let told = |machine, installed: &[Level], asked| choose(machine, installed, asked).unwrap_err().to_string();
        assert!(told(V3, &[V1, V3, V4], Some("v4")).contains("this machine has v3: use v3"));
        assert!(told(V4, &[V1, V3], Some("v2")).contains("use one of v1, v3"));
        assert!(told(V4, &[V1, V3], Some("fast")).contains("use v1, v2, v3, v4"));
        assert!(told(V1, &[V3, V4], None).contains("for more (v3, v4)"));
        assert!(told(V1, &[], None).contains("no build beside the launcher"));
    }
}
