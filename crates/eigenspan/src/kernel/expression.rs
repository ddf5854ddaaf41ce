//! A kernel as an expression, and the algebra that builds kernels from kernels.
//!
//! Expressions have a normal form: nested sums and nested products are flattened into one list, and factors come first. So
//! every value has exactly one text.

use std::fmt;
use std::ops;
use std::sync::Arc;

use super::{Base, Gamma, Verdict};
use crate::error::Error;

/// A kernel: a base kernel, or an expression of several.
///
/// ```
/// use eigenspan::kernel::{Base, Gamma, Kernel, Verdict};
///
/// let wide = Kernel::base(Base::Rbf { gamma: Gamma::Value(0.1) })?;
/// let square = Kernel::base(Base::Poly { degree: 2, gamma: Gamma::Value(1.0), coef0: 1.0 })?;
/// let kernel = wide.times(0.5)? + square * Kernel::base(Base::Linear)?.normalized();
///
/// let text = "0.5*rbf(gamma=0.1) + poly(degree=2, gamma=1, coef0=1)*normalize(linear)";
/// assert_eq!(kernel.to_string(), text);
/// assert_eq!(text.parse::<Kernel>()?, kernel);
/// assert_eq!(kernel.verdict(), Verdict::Always);
/// # Ok::<(), eigenspan::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Kernel(pub(super) Node);

/// A part of an expression.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Node {
    Base(Base),
    /// A factor other than 1 times an expression that has no factor of its own.
    Multiple(f64, Box<Node>),
    /// At least two terms, none of them a sum.
    Sum(Vec<Node>),
    /// At least two factors, none of them a product or a multiple.
    Product(Vec<Node>),
    Exp(Box<Node>),
    Normalize(Box<Node>),
    Weighted(RowFunction, Box<Node>),
}

/// A function from a row to a number.
type OfRow = dyn Fn(&[f64]) -> f64 + Send + Sync;

/// A function g of a row, with the name it is printed by. Two such functions are equal if one is a clone of the other.
#[derive(Clone)]
pub struct RowFunction {
    pub(super) name: String,
    pub(super) function: Arc<OfRow>,
}

impl fmt::Debug for RowFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl PartialEq for RowFunction {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.function, &other.function)
    }
}

/// The Gaussian kernel with γ = 1 ÷ columns.
impl Default for Kernel {
    fn default() -> Self {
        Kernel(Node::Base(Base::Rbf {
            gamma: Gamma::Unset,
        }))
    }
}

impl Kernel {
    /// A base kernel; refused where its parameters make it invalid.
    pub fn base(base: Base) -> Result<Kernel, Error> {
        base.check()?;
        Ok(Kernel(Node::Base(base)))
    }

    /// A positive multiple.
    pub fn times(self, factor: f64) -> Result<Kernel, Error> {
        if factor > 0.0 && factor.is_finite() {
            Ok(self.multiplied(factor))
        } else {
            Err(Error::KernelParameter {
                kernel: "a multiple",
                parameter: "factor",
                given: factor.to_string().into(),
                allowed: "a number above 0",
            })
        }
    }

    /// exp(k(x, x')).
    pub fn exp(self) -> Kernel {
        Kernel(Node::Exp(Box::new(self.0)))
    }

    /// k(x, x') / √(k(x, x)·k(x', x')): every row has length 1 in feature space.
    pub fn normalized(self) -> Kernel {
        Kernel(Node::Normalize(Box::new(self.0)))
    }

    /// g(x)·k(x, x')·g(x'). The name is printed for g; a text with it cannot be read back.
    pub fn weighted(
        self,
        name: impl Into<String>,
        g: impl Fn(&[f64]) -> f64 + Send + Sync + 'static,
    ) -> Kernel {
        let g = RowFunction {
            name: name.into(),
            function: Arc::new(g),
        };
        Kernel(Node::Weighted(g, Box::new(self.0)))
    }

    /// Whether it is positive semi-definite.
    pub fn verdict(&self) -> Verdict {
        Verdict::for_node(&self.0)
    }

    /// The base kernel, if the expression consists of one alone.
    pub fn as_base(&self) -> Option<Base> {
        match &self.0 {
            Node::Base(base) => Some(*base),
            _ => None,
        }
    }

    /// Whether the rows it takes are rows of the kernel matrix itself.
    pub fn is_precomputed(&self) -> bool {
        self.as_base() == Some(Base::Precomputed)
    }

