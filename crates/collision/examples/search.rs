//! Times of the contact searches of a frame: a cloth of 150k particles against itself and a ball of 70k triangles.
//!
//! Times are the least of ten, with the counts of what was examined.

use collision::{CollisionSurface, Lists, Pose, Reach, Shape, Touch, Tree, Vertices};
use numerics::mat3::Vec3;
use std::time::Instant;

fn best<T>(what: &str, mut run: impl FnMut() -> T, count: impl Fn(&T) -> usize) {
    let mut least = f64::INFINITY;
    let mut found = 0;
    for _ in 0..10 {
        let start = Instant::now();
        let out = run();
        least = least.min(start.elapsed().as_secs_f64());
        found = count(&out);
    }
    println!("{what:45} {:8.2} ms  {found}", 1e3 * least);
}

fn main() {
    let n = 387u32;
    let size = 1.0 / n as f64;
    let points: Vec<Vec3> = (0..=n)
        .flat_map(|j| (0..=n).map(move |i| [i as f64 * size - 0.5, j as f64 * size - 0.5, 0.0]))
        .map(|[x, y, _]| [x, y, 0.305 - 0.8 * (x * x + y * y) + 0.004 * (60.0 * x).sin()])
        .collect();
    let cells = (0..n).flat_map(|j| (0..n).map(move |i| j * (n + 1) + i));
    let triangles: Vec<[u32; 3]> = cells.flat_map(|a| [[a, a + 1, a + n + 2], [a, a + n + 2, a + n + 1]]).collect();
    let now: Vec<f64> = points.concat();
    let predicted: Vec<f64> = points.iter().flat_map(|p| [p[0], p[1], p[2] - 0.002]).collect();
    let reach = Reach { thickness: 0.2 * size, margin: 0.2 * size, depth: 0.02 };
    println!("{} particles, {} triangles, {} threads", points.len(), triangles.len(), rayon::current_num_threads());

    let mut surface = CollisionSurface::new(&triangles, &[], &[]);
    let mut out: Vec<Touch> = Vec::new();
    let mut touches = |surface: &mut CollisionSurface| {
        surface.touches(&now, &predicted, &reach, |_, _| true, &mut out);
        out.len()
    };
    best("cloth on itself, touches", || touches(&mut surface), |n| *n);

    let boxes: Vec<_> = triangles
        .iter()
        .map(|t| collision::Bounds::around(t.map(|i| points[i as usize])).fattened(0.2 * size))
        .collect();
    let mut tree = Tree::new(&boxes);
    best("cloth, tree built", || Tree::new(&boxes), Tree::len);
    best("cloth, tree refitted", || tree.refit(&boxes), |()| triangles.len());
    let (mut lists, mut pairs) = (Lists::default(), Vec::new());
    best("cloth on itself, pairs of boxes, sorted", || tree.self_pairs(&mut lists, &mut pairs), |()| 0);
    println!("{:45} {:8}     {}", "", "", pairs.len());

    let (points, triangles) = Shape::Ball { radius: 0.3 }.triangles(93);
    let ball = Shape::mesh(&points, &triangles).unwrap();
    println!("ball of {} triangles", triangles.len());
    let nodes: Vec<u32> = (0..now.len() as u32 / 3).collect();
    let (mut lists, mut found) = (Lists::default(), Vec::new());
    let still = Pose::default();
    let moving = Vertices { nodes: &nodes, now: &now, predicted: &predicted };
    let mut vertices = || {
        ball.touches([&still, &still], moving, &reach, &mut lists, &mut found);
        found.len()
    };
    best("vertices on the ball as a shape", &mut vertices, |n| *n);

    let first = nodes.len() as u32;
    let all: Vec<f64> = now.iter().chain(points.as_flattened()).copied().collect();
    let then: Vec<f64> = predicted.iter().chain(points.as_flattened()).copied().collect();
    let moved: Vec<[u32; 3]> = triangles.iter().map(|t| t.map(|i| i + first)).collect();
    let mut other = CollisionSurface::new(&moved, &[], &[]);
    let mut out = Vec::new();
    let mut with = || {
        surface.touches_with(&mut other, &all, &then, &reach, |_, _| true, &mut out);
        out.len()
    };
    best("cloth on the ball as a surface, touches", &mut with, |n| *n);
}
