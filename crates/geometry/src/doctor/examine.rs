//! Examination: searches for all kinds of findings.

use super::crossing::crossings;
use super::diagnosis::{Diagnosis, Finding, Kind, Offender};
use super::elements::{all_but, duplicates, flat_tets, flat_triangles, inverted, repeated};
use super::faces::{FACES, faces, triangles_of_tets};
use super::hinges::hinges;
use super::nodes::{connected_by_nodes, first_nodes};
use super::quality::quality;
use super::renumber::used_nodes;
use super::surface::surface;
use model::mesh::Mesh;
use numerics::mat3::{Vec3, add, scale};

/// Limit of cases shown per finding.
const SHOWN: usize = 5;

/// Examines a mesh. `progress` is called with the name of the next test.
pub fn examine(mesh: &Mesh, mut progress: impl FnMut(&'static str)) -> Diagnosis {
    let mut found = Found { mesh, list: Vec::new() };
    if found.is_broken() {
        return Diagnosis { findings: found.list, ..Diagnosis::default() };
    }
    progress("elements");
    let (twice, twice_tris) = (repeated(&mesh.tets), repeated(&mesh.triangles));
    let (again, again_tris) = (duplicates(&mesh.tets), duplicates(&mesh.triangles));
    let (flat, inverted) = (flat_tets(mesh), inverted(mesh));
    found.elements(Kind::RepeatedNode, &twice, &twice_tris, &repeated(&mesh.edges));
    found.elements(Kind::Inverted, &inverted, &[], &[]);
    found.elements(Kind::Flat, &flat, &flat_triangles(mesh), &[]);
    let copies = |list: &[(u32, u32)]| list.iter().map(|&(e, _)| e).collect::<Vec<_>>();
    found.elements(Kind::DuplicateElement, &copies(&again), &copies(&again_tris), &copies(&duplicates(&mesh.edges)));

    progress("nodes");
    let nodes = |is: &dyn Fn(usize) -> bool| (0..mesh.points.len()).filter(|&i| is(i)).collect::<Vec<_>>();
    let (used, first_nodes) = (used_nodes(mesh), first_nodes(mesh));
    found.nodes(Kind::UnusedNode, &nodes(&|i| !used[i]));
    found.nodes(Kind::DuplicateNode, &nodes(&|i| first_nodes[i] != i as u32));

    let (mut volume, mut area) = (0.0, 0.0);
    let mut skin = Vec::new();
    let mut quality_of_tets = None;
    if !mesh.tets.is_empty() {
        progress("quality");
        let sound = all_but(mesh.tets.len(), twice.iter().chain(&flat).copied().chain(copies(&again)));
        let (quality, slivers) = quality(mesh, &sound);
        quality_of_tets = quality;
        found.elements(Kind::Sliver, &slivers, &[], &[]);
        volume = (0..mesh.tets.len()).filter(|&e| sound[e]).map(|e| mesh.tet_volume(e).abs()).sum();
        progress("faces");
        let mut faces = faces(mesh);
        faces.retain(|(_, id)| sound[*id as usize / 4]);
        let mut crowded = Vec::new();
        for same in faces.chunk_by(|a, b| a.0 == b.0) {
            match same {
                [(_, id)] => skin.push(*id),
                [_, _] => {}
                _ => crowded.push(same[2].1 / 4),
            }
        }
        skin.sort_unstable();
        crowded.sort_unstable();
        found.elements(Kind::NonManifoldFace, &crowded, &[], &[]);
        let named_once = all_but(mesh.tets.len(), twice.iter().copied());
        found.elements(Kind::Hinge, &hinges(mesh, &named_once), &[], &[]);
        let is_face = triangles_of_tets(mesh);
        let stray: Vec<u32> = (0..mesh.triangles.len() as u32).filter(|&e| !is_face[e as usize]).collect();
        found.elements(Kind::StrayTriangle, &[], &stray, &[]);
    }

    progress("surface");
    let skin_of_tets = |&id: &u32| FACES[id as usize % 4].map(|k| mesh.tets[id as usize / 4][k]);
    let (mut triangles, mut owner, mut what): (Vec<[u32; 3]>, Vec<u32>, _) =
        (skin.iter().map(skin_of_tets).collect(), skin.iter().map(|id| id / 4).collect(), "tet");
    let mut cavities = Vec::new();
    if mesh.tets.is_empty() {
        let surface = surface(mesh, &first_nodes);
        found.surface(&surface);
        volume = surface.volume();
        cavities = surface.cavities(mesh);
        (triangles, owner, what) = (surface.triangles, surface.ids, "triangle");
    }
    area += triangles.iter().map(|&triangle| mesh.triangle_area(triangle)).sum::<f64>();

    progress("parts");
    let components = connected_by_nodes(mesh, &cavities);
    let mut first = vec![None; components.sizes.len()];
    for (i, &n) in components.of_node.iter().enumerate().filter(|(_, n)| (**n as usize) < components.sizes.len()) {
        first[n as usize].get_or_insert(i);
    }
    found.nodes(Kind::Component, &first.into_iter().skip(1).flatten().collect::<Vec<_>>());

    progress("crossings");
    let placed: Vec<[u32; 3]> = triangles.iter().map(|nodes| nodes.map(|i| first_nodes[i as usize])).collect();
    let crossing = crossings(&mesh.points, &placed);
    let each = crossing.iter().map(|&t| (what, owner[t as usize] as usize, triangles[t as usize].to_vec()));
    found.add(Kind::SelfIntersection, crossing.len(), each);

    let mut findings = found.list;
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.kind.facts().severity));
    Diagnosis { bounds: mesh.bounds(), volume, area, components: components.sizes, quality: quality_of_tets, findings }
}

