//! `eigenspan denoise METHOD NOISY --train CLEAN`: noise taken out by a model of clean rows.

use eigenspan::Context;
use eigenspan_io::{Input, Output};
use eigenspan_report::job::{self, DenoiseJob};
use eigenspan_report::results::RowsFile;
use eigenspan_report::subject::{Fitting, Rows, Subject};
use eigenspan_report::{JobError, json, text};

use crate::args::denoise::Denoise;
use crate::console::Console;
use crate::outputs::{Outputs, path_of};

pub(crate) fn run(ctx: &Context, console: &Console, args: &Denoise) -> Result<(), JobError> {
    let (by, noisy) = (&args.by, &args.by.around);
    let read = noisy.data.reading.options(by.method.seed());
    let train = Input::from_paths(std::slice::from_ref(&noisy.train));
    let job = DenoiseJob {
        clean: Subject::to_fit(
            Rows::file(train, read.clone()),
            Fitting::new(by.method.clone(), by.explicit),
        ),
        noisy: Rows::file(noisy.data.input(), read),
        pre_image: noisy.pre_image.0,
        file: RowsFile::new(Output::new(&noisy.output)),
    };
    let output = &job.file.output;
    let before = Outputs::before(path_of(output));
    let written = job::denoise(ctx, &job)?;
    let done = &written.value;
    let shown = match console.json {
        true => {
            let mut object = json::denoised(done, console.seconds(), &output.name());
            object["notes"] = console.texts(&done.notes);
            before.note_in(&mut object);
            format!("{object:#}\n")
        }
        false => text::denoise::denoised(done),
    };
    console.verbose_table(&done.table);
    // The rows go to standard output, so the summary goes to standard error.
    if *output == Output::Stdout {
        console.talk(shown.trim_end());
    } else {
        console.result(&shown)?;
    }
    console.notes(&done.notes);
    if !console.json && *output != Output::Stdout {
        console.talk(&before.written(&written.outputs));
    }
    Ok(())
}
