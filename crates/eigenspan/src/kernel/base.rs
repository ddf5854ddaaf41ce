//! The base kernels: their formulas, their parameters and what these default to (scikit-learn's choices).

use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::error::Error;

/// The factor γ of a kernel, or how to find it.
///
/// ```
/// use eigenspan::kernel::Gamma;
///
/// assert_eq!("0.25".parse::<Gamma>()?, Gamma::Value(0.25));
/// assert_eq!("median".parse::<Gamma>()?, Gamma::Median);
/// assert!("-1".parse::<Gamma>().is_err());
/// # Ok::<(), eigenspan::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Gamma {
    /// Not given: 1 ÷ columns (for chi2: 1), unless the options say something else.
    #[default]
    Unset,
    /// 1 ÷ columns (for chi2: 1).
    Auto,
    /// This number, above 0.
    Value(f64),
    /// 1 ÷ (columns × variance of all cells).
    Scale,
    /// The γ that gives the kernel the value e^(−1/2) (Gaussian) or e^(−1) (laplacian, chi2) at the median distance between
    /// two training rows. Where most pairs of rows are equal, the median is taken over the other pairs.
    Median,
    /// 1 ÷ 2σ², for the Gaussian kernel only.
    Sigma(f64),
}

/// The values that γ takes.
pub(super) const GAMMAS: &str = "a number above 0, auto (1 ÷ columns), scale or median";

impl FromStr for Gamma {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        match text.trim() {
            "auto" => Ok(Gamma::Auto),
            "scale" => Ok(Gamma::Scale),
            "median" => Ok(Gamma::Median),
            number => match number.parse::<f64>() {
                Ok(gamma) if gamma > 0.0 && gamma.is_finite() => Ok(Gamma::Value(gamma)),
                _ => Err(Error::UnknownValue {
                    option: "gamma",
                    given: number.to_owned(),
                    allowed: GAMMAS,
                }),
            },
        }
    }
}

impl std::fmt::Display for Gamma {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Gamma::Unset | Gamma::Auto => f.write_str("auto"),
            Gamma::Scale => f.write_str("scale"),
            Gamma::Median => f.write_str("median"),
            Gamma::Value(gamma) => write!(f, "{gamma}"),
            Gamma::Sigma(sigma) => write!(f, "{}", 0.5 / (sigma * sigma)),
        }
    }
}

impl Serialize for Gamma {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Gamma::Value(gamma) => serializer.serialize_f64(*gamma),
            other => serializer.serialize_str(&other.to_string()),
        }
    }
}

impl<'de> Deserialize<'de> for Gamma {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Given {
            Number(f64),
            Text(String),
        }
        let text = match Given::deserialize(deserializer)? {
            Given::Number(number) => number.to_string(),
            Given::Text(text) => text,
        };
        text.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for Gamma {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Gamma".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A number above 0, \"auto\" (1 ÷ columns), \"scale\" or \"median\"",
            "oneOf": [
                { "type": "number", "exclusiveMinimum": 0 },
                { "type": "string" }
            ]
        })
    }
}

/// A base kernel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Base {
    /// xᵀx'.
    Linear,
    /// (γxᵀx' + coef0)^degree.
    Poly {
        /// At least 1.
        degree: u32,
        /// γ.
        gamma: Gamma,
        /// The constant that is added before the power is taken.
        coef0: f64,
    },
    /// exp(−γ‖x − x'‖²), the Gaussian kernel; with σ it is exp(−‖x − x'‖²/2σ²).
    Rbf {
        /// γ, or σ.
        gamma: Gamma,
    },
    /// exp(−γ Σ|xⱼ − x'ⱼ|).
    Laplacian {
        /// γ.
        gamma: Gamma,
    },
    /// tanh(γxᵀx' + coef0): not positive semi-definite.
    Tanh {
        /// γ.
        gamma: Gamma,
        /// The constant that is added before tanh.
        coef0: f64,
    },
    /// xᵀx' / ‖x‖‖x'‖; 0 where a row is all zeros.
    Cosine,
    /// Matérn's kernel, whose smoothness is ν: ½ (exponential), 1½, 2½, … or infinite (Gaussian); r = ‖x − x'‖ ÷ length.
    Matern {
        /// ν: a half-integer up to 10.5, or infinite.
        nu: f64,
        /// The length over which values decrease.
        length: f64,
    },
    /// (1 + ‖x − x'‖² / (2α·length²))^(−α).
    RationalQuadratic {
        /// α, above 0.
        alpha: f64,
        /// The length over which values decrease.
        length: f64,
    },
    /// exp(−γ Σ (xⱼ − x'ⱼ)²/(xⱼ + x'ⱼ)), for counts and histograms.
    Chi2 {
        /// γ.
        gamma: Gamma,
    },
    /// The rows given are rows of the kernel matrix itself.
    Precomputed,
}

/// Every base kernel by name, and the second name of one of them.
pub(super) const NAMES: [&str; 11] = [
    "linear",
    "poly",
    "rbf",
    "laplacian",
    "tanh",
    "sigmoid",
    "cosine",
    "matern",
    "rational_quadratic",
    "chi2",
    "precomputed",
];

/// Other names in use for base kernels, and the kernels they name.
pub(super) const ALIASES: [(&str, &str); 7] = [
    ("gaussian", "rbf"),
    ("gauss", "rbf"),
    ("polynomial", "poly"),
    ("laplace", "laplacian"),
    ("cos", "cosine"),
    ("chi_squared", "chi2"),
    ("rq", "rational_quadratic"),
];

