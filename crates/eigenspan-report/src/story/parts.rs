//! The sections of the report: each has a sentence that answers its question, figures and tables.

use eigenspan::error::{bytes_words, counted, grouped};
use eigenspan::solve::Plan;

use super::answers::{WORDED, lies, nearly_closed, no_kmo, whole_percent};
use super::drawn::Drawn;
use super::{Story, largest_residual, on_page, rules, tables};
use crate::describe::Description;
use crate::figure::Figure;
use crate::page::{self, Block, Data, Prose, Section, Topic};
use crate::words::{brief, flops_words, hundredths, percent, short};

/// All sections.
pub(super) fn sections(story: &Story) -> Vec<Section> {
    let drawn = Drawn::new(story);
    let mut parts = Vec::new();
    if story.varies() {
        parts.push(how_many(story, &drawn));
        parts.push(scores(story, &drawn));
        parts.push(loadings(story, &drawn));
        parts.push(contributions(story, &drawn));
        parts.push(reconstruction(story, &drawn));
        parts.push(outliers(story, &drawn));
        parts.extend(stability(story));
    }
    parts.push(columns(story));
    parts.push(computed(story));
    parts
}

fn how_many(story: &Story, drawn: &Drawn) -> Section {
    let mut blocks = vec![Block::Figure(on_page(story, drawn.scree()))];
    blocks.extend(tables::rules(story).map(Block::Table));
    Section {
        topic: Topic::HowMany,
        answer: Prose::from(rules::answer(story)),
        blocks,
        how_to_read: Some(Prose::from(
            "Each bar is a component, its height its share of the total; the line adds them up. The null band is what \
             components would have if the columns had nothing to do with each other: bars that reach above it \
             are larger than chance makes them. Each rule has a mark at the number it chose; its assumptions are in the table.",
        )),
    }
}

fn scores(story: &Story, drawn: &Drawn) -> Section {
    let mut blocks = Vec::new();
    // The page stores scores, T² and Q once, and all figures use them.
    let of_points = |figure: Figure| page::Figure {
        data: Data::Points,
        ..on_page(story, figure)
    };
    if drawn.is_plane() {
        blocks.push(Block::Scores(of_points(drawn.scores())));
        blocks.extend(drawn.pairs().map(|figure| Block::Figure(of_points(figure))));
    } else {
        blocks.push(Block::Figure(of_points(drawn.scores())));
    }
    blocks.extend(tables::groups(story).map(Block::Table));
    let two: f64 = story
        .summary()
        .axes
        .iter()
        .take(2)
        .map(|axis| axis.share)
        .sum();
    let answer = match drawn.is_plane() {
        true => format!(
            "The map of the first two components shows {} of the {}.",
            percent(two),
            story.variance()
        ),
        false => "There is one component only: rows lie on a number line.".to_owned(),
    };
    Section {
        topic: Topic::Scores,
        answer: Prose::from(answer),
        blocks,
        how_to_read: Some(Prose::from(match drawn.is_plane() {
            true => {
                "Each mark is a row. Rows that lie close together are alike in what the two components show; those in the \
                     middle are ordinary. Choose other components or colors above the map, point at a mark to see its row, and \
                     drag a box to list the rows in it."
            }
            false => {
                "Each mark is a row at its score. Rows that lie close together are alike in what the component shows; those \
                      near 0 are ordinary."
            }
        })),
    }
}

fn loadings(story: &Story, drawn: &Drawn) -> Section {
    let mut blocks = Vec::new();
    let words: Vec<(String, Prose)> = story
        .summary()
        .axes
        .iter()
        .take(story.analysis.k.clamp(3, WORDED))
        .map(|axis| {
            (
                axis.name.clone(),
                Prose::from(format!("{}: {}", percent(axis.share), axis.words)),
            )
        })
        .collect();
    blocks.push(Block::List(words));
    blocks.push(Block::Figure(on_page(story, drawn.loadings())));
    blocks.push(Block::Figure(on_page(story, drawn.heatmap())));
    if drawn.is_plane() {
        blocks.push(Block::Figure(on_page(story, drawn.circle())));
        blocks.push(Block::Figure(on_page(story, drawn.biplot())));
    }
    blocks.extend(tables::rotated(story).map(Block::Table));
    Section {
        topic: Topic::Loadings,
        answer: Prose::from(
            "Each component is a mixture of columns; these are the ones it is made of.",
        ),
        blocks,
        how_to_read: Some(Prose::from(
            "A loading says how much a column weighs in a component, and in which direction. Whiskers are bootstrap intervals: \
             one that crosses zero leaves the direction open; a component that cannot be told apart from its neighbors has none. In the circle an arrow near the ring is a column that the two \
             components explain almost completely; arrows that point the same way rise together, of opposite ones, one rises as the other \
             falls, and arrows at right angles are unrelated.",
        )),
    }
}

