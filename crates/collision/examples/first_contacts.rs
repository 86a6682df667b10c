//! First contacts of many pairs of features, for comparison with other programs: reads a pair per line and writes the time
//! of its first contact, or `none`.
//!
//! A line is `vt` or `ee`, the gap [m], and the coordinates of four points at the beginning and at the end of the step:
//!
//!     echo vt 1e-3  .2 .2 1  0 0 0  1 0 0  0 1 0   .2 .2 -1  0 0 0  1 0 0  0 1 0 | cargo run --example first_contacts

use collision::Kind;
use collision::pairs::first_contact;
use std::io::{self, BufRead, Write};

fn main() -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        let line = line?;
        let wrong = || io::Error::other(format!("not a pair: {line}"));
        let mut words = line.split_whitespace();
        let kind = match words.next() {
            Some("vt") => Kind::VertexTriangle,
            Some("ee") => Kind::EdgeEdge,
            Some(_) => return Err(wrong()),
            None => continue,
        };
        let numbers: Vec<f64> = words.map(str::parse).collect::<Result<_, _>>().map_err(|_| wrong())?;
        let [gap, ref points @ ..] = numbers[..] else { return Err(wrong()) };
        let &[a, b, c, d, e, f, g, h] = points.as_chunks::<3>().0 else { return Err(wrong()) };
        let (x, y) = ([a, b, c, d], [e, f, g, h]);
        let u = std::array::from_fn(|k| std::array::from_fn(|c| y[k][c] - x[k][c]));
        match first_contact(kind, x, u, gap) {
            Some(contact) => writeln!(out, "{:?}", contact.time)?,
            None => writeln!(out, "none")?,
        }
    }
    out.flush()
}
