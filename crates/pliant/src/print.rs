//! Text for people and programs: results on stdout, errors on stderr, colours only on a terminal.

use crate::failure::Failure;
use scene::{Divergence, Simulation};
use std::io::{IsTerminal, Write};

/// Prints on stdout. A reader that has gone away (`pliant list | head`) is no error.
pub fn out(text: &str) {
    let mut stdout = std::io::stdout().lock();
    let _ = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
}

/// Prints on stderr, the word at the start of a line in red or yellow on a terminal.
pub fn err(text: &str) {
    let coloured = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let mut shown = String::new();
    for line in text.split_inclusive('\n') {
        let word = [("error:", "31"), ("warning:", "33")].into_iter().find(|(word, _)| line.starts_with(word));
        match word {
            Some((word, colour)) if coloured => {
                shown.push_str(&format!("\x1b[1;{colour}m{word}\x1b[0m{}", &line[word.len()..]));
            }
            _ => shown.push_str(line),
        }
    }
    let _ = std::io::stderr().lock().write_all(shown.as_bytes());
}

/// Says why a command ended early.
pub fn failure(failure: &Failure) {
    err(&format!("{}\n", failure.to_string().trim_end()));
}

/// Says it to programs too, which asked for JSON.
pub fn failure_json(json: bool, result: Result<u8, Failure>) -> Result<u8, Failure> {
    if let (true, Err(failure)) = (json, &result) {
        out(&format!("{}\n", failure.to_json()));
    }
    result
}

/// What happened, where, and what to try.
pub fn divergence(divergence: &Divergence, simulation: &Simulation) -> String {
    let Divergence { step, time, h, halvings, cause } = divergence;
    let mut text = match step {
        0 => format!("error: the scene begins with a state that cannot be: {}\n", cause.word()),
        _ => format!(
            "error: diverged in step {step}, from t = {} s to {} s: {}\n",
            short(*time),
            short(time + h),
            cause.word()
        ),
    };
    let body = simulation.body_of_cause(cause).map(|name| format!(" (body \"{name}\")")).unwrap_or_default();
    text.push_str(&format!("  what: {cause}{body}\n"));
    if *halvings > 0 {
        text.push_str(&format!("        halving the step {halvings} times did not help\n"));
    }
    for (i, advice) in divergence.advice(simulation).iter().enumerate() {
        text.push_str(if i == 0 { "  try:  " } else { "        " });
        text.push_str(&format!("{advice}\n"));
    }
    text
}

/// A number with at most six digits, as short as it can be.
pub fn short(value: f64) -> String {
    let rounded: f64 = format!("{value:.5e}").parse().unwrap_or(value);
    let size = rounded.abs();
    if size == 0.0 || (1e-3..1e6).contains(&size) { format!("{rounded}") } else { format!("{rounded:e}") }
}

/// Rows of cells as columns; the first row is the header, the first column is aligned left, the others right.
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

/// A path as it can be typed into a shell.
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
    fn columns_line_up() {
        let rows = [vec!["a".to_string(), "long".to_string()], vec!["word".to_string(), "1".to_string()]];
        assert_eq!(table(&rows), "  a     long\n  word     1\n");
    }
}
