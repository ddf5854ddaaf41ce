//! The colors of the page, light and dark, as variables of its style sheet.
//!
//! These are the inks of the figures ([`palette`]) and two that only the page uses. Text has a contrast of at least 4.5 : 1 with the
//! paper; a test checks this.

use crate::figure::palette;

/// Colors that only the page uses: name, on light paper, on dark paper.
const PAGE: [(&str, &str, &str); 2] = [
    ("link", "#0a5c9e", "#7cc3ff"),
    ("shade", "#f3f5f7", "#20262d"),
];

/// Name, on light paper, on dark paper.
fn inks() -> Vec<(String, String, String)> {
    let figures = palette::inks().map(|ink| {
        let [light, dark] = [false, true].map(|dark| palette::hex(ink, dark));
        (palette::name(ink), light, dark)
    });
    let page = PAGE.map(|(name, light, dark)| (name.into(), light.into(), dark.into()));
    figures.chain(page).collect()
}

/// The CSS variables: light unless the system or the reader chooses dark; printed pages are always light.
pub(super) fn variables() -> String {
    let inks = inks();
    let light = inks
        .iter()
        .map(|(name, light, _)| format!("--{name}:{light};"));
    let dark = inks
        .iter()
        .map(|(name, _, dark)| format!("--{name}:{dark};"));
    let (light, dark): (String, String) = (light.collect(), dark.collect());
    format!(
        ":root{{color-scheme:light;{light}}}\n\
         @media (prefers-color-scheme: dark){{:root:not([data-theme=light]){{color-scheme:dark;{dark}}}}}\n\
         :root[data-theme=dark]{{color-scheme:dark;{dark}}}\n\
         @media print{{:root,:root:not([data-theme=light]),:root[data-theme=dark],[data-theme=dark] .eigenspan-figure,\
         .eigenspan-figure:not(.light){{color-scheme:light;{light}}}}}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance, as WCAG 2.2 defines it.
    fn luminance(color: &str) -> f64 {
        let channel = |at: usize| {
            let c = f64::from(u8::from_str_radix(&color[at..at + 2], 16).unwrap()) / 255.0;
            if c <= 0.04045 {
                c / 12.92
            } else {
                ((c + 0.055) / 1.055).powf(2.4)
            }
        };
        0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
    }

    fn contrast(a: &str, b: &str) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    fn ink(name: &str) -> [String; 2] {
        let (_, light, dark) = inks().into_iter().find(|(ink, ..)| ink == name).unwrap();
        [light, dark]
    }

    #[test]
    fn contrast_is_that_of_the_guideline() {
        // Black on white, and a gray on white that just passes.
        assert!((contrast("#000000", "#ffffff") - 21.0).abs() < 1e-12);
        assert!((contrast("#767676", "#ffffff") - 4.54).abs() < 0.005);
    }

    #[test]
    fn text_can_be_read_on_every_paper() {
        for paper in ["ground", "shade"] {
            for text in ["text", "muted", "link"] {
                for (text, paper) in ink(text).into_iter().zip(ink(paper)) {
                    assert!(contrast(&text, &paper) >= 4.5, "{text} on {paper}");
                }
            }
        }
    }

    #[test]
    fn borders_of_controls_can_be_seen() {
        for (line, paper) in ink("axis").into_iter().zip(ink("ground")) {
            assert!(contrast(&line, &paper) >= 3.0, "{line} on {paper}");
        }
    }
}
