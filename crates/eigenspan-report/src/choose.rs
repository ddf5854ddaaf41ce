//! `choose`: how many components of a table to keep. Every rule gives a number, and a consensus says which rules to believe.

use eigenspan::choose::{Advice, ChooseOptions};
use eigenspan::method::Chosen;
use eigenspan::{Context, Note, PcaOptions};
use eigenspan_io::Numbers;
use serde_json::{Value, json};

use crate::JobError;
use crate::explicit::Explicit;
use crate::fit::{explain, refuse_missing};
use crate::heading::Heading;
use crate::pca;
use crate::subject::{OpenRows, Rows};
use crate::words::wrapped;

/// A request to choose the number of components.
#[derive(Debug, Clone)]
pub struct ChooseJob {
    /// The data.
    pub rows: Rows,
    /// The PCA whose components are counted; its own `n_components` is ignored.
    pub options: PcaOptions,
    /// Which options of the PCA were given and must not be guessed from the data.
    pub explicit: Explicit,
    /// Options of the rules.
    pub rules: ChooseOptions,
}

/// The result of the rules.
#[derive(Debug)]
pub struct Advised {
    /// The data.
    pub rows: OpenRows,
    /// The options of the PCA, resolved for this table.
    pub options: PcaOptions,
    /// The options of the rules that were used.
    pub rules: ChooseOptions,
    /// What each rule chose, and the consensus.
    pub chosen: Chosen,
    /// Notes from reading the data and from running the rules.
    pub notes: Vec<Note>,
}

/// Runs every rule.
pub fn choose(ctx: &Context, job: &ChooseJob) -> Result<Advised, JobError> {
    let rows = job.rows.open(ctx)?;
    let (options, _, note) = pca::resolve_options(&rows.table, &job.options, job.explicit);
    refuse_missing(&rows.table, options.missing)?;
    let chosen = match rows.numbers(ctx) {
        Numbers::F32(source) => options.choose(ctx, source, &job.rules),
        Numbers::F64(source) => options.choose(ctx, source, &job.rules),
    };
    let chosen = chosen.map_err(|error| explain(ctx, &options, &rows, error))?;
    let read = rows.table.notes().iter().chain(&note);
    let notes = read.chain(&chosen.notes).cloned().collect();
    Ok(Advised {
        rows,
        options,
        rules: job.rules.clone(),
        chosen,
        notes,
    })
}

/// One line per rule, the recommended number with its reason, and the commands to type next; lines are at most `width` wide.
pub fn text(advised: &Advised, next: &[String], width: usize) -> String {
    let choices = &advised.chosen.choices;
    let mut out = Heading::from_table(&advised.rows.table).line(&advised.options.headline());
    out += "\n\n";
    let names = choices
        .advices
        .iter()
        .map(|a| a.rule.name().chars().count());
    let name_width = names.max().unwrap_or(0);
    let counts = choices.advices.iter().map(|a| number(a).chars().count());
    let count_width = counts.max().unwrap_or(1);
    let indent = name_width + count_width + 5;
    for advice in &choices.advices {
        let lines = wrapped(&advice.sentence, width.saturating_sub(indent));
        for (i, line) in lines.iter().enumerate() {
            let (name, k) = match i {
                0 => (advice.rule.name(), number(advice)),
                _ => ("", String::new()),
            };
            out += &format!(" {name:<name_width$}  {k:>count_width$}  {line}\n");
        }
    }
    out.push('\n');
    for line in wrapped(&verdict(advised), width.saturating_sub(1)) {
        out += &format!(" {line}\n");
    }
    if !next.is_empty() {
        out += &format!("\nnext:  {}\n", next.join("      "));
    }
    out
}

/// The number that a rule chose: in parentheses if the consensus ignores it, a dash if the rule gives no number.
pub(crate) fn number(advice: &Advice) -> String {
    match (advice.k, advice.counted()) {
        (Some(k), Some(_)) => k.to_string(),
        (Some(k), None) => format!("({k})"),
        (None, _) => "–".to_owned(),
    }
}

fn verdict(advised: &Advised) -> String {
    let consensus = &advised.chosen.choices.consensus;
    match consensus.k {
        Some(_) => format!("Keep {}.", consensus.sentence),
        None => "No rule has an answer here.".to_owned(),
    }
}

/// The result as JSON, with the numbers that each rule compared.
pub fn json(advised: &Advised) -> Value {
    let Chosen { choices, scree, .. } = &advised.chosen;
    let rules: Vec<Value> = choices.advices.iter().map(rule_json).collect();
    json!({
        "data": advised.rows.table.name(),
        "n_rows": scree.n_rows(),
        "n_cols": scree.n_cols(),
        "center": advised.options.center,
        "scale": advised.options.scale,
        "k": choices.consensus.k,
        "range": choices.consensus.range,
        "sentence": choices.consensus.sentence,
        "why": choices.consensus.why,
        "believed": choices.consensus.believed,
        "disagreeing": choices.consensus.disagreeing,
        "rules": rules,
        "options": advised.rules,
        "eigenvalues": scree.values(),
        "total_variance": scree.total(),
        "notes": advised.notes.iter().map(ToString::to_string).collect::<Vec<_>>(),
    })
}

/// The result of one rule as JSON, with the numbers that it compared.
pub fn rule_json(advice: &Advice) -> Value {
    json!({
        "rule": advice.rule,
        "name": advice.rule.name(),
        "assumes": advice.rule.assumes(),
        "k": advice.k,
        "abstains": advice.abstains,
        "sentence": advice.sentence,
        "detail": advice.detail,
    })
}
