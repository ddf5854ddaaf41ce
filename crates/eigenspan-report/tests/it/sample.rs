//! Sample pages: a well-known table, hostile names, and the largest number of rows that a page takes.

use eigenspan::rng::Rng;
use eigenspan::source::Dense;
use eigenspan::{Context, Mat, PcaOptions};
use eigenspan_report::page::{
    Answer, Axis, Block, CellKind, Color, Column, Data, Fact, Figure, Page, Points, Prose, Section,
    Table, Topic, Values,
};

/// Names that are markup, breaks, quotes, another direction, or very long.
pub(crate) fn hostile() -> Vec<String> {
    let fixed = [
        "<script>alert(1)</script>",
        "\"><img src=x onerror=alert(2)>",
        "</script><script>alert(3)</script>",
        "' onmouseover='alert(4)",
        "--> <!-- ]]> </title></style></textarea>",
        "two\nlines\r\nand\ta tab",
        "عرض البتلة (سم)",
        "a&amp;b &lt;i&gt; \u{2028}\u{0}\u{1b}[31m",
        "{{7*7}} ${alert(5)} `x`",
        "",
    ];
    let mut names: Vec<String> = fixed.map(str::to_owned).to_vec();
    names.push("long ".repeat(60));
    names.push("W".repeat(300));
    names
}

/// Fisher's irises, fitted here.
pub(crate) fn iris() -> Page {
    let text = include_str!("../../../../data/iris/iris.csv");
    let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    let columns: Vec<String> = lines[0][..4]
        .iter()
        .map(|name| name.replace('_', " "))
        .collect();
    let table = Mat::from_fn(lines.len() - 1, 4, |i, j| lines[i + 1][j].parse().unwrap());
    let species: Vec<String> = ["setosa", "versicolor", "virginica"]
        .map(str::to_owned)
        .to_vec();
    let codes = lines[1..]
        .iter()
        .map(|line| species.iter().position(|s| s == line[4]))
        .collect();
    let (points, shares) = fitted(&table, &columns, vec![levels("species", &species, codes)]);
    page("iris.csv", &columns, &points, &shares)
}

/// Hostile names for everything that has a name.
pub(crate) fn hostile_page() -> Page {
    named(&hostile())
}

/// The same with names that are letters.
pub(crate) fn tame_page() -> Page {
    let names: Vec<String> = (0..hostile().len()).map(|j| format!("x{j}")).collect();
    named(&names)
}

fn named(names: &[String]) -> Page {
    let mut rng = Rng::new(7);
    let table = Mat::from_fn(240, names.len(), |_, _| rng.normal());
    let codes = (0..240)
        .map(|i| (i % 13 != 0).then_some(i % names.len()))
        .collect();
    let colors = vec![levels(&names[1], names, codes)];
    let (mut points, shares) = fitted(&table, names, colors);
    points.names = Some((0..240).map(|i| names[i % names.len()].clone()).collect());
    page(&names[0], names, &points, &shares)
}

/// As many rows, axes and columns as a page takes, and more rows in the data.
pub(crate) fn large() -> Page {
    let n = eigenspan_report::page::MAX_ROWS;
    let mut rng = Rng::new(1);
    let columns: Vec<String> = (1..=30).map(|j| format!("sensor {j}")).collect();
    let table = Mat::from_fn(n, 30, |i, j| {
        let group = (i % 5) as f64 * (j % 3) as f64;
        group + rng.normal() * (1.0 + 3.0 / (1.0 + j as f64))
    });
    let groups: Vec<String> = (1..=5).map(|g| format!("group {g}")).collect();
    let codes = (0..n).map(|i| Some(i % 5)).collect();
    let mut colors = vec![levels("machine", &groups, codes)];
    colors.extend((0..30).map(|j| Color {
        name: columns[j].clone(),
        values: Values::Numbers((0..n).map(|i| table[(i, j)]).collect()),
    }));
    let (mut points, shares) = fitted(&table, &columns, colors);
    points.names = Some((0..n).map(|i| format!("2026-05-01 {:05}", 7 * i)).collect());
    points.numbers = Some((0..n as u32).map(|i| 20 * i + 1).collect());
    points.n_total = 20 * n;
    points.sampling = Some("random, seed 0".to_owned());
    page("factory.parquet", &columns, &points, &shares)
}

