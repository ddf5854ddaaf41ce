//! `eigenspan neighbors DATA`: the nearest rows of every row, as a graph.

use eigenspan::Context;
use eigenspan_io::Output;
use eigenspan_report::JobError;
use eigenspan_report::neighbors::{self, NeighborsJob};
use eigenspan_report::results::GraphFile;
use eigenspan_report::subject::Rows;

use crate::args::neighbors::NeighborsArgs;
use crate::console::Console;
use crate::outputs::Outputs;

pub(crate) fn run(ctx: &Context, console: &Console, args: &NeighborsArgs) -> Result<(), JobError> {
    let before = Outputs::before(&args.output);
    let output = args.output.as_ref().map(Output::new);
    let to_stdout = output == Some(Output::Stdout);
    let job = NeighborsJob {
        rows: Rows::file(
            args.data.input(),
            args.data.reading.options(args.search.seed),
        ),
        options: args.search.clone(),
        graph: args.graph,
        values: args.mode,
        file: output.map(|output| GraphFile { output }),
    };
    let found = neighbors::neighbors(ctx, &job)?;
    let shown = match console.json {
        true => {
            let mut object = neighbors::json(&found, console.seconds());
            object["notes"] = console.texts(&found.notes);
            before.note_in(&mut object);
            format!("{object:#}\n")
        }
        false => neighbors::text(&found, Console::width()),
    };
    console.verbose_table(&found.rows.table);
    // The graph goes to standard output, so the summary goes to standard error.
    match to_stdout {
        true => console.talk(shown.trim_end()),
        false => console.result(&shown)?,
    }
    console.notes(&found.notes);
    if !console.json && !to_stdout && !found.outputs.is_empty() {
        console.talk(&before.written(&found.outputs));
    }
    Ok(())
}
