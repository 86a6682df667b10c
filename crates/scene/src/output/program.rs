//! Identity of the program: bits are the same for the same program only.

use std::fmt;
use std::sync::OnceLock;

static COMMIT: OnceLock<&str> = OnceLock::new();

/// Sets the commit that the program was built from. Only the first call has an effect; without one it is unknown.
pub fn set_commit(commit: &'static str) {
    COMMIT.get_or_init(|| commit);
}

/// Identity of a program that computes runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// Its version.
    pub version: String,
    /// The commit it was built from, or "unknown".
    pub commit: String,
    /// Processor, and its instructions that change the rounding of sums.
    pub instructions: String,
}

impl Program {
    /// Returns the running program.
    pub fn this() -> Program {
        Program {
            version: env!("CARGO_PKG_VERSION").to_string(),
            commit: COMMIT.get().copied().unwrap_or("unknown").to_string(),
            instructions: instructions(),
        }
    }

    /// Describes the differences between this program and the one that wrote something.
    pub fn differences(&self, wrote: &Program) -> Vec<String> {
        let parts =
            [("commit", &wrote.commit, &self.commit), ("instructions", &wrote.instructions, &self.instructions)];
        let differ = parts.into_iter().filter(|(_, wrote, this)| wrote != this);
        differ.map(|(what, wrote, this)| format!("{what} {wrote}, now {this}")).collect()
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Program { version, commit, instructions } = self;
        write!(f, "pliant {version} (commit {commit}, {instructions})")
    }
}

/// Returns the processor, its wide instructions (libraries choose among them at run time), and the level of the build.
fn instructions() -> String {
    #[cfg(target_arch = "x86_64")]
    let found = [
        ("avx2", std::arch::is_x86_feature_detected!("avx2")),
        ("fma", std::arch::is_x86_feature_detected!("fma")),
        ("avx512f", std::arch::is_x86_feature_detected!("avx512f")),
    ];
    #[cfg(not(target_arch = "x86_64"))]
    let found: [(&str, bool); 0] = [];
    let names = found.into_iter().filter(|(_, is_there)| *is_there).map(|(name, _)| format!("+{name}"));
    // Instructions that the compiler was allowed to use count as well.
    format!("{}{}, built for {}", std::env::consts::ARCH, names.collect::<String>(), processor::built())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_told() {
        let this = Program::this();
        assert!(this.differences(&this).is_empty());
        let other = Program { commit: "abc".to_string(), instructions: "abacus".to_string(), ..this.clone() };
        let told = this.differences(&other).join("; ");
        assert!(told.contains("commit abc, now ") && told.contains("instructions abacus, now "), "{told}");
    }
}
