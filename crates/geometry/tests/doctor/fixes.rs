//! Each fix mends its defect, and keeps volume and groups.

use crate::bodies::{bar, kinds, look, skin};
use geometry::doctor::{Fix, Kind, mend};
use model::mesh::Mesh;

/// Mends and requires a healthy mesh of the volume of the bar.
fn heal(mesh: &mut Mesh, fix: Fix) -> Vec<(usize, &'static str)> {
    assert!(!look(mesh).findings.is_empty(), "there must be something to mend");
    let changes = mend(mesh, &[fix]);
    let after = look(mesh);
    assert!(after.is_healthy(), "{fix:?} leaves {:?}", after.findings);
    assert!((after.volume - bar().volume()).abs() < 1e-9, "{} m^3", after.volume);
    assert!(mend(&mut mesh.clone(), &Fix::ALL.map(|(fix, _)| fix)).is_empty(), "nothing is left to mend");
    if !mesh.tets.is_empty() {
        mesh.validate().unwrap();
    }
    changes.into_iter().map(|change| (change.count, change.what)).collect()
}

#[test]
fn orientation_turns_tets() {
    let mut mesh = bar();
    mesh.tets.iter_mut().step_by(3).for_each(|t| t.swap(1, 2));
    let turned = mesh.tets.len().div_ceil(3);
    assert_eq!(heal(&mut mesh, Fix::Orientation), [(turned, "tets turned")]);
    assert_eq!(mesh.groups, bar().groups);
}

#[test]
fn orientation_turns_triangles() {
    let mut mesh = skin();
    mesh.triangles.iter_mut().for_each(|t| t.swap(1, 2));
    mesh.triangles[4].swap(1, 2);
    let count = mesh.triangles.len();
    assert_eq!(heal(&mut mesh, Fix::Orientation), [(count - 1, "triangles turned")]);
    assert_eq!(mesh.groups, skin().groups);
}

#[test]
fn duplicates_welds_triangles_that_share_no_node() {
    // As in STL: three nodes per triangle.
    let whole = skin();
    let mut loose = Mesh { groups: whole.groups.clone(), ..Mesh::default() };
    for (t, triangle) in whole.triangles.iter().enumerate() {
        loose.points.extend(triangle.map(|i| whole.points[i as usize]));
        loose.triangles.push([0, 1, 2].map(|k| 3 * t as u32 + k));
    }
    loose.groups.get_mut("first").unwrap().nodes = vec![0, 1, 2];
    let double = loose.points.len() - whole.points.len();
    assert_eq!(heal(&mut loose, Fix::Duplicates), [(double, "nodes merged with others in the same place")]);
    assert_eq!((loose.points.len(), loose.triangles.len()), (whole.points.len(), whole.triangles.len()));
    let group = &loose.groups["first"];
    let mut corners = loose.triangles[group.triangles[0] as usize].to_vec();
    corners.sort_unstable();
    assert_eq!(group.nodes, corners);
}

#[test]
fn duplicates_keeps_the_groups_of_copies() {
    let mut mesh = bar();
    mesh.tets.insert(0, mesh.tets[5]);
    mesh.groups.values_mut().for_each(|group| group.tets.iter_mut().for_each(|e| *e += 1));
    mesh.group_tets("copy", vec![6]);
    assert_eq!(heal(&mut mesh, Fix::Duplicates), [(1, "elements that repeat others dropped")]);
    assert_eq!(mesh.groups["copy"].tets, [0], "the group has the one that stays");
}

#[test]
fn duplicates_counts_what_collapses_drops_its_nodes_and_leaves_the_rest() {
    let mut mesh = bar();
    let count = mesh.points.len() as u32;
    let [a, b, c, d] = mesh.tets[0];
    // Degenerate before; with two nodes at one position, one of which only it names; and a node without elements.
    mesh.points.extend([mesh.points[a as usize], [0.5, 3.0, 3.0], [0.5, 4.0, 4.0]]);
    mesh.tets.extend([[b, b, c, d], [a, count, c, count + 1]]);
    let changes = mend(&mut mesh, &[Fix::Duplicates]);
    let changes: Vec<_> = changes.iter().map(|change| (change.count, change.what)).collect();
    let expected = [
        (1, "nodes merged with others in the same place"),
        (1, "elements that collapsed thereby dropped"),
        (1, "nodes of theirs dropped"),
    ];
    assert_eq!(changes, expected);
    assert_eq!(mesh.tets.last(), Some(&[b, b, c, d]), "this one is for another fix");
    assert_eq!(mesh.points.len() as u32, count + 1);
    assert_eq!(mesh.points.last(), Some(&[0.5, 4.0, 4.0]), "and this node too");
}

