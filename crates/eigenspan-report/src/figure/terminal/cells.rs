//! Figures made of colored cells, in the terminal: shades show size, textures and colors show the sign.
//!
//! Plus is a block and minus a pattern of dots, so that both can be distinguished without colors.

use eigenspan::error::grouped;
use eigenspan::linalg::sort_largest_first;

use super::super::heatmap::Heatmap;
use super::super::measure;
use super::super::pictures::{MOST, Pictures};
use super::lines::cut_name;

/// At most this many columns are listed.
const LISTED: usize = 40;
/// At most this many cells along a side of a picture.
const SIDE: usize = 16;
const PLUS: [char; 5] = [' ', '░', '▒', '▓', '█'];
const MINUS: [char; 5] = [' ', '⠂', '⠆', '⠶', '⠿'];
/// ANSI colors of plus and minus: yellow and blue.
const COLORS: (u8, u8) = (33, 34);

impl Heatmap<'_> {
    /// A line per column, a shaded cell per component.
    pub fn terminal(&self, width: usize) -> String {
        let drawn = self.components.len().min(self.loadings.len());
        let order = self.order(drawn);
        let listed = self.strongest(&order, drawn);
        let names: Vec<String> = listed
            .iter()
            .map(|&j| cut_name(&measure::label(&self.names[j]), (width / 2).max(8)))
            .collect();
        let longest = |texts: &mut dyn Iterator<Item = usize>| texts.max().unwrap_or(0);
        let name = longest(&mut names.iter().map(|n| n.chars().count()));
        let heads = self.components.iter().take(drawn);
        let cell = longest(&mut heads.map(|c| c.name.chars().count())).max(4);
        let k = (width.saturating_sub(name + 2) / (cell + 1)).clamp(1, drawn.max(1));
        let k = k.min(drawn);
        let largest = self.largest(&order, drawn);
        let mut out = format!(" {:name$} ", "");
        let heads = self.components.iter().take(k);
        out.extend(heads.map(|c| format!(" {:<cell$}", c.name)));
        out = out.trim_end().to_owned() + "\n";
        for (&j, text) in listed.iter().zip(&names) {
            let cells: String = (0..k)
                .map(|c| format!(" {}", shaded(self.value(j, c) / largest, cell)))
                .collect();
            out += format!(" {text:<name$} {cells}").trim_end();
            out.push('\n');
        }
        if order.len() > listed.len() {
            out += &format!(
                " … {} more columns\n",
                grouped((order.len() - listed.len()) as u64)
            );
        }
        if drawn > k {
            out += &format!(" … {} more components\n", grouped((drawn - k) as u64));
        }
        out + &scale(&format!("{} {largest:.2}", self.measure.noun()))
    }

    /// The columns to list, in their order; if there are many, those with the largest weights.
    fn strongest(&self, order: &[usize], k: usize) -> Vec<usize> {
        let weight = |j: usize| (0..k).map(|c| self.value(j, c).abs()).fold(0.0, f64::max);
        let mut places: Vec<usize> = (0..order.len()).collect();
        sort_largest_first(&mut places, &|j| weight(order[j]));
        places.truncate(LISTED);
        places.sort_unstable();
        places.into_iter().map(|place| order[place]).collect()
    }
}

impl Pictures<'_> {
    /// Components side by side, with two characters per cell.
    pub fn terminal(&self, width: usize) -> String {
        let k = self.components.len().min(self.loadings.len()).min(MOST);
        let pictures: Vec<(String, Vec<String>)> = (0..k).map(|c| self.lines(c)).collect();
        let wide = 2 * self.averaged(&[], SIDE).0;
        let heads = pictures.iter().map(|(head, _)| head.chars().count());
        let slot = wide.max(heads.max().unwrap_or(0)) + 2;
        let per_line = (width / slot).max(1);
        let mut out = String::new();
        for row in pictures.chunks(per_line) {
            let heads: String = row
                .iter()
                .map(|(h, _)| format!(" {h:<0$}", slot - 1))
                .collect();
            out += &format!("{}\n", heads.trim_end());
            let n_lines = row.iter().map(|(_, lines)| lines.len()).max().unwrap_or(0);
            for i in 0..n_lines {
                let gap = " ".repeat(slot - 1 - wide);
                let cells = row.iter().map(|(_, lines)| lines.get(i).map_or("", |l| l));
                let line: String = cells.map(|cells| format!(" {cells}{gap}")).collect();
                out += line.trim_end();
                out.push('\n');
            }
            out.push('\n');
        }
        if self.components.len() > k {
            let more = grouped((self.components.len() - k) as u64);
            out += &format!(" … {more} more components\n");
        }
        out + &scale("the largest weight of each")
    }

    /// The heading of a component and its picture.
    fn lines(&self, c: usize) -> (String, Vec<String>) {
        let (across, cells) = self.averaged(self.loadings[c], SIDE);
        let sizes = cells.iter().map(|x| x.abs()).filter(|x| x.is_finite());
        let largest = sizes.fold(0.0, f64::max);
        let shade = |x: &f64| shaded(if largest > 0.0 { x / largest } else { 0.0 }, 2);
        let lines = cells.chunks(across);
        (
            self.components[c].heading(),
            lines.map(|line| line.iter().map(shade).collect()).collect(),
        )
    }
}

/// A value between −1 and 1 as this many characters.
pub(super) fn shaded(value: f64, width: usize) -> String {
    let step = (4.0 * value.abs().min(1.0)).round() as usize;
    let (texture, color) = match value < 0.0 {
        true => (MINUS, COLORS.1),
        false => (PLUS, COLORS.0),
    };
    let cell = texture.get(step).unwrap_or(&' ').to_string().repeat(width);
    match step {
        0 => cell,
        _ => format!("\x1b[{color}m{cell}\x1b[0m"),
    }
}

/// The legend of the shades.
fn scale(full: &str) -> String {
    let side = |sign: f64| -> String {
        let steps = (1..=4).map(|step| shaded(sign * f64::from(step) / 4.0, 1));
        steps.collect()
    };
    format!(
        " {} plus   {} minus   (full: {full})\n",
        side(1.0),
        side(-1.0)
    )
}
