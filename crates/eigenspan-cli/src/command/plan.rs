//! `eigenspan plan METHOD DATA`: what would run, and why.

use eigenspan::Context;
use eigenspan_report::job::{self, FitJob};
use eigenspan_report::{Heading, JobError, json, text};

use crate::args::Plan;
use crate::console::Console;

pub(crate) fn run(ctx: &Context, console: &Console, args: &Plan) -> Result<(), JobError> {
    let by = &args.by;
    let read = by.around.reading.options(by.method.seed());
    let job = FitJob::new(by.around.input(), read, by.method.clone(), by.explicit);
    let (table, plan, notes) = job::plan(ctx, &job)?;
    let heading = Heading::from_table(&table);
    let data = table.memory(ctx);
    if console.json {
        return console.object(&json::plan(by.name, &heading, &plan, data, &notes));
    }
    console.verbose_table(&table);
    console.result(&text::plan(&heading, &plan, data))?;
    console.notes(&notes);
    Ok(())
}
