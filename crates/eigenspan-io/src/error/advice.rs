//! Details about an error, and what to do about it.

use super::*;

/// The formats that are read, as messages list them.
const READ: &str = "CSV, TSV, text, NPY, NPZ, Parquet, Arrow, Matrix Market, 10x folders, libsvm, PLINK, IDX, PNG and JPEG";

impl ReadError {
    /// How much of the file has this fault, or what the file holds instead.
    pub fn detail(&self) -> Option<String> {
        match self {
            ReadError::NotFound { near, .. } if !near.is_empty() => {
                Some(format!("files like it: {}", listed(near)))
            }
            ReadError::NotANumber { like_it, cells, .. } => Some(format!(
                "{} of {} in this column {} no number",
                grouped(*like_it),
                counted(*cells as usize, "cell"),
                if *like_it == 1 { "is" } else { "are" }
            )),
            ReadError::Infinite { like_it, cells, .. } => Some(format!(
                "{} of {} in this column {} like it",
                grouped(*like_it),
                counted(*cells as usize, "cell"),
                if *like_it == 1 { "is" } else { "are" }
            )),
            ReadError::Missing { count, cells, .. } => Some(format!(
                "{} of {} {} missing",
                grouped(*count),
                counted(*cells as usize, "cell"),
                if *count == 1 { "is" } else { "are" }
            )),
            ReadError::NoColumn { near, .. } if !near.is_empty() => {
                Some(format!("columns like it: {}", listed(near)))
            }
            ReadError::NoColumn { columns, .. } => Some(format!("columns: {}", listed(columns))),
            ReadError::OtherColumns {
                first,
                missing,
                extra,
                ..
            } => {
                let missing =
                    (!missing.is_empty()).then(|| format!("missing: {}", listed(missing)));
                let extra =
                    (!extra.is_empty()).then(|| format!("not in {first}: {}", listed(extra)));
                let parts: Vec<String> = missing.into_iter().chain(extra).collect();
                Some(parts.join("          "))
            }
            ReadError::NoNumericColumns { set_aside, .. } if !set_aside.is_empty() => {
                Some(format!("set aside: {}", listed(set_aside)))
            }
            ReadError::Npz { fault, .. } => fault.detail(),
            ReadError::Unsupported { .. } => Some(format!("formats that are read: {READ}")),
            _ => None,
        }
    }

