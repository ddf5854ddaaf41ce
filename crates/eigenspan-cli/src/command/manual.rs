//! `eigenspan completions SHELL` and `eigenspan man`: made from the same command tree that parses the arguments.

use std::path::Path;

use clap_mangen::Man as Page;
use eigenspan::note::Advice;
use eigenspan_io::{WriteError, write_atomically};
use eigenspan_report::JobError;

use crate::args::{Completions, Man, command};
use crate::console::{self, Console};
use crate::suggest::did_you_mean;

/// Prints the completion script of a shell.
pub(crate) fn completions(args: &Completions) -> Result<(), JobError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command(), "eigenspan", &mut script);
    console::print(&String::from_utf8_lossy(&script))
}

/// Prints a manual page, or writes all of them into a folder.
pub(crate) fn man(console: &Console, args: &Man) -> Result<(), JobError> {
    if let Some(folder) = &args.all {
        let mut names = Vec::new();
        write_all(folder, command(), &mut names)?;
        console.talk(&format!("written: {}", names.join(", ")));
        return Ok(());
    }
    let (mut page, mut name) = (command(), "eigenspan".to_owned());
    for word in &args.command {
        let found = page
            .get_subcommands()
            .find(|c| c.get_name() == word)
            .cloned();
        page = found.ok_or_else(|| unknown(&page, args, word))?;
        name = format!("{name}-{word}");
    }
    console::print(&String::from_utf8_lossy(&rendered(page, &name)?))
}

fn unknown(page: &clap::Command, args: &Man, word: &str) -> JobError {
    let names: Vec<&str> = page
        .get_subcommands()
        .map(clap::Command::get_name)
        .collect();
    let near = eigenspan::error::nearest(word, names.iter().copied());
    let known = names.join(", ");
    let replaced = |w: &String| match (w == word, near.first()) {
        (true, Some(near)) => near.clone(),
        _ => w.clone(),
    };
    let suggested: Vec<String> = std::iter::once("man".to_owned())
        .chain(args.command.iter().map(replaced))
        .collect();
    JobError::Usage {
        what: format!("no page for {word:?}"),
        advice: Advice::from(match near.is_empty() {
            true => format!("pages there are: {known}"),
            false => did_you_mean(&suggested),
        }),
    }
}

/// The name of a command's manual page: `eigenspan-fit-pca`.
fn rendered(command: clap::Command, name: &str) -> Result<Vec<u8>, JobError> {
    let (title, usage) = (name.to_owned(), name.replace('-', " "));
    let command = command
        .display_name(title.clone())
        .bin_name(usage)
        .version(env!("CARGO_PKG_VERSION"));
    let mut page = Vec::new();
    Page::new(command)
        .title(title)
        .render(&mut page)
        .map_err(|source| WriteError::Io {
            file: "the page".to_owned(),
            source,
        })?;
    Ok(page)
}

fn write_all(
    folder: &Path,
    command: clap::Command,
    names: &mut Vec<String>,
) -> Result<(), JobError> {
    let failed = |source| WriteError::Io {
        file: folder.display().to_string(),
        source,
    };
    std::fs::create_dir_all(folder).map_err(failed)?;
    let mut waiting = vec![("eigenspan".to_owned(), command)];
    while let Some((name, command)) = waiting.pop() {
        for below in command.get_subcommands() {
            waiting.push((format!("{name}-{}", below.get_name()), below.clone()));
        }
        let path = folder.join(format!("{name}.1"));
        let page = rendered(command, &name)?;
        write_atomically(&path, |out| out.write_all(&page))?;
        names.push(path.display().to_string());
    }
    names.sort();
    Ok(())
}
