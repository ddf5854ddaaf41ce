//! Details about an error, and what to do about it.

use eigenspan::note::{Advice, Clause, Setting};

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
    pub fn advice(&self) -> Advice {
        match self {
            ReadError::Unsupported { advice, .. } => advice.clone(),
            ReadError::Anndata { .. } => {
                "in Python: import anndata; anndata.read_h5ad('IN.h5ad').write_h5ad('OUT.h5ad') writes it anew".into()
            }
            ReadError::Workbook { .. } => "in the spreadsheet: save as CSV".into(),
            ReadError::Npy { fault, .. } => fault.advice(),
            ReadError::Npz { fault, .. } => fault.advice(),
            ReadError::Plink { fault, .. } => fault.advice(),
            ReadError::Columnar { fault, .. } => fault.advice(),
            ReadError::Picture { fault, .. } => fault.advice(),
            ReadError::Memory { needed, .. } => {
                let enough = format!("{}GB", needed.div_ceil(1_000_000_000));
                Clause::set("memory", enough)
                    .then(" allows it, if the machine has it")
                    .into()
            }
            ReadError::Packed { .. } => {
                "download or copy it again; unpacking it by hand shows where it breaks".into()
            }
            ReadError::Bomb { .. } => "if it is meant so, unpack it by hand first".into(),
            _ => {
                let mut kinds = [self.about_files(), self.about_lines(), self.about_cells()].into_iter();
                kinds.find(|advice| !advice.is_empty()).unwrap_or_default()
            }
        }
    }

    /// What to do about files that cannot be found, or read as one table.
    fn about_files(&self) -> Advice {
        match self {
            ReadError::Folder { .. } => "give one file".into(),
            ReadError::EmptyFolder { folders: 0, .. } => {
                "hidden files and those that begin with _ are not looked at".into()
            }
            ReadError::EmptyFolder { folder, .. } => format!(
                "files in folders inside: {}",
                quoted_word(&format!("{}/*/*", folder.trim_end_matches('/')))
            )
            .into(),
            ReadError::MixedFolder { folder, kinds } => {
                let most = kinds.iter().max_by_key(|(_, count)| *count);
                let end = most.map(|(kind, _)| kind.as_str()).unwrap_or_default();
                let pattern = format!("{}/*.{end}*", folder.trim_end_matches('/'));
                format!("say which: {}", quoted_word(&pattern)).into()
            }
            ReadError::OtherColumns { .. } => [
                Clause::say("files that are read as one table have the same columns"),
                Clause::name("columns").then(" takes those that all have"),
            ]
            .into(),
            ReadError::OtherHeader { .. } => [
                Clause::say("put the names above every file"),
                Clause::set("header", "true")
                    .then(" or ")
                    .and(Setting::new("header", "false"))
                    .then(" if the guess is wrong"),
            ]
            .into(),
            ReadError::OtherWriting { .. } => [
                Clause::name("decimal").then(" tells which mark is the decimal one in all files"),
                Clause::say("else write them alike"),
            ]
            .into(),
            ReadError::Endless { .. } => Clause::say("give a file")
                .and_typed(", or - for standard input")
                .into(),
            ReadError::Model { file } => {
                let model = quoted_word(file);
                [
                    Clause::typed(format!("eigenspan describe {model}"))
                        .then(" says what is in it"),
                    Clause::typed(format!("eigenspan transform {model} DATA"))
                        .then(" gives the scores of data"),
                ]
                .into()
            }
            _ => Advice::default(),
        }
    }

    /// What to do about lines that cannot be cut into cells.
    fn about_lines(&self) -> Advice {
        match self {
            ReadError::Encoding { .. } => [
                Clause::say("save it as UTF-8"),
                Clause::say("from Latin-1: ").and_typed("iconv -f latin1 -t utf-8 IN > OUT"),
            ]
            .into(),
            ReadError::Nul { .. } => [
                Clause::say("the file may be damaged, or not text at all"),
                Clause::typed("tr -d '\\000' < IN > OUT").then(" takes such bytes out"),
            ]
            .into(),
            ReadError::HalfLetter { .. } => "save it as UTF-8".into(),
            ReadError::Ragged {
                expected,
                found,
                delimiter,
                ..
            } => other_delimiter(*expected, *found, delimiter),
            ReadError::Preamble { .. } => [
                Clause::say("remove the lines above the header"),
                Clause::set("header", "false").then(" if there is none"),
            ]
            .into(),
            ReadError::OpenQuote { .. } => {
                "close it, or double it (\"\") where it is part of the text".into()
            }
            ReadError::Svm { .. } => [
                Clause::say("a line is a label and index:value, …"),
                Clause::set("format", "text").then(" reads it as a table"),
            ]
            .into(),
            _ => Advice::default(),
        }
    }

    /// What to do about cells that hold no number.
    fn about_cells(&self) -> Advice {
        match self {
            ReadError::MixedColumn { place, token, .. } => {
                Looks::from_token(token).advice(token, &place.column, true)
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
                let advice = looks.advice(token, &place.column, *like_it * 2 > *cells);
                let rows = edge.filter(|_| *looks == Looks::Other);
                let rows = rows.map(|edge| match edge {
                    Edge::First => (2, *cells),
                    Edge::Last => (1, *cells - 1),
                });
                match rows {
                    Some((first, last)) => advice.beginning("else ").after(
                        Clause::say(format!("if line {} is no row of data: ", place.line))
                            .and(Setting::new("rows", format!("{first}:{last}")))
                            .then(" leaves it out"),
                    ),
                    None => advice,
                }
            }
            ReadError::Infinite { token, .. } => Clause::list("missing_values", [token])
                .then(" reads it as missing")
                .into(),
            ReadError::Missing { complete, .. } => {
                let other = match complete {
                    Some(0 | 1) => {
                        Clause::say("leaving out rows with missing cells would leave too few")
                    }
                    _ => Clause::set("missing", "drop").then(" leaves those rows out"),
                };
                let fill =
                    Clause::set("missing", "mean").then(" fills them with their column's mean");
                [fill, other].into()
            }
            ReadError::TextColumn { column, .. } | ReadError::WrongType { column, .. } => {
                Clause::list("exclude", [column])
                    .then(" leaves it out")
                    .into()
            }
            _ => Advice::default(),
        }
    }
}

fn other_delimiter(expected: usize, found: usize, delimiter: &str) -> Advice {
    if delimiter == "comma" && found == 2 * expected {
        return "if these are decimal commas, the file needs another delimiter, such as ;".into();
    }
    let quotes = format!(" sets another, and a {delimiter} inside a cell needs quotes around it");
    [
        Clause::say(format!("the delimiter was taken to be a {delimiter}")),
        Clause::name("delimiter").then(quotes),
    ]
    .into()
}
