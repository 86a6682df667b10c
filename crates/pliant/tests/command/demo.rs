//! `pliant demo`: needs no input, writes a page.

use crate::workspace::Workspace;

#[test]
fn the_demo_needs_no_files_and_compares_methods() {
    let workspace = Workspace::new("demo");
    let ended = workspace.pliant(&["demo"]).expect(0);
    assert!(ended.err.is_empty(), "{}", ended.err);
    let file = |name: &str| std::fs::read_to_string(workspace.path.join("out/demo").join(name)).unwrap();
    let (svg, runs, page) = (file("energy.svg"), file("runs.csv"), file("report.html"));
    let mut kept = Vec::new();
    for method in ["symplectic-euler", "backward-euler", "bdf2", "implicit-midpoint", "ere", "siere"] {
        let line = ended.out.lines().find(|line| line.trim_start().starts_with(method)).expect(method);
        let row: Vec<&str> = runs.lines().find(|line| line.starts_with(method)).expect(method).split(',').collect();
        let diverged = method == "symplectic-euler";
        assert_eq!((line.contains('\u{2297}'), row[3] == "diverged"), (diverged, diverged), "{line}");
        assert!(svg.contains(&format!(">{method}{}<", if diverged { " (diverged)" } else { "" })));
        kept.push(row[11].parse().unwrap_or(f64::NAN));
    }
    // The demo shows which methods keep the energy.
    assert!(kept[1] < 0.05, "backward Euler goes numb: {kept:?}");
    assert!(kept[3..=4].iter().all(|kept| (0.9..1.1).contains(kept)), "midpoint and ere keep it: {kept:?}");
    assert!(kept[5] > 0.6, "siere stays alive: {kept:?}");
    assert!(ended.out.contains("out/demo/report.html"));
    assert!(page.len() < 3_000_000, "{} bytes", page.len());
    assert!(!page.contains("src=\"http") && !page.contains("href=\"http"), "the page needs nothing else");
    // Run again, it replaces its own files.
    workspace.pliant(&["demo", "--quiet"]).expect(0);
}
