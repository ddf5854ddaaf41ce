//! 5. Fitted models: one file or folder per method, with its options on top, the fit in the middle, the model below.

mod chosen;
pub mod kernel_pca;
pub mod pca;

pub use chosen::Chosen;
pub use kernel_pca::{
    Basis, Inverted, KernelPca, KernelPcaOptions, KernelPcaParts, PreImage, PreImageOptions,
    PreImages, SpectrumError,
};
pub use pca::{GrowingPca, Imputer, Like, Names, Pca, PcaOptions, PcaParts, Retain};
