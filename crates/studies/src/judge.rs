//! The verdict on a study: computed from its claims and numbers, never typed.

use crate::claim::{Claim, ClaimError, split};
use crate::run::Found;
use crate::study::{Size, Study};
use std::fmt;

/// Verdict on a study.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Claims hold, and numbers are within their tolerances.
    Reproduced,
    /// Claims hold; some numbers differ.
    Holds,
    /// A claim does not hold here.
    Fails,
    /// Something is missing, or the answer depends on what the paper leaves out.
    Undecided,
}

impl Verdict {
    /// All verdicts, best first.
    pub const ALL: [Verdict; 4] = [Verdict::Reproduced, Verdict::Holds, Verdict::Fails, Verdict::Undecided];

    /// Returns the word of tables and files.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Reproduced => "reproduced",
            Verdict::Holds => "holds",
            Verdict::Fails => "fails",
            Verdict::Undecided => "cannot be decided",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// A claim and its outcome.
#[derive(Debug, Clone, Default)]
pub struct JudgedClaim {
    /// The claim in words.
    pub says: String,
    /// Its formula; empty without one.
    pub formula: String,
    /// True if it holds, false if not; `None` if it cannot be decided.
    pub holds: Option<bool>,
    /// Values of the names in it, under the first alternative.
    pub values: Vec<(String, Option<f64>)>,
    /// Reason why it cannot be decided.
    pub why: Option<String>,
    /// Commands of the runs in it.
    pub commands: Vec<String>,
}

/// A number of the paper and ours.
#[derive(Debug, Clone)]
pub struct JudgedNumber {
    /// The quantity in words.
    pub says: String,
    /// Value in the paper, if it gives one.
    pub paper: Option<f64>,
    /// Value here under each alternative; `None` where it is not known.
    pub here: Vec<Option<f64>>,
    /// True if it is within its tolerance; `None` if it is not judged.
    pub agrees: Option<bool>,
}

/// Verdict on a study and its reasons.
#[derive(Debug, Clone)]
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// Claims.
    pub claims: Vec<JudgedClaim>,
    /// Numbers.
    pub numbers: Vec<JudgedNumber>,
}

/// Judges a study by its results.
pub fn judge(study: &Study, size: Size, found: &Found) -> Judgement {
    let mut alternatives: Vec<&str> = study.alternatives.iter().map(|alternative| alternative.name.as_str()).collect();
    if alternatives.is_empty() {
        alternatives.push("");
    }
    let trials = study.trials(size).unwrap_or_default();
    let commands = |claim: &Claim| {
        let mut runs: Vec<&str> = claim.names().map(|name| split(name).0).collect();
        runs.sort_unstable();
        runs.dedup();
        let of = |run: &&str| trials.iter().find_map(|trial| trial.command(run));
        runs.iter().filter_map(of).collect()
    };
    let claims: Vec<JudgedClaim> = (study.claims.iter())
        .map(|stated| {
            let says = stated.says.clone();
            let Some(formula) = &stated.holds else {
                return JudgedClaim { says, why: stated.missing.clone(), ..JudgedClaim::default() };
            };
            let of = |alternative: &&str| formula.value(&|name| found.value(alternative, name));
            let outcomes: Vec<_> = alternatives.iter().map(of).collect();
            let (holds, why) = agreed(&alternatives, &outcomes);
            JudgedClaim {
                says,
                formula: formula.to_string(),
                holds,
                values: formula.names().map(|name| (name.to_string(), found.value(alternatives[0], name))).collect(),
                why,
                commands: commands(formula),
            }
        })
        .collect();
    let numbers: Vec<JudgedNumber> = (study.numbers.iter())
        .map(|number| {
            let of = |alternative: &&str| number.here.value(&|name| found.value(alternative, name)).ok();
            let here: Vec<Option<f64>> = alternatives.iter().map(of).collect();
            let near = |paper: f64, within: f64| {
                here.iter().flatten().any(|here| (here - paper).abs() <= within * paper.abs())
            };
            let agrees = number.within.zip(number.paper).map(|(within, paper)| near(paper, within));
            JudgedNumber { says: number.says.clone(), paper: number.paper, here, agrees }
        })
        .collect();
    Judgement { verdict: verdict(&claims, &numbers), claims, numbers }
}