    /// What to do about it.
    pub fn tip(&self) -> Option<String> {
        match self {
            ReadError::Folder { .. } => Some("give one file".to_owned()),
            ReadError::EmptyFolder { folders: 0, .. } => {
                Some("hidden files and those that begin with _ are not looked at".to_owned())
            }
            ReadError::EmptyFolder { folder, .. } => Some(format!(
                "files in folders inside: {}",
                quoted_word(&format!("{}/*/*", folder.trim_end_matches('/')))
            )),
            ReadError::MixedFolder { folder, kinds } => {
                let most = kinds.iter().max_by_key(|(_, count)| *count);
                let end = most.map(|(kind, _)| kind.as_str()).unwrap_or_default();
                let pattern = format!("{}/*.{end}*", folder.trim_end_matches('/'));
                Some(format!("say which: {}", quoted_word(&pattern)))
            }
            ReadError::OtherColumns { .. } => Some(
                "files that are read as one table have the same columns; --columns takes those that all have"
                    .to_owned(),
            ),
            ReadError::OtherHeader { .. } => Some(
                "put the names above every file; --header or --no-header if the guess is wrong".to_owned(),
            ),
            ReadError::OtherWriting { .. } => Some(
                "--decimal tells which mark is the decimal one in all files; else write them alike".to_owned(),
            ),
            ReadError::MixedColumn { place, token, .. } => {
                let column = &place.column;
                Some(Looks::from_token(token).tip(token, column, true))
            }
            ReadError::Unsupported { tip, .. } => Some((*tip).to_owned()),
            ReadError::Encoding { .. } => Some(
                "save it as UTF-8; from Latin-1: iconv -f latin1 -t utf-8 IN > OUT".to_owned(),
            ),
            ReadError::Model { file } => {
                let model = quoted_word(file);
                Some(format!(
                    "eigenspan describe {model} says what is in it; eigenspan transform {model} DATA gives the scores of data"
                ))
            }
            ReadError::Nul { .. } => Some(
                "the file may be damaged, or not text at all; tr -d '\\000' < IN > OUT takes such bytes out"
                    .to_owned(),
            ),
            ReadError::HalfLetter { .. } => Some("save it as UTF-8".to_owned()),
            ReadError::Endless { .. } => Some("give a file, or - for standard input".to_owned()),
            ReadError::Ragged {
                expected,
                found,
                delimiter,
                ..
            } => Some(ragged_tip(*expected, *found, delimiter)),
            ReadError::Preamble { .. } => {
                Some("remove the lines above the header; --no-header if there is none".to_owned())
            }
            ReadError::OpenQuote { .. } => {
                Some("close it, or double it (\"\") where it is part of the text".to_owned())
            }
            ReadError::NotANumber {
                place,
                token,
                looks,
                like_it,
                cells,
                edge,
                ..
            } => {
                let tip = looks.tip(token, &place.column, *like_it * 2 > *cells);
                let rows = edge.map(|edge| match edge {
                    Edge::First => (2, *cells),
                    Edge::Last => (1, *cells - 1),
                });
                Some(match rows {
                    Some((first, last)) if *looks == Looks::Other => format!(
                        "if line {} is no row of data: --rows {first}:{last} leaves it out; else {tip}",
                        place.line
                    ),
                    _ => tip,
                })
            }
            ReadError::Infinite { token, .. } => Some(format!(
                "--missing-values {} reads it as missing",
                quoted_word(token)
            )),
            ReadError::Missing {
                complete: Some(0 | 1),
                ..
            } => Some(
                "--missing mean fills them with their column's mean; leaving out rows with missing cells would leave too few"
                    .to_owned(),
            ),
            ReadError::Missing { .. } => Some(
                "--missing mean fills them with their column's mean; --missing drop leaves those rows out"
                    .to_owned(),
            ),
            ReadError::TextColumn { column, .. } | ReadError::WrongType { column, .. } => {
                Some(format!("--exclude {} leaves it out", quoted_word(column)))
            }
            ReadError::Anndata { .. } => Some("in Python: import anndata; anndata.read_h5ad('IN.h5ad').write_h5ad('OUT.h5ad') writes it anew".to_owned()),
            ReadError::Workbook { .. } => Some("in the spreadsheet: save as CSV".to_owned()),
            ReadError::Npy { fault, .. } => fault.tip(),
            ReadError::Npz { fault, .. } => fault.tip(),
            ReadError::Plink { fault, .. } => fault.tip(),
            ReadError::Svm { .. } => {
                Some("a line is a label and index:value, …; --format text reads it as a table".to_owned())
            }
            ReadError::Memory { needed, .. } => Some(format!(
                "--memory {}GB allows it, if the machine has it",
                needed.div_ceil(1_000_000_000)
            )),
            ReadError::Columnar { fault, .. } => fault.tip(),
            ReadError::Picture { fault, .. } => fault.tip(),
            ReadError::Packed { .. } => {
                Some("download or copy it again; unpacking it by hand shows where it breaks".to_owned())
            }
            ReadError::Bomb { .. } => Some("if it is meant so, unpack it by hand first".to_owned()),
            _ => None,
        }
    }
}

fn ragged_tip(expected: usize, found: usize, delimiter: &str) -> String {
    if delimiter == "comma" && found == 2 * expected {
        return "if these are decimal commas, the file needs another delimiter, such as ;"
            .to_owned();
    }
    format!(
        "the delimiter was taken to be a {delimiter}; --delimiter sets another, and a {delimiter} inside a cell needs quotes around it"
    )
}
