//! `eigenspan describe MODEL|DATA`: what is in a model, and the command that made it; or what the columns of a table hold.

use std::path::Path;

use eigenspan::Context;
use eigenspan_io::Input;
use eigenspan_io::model::Model;
use eigenspan_report::describe;
use eigenspan_report::subject::{ModelFrom, Rows, Subject};
use eigenspan_report::{JobError, json, text};
use serde_json::json;

use crate::args::Describe;
use crate::console::Console;

pub(crate) fn run(ctx: &Context, console: &Console, args: &Describe) -> Result<(), JobError> {
    match args.data.as_slice() {
        [path] if Model::is_model_file(path) => model(console, path),
        _ => data(ctx, console, args),
    }
}

fn data(ctx: &Context, console: &Console, args: &Describe) -> Result<(), JobError> {
    let read = args.reading.options(args.seed.seed);
    let rows = Rows::file(Input::from_paths(&args.data), read);
    let (rows, description) = describe::describe(ctx, &rows)?;
    if console.json {
        let mut object = json!(description);
        object["notes"] = console.texts(&description.notes);
        return console.object(&object);
    }
    console.verbose_table(&rows.table);
    console.result(&describe::text(&description, "--json"))?;
    for warning in &description.warnings {
        console.talk(&format!("note: {}", warning.sentence()));
    }
    console.notes(&description.notes);
    Ok(())
}

fn model(console: &Console, path: &Path) -> Result<(), JobError> {
    let subject = Subject {
        rows: None,
        model: ModelFrom::File(path.to_owned()),
    };
    let model = describe::model(&subject)?;
    if console.json {
        let mut object = json::describe(&model);
        object["notes"] = console.texts(model.fitted.common().notes);
        return console.object(&object);
    }
    console.result(&text::describe(&model))?;
    console.notes(model.fitted.common().notes);
    Ok(())
}
