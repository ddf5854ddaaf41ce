//! The advice of a report, which depends on the data: scales, columns that are not measurements, groups, and what cannot be decided.

use crate::support::{Sandbox, data, noise};

/// The first sentence of a report: up to the end of its command.
fn headline(sandbox: &Sandbox, words: &[&str]) -> String {
    let out = sandbox.done(words).out;
    let words: Vec<&str> = out.split_whitespace().collect();
    let text = words.join(" ");
    let start = text.find("The columns differ in scale");
    start.map_or(String::new(), |start| text[start..].to_owned())
}

/// What the report answers, on one line, and what it writes to standard error.
fn answers(sandbox: &Sandbox, words: &[&str]) -> String {
    let run = sandbox.done(words);
    let text: Vec<&str> = run.out.split_whitespace().collect();
    text.join(" ")
}

fn table(names: &[&str], rows: impl Iterator<Item = Vec<f64>>) -> String {
    let line = |row: Vec<f64>| -> String {
        let cells: Vec<String> = row.iter().map(ToString::to_string).collect();
        cells.join(",") + "\n"
    };
    format!(
        "{}\n{}",
        names.join(","),
        rows.map(line).collect::<String>()
    )
}

/// Cars as people measure them: cubic inches beside gear numbers, and no column that is nearly all of PC1 alone.
fn cars() -> String {
    let names = "mpg,cyl,disp,hp,drat,wt,qsec,vs,am,gear,carb";
    let names: Vec<&str> = names.split(',').collect();
    let mut next = noise();
    let rows = (0..32).map(|_| {
        let size = next();
        let mut about = |mean: f64, spread: f64, by_size: f64| {
            let x = mean + spread * (by_size * size + (1.0 - by_size.abs()) * next());
            (100.0 * x).round() / 100.0
        };
        vec![
            about(20.0, 24.0, -0.8),
            (6.0 + 4.0 * about(0.0, 1.0, 0.9)).round(),
            about(230.0, 430.0, 0.9),
            about(147.0, 250.0, 0.8),
            about(3.6, 1.8, -0.7),
            about(3.2, 3.3, 0.9),
            about(17.8, 6.0, 0.1),
            f64::from(about(0.0, 1.0, -0.8) > 0.0),
            f64::from(about(0.0, 1.0, -0.3) > 0.0),
            (3.7 + 2.0 * about(0.0, 1.0, -0.3)).round(),
            (3.0 + 4.0 * about(0.0, 1.0, 0.2)).round(),
        ]
    });
    table(&names, rows)
}

#[test]
fn a_report_on_unlike_scales_says_so_first_with_the_columns_and_the_command() {
    let sandbox = Sandbox::with_tables();
    for name in ["usarrests", "breast-cancer"] {
        let file = format!("{name}.csv");
        std::fs::copy(data(name), sandbox.path(&file)).expect("a copy");
    }
    sandbox.write("cars.csv", cars());
    // Half of the columns in milligrams, the other half in grams: none is nearly all of PC1.
    let mut next = noise();
    let units = (0..80).map(|_| {
        (0..8)
            .map(|j| next() * if j % 2 == 0 { 1000.0 } else { 1.0 })
            .collect()
    });
    sandbox.write(
        "units.csv",
        table(&["a", "b", "c", "d", "e", "f", "g", "h"], units),
    );
    for (file, columns) in [
        ("usarrests.csv", "Assault is 99."),
        ("cars.csv", "disp and hp are"),
        ("breast-cancer.csv", "worst_area and mean_area are 99."),
        ("wine.csv", "proline is 100.0 %"),
        ("penguins.csv", "body_mass_g is 100.0 %"),
        ("units.csv", ", "),
    ] {
        let words = [
            "report",
            file,
            "--missing",
            "mean",
            "--force",
            "-o",
            "page.html",
        ];
        let said = headline(&sandbox, &words);
        let start = format!("The columns differ in scale: {columns}");
        assert!(
            said.starts_with(&start) || file == "units.csv",
            "{file}: {said}"
        );
        let command = format!(
            "eigenspan report {file} --missing mean -o page.html --scale brings every column to variance 1"
        );
        let first = said.split_once(". ").map_or("", |(first, _)| first);
        assert!(said.contains(&command), "{file}: {said}");
        assert!(
            first.is_empty() || said.find(&command) < said.find(" keep"),
            "{file}: {said}"
        );
        assert!(said.contains("the variance of "), "{file}: {said}");
        // The page begins with the same words; a scaled report does not.
        assert!(
            sandbox
                .text("page.html")
                .contains("<p class=\"headline\">The columns differ in scale")
        );
        let scaled = [&words[..], &["--scale"]].concat();
        assert_eq!(headline(&sandbox, &scaled), "", "{file}");
        let page = sandbox.text("page.html");
        assert!(
            !page.contains("differ in scale") && !page.contains("little else"),
            "{file}"
        );
    }
}

