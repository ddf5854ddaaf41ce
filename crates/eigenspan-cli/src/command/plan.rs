//! `eigenspan plan METHOD DATA`: what would run, and why.

use eigenspan::Context;
use eigenspan_report::job::{self, FitJob};
use eigenspan_report::{JobError, json, text};

use crate::args::{Plan, PlanMethod};
use crate::console::Console;

pub(crate) fn run(ctx: &Context, console: &Console, plan: &Plan) -> Result<(), JobError> {
    let PlanMethod::Pca(args) = &plan.method;
    let job = FitJob {
        input: args.data.input(),
        read: args.data.reading.options(args.pca.options.seed),
        options: args.pca.options.clone(),
        asked: args.pca.asked,
        model: None,
        scores: None,
        keep: Vec::new(),
        command: None,
    };
    let (table, plan, notes) = job::plan(ctx, &job)?;
    let heading = job::heading(&table);
    if console.json {
        return console.object(&json::plan(&heading, &plan, &notes));
    }
    console.verbose_table(&table);
    console.result(&text::plan(&heading, &plan))?;
    console.notes(&notes);
    Ok(())
}
