//! The list of figures: their names, what each shows, and what it needs.

/// A figure that `plot` draws.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FigureKind {
    /// Shares of the variance by component.
    Scree,
    /// Scores of the rows on two components.
    Scores,
    /// Rows and columns in one picture.
    Biplot,
    /// Correlations of columns with two components.
    Circle,
    /// Loadings of the components, as bars.
    Loadings,
    /// Loadings of all components, as a heat map.
    Heatmap,
    /// The contribution of each column to a component.
    Contributions,
    /// How much of each column a component shows (cos²).
    Cos2,
    /// The reconstruction error with k components.
    Reconstruction,
    /// Outliers: T² against Q.
    Outliers,
    /// Scores on all pairs of the first components.
    Pairs,
    /// Components as pictures, for rows that are pictures.
    Pictures,
    /// Principal directions beside random ones.
    Directions,
}

impl FigureKind {
    /// Every figure, with its name and a description.
    pub const ALL: [(FigureKind, &'static str, &'static str); 13] = [
        (
            FigureKind::Scree,
            "scree",
            "how many components: their shares, and what rules say",
        ),
        (FigureKind::Scores, "scores", "rows on two components"),
        (
            FigureKind::Biplot,
            "biplot",
            "rows and columns in one picture",
        ),
        (
            FigureKind::Circle,
            "circle",
            "correlations of columns with two components",
        ),
        (
            FigureKind::Loadings,
            "loadings",
            "what components are made of, as bars",
        ),
        (
            FigureKind::Heatmap,
            "heatmap",
            "what components are made of, all columns at once",
        ),
        (
            FigureKind::Contributions,
            "contributions",
            "what each column adds to a component",
        ),
        (
            FigureKind::Cos2,
            "cos2",
            "how much of each column a component shows",
        ),
        (
            FigureKind::Reconstruction,
            "reconstruction",
            "what is lost with k components",
        ),
        (
            FigureKind::Outliers,
            "outliers",
            "rows unlike the rest: T² against Q",
        ),
        (
            FigureKind::Pairs,
            "pairs",
            "pairs of the first five components",
        ),
        (
            FigureKind::Pictures,
            "pictures",
            "components of pictures as pictures",
        ),
        (
            FigureKind::Directions,
            "directions",
            "what principal directions keep of the variance, and what random ones",
        ),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        let entry = FigureKind::ALL.iter().find(|(kind, ..)| *kind == self);
        entry.map_or("figure", |(_, name, _)| *name)
    }

    /// The figure of this name.
    pub fn named(name: &str) -> Option<FigureKind> {
        let entry = FigureKind::ALL.iter().find(|(_, known, _)| *known == name);
        entry.map(|(kind, ..)| *kind)
    }

    /// Whether the figure shows rows, which a model does not contain.
    pub fn needs_rows(self) -> bool {
        matches!(
            self,
            FigureKind::Scores
                | FigureKind::Biplot
                | FigureKind::Outliers
                | FigureKind::Pairs
                | FigureKind::Directions
        )
    }
}