#[test]
fn columns_of_one_unit_are_not_told_to_be_scaled() {
    let sandbox = Sandbox::with_tables();
    std::fs::copy(data("hald"), sandbox.path("hald.csv")).expect("a copy");
    let mut next = noise();
    // Money: one column varies twenty times as much as another; counts; a spectrum whose ends are faint.
    let money = (0..60).map(|_| {
        [12.0, 7.0, 9.5, 4.8, 2.9]
            .map(|s: f64| (500.0 * s * (1.0 + next())).round())
            .to_vec()
    });
    sandbox.write(
        "money.csv",
        table(&["fresh", "milk", "grocery", "frozen", "deli"], money),
    );
    // The same beside codes for classes, which are no small measurements.
    let coded = (0..60).map(|i| {
        let money = [12.0, 7.0, 9.5, 4.8, 2.9].map(|s: f64| (500.0 * s * (1.0 + next())).round());
        [
            vec![f64::from(i % 2 + 1), f64::from(i % 3 + 1)],
            money.to_vec(),
        ]
        .concat()
    });
    let names = [
        "Channel", "Region", "fresh", "milk", "grocery", "frozen", "deli",
    ];
    sandbox.write("coded.csv", table(&names, coded));
    let names: Vec<String> = (400..440).map(|nm| format!("nm{nm}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let spectra = (0..50).map(|_| {
        let (a, b) = (next(), next());
        let at = |j: usize, c: f64| (-((j as f64 - c) / 6.0).powi(2)).exp();
        (0..40)
            .map(|j| a * at(j, 14.0) + b * at(j, 26.0) + 1e-4 * next())
            .collect()
    });
    sandbox.write("spectra.csv", table(&names, spectra));
    for words in [
        &["foods.csv"][..],
        &["digits.csv", "--label-column", "digit"],
        &["iris.csv"],
        &["hald.csv"],
        &["rings.csv"],
        &["money.csv"],
        &["coded.csv"],
        &["spectra.csv"],
    ] {
        let words = [&["report"], words, &["-o", "page.html", "--force"]].concat();
        assert_eq!(headline(&sandbox, &words), "", "{words:?}");
        let look = sandbox.done(&words[1..words.len() - 3]);
        assert!(!look.err.contains("--scale"), "{look:?}");
        let described = sandbox.done(&["describe", words[1]]);
        assert!(!described.err.contains("--scale"), "{described:?}");
    }
}

/// A column's name, its cell in a row, and the option that deals with it.
type Case<'a> = (&'a str, &'a dyn Fn(usize) -> f64, &'a str);

