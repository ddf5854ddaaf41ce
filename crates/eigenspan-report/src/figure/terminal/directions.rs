//! What principal and random directions keep, as a table for a terminal.

use super::{LISTED, lines};
use crate::figure::directions::Directions;
use crate::words::percent;

impl Directions<'_> {
    /// What k directions of either kind keep, and the two directions of the plane.
    pub fn terminal(&self, width: usize) -> String {
        /// Columns that the table takes with the range of the draws.
        const WITH_RANGE: usize = 54;
        let kept = self.kept;
        let wide = width >= WITH_RANGE;
        let mut out = String::from(" directions  principal     random");
        out += if wide { "   nine of ten draws\n" } else { "\n" };
        for k in (1..kept.principal.len()).take(LISTED) {
            let (principal, random) = (percent(kept.principal[k]), percent(kept.random[k]));
            out += &format!(" {k:>10}  {principal:>9}  {random:>9}");
            if wide {
                out += &format!("   {} to {}", percent(kept.low[k]), percent(kept.high[k]));
            }
            out.push('\n');
        }
        if !self.is_line() {
            let [principal, random] = self.plane_key();
            out.push('\n');
            out += &lines::wrapped(&format!("{principal}; {random}"), width);
        }
        out
    }
}
