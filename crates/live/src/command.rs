//! Commands of the page. Unknown words, keys or numbers are errors; of a repeated key the last one counts.

use numerics::mat3::Vec3;
use serde_json::{Map, Value};
use std::fmt;

/// Limit of a command's length [bytes].
pub(crate) const LONGEST: usize = 512;
/// Largest coordinate of a hand [m].
const FARTHEST: f64 = 1e9;

/// A command of the page.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// Stop after the current step.
    Pause,
    /// Continue.
    Go,
    /// Take one step, then stop.
    Step,
    /// Go back to the first state and to the scene's own method.
    Reset,
    /// Continue with another method from the same state.
    Method(String),
    /// Set the speed: simulated seconds per second.
    Speed(f64),
    /// Pull a drawn point to a position [m].
    Pull {
        /// Number of the point.
        point: usize,
        /// Target position [m].
        to: Vec3,
    },
    /// Let go.
    Release,
}

/// Reason why a text is not a command.
#[derive(Debug, Clone, PartialEq)]
pub enum CommandError {
    /// It is not a JSON object.
    NoObject,
    /// It has an unknown command word.
    Unknown(String),
    /// A key is missing or has an invalid value.
    Value {
        /// The key.
        key: &'static str,
        /// Allowed values.
        allowed: &'static str,
    },
    /// A key is not part of the command.
    Extra {
        /// The command.
        command: String,
        /// The key.
        key: String,
    },
}

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CommandError::NoObject => f.write_str("a command is a JSON object such as {\"do\": \"pause\"}"),
            CommandError::Unknown(word) => {
                write!(f, "{word:?} is no command; use pause, go, step, reset, method, speed, pull or release")
            }
            CommandError::Value { key, allowed } => write!(f, "{key:?} must be there and be {allowed}"),
            CommandError::Extra { command, key } => write!(f, "{key:?} is not part of {command:?}; leave it out"),
        }
    }
}

impl std::error::Error for CommandError {}

impl Command {
    /// Parses a command.
    pub fn parse(text: &[u8]) -> Result<Command, CommandError> {
        let Ok(Value::Object(mut object)) = serde_json::from_slice(text) else { return Err(CommandError::NoObject) };
        let Some(Value::String(word)) = object.remove("do") else {
            return Err(CommandError::Value { key: "do", allowed: "a word such as \"pause\"" });
        };
        let mut take = |key| object.remove(key).unwrap_or_default();
        let wrong = |key, allowed| move || CommandError::Value { key, allowed };
        let command = match word.as_str() {
            "pause" => Command::Pause,
            "go" => Command::Go,
            "step" => Command::Step,
            "reset" => Command::Reset,
            "release" => Command::Release,
            "method" => {
                let name = take("name").as_str().map(str::to_string);
                Command::Method(name.ok_or_else(wrong("name", "the name of a method; `pliant list methods` has them"))?)
            }
            "speed" => {
                let factor = take("factor").as_f64().filter(|factor| (1e-3..=1e3).contains(factor));
                Command::Speed(factor.ok_or_else(wrong("factor", "a number from 0.001 to 1000"))?)
            }
            "pull" => {
                let point = take("point").as_u64().and_then(|point| usize::try_from(point).ok());
                let point = point.ok_or_else(wrong("point", "the number of a drawn point, a whole number from 0"))?;
                let to = position(&take("to")).ok_or_else(wrong("to", "three numbers from -1e9 to 1e9, in metres"))?;
                Command::Pull { point, to }
            }
            _ => return Err(CommandError::Unknown(word.chars().take(40).collect())),
        };
        match left_over(&object) {
            Some(key) => Err(CommandError::Extra { command: word, key }),
            None => Ok(command),
        }
    }
}

fn left_over(object: &Map<String, Value>) -> Option<String> {
    object.keys().next().map(|key| key.chars().take(40).collect())
}

/// Reads three numbers as a position.
fn position(value: &Value) -> Option<Vec3> {
    let numbers: Vec<f64> = value.as_array()?.iter().map(Value::as_f64).collect::<Option<_>>()?;
    let position: Vec3 = numbers.try_into().ok()?;
    position.iter().all(|x| x.abs() <= FARTHEST).then_some(position)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read() {
        for (text, command) in [
            (r#"{"do": "pause"}"#, Command::Pause),
            (r#"{"do": "go"}"#, Command::Go),
            (r#"{"do": "step"}"#, Command::Step),
            (r#"{"do": "reset"}"#, Command::Reset),
            (r#"{"do": "release"}"#, Command::Release),
            (r#"{"do": "method", "name": "siere"}"#, Command::Method("siere".to_string())),
            (r#"{"do": "speed", "factor": 0.5}"#, Command::Speed(0.5)),
            (r#"{"do": "pull", "point": 7, "to": [1, -2.5, 0]}"#, Command::Pull { point: 7, to: [1.0, -2.5, 0.0] }),
        ] {
            assert_eq!(Command::parse(text.as_bytes()), Ok(command), "{text}");
        }
    }

    #[test]
    fn what_is_no_command_is_refused() {
        for text in [
            "",
            "null",
            "[]",
            "7",
            "pause",
            "\"pause\"",
            "{}",
            "{\"do\": 7}",
            r#"{"do": "eat"}"#,
            r#"{"do": "PAUSE"}"#,
            r#"{"do": "pause", "now": true}"#,
            r#"{"do": "method"}"#,
            r#"{"do": "method", "name": 7}"#,
            r#"{"do": "speed", "factor": 0}"#,
            r#"{"do": "speed", "factor": -1}"#,
            r#"{"do": "speed", "factor": 1e99}"#,
            r#"{"do": "speed", "factor": NaN}"#,
            r#"{"do": "speed", "factor": "1"}"#,
            r#"{"do": "pull", "point": -1, "to": [0, 0, 0]}"#,
            r#"{"do": "pull", "point": 1.5, "to": [0, 0, 0]}"#,
            r#"{"do": "pull", "point": 1e3, "to": [0, 0, 0]}"#,
            r#"{"do": "pull", "point": 99999999999999999999, "to": [0, 0, 0]}"#,
            r#"{"do": "pull", "point": 1, "to": [0, 0]}"#,
            r#"{"do": "pull", "point": 1, "to": [0, 0, 0, 0]}"#,
            r#"{"do": "pull", "point": 1, "to": [0, 0, null]}"#,
            r#"{"do": "pull", "point": 1, "to": [0, 0, NaN]}"#,
            r#"{"do": "pull", "point": 1, "to": [0, 0, 1e300]}"#,
            r#"{"do": "pull", "point": 1, "to": [0, 0, 1e999]}"#,
            r#"{"do": "pull", "to": [0, 0, 1]}"#,
            r#"{"do": "go"} {"do": "go"}"#,
            "{\"do\": \"go\"",
            "\u{0}\u{1}",
        ] {
            assert!(Command::parse(text.as_bytes()).is_err(), "{text}");
        }
        // A refusal says what would be accepted.
        for (text, words) in [
            (r#"{"do": "speed", "factor": 0}"#, "from 0.001 to 1000"),
            (r#"{"do": "speed"}"#, "\"factor\" must be there"),
            (r#"{"do": "go", "now": true}"#, "\"now\" is not part of \"go\"; leave it out"),
            (r#"{"do": "pull", "point": 1, "to": [0, 0, 1e300]}"#, "three numbers from -1e9 to 1e9"),
        ] {
            let error = Command::parse(text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(words), "{text}: {error}");
        }
        // Deep nesting is an error, not a stack overflow.
        assert!(Command::parse("[".repeat(100_000).as_bytes()).is_err());
    }
}
