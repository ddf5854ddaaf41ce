//! The report as one HTML file: text, figures and tables in the order of a reader's questions. The file loads nothing from elsewhere.
//!
//! A [`Page`] is plain content; [`html`] turns it into HTML. The whole content is visible without a script: `report.js` only adds
//! what paper cannot do (another pair of axes, the row under the pointer, sorted tables, saved figures). A policy in the
//! head allows that one script, by its hash, and nothing else, so that markup that slips through cannot run.

mod block;
mod escape;
mod points;
mod prose;
mod table;
mod theme;

pub use crate::analysis::{Color, MAX_AXES, MAX_ROWS, Values};
pub use points::{Axis, Points};
pub use prose::Prose;
pub use table::{CellKind, Column, Table};

use escape::escape;

/// The content of a report.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Page {
    /// The title: the name of the data.
    pub title: String,
    /// The data and what was done to it, in one line.
    pub subtitle: Prose,
    /// The main result, in one sentence.
    pub headline: Prose,
    /// The four numbers to remember.
    pub facts: Vec<Fact>,
    /// The report in plain words: questions with answers.
    pub answers: Vec<Answer>,
    /// The sections; the page shows them in the order of their topics.
    pub sections: Vec<Section>,
    /// The rows behind the map of scores.
    pub points: Option<Points>,
    /// The style sheet that all drawings share; empty if each drawing contains its own.
    pub figure_style: String,
    /// The footer.
    pub footer: Prose,
}

/// A number to remember, such as a share or a count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// The number as text: `96.5 %`.
    pub value: String,
    /// What the number counts.
    pub label: Prose,
}

/// A reader's question and its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The question: `How many components matter?`
    pub question: String,
    /// The answer, in one to three sentences.
    pub text: Prose,
}

/// A section of the report.
#[derive(Debug, Clone, PartialEq)]
pub struct Section {
    /// Its topic.
    pub topic: Topic,
    /// A sentence, made from the numbers, that answers the section's question.
    pub answer: Prose,
    /// Figures, tables and text.
    pub blocks: Vec<Block>,
    /// How to read its figures; the page shows it folded.
    pub how_to_read: Option<Prose>,
}

/// The topic of a section, in the order of the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Topic {
    /// The kernel and how it was chosen.
    Kernel,
    /// Scree plot, null band, and the k of every rule.
    HowMany,
    /// The map of the rows.
    Scores,
    /// Loadings, correlation circle, biplot.
    Loadings,
    /// Contributions and cos².
    Contributions,
    /// What is lost with k components.
    Reconstruction,
    /// T² against Q.
    Outliers,
    /// Bootstrap intervals.
    Stability,
    /// The share of new rows that the components keep.
    NewRows,
    /// The table of columns.
    Columns,
    /// Plan, options, versions, the command.
    Computed,
}

impl Topic {
    /// The section's name in the page's address.
    pub fn id(self) -> &'static str {
        match self {
            Topic::Kernel => "part-kernel",
            Topic::HowMany => "part-how-many",
            Topic::Scores => "part-scores",
            Topic::Loadings => "part-loadings",
            Topic::Contributions => "part-contributions",
            Topic::Reconstruction => "part-reconstruction",
            Topic::Outliers => "part-outliers",
            Topic::Stability => "part-stability",
            Topic::NewRows => "part-new-rows",
            Topic::Columns => "part-columns",
            Topic::Computed => "part-computed",
        }
    }

    /// The heading.
    pub fn heading(self) -> &'static str {
        match self {
            Topic::Kernel => "The kernel",
            Topic::HowMany => "How many components?",
            Topic::Scores => "Where the rows lie",
            Topic::Loadings => "What the components mean",
            Topic::Contributions => "Which columns carry them",
            Topic::Reconstruction => "What is lost",
            Topic::Outliers => "Which rows stand out",
            Topic::Stability => "How sure it is",
            Topic::NewRows => "How new rows fare",
            Topic::Columns => "The columns",
            Topic::Computed => "How it was computed",
        }
    }

    /// The entry in the table of contents.
    fn entry(self) -> &'static str {
        match self {
            Topic::Kernel => "Kernel",
            Topic::HowMany => "How many",
            Topic::Scores => "Scores",
            Topic::Loadings => "Loadings",
            Topic::Contributions => "Contributions",
            Topic::Reconstruction => "Reconstruction",
            Topic::Outliers => "Outliers",
            Topic::Stability => "Stability",
            Topic::NewRows => "New rows",
            Topic::Columns => "Columns",
            Topic::Computed => "Computation",
        }
    }
}

/// A block of a section.
#[derive(Debug, Clone, PartialEq)]
pub enum Block {
    /// A paragraph.
    Text(Prose),
    /// A warning to read before using the numbers.
    Note(Prose),
    /// A figure.
    Figure(Figure),
    /// Figures side by side, if the screen is wide enough.
    Figures(Vec<Figure>),
    /// The map of scores; without a script, the page shows the figure instead.
    Scores(Figure),
    /// A table.
    Table(Table),
    /// Names with values: options, versions.
    List(Vec<(String, Prose)>),
    /// A command to copy.
    Code(String),
}

/// A drawing with its caption and its data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Figure {
    /// Letters, digits and hyphens; unique on the page. Saved files get this name, and the page's element is
    /// `figure-…`.
    pub id: String,
    /// The drawing, as [SVG](https://www.w3.org/TR/SVG2/) text that is already escaped.
    pub svg: String,
    /// The question that the figure answers, and how it is drawn.
    pub caption: Prose,
    /// The data behind it.
    pub data: Data,
}

/// The data behind a figure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Data {
    /// Comma-separated text with a header line.
    Csv(String),
    /// The page's points: scores, T² and Q per row. The page stores them only once.
    Points,
}