fn contributions(story: &Story, drawn: &Drawn) -> Section {
    let communalities = &story
        .analysis
        .columns
        .cumulative_communalities
        .col(story.analysis.k - 1);
    let mean = communalities.iter().sum::<f64>() / communalities.len().max(1) as f64;
    let mut figures = vec![on_page(story, drawn.contributions(0))];
    if story.analysis.k > 1 && drawn.is_plane() {
        figures.push(on_page(story, drawn.contributions(1)));
    }
    Section {
        topic: Topic::Contributions,
        answer: Prose::from(format!(
            "On average, {} of a column is explained by {}.",
            percent(mean),
            match story.analysis.k {
                1 => "the first component".to_owned(),
                k => format!("the first {k} components"),
            }
        )),
        blocks: vec![
            Block::Figures(figures),
            Block::Figure(on_page(story, drawn.communalities())),
            Block::Table(tables::columns(story)),
        ],
        how_to_read: Some(Prose::from(
            "A contribution is a column's share of a component; columns beyond the line give more than an even share. cos² is \
             the other way round: the share of a column that the components show; where it is small, the maps say little about it.",
        )),
    }
}

fn reconstruction(story: &Story, drawn: &Drawn) -> Section {
    let lost = (1.0 - story.kept_share()).max(0.0);
    let mut blocks = vec![Block::Figure(on_page(story, drawn.reconstruction()))];
    blocks.extend(
        drawn
            .pictures()
            .map(|figure| Block::Figure(on_page(story, figure))),
    );
    Section {
        topic: Topic::Reconstruction,
        answer: Prose::from(format!(
            "Rows rebuilt from {} lose {} of the {}.",
            match story.analysis.k {
                1 => "one component".to_owned(),
                k => format!("{k} components"),
            },
            percent(lost),
            story.variance()
        )),
        blocks,
        how_to_read: Some(Prose::from(
            "The curve shows what is lost if only the first components are kept. Cells that the fit has not seen are the harder test: \
             where their curve turns upward, further components describe noise.",
        )),
    }
}

fn outliers(story: &Story, drawn: &Drawn) -> Section {
    let outliers = &story.analysis.outliers;
    let mut blocks = vec![Block::Figure(page::Figure {
        data: Data::Points,
        ..on_page(story, drawn.outliers())
    })];
    blocks.extend(tables::outliers(story).map(Block::Table));
    let looked_at = story.analysis.rows.t2.len();
    let of = match looked_at < story.analysis.n_rows() {
        true => format!(" (of a sample of {})", counted(looked_at, "row")),
        false => String::new(),
    };
    let limits = &outliers.limits;
    let few = story.has_few_rows();
    let level = whole_percent(limits.level);
    let answer = match (limits.t2.is_none() && limits.q.is_none()) || few {
        true => "There are too few rows to trust a limit; the distances are shown all the same."
            .to_owned(),
        false if outliers.n_beyond == 0 => {
            format!("No row lies beyond the limits that {level} of ordinary rows keep{of}.")
        }
        false => format!(
            "Beyond the {level} limits, {} far out along the components and {} far away from them, {} in all{of}.",
            lies(outliers.n_beyond_t2),
            lies(outliers.n_beyond_q),
            counted(outliers.n_beyond, "row")
        ),
    };
    Section {
        topic: Topic::Outliers,
        answer: Prose::from(answer),
        blocks,
        how_to_read: Some(Prose::from(
            "To the right lie rows that are extreme in what the components show (Hotelling's T²), upward those that the components \
             do not explain well (Q, the squared error of rebuilding them). A row far to the right pulls the components; a row far up \
             is of another kind.",
        )),
    }
}

