//! A surface follows its tets, frame after frame, without allocating.

#[path = "../../numerics/tests/counting/mod.rs"]
mod counting;

use geometry::{Embedding, Fineness, Wanted, isosurface, shape::Shape, stuff};
use std::collections::BTreeMap;

#[test]
fn following_allocates_nothing_that_grows_with_the_surface() {
    let ball = Shape::find("ball").unwrap().with(&BTreeMap::new()).unwrap();
    let mesh = stuff(ball.as_ref(), &Wanted::vertices(500), &mut |_| {}).unwrap().mesh;
    let points = isosurface(ball.as_ref(), Fineness::Vertices(20_000), &mut |_| {}).unwrap().points;
    let embedding = Embedding::new(&mesh, &points).unwrap();
    let mut found = vec![[0.0; 3]; embedding.len()];
    embedding.follow(&mesh.points, &mut found);
    let [bytes, _] = counting::allocated(|| embedding.follow(&mesh.points, &mut found));
    assert!(bytes < embedding.len(), "{bytes} bytes");
}