/// Returns whether a claim holds, if that does not depend on the alternative; else the reason.
fn agreed(alternatives: &[&str], outcomes: &[Result<f64, ClaimError>]) -> (Option<bool>, Option<String>) {
    if let Some(error) = outcomes.iter().find_map(|outcome| outcome.as_ref().err()) {
        return (None, Some(error.to_string()));
    }
    let holds = |outcome: &Result<f64, _>| outcome.as_ref().is_ok_and(|value: &f64| *value != 0.0);
    let first = outcomes.first().is_some_and(holds);
    if outcomes.iter().all(|outcome| holds(outcome) == first) {
        return (Some(first), None);
    }
    let told = |(name, outcome): (&&str, &Result<f64, _>)| {
        format!("{} with {name}", if holds(outcome) { "holds" } else { "fails" })
    };
    (None, Some(alternatives.iter().zip(outcomes).map(told).collect::<Vec<_>>().join(", ")))
}

fn verdict(claims: &[JudgedClaim], numbers: &[JudgedNumber]) -> Verdict {
    if claims.iter().any(|claim| claim.holds == Some(false)) {
        Verdict::Fails
    } else if claims.is_empty() || claims.iter().any(|claim| claim.holds.is_none()) {
        Verdict::Undecided
    } else if numbers.iter().all(|number| number.agrees != Some(false)) {
        Verdict::Reproduced
    } else {
        Verdict::Holds
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quantities::Quantities;

    fn study(claim: &str, more: &str) -> Study {
        let text = format!(
            "title = \"t\"\nplace = \"figure 1\"\nsays = \"s\"\n{more}\n[[damping]]\nmethod = \"backward-euler\"\n\
             [[claim]]\nsays = \"c\"\nholds = \"{claim}\"\n[[number]]\nsays = \"peak\"\npaper = 0.8\n\
             here = \"{{backward-euler: damping peak}}\"\nwithin = 0.1\n"
        );
        toml::from_str(&text).unwrap()
    }

    fn found(values: &[(&str, f64)]) -> Found {
        let mut found = Found::default();
        for (alternative, peak) in values {
            let quantities =
                Quantities { values: [("damping peak".to_string(), *peak)].into(), ..Quantities::default() };
            found.runs.insert((alternative.to_string(), "backward-euler".to_string()), quantities);
        }
        found
    }

    fn verdict_of(study: &Study, values: &[(&str, f64)]) -> Verdict {
        judge(study, Size::Quick, &found(values)).verdict
    }

    #[test]
    fn verdicts_follow_from_claims_and_numbers() {
        let lively = study("{backward-euler: damping peak} > 0.5", "");
        assert_eq!(verdict_of(&lively, &[("", 0.81)]), Verdict::Reproduced);
        assert_eq!(verdict_of(&lively, &[("", 1.5)]), Verdict::Holds, "the number is off");
        assert_eq!(verdict_of(&lively, &[("", 0.3)]), Verdict::Fails);
        assert_eq!(verdict_of(&lively, &[]), Verdict::Undecided, "nothing ran");
        let turned = study("{backward-euler: damping peak} <= 0.5", "");
        assert_eq!(verdict_of(&turned, &[("", 0.81)]), Verdict::Fails);
    }

    #[test]
    fn readings_that_disagree_leave_a_study_undecided() {
        let readings = "[[alternative]]\nname = \"a\"\nset = { }\n[[alternative]]\nname = \"b\"\nset = { }";
        let study = study("{backward-euler: damping peak} > 0.5", readings);
        assert_eq!(verdict_of(&study, &[("a", 0.8), ("b", 0.8)]), Verdict::Reproduced);
        assert_eq!(verdict_of(&study, &[("a", 0.3), ("b", 0.3)]), Verdict::Fails);
        let judged = judge(&study, Size::Quick, &found(&[("a", 0.8), ("b", 0.3)]));
        assert_eq!(judged.verdict, Verdict::Undecided);
        assert_eq!(judged.claims[0].why.as_deref(), Some("holds with a, fails with b"));
    }

    #[test]
    fn a_claim_without_a_formula_leaves_a_study_undecided_unless_another_fails() {
        let open = "[[claim]]\nsays = \"d\"\nmissing = \"the masses\"";
        let study = study("{backward-euler: damping peak} > 0.5", open);
        let judged = judge(&study, Size::Quick, &found(&[("", 0.81)]));
        assert_eq!(judged.verdict, Verdict::Undecided);
        assert_eq!(judged.claims[0].why.as_deref(), Some("the masses"));
        assert_eq!(verdict_of(&study, &[("", 0.3)]), Verdict::Fails);
    }
}
