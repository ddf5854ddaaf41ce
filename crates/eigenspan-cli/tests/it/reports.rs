//! `eigenspan report`: its sentences for every kind of table, and the files that it does not touch.

use serde_json::Value;

use crate::support::{Sandbox, assert_close, noise, npy, workspace};

/// The page without what a script or a style sheet is.
fn page(sandbox: &Sandbox, name: &str) -> String {
    let text = sandbox.text(name);
    let mut out = String::new();
    let mut rest = text.as_str();
    while let Some(start) = rest.find("<s") {
        let end = ["<style", "<script"].iter().find_map(|tag| {
            let tail = rest[start..].strip_prefix(tag)?;
            let close = format!("</{}>", &tag[1..]);
            let at = tail.find(&close)?;
            Some(start + tag.len() + at + close.len())
        });
        out += &rest[..end.map_or(start + 2, |_| start)];
        rest = &rest[end.unwrap_or(start + 2)..];
    }
    out + rest
}

/// What a reader sees: tags away, entities back.
fn read(page: &str) -> String {
    let mut out = String::new();
    for piece in page.split('<') {
        out += piece.split_once('>').map_or(piece, |(_, text)| text);
    }
    out.replace("&#39;", "'").replace("&amp;", "&")
}

#[test]
fn northern_ireland_stands_apart_by_its_potatoes_and_its_fruit() {
    let sandbox = Sandbox::with_tables();
    let run = sandbox.done(&["report", "foods.csv"]);
    let page = read(&page(&sandbox, "foods.report.html"));
    // The lecture: N Ireland alone on one side of PC1, with more potatoes and less fruit and drink.
    for text in [
        run.out.split_whitespace().collect::<Vec<_>>().join(" "),
        page,
    ] {
        for said in [
            "2 components keep 96.5 % of the variance",
            "N Ireland stands apart on PC1",
            "Of all rows it has the most Fresh potatoes and the least Fresh fruit, Alcoholic drinks, Other meat and Other Veg",
        ] {
            assert!(text.contains(said), "{said}\n{text}");
        }
    }
}

#[test]
fn factominers_numbers_are_in_the_json_and_in_the_tables() {
    let sandbox = Sandbox::with_tables();
    let words = [
        "report",
        "decathlon.csv",
        "--exclude",
        "Competition",
        "--supplementary",
        "Points,Rank",
        "--like",
        "FactoMineR",
        "--tables",
        "tables",
    ];
    let object = sandbox.json(&words);
    let analysis = &object["analysis"];
    let named = |name: &str| -> f64 {
        let all = analysis["supplementary"]["numeric"]
            .as_array()
            .expect("a list");
        let one = all.iter().find(|column| column["name"] == name);
        one.expect("a column")["correlations"][0]
            .as_f64()
            .expect("a number")
    };
    // FactoMineR 2.x, PCA(decathlon, quanti.sup = 11:12, quali.sup = 13), as its authors print it.
    assert_close(&[0.9562, -0.6705], &[named("Points"), named("Rank")], 1e-4);
    let of = |value: &Value, column: usize| value[0][column].as_f64().expect("a number");
    assert_close(&[18.344], &[of(&analysis["contributions"], 0)], 1e-4);
    assert_close(&[0.6002], &[of(&analysis["cos2"], 0)], 1e-3);
    let contributions = sandbox.table("tables/contributions.csv");
    assert_eq!(contributions.names[1], "Dim.1");
    let of_100m = contributions
        .column("column")
        .iter()
        .position(|c| *c == "100m");
    let written = contributions.numbers("Dim.1")[of_100m.expect("100m")];
    assert_close(&[18.344], &[written], 1e-4);
    let cos2 = sandbox.table("tables/cos2.csv").numbers("Dim.1")[0];
    assert_close(&[0.6002], &[cos2], 1e-3);
    assert_eq!(sandbox.table("tables/rows.csv").rows.len(), 41);
    // The same again replaces its own tables; a table of somebody else stays.
    sandbox.done(&words);
    sandbox.write("tables/loadings.csv", "mine\n1\n");
    sandbox
        .refused(&words)
        .says(&["tables/loadings.csv is there already", "--force"]);
}

