//! The files of this crate and of chess-db use one another in one direction: a chain of `use` never comes back to where
//! it began.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Every module with the modules that it names, in `use` or in paths; tests apart.
fn modules(root: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let mut sources = BTreeMap::new();
    read(root, "", &mut sources);
    let names: Vec<String> = sources.keys().cloned().collect();
    let mut found = BTreeMap::new();
    for (name, source) in &sources {
        let source = source.split("#[cfg(test)]").next().unwrap_or_default();
        let code: String =
            source.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
        let parent = name.rsplit_once("::").map_or("", |(parent, _)| parent);
        let within =
            |module: &str, path: &str| if module.is_empty() { path.to_owned() } else { format!("{module}::{path}") };
        let mut used = BTreeSet::new();
        for (at, _) in code.match_indices("::").filter(|(at, _)| *at > 0) {
            let word = |text: &str| text.chars().all(|char| char.is_ascii_alphanumeric() || char == '_' || char == ':');
            let start = code[..at].rfind(|char: char| !word(&char.to_string())).map_or(0, |place| place + 1);
            let end = code[at..].find(|char: char| !word(&char.to_string())).map_or(code.len(), |len| at + len);
            let path = &code[start..end];
            let absolute = match path.split_once("::") {
                Some(("crate", rest)) => rest.to_owned(),
                Some(("super", rest)) => within(parent, rest),
                Some(("self", rest)) => within(name, rest),
                // `use super::{…}` and `crate::{…}` would hide what they name
                _ => continue,
            };
            let absolute = absolute.trim_end_matches("::");
            assert!(!absolute.is_empty(), "{name}: a path is not spelt out: {path}");
            let longest =
                names.iter().filter(|other| absolute == other.as_str() || absolute.starts_with(&format!("{other}::")));
            // what stands in the module above is that module's own
            let target = longest.max_by_key(|other| other.len()).cloned();
            used.extend(target.or((path.starts_with("super") && !parent.is_empty()).then(|| parent.to_owned())));
        }
        used.remove(name);
        found.insert(name.clone(), used);
    }
    found
}

fn read(directory: &Path, module: &str, sources: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let name = if module.is_empty() { stem.clone() } else { format!("{module}::{stem}") };
        if path.is_dir() {
            read(&path, &name, sources);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let name = if stem == "mod" { module.to_owned() } else { name };
            sources.insert(name, fs::read_to_string(&path).unwrap());
        }
    }
}

/// A way from a module to itself.
fn circle(modules: &BTreeMap<String, BTreeSet<String>>) -> Option<Vec<String>> {
    fn walk(
        modules: &BTreeMap<String, BTreeSet<String>>,
        path: &mut Vec<String>,
        done: &mut BTreeSet<String>,
    ) -> Option<Vec<String>> {
        let here = path.last().unwrap().clone();
        for next in &modules[&here] {
            if let Some(at) = path.iter().position(|name| name == next) {
                return Some(path[at..].to_vec());
            }
            if !done.contains(next) {
                path.push(next.clone());
                if let Some(found) = walk(modules, path, done) {
                    return Some(found);
                }
                path.pop();
            }
        }
        done.insert(here);
        None
    }
    let mut done = BTreeSet::new();
    modules.keys().find_map(|name| walk(modules, &mut vec![name.clone()], &mut done))
}

#[test]
fn no_circle_of_imports() {
    for root in ["src", "../chess-db/src"] {
        let modules = modules(&Path::new(env!("CARGO_MANIFEST_DIR")).join(root));
        assert!(modules.values().any(|used| !used.is_empty()), "{root}: no imports are seen");
        assert_eq!(circle(&modules), None, "{root}");
    }
}

#[test]
fn a_circle_is_seen() {
    let modules = |pairs: &[(&str, &str)]| -> BTreeMap<String, BTreeSet<String>> {
        let mut all = BTreeMap::new();
        for (from, to) in pairs {
            all.entry((*from).to_owned()).or_insert_with(BTreeSet::new).insert((*to).to_owned());
            all.entry((*to).to_owned()).or_default();
        }
        all
    };
    assert_eq!(circle(&modules(&[("a", "b"), ("b", "c"), ("a", "c")])), None);
    assert_eq!(circle(&modules(&[("a", "b"), ("b", "c"), ("c", "b")])).map(|path| path.len()), Some(2));
}
