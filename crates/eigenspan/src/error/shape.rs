//! Sizes that do not fit together: a list whose length differs from its table's, a matrix of the wrong shape.

/// Why numbers were refused because of their count or shape: the given size, and the size that is needed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ShapeFault {
    /// Elements of a matrix that are more or fewer than its shape needs.
    #[error("{given} elements do not make a {n_rows} × {n_cols} matrix")]
    Elements {
        /// Elements given.
        given: usize,
        /// Rows of the matrix.
        n_rows: usize,
        /// Columns of the matrix.
        n_cols: usize,
    },
    /// A view whose strides lead outside the elements.
    #[error("a {n_rows} × {n_cols} view reaches outside its {given} elements")]
    View {
        /// Elements given.
        given: usize,
        /// Rows of the view.
        n_rows: usize,
        /// Columns of the view.
        n_cols: usize,
    },
    /// Numbers of a stored scatter that are more or fewer than its columns need.
    #[error("{given} numbers do not make a scatter of {n_cols} columns")]
    Scatter {
        /// Numbers given.
        given: usize,
        /// Columns of the scatter.
        n_cols: usize,
    },
    /// Variances of columns, more or fewer than there are columns.
    #[error("{given} variances given for {n_cols} columns")]
    Variances {
        /// Variances given.
        given: usize,
        /// Columns of the model.
        n_cols: usize,
    },
    /// A column beside the table that is longer or shorter than the table.
    #[error("column {column:?} has {given} values, but the table has {n_rows} rows")]
    Column {
        /// The column's name.
        column: String,
        /// Its values.
        given: usize,
        /// Rows of the table.
        n_rows: usize,
    },
    /// Fewer rows read than a set of rows names.
    #[error("{} asked for, but the table has only {found} of them", super::counted(*.asked, "row"))]
    Rows {
        /// Rows asked for.
        asked: usize,
        /// Those that the table has.
        found: usize,
    },
    /// Labels that are more or fewer than the rows.
    #[error("{given} labels given for {}", super::counted(*.n_rows, "row"))]
    Labels {
        /// Labels given.
        given: usize,
        /// Rows of the table.
        n_rows: usize,
    },
    /// Folds of another number of rows.
    #[error("folds of {given} rows were given for {n_rows}")]
    Folds {
        /// Rows that the folds divide.
        given: usize,
        /// Rows of the table.
        n_rows: usize,
    },
    /// Classes that are not one for every training row, or not below the number of classes.
    #[error("{given} classes of {n_classes} kinds were given for {n_rows} rows")]
    Classes {
        /// Classes given.
        given: usize,
        /// The number of different classes.
        n_classes: usize,
        /// Training rows.
        n_rows: usize,
    },
    /// Rows from which a pre-image starts, of another shape than the pre-images.
    #[error(
        "{} × {} cells to start from were given for {} rows of {} columns",
        .given.0, .given.1, .expected.0, .expected.1
    )]
    Start {
        /// Rows and columns given.
        given: (usize, usize),
        /// Rows and columns of the pre-images.
        expected: (usize, usize),
    },
    /// Limits of T² and Q for another number of components than the distances of the rows are for.
    #[error(
        "limits for {asked} components asked for, but the distances of the rows are for {given}"
    )]
    Limits {
        /// Components that the limits are for.
        asked: usize,
        /// Components with which the rows' distances were computed.
        given: usize,
    },
}