#[test]
fn every_kind_of_table_has_its_report() {
    let sandbox = Sandbox::with_tables();
    let mut next = noise();
    let mut row = |d: usize| -> Vec<String> { (0..d).map(|_| format!("{:.3}", next())).collect() };
    let mut table = |name: &str, n: usize, d: usize| {
        let names: Vec<String> = (0..d).map(|j| format!("c{j}")).collect();
        let rows: Vec<String> = (0..n).map(|_| row(d).join(",")).collect();
        sandbox.write(name, format!("{}\n{}\n", names.join(","), rows.join("\n")));
    };
    for (name, n, d) in [
        ("wide.csv", 60, 300),
        ("column.csv", 9, 1),
        ("two.csv", 2, 3),
        ("few.csv", 9, 30),
        ("many.csv", 3000, 4),
    ] {
        table(name, n, d);
    }
    std::fs::create_dir(sandbox.path("parts")).expect("a folder");
    for part in ["parts/a.csv", "parts/b.csv"] {
        table(part, 12, 3);
    }
    sandbox.write("equal.csv", format!("a,b\n{}", "1,2\n".repeat(6)));
    sandbox.write(
        "holes.csv",
        "a,b,c\n1,2,9\nNA,3,7\n4,1,1\n2,NA,5\n3,3,2\n5,1,1\n",
    );
    sandbox.write(
        "weighted.csv",
        "w,a,b\n1,1,2\n2,4,3\n1,5,1\n3,2,2\n1,7,7\n2,1,9\n",
    );
    let floats: Vec<u8> = (0..60u8)
        .flat_map(|i| (f32::from(i % 7) * f32::from(i)).to_le_bytes())
        .collect();
    sandbox.write("f32.npy", npy("<f4", (20, 3), &floats));
    let mtx = "%%MatrixMarket matrix coordinate real general\n6 4 7\n1 1 2\n2 2 1\n3 1 4\n4 3 1\n5 4 2\n6 1 1\n6 2 3\n";
    sandbox.write("sparse.mtx", mtx);
    sandbox.done(&[
        "fit",
        "pca",
        "iris.csv",
        "-k",
        "all",
        "-o",
        "scores.parquet",
    ]);
    let camera = workspace().join("data/camera/camera.png");
    let camera = camera.to_str().expect("UTF-8");
    for words in [
        &["iris.csv"][..],
        &["wine.csv", "--scale"],
        &["digits.csv", "--label-column", "digit"],
        &["wide.csv"],
        &["column.csv"],
        &["two.csv"],
        &["few.csv"],
        &["many.csv"],
        &["equal.csv"],
        &["parts"],
        &["weighted.csv", "--weight-column", "w"],
        &["holes.csv", "--missing", "mean"],
        &["holes.csv", "--missing", "drop"],
        &["holes.csv", "--missing", "em", "-k", "1"],
        &["holes.csv", "--missing", "em", "-k", "all"],
        &["f32.npy"],
        &["sparse.mtx"],
        &["scores.parquet"],
        &[camera, "--patch", "12"],
        &["wine.csv", "--scale", "--rotate", "oblimin", "-k", "3"],
    ] {
        let told = [&["report"], words, &["-o", "page.html", "--force"]].concat();
        let run = sandbox.done(&told);
        let said = format!("{words:?}: {run:#?}");
        assert!(run.out.contains("Can the numbers be trusted?"), "{said}");
        for never in ["NaN", "inf ", " 1 rows", " 1 components"] {
            let answers = run.out.split(" What is the data?").nth(1).expect("answers");
            assert!(!answers.contains(never), "{never}: {said}");
        }
        let size = sandbox.bytes("page.html").len();
        assert!(size < 1_000_000, "{size} bytes: {words:?}");
    }
}

#[test]
fn what_cannot_be_analyzed_leaves_no_file() {
    let sandbox = Sandbox::with_tables();
    sandbox.write("holes.csv", "a,b\n1,2\nNA,3\n4,1\n2,2\n");
    sandbox.write("row.csv", "a,b\n1,2\n");
    let says = |words: &[&str], said: &[&str]| {
        sandbox.refused(words).says(said);
    };
    sandbox.done(&["report", "holes.csv", "-o", "looked.html"]);
    says(&["fit", "pca", "holes.csv"], &["line 3", "--missing mean"]);
    says(&["report", "row.csv"], &["1 row is too few"]);
    says(
        &["report", "iris.csv", "--supplementary", "sepals"],
        &["no column \"sepals\""],
    );
}