/// The scores of a PCA as points, numbers of the table as colors, and the shares.
fn fitted(table: &Mat<f64>, columns: &[String], mut colors: Vec<Color>) -> (Points, Vec<f64>) {
    let ctx = Context::new();
    let rows = Dense::new(table.view());
    let pca = PcaOptions::default().fit(&ctx, &rows).unwrap();
    let scores = pca.transform(&ctx, &rows).unwrap();
    let shares = pca.explained_variance_ratio();
    let axes = (0..shares.len().min(10))
        .map(|k| Axis {
            name: format!("PC{}", k + 1),
            share: Some(shares[k]),
            words: format!("more {}", columns[k % columns.len()]),
            scores: (0..table.n_rows()).map(|i| scores[(i, k)]).collect(),
        })
        .collect();
    if colors.len() == 1 {
        colors.extend(columns.iter().enumerate().map(|(j, name)| Color {
            name: name.clone(),
            values: Values::Numbers((0..table.n_rows()).map(|i| table[(i, j)]).collect()),
        }));
    }
    let variance = pca.explained_variance();
    let t2 = |i: usize| (0..2).map(|k| scores[(i, k)].powi(2) / variance[k]).sum();
    let q = |i: usize| (2..shares.len()).map(|k| scores[(i, k)].powi(2)).sum();
    let points = Points {
        axes,
        colors,
        t2: Some((0..table.n_rows()).map(t2).collect()),
        q: Some((0..table.n_rows()).map(q).collect()),
        n_total: table.n_rows(),
        ..Default::default()
    };
    (points, shares)
}

fn levels(name: &str, levels: &[String], codes: Vec<Option<usize>>) -> Color {
    Color {
        name: name.to_owned(),
        values: Values::Levels {
            levels: levels.to_vec(),
            codes,
        },
    }
}

fn page(title: &str, columns: &[String], points: &Points, shares: &[f64]) -> Page {
    let percent = |x: f64| format!("{:.1} %", 100.0 * x);
    Page {
        title: title.to_owned(),
        subtitle: Prose::new().words(format!(
            "{} rows × {} numeric columns · PCA, centered, not scaled",
            points.n_total,
            columns.len()
        )),
        headline: Prose::new()
            .words("Two components carry ")
            .strong(percent(shares[0] + shares[1]))
            .words(" of the variance; the first is mostly ")
            .name(&columns[2])
            .words("."),
        facts: [
            (points.n_total.to_string(), "rows, all of them complete"),
            (
                "2".to_owned(),
                "components matter, by seven of eleven rules",
            ),
            (
                percent(shares[0] + shares[1]),
                "of the variance is kept by them",
            ),
            ("3e−15".to_owned(), "largest residual of a component"),
        ]
        .map(|(value, label)| Fact {
            value,
            label: label.into(),
        })
        .to_vec(),
        answers: answers(columns),
        sections: sections(columns, points, shares),
        points: Some(points.clone()),
        figure_style: ".eigenspan-figure .f-c0{fill:var(--c0)}".to_owned(),
        footer: "Made by eigenspan. Nothing in this file is fetched from elsewhere.".into(),
    }
}

fn answers(columns: &[String]) -> Vec<Answer> {
    let answer = |question: &str, text: Prose| Answer {
        question: question.to_owned(),
        text,
    };
    vec![
        answer("How many matter?", "Two. Seven of eleven rules say so; Kaiser’s rule says one, because it ignores how close the second eigenvalue is to 1.".into()),
        answer("What do they mean?", Prose::new().strong("PC1").words(" is more ").names(&columns[..3]).words("; ").strong("PC2").words(" sets ").name(&columns[3]).words(" apart.")),
        answer("Which rows stand out?", Prose::new().name("row 132").words(" and ").name("row 118").words(" lie beyond the 99 % limit of T².")),
        answer("What was set aside?", "Nothing: no cell is missing and no column is constant.".into()),
        answer("Can it be trusted?", "Every eigenpair comes with its residual; the largest is 3e−15 of the first eigenvalue. KMO is 0.54: rather low.".into()),
    ]
}

