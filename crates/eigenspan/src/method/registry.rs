//! The one list of methods: a line each. The subcommands of the command line, the schemas of options, the reader of model files and
//! Python's parameters all come from here.

use std::sync::{PoisonError, RwLock};

use serde_json::{Value, json};

use super::contract::{Fitted, Method, MethodOptions, Rebuilds};
use super::record::Record;
use super::{
    DiffusionOptions, IsomapOptions, KernelPcaOptions, LaplacianOptions, LdaOptions, LleOptions,
    MdsOptions, PcaOptions, QdaOptions, RandomProjectionOptions, SelectOptions,
};
use crate::error::Error;

/// The methods of this crate.
static METHODS: &[Entry] = &[
    Entry::for_options::<PcaOptions>(),
    Entry::for_options::<KernelPcaOptions>(),
    Entry::for_options::<LdaOptions>(),
    Entry::for_options::<QdaOptions>(),
    Entry::for_options::<RandomProjectionOptions>(),
    Entry::for_options::<SelectOptions>(),
    Entry::for_options::<MdsOptions>(),
    Entry::for_options::<IsomapOptions>(),
    Entry::for_options::<LaplacianOptions>(),
    Entry::for_options::<LleOptions>(),
    Entry::for_options::<DiffusionOptions>(),
];

/// Methods that a program added.
static ADDED: RwLock<Vec<&'static Entry>> = RwLock::new(Vec::new());

/// A method of the registry, found by its name.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// The name on the command line and in model files.
    pub name: &'static str,
    /// In words, for help.
    pub title: &'static str,
    /// The heading above its options in help.
    pub heading: &'static str,
    /// Other names under which people know the method.
    pub aliases: &'static [&'static str],
    /// Commands to try, for help.
    pub examples: &'static str,
    /// Whether rows can be rebuilt from scores.
    pub rebuilds: Rebuilds,
    schema: fn() -> Value,
    from_json: fn(&str) -> Result<Box<dyn Method>, serde_json::Error>,
    completed: fn(&str) -> Result<Box<dyn Method>, serde_json::Error>,
    from_record: fn(&Record<'_>) -> Result<Box<dyn Fitted>, Error>,
    #[cfg(feature = "clap")]
    with_arguments: fn(clap::Command) -> clap::Command,
    #[cfg(feature = "clap")]
    from_matches: fn(&clap::ArgMatches) -> Result<Box<dyn Method>, clap::Error>,
}

impl Entry {
    /// The entry of a method.
    pub const fn for_options<O: MethodOptions>() -> Self {
        Entry {
            name: O::NAME,
            title: O::TITLE,
            heading: O::HEADING,
            aliases: O::ALIASES,
            examples: O::EXAMPLES,
            rebuilds: O::REBUILDS,
            schema: || json!({ "schema": schemars::schema_for!(O), "defaults": O::default() }),
            from_json: |text| Ok(Box::new(serde_json::from_str::<O>(text)?)),
            completed: |text| {
                let mut options = serde_json::from_str::<O>(text)?;
                options.complete_for_terminal();
                Ok(Box::new(options))
            },
            from_record: |record| Ok(Box::new(O::from_record(record)?)),
            #[cfg(feature = "clap")]
            with_arguments: O::augment_args,
            #[cfg(feature = "clap")]
            from_matches: |matches| {
                let mut options = O::from_arg_matches(matches)?;
                options.complete_for_terminal();
                Ok(Box::new(options))
            },
        }
    }

    /// The JSON schema of its options, and their defaults.
    pub fn schema(&self) -> Value {
        (self.schema)()
    }

    /// Options from their JSON.
    pub fn from_json(&self, text: &str) -> Result<Box<dyn Method>, serde_json::Error> {
        (self.from_json)(text)
    }

    /// Options from their JSON, with the command line's defaults for what is open.
    pub fn completed(&self, text: &str) -> Result<Box<dyn Method>, serde_json::Error> {
        (self.completed)(text)
    }

    /// The model in a record.
    pub fn from_record(&self, record: &Record<'_>) -> Result<Box<dyn Fitted>, Error> {
        (self.from_record)(record)
    }

    /// A command with the method's options as arguments.
    #[cfg(feature = "clap")]
    pub fn with_arguments(&self, command: clap::Command) -> clap::Command {
        (self.with_arguments)(command)
    }

    /// Options from arguments that were typed.
    #[cfg(feature = "clap")]
    pub fn from_matches(&self, matches: &clap::ArgMatches) -> Result<Box<dyn Method>, clap::Error> {
        (self.from_matches)(matches)
    }
}

/// Every method: those of this crate, then those that were added.
pub fn all() -> Vec<&'static Entry> {
    let added = ADDED.read().unwrap_or_else(PoisonError::into_inner);
    METHODS.iter().chain(added.iter().copied()).collect()
}

/// The method of this name.
pub fn find(name: &str) -> Option<&'static Entry> {
    all().into_iter().find(|entry| entry.name == name)
}

/// Adds a method to this process, and so to every front in it. A name that is known already keeps its method.
pub fn add(entry: Entry) {
    let mut added = ADDED.write().unwrap_or_else(PoisonError::into_inner);
    let mut known = METHODS.iter().chain(added.iter().copied());
    if known.any(|known| known.name == entry.name) {
        return;
    }
    added.push(Box::leak(Box::new(entry)));
}
