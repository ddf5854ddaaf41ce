//! Parts of figures: numbers at axes, widths of texts, colors, files.

use eigenspan_report::figure::heatmap::{Heatmap, Measure};
use eigenspan_report::figure::palette::{class_ink, class_shape, rgb};
use eigenspan_report::figure::pictures::Pictures;
use eigenspan_report::figure::scene::Ink;
use eigenspan_report::figure::scree::Scree;
use eigenspan_report::figure::{Component, Size, axis, measure, png, svg};

use crate::support::{elements, without_colors};

fn texts(span: (f64, f64), most: usize) -> Vec<String> {
    axis::ticks(span, most)
        .into_iter()
        .map(|(_, text)| text)
        .collect()
}

#[test]
fn numbers_at_an_axis_are_round_and_short() {
    assert_eq!(
        texts((0.0, 1.0), 5),
        ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]
    );
    assert_eq!(
        texts((-0.35, 0.35), 7),
        ["−0.3", "−0.2", "−0.1", "0", "0.1", "0.2", "0.3"]
    );
    assert_eq!(
        texts((0.0, 42_000.0), 5),
        ["0", "10,000", "20,000", "30,000", "40,000"]
    );
    assert_eq!(texts((0.0, 3e-7), 3), ["0", "1×10⁻⁷", "2×10⁻⁷", "3×10⁻⁷"]);
    assert_eq!(texts((5.0, 5.0), 5), [""; 0]);
    assert!(texts((f64::NAN, 1.0), 5).is_empty());
}

#[test]
fn a_span_is_never_empty_and_leaves_out_what_is_not_finite() {
    assert_eq!(
        axis::span([f64::NAN, 2.0, f64::INFINITY, 4.0], 0.0),
        (2.0, 4.0)
    );
    assert_eq!(axis::span([], 0.1), (0.0, 1.0));
    let (low, high) = axis::span([7.0, 7.0], 0.1);
    assert!(low < 7.0 && 7.0 < high);
}

/// Widths by FreeType of the original DejaVu Sans 2.37: 2048 units per em; H 1540, e 1260, l 569, o 1253.
#[test]
fn texts_are_as_wide_as_their_font_says() {
    let units = 1540 + 1260 + 569 + 569 + 1253;
    let width = measure::width("Hello", 2048.0, false);
    assert_eq!(width, f64::from(units));
    assert!(measure::width("Hello", 10.0, true) > measure::width("Hello", 10.0, false));
}

#[test]
fn long_texts_are_cut_to_fit() {
    let fitted = measure::fit(
        "a sentence that is too long to stand here",
        100.0,
        12.0,
        false,
    );
    assert!(
        fitted.ends_with('…') && measure::width(&fitted, 12.0, false) <= 100.0,
        "{fitted}"
    );
    let lines = measure::wrap("one two three four five six seven", 60.0, 12.0, false, 2);
    assert!(lines.len() == 2 && lines[1].ends_with('…'), "{lines:?}");
    let name = measure::fit_name("concentration of iron (mg/l)", 90.0, 12.0);
    assert!(name.starts_with("conc") && name.ends_with("/l)"), "{name}");
}

#[test]
fn forty_classes_look_different() {
    let looks: Vec<_> = (0..40).map(|i| (class_ink(i), class_shape(i))).collect();
    for (i, look) in looks.iter().enumerate() {
        assert!(!looks[..i].contains(look), "class {i}");
    }
}