fn stability(story: &Story) -> Option<Section> {
    let table = tables::intervals(story)?;
    let bootstrap = story.analysis.bootstrap.as_ref()?;
    let k = story.analysis.k.min(bootstrap.span_angles.len());
    let span = bootstrap.span_angles.get(k.checked_sub(1)?)?;
    let mut facts: Vec<(String, Prose)> = Vec::new();
    if let Some(adequacy) = &story.analysis.adequacy {
        let kmo = match (&adequacy.kmo, no_kmo(story)) {
            (Some(kmo), _) => Some(format!(
                "{} (from 0 to 1; below 0.5 the columns share too little){}",
                hundredths(kmo.overall),
                nearly_closed(story)
            )),
            (None, why) => why.map(|why| format!("not given: {why}")),
        };
        facts.extend(kmo.map(|said| ("Kaiser–Meyer–Olkin".to_owned(), Prose::from(said))));
        if let Some(bartlett) = &adequacy.bartlett {
            let said = format!(
                "χ² = {} with {} degrees of freedom, p = {}",
                short(bartlett.chi2),
                grouped(bartlett.df as u64),
                short(bartlett.p_value)
            );
            facts.push((
                "Bartlett's test of sphericity".to_owned(),
                Prose::from(said),
            ));
        }
    }
    let mut blocks = vec![Block::Table(table)];
    let notes = bootstrap.notes.iter();
    facts.extend(notes.map(|note| ("Not told apart".to_owned(), Prose::from(format!("{note}.")))));
    if !facts.is_empty() {
        blocks.push(Block::List(facts));
    }
    Some(Section {
        topic: Topic::Stability,
        answer: Prose::from(format!(
            "Where rows are drawn anew from these, {} turns by about {}°, and in {} of draws by less than {}°.",
            match k {
                1 => "the first component".to_owned(),
                2 => "the plane of the first two components".to_owned(),
                k => format!("the space of the first {k} components"),
            },
            brief(span.median.to_degrees()),
            whole_percent(bootstrap.level),
            brief(span.upper.to_degrees()),
        )),
        blocks,
        how_to_read: Some(Prose::from(
            "Rows are drawn again with replacement, many times, and each draw is analyzed. Intervals are corrected for bias: with \
             few rows for many columns the first eigenvalues come out too large, so that an interval may lie below its eigenvalue. A component whose stability is near 1 comes out the same every time; two that change places with each other \
             have low stability alone, while the plane they span may stand firm.",
        )),
    })
}

fn columns(story: &Story) -> Section {
    described_columns(
        &story.analysis.description,
        story.fit.rows.table.weight().is_some(),
    )
}

/// The table of columns.
pub(super) fn described_columns(description: &Description, has_weights: bool) -> Section {
    let mut blocks: Vec<Block> = description
        .warnings
        .iter()
        .map(|warning| Block::Note(Prose::from(warning.sentence())))
        .collect();
    blocks.push(Block::Table(tables::described(description)));
    let missing: u64 = description
        .columns
        .iter()
        .map(|column| column.missing)
        .sum();
    Section {
        topic: Topic::Columns,
        answer: Prose::from(match missing {
            0 => "No cell is missing.".to_owned(),
            1 => "One cell is missing.".to_owned(),
            n => format!("{} cells are missing.", grouped(n)),
        })
        .words(match has_weights {
            true => " The table of columns counts every row once and ignores the weights.",
            false => "",
        }),
        blocks,
        how_to_read: None,
    }
}

fn computed(story: &Story) -> Section {
    let parts = story.pca().parts();
    let options = serde_json::to_value(&parts.options).unwrap_or_default();
    let residual = (
        "largest residual ‖Cv − λv‖ ÷ λ".to_owned(),
        brief(largest_residual(story.pca())),
    );
    let mut facts = computation(&parts.plan, Some(residual), &options);
    facts.push(version());
    let mut blocks = vec![Block::List(facts)];
    let command = story.front.command();
    blocks.extend(command.map(|command| Block::Code(command.line.clone())));
    Section {
        topic: Topic::Computed,
        answer: Prose::from(SAME_BITS),
        blocks,
        how_to_read: None,
    }
}

/// The sentence above the command that repeats the report.
pub(super) const SAME_BITS: &str = "The same command on the same data gives the same numbers, to the bit, on any number of threads.";

/// The program that made the page.
pub(super) fn version() -> (String, Prose) {
    let version = format!("eigenspan {}", env!("CARGO_PKG_VERSION"));
    ("version".to_owned(), Prose::from(version))
}

/// How a model was computed, and with which options.
pub(super) fn computation(
    plan: &Plan,
    residual: Option<(String, String)>,
    options: &serde_json::Value,
) -> Vec<(String, Prose)> {
    let mut facts: Vec<(String, Prose)> = vec![
        (
            "solver".to_owned(),
            Prose::from(format!("{}: {}", plan.solver, plan.reason)),
        ),
        (
            "cost".to_owned(),
            Prose::from(format!(
                "{} of the data, {} of working memory, {} operations",
                match plan.passes {
                    1 => "one reading".to_owned(),
                    n => format!("{n} readings"),
                },
                bytes_words(plan.bytes),
                flops_words(plan.flops)
            )),
        ),
    ];
    facts.extend(residual.map(|(name, value)| (name, Prose::from(value))));
    for (name, value) in options.as_object().into_iter().flatten() {
        let value = match value {
            serde_json::Value::Null => "not given".to_owned(),
            serde_json::Value::String(text) => text.clone(),
            value => value.to_string(),
        };
        facts.push((name.replace('_', " "), Prose::from(value)));
    }
    facts
}
