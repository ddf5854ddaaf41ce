//! `cargo xtask tidy`: the house rules that no compiler knows, from what is written down in the repository alone.
//!
//! A rule is a function whose name is the rule. It takes the [`Tree`] and gives what breaks it, with the place and what
//! to do. A new rule is a function and its line in [`RULES`].

mod code;
mod depend;
mod direction;
mod doors;
mod files;
mod habits;
mod links;
mod manifest;
mod tree;

use crate::shell::Shell;
use tree::Tree;

/// Lists functions as rules that carry the functions' names.
macro_rules! rules {
    ($($module:ident::$name:ident),* $(,)?) => {
        &[$(Rule { name: stringify!($name), check: $module::$name }),*]
    };
}

const RULES: &[Rule] = rules![
    direction::crates_depend_one_way,
    direction::modules_use_only_those_above_them,
    doors::only_linalg_names_the_backend,
    doors::only_block_matches_on_storage,
    doors::the_core_touches_nothing_outside_itself,
    doors::only_fronts_spell_options,
    habits::every_module_has_a_head,
    habits::no_file_is_longer_than_a_long_page,
    habits::no_test_is_ignored,
    habits::nothing_panics_on_purpose,
    habits::no_tabs_and_no_trailing_blanks,
    files::every_data_folder_names_its_source,
    files::the_repository_stays_small,
    depend::every_dependency_is_argued_for,
    links::every_relative_link_leads_somewhere,
];

struct Rule {
    name: &'static str,
    check: fn(&Tree) -> Vec<Finding>,
}

/// A place where a rule is broken.
#[derive(Debug, PartialEq, Eq)]
struct Finding {
    path: String,
    /// From 1; 0 for the file as a whole.
    line: usize,
    /// What is wrong and what to do about it.
    what: String,
}

impl Finding {
    fn new(path: &str, line: usize, what: impl Into<String>) -> Self {
        Finding {
            path: path.to_owned(),
            line,
            what: what.into(),
        }
    }
}

/// Checks every rule and prints what breaks one.
pub(crate) fn run(shell: &Shell) -> Result<(), String> {
    let tree = Tree::read(shell)?;
    let mut broken = 0;
    for rule in RULES {
        let findings = (rule.check)(&tree);
        if !findings.is_empty() {
            println!("{}:", rule.name.replace('_', " "));
        }
        for Finding { path, line, what } in &findings {
            match line {
                0 => println!("  {path}: {what}"),
                _ => println!("  {path}:{line}: {what}"),
            }
        }
        broken += findings.len();
    }
    match broken {
        0 => {
            println!("{} rules hold in {} files", RULES.len(), tree.sizes.len());
            Ok(())
        }
        1 => Err("1 place breaks a house rule".to_owned()),
        _ => Err(format!("{broken} places break a house rule")),
    }
}
