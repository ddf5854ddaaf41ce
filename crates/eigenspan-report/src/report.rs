//! The report: a table is fitted and looked at from every side; a page, a model and tables are written, all or none.

use std::io::Read;
use std::path::{Path, PathBuf};

use eigenspan::solve::Keep;
use eigenspan::{Context, Pca};
use eigenspan_io::{Input, Sealed, probe, write_sealed};

use crate::JobError;
use crate::analysis::{self, Analysis, AnalysisOptions};
use crate::job::{self, Fit, FitJob};
use crate::page::{self, Page};
use crate::results::refuse_input;
use crate::story::{self, Story};

/// A report to be written.
#[derive(Debug, Clone)]
pub struct ReportJob {
    /// The data and the PCA; its scores are not asked for here.
    pub fit: FitJob,
    /// What is looked at.
    pub analysis: AnalysisOptions,
    /// Where the page goes.
    pub page: PathBuf,
    /// The folder that tables for other programs go to.
    pub tables: Option<PathBuf>,
    /// Whether files that are not an earlier report of the same data are replaced.
    pub force: bool,
    /// Whether the page is replaced whatever it is, because its name was typed.
    pub replace_page: bool,
    /// The command that repeats the report, on the page.
    pub command: Option<String>,
}

/// A report that has been written.
#[derive(Debug)]
pub struct Report {
    /// The data and its PCA.
    pub fit: Fit<Pca>,
    /// What there is to say about them.
    pub analysis: Analysis,
    /// What was said: every sentence is made once, for the page, and the terminal repeats it.
    pub page: Page,
    seed: u64,
}

impl Report {
    /// The map of the first two components for a terminal of this width, where there are two.
    pub fn small_map(&self, width: usize) -> Option<String> {
        story::small_map(&self.story(None), width)
    }

    fn story<'a>(&'a self, command: Option<&'a str>) -> Story<'a> {
        Story {
            fit: &self.fit,
            analysis: &self.analysis,
            command,
            seed: self.seed,
        }
    }
}

/// Runs the job: nothing is written unless everything before it went well.
pub fn report(ctx: &Context, job: &ReportJob) -> Result<Report, JobError> {
    refuse_places(job)?;
    // The model waits until the page is there too.
    let (fit, model) = job::fit_unplaced(ctx, &job.fit)?;
    let fit = fit.into_pca()?;
    // Who leaves the number to the rules has given none.
    let auto = fit.fitted.parts().options.n_components == Keep::Auto;
    let given = job.fit.explicit.n_components && !auto;
    let analysis = analysis::analyze(ctx, &fit, &job.fit.read, given, &job.analysis)?;
    let mut report = Report {
        fit,
        analysis,
        page: Page::default(),
        seed: job.analysis.choose.seed,
    };
    report.page = story::page(&report.story(job.command.as_deref()));
    let page = page::html(&report.page);
    let mut files: Vec<Sealed> = vec![write_sealed(&job.page, |out| {
        out.write_all(page.as_bytes())
    })?];
    let mut outputs = vec![job.page.display().to_string()];
    if let Some(folder) = &job.tables {
        files.extend(tables(&report.fit, &report.analysis, folder, job)?);
        outputs.push(folder.display().to_string());
    }
    for file in model.into_iter().chain(files) {
        file.place()?;
    }
    outputs.append(&mut report.fit.outputs);
    report.fit.outputs = outputs;
    Ok(report)
}

/// Refuses places that results cannot go to, before anything is read.
fn refuse_places(job: &ReportJob) -> Result<(), JobError> {
    let replace = job.force || job.replace_page;
    let title = job.fit.input.name();
    let model = job.fit.model.as_deref();
    refuse_page(&job.page, &[&job.fit.input], model, (&title, replace))?;
    match &job.tables {
        Some(folder) if folder.exists() && !folder.is_dir() => Err(JobError::Usage {
            what: format!(
                "{} is a file, and tables go into a folder",
                folder.display()
            ),
            tip: Some("--tables FOLDER".to_owned()),
        }),
        _ => Ok(()),
    }
}

/// Refuses a place that a page cannot go to: that of its data or its model, one that promises another format, and one of a file that is
/// not an earlier report of this title, unless it may be replaced.
pub(crate) fn refuse_page(
    page: &Path,
    inputs: &[&Input],
    model: Option<&Path>,
    (title, replace): (&str, bool),
) -> Result<(), JobError> {
    if page == Path::new("-") {
        return Err(JobError::Usage {
            what: "a page is not written to standard output".to_owned(),
            tip: Some("-o NAME.html".to_owned()),
        });
    }
    for input in inputs {
        refuse_input(input, page)?;
    }
    let place = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    if model.map(place) == Some(place(page)) {
        return Err(JobError::Usage {
            what: format!("{} cannot be both the page and the model", page.display()),
            tip: Some("give -o and -m two names".to_owned()),
        });
    }
    refuse_promise(page)?;
    if !replace {
        keep_others(page, title)?;
    }
    Ok(probe(page)?)
}

/// Refuses a name that promises another format than a page has.
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
        tip: Some(format!("-o {}{print}", html.display())),
    })
}

/// Refuses to write over a file that is not an earlier report of the same data.
fn keep_others(path: &Path, data: &str) -> Result<(), JobError> {
    if matches!(path.try_exists(), Ok(false)) || is_report_of(path, data) {
        return Ok(());
    }
    Err(JobError::Exists {
        file: path.display().to_string(),
        elsewhere: "-o FILE",
    })
}

/// Whether a file begins like a page of ours with this title.
fn is_report_of(path: &Path, data: &str) -> bool {
    const HEAD: u64 = 4096;
    let mut head = Vec::new();
    let file = std::fs::File::open(path);
    let read = file.and_then(|file| file.take(HEAD).read_to_end(&mut head));
    let title = story::without_folders(data);
    read.is_ok() && page::is_titled(&String::from_utf8_lossy(&head), title)
}

/// The tables of an analysis, to be placed; a folder that was made for them goes again where they cannot be written.
fn tables(
    fit: &Fit<Pca>,
    analysis: &Analysis,
    folder: &Path,
    job: &ReportJob,
) -> Result<Vec<Sealed>, JobError> {
    let is_new = !folder.exists();
    std::fs::create_dir_all(folder).map_err(|e| JobError::Usage {
        what: format!("cannot make the folder {}: {}", folder.display(), e.kind()),
        tip: None,
    })?;
    let keep = |path: &Path, header: &str| {
        refuse_input(&job.fit.input, path)?;
        match job.force || !path.exists() || begins_with(path, header) {
            true => Ok(()),
            false => Err(JobError::Exists {
                file: path.display().to_string(),
                elsewhere: "--tables with another folder",
            }),
        }
    };
    let written = analysis::tables(&fit.fitted, analysis, folder, &keep);
    if is_new && written.is_err() {
        // Only an empty folder goes; what it may hold by now is not ours.
        let _ = std::fs::remove_dir(folder);
    }
    written
}

/// Whether the first line of a file is this one: a table of an earlier report.
fn begins_with(path: &Path, header: &str) -> bool {
    let mut head = vec![0; header.len() + 1];
    let read = std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut head));
    read.is_ok() && head.strip_prefix(header.as_bytes()) == Some(b"\n")
}
