//! `cargo xtask test`: the steps in their order, up to the first that fails.

use std::time::Instant;

use crate::shell::Shell;
use crate::steps::{self, Outcome, Step};

/// Runs all steps, or those named.
pub(crate) fn run(shell: &Shell, names: &[String]) -> Result<(), String> {
    let steps = pick(names)?;
    let start = Instant::now();
    let mut passed = 0;
    let mut skipped = Vec::new();
    for step in &steps {
        shell.heading(&format!("{}: {}", step.name, step.what));
        match (step.run)(shell) {
            Ok(Outcome::Passed) => passed += 1,
            Ok(Outcome::Skipped(why)) => {
                println!("skipped: {why}");
                skipped.push(format!("{}: {why}", step.name));
            }
            Err(why) => {
                return Err(format!(
                    "step `{}` failed after {passed} passed: {why}\nto run it alone: cargo xtask test {}",
                    step.name, step.name
                ));
            }
        }
    }
    shell.heading(&summary(passed, &skipped, start.elapsed().as_secs()));
    // The plain line that other programs look for.
    println!(
        "steps: {passed} passed, 0 failed, {} skipped",
        skipped.len()
    );
    Ok(())
}

/// The steps of those names, in their own order; all without names.
fn pick(names: &[String]) -> Result<Vec<&'static Step>, String> {
    for name in names {
        if !steps::ALL.iter().any(|step| step.name == name) {
            let known: Vec<_> = steps::ALL.iter().map(|step| step.name).collect();
            return Err(format!(
                "there is no step `{name}`; the steps are {}",
                known.join(", ")
            ));
        }
    }
    let wanted = |step: &&Step| names.is_empty() || names.iter().any(|name| name == step.name);
    Ok(steps::ALL.iter().filter(wanted).collect())
}

fn summary(passed: usize, skipped: &[String], seconds: u64) -> String {
    let skipped = match skipped {
        [] => String::new(),
        some => format!(", {} skipped ({})", some.len(), some.join("; ")),
    };
    format!("{passed} passed{skipped}, none failed, in {seconds} s")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_names_every_step_runs() {
        assert_eq!(pick(&[]).map(|steps| steps.len()), Ok(steps::ALL.len()));
    }

    #[test]
    fn named_steps_run_in_the_order_of_the_list() {
        let names = ["tidy".to_owned(), "fmt".to_owned()];
        let picked: Vec<_> = pick(&names)
            .into_iter()
            .flatten()
            .map(|step| step.name)
            .collect();
        assert_eq!(picked, ["fmt", "tidy"]);
    }

    #[test]
    fn an_unknown_step_is_refused_with_the_names_of_all() {
        let why = pick(&["clipy".to_owned()]).err().unwrap_or_default();
        assert!(why.contains("`clipy`") && why.contains("clippy"), "{why}");
    }

    #[test]
    fn the_summary_says_what_was_skipped_and_why() {
        assert_eq!(summary(6, &[], 80), "6 passed, none failed, in 80 s");
        assert_eq!(
            summary(5, &["deny: not installed".to_owned()], 9),
            "5 passed, 1 skipped (deny: not installed), none failed, in 9 s"
        );
    }
}
