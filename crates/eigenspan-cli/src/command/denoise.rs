//! `eigenspan denoise METHOD NOISY --train CLEAN`: noise taken out by a model of clean rows.

use eigenspan::Context;
use eigenspan_io::{Input, Output};
use eigenspan_report::project::denoise::{self, DenoiseJob};
use eigenspan_report::{JobError, json, text};

use crate::args::denoise::Denoise;
use crate::console::Console;
use crate::outputs::{Outputs, path_of};

pub(crate) fn run(ctx: &Context, console: &Console, args: &Denoise) -> Result<(), JobError> {
    let (by, noisy) = (&args.by, &args.by.around);
    let job = DenoiseJob {
        noisy: noisy.data.input(),
        train: Input::from_paths(std::slice::from_ref(&noisy.train)),
        read: noisy.data.reading.options(by.method.seed()),
        method: by.method.clone(),
        explicit: by.explicit,
        pre_image: noisy.pre_image.0,
        output: Output::new(&noisy.output),
    };
    let before = Outputs::before(path_of(&job.output));
    let done = denoise::denoise(ctx, &job)?;
    let shown = match console.json {
        true => {
            let mut object = json::denoised(&done, console.seconds(), &job.output.name());
            object["notes"] = console.texts(&done.notes);
            before.note_in(&mut object);
            format!("{object:#}\n")
        }
        false => text::denoise::denoised(&done),
    };
    console.verbose_table(&done.table);
    // The rows go to standard output, so the summary goes to standard error.
    if job.output == Output::Stdout {
        console.talk(shown.trim_end());
    } else {
        console.result(&shown)?;
    }
    console.notes(&done.notes);
    if !console.json && job.output != Output::Stdout {
        console.talk(&before.written(&[job.output.name()]));
    }
    Ok(())
}
