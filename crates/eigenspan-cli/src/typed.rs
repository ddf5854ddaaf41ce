//! The words as they were typed, split by the command tree into options with their values. Commands that print a command line to repeat
//! the analysis need them.

use std::ffi::OsString;
use std::path::Path;

/// What was typed after the program's name.
#[derive(Debug, Clone, Default)]
pub(crate) struct Typed {
    /// File names need not be UTF-8; invalid characters are shown as a mark, which is better than failing.
    words: Vec<String>,
    /// The same words, grouped by option.
    pieces: Vec<Piece>,
}

/// An option with its value, a command, or a word that is neither.
#[derive(Debug, Clone)]
struct Piece {
    /// The argument in the command tree; `None` for commands and words without an option.
    id: Option<String>,
    is_command: bool,
    words: Vec<String>,
}

impl Typed {
    /// The words after the program's name, split by the command tree.
    pub(crate) fn new(words: &[OsString], tree: &clap::Command) -> Self {
        let words = words.iter().skip(1);
        let words: Vec<String> = words.map(|w| w.to_string_lossy().into_owned()).collect();
        let named = words
            .iter()
            .any(|word| tree.find_subcommand(word).is_some());
        // If no command is named, the words belong to `look`.
        let look = tree.find_subcommand("look").filter(|_| !named);
        let mut command = look.unwrap_or(tree);
        let mut pieces = Vec::new();
        let mut rest = words.iter();
        while let Some(word) = rest.next() {
            let found = command.find_subcommand(word);
            let mut piece = Piece {
                id: None,
                is_command: found.is_some(),
                words: vec![word.clone()],
            };
            if let Some(found) = found {
                command = found;
            } else if let Some(arg) = argument(command, word) {
                piece.id = Some(arg.get_id().to_string());
                if takes_next(arg, word) {
                    piece.words.extend(rest.next().cloned());
                }
            }
            pieces.push(piece);
        }
        Typed { words, pieces }
    }

    /// The command line as it could be typed again.
    pub(crate) fn command_line(&self) -> String {
        self.without(&[])
    }

    /// The command line without the given arguments.
    pub(crate) fn without(&self, ids: &[&str]) -> String {
        let is_named = |piece: &&Piece| piece.id.as_deref().is_some_and(|id| ids.contains(&id));
        let kept = self.pieces.iter().filter(|piece| !is_named(piece));
        let words = kept.flat_map(|piece| &piece.words);
        let words = words.map(|word| format!(" {}", quoted(word)));
        format!("eigenspan{}", words.collect::<String>())
    }

    /// The first of the given arguments that was typed, as it was typed.
    pub(crate) fn first_of(&self, ids: &[String]) -> Option<&str> {
        let is_named = |piece: &&Piece| piece.id.as_ref().is_some_and(|id| ids.contains(id));
        let piece = self.pieces.iter().find(is_named)?;
        piece.words.first().map(String::as_str)
    }

    /// Only the options, with a space before each word: without the command, the data, and the given arguments.
    pub(crate) fn options(&self, data: &[impl AsRef<Path>], ids: &[String]) -> String {
        let mut data: Vec<String> = data
            .iter()
            .map(|path| path.as_ref().to_string_lossy().into_owned())
            .collect();
        let mut options = String::new();
        for piece in &self.pieces {
            let is_dash = piece.words == ["--"];
            if piece.is_command || is_dash || piece.id.as_ref().is_some_and(|id| ids.contains(id)) {
                continue;
            }
            if piece.id.is_none() {
                let place = data.iter().position(|name| *name == piece.words[0]);
                if let Some(place) = place {
                    data.remove(place);
                    continue;
                }
            }
            let words = piece.words.iter().map(|word| format!(" {}", quoted(word)));
            options.extend(words);
        }
        options
    }

    /// The words with two of them exchanged.
    pub(crate) fn swapped(&self, one: &Path, other: &Path) -> Vec<String> {
        let (one, other) = (one.to_string_lossy(), other.to_string_lossy());
        let swap = |word: &String| match word {
            word if *word == one => other.to_string(),
            word if *word == other => one.to_string(),
            word => word.clone(),
        };
        self.words.iter().map(swap).collect()
    }
}

/// The argument that a word names: `--name`, `--name=value`, `-n`, `-nvalue`.
fn argument<'a>(command: &'a clap::Command, word: &str) -> Option<&'a clap::Arg> {
    let mut all = command.get_arguments();
    if let Some(long) = word.strip_prefix("--") {
        let name = long.split('=').next().unwrap_or(long);
        return all.find(|arg| arg.get_long() == Some(name));
    }
    let short = word.strip_prefix('-')?.chars().next()?;
    all.find(|arg| arg.get_short() == Some(short))
}

/// Whether the value of an argument is the next word.
fn takes_next(arg: &clap::Arg, word: &str) -> bool {
    let is_whole = match word.starts_with("--") {
        true => !word.contains('='),
        false => word.chars().count() == 2,
    };
    arg.get_action().takes_values() && !arg.is_require_equals_set() && is_whole
}

/// A word quoted for a shell, if necessary.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_./+:%@,=-".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}