fn sections(columns: &[String], points: &Points, shares: &[f64]) -> Vec<Section> {
    let section = |topic: Topic, answer: Prose, blocks: Vec<Block>| Section {
        topic,
        answer,
        blocks,
        how_to_read: Some(
            "Each bar is a component; its height is the share of the variance it carries.".into(),
        ),
    };
    let csv = |name: &str, values: &[f64]| {
        let quoted = |s: &str| format!("\"{}\"", s.replace('"', "\"\""));
        let lines = columns.iter().zip(values.iter().cycle());
        let lines = lines
            .map(|(c, v)| format!("{},{v}\n", quoted(c)))
            .collect::<String>();
        Data::Csv(format!("column,{}\n{lines}", quoted(name)))
    };
    let bars = |id: &str| Figure {
        id: id.to_owned(),
        svg: drawing(id, &columns[0], shares),
        caption: Prose::new()
            .words("How much each component carries, and where ")
            .name(&columns[0])
            .words(" stands. Bars fall off where noise begins."),
        data: csv("share", shares),
    };
    // Out of order on purpose: the page puts them right.
    vec![
        section(
            Topic::Computed,
            "In one pass, exactly.".into(),
            vec![
                Block::Code(format!("eigenspan report '{}' --scale", columns[0])),
                Block::List(vec![
                    (
                        "solver".to_owned(),
                        "full: at 150 × 4 the most accurate decomposition costs next to nothing"
                            .into(),
                    ),
                    ("version".to_owned(), Prose::new().code("eigenspan 0.1.0")),
                ]),
            ],
        ),
        section(
            Topic::HowMany,
            Prose::new()
                .words("Two components: the scree bends after ")
                .strong("PC2")
                .words("."),
            vec![Block::Figure(bars("scree"))],
        ),
        section(
            Topic::Scores,
            Prose::new().words("Rows fall into groups along PC1."),
            vec![Block::Scores(Figure {
                data: Data::Points,
                ..bars("scores")
            })],
        ),
        section(
            Topic::Loadings,
            Prose::new().words("PC1 is ").name(&columns[2]).words("."),
            vec![
                Block::Figures(vec![bars("loadings"), bars("circle")]),
                Block::Note(
                    Prose::new()
                        .name(&columns[0])
                        .words(" varies 40 times more than the rest; ")
                        .code("--scale")
                        .words(" gives every column the same weight."),
                ),
            ],
        ),
        section(
            Topic::Contributions,
            "Three columns carry nearly all.".into(),
            vec![Block::Figure(bars("contributions"))],
        ),
        section(
            Topic::Reconstruction,
            "With two components 2.2 % of the variance is lost.".into(),
            vec![Block::Figure(bars("reconstruction"))],
        ),
        section(
            Topic::Outliers,
            "Two rows lie beyond both limits.".into(),
            vec![
                Block::Figure(Figure {
                    data: Data::Points,
                    ..bars("outliers")
                }),
                Block::Text(
                    Prose::new()
                        .words("Farthest: ")
                        .name(points.names.as_ref().map_or("row 132", |names| &names[5]))
                        .words("."),
                ),
            ],
        ),
        section(
            Topic::Columns,
            "All columns are numeric and complete.".into(),
            vec![Block::Table(table(columns))],
        ),
    ]
}

fn table(columns: &[String]) -> Table {
    let column = |name: &str, kind: CellKind| Column {
        name: name.to_owned(),
        kind,
    };
    let cells = |(j, name): (usize, &String)| {
        let spread = format!("{:.3}", 0.1 + j as f64 * 1.7 % 3.0);
        vec![
            name.clone(),
            "number".to_owned(),
            "150".to_owned(),
            format!("−{j}.25"),
            spread,
        ]
    };
    Table {
        caption: Prose::new()
            .words("Every column of ")
            .name(&columns[0])
            .words(" and others"),
        columns: vec![
            column("column", CellKind::Text),
            column("type", CellKind::Text),
            column("count", CellKind::Number),
            column("mean", CellKind::Number),
            column(columns.last().unwrap(), CellKind::Number),
        ],
        rows: columns.iter().enumerate().map(cells).collect(),
        sortable: true,
        shown_rows: 10,
    }
}

/// A drawing as figures make them: a title inside, classes for colors, text that is escaped.
fn drawing(id: &str, name: &str, shares: &[f64]) -> String {
    let name = name
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace(['\n', '\r', '\t'], " ");
    let shown = &shares[..shares.len().min(20)];
    let wide = 700.0 / shown.len() as f64;
    let bars: String = shown
        .iter()
        .enumerate()
        .map(|(k, share)| {
            let (x, height) = (40.0 + k as f64 * wide, 300.0 * share / shown[0]);
            format!("<rect class=\"f-c0\" x=\"{x:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{height:.1}\"/>", 340.0 - height, 0.7 * wide)
        })
        .collect();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"eigenspan-figure\" id=\"{id}\" \
         viewBox=\"0 0 760 400\" width=\"760\" height=\"400\" role=\"img\" aria-labelledby=\"{id}-title\">\
         <title id=\"{id}-title\">{name}</title>{bars}\
         <text x=\"40\" y=\"370\" font-size=\"14\" style=\"fill:var(--muted)\">components of {name:.20}</text></svg>"
    )
}
