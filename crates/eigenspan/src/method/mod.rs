//! 5. Fitted models: one file or folder per method, with its options on top, the fit in the middle, the model below.
//!
//! [`contract`] has the traits of methods, [`registry`] the one list of methods, [`record`] the contents of a model file.

mod by_rows;
mod chosen;
pub mod contract;
pub mod diffusion;
pub mod eigenmap;
pub mod isomap;
mod kept;
pub mod kernel_pca;
mod labels;
pub mod laplacian;
pub mod lda;
pub mod lle;
mod map_measures;
pub mod mds;
pub mod measure;
pub mod pca;
pub mod predict;
mod project;
mod proven;
pub mod qda;
pub mod random_projection;
pub mod record;
pub mod registry;
pub mod select;

pub use chosen::Chosen;
pub use contract::{Fitted, Method, MethodOptions, Rebuilds, Training};
pub use diffusion::{DiffusionMap, DiffusionOptions};
pub use eigenmap::Eigenmap;
pub use isomap::{Eigenvalues, Isomap, IsomapOptions};
pub use kernel_pca::{
    Basis, Inverted, KernelPca, KernelPcaOptions, KernelPcaParts, PreImage, PreImageOptions,
    PreImages, SpectrumError,
};
pub use laplacian::{Affinity, Laplacian, LaplacianOptions};
pub use lda::{Lda, LdaOptions, LdaSolver, Shrinkage};
pub use lle::{HessianWeights, Lle, LleOptions, Variant};
pub use map_measures::{MapEstimate, MapMeasures, MapOf};
pub use mds::{Criterion, Distances, MdsOptions, Scaling, Start, Stress};
pub use pca::{GrowingPca, Imputer, Like, Names, Pca, PcaOptions, PcaParts, Retain};
pub use qda::{Qda, QdaOptions};
pub use random_projection::{
    Distortion, Entries, KeptByDirections, RandomProjection, RandomProjectionOptions,
    johnson_lindenstrauss_size,
};
pub use select::{ColumnFate, Fate, Rule, SelectOptions, Selection};
