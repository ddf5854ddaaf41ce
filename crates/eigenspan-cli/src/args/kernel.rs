//! The options of kernel PCA.

use clap::Args;
use eigenspan::kernel::Kernel;
use eigenspan::{Error, KernelPcaOptions};

use super::{Data, Results};

const FIT_EXAMPLES: &str = "\
Examples:
  eigenspan fit kpca rings.csv -k 2 --kernel rbf -o scores.csv
                                 Gaussian kernel
  eigenspan fit kpca rings.csv -k 2 --gamma median -m rings.safetensors
                                 γ from the median distance of rows
  eigenspan fit kpca rings.csv -k 2 --kernel 'rbf(sigma=0.5)'
                                 exp(−‖x − x'‖² ÷ 2σ²)
  eigenspan fit kpca rings.csv --kernel '0.5*rbf(gamma=0.1) + linear'
                                 sums, products and multiples are kernels too
  eigenspan fit kpca similarities.csv -k 2 --kernel precomputed
                                 the table is the kernel matrix itself
  eigenspan plan kpca rings.csv -k 2
                                 what would run, and why";

/// The option of the library, with the sign that its value needs here.
const SCALE_HELP: &str = "Center every column and divide it by its standard deviation (--scale), by that of an allele count (--scale=genotype), or leave rows as they are (--scale=none)";

/// A kernel PCA: the command line keeps 90 % of the variance unless told otherwise.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Kernel PCA")]
#[command(mut_arg("n_components", |arg| arg.default_value("90%").allow_negative_numbers(true)))]
#[command(mut_arg("kernel", |arg| arg.value_parser(parse_kernel)))]
#[command(mut_arg("scale", |arg| arg.help(SCALE_HELP)))]
#[command(mut_arg("gamma", |arg| arg.allow_negative_numbers(true)))]
pub(crate) struct KernelArgs {
    #[command(flatten)]
    pub(crate) options: KernelPcaOptions,
}

/// A kernel; where its text goes wrong, a mark stands below.
fn parse_kernel(text: &str) -> Result<Kernel, String> {
    text.parse().map_err(|error| match &error {
        Error::KernelText { text, column, .. } if !text.contains(char::is_control) => {
            format!("{error}\n  {text}\n  {:>column$}", "^")
        }
        _ => error.to_string(),
    })
}

#[derive(Debug, Clone, Args)]
#[command(after_help = FIT_EXAMPLES)]
pub(crate) struct FitKpca {
    #[command(flatten)]
    pub(crate) data: Data,

    #[command(flatten)]
    pub(crate) results: Results,

    #[command(flatten)]
    pub(crate) kernel: KernelArgs,
}

#[derive(Debug, Clone, Args)]
#[command(after_help = super::examples::PLAN)]
pub(crate) struct PlanKpca {
    #[command(flatten)]
    pub(crate) data: Data,

    #[command(flatten)]
    pub(crate) kernel: KernelArgs,
}