impl Base {
    /// The kernel of this name with its defaults.
    pub(super) fn named(name: &str) -> Option<Base> {
        let gamma = Gamma::Unset;
        let alias = ALIASES.iter().find(|(alias, _)| *alias == name);
        Some(match alias.map_or(name, |(_, meant)| meant) {
            "linear" => Base::Linear,
            "poly" => Base::Poly {
                degree: 3,
                gamma,
                coef0: 1.0,
            },
            "rbf" => Base::Rbf { gamma },
            "laplacian" => Base::Laplacian { gamma },
            "tanh" | "sigmoid" => Base::Tanh { gamma, coef0: 1.0 },
            "cosine" => Base::Cosine,
            "matern" => Base::Matern {
                nu: 1.5,
                length: 1.0,
            },
            "rational_quadratic" => Base::RationalQuadratic {
                alpha: 1.0,
                length: 1.0,
            },
            "chi2" => Base::Chi2 { gamma },
            "precomputed" => Base::Precomputed,
            _ => return None,
        })
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        match self {
            Base::Linear => "linear",
            Base::Poly { .. } => "poly",
            Base::Rbf { .. } => "rbf",
            Base::Laplacian { .. } => "laplacian",
            Base::Tanh { .. } => "tanh",
            Base::Cosine => "cosine",
            Base::Matern { .. } => "matern",
            Base::RationalQuadratic { .. } => "rational_quadratic",
            Base::Chi2 { .. } => "chi2",
            Base::Precomputed => "precomputed",
        }
    }

    /// Its γ, where it has one.
    pub fn gamma(&self) -> Option<Gamma> {
        match *self {
            Base::Poly { gamma, .. }
            | Base::Rbf { gamma }
            | Base::Laplacian { gamma }
            | Base::Tanh { gamma, .. }
            | Base::Chi2 { gamma } => Some(gamma),
            _ => None,
        }
    }

    /// The same kernel with another γ, where it has one.
    pub(crate) fn with_gamma(mut self, value: Gamma) -> Self {
        match &mut self {
            Base::Poly { gamma, .. }
            | Base::Rbf { gamma }
            | Base::Laplacian { gamma }
            | Base::Tanh { gamma, .. }
            | Base::Chi2 { gamma } => *gamma = value,
            _ => {}
        }
        self
    }

    /// γ as a number, where it is one already.
    pub(crate) fn gamma_value(&self) -> f64 {
        match self.gamma() {
            Some(Gamma::Value(gamma)) => gamma,
            Some(Gamma::Sigma(sigma)) => 0.5 / (sigma * sigma),
            _ => 1.0,
        }
    }

    /// Refuses parameters that make the kernel invalid.
    pub(super) fn check(&self) -> Result<(), Error> {
        let kernel = self.name();
        let refuse = |parameter, given: String, allowed| {
            Err(Error::KernelParameter {
                kernel,
                parameter,
                given: given.into(),
                allowed,
            })
        };
        let positive = |x: f64| x > 0.0 && x.is_finite();
        const POSITIVE: &str = "a number above 0";
        let distances = matches!(
            self,
            Base::Rbf { .. } | Base::Laplacian { .. } | Base::Chi2 { .. }
        );
        match self.gamma() {
            Some(Gamma::Value(gamma)) if !positive(gamma) => {
                return refuse("gamma", gamma.to_string(), GAMMAS);
            }
            Some(Gamma::Sigma(sigma)) if !positive(sigma) || !positive(0.5 / (sigma * sigma)) => {
                return refuse("sigma", sigma.to_string(), POSITIVE);
            }
            Some(Gamma::Sigma(sigma)) if !matches!(self, Base::Rbf { .. }) => {
                let allowed = "no width; its factor is gamma, and only rbf takes sigma";
                return refuse("sigma", sigma.to_string(), allowed);
            }
            Some(Gamma::Median) if !distances => {
                let allowed = "a number above 0, auto (1 ÷ columns) or scale: the kernel is not a function of distances";
                return refuse("gamma", "median".to_owned(), allowed);
            }
            _ => {}
        }
        match *self {
            Base::Poly { degree: 0, .. } => {
                refuse("degree", "0".to_owned(), "a whole number from 1 to 100")
            }
            Base::Poly { degree, .. } if degree > 100 => {
                let allowed = "a whole number from 1 to 100";
                refuse("degree", degree.to_string(), allowed)
            }
            Base::Poly { coef0, .. } | Base::Tanh { coef0, .. } if !coef0.is_finite() => {
                refuse("coef0", coef0.to_string(), "a finite number")
            }
            Base::Matern { nu, .. } if !is_half_integer(nu) && nu != f64::INFINITY => {
                refuse("nu", nu.to_string(), "0.5, 1.5, 2.5, …, 10.5, or inf")
            }
            Base::Matern { length, .. } | Base::RationalQuadratic { length, .. }
                if !positive(length) =>
            {
                refuse("length", length.to_string(), POSITIVE)
            }
            Base::RationalQuadratic { alpha, .. } if !positive(alpha) => {
                refuse("alpha", alpha.to_string(), POSITIVE)
            }
            _ => Ok(()),
        }
    }
}

fn is_half_integer(nu: f64) -> bool {
    (0.5..=10.5).contains(&nu) && (nu - 0.5).fract() == 0.0
}