/// WCAG 2.1: text needs a contrast of 4.5 with what is behind it, graphics 3 where they must be told apart.
#[test]
fn text_stands_out_on_light_and_dark_paper() {
    let luminance = |c: [u8; 3]| {
        let linear = c.map(|x| {
            let x = f64::from(x) / 255.0;
            if x <= 0.03928 {
                x / 12.92
            } else {
                ((x + 0.055) / 1.055).powf(2.4)
            }
        });
        0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    };
    for dark in [false, true] {
        let paper = luminance(rgb(Ink::Ground, dark));
        for (ink, least) in [
            (Ink::Text, 7.0),
            (Ink::Muted, 4.5),
            (Ink::Class(0), 3.0),
            (Ink::Class(3), 3.0),
        ] {
            let ink = luminance(rgb(ink, dark));
            let contrast = (ink.max(paper) + 0.05) / (ink.min(paper) + 0.05);
            assert!(contrast >= least, "{contrast} of {least}, dark: {dark}");
        }
    }
}

#[test]
fn figures_can_stand_together_in_a_page() {
    let shares = [0.6, 0.3, 0.1];
    let scree = Scree {
        shares: &shares,
        n_possible: 3,
        ..Scree::default()
    };
    let figure = scree.figure(Size::default());
    let text = svg::inline(&figure);
    assert!(!text.contains("<style") && text.contains("id=\"scree-title\""));
    assert!(
        text.starts_with("<svg") && text.contains("role=\"img\"") && text.contains("data-frames=")
    );
    assert!(elements(&text).contains(&"desc".to_owned()));
    assert!(svg::style().contains("prefers-color-scheme:dark"));
    assert_eq!(
        figure.csv.lines().next(),
        Some("component,share,cumulative,null")
    );
    assert_eq!(figure.csv.lines().count(), 4);
}

#[test]
fn a_png_has_the_size_asked_for_and_follows_the_theme() {
    let shares = [0.6, 0.3, 0.1];
    let scree = Scree {
        shares: &shares,
        ..Scree::default()
    };
    let scene = scree.figure(Size::default()).scene;
    for (dark, corner) in [(false, [255, 255, 255]), (true, rgb(Ink::Ground, true))] {
        let bytes = png::draw(&scene, 1.5, dark).expect("drawn");
        let mut reader = png_reader(&bytes);
        let mut pixels = vec![0; reader.output_buffer_size().expect("size")];
        let info = reader.next_frame(&mut pixels).expect("frame");
        assert_eq!((info.width, info.height), (1350, 900));
        assert_eq!(pixels[..3], corner);
        let blue = rgb(Ink::Class(0), dark);
        assert!(pixels.chunks(3).any(|p| p == blue), "the bars are blue");
    }
    assert!(png::draw(&scene, 1e6, false).is_err());
}

fn png_reader(bytes: &[u8]) -> ::png::Reader<std::io::Cursor<&[u8]>> {
    ::png::Decoder::new(std::io::Cursor::new(bytes))
        .read_info()
        .expect("a PNG")
}

/// Plus and minus differ by texture, so that a terminal without colors tells them apart.
#[test]
fn cells_in_the_terminal_show_their_sign_without_colors() {
    let component = Component {
        name: "PC1",
        share: Some(0.5),
        words: "",
    };
    let weights: [&[f64]; 1] = [&[1.0, -1.0, 0.5, 0.0]];
    let pictures = Pictures {
        components: &[component],
        loadings: &weights,
        width: 2,
        height: 2,
        channels: 1,
    };
    let text = without_colors(&pictures.terminal(80));
    assert!(text.starts_with(" PC1 (50.0 %)\n ██⠿⠿"), "{text}");
    assert_eq!(text.lines().nth(2), Some(" ▒▒"));
    let heatmap = Heatmap {
        measure: Measure::Weights,
        components: &[component],
        loadings: &weights,
        names: &["a", "b", "c", "d"].map(str::to_owned),
    };
    let text = heatmap.terminal(80);
    assert!(text.contains("\x1b[33m████\x1b[0m") && text.contains("\x1b[34m⠿⠿⠿⠿\x1b[0m"));
    let lines: Vec<String> = without_colors(&text).lines().map(str::to_owned).collect();
    assert_eq!(lines[..2], ["    PC1", " a  ████"]);
    assert!(lines.contains(&" b  ⠿⠿⠿⠿".to_owned()), "{lines:?}");
}
