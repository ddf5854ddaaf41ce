//! Every note as a sentence.

use std::fmt;

use super::words::numbered;
use super::{Note, at_most, listed, rounded};
use crate::error::{counted, short, sizes_words};

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Note::ConstantColumns { columns, scaled } => {
                let (is, add) = match columns.len() {
                    1 => ("is", "adds"),
                    _ => ("are", "add"),
                };
                write!(f, "{} {is} constant and {add} nothing", listed(columns))?;
                if *scaled {
                    write!(f, " (left unscaled)")
                } else {
                    Ok(())
                }
            }
            Note::ConstantWithinClasses { columns } => {
                let (is, adds) = match columns.len() {
                    1 => ("is", "it is left out"),
                    _ => ("are", "they are left out"),
                };
                write!(
                    f,
                    "{} {is} constant within every class and not the same in all: differences are measured by the spread within classes, which is 0 there, so {adds}",
                    listed(columns)
                )
            }
            Note::SpanWithinClasses { rank, columns } => write!(
                f,
                "within their classes, rows of {} vary in {} only: discriminants lie in the span of these, and differences between classes outside it are not used",
                counted(*columns, "varying column"),
                counted(*rank, "direction")
            ),
            Note::UnlikeScales {
                component,
                columns,
                largest,
                smallest,
                ratio,
                weight,
                scaled_components,
            } => {
                let only = if *weight > 0.98 { "only" } else { "mostly" };
                let columns = match columns.as_slice() {
                    [] => largest.clone(),
                    columns => listed(columns),
                };
                write!(
                    f,
                    "the variance of {largest} is {} times that of {smallest}, so {component} is {only} {columns}",
                    rounded(*ratio)
                )?;
                match scaled_components {
                    Some(1) => write!(f, "; scaled, 1 component reaches 90 %"),
                    Some(k) => write!(f, "; scaled, {k} components reach 90 %"),
                    None => Ok(()),
                }
            }
            Note::RankBelowK { rank, k } => write!(
                f,
                "only {} {} by more than rounding, so the last {}of {k} components {} nothing",
                counted(*rank, "direction"),
                if *rank == 1 { "varies" } else { "vary" },
                if k - rank == 1 {
                    String::new()
                } else {
                    format!("{} ", k - rank)
                },
                if k - rank == 1 { "means" } else { "mean" },
            ),
            Note::BelowResolution { first, resolution } => write!(
                f,
                "from component {first} on, shares lie below {resolution:.0e}, which squaring the data cannot resolve"
            ),
            Note::NotResolved {
                components,
                residual,
            } => write!(
                f,
                "{} {} not resolved: residuals up to {residual:.0e} of {} own eigenvalue",
                numbered(components),
                if components.len() == 1 { "is" } else { "are" },
                if components.len() == 1 {
                    "its"
                } else {
                    "their"
                },
            ),
            Note::NotProven {
                components,
                residual,
            } => write!(
                f,
                "{} {} too small beside the first for a proof of accuracy: residuals up to {residual:.0e} of {} own eigenvalue",
                numbered(components),
                if components.len() == 1 { "is" } else { "are" },
                if components.len() == 1 {
                    "its"
                } else {
                    "their"
                },
            ),
            Note::NotConverged {
                solver,
                iterations,
                residual,
                tolerance,
            } => write!(
                f,
                "{solver} stopped after {iterations} iterations with residual {residual:.1e} ({tolerance:.1e} was asked for)"
            ),
            Note::Sketched { error } => write!(
                f,
                "computed in one reading from random sketches, with an estimated error of {:.1} % of the first singular value",
                100.0 * error
            ),
            Note::NegativeEigenvalues {
                count,
                smallest,
                largest,
                negative,
            } => {
                let how_many = match count {
                    Some(count) => counted(*count, "negative eigenvalue"),
                    None => "negative eigenvalues".to_owned(),
                };
                let made = match negative.as_str() {
                    "flip" => "their magnitude was taken",
                    "shift" => "the magnitude of the smallest was added to all",
                    _ => "they were set to zero",
                };
                write!(
                    f,
                    "the kernel is not positive semi-definite on these rows: {how_many}, down to {smallest:.3e} (the largest is {largest:.3e}); {made}"
                )
            }
            Note::UnsuitedWidth {
                kernel,
                identity,
                gaussian,
                middle,
                parameter,
                value,
                ..
            } => {
                let number = |x: f64| match x == 0.0 || (1e-3..1e4).contains(&x) {
                    true => format!("{x}"),
                    false => format!("{x:e}"),
                };
                match identity {
                    true => write!(
                        f,
                        "the kernel matrix is nearly the identity: k(x, x') is {} for the middle one of all pairs of rows (1 for a row and itself), so that every row is a component of its own; {kernel} is too narrow for these rows, by their median distance {parameter} would be {}",
                        if *middle < 1e-4 {
                            "below 0.0001".to_owned()
                        } else {
                            format!("{middle:.4}")
                        },
                        number(*value),
                    ),
                    false => write!(
                        f,
                        "the kernel matrix is nearly constant: 1 − k(x, x') is {:.0e} for the middle one of all pairs of rows, so that the kernel hardly distinguishes rows{}; {kernel} is too wide for these rows, by their median distance {parameter} would be {}",
                        1.0 - middle,
                        match gaussian {
                            true => " and finds what PCA finds",
                            false => "",
                        },
                        number(*value),
                    ),
                }
            }
            Note::Approximated {
                how,
                size,
                error,
                above,
                probed,
            } => {
                // Rounded up, so that it stays a bound.
                let percent = format!("{:.2} %", (1e4 * error).ceil() / 100.0);
                let above = match above {
                    Some(above) => format!(
                        ", above them by at most {} of it, by rounding",
                        at_most(*above)
                    ),
                    None => String::new(),
                };
                match (how.as_str(), probed) {
                    ("nystrom", None) => write!(
                        f,
                        "approximated by {}: eigenvalues lie below the exact ones by at most {percent} of the first{above}",
                        counted(*size, "landmark")
                    ),
                    ("nystrom", Some(rows)) => write!(
                        f,
                        "approximated by {}: eigenvalues lie below the exact ones by at most {percent} of the first{above} (from {} drawn to check; such a bound holds in 999 of 1,000 draws)",
                        counted(*size, "landmark"),
                        counted(*rows, "row")
                    ),
                    _ => write!(
                        f,
                        "approximated by {}: eigenvalues are off by up to {percent} of the first (estimated from the spread of the frequencies and from halves of them; holds for about 9 of 10)",
                        counted(*size, "random Fourier feature")
                    ),
                }
            }
            Note::DroppedRows { rows } => {
                write!(f, "{} with missing cells left out", counted(*rows, "row"))
            }
            Note::FilledCells { cells } => {
                let of = if *cells == 1 { "its" } else { "their" };
                let cells = counted(*cells, "cell");
                write!(f, "{cells} missing: filled with {of} column's mean")
            }
            Note::ImputedCells {
                cells,
                iterations,
                empty_rows,
                error,
            } => {
                let cells = (*cells > 0).then(|| {
                    let (cells, steps) = (counted(*cells, "cell"), counted(*iterations, "step"));
                    let off = error.map_or(String::new(), |error| {
                        format!("; observed cells held out were off by {error:.2} standard deviations")
                    });
                    format!(
                        "{cells} missing: filled with what the other cells of their rows predict, in {steps}{off}"
                    )
                });
                let rows = (*empty_rows > 0)
                    .then(|| format!("{} without any value left out", counted(*empty_rows, "row")));
                let texts: Vec<String> = cells.into_iter().chain(rows).collect();
                f.write_str(&texts.join("; "))
            }
            Note::FilledVariances => write!(
                f,
                "too many columns to write out their covariance: variances are those of the filled table, and a little too small"
            ),
            Note::Chosen {
                n_components,
                advised,
                why,
            } => {
                let kept = counted(*n_components, "component");
                match advised {
                    Some(k) if k == n_components => write!(f, "auto keeps {kept}: {why}"),
                    Some(k) => write!(f, "auto keeps {kept}; the rules say {k}: {why}"),
                    None => write!(f, "auto keeps {kept}: {why}"),
                }
            }
            Note::NotMeasured {
                columns, role, why, ..
            } => {
                let look = if columns.len() == 1 { "looks" } else { "look" };
                let columns = listed(columns);
                write!(
                    f,
                    "{columns} {look} like {}, not like a measurement: {why}",
                    role.words()
                )
            }
            Note::MissingCode {
                columns,
                code,
                cells,
                why,
            } => {
                let cells = counted(*cells, "cell");
                let columns = listed(columns);
                write!(
                    f,
                    "{code} in {cells} of {columns} looks like a code for missing cells: {why}"
                )
            }
            Note::BeyondExact {
                holder,
                column,
                example,
            } => {
                match column {
                    Some(column) => write!(f, "{holder} {column:?}")?,
                    None => write!(f, "the {holder}")?,
                }
                f.write_str(" holds integers beyond 2^53, where not every integer is exact")?;
                match example {
                    Some(example) => write!(f, " ({example})"),
                    None => Ok(()),
                }
            }
            Note::MoreThanColumns {
                n_components,
                n_cols,
            } => write!(
                f,
                "{} of rows with {} have more coordinates than the rows have cells",
                counted(*n_components, "random direction"),
                counted(*n_cols, "column"),
            ),
            Note::NotEuclidean {
                count,
                smallest,
                largest,
            } => {
                let how_many = match count {
                    Some(count) => counted(*count, "negative eigenvalue"),
                    None => "negative eigenvalues".to_owned(),
                };
                write!(
                    f,
                    "the distances are not Euclidean: {how_many}, down to {smallest:.3e} (the largest is {largest:.3e}); they were set to zero, and no places have exactly these distances"
                )
            }
            Note::JoinedPieces {
                pieces,
                sizes,
                links,
                longest,
                ..
            } => write!(
                f,
                "the neighbor graph was in {} {}: {} {} added, one between the nearest rows of every two pieces, {} {}",
                counted(*pieces, "piece"),
                sizes_words(*pieces, sizes),
                counted(*links, "link"),
                if *links == 1 { "was" } else { "were" },
                if *links == 1 {
                    "of length"
                } else {
                    "the longest of length"
                },
                short(*longest),
            ),
            Note::StressNotConverged {
                iterations,
                last,
                tolerance,
            } => {
                write!(
                    f,
                    "the stress had not converged after {}",
                    counted(*iterations, "step")
                )?;
                match last {
                    Some(last) => write!(
                        f,
                        ": the last lowered it by {last:.1e} of Σd² ({tolerance:.1e} was asked for)"
                    ),
                    None => Ok(()),
                }
            }
            Note::IgnoredColumns { columns } => {
                write!(f, "not known to the model, ignored: {}", listed(columns))
            }
            Note::Reading { text, .. } => f.write_str(text),
        }
    }
}
