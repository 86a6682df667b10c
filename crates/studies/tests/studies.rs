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
    assert!(studies.len() > 30, "{} studies", studies.len());
    for study in &studies {
        assert!(!study.claims.is_empty(), "{} claims nothing", study.name());
        for size in [Size::Quick, Size::Full] {
            for trial in study.trials(size).unwrap() {
                trial.load(&root()).unwrap_or_else(|error| panic!("{} ({}): {error}", study.name(), size.word()));
            }
        }
    }
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
        ("async/fig-6", Verdict::Reproduced),
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
    let text = std::fs::read_to_string(root().join("studies/async/fig-6/study.toml")).unwrap();
    let turned = text.replace("energy kept} > 2 *", "energy kept} < 2 *");
    assert_ne!(turned, text);
    let own = folder.0.join("async/turned");
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
