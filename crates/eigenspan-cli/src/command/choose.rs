//! `eigenspan choose DATA`: how many components to keep, by every rule, and which to believe.

use eigenspan::Context;
use eigenspan::choose::ChooseOptions;
use eigenspan_report::JobError;
use eigenspan_report::choose::{self, Advised, ChooseJob};
use eigenspan_report::subject::Rows;

use super::look::fit_command;
use crate::args::Choose;
use crate::console::Console;

pub(crate) fn run(ctx: &Context, console: &Console, args: &Choose) -> Result<(), JobError> {
    if args.pca.explicit.n_components {
        return Err(JobError::Usage {
            what: "-k says how many components to keep, which is what choose is asked".to_owned(),
            advice: "leave -k away, or fit that many: eigenspan fit pca".into(),
        });
    }
    let seed = args.pca.options.seed;
    let advised = choose::choose(
        ctx,
        &ChooseJob {
            rows: Rows::file(args.data.input(), args.data.reading.options(seed)),
            options: args.pca.options.clone(),
            explicit: args.pca.explicit,
            rules: ChooseOptions {
                seed,
                ..args.rules.clone()
            },
        },
    )?;
    if console.json {
        let mut object = choose::json(&advised);
        object["notes"] = console.texts(&advised.notes);
        return console.object(&object);
    }
    console.verbose_table(&advised.rows.table);
    let next = next(console, args, &advised);
    console.result(&choose::text(&advised, &next, Console::width()))?;
    console.notes(&advised.notes);
    Ok(())
}

/// The command that fits with the recommended number, if there is one.
fn next(console: &Console, args: &Choose, advised: &Advised) -> Vec<String> {
    let advised = advised.chosen.choices.consensus.k.filter(|k| *k > 0);
    let command = advised.and_then(|k| fit_command(console, &args.data, k));
    command.into_iter().collect()
}
