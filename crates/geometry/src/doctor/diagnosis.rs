//! Results of an examination, as data.

use super::fix::Fix;
use super::quality::Quality;
use numerics::mat3::Vec3;

/// Properties of a mesh, and its defects.
#[derive(Debug, Clone, Default)]
pub struct Diagnosis {
    /// Box around the points, [min, max] in the units of the file; `None` without points.
    pub bounds: Option<[Vec3; 2]>,
    /// Volume of the tets, or inside closed triangles, in cubed units of the file.
    pub volume: f64,
    /// Area of the surface of the tets, or of the triangles, in squared units of the file.
    pub area: f64,
    /// Number of nodes of each connected component, the largest first.
    pub components: Vec<usize>,
    /// Quality of the tets; `None` without tets.
    pub quality: Option<Quality>,
    /// Findings, the worst first.
    pub findings: Vec<Finding>,
}

/// One kind of finding.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// Kind.
    pub kind: Kind,
    /// Number of cases.
    pub count: usize,
    /// First cases; for holes and borders the longest.
    pub first: Vec<Offender>,
    /// Length of the longest hole or border, in the units of the file.
    pub longest: Option<f64>,
}

/// A node or element that a finding is about.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Offender {
    /// "node", "tet", "triangle" or "edge".
    pub what: &'static str,
    /// Its index in its list, from 0.
    pub index: usize,
    /// Position, or its middle.
    pub at: Vec3,
}

/// Importance of a finding; ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Good to know.
    Note,
    /// It can be simulated, but is rarely intended.
    Warning,
    /// It cannot be simulated.
    Error,
}

impl Severity {
    /// Returns a word for it.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// Kinds of findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A coordinate is NaN or infinite.
    NotFinite,
    /// An element names a node that does not exist.
    OutOfRange,
    /// An element names a node twice.
    RepeatedNode,
    /// A tet has a negative volume.
    Inverted,
    /// A tet has no volume, a triangle no area.
    Flat,
    /// A node without elements.
    UnusedNode,
    /// An element of the same nodes came before.
    DuplicateElement,
    /// A node at the position of another.
    DuplicateNode,
    /// A tet is nearly flat.
    Sliver,
    /// A face is shared by more than two tets.
    NonManifoldFace,
    /// Tets that share an edge or a vertex with others of their component, but no face.
    Hinge,
    /// A triangle beside tets that is a face of none.
    StrayTriangle,
    /// An edge is shared by more than two triangles.
    NonManifoldEdge,
    /// A triangle is oriented against its neighbours.
    Inconsistent,
    /// A closed surface has its inside outside.
    InsideOut,
    /// A surface has one side only.
    OneSided,
    /// A triangle of the surface crosses another.
    SelfIntersection,
    /// A small loop of edges with a triangle on one side only.
    Hole,
    /// A connected component other than the largest.
    Component,
    /// A large loop of edges with a triangle on one side only.
    Border,
}

/// Facts about a kind.
pub struct Facts {
    /// Name for programs.
    pub word: &'static str,
    /// Importance.
    pub severity: Severity,
    /// Description of one case.
    pub one: &'static str,
    /// Description of several.
    pub many: &'static str,
    /// The fix, or advice.
    pub cure: Result<Fix, &'static str>,
}

