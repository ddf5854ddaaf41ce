//! The options of kernel PCA.

use clap::Args;
use eigenspan::kernel::Kernel;
use eigenspan::{Error, KernelPcaOptions};

use super::{Data, Results};

const FIT_EXAMPLES: &str = "\
Examples:
  eigenspan fit kpca rings.csv -k 2 --kernel rbf -o scores.csv
                                 Gaussian kernel, γ from the median distance of rows
  eigenspan fit kpca rings.csv -k 2 --gamma auto -m rings.safetensors
                                 γ = 1 ÷ columns, as scikit-learn
  eigenspan fit kpca rings.csv -k 2 --kernel 'rbf(sigma=0.5)'
                                 exp(−‖x − x'‖² ÷ 2σ²)
  eigenspan fit kpca rings.csv --kernel 'poly(degree=2, gamma=1, coef0=1)'
                                 (xᵀx' + 1)²; without gamma it is 1 ÷ columns
  eigenspan fit kpca rings.csv --kernel '0.5*rbf(gamma=0.1) + linear'
                                 sums, products and multiples are kernels too
  eigenspan fit kpca similarities.csv -k 2 --kernel precomputed
                                 the table is the kernel matrix itself
  eigenspan plan kpca rings.csv -k 2
                                 what would run, and why";

/// The option of the library, with the sign that its value needs here.
const SCALE_HELP: &str = "Center every column and divide it by its standard deviation (--scale), by that of an allele count (--scale=genotype), or leave rows as they are (--scale=none)";

/// The option of the library, with what the command line takes for granted.
const GAMMA_HELP: &str = "Factor γ of kernels that are not told their own: a number, auto (1 ÷ columns), scale (1 ÷ columns × variance) or median (of the distances) [default: median for rbf, auto for others]";

/// A kernel PCA: the command line keeps 90 % of the variance unless told otherwise.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Kernel PCA")]
#[command(mut_arg("n_components", |arg| arg.default_value("90%").allow_negative_numbers(true)))]
#[command(mut_arg("kernel", |arg| arg.value_parser(parse_kernel)))]
#[command(mut_arg("scale", |arg| arg.help(SCALE_HELP)))]
#[command(mut_arg("gamma", |arg| arg.allow_negative_numbers(true).help(GAMMA_HELP)))]
pub(crate) struct KernelArgs {
    #[command(flatten)]
    options: KernelPcaOptions,
}

impl KernelArgs {
    /// What is asked: a Gaussian kernel that is not told its γ takes it from the median distance of rows.
    pub(crate) fn options(&self) -> KernelPcaOptions {
        let mut options = self.options.clone();
        if options.gamma.is_none() {
            options.kernel = options.kernel.with_median_gaussian();
        }
        options
    }
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
