//! Studies of this checkout: all can be read, their scenes are sound at both sizes, and a cheap one of each paper runs.

use scene::{Built, Observer};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use studies::{Found, Setting, Size, Store, Study, Verdict, all, judge, kept, run};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let folder = std::env::temp_dir().join(format!("pliant-studies-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Folder(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).ok();
    }
}

fn study(name: &str) -> Study {
    Study::read(&root().join("studies").join(name)).unwrap_or_else(|error| panic!("{error}"))
}

fn ran(study: &Study, store: &Store) -> Found {
    let watch = |_: &Built, _: &str| -> Box<dyn Observer> { Box::new(()) };
    let root = root();
    let setting = Setting { root: &root, size: Size::Quick, store, watch: &watch, stop: &AtomicBool::new(false) };
    run(study, &setting).unwrap_or_else(|error| panic!("{}: {error}", study.name()))
}

#[test]
fn scenes_of_all_studies_are_sound_at_both_sizes() {
    let studies = all(&root().join("studies")).unwrap_or_else(|error| panic!("{error}"));
    for study in &studies {
        assert!(!study.claims.is_empty(), "{} claims nothing", study.name());
        for size in [Size::Quick, Size::Full] {
            for trial in study.trials(size).unwrap() {
                trial.load(&root()).unwrap_or_else(|error| panic!("{} ({}): {error}", study.name(), size.word()));
            }
        }
    }
}

/// Figures and tables of the papers, by lines of the list that studies were made from: 52 lines.
const ITEMS: [(&str, &[&str]); 5] = [
    (
        "siere",
        &[
            "fig-2",
            "fig-4",
            "table-1",
            "table-2",
            "fig-5 fig-6",
            "fig-7",
            "fig-8",
            "fig-9",
            "fig-10",
            "fig-11 fig-12",
            "fig-13",
            "fig-14",
            "fig-15",
            "fig-16",
            "fig-17",
            "fig-18 fig-19",
        ],
    ),
    (
        "ere",
        &[
            "fig-1 fig-2 fig-3 fig-4",
            "fig-5",
            "table-1",
            "table-2",
            "fig-7",
            "fig-8 fig-9",
            "fig-10 fig-11 table-3",
            "fig-12",
            "fig-13 fig-14",
            "fig-15",
            "fig-16",
            "fig-18",
        ],
    ),
    ("sai", &["fig-1 table-1", "fig-2", "fig-3a", "fig-3b", "fig-3c", "fig-4", "fig-5", "fig-6"]),
    ("async", &["fig-2", "fig-3", "fig-4 table-1", "fig-5", "fig-6", "fig-7", "fig-8", "fig-9", "drop"]),
    ("small", &["fig-1", "fig-2", "fig-3 fig-4", "fig-5 fig-6", "fig-7", "fig-8", "fig-9"]),
];

#[test]
fn every_figure_and_table_is_found_by_name() {
    let studies = all(&root().join("studies")).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(ITEMS.iter().map(|(_, lines)| lines.len()).sum::<usize>(), 52);
    for (paper, lines) in ITEMS {
        for item in lines.iter().flat_map(|line| line.split(' ')) {
            let of = studies.iter().filter(|study| study.paper == paper && study.covers(item)).count();
            assert!(of > 0, "{paper} {item} has no study");
        }
    }
}

