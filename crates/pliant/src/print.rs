//! Output: results on stdout, errors on stderr, colours only on a terminal.

use crate::failure::Failure;
use scene::{Built, Cause, Divergence};
use std::borrow::Cow;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::sync::{Mutex, PoisonError};

/// First error of writing to stdout.
static LOST: Mutex<Option<io::Error>> = Mutex::new(None);

/// Prints on stdout. An error is reported at the end by [`lost`], with an exit code; a closed pipe (`pliant list |
/// head`) is not an error.
pub fn out(text: &str) {
    let mut stdout = io::stdout().lock();
    keep_lost(stdout.write_all(harmless(text).as_bytes()).and_then(|()| stdout.flush()));
}

/// Remembers an error of writing to stdout.
pub fn keep_lost(printed: io::Result<()>) {
    if let Err(error) = printed
        && error.kind() != ErrorKind::BrokenPipe
    {
        LOST.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }
}

/// Returns the error of writing to stdout, if there was one.
pub fn lost() -> Option<io::Error> {
    LOST.lock().unwrap_or_else(PoisonError::into_inner).take()
}

/// Replaces characters that control a terminal or reverse text: titles and names come from files of others. Such a
/// character is shown in JSON's notation, so that JSON stays valid.
fn harmless(text: &str) -> Cow<'_, str> {
    let is_harmful = |c: char| {
        (c.is_control() && c != '\n' && c != '\t') || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    if !text.contains(is_harmful) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match is_harmful(c) {
            true => shown.push_str(&format!("\\u{:04x}", u32::from(c))),
            false => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

/// Puts a title or file name on one line: it cannot imitate a line of ours.
pub fn one_line(text: &str) -> Cow<'_, str> {
    if text.contains(['\n', '\t']) { Cow::Owned(text.replace(['\n', '\t'], " ")) } else { Cow::Borrowed(text) }
}

/// Prints on stderr, with the first word of a line in red or yellow on a terminal.
pub fn err(text: &str) {
    let coloured = io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let (text, mut shown) = (harmless(text), String::new());
    for line in text.split_inclusive('\n') {
        let word = [("error:", "31"), ("warning:", "33")].into_iter().find(|(word, _)| line.starts_with(word));
        match word {
            Some((word, colour)) if coloured => {
                shown.push_str(&format!("\x1b[1;{colour}m{word}\x1b[0m{}", &line[word.len()..]));
            }
            _ => shown.push_str(line),
        }
    }
    let _ = io::stderr().lock().write_all(shown.as_bytes());
}

/// Prints the reason why a command ended early.
pub fn failure(failure: &Failure) {
    err(&format!("{}\n", failure.to_string().trim_end()));
}

/// Prints it as JSON as well, if requested.
pub fn failure_json(json: bool, result: Result<u8, Failure>) -> Result<u8, Failure> {
    if let (true, Err(failure)) = (json, &result) {
        out(&format!("{}\n", failure.to_json()));
    }
    result
}

/// Describes a divergence: cause, place, and what to try.
pub fn divergence(divergence: &Divergence, built: &Built) -> String {
    let Divergence { step, time, h, halvings, cause } = divergence;
    let mut text = match step {
        0 if !matches!(cause, Cause::Failed { .. }) => {
            format!("error: the scene begins with a state that cannot be: {}\n", cause.word())
        }
        _ => format!(
            "error: {} in step {step}, from t = {} s to {} s: {}\n",
            if matches!(cause, Cause::Failed { .. }) { "failed" } else { "diverged" },
            short(*time),
            short(time + h),
            cause.word()
        ),
    };
    let body = built.body_of_cause(cause).map(|name| format!(" (body \"{}\")", one_line(name))).unwrap_or_default();
    text.push_str(&format!("  what: {cause}{body}\n"));
    if *halvings > 0 {
        text.push_str(&format!("        halving the step {halvings} times did not help\n"));
    }
    for (i, advice) in scene::advice(divergence, &built.simulation).iter().enumerate() {
        text.push_str(if i == 0 { "  try:  " } else { "        " });
        text.push_str(&format!("{advice}\n"));
    }
    text
}

/// Formats a number with at most six digits, as short as possible.
pub fn short(value: f64) -> String {
    let rounded: f64 = format!("{value:.5e}").parse().unwrap_or(value);
    let size = rounded.abs();
    if size == 0.0 || (1e-3..1e6).contains(&size) { format!("{rounded}") } else { format!("{rounded:e}") }
}

/// Aligns rows of cells; the first row is the header, the first column is aligned left, the others right.
pub fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |c: usize| rows.iter().filter_map(|row| row.get(c)).map(|cell| cell.chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::from(" ");
        for (c, cell) in row.iter().enumerate() {
            let pad = " ".repeat(widths[c] - cell.chars().count());
            line += &if c == 0 { format!(" {cell}{pad}") } else { format!("  {pad}{cell}") };
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}

/// Quotes a path for a shell.
pub fn quoted(path: &std::path::Path) -> String {
    let path = path.display().to_string();
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+".contains(c);
    if path.chars().all(plain) { path } else { format!("'{}'", path.replace('\'', "'\\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let shown = [0.0, 1.0, -0.25, 1.0 / 3.0, 1e-9, 0.1 + 0.2, 12345678.0].map(short);
        assert_eq!(shown, ["0", "1", "-0.25", "0.333333", "1e-9", "0.3", "1.23457e7"]);
    }

    #[test]
    fn nothing_of_a_file_reaches_the_terminal_as_an_order() {
        assert_eq!(harmless("a\tb\n\u{e4}"), "a\tb\n\u{e4}");
        assert_eq!(
            harmless("\x1b[2J\r\u{9b}31m\u{202e}x\x07\x7f"),
            "\\u001b[2J\\u000d\\u009b31m\\u202ex\\u0007\\u007f"
        );
        let json = serde_json::json!({ "title": "\u{9b}31m\x1b\u{202e}" });
        assert_eq!(serde_json::from_str::<serde_json::Value>(&harmless(&json.to_string())).unwrap(), json);
        assert_eq!(one_line("a\nerror: b"), "a error: b");
    }

    #[test]
    fn columns_line_up() {
        let rows = [vec!["a".to_string(), "long".to_string()], vec!["word".to_string(), "1".to_string()]];
        assert_eq!(table(&rows), "  a     long\n  word     1\n");
    }
}