#[test]
fn degenerate_and_flat_drop_elements_and_their_nodes_and_renumber_groups() {
    let whole = bar();
    let [a, b, c, _] = whole.tets[0];
    let middle: [f64; 3] =
        std::array::from_fn(|k| [a, b, c].iter().map(|&i| whole.points[i as usize][k]).sum::<f64>() / 3.0);
    for (fix, what) in [(Fix::Degenerate, "elements that name a node twice dropped"), (Fix::Flat, "flat tets dropped")]
    {
        let mut mesh = whole.clone();
        let extra = mesh.points.len() as u32;
        mesh.points.push(middle);
        let bad = if fix == Fix::Flat { [a, b, c, extra] } else { [a, b, extra, extra] };
        mesh.tets.insert(0, bad);
        mesh.group_tets("marked", vec![0, 8]);
        assert_eq!(heal(&mut mesh, fix), [(1, what), (1, "nodes of theirs dropped")]);
        assert_eq!(mesh.groups["marked"].tets, [7]);
        assert_eq!((mesh.points, mesh.tets), (whole.points.clone(), whole.tets.clone()));
    }
}

#[test]
fn unused_drops_nodes_and_renumbers_groups() {
    let mut mesh = bar();
    mesh.points.insert(0, [0.1234, 0.0321, 0.0456]);
    mesh.tets.iter_mut().flatten().for_each(|i| *i += 1);
    mesh.groups.values_mut().for_each(|group| group.nodes.iter_mut().for_each(|i| *i += 1));
    assert_eq!(heal(&mut mesh, Fix::Unused), [(1, "unused nodes dropped")]);
    assert_eq!(mesh, bar());
}

#[test]
fn parts_keeps_the_largest_wherever_it_is() {
    let mut mesh = Mesh {
        points: vec![[5.0, 0.0, 0.0], [6.0, 0.0, 0.0], [5.0, 1.0, 0.0], [5.0, 0.0, 1.0]],
        tets: vec![[0, 1, 2, 3]],
        ..Mesh::default()
    };
    mesh.group_tets("gone", vec![0]);
    mesh.append(&bar());
    let changes = heal(&mut mesh, Fix::Parts);
    assert_eq!(changes[..2], [(1, "parts dropped"), (1, "elements of theirs dropped")]);
    assert_eq!(changes[2..], [(4, "nodes of theirs dropped"), (1, "groups dropped in which nothing was left")]);
    assert_eq!(mesh, bar());
}

#[test]
fn holes_are_filled_small_ones_with_a_triangle_others_with_a_fan() {
    let mut mesh = skin();
    mesh.triangles.remove(9);
    assert_eq!(heal(&mut mesh, Fix::Holes), [(1, "holes filled"), (1, "triangles made for them")]);
    assert_eq!(mesh.points.len(), skin().points.len());

    // All triangles around a node inside a side: four edges and more.
    let mut mesh = skin();
    let inner = (0..mesh.points.len() as u32)
        .find(|i| {
            let around: Vec<_> = mesh.triangles.iter().filter(|t| t.contains(i)).collect();
            let flat = around
                .iter()
                .flat_map(|t| t.iter())
                .all(|&j| (mesh.points[j as usize][2] - mesh.points[*i as usize][2]).abs() < 1e-12);
            flat && around.len() >= 4
        })
        .unwrap();
    geometry::doctor::renumber::retain_triangles(&mut mesh, |_, t| !t.contains(&inner));
    geometry::doctor::renumber::drop_unused(&mut mesh);
    let before = mesh.triangles.len();
    let changes = heal(&mut mesh, Fix::Holes);
    assert_eq!(changes, [(1, "holes filled"), (mesh.triangles.len() - before, "triangles made for them")]);
    assert!(mesh.triangles.len() - before >= 4 && mesh.points.len() == skin().points.len());
}

#[test]
fn surface_drops_stray_triangles() {
    let mut mesh = bar();
    mesh.triangles = mesh.boundary_triangles()[..3].to_vec();
    mesh.points.push([0.5, 2.0, 2.0]);
    mesh.triangles.push([0, 1, mesh.points.len() as u32 - 1]);
    let changes = heal(&mut mesh, Fix::Surface);
    assert_eq!(changes, [(1, "stray triangles dropped"), (1, "nodes of theirs dropped")]);
    assert_eq!(mesh.triangles.len(), 3);
}

#[test]
fn everything_at_once() {
    let mut mesh = bar();
    mesh.tets[3].swap(2, 3);
    mesh.tets.push(mesh.tets[8]);
    mesh.tets.push([1, 1, 2, 3]);
    mesh.points.push([9.0, 9.0, 9.0]);
    let offset = mesh.points.len() as u32;
    mesh.points.extend([[7.0, 0.0, 0.0], [7.5, 0.0, 0.0], [7.0, 0.5, 0.0], [7.0, 0.0, 0.5]]);
    mesh.tets.push([0, 2, 1, 3].map(|k| offset + k));
    mesh.triangles.push([0, 1, offset]);
    let found = kinds(&mesh);
    for kind in [Kind::Inverted, Kind::DuplicateElement, Kind::RepeatedNode, Kind::UnusedNode, Kind::StrayTriangle] {
        assert!(found.iter().any(|(other, _)| *other == kind), "{kind:?} is not in {found:?}");
    }
    mend(&mut mesh, &Fix::ALL.map(|(fix, _)| fix));
    let after = look(&mesh);
    assert!(after.is_healthy(), "{:?}", after.findings);
    assert_eq!(mesh, bar());
}