    /// Whether it compares rows of any width and sign, so that it can compare scores as well as rows of the data.
    pub(crate) fn compares_any_rows(&self) -> bool {
        let mut any = true;
        self.0.visit(&mut |node| {
            any &= !matches!(
                node,
                Node::Weighted(..) | Node::Base(Base::Chi2 { .. } | Base::Precomputed)
            );
        });
        any
    }

    /// The same kernel with this γ wherever none was given.
    pub fn with_gamma(&self, gamma: Gamma) -> Result<Kernel, Error> {
        self.map_bases(&mut |base| match base.gamma() {
            Some(Gamma::Unset) => Ok(base.with_gamma(gamma)),
            _ => Ok(base),
        })
    }

    /// The same kernel with γ from the median distance wherever a Gaussian kernel was given no γ: the default of the command
    /// line.
    #[must_use]
    pub fn with_median_gaussian(&self) -> Kernel {
        let median = self.map_bases(&mut |base| match base {
            Base::Rbf {
                gamma: Gamma::Unset,
            } => Ok(base.with_gamma(Gamma::Median)),
            _ => Ok(base),
        });
        median.unwrap_or_else(|_| self.clone())
    }

    /// Whether the condition holds for some base kernel in it.
    pub(crate) fn any_base(&self, mut condition: impl FnMut(&Base) -> bool) -> bool {
        let mut any = false;
        self.0.visit(&mut |node| {
            if let Node::Base(base) = node {
                any |= condition(base);
            }
        });
        any
    }

    /// The same expression with other base kernels.
    pub(super) fn map_bases(
        &self,
        change: &mut dyn FnMut(Base) -> Result<Base, Error>,
    ) -> Result<Kernel, Error> {
        self.0.map_bases(change).map(Kernel)
    }

    pub(super) fn multiplied(self, factor: f64) -> Kernel {
        let (inner, node) = match self.0 {
            Node::Multiple(inner, node) => (inner, *node),
            node => (1.0, node),
        };
        let factor = factor * inner;
        match factor == 1.0 {
            true => Kernel(node),
            false => Kernel(Node::Multiple(factor, Box::new(node))),
        }
    }
}

impl Node {
    /// Calls the function with every part of the expression.
    pub(super) fn visit(&self, see: &mut dyn FnMut(&Node)) {
        see(self);
        match self {
            Node::Base(_) => {}
            Node::Sum(parts) | Node::Product(parts) => {
                parts.iter().for_each(|part| part.visit(see));
            }
            Node::Multiple(_, of) | Node::Exp(of) | Node::Normalize(of) | Node::Weighted(_, of) => {
                of.visit(see);
            }
        }
    }

    fn map_bases(
        &self,
        change: &mut dyn FnMut(Base) -> Result<Base, Error>,
    ) -> Result<Node, Error> {
        let all = |parts: &[Node], change: &mut dyn FnMut(Base) -> Result<Base, Error>| {
            let parts = parts.iter().map(|part| part.map_bases(change));
            parts.collect::<Result<Vec<_>, Error>>()
        };
        Ok(match self {
            Node::Base(base) => {
                let base = change(*base)?;
                base.check()?;
                Node::Base(base)
            }
            Node::Multiple(factor, of) => Node::Multiple(*factor, Box::new(of.map_bases(change)?)),
            Node::Sum(parts) => Node::Sum(all(parts, change)?),
            Node::Product(parts) => Node::Product(all(parts, change)?),
            Node::Exp(of) => Node::Exp(Box::new(of.map_bases(change)?)),
            Node::Normalize(of) => Node::Normalize(Box::new(of.map_bases(change)?)),
            Node::Weighted(g, of) => Node::Weighted(g.clone(), Box::new(of.map_bases(change)?)),
        })
    }
}

/// k + k'.
impl ops::Add for Kernel {
    type Output = Kernel;

    fn add(self, other: Kernel) -> Kernel {
        let terms = |kernel: Kernel| match kernel.0 {
            Node::Sum(terms) => terms,
            node => vec![node],
        };
        let mut all = terms(self);
        all.extend(terms(other));
        Kernel(Node::Sum(all))
    }
}

/// k·k'.
impl ops::Mul for Kernel {
    type Output = Kernel;

    fn mul(self, other: Kernel) -> Kernel {
        let factors = |kernel: Kernel| {
            let (number, node) = match kernel.0 {
                Node::Multiple(number, node) => (number, *node),
                node => (1.0, node),
            };
            match node {
                Node::Product(factors) => (number, factors),
                node => (number, vec![node]),
            }
        };
        let ((first, mut all), (second, others)) = (factors(self), factors(other));
        all.extend(others);
        Kernel(Node::Product(all)).multiplied(first * second)
    }
}
