//! The sections of a report on a model of any method: each has a sentence that answers its question, figures and tables.

use eigenspan::error::grouped;

use super::super::parts::{SAME_BITS, computation, described_columns, version};
use super::super::set_figure;
use super::super::tables::{NUMBER, TEXT, decimal, table};
use super::{OverviewStory, answers, drawn, kernel, rows_words};
use crate::analysis::PlacedRows;
use crate::figure::Figure;
use crate::page::{self, Block, Data, Prose, Section, Topic};
use crate::words::{brief, percent, short};

/// All sections.
pub(super) fn sections(story: &OverviewStory) -> Vec<Section> {
    let mut parts = Vec::new();
    parts.extend(kernel::section(story));
    if story.varies() {
        parts.extend(how_many(story));
        parts.extend(story.overview.rows.as_ref().map(|rows| scores(story, rows)));
        parts.extend(loadings(story));
        parts.extend(stability(story));
        parts.extend(new_rows(story));
    }
    let description = story.overview.description.as_ref();
    parts.extend(description.map(|description| {
        let weighted = story.table.is_some_and(|table| table.weight().is_some());
        described_columns(description, weighted)
    }));
    parts.push(computed(story));
    parts
}

fn on_page(story: &OverviewStory, figure: Figure) -> page::Figure {
    let figure = match story.fitted.shown().is_centered {
        true => figure.in_place(story.fitted.shown().place),
        false => figure.about_zero(),
    };
    set_figure(
        figure,
        story.front.either("; --json prints every number", ""),
    )
}

/// At most this many components are listed.
const LISTED: usize = 300;

fn how_many(story: &OverviewStory) -> Option<Section> {
    let figure = drawn::scree(story)?;
    let shown = story.fitted.shown();
    let row = |axis: &crate::summary::Axis| {
        vec![
            axis.name.clone(),
            short(axis.variance * shown.factor),
            percent(axis.share),
            percent(axis.cumulative),
            brief(axis.residual),
        ]
    };
    let axes = &story.summary.axes;
    let rows = axes.iter().take(LISTED).map(row).collect();
    let caption = match axes.len().saturating_sub(LISTED) {
        0 => "Every component".to_owned(),
        left => format!(
            "The first {LISTED} components; {} more are {}",
            grouped(left as u64),
            story.front.either("in --json", "left out")
        ),
    };
    let heads = [
        ("component", TEXT),
        (shown.heading, NUMBER),
        ("share", NUMBER),
        ("total", NUMBER),
        ("residual", NUMBER),
    ];
    Some(Section {
        topic: Topic::HowMany,
        answer: answers::how_many(story)?,
        blocks: vec![
            Block::Figure(on_page(story, figure)),
            Block::Table(table(&caption, &heads, rows, 10)),
        ],
        how_to_read: Some(Prose::from(
            "Each bar is a component, its height its share of the total; the line adds them up. A residual says how far a component is from \
             solving its equation, relative to its eigenvalue.",
        )),
    })
}

fn scores(story: &OverviewStory, rows: &PlacedRows) -> Section {
    // The page stores the scores once, and all figures use them.
    let of_points = |figure: Figure| page::Figure {
        data: Data::Points,
        ..on_page(story, figure)
    };
    let (map, pairs) = drawn::maps(story, rows);
    let is_plane = drawn::is_plane(story);
    let map = of_points(map);
    let mut blocks = vec![match is_plane {
        true => Block::Scores(map),
        false => Block::Figure(map),
    }];
    blocks.extend(pairs.map(|figure| Block::Figure(of_points(figure))));
    let which = rows_words(rows.which);
    let two: f64 = story
        .summary
        .axes
        .iter()
        .take(2)
        .map(|axis| axis.share)
        .sum();
    let answer = match (is_plane, story.summary.axes.is_empty()) {
        (true, false) => format!(
            "The map of {which} on the first two components; these keep {} of the {}.",
            percent(two),
            story.variance()
        ),
        (true, true) => format!("The map of {which} on the first two components."),
        (false, _) => format!("There is one component only: {which} lie on a number line."),
    };
    let quality = answers::map(story).map(|said| format!(" {}", said.plain()));
    let answer = answer + quality.as_deref().unwrap_or_default();
    Section {
        topic: Topic::Scores,
        answer: Prose::from(answer),
        blocks,
        how_to_read: Some(Prose::from(match is_plane {
            true => {
                "Each mark is a row. Rows that lie close together are alike in what the two components show. Choose other components or \
                 colors above the map, point at a mark to see its row, and drag a box to list the rows in it."
            }
            false => {
                "Each mark is a row at its score. Rows that lie close together are alike in what the component shows."
            }
        })),
    }
}

