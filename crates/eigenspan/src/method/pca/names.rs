//! Names of components: PC1, or the names that another program uses.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Names of components.
///
/// ```
/// use eigenspan::method::Names;
///
/// let second = [Names::Pc, Names::Pca, Names::Dim, Names::Component].map(|names| names.component(1));
/// assert_eq!(second, ["PC2", "pca1", "Dim.2", "Component 2"]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Names {
    /// PC1, PC2, …, as in R's prcomp
    #[default]
    #[serde(rename = "PC")]
    #[cfg_attr(feature = "clap", value(name = "PC"))]
    Pc,
    /// pca0, pca1, …, as scikit-learn's get_feature_names_out
    #[serde(rename = "pca")]
    #[cfg_attr(feature = "clap", value(name = "pca"))]
    Pca,
    /// Dim.1, Dim.2, …, as in FactoMineR
    #[serde(rename = "Dim")]
    #[cfg_attr(feature = "clap", value(name = "Dim"))]
    Dim,
    /// Component 1, Component 2, …, as in SPSS
    #[serde(rename = "Component")]
    #[cfg_attr(feature = "clap", value(name = "Component"))]
    Component,
}

impl Names {
    /// The name of component i, counted from 0.
    pub fn component(self, i: usize) -> String {
        match self {
            Names::Pc => format!("PC{}", i + 1),
            Names::Pca => format!("pca{i}"),
            Names::Dim => format!("Dim.{}", i + 1),
            Names::Component => format!("Component {}", i + 1),
        }
    }

    /// The names of the first k components.
    pub fn first(self, k: usize) -> Vec<String> {
        (0..k).map(|i| self.component(i)).collect()
    }
}