#[test]
fn counters_ids_years_and_classes_are_noticed_with_a_command_that_works() {
    let sandbox = Sandbox::new();
    let mut next = noise();
    let mut rows = |first: &dyn Fn(usize) -> f64| -> Vec<Vec<f64>> {
        let rows = (0..40).map(|i| {
            let shared = next();
            let mut row = vec![first(i)];
            row.extend((0..4).map(|_| ((shared + 0.3 * next()) * 1000.0).round() / 10.0));
            row
        });
        rows.collect()
    };
    let names = ["weight", "height", "width", "depth"];
    let cases: [Case; 9] = [
        ("rownames", &|i| (i + 1) as f64, "--id-column rownames"),
        ("n", &|i| i as f64, "--id-column n"),
        (
            "account",
            &|i| (1000 + 37 * i + i % 7) as f64,
            "--id-column account",
        ),
        (
            "Patient ID",
            &|i| (i * 7919 % 997) as f64,
            "--id-column 'Patient ID'",
        ),
        ("year", &|i| (1990 + i % 7) as f64, "--exclude year"),
        ("target", &|i| (i % 3) as f64, "--label-column target"),
        ("y", &|i| (i % 2) as f64, "--label-column y"),
        ("Species", &|i| (1 + i % 3) as f64, "--label-column Species"),
        (
            "ZIP",
            &|i| (10_000 + i * 7919 % 5003) as f64,
            "--exclude ZIP",
        ),
    ];
    for (name, first, option) in cases {
        let names = [&[name], &names[..]].concat();
        sandbox.write("t.csv", table(&names, rows(first).into_iter()));
        let said = answers(&sandbox, &["report", "t.csv"]);
        let command = format!("eigenspan report t.csv {option}");
        assert!(said.contains(&command), "{name}: {said}");
        assert!(said.contains("not like a measurement"), "{name}: {said}");
        let described = sandbox.done(&["describe", "t.csv"]);
        assert!(described.err.contains(option), "{name}: {described:?}");
        // What is suggested can be typed, analyzes the column no more, and says nothing further about it.
        let mut typed: Vec<String> = vec!["report".to_owned(), "t.csv".to_owned()];
        let (flag, value) = option.split_once(' ').expect("an option with a value");
        typed.extend([flag.to_owned(), value.trim_matches('\'').to_owned()]);
        let typed: Vec<&str> = typed.iter().map(String::as_str).collect();
        let object = sandbox.json(&typed);
        assert_eq!(object["n_cols"], 4, "{name}");
        assert!(
            !object["notes"]
                .to_string()
                .contains("not like a measurement"),
            "{name}"
        );
    }
    // A counter that drowns the rest is said first, and scaling is not the remedy.
    let names = [&["rownames"], &names[..]].concat();
    let small = rows(&|i| (i + 1) as f64).into_iter();
    let small =
        small.map(|row| [vec![row[0]], row[1..].iter().map(|x| x / 1000.0).collect()].concat());
    sandbox.write("t.csv", table(&names, small));
    let said = answers(&sandbox, &["report", "t.csv"]);
    let first = "rownames is most of PC1, but looks like numbers that name the rows, not like a measurement: \
                 eigenspan report t.csv --id-column rownames takes it for the rows' names.";
    assert!(said.contains(first), "{said}");
    assert!(!said.contains("--scale"), "{said}");
}

#[test]
fn measurements_are_not_taken_for_counters_codes_or_classes() {
    let sandbox = Sandbox::with_tables();
    for name in ["usarrests", "hald", "breast-cancer"] {
        std::fs::copy(data(name), sandbox.path(&format!("{name}.csv"))).expect("a copy");
    }
    let mut next = noise();
    let names = "age,children,pixel_1,pixel_2,group_size,x,y,temperature,NO,count";
    let names: Vec<&str> = names.split(',').collect();
    let rows = (0..90).map(|i| {
        let mut whole = |size: f64, low: f64| (low + size * (next() + 0.5)).floor();
        vec![
            18.0 + i as f64,
            whole(4.0, 0.0),
            whole(256.0, 0.0),
            whole(16.0, 0.0),
            whole(9.0, 1.0),
            whole(5.0, 0.0),
            whole(5.0, 0.0),
            whole(140.0, -99.0),
            whole(300.0, 1.0),
            whole(999.0, 0.0).max(990.0 * f64::from(u8::from(i == 3))),
        ]
    });
    sandbox.write("people.csv", table(&names, rows));
    for file in [
        "people.csv",
        "usarrests.csv",
        "hald.csv",
        "breast-cancer.csv",
        "wine.csv",
        "iris.csv",
        "foods.csv",
    ] {
        let run = sandbox.done(&[file]);
        for word in ["not like a measurement", "missing-values", "--exclude"] {
            assert!(!run.err.contains(word), "{file}: {run:?}");
        }
    }
}