impl Kind {
    /// Returns the facts of this kind.
    pub fn facts(self) -> Facts {
        use Severity::{Error, Note, Warning};
        let facts = |word, severity, one, many, cure| Facts { word, severity, one, many, cure };
        let elsewhere = Err("mesh it again; no option mends it");
        match self {
            Kind::NotFinite => facts(
                "not-finite",
                Error,
                "node is nowhere: NaN or infinite",
                "nodes are nowhere: NaN or infinite",
                Ok(Fix::Broken),
            ),
            Kind::OutOfRange => facts(
                "out-of-range",
                Error,
                "element names a node that is not there",
                "elements name nodes that are not there",
                Ok(Fix::Broken),
            ),
            Kind::RepeatedNode => facts(
                "degenerate",
                Error,
                "element names a node twice",
                "elements name a node twice",
                Ok(Fix::Degenerate),
            ),
            Kind::Inverted => {
                facts("inverted", Error, "tet is inside out", "tets are inside out", Ok(Fix::Orientation))
            }
            Kind::Flat => facts("flat", Error, "element is flat", "elements are flat", Ok(Fix::Flat)),
            Kind::UnusedNode => {
                facts("unused", Error, "node belongs to no element", "nodes belong to no element", Ok(Fix::Unused))
            }
            Kind::DuplicateElement => facts(
                "duplicate-elements",
                Warning,
                "element is there twice",
                "elements repeat others",
                Ok(Fix::Duplicates),
            ),
            Kind::DuplicateNode => facts(
                "duplicate-nodes",
                Warning,
                "node is where another is",
                "nodes are where others are",
                Ok(Fix::Duplicates),
            ),
            Kind::Sliver => facts(
                "slivers",
                Warning,
                "tet is nearly flat",
                "tets are nearly flat",
                Err(
                    "mesh it again with better quality; explicit steps must be tiny and implicit solves are badly conditioned",
                ),
            ),
            Kind::NonManifoldFace => facts(
                "non-manifold-faces",
                Warning,
                "face belongs to more than two tets",
                "faces belong to more than two tets",
                elsewhere,
            ),
            Kind::Hinge => facts(
                "hinges",
                Warning,
                "piece hangs by an edge or a vertex: a hinge",
                "pieces hang by an edge or a vertex: hinges",
                Err("nothing keeps it from turning there; mesh it again, finer, so that tets share faces"),
            ),
            Kind::StrayTriangle => facts(
                "stray-triangles",
                Warning,
                "triangle beside the tets is a face of none",
                "triangles beside the tets are faces of none",
                Ok(Fix::Surface),
            ),
            Kind::NonManifoldEdge => facts(
                "non-manifold-edges",
                Warning,
                "edge belongs to more than two triangles",
                "edges belong to more than two triangles",
                Err("where sheets meet it is meant so; else mesh it again"),
            ),
            Kind::Inconsistent => facts(
                "inconsistent",
                Warning,
                "triangle is turned against its neighbours",
                "triangles are turned against their neighbours",
                Ok(Fix::Orientation),
            ),
            Kind::InsideOut => facts(
                "inside-out",
                Warning,
                "triangle is of a closed surface that is inside out",
                "triangles are of closed surfaces that are inside out",
                Ok(Fix::Orientation),
            ),
            Kind::OneSided => facts(
                "one-sided",
                Note,
                "edge shows that the surface has one side only",
                "edges show that the surface has one side only",
                Err("as cloth it is fine; it has no inside"),
            ),
            Kind::SelfIntersection => facts(
                "self-intersections",
                Warning,
                "triangle of the surface crosses another",
                "triangles of the surface cross others",
                Err("as a body it is fine until contact; it has no clear inside"),
            ),
            Kind::Hole => facts("holes", Warning, "hole in the surface", "holes in the surface", Ok(Fix::Holes)),
            Kind::Component => facts(
                "parts",
                Note,
                "part is not connected with the largest",
                "parts are not connected with the largest",
                Err("several bodies in one file are fine; --fix parts keeps only the largest"),
            ),
            Kind::Border => facts(
                "borders",
                Note,
                "border of an open surface",
                "borders of an open surface",
                Err("as cloth it is fine; it has no inside"),
            ),
        }
    }
}

impl Diagnosis {
    /// Returns true if nothing is wrong: no errors and no warnings.
    pub fn is_healthy(&self) -> bool {
        self.findings.iter().all(|finding| finding.kind.facts().severity == Severity::Note)
    }

    /// Returns the finding of a kind.
    pub fn find(&self, kind: Kind) -> Option<&Finding> {
        self.findings.iter().find(|finding| finding.kind == kind)
    }
}