/// The loadings, if components are directions in column space.
fn loadings(story: &OverviewStory) -> Option<Section> {
    let figure = drawn::loadings(story)?;
    let mut blocks = vec![Block::Figure(on_page(story, figure))];
    let circle = drawn::circle(story);
    let mut how_to_read =
        "A loading says how much a column weighs in a component, and in which direction."
            .to_owned();
    if let Some(figure) = circle {
        blocks.push(Block::Figure(on_page(story, figure)));
        how_to_read += " In the circle an arrow near the ring is a \
             column that the two components explain almost completely; arrows that point the same way rise together, and of opposite ones, one rises as the other falls.";
    }
    blocks.extend(weights(story).map(Block::Table));
    Some(Section {
        topic: Topic::Loadings,
        answer: Prose::from(
            "Each component is a mixture of columns; these are the ones it is made of.",
        ),
        blocks,
        how_to_read: Some(Prose::from(how_to_read)),
    })
}

/// The weights of the columns, and how the columns were centered and scaled.
fn weights(story: &OverviewStory) -> Option<page::Table> {
    const COMPONENTS: usize = 6;
    let directions = story.fitted.directions()?;
    let preparation = story.fitted.common().preparation;
    let names = story.columns;
    let axes: Vec<String> = story
        .fitted
        .axis_names()
        .into_iter()
        .take(COMPONENTS)
        .collect();
    let mut heads = vec![("column", TEXT)];
    heads.extend(axes.iter().map(|axis| (axis.as_str(), NUMBER)));
    heads.extend(preparation.map(|_| ("center", NUMBER)));
    let scale = preparation.and_then(|p| p.scale.as_ref());
    heads.extend(scale.map(|_| ("scale", NUMBER)));
    let row = |j: usize| {
        let mut cells = vec![crate::words::shown(&names[j])];
        cells.extend((0..axes.len()).map(|c| decimal(directions[(c, j)], 3)));
        cells.extend(preparation.map(|p| short(p.center[j])));
        cells.extend(scale.map(|scale| short(scale[j])));
        cells
    };
    let rows = (0..names.len().min(LISTED)).map(row).collect();
    let caption = match names.len().saturating_sub(LISTED) {
        0 => "The weight of every column".to_owned(),
        left => format!(
            "The weights of the first {LISTED} columns; {} more are left out here",
            grouped(left as u64)
        ),
    };
    Some(table(&caption, &heads, rows, 15))
}

fn stability(story: &OverviewStory) -> Option<Section> {
    let halves = story.overview.halves.as_ref()?;
    let figure = drawn::alike(story)?;
    let said = answers::stability(story, halves).plain();
    let said = format!("In{}", said.trim_start_matches("in"));
    Some(Section {
        topic: Topic::Stability,
        answer: Prose::from(said),
        blocks: vec![Block::Figure(on_page(story, figure))],
        how_to_read: Some(Prose::from(
            "Half of the rows are drawn at random, many times, and the method is fitted to each half anew; each such model then places all \
             rows. Similarity is the mean canonical correlation between the coordinates of the whole model and those of a half: 1 where \
             both place the rows alike, whatever the signs and the order of the components. Two components that change places with each other are \
             as good as before together.",
        )),
    })
}

fn new_rows(story: &OverviewStory) -> Option<Section> {
    let figure = drawn::held_out(story)?;
    Some(Section {
        topic: Topic::NewRows,
        answer: answers::new_rows(story)?,
        blocks: vec![Block::Figure(on_page(story, figure))],
        how_to_read: Some(Prose::from(
            "Some rows are held out and the method is fitted to the others. What the components keep of a row is its squared length along \
             them, of its squared distance from the mean of the fitted rows, in the space of the method. Where the two curves part, \
             components describe the very rows they were fitted to: a kernel that is too narrow keeps all of those, and nothing of others.",
        )),
    })
}

fn computed(story: &OverviewStory) -> Section {
    let options = story.fitted.options().unwrap_or_default();
    let residual = story.largest_residual().map(brief);
    let residual = residual.map(|residual| ("largest residual".to_owned(), residual));
    let mut facts = computation(story.fitted.common().plan, residual, &options);
    let mut blocks = Vec::new();
    match story.model {
        Some((_, origin)) => {
            // A model in memory was written by nobody yet.
            let wrote = Some(&origin.version).filter(|version| !version.is_empty());
            facts.extend(wrote.map(|version| {
                let text = format!("eigenspan {version}");
                ("written by".to_owned(), Prose::from(text))
            }));
            let commands = [
                &origin.command,
                &story.front.command().map(|command| command.line.clone()),
            ];
            let commands = commands.into_iter().flatten().cloned().map(Block::Code);
            facts.push(version());
            blocks.push(Block::List(facts));
            blocks.extend(commands);
        }
        None => {
            facts.push((
                "seed of samples and draws".to_owned(),
                Prose::from(story.overview.seed.to_string()),
            ));
            facts.push(version());
            blocks.push(Block::List(facts));
            let command = story.front.command();
            blocks.extend(command.map(|command| Block::Code(command.line.clone())));
        }
    }
    Section {
        topic: Topic::Computed,
        answer: Prose::from(match story.model {
            Some((_, origin)) if origin.command.is_some() => {
                "The first command made the model, the second this page."
            }
            _ => SAME_BITS,
        }),
        blocks,
        how_to_read: None,
    }
}