/// Findings so far.
struct Found<'a> {
    mesh: &'a Mesh,
    list: Vec<Finding>,
}

impl Found<'_> {
    /// Adds a finding, if there are cases, given by their kind, index and nodes.
    fn add(&mut self, kind: Kind, count: usize, offenders: impl Iterator<Item = (&'static str, usize, Vec<u32>)>) {
        if count == 0 {
            return;
        }
        let middle = |nodes: &[u32]| -> Vec3 {
            let points = nodes.iter().filter_map(|&i| self.mesh.points.get(i as usize));
            scale(1.0 / nodes.len().max(1) as f64, points.fold([0.0; 3], |sum, p| add(sum, *p)))
        };
        let first = offenders.take(SHOWN).map(|(what, index, nodes)| Offender { what, index, at: middle(&nodes) });
        let finding = Finding { kind, count, first: first.collect(), longest: None };
        self.list.push(finding);
    }

    fn elements(&mut self, kind: Kind, tets: &[u32], triangles: &[u32], edges: &[u32]) {
        let mesh = self.mesh;
        let tets_of = tets.iter().map(|&e| ("tet", e as usize, mesh.tets[e as usize].to_vec()));
        let triangles_of = triangles.iter().map(|&e| ("triangle", e as usize, mesh.triangles[e as usize].to_vec()));
        let edges_of = edges.iter().map(|&e| ("edge", e as usize, mesh.edges[e as usize].to_vec()));
        let count = tets.len() + triangles.len() + edges.len();
        self.add(kind, count, tets_of.chain(triangles_of).chain(edges_of));
    }

    fn nodes(&mut self, kind: Kind, nodes: &[usize]) {
        self.add(kind, nodes.len(), nodes.iter().map(|&i| ("node", i, vec![i as u32])));
    }

    fn surface(&mut self, surface: &super::surface::SurfaceTopology) {
        let triangle = |t: usize| ("triangle", surface.ids[t] as usize, surface.triangles[t].to_vec());
        let turned: Vec<usize> = (0..surface.ids.len()).filter(|&t| surface.turned[t]).collect();
        self.add(Kind::Inconsistent, turned.len(), turned.iter().map(|&t| triangle(t)));
        let wrong = |t: &usize| surface.shells[surface.shell_of[*t] as usize].inside_out;
        let count = surface.shells.iter().filter(|shell| shell.inside_out).map(|shell| shell.triangles).sum();
        self.add(Kind::InsideOut, count, (0..surface.ids.len()).filter(wrong).map(triangle));
        // For an edge that is in no list the first end is shown.
        let edge = |ends: &[u32; 2]| ("node", ends[0] as usize, ends.to_vec());
        self.add(Kind::NonManifoldEdge, surface.non_manifold.len(), surface.non_manifold.iter().map(edge));
        self.add(Kind::OneSided, surface.one_sided.len(), surface.one_sided.iter().map(edge));
        for (kind, holes) in [(Kind::Hole, true), (Kind::Border, false)] {
            let mut loops: Vec<_> = surface.loops.iter().filter(|found| found.is_hole == holes).collect();
            // The longest is the most important.
            loops.sort_by(|a, b| b.length.total_cmp(&a.length));
            let around = loops.iter().map(|found| {
                ("node", found.edges[0][0] as usize, found.edges.iter().map(|e| e[0]).collect::<Vec<_>>())
            });
            let before = self.list.len();
            self.add(kind, loops.len(), around);
            self.list[before..]
                .iter_mut()
                .for_each(|finding| finding.longest = loops.first().map(|found| found.length));
        }
    }

    /// Returns true if points or indices make further tests impossible.
    fn is_broken(&mut self) -> bool {
        let mesh = self.mesh;
        let lost: Vec<usize> =
            (0..mesh.points.len()).filter(|&i| mesh.points[i].iter().any(|x| !x.is_finite())).collect();
        self.nodes(Kind::NotFinite, &lost);
        let outside = |nodes: &[u32]| nodes.iter().any(|&i| i as usize >= mesh.points.len());
        fn which<const N: usize>(elements: &[[u32; N]], is: impl Fn(&[u32]) -> bool) -> Vec<u32> {
            (0..elements.len() as u32).filter(|&e| is(&elements[e as usize])).collect()
        }
        let springs: usize = [&mesh.shear, &mesh.bends].iter().map(|pairs| which(pairs, outside).len()).sum();
        let lists = (which(&mesh.tets, outside), which(&mesh.triangles, outside), which(&mesh.edges, outside));
        self.elements(Kind::OutOfRange, &lists.0, &lists.1, &lists.2);
        self.add(Kind::OutOfRange, springs, std::iter::empty());
        !self.list.is_empty()
    }
}