const STYLE: &str = include_str!("report.css");
const SCRIPT: &str = concat!(include_str!("report.js"), "\n", include_str!("map.js"));
/// SHA-256 of the script, in base64: the policy allows no other script. A test computes the expected value.
const SCRIPT_HASH: &str = "u8k5PyLiXCocr658PzxfoIskHvMV6r401sYKyOcCXGk=";

/// The largest size of a page in bytes; beyond it, the map shows fewer rows, and the page says so.
const LARGEST: usize = 980_000;

/// The page as one HTML file.
pub fn html(page: &Page) -> String {
    let packed = |room: usize| page.points.as_ref().map(|points| points.pack(room));
    let whole = set(page, packed(usize::MAX));
    if whole.len() <= LARGEST || page.points.is_none() {
        return whole;
    }
    let without = set(page, packed(0));
    let least = packed(0).map_or(0, |packed| escape::json(&packed.value).len());
    // The sentence about what was left out takes some room too.
    set(
        page,
        packed((LARGEST + least).saturating_sub(without.len() + 1000)),
    )
}

fn set(page: &Page, packed: Option<points::Packed>) -> String {
    let mut sections: Vec<&Section> = page.sections.iter().collect();
    sections.sort_by_key(|section| section.topic);
    let set = block::Setting {
        points: page.points.as_ref(),
        packed: packed.as_ref(),
    };
    let mut out = head(page);
    out += "<body>\n<a class=\"skip\" href=\"#part-words\">Skip to the report</a>\n";
    out += &masthead(page);
    out += "<div class=\"sheet\">\n";
    out += &contents(&sections);
    out += "<main>\n";
    out += &plain_words(page);
    for (i, section) in sections.iter().enumerate() {
        out += &block::section(section, i + 2, &set);
    }
    out += "</main>\n</div>\n";
    out += &format!(
        "<footer class=\"foot\"><p>{}</p></footer>\n",
        page.footer.html()
    );
    out += &data(&sections, packed);
    out += &format!("<script>{SCRIPT}</script>\n</body>\n</html>\n");
    out
}

/// Whether a file begins like a page with this title.
pub fn is_titled(head: &str, title: &str) -> bool {
    let title = format!("<title>{} – eigenspan report</title>", escape::label(title));
    head.contains("name=\"generator\" content=\"eigenspan ") && head.contains(&title)
}

fn head(page: &Page) -> String {
    let drawn = match page.figure_style.as_str() {
        "" => String::new(),
        style => format!("<style id=\"figure-style\">\n{style}</style>\n"),
    };
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
         script-src 'sha256-{SCRIPT_HASH}'; img-src data: blob:; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta name=\"generator\" content=\"eigenspan {}\">\n\
         <title>{} – eigenspan report</title>\n<style>\n{}{STYLE}</style>\n{drawn}</head>\n",
        env!("CARGO_PKG_VERSION"),
        escape::label(&page.title),
        theme::variables(),
    )
}

fn masthead(page: &Page) -> String {
    format!(
        "<header class=\"masthead\">\n<div class=\"kicker\"><span>eigenspan report</span>\
         <button type=\"button\" class=\"js-only\" id=\"theme\" aria-pressed=\"false\">Dark</button></div>\n\
         <h1>{}</h1>\n<p class=\"subtitle\">{}</p>\n</header>\n",
        escape::name(&page.title),
        page.subtitle.html()
    )
}

fn contents(sections: &[&Section]) -> String {
    let entries: String = sections
        .iter()
        .map(|section| {
            let (id, entry) = (section.topic.id(), section.topic.entry());
            format!("<li><a href=\"#{id}\">{entry}</a></li>\n")
        })
        .collect();
    format!(
        "<nav class=\"contents\" aria-label=\"Contents\">\n<ol>\n\
         <li><a href=\"#part-words\">In plain words</a></li>\n{entries}</ol>\n</nav>\n"
    )
}

fn plain_words(page: &Page) -> String {
    let facts: String = page
        .facts
        .iter()
        .map(|fact| {
            let (label, value) = (fact.label.html(), escape(&fact.value));
            format!("<div><dt>{label}</dt><dd>{value}</dd></div>\n")
        })
        .collect();
    let answers: String = page
        .answers
        .iter()
        .map(|answer| {
            let (question, text) = (escape(&answer.question), answer.text.html());
            format!("<div><dt>{question}</dt><dd>{text}</dd></div>\n")
        })
        .collect();
    let list = |class: &str, items: String| match items.is_empty() {
        true => String::new(),
        false => format!("<dl class=\"{class}\">\n{items}</dl>\n"),
    };
    format!(
        "<section id=\"part-words\" tabindex=\"-1\">\n<h2><span class=\"number\">1</span> In plain words</h2>\n\
         <p class=\"headline\">{}</p>\n{}{}</section>\n",
        page.headline.html(),
        list("facts", facts),
        list("answers", answers)
    )
}

/// The data for the script: the points, and the data of every figure under the figure's name.
fn data(sections: &[&Section], packed: Option<points::Packed>) -> String {
    let mut csv = serde_json::Map::new();
    for figure in sections.iter().flat_map(|section| block::figures(section)) {
        if let Data::Csv(text) = &figure.data {
            csv.insert(figure.id.clone(), text.as_str().into());
        }
    }
    let value = serde_json::json!({ "points": packed.map(|packed| packed.value), "csv": csv });
    format!(
        "<script type=\"application/json\" id=\"data\">{}</script>\n",
        escape::json(&value)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_policy_names_the_script_that_is_there() {
        let hash = <sha2::Sha256 as sha2::Digest>::digest(SCRIPT);
        assert_eq!(points::base64(hash.into_iter()), SCRIPT_HASH);
    }
}
