//! Writes the page of a report and its tables for other programs.

use std::io::Read;
use std::path::{Path, PathBuf};

use eigenspan::note::{Advice, Clause};
use eigenspan_io::{Format, Input, Layout, Output, Sealed, TableWriter, probe, write_sealed};

use super::{Files, is_same_place, refuse_inputs};
use crate::JobError;
use crate::analysis::ExportedTable;
use crate::report::Report;
use crate::{page, story};

/// The output files of a report.
#[derive(Debug, Clone)]
pub struct PageFiles {
    /// The file for the page.
    pub page: PathBuf,
    /// The folder for the tables.
    pub tables: Option<PathBuf>,
    /// Whether existing files are replaced even if they are not from an earlier report on the same data.
    pub force: bool,
    /// Whether the page is always replaced, because the user typed its name.
    pub replace_page: bool,
}

impl PageFiles {
    /// Refuses outputs that cannot be written for data of this name, before anything is read.
    pub(crate) fn check(
        &self,
        inputs: &[Input],
        data: &str,
        model: Option<&Path>,
    ) -> Result<(), JobError> {
        if self.page == Path::new("-") {
            return Err(JobError::Usage {
                what: "a page is not written to standard output".to_owned(),
                advice: Clause::typed("-o NAME.html").into(),
            });
        }
        refuse_inputs(inputs, &self.page)?;
        if model.is_some_and(|model| is_same_place(model, &self.page)) {
            return Err(JobError::Usage {
                what: format!(
                    "{} cannot be both the page and the model",
                    self.page.display()
                ),
                advice: Clause::typed("give -o and -m two names").into(),
            });
        }
        refuse_promise(&self.page)?;
        if !self.force && !self.replace_page {
            keep_others(&self.page, data)?;
        }
        probe(&self.page)?;
        match &self.tables {
            Some(folder) if folder.exists() && !folder.is_dir() => Err(JobError::Usage {
                what: format!(
                    "{} is a file, and tables go into a folder",
                    folder.display()
                ),
                advice: Clause::set("tables", "FOLDER").into(),
            }),
            _ => Ok(()),
        }
    }

    /// Writes the page and the tables to temporary files that still have to be moved into place.
    pub(crate) fn write(
        &self,
        report: &Report,
        inputs: &[Input],
        files: &mut Files,
    ) -> Result<(), JobError> {
        self.write_page(&report.html(), files)?;
        let Some(folder) = &self.tables else {
            return Ok(());
        };
        let is_new = !folder.exists();
        std::fs::create_dir_all(folder).map_err(|e| JobError::Usage {
            what: format!("cannot make the folder {}: {}", folder.display(), e.kind()),
            advice: Advice::default(),
        })?;
        let tables = report.tables().into_iter();
        let written: Result<Vec<Sealed>, JobError> = tables
            .map(|table| self.write_table(table, folder, inputs))
            .collect();
        if is_new && written.is_err() {
            // Removes the folder only if it is empty.
            let _ = std::fs::remove_dir(folder);
        }
        files.add_all(folder.display().to_string(), written?);
        Ok(())
    }

    /// Writes the page alone; the file still has to be moved into place.
    pub(crate) fn write_page(&self, html: &str, files: &mut Files) -> Result<(), JobError> {
        let sealed = write_sealed(&self.page, |out| out.write_all(html.as_bytes()))?;
        files.add(self.page.display().to_string(), Some(sealed));
        Ok(())
    }

    fn write_table(
        &self,
        table: ExportedTable,
        folder: &Path,
        inputs: &[Input],
    ) -> Result<Sealed, JobError> {
        let path = folder.join(table.file);
        let names = table.text_names.iter().chain(&table.names);
        let names: Vec<&str> = names.map(String::as_str).collect();
        refuse_inputs(inputs, &path)?;
        if !self.force && path.exists() && !begins_with(&path, &names.join(",")) {
            return Err(JobError::Exists {
                file: path.display().to_string(),
                elsewhere: Clause::name("tables").then(" with another folder"),
            });
        }
        let layout = Layout {
            texts: table.text_names,
            numbers: table.names,
            ..Layout::default()
        };
        let mut writer = TableWriter::create::<f64>(&Output::Path(path), Format::Csv, layout)?;
        let rows = writer.format(&table.texts, table.numbers.view())?;
        writer.append(&rows)?;
        Ok(writer.seal()?)
    }
}

/// Refuses a file name with the extension of another format.
fn refuse_promise(page: &Path) -> Result<(), JobError> {
    let extension = page.extension().unwrap_or_default().to_string_lossy();
    let promised = [
        "pdf", "md", "docx", "txt", "csv", "json", "svg", "png", "ipynb", "tex",
    ];
    if !promised.contains(&extension.to_lowercase().as_str()) {
        return Ok(());
    }
    let html = page.with_extension("html");
    let print = match extension.eq_ignore_ascii_case("pdf") {
        true => "; a browser prints it to a PDF",
        false => "",
    };
    Err(JobError::Usage {
        what: format!(
            "{}: a report is written as HTML, not as .{extension}",
            page.display()
        ),
        advice: Clause::typed(format!("-o {}{print}", html.display())).into(),
    })
}

/// Refuses to replace a file that is not an earlier report on the same data.
fn keep_others(path: &Path, data: &str) -> Result<(), JobError> {
    if matches!(path.try_exists(), Ok(false)) || is_report_of(path, data) {
        return Ok(());
    }
    Err(JobError::Exists {
        file: path.display().to_string(),
        elsewhere: Clause::typed("-o FILE"),
    })
}

/// Whether a file begins like one of our pages with this title.
fn is_report_of(path: &Path, data: &str) -> bool {
    const HEAD: u64 = 4096;
    let mut head = Vec::new();
    let file = std::fs::File::open(path);
    let read = file.and_then(|file| file.take(HEAD).read_to_end(&mut head));
    let title = story::without_folders(data);
    read.is_ok() && page::is_titled(&String::from_utf8_lossy(&head), title)
}

/// Whether the first line of a file is this line, as in a table of an earlier report.
fn begins_with(path: &Path, header: &str) -> bool {
    let mut head = vec![0; header.len() + 1];
    let read = std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut head));
    read.is_ok() && head.strip_prefix(header.as_bytes()) == Some(b"\n")
}
