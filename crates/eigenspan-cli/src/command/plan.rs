//! `eigenspan plan METHOD DATA`: what would run, and why.

use eigenspan::Context;
use eigenspan_report::job::{self, FitJob};
use eigenspan_report::kernel_job::{self, KernelFitJob};
use eigenspan_report::{JobError, json, text};

use crate::args::kernel::PlanKpca;
use crate::args::{Look, Plan, PlanMethod};
use crate::console::Console;

pub(crate) fn run(ctx: &Context, console: &Console, plan: &Plan) -> Result<(), JobError> {
    let (method, (table, plan, notes)) = match &plan.method {
        PlanMethod::Pca(args) => ("pca", job::plan(ctx, &job_of(args))?),
        PlanMethod::Kpca(args) => ("kpca", kernel_job::plan(ctx, &kernel_job_of(args))?),
    };
    let heading = job::heading(&table);
    let data = table.memory(ctx);
    if console.json {
        return console.object(&json::plan(method, &heading, &plan, data, &notes));
    }
    console.verbose_table(&table);
    console.result(&text::plan(&heading, &plan, data))?;
    console.notes(&notes);
    Ok(())
}

fn job_of(args: &Look) -> FitJob {
    let options = args.pca.options.clone();
    let read = args.data.reading.options(options.seed);
    FitJob::new(args.data.input(), read, options, args.pca.asked)
}

fn kernel_job_of(args: &PlanKpca) -> KernelFitJob {
    let options = args.kernel.options();
    let read = args.data.reading.options(options.seed);
    KernelFitJob::new(args.data.input(), read, options)
}