#[test]
fn a_mesh_of_the_reader_takes_the_place_of_a_body() {
    let folder = Folder::new("meshes");
    let mesh = "MeshVersionFormatted 2\nDimension 3\nVertices 4\n0 0 0 0\n1 0 0 0\n0 0.5 0 0\n0 0 0.5 0\nTetrahedra 1\n\
                1 2 3 4 0\nEnd\n";
    std::fs::write(folder.0.join("cuboid.mesh"), mesh).unwrap();
    let own = study("siere/fig-7").on_meshes(&folder.0);
    assert!(own.assumed.iter().any(|told| told.contains("cuboid.mesh")), "{:?}", own.assumed);
    let trials = own.trials(Size::Quick).unwrap();
    for trial in &trials {
        let scene = trial.load(&root()).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(scene.build().unwrap_or_else(|error| panic!("{error}")).mesh.tets.len(), 1, "{}", trial.name);
        assert!(trial.mesh_hash.is_some());
    }
    assert!(study("siere/fig-9").on_meshes(&folder.0).trials(Size::Quick).unwrap()[0].mesh_hash.is_none());
    // Another mesh of this name has other results.
    let key = |trial: &studies::Trial| Store::key(&trial.load(&root()).unwrap(), trial);
    std::fs::write(folder.0.join("cuboid.mesh"), mesh.replace("0.5", "0.25")).unwrap();
    let other = study("siere/fig-7").on_meshes(&folder.0);
    assert_ne!(key(&trials[0]), key(&other.trials(Size::Quick).unwrap()[0]));
}

#[test]
fn a_cheap_study_of_each_paper_is_decided() {
    let folder = Folder::new("cheap");
    let store = Store::open(&folder.0).unwrap();
    let expected = [
        ("siere/fig-18", Verdict::Reproduced),
        ("siere/fig-7", Verdict::Reproduced),
        ("ere/fig-1", Verdict::Holds),
        ("sai/fig-3b", Verdict::Reproduced),
        ("async/fig-2", Verdict::Reproduced),
        ("small/fig-8", Verdict::Reproduced),
    ];
    for (name, verdict) in expected {
        let study = study(name);
        let found = ran(&study, &store);
        let judged = judge(&study, Size::Quick, &found);
        assert_eq!(judged.verdict, verdict, "{name}: {:?} {:?}", judged.claims, judged.numbers);
        // What has run is kept, and is not run again.
        let again = ran(&study, &store);
        assert_eq!((again.computed, &again.runs), (0, &found.runs), "{name}");
        assert!(kept(&study, &root(), Size::Quick, &store).unwrap().is_some());
    }
}

#[test]
fn a_claim_turned_round_fails() {
    let folder = Folder::new("turned");
    let store = Store::open(&folder.0).unwrap();
    let text = std::fs::read_to_string(root().join("studies/small/fig-4/study.toml")).unwrap();
    let turned = text.replace("stretch} > 30 *", "stretch} < 30 *");
    assert_ne!(turned, text);
    let own = folder.0.join("small/turned");
    std::fs::create_dir_all(&own).unwrap();
    std::fs::write(own.join("study.toml"), turned).unwrap();
    let study = Study::read(&own).unwrap();
    let judged = judge(&study, Size::Quick, &ran(&study, &store));
    assert_eq!(judged.verdict, Verdict::Fails);
    assert_eq!(judged.claims[0].commands.len(), 2, "the runs that show it: {:?}", judged.claims[0].commands);
}

#[test]
fn mistakes_are_named() {
    let folder = Folder::new("mistakes");
    let head = "title = \"t\"\nplace = \"p\"\nsays = \"s\"\n[[damping]]\nmethod = \"bdf2\"\n[[claim]]\nsays = \"c\"\n";
    let cases = [
        ("holds = \"{bdf3: damping peak} > 0\"", "there is no run 'bdf3'; there are bdf2"),
        ("holds = \"{bdf2: damping peak} >\"", "is no formula"),
        ("holds = \"1 > 0\"\nhold = 3", "unknown field `hold`"),
    ];
    for (claim, told) in cases {
        let own = folder.0.join("siere/wrong");
        std::fs::create_dir_all(&own).unwrap();
        std::fs::write(own.join("study.toml"), format!("{head}{claim}\n")).unwrap();
        let error = Study::read(&own).unwrap_err().to_string();
        assert!(error.contains(told) && error.contains("study.toml"), "{error}");
    }
    let none = all(&folder.0.join("nowhere")).unwrap_err().to_string();
    assert!(none.contains("there are no studies in") && none.contains("--studies"), "{none}");
}
