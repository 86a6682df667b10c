//! `pliant demo`: needs nothing, leaves something to look at.

use crate::reader::whole_run;
use crate::workspace::Workspace;

#[test]
fn the_demo_needs_no_files_and_compares_methods() {
    let workspace = Workspace::new("demo");
    let ended = workspace.pliant(&["demo"]).expect(0);
    assert!(ended.err.is_empty(), "{}", ended.err);
    let demo = workspace.path.join("out/demo");
    let svg = std::fs::read_to_string(demo.join("energy.svg")).unwrap();
    let mut kept = Vec::new();
    for method in
        ["symplectic-euler", "linearly-implicit-euler", "backward-euler", "bdf2", "newmark", "implicit-midpoint"]
    {
        let row = ended.out.lines().find(|line| line.trim_start().starts_with(method)).expect(method);
        let (rows, frames) = whole_run(&demo.join(method));
        assert!(rows.len() >= 2 && frames.len() >= 2);
        assert!(svg.contains(&format!(">{method}{}<", if method == "symplectic-euler" { " (diverged)" } else { "" })));
        assert_eq!(row.contains("diverged"), method == "symplectic-euler", "{row}");
        kept.push(rows.last().unwrap()[6] / rows[0][6]);
    }
    // What the demo is there to show: who keeps the energy and who loses it.
    assert!(kept[1] < 0.2 && kept[2] < 0.2, "first-order implicit methods damp: {kept:?}");
    assert!(kept[4..].iter().all(|kept| (0.9..1.1).contains(kept)), "trapezoidal and midpoint keep it: {kept:?}");
    assert!(ended.out.contains("energy.svg") && ended.out.contains("ParaView"));
    // Again: its own files are replaced.
    workspace.pliant(&["demo", "--quiet"]).expect(0);
}
