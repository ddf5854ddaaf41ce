//! The list of methods: each is known by its name alone, and has a page in the documentation.

use std::collections::BTreeSet;
use std::path::Path;

use eigenspan::method::registry;

#[test]
fn every_method_has_a_page_in_the_documentation() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    for entry in registry::all() {
        let names = [entry.name]
            .into_iter()
            .chain(entry.aliases.iter().copied());
        let mut pages = names.clone().map(|name| docs.join(format!("{name}.md")));
        let page = pages.find(|page| page.is_file());
        let page = page.unwrap_or_else(|| {
            let names: Vec<&str> = names.collect();
            panic!("no page docs/NAME.md with NAME one of {names:?}")
        });
        let text = std::fs::read_to_string(&page).expect("a page");
        let command = format!("eigenspan fit {} ", entry.name);
        assert!(text.contains(&command), "{page:?} shows no `{command}`");
    }
}

#[test]
fn no_two_methods_share_a_name() {
    let all = registry::all();
    let names = all.iter().flat_map(|entry| {
        [entry.name]
            .into_iter()
            .chain(entry.aliases.iter().copied())
    });
    let mut known = BTreeSet::new();
    for name in names {
        assert!(known.insert(name), "{name} names two methods");
        assert_eq!(
            registry::find(name).is_some(),
            all.iter().any(|e| e.name == name)
        );
    }
}

#[test]
fn every_public_module_is_on_the_page_of_the_crate() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &str| std::fs::read_to_string(here.join(path)).expect(path);
    let (code, page) = (read("src/lib.rs"), read("../../docs/rust.md"));
    let lines: Vec<&str> = code.lines().collect();
    let modules = lines.windows(2).filter_map(|pair| {
        let name = pair[1].strip_prefix("pub mod ")?.strip_suffix(';')?;
        (pair[0] != "#[doc(hidden)]").then_some(name)
    });
    let modules: Vec<&str> = modules.collect();
    assert!(modules.contains(&"method"), "{modules:?}");
    for module in modules {
        assert!(
            page.contains(&format!("`{module}`")),
            "docs/rust.md does not list `{module}`"
        );
    }
}
