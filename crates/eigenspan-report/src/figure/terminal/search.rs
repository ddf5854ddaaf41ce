//! A search for parameters in the terminal: a bar for every value of one parameter, shades for two.

use super::super::measure;
use super::super::search::{Parameter, Search};
use super::cells::shaded;
use super::lines::{cut, cut_name};
use crate::words::{bar, brief, short};

/// At most this many values are listed.
const LISTED: usize = 60;

impl Search {
    /// Draws the figure for a terminal of this width.
    pub fn terminal(&self, width: usize) -> String {
        match &self.down {
            None => self.bars(width),
            Some(down) => self.shades(down, width),
        }
    }

    fn mark(&self, place: usize) -> &'static str {
        match place {
            place if place == self.best => "  ◂ best",
            place if place == self.simplest => "  ◂ simplest",
            _ => "",
        }
    }

    /// A bar: the longer the better; empty for the worst.
    fn bars(&self, width: usize) -> String {
        let names: Vec<String> = self
            .across
            .values
            .iter()
            .map(|v| cut_name(&measure::label(v), (width / 3).max(8)))
            .collect();
        let head = cut_name(&measure::label(&self.across.name), (width / 3).max(8));
        let longest = names.iter().chain([&head]).map(|n| n.chars().count());
        let name = longest.max().unwrap_or(0);
        let means: Vec<String> = (0..names.len()).map(|i| self.with_error(i)).collect();
        let number = means.iter().map(|m| m.chars().count()).max().unwrap_or(0);
        let room = width.saturating_sub(name + number + 18).clamp(1, 50) as f64;
        let measure = cut(&self.measure, width.saturating_sub(name + 3));
        let mut out = format!(" {head:>name$}  {measure}\n");
        for (place, text) in names.iter().enumerate().take(LISTED) {
            let length = self.worth(place).map_or(0.0, |worth| worth * room);
            let mean = means.get(place).map_or("", String::as_str);
            let line = format!(
                " {text:>name$}  {mean:>number$}  {}{}",
                bar(length),
                self.mark(place)
            );
            out += line.trim_end();
            out.push('\n');
        }
        if names.len() > LISTED {
            out += &format!(" … {} more\n", names.len() - LISTED);
        }
        out
    }

    /// `0.953 ± 0.012`.
    fn with_error(&self, place: usize) -> String {
        let at = |numbers: &[f64]| numbers.get(place).copied().filter(|x| x.is_finite());
        match (at(&self.means), at(&self.errors)) {
            (Some(mean), Some(error)) => format!("{} ± {}", short(mean), brief(error)),
            (Some(mean), None) => short(mean),
            _ => "–".to_owned(),
        }
    }

    /// A line per value of one parameter, a shaded cell per value of the other.
    fn shades(&self, down: &Parameter, width: usize) -> String {
        let label = |value: &String| cut_name(&measure::label(value), (width / 3).max(8));
        let heads: Vec<String> = self.across.values.iter().map(label).collect();
        let names: Vec<String> = down.values.iter().map(label).collect();
        let longest = |texts: &[String]| texts.iter().map(|t| t.chars().count()).max().unwrap_or(0);
        let down = cut_name(&measure::label(&down.name), (width / 3).max(8));
        let name = longest(&names).max(down.chars().count());
        let cell = longest(&heads).max(4);
        let n = (width.saturating_sub(name + 3) / (cell + 1)).clamp(1, heads.len().max(1));
        let mut out = format!(
            " {:name$}  {}\n {down:>name$} ",
            "",
            cut(
                &measure::label(&self.across.name),
                width.saturating_sub(name + 3)
            )
        );
        out.extend(heads.iter().take(n).map(|head| format!(" {head:<cell$}")));
        out = out.trim_end().to_owned() + "\n";
        for (row, text) in names.iter().enumerate().take(LISTED) {
            let cells: String = (0..n.min(heads.len()))
                .map(|col| self.shade(row * heads.len() + col, cell))
                .collect();
            out += format!(" {text:>name$} {cells}").trim_end();
            out.push('\n');
        }
        if names.len() > LISTED || heads.len() > n {
            out += " … and more that do not fit here\n";
        }
        let steps: String = (1..=4)
            .map(|step| shaded(f64::from(step) / 4.0, 1))
            .collect();
        let simplest = match self.simplest == self.best {
            true => "",
            false => "   ○ simplest",
        };
        out + &format!(" {steps} better   ● best{simplest}\n")
    }

    /// A cell: its shade, and a mark in front of it for the choices.
    fn shade(&self, place: usize, width: usize) -> String {
        let mark = match place {
            place if place == self.best => '●',
            place if place == self.simplest => '○',
            _ => ' ',
        };
        match self.worth(place) {
            Some(worth) => format!("{mark}{}", shaded(worth, width)),
            None => format!("{mark}{:<width$}", "–"),
        }
    }
}