#[test]
fn a_page_goes_where_it_may_and_nowhere_else() {
    let sandbox = Sandbox::with_tables();
    std::fs::create_dir(sandbox.path("in")).expect("a folder");
    std::fs::copy(sandbox.path("iris.csv"), sandbox.path("in/iris.csv")).expect("a copy");
    sandbox.done(&["report", "in/iris.csv"]);
    // An earlier report of the same data is replaced, from wherever it is called.
    sandbox.done(&["report", "in/iris.csv", "--scale"]);
    sandbox.write("notes.html", "<title>notes</title>");
    let says = |words: &[&str], said: &[&str]| {
        sandbox.refused(words).says(said);
    };
    // The name beside the data is nobody's choice: what is not an earlier report of it stays.
    sandbox.write("wine.report.html", "<title>notes</title>");
    says(
        &["report", "wine.csv"],
        &[
            "wine.report.html is there already",
            "--force replaces it",
            "-o FILE writes elsewhere",
        ],
    );
    for force in [&[][..], &["--force"]] {
        let words = [&["report", "iris.csv", "-o", "./iris.csv"], force].concat();
        says(&words, &["is the input: the result would replace it"]);
    }
    says(
        &["report", "iris.csv", "-o", "x", "-m", "./x"],
        &["cannot be both the page and the model"],
    );
    says(
        &["report", "iris.csv", "-o", "-"],
        &["standard output", "-o NAME.html"],
    );
    says(
        &["report", "iris.csv", "--tables", "wine.csv"],
        &["is a file"],
    );
    says(&["report", "-"], &["standard input", "-o NAME.html"]);
    // A name that was typed is meant.
    sandbox
        .done(&["report", "iris.csv", "-o", "notes.html"])
        .says(&["written: notes.html (replaced)"]);
    let titled = sandbox
        .text("notes.html")
        .contains("iris.csv\u{2069} – eigenspan report");
    assert!(titled);
}

#[test]
fn any_number_of_threads_writes_the_same_page() {
    let sandbox = Sandbox::with_tables();
    let mut written = Vec::new();
    for threads in ["1", "4"] {
        let words = [
            "report",
            "wine.csv",
            "--scale",
            "--tables",
            "t",
            "--threads",
            threads,
        ];
        let out = sandbox.done(&words).out;
        let files = ["wine.report.html", "t/rows.csv", "t/loadings.csv"];
        written.push((out, files.map(|file| sandbox.bytes(file))));
    }
    assert!(written[0] == written[1]);
    assert!(
        sandbox
            .text("wine.report.html")
            .contains("eigenspan report wine.csv --scale --tables t<")
    );
}

#[test]
fn names_from_the_data_are_text_and_nothing_else() {
    let sandbox = Sandbox::new();
    let long = "x".repeat(300);
    let names = [
        "<script>alert(1)</script>",
        "\"\"'onload=1",
        "two\nlines",
        &long,
        "عرض البتلة",
    ];
    let head: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
    let mut table = format!("\"<b>id\",{}\n", head.join(","));
    let mut next = noise();
    for i in 0..20 {
        let cells: Vec<String> = names.iter().map(|_| format!("{:.3}", next())).collect();
        table += &format!(
            "\"<img src=x onerror=alert({i})>\n\u{202e}\",{}\n",
            cells.join(",")
        );
    }
    sandbox.write("h.csv", table);
    let run = sandbox.done(&["report", "h.csv"]);
    let page = page(&sandbox, "h.report.html");
    for never in ["<script>alert", "<img", "<b>", " onerror=", " onload="] {
        let inside_tags: String = page
            .split('<')
            .skip(1)
            .map(|t| t.split('>').next().unwrap_or(""))
            .collect();
        assert!(!page.contains(never) || !never.starts_with('<'), "{never}");
        assert!(!inside_tags.contains(never), "{never}");
    }
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
    assert!(page.contains("عرض البتلة"));
    // A terminal is not turned around, and no line is as long as a name can be.
    assert!(!run.out.contains('\u{202e}'));
    assert!(
        run.out.lines().all(|line| line.chars().count() <= 140),
        "{}",
        run.out
    );
}
