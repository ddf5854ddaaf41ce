//! Whether a kernel is positive semi-definite by construction.
//!
//! Sums, products, positive multiples, exp and g(x)·k·g(x') of positive semi-definite kernels are positive semi-definite, too.
//! A conditionally positive semi-definite kernel (vᵀKv ≥ 0 for all v that sum to zero) is good enough here, because centering
//! leaves only such vectors; its exp is positive semi-definite without condition (Schoenberg 1938, Trans. Amer. Math. Soc. 44,
//! 522–536).

use std::fmt;

use super::Base;
use super::expression::Node;

/// Whether every matrix of a kernel has no negative eigenvalue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// By construction.
    Always,
    /// Once centered.
    Conditionally,
    /// Not by construction: negative eigenvalues may occur, and are then reported.
    Not,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::Always => "positive semi-definite by construction",
            Verdict::Conditionally => "conditionally positive semi-definite: once centered",
            Verdict::Not => "not positive semi-definite by construction",
        })
    }
}

impl Verdict {
    pub(super) fn for_node(node: &Node) -> Verdict {
        let worst = |parts: &[Node]| {
            parts
                .iter()
                .map(Verdict::for_node)
                .max()
                .unwrap_or(Verdict::Not)
        };
        let only_always = |verdict| match verdict {
            Verdict::Always => Verdict::Always,
            _ => Verdict::Not,
        };
        match node {
            Node::Base(base) => Verdict::of_base(base),
            Node::Multiple(_, of) => Verdict::for_node(of),
            Node::Sum(terms) => worst(terms),
            Node::Product(factors) => only_always(worst(factors)),
            Node::Normalize(of) | Node::Weighted(_, of) => only_always(Verdict::for_node(of)),
            Node::Exp(of) => match Verdict::for_node(of) {
                Verdict::Not => Verdict::Not,
                _ => Verdict::Always,
            },
        }
    }

    fn of_base(base: &Base) -> Verdict {
        match *base {
            // A negative constant vanishes when the matrix is centered; in a product it does not.
            Base::Poly { degree, coef0, .. } if coef0 < 0.0 => match degree {
                1 => Verdict::Conditionally,
                _ => Verdict::Not,
            },
            Base::Tanh { .. } | Base::Precomputed => Verdict::Not,
            Base::Linear
            | Base::Cosine
            | Base::Poly { .. }
            | Base::Rbf { .. }
            | Base::Laplacian { .. }
            | Base::Matern { .. }
            | Base::RationalQuadratic { .. }
            | Base::Chi2 { .. } => Verdict::Always,
        }
    }
}
