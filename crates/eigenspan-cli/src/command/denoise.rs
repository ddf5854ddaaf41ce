//! `eigenspan denoise METHOD NOISY --train CLEAN`: noise taken out by a model of clean rows.

use eigenspan::Context;
use eigenspan_io::{Input, Output};
use eigenspan_report::project::denoise::{self, By, DenoiseJob};
use eigenspan_report::{JobError, json, text};

use crate::args::denoise::{Denoise, DenoiseMethod, Noisy};
use crate::console::Console;
use crate::outputs::{Outputs, path_of};

pub(crate) fn run(ctx: &Context, console: &Console, args: &Denoise) -> Result<(), JobError> {
    let job = match &args.method {
        DenoiseMethod::Pca(args) => {
            let (options, asked) = (args.pca.options.clone(), args.pca.asked);
            job_of(&args.noisy, options.seed, By::Pca { options, asked })
        }
        DenoiseMethod::Kpca(args) => {
            let (options, pre_image) = (args.kernel.options(), args.pre_image);
            job_of(
                &args.noisy,
                options.seed,
                By::KernelPca { options, pre_image },
            )
        }
    };
    let before = Outputs::before(path_of(&job.output));
    let done = denoise::denoise(ctx, &job)?;
    let shown = match console.json {
        true => {
            let mut object = json::denoised(&done, console.seconds(), &job.output.name());
            before.note_in(&mut object);
            format!("{object:#}\n")
        }
        false => text::denoise::denoised(&done),
    };
    console.verbose_table(&done.table);
    // Standard output is taken by the rows: what there is to say becomes talk.
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

fn job_of(args: &Noisy, seed: u64, by: By) -> DenoiseJob {
    DenoiseJob {
        noisy: args.data.input(),
        train: Input::of(std::slice::from_ref(&args.train)),
        read: args.data.reading.options(seed),
        by,
        output: Output::new(&args.output),
    }
}
