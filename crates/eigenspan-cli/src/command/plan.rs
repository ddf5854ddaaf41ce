//! `eigenspan plan METHOD DATA`: what would run, and why.

use eigenspan::Context;
use eigenspan_report::subject::{Fitting, Rows, Subject};
use eigenspan_report::{Heading, JobError, fit, json, text};

use crate::args::Plan;
use crate::console::Console;

pub(crate) fn run(ctx: &Context, console: &Console, args: &Plan) -> Result<(), JobError> {
    let by = &args.by;
    let read = by.around.reading.options(by.method.seed());
    let fitting = Fitting::new(by.method.clone(), by.explicit);
    let subject = Subject::to_fit(Rows::file(by.around.input(), read), fitting);
    let (rows, plan, notes) = fit::plan(ctx, &subject)?;
    let heading = Heading::from_table(&rows.table);
    let data = rows.table.memory(ctx);
    if console.json {
        let mut object = json::plan(by.name, &heading, &plan, data, &notes);
        object["notes"] = console.texts(&notes);
        return console.object(&object);
    }
    console.verbose_table(&rows.table);
    console.result(&text::plan(&heading, &plan, data))?;
    console.notes(&notes);
    Ok(())
}
