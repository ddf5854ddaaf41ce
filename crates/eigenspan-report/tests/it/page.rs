//! The report as a file: names are never markup, nothing is loaded from elsewhere, and every part is where it belongs. The pages
//! written here are also tested in a browser, in `tests/browser`.

use std::collections::BTreeSet;
use std::path::Path;

use eigenspan_report::page::{Block, Page, Topic, html};
use regex::Regex;

use crate::sample;

type Make = fn() -> Page;

/// Every page that is tested here.
const PAGES: [(&str, Make); 3] = [
    ("iris", sample::iris),
    ("hostile", sample::hostile_page),
    ("large", sample::large),
];

/// What stands between the data and the page's own script, style included.
fn markup(html: &str) -> String {
    let without = |text: &str, pattern: &str| {
        let found = Regex::new(pattern).unwrap();
        found.replace_all(text, "").into_owned()
    };
    let text = without(html, r"(?s)<style.*?</style>");
    without(&text, r"(?s)<script.*?</script>")
}

#[test]
fn pages_for_the_browser_are_written() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pages");
    std::fs::create_dir_all(&folder).unwrap();
    // The program makes those of ordinary tables itself.
    std::fs::write(folder.join("hostile.html"), html(&sample::hostile_page())).unwrap();
}

/// Every tag with the names of its attributes: `a href`.
fn tags(page: &Page) -> Vec<String> {
    let tag = Regex::new(r"<(/?[a-zA-Z!][^\s>]*)([^>]*)>").unwrap();
    let value = Regex::new(r#"="[^"]*""#).unwrap();
    let text = markup(&html(page));
    let read = tag.captures_iter(&text).map(|tag| {
        let names = value.replace_all(&tag[2], "");
        let names: Vec<&str> = names.split_whitespace().collect();
        format!("{} {}", &tag[1], names.join(" ")).trim().to_owned()
    });
    read.collect()
}

#[test]
fn hostile_names_add_no_element_and_no_attribute() {
    // The same page with letters for names has the same tags.
    assert_eq!(tags(&sample::hostile_page()), tags(&sample::tame_page()));
}

#[test]
fn hostile_names_are_there_as_text() {
    let html = html(&sample::hostile_page());
    for said in [
        "&lt;script&gt;alert(1)&lt;/script&gt;",
        "&quot;&gt;&lt;img src=x onerror=alert(2)&gt;",
        "two␊lines␊and␉a tab",
        "<bdi>عرض البتلة (سم)</bdi>",
        "a&amp;amp;b &amp;lt;i&amp;gt; ",
    ] {
        assert!(html.contains(said), "{said}");
    }
    for never in ["<script>alert", "<img", "' onmouseover"] {
        assert!(!markup(&html).contains(never), "{never}");
    }
}

#[test]
fn nothing_ends_the_data_or_the_script_early() {
    for (name, page) in PAGES {
        let html = html(&page());
        assert_eq!(html.matches("<script").count(), 2, "{name}");
        assert_eq!(html.matches("</script").count(), 2, "{name}");
        assert_eq!(html.matches("<!--").count(), 0, "{name}");
    }
}

#[test]
fn nothing_is_fetched() {
    let address = Regex::new(r#"https?://[^\s"'`)<]*"#).unwrap();
    const LOADS: [&str; 9] = [
        "src", "srcset", "action", "data", "poster", "link", "iframe", "object", "base",
    ];
    let links = Regex::new(r#"\shref="([^"]*)""#).unwrap();
    for (name, page) in PAGES {
        let page = page();
        let html = html(&page);
        for found in address.find_iter(&html) {
            assert_eq!(found.as_str(), "http://www.w3.org/2000/svg", "{name}");
        }
        let text = markup(&html);
        for tag in tags(&page) {
            assert!(
                !tag.split(' ').any(|word| LOADS.contains(&word)),
                "{name}: {tag}"
            );
        }
        assert!(
            !html.contains("@import") && !html.contains("url("),
            "{name}"
        );
        for link in links.captures_iter(&text) {
            assert!(link[1].starts_with('#'), "{name}: {}", &link[1]);
        }
        assert!(html.contains("default-src 'none'"), "{name}");
    }
}

#[test]
fn ten_thousand_rows_stay_below_a_megabyte() {
    let page = sample::large();
    assert_eq!(page.points.as_ref().unwrap().n_rows(), 10_000);
    let html = html(&page);
    assert!(html.len() < 1_000_000, "{} bytes", html.len());
    // What had no room is said.
    assert!(html.contains("Showing 10,000 of 200,000 rows (random, seed 0)."));
    assert!(html.contains("more columns to color by are left out to keep this file small."));
}

#[test]
fn parts_stand_in_the_order_of_the_questions() {
    let html = html(&sample::iris());
    let found = Regex::new(r#"<section id="part-([a-z-]+)""#).unwrap();
    let ids: Vec<String> = found
        .captures_iter(&html)
        .map(|c| c[1].to_owned())
        .collect();
    let order = [
        "words",
        "how-many",
        "scores",
        "loadings",
        "contributions",
        "reconstruction",
        "outliers",
        "columns",
        "computed",
    ];
    assert_eq!(ids, order);
    for id in order {
        assert!(html.contains(&format!("<a href=\"#part-{id}\">")), "{id}");
    }
    assert!(Topic::HowMany < Topic::Computed);
}

#[test]
fn ids_are_unique_and_what_refers_to_them_finds_them() {
    let id = Regex::new(r#"\sid="([^"]*)""#).unwrap();
    let refers =
        Regex::new(r##"\s(?:for|aria-labelledby|aria-describedby|href)="#?([^"]*)""##).unwrap();
    for (name, page) in PAGES {
        let html = html(&page());
        let mut seen = BTreeSet::new();
        for found in id.captures_iter(&html) {
            assert!(
                seen.insert(found[1].to_owned()),
                "{name}: {} twice",
                &found[1]
            );
        }
        for found in refers.captures_iter(&markup(&html)) {
            assert!(seen.contains(&found[1]), "{name}: no {}", &found[1]);
        }
    }
}

#[test]
fn every_figure_has_a_caption_ways_to_save_it_and_a_table() {
    for (name, page) in PAGES {
        let html = html(&page());
        let figures: Vec<&str> = html
            .split("<figure ")
            .skip(1)
            .map(|rest| rest.split("</figure>").next().unwrap())
            .collect();
        assert_eq!(figures.len(), 7, "{name}");
        for figure in figures {
            let caption = figure.split("<figcaption><p>").nth(1).unwrap();
            assert!(!caption.starts_with("</p>"), "{name}");
            for part in [
                "<svg",
                "data-save=\"svg\"",
                "data-save=\"png\"",
                "data-save=\"csv\"",
                "Show as table",
                "<tbody><tr>",
            ] {
                assert!(figure.contains(part), "{name}: no {part}");
            }
        }
    }
}

#[test]
fn a_page_without_points_has_a_drawing_and_no_controls() {
    let mut page = sample::iris();
    page.points = None;
    for section in &mut page.sections {
        section
            .blocks
            .retain(|block| matches!(block, Block::Scores(_)));
    }
    let html = html(&page);
    assert!(html.contains("id=\"figure-scores\"") && !html.contains("map-x\""));
}

#[test]
fn an_empty_page_is_a_page() {
    let html = html(&Page::default());
    assert!(html.starts_with("<!DOCTYPE html>") && html.ends_with("</html>\n"));
}
