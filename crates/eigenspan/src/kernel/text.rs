//! A kernel as text that is read back to the same value; options and job files use it, too.

use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::expression::Node;
use super::{Base, Gamma, Kernel};

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Node::Base(base) => fmt::Display::fmt(base, f),
            Node::Multiple(factor, of) => {
                write!(f, "{factor}*")?;
                of.fmt_factor(f)
            }
            Node::Sum(terms) => {
                for (i, term) in terms.iter().enumerate() {
                    f.write_str(if i > 0 { " + " } else { "" })?;
                    fmt::Display::fmt(term, f)?;
                }
                Ok(())
            }
            Node::Product(factors) => {
                for (i, factor) in factors.iter().enumerate() {
                    f.write_str(if i > 0 { "*" } else { "" })?;
                    factor.fmt_factor(f)?;
                }
                Ok(())
            }
            Node::Exp(of) => write!(f, "exp({of})"),
            Node::Normalize(of) => write!(f, "normalize({of})"),
            Node::Weighted(g, of) => write!(f, "weighted({}, {of})", g.name),
        }
    }
}

impl Node {
    /// The text of a factor: sums are put in parentheses.
    fn fmt_factor(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Node::Sum(_) => write!(f, "({self})"),
            _ => fmt::Display::fmt(self, f),
        }
    }
}

impl fmt::Display for Base {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parameters = Vec::new();
        if let Base::Poly { degree, .. } = self {
            parameters.push(format!("degree={degree}"));
        }
        match self.gamma() {
            None | Some(Gamma::Unset) => {}
            Some(Gamma::Sigma(sigma)) => parameters.push(format!("sigma={sigma}")),
            Some(gamma) => parameters.push(format!("gamma={gamma}")),
        }
        match self {
            Base::Poly { coef0, .. } | Base::Tanh { coef0, .. } => {
                parameters.push(format!("coef0={coef0}"));
            }
            Base::Matern { nu, length } => {
                parameters.extend([format!("nu={nu}"), format!("length={length}")]);
            }
            Base::RationalQuadratic { alpha, length } => {
                parameters.extend([format!("alpha={alpha}"), format!("length={length}")]);
            }
            _ => {}
        }
        match parameters.is_empty() {
            true => f.write_str(self.name()),
            false => write!(f, "{}({})", self.name(), parameters.join(", ")),
        }
    }
}

impl Serialize for Kernel {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut own = None;
        self.0.visit(&mut |node| {
            if let Node::Weighted(g, _) = node {
                own = Some(g.name.clone());
            }
        });
        match own {
            Some(name) => Err(serde::ser::Error::custom(format!(
                "the kernel has a function of its own (`{name}`), which cannot be written down"
            ))),
            None => serializer.collect_str(self),
        }
    }
}

impl<'de> Deserialize<'de> for Kernel {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for Kernel {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Kernel".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A kernel such as \"rbf(gamma=0.1)\", or sums, products, multiples, exp(…) and normalize(…) of kernels",
            "type": "string"
        })
    }
}
