//! Scenes and shape files changed at random: none makes the reader panic, or takes long or much memory.
//!
//! Runs 5 s; longer with `PLIANT_FUZZ_SECONDS` and `PLIANT_FUZZ_SEED`, as the fuzzer of mesh files does.

#[path = "../../formats/tests/measured/mod.rs"]
mod measured;
#[path = "../../formats/tests/fuzz/mutate.rs"]
mod mutate;

use measured::measured;
use mutate::{Random, mutate};
use scene::Scene;
use scene::solid::Solid;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

#[test]
fn no_text_is_too_bad_to_be_refused() {
    let number = |name: &str| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    let (seconds, first) = (number("PLIANT_FUZZ_SECONDS").unwrap_or(5), number("PLIANT_FUZZ_SEED").unwrap_or(1));
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let directories = ["bodies", "scenes"].map(|name| std::fs::read_dir(root.join(name)).unwrap());
    let mut paths: Vec<_> = directories.into_iter().flatten().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "toml"));
    paths.sort();
    let is_shape: Vec<bool> = paths.iter().map(|path| path.parent().unwrap().ends_with("bodies")).collect();
    let seeds: Vec<Vec<u8>> = paths.iter().map(|path| std::fs::read(path).unwrap()).collect();
    let (start, mut run, mut read) = (Instant::now(), 0u64, 0);
    while start.elapsed() < Duration::from_secs(seconds) {
        let mut random = Random::new(first.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ run);
        let other = &seeds[random.below(seeds.len())];
        let seed = run as usize % seeds.len();
        let bytes = mutate(&seeds[seed], || other, &mut random);
        let text = String::from_utf8_lossy(&bytes);
        let parse = || match is_shape[seed] {
            true => Solid::parse("shape.toml", &text).map(drop),
            false => Scene::parse("scene.toml", &text).map(drop),
        };
        let (result, cost) = measured(|| catch_unwind(AssertUnwindSafe(&parse)));
        let wrong = match &result {
            Err(_) => Some("panics".to_string()),
            Ok(_) if cost.time > Duration::from_secs(1) => Some(format!("takes {:?}", cost.time)),
            Ok(_) if cost.bytes > 64 << 20 => Some(format!("takes {} MiB", cost.bytes >> 20)),
            Ok(Err(problems)) if problems.list.is_empty() => Some("is refused without a reason".to_string()),
            Ok(_) => None,
        };
        if let Some(wrong) = wrong {
            let path = root.join("target/fuzz").join(format!("seed-{first}-run-{run}.toml"));
            std::fs::create_dir_all(root.join("target/fuzz")).unwrap();
            std::fs::write(&path, &*text).unwrap();
            panic!("reading it {wrong}; the file is {}", path.display());
        }
        read += u64::from(matches!(result, Ok(Ok(_))));
        run += 1;
    }
    println!("{run} changed scenes and shapes in {seconds} s, of which {read} could still be read");
    assert!(run > 100, "{run} are hardly any");
}
