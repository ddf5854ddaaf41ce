//! The colors of the page, light and dark, as variables of its style.
//!
//! The same inks as in the figures: paper and lines, eight colors for classes (M. Okabe and K. Ito, "Color Universal
//! Design", 2008; yellow darker on white), sixteen steps of viridis from little to much. Text on paper has a contrast of
//! at least 4.5 : 1, which a test holds.

/// Name, on light paper, on dark paper.
const INKS: [(&str, &str, &str); 32] = [
    ("ground", "#ffffff", "#161a1f"),
    ("text", "#1b1f24", "#eceef0"),
    ("muted", "#57606a", "#a6adb5"),
    ("grid", "#e4e7ea", "#2d333a"),
    ("axis", "#8c959f", "#6e7781"),
    ("other", "#aeb4ba", "#5c646c"),
    ("link", "#0a5c9e", "#7cc3ff"),
    ("shade", "#f3f5f7", "#20262d"),
    ("c0", "#0072b2", "#3da5e8"),
    ("c1", "#e69f00", "#e69f00"),
    ("c2", "#009e73", "#1fc094"),
    ("c3", "#d55e00", "#f07a2a"),
    ("c4", "#cc79a7", "#e08fbe"),
    ("c5", "#56b4e9", "#8fd0f5"),
    ("c6", "#303030", "#e4e6e8"),
    ("c7", "#cdbf10", "#f0e442"),
    ("q0", "#440154", "#404385"),
    ("q1", "#451666", "#3b538b"),
    ("q2", "#472a79", "#34618c"),
    ("q3", "#423c82", "#2e6e8e"),
    ("q4", "#3c4d89", "#297c8d"),
    ("q5", "#365d8c", "#24898d"),
    ("q6", "#2f6c8d", "#22968a"),
    ("q7", "#297b8d", "#25a285"),
    ("q8", "#24898c", "#29ae80"),
    ("q9", "#239789", "#40ba73"),
    ("q10", "#26a584", "#57c566"),
    ("q11", "#31b27b", "#75cf53"),
    ("q12", "#4abf6d", "#97d73e"),
    ("q13", "#66cb5d", "#b9de2e"),
    ("q14", "#8bd445", "#dbe22a"),
    ("q15", "#b0dc30", "#fde725"),
];

/// The variables: light unless the reader's system or the reader says dark; on paper always light.
pub(super) fn variables() -> String {
    let list = |of: fn(&(&str, &str, &str)) -> String| INKS.iter().map(of).collect::<String>();
    let light = list(|(name, light, _)| format!("--{name}:{light};"));
    let dark = list(|(name, _, dark)| format!("--{name}:{dark};"));
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

    fn ink(name: &str) -> [&'static str; 2] {
        let (_, light, dark) = INKS.iter().find(|(ink, ..)| *ink == name).unwrap();
        [light, dark]
    }

    #[test]
    fn contrast_is_that_of_the_guideline() {
        // The two ends, and the gray that is known to pass just so.
        assert!((contrast("#000000", "#ffffff") - 21.0).abs() < 1e-12);
        assert!((contrast("#767676", "#ffffff") - 4.54).abs() < 0.005);
    }

    #[test]
    fn text_can_be_read_on_every_paper() {
        for paper in ["ground", "shade"] {
            for text in ["text", "muted", "link"] {
                for (text, paper) in ink(text).into_iter().zip(ink(paper)) {
                    assert!(contrast(text, paper) >= 4.5, "{text} on {paper}");
                }
            }
        }
    }

    #[test]
    fn borders_of_controls_can_be_seen() {
        for (line, paper) in ink("axis").into_iter().zip(ink("ground")) {
            assert!(contrast(line, paper) >= 3.0, "{line} on {paper}");
        }
    }
}
