//! What principal and random directions keep, as a table for a terminal.

use super::LISTED;
use crate::figure::directions::Directions;
use crate::words::percent;

impl Directions<'_> {
    /// What k directions of either kind keep, and the two directions of the plane.
    pub fn terminal(&self, _width: usize) -> String {
        let kept = self.kept;
        let mut out = String::from(" directions  principal     random   nine of ten draws\n");
        for k in (1..kept.principal.len()).take(LISTED) {
            out += &format!(
                " {k:>10}  {:>9}  {:>9}   {} to {}\n",
                percent(kept.principal[k]),
                percent(kept.random[k]),
                percent(kept.low[k]),
                percent(kept.high[k])
            );
        }
        if !self.is_line() {
            let [principal, random] = self.plane_key();
            out += &format!("\n {principal}; {random}\n");
        }
        out
    }
}
