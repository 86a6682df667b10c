//! Bit-for-bit identical results for any number of threads.

use crate::workspace::{Workspace, bar};

#[test]
fn finer_surfaces_are_the_same_for_any_number_of_threads() {
    let workspace = Workspace::new("threads-surface");
    let ball = "generator = \"parts\", vertices = 200, surface = 5000, part = [{ kind = \"ball\" }]";
    let replace = [
        ("generator = \"bar\", cells_along = 8, cells_across = 2", ball),
        ("group = \"x-\"", "box = { min = [-9.0, -9.0, -9.0], max = [-0.3, 9.0, 9.0] }"),
        ("duration = 0.24", "duration = 0.08"),
    ];
    workspace.write("ball.toml", &bar(&replace));
    let read = |threads: &str| {
        workspace.pliant(&["run", "ball.toml", "--threads", threads, "-o", threads, "-q"]).expect(0);
        let bytes = |file: &str| std::fs::read(workspace.path.join(threads).join(file)).unwrap();
        [bytes("surface.pvd"), bytes("surface/frame-000000.vtu"), bytes("surface/frame-000003.vtu")]
    };
    let one = read("1");
    assert!(one[1] != one[2], "it moves");
    ["2", "3", "8"].iter().for_each(|threads| assert!(read(threads) == one, "{threads} threads"));
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let workspace = Workspace::new("threads");
    // Large enough that loops over elements and the factorisation use threads.
    let replace = [
        ("cells_along = 8, cells_across = 2", "cells_along = 24, cells_across = 6"),
        ("duration = 0.24", "duration = 0.05"),
    ];
    workspace.write("bar.toml", &bar(&replace));
    for method in ["linearly-implicit-euler", "backward-euler", "bdf2"] {
        let read = |threads: &str| {
            let out = format!("{method}-{threads}");
            workspace.pliant(&["run", "bar.toml", "-m", method, "--threads", threads, "-o", &out, "-q"]).expect(0);
            let bytes = |file: &str| std::fs::read(workspace.path.join(&out).join(file)).unwrap();
            (bytes("series.csv"), bytes("frames/frame-000003.vtu"))
        };
        let one = read("1");
        for threads in ["2", "3", "4", "8"] {
            let many = read(threads);
            assert!(many.0 == one.0, "{method}: series.csv with {threads} threads is not that with one");
            assert!(many.1 == one.1, "{method}: the last frame with {threads} threads is not that with one");
        }
    }
}