#[test]
fn codes_for_missing_cells_are_noticed_with_a_command_that_works() {
    for code in ["-999", "-9999", "-99", "-999.0", "9999", "-99.99"] {
        let sandbox = Sandbox::new();
        let mut next = noise();
        let mut text = "a,b,c,d\n".to_owned();
        for i in 0..50 {
            let cells: Vec<String> = (0..4)
                .map(|j| match (i * 4 + j) % 23 {
                    0 if j < 2 => code.to_owned(),
                    _ => format!("{:.1}", 20.0 + 30.0 * next()),
                })
                .collect();
            text += &(cells.join(",") + "\n");
        }
        sandbox.write("t.csv", &text);
        let said = answers(&sandbox, &["report", "t.csv"]);
        let value: f64 = code.parse().expect("a number");
        let command = format!("eigenspan report t.csv --missing-values={value} --missing mean");
        assert!(said.contains(&command), "{code}: {said}");
        assert!(
            said.contains("looks like a code for missing cells"),
            "{code}: {said}"
        );
        let typed: Vec<&str> = command.split(' ').skip(1).collect();
        let again = answers(&sandbox, &typed);
        assert!(!again.contains("code for missing cells"), "{code}: {again}");
        assert!(
            again.contains("filled with their column's mean"),
            "{code}: {again}"
        );
    }
}

#[test]
fn groups_are_named_with_where_they_lie() {
    let sandbox = Sandbox::with_tables();
    let said = answers(&sandbox, &["report", "iris.csv"]);
    let part = "species goes with PC1: it explains 93.0 % of it; setosa (−2.6) lies low on PC1, virginica (2.1) high.";
    assert!(said.contains(part), "{said}");
    // One group of five differs, and on PC2 alone; another column sorts rows at random.
    let mut next = noise();
    let mut text = "tissue,by_chance,a,b,c,d\n".to_owned();
    for i in 0..100 {
        let (x, y) = (6.0 * next(), next());
        let low = if i % 5 == 3 { 1.5 } else { 0.0 };
        let tissue = ["LUNG", "BREAST", "COLON", "MELANOMA", "RENAL"][i % 5];
        let cells = [
            x + 0.1 * next(),
            x + 0.1 * next(),
            y - low + 0.1 * next(),
            y - low + 0.1 * next(),
        ];
        text += &format!(
            "{tissue},g{},{}\n",
            (7 * i + i / 9) % 6,
            cells.map(|c| c.to_string()).join(",")
        );
    }
    sandbox.write("t.csv", text);
    let said = answers(&sandbox, &["report", "t.csv"]);
    let said = said.split("Do groups differ?").nth(1).unwrap_or_default();
    let said = said.split("What was set aside").next().unwrap_or_default();
    assert!(
        said.contains(" of PC2; MELANOMA (") || said.contains(" of it; MELANOMA ("),
        "{said}"
    );
    assert!(
        said.contains("lies low on PC2") || said.contains("lies high on PC2"),
        "{said}"
    );
    assert!(!said.contains("LUNG ("), "{said}");
    assert!(
        said.contains("by_chance has little to do with the components")
            || said.contains("may do by chance"),
        "{said}"
    );
}

#[test]
fn no_verdict_is_given_on_two_columns_nor_on_parts_of_a_whole() {
    let sandbox = Sandbox::with_tables();
    std::fs::copy(data("hald"), sandbox.path("hald.csv")).expect("a copy");
    let mut next = noise();
    // Shares of a whole in percent, rounded, beside a column of its own.
    let parts = (0..60).map(|_| {
        let parts = [0.5, 0.5, 0.5, 0.5].map(|shift: f64| next() + shift + 0.1);
        let sum: f64 = parts.iter().sum();
        let mut row: Vec<f64> = parts
            .iter()
            .map(|x| (1000.0 * x / sum).round() / 10.0)
            .collect();
        row.push((100.0 * next()).round() / 10.0);
        row
    });
    sandbox.write(
        "parts.csv",
        table(&["sand", "silt", "clay", "stone", "slope"], parts),
    );
    for (file, why) in [
        ("rings.csv", "it says nothing about two columns"),
        (
            "parts.csv",
            "sand, silt, clay and stone sum to a constant (to within 0.3 % of their spread), so that each is all but known from the others",
        ),
    ] {
        let said = answers(&sandbox, &["report", file]);
        assert!(said.contains(why), "{file}: {said}");
        assert!(!said.contains("The columns share"), "{file}: {said}");
        let adequacy = &sandbox.json(&["report", file])["analysis"]["adequacy"];
        assert!(adequacy["kmo"].is_null(), "{adequacy:#}");
    }
    // Hald's sums lie between 95 and 99: near a constant, and none.
    for words in [&["wine.csv", "--scale"][..], &["hald.csv"]] {
        let said = answers(&sandbox, &[&["report"], words].concat());
        assert!(said.contains("The columns share"), "{said}");
    }
}
