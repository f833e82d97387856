//! The layout of the workspace: imports have no cycles, neither between files of a crate nor between folders, and in
//! chess-core each folder uses only those before it.
//!
//! An import is any path in code that begins with `crate::` or `super::`; tests and comments do not count. A file
//! `mod.rs` does not import the files of its folder by declaring them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The folders of chess-core, along the path of a game.
const CORE_FOLDERS: [&str; 5] = ["board", "game", "text", "search", "facts"];

/// Module paths (`board::fen`; for a `mod.rs` the path of its folder) with the module paths that they import.
type Imports = BTreeMap<String, BTreeSet<String>>;

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

fn module_of(file: &Path, source: &Path) -> String {
    let relative = file.strip_prefix(source).unwrap().with_extension("");
    let parts: Vec<&str> = relative.iter().map(|part| part.to_str().unwrap()).collect();
    let parts = if parts.last() == Some(&"mod") { &parts[..parts.len() - 1] } else { &parts[..] };
    parts.join("::")
}

/// The code of a file without comments and without the module of tests at its end.
fn code_of(file: &Path) -> String {
    let text = fs::read_to_string(file).unwrap();
    let code = text.split("#[cfg(test)]\nmod ").next().unwrap();
    code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

/// The paths after `crate::` and `super::` in code; groups in braces are expanded.
fn paths(code: &str, module: &str) -> Vec<String> {
    let parent = |levels: usize| {
        let parts: Vec<&str> = module.split("::").collect();
        parts[..parts.len().saturating_sub(levels)].join("::")
    };
    let mut found = Vec::new();
    for (prefix, base) in [("crate::", String::new()), ("super::super::", parent(2)), ("super::", parent(1))] {
        for (at, _) in code.match_indices(prefix) {
            // skips `super::` inside `super::super::`
            if prefix == "super::" && (code[at + 7..].starts_with("super::") || code[..at].ends_with("super::")) {
                continue;
            }
            let rest = &code[at + prefix.len()..];
            let join = |path: &str| if base.is_empty() { path.to_owned() } else { format!("{base}::{path}") };
            let head: String = rest.chars().take_while(|c| c.is_alphanumeric() || matches!(c, '_' | ':')).collect();
            match rest[head.len()..].strip_prefix('{') {
                Some(group) => {
                    let group = &group[..group.find('}').unwrap_or(group.len())];
                    found.extend(group.split(',').map(|item| join(&format!("{head}{}", item.trim()))));
                }
                None => found.push(join(&head)),
            }
        }
    }
    found
}

fn imports_of(source: &Path) -> Imports {
    let mut files = Vec::new();
    rust_files(source, &mut files);
    let modules: BTreeSet<String> = files.iter().map(|file| module_of(file, source)).collect();
    let mut imports = Imports::new();
    for file in &files {
        let module = module_of(file, source);
        let used = imports.entry(module.clone()).or_default();
        for path in paths(&code_of(file), &module) {
            // the longest prefix of the path that is a file
            let parts: Vec<&str> = path.split("::").collect();
            let known = (1..=parts.len()).rev().map(|len| parts[..len].join("::")).find(|head| modules.contains(head));
            used.extend(known.filter(|known| *known != module));
        }
    }
    imports
}

/// A cycle, as the modules along it.
fn circle(imports: &Imports) -> Option<Vec<String>> {
    fn visit(at: &str, imports: &Imports, trail: &mut Vec<String>, done: &mut BTreeSet<String>) -> Option<Vec<String>> {
        if let Some(start) = trail.iter().position(|name| name == at) {
            return Some(trail[start..].to_vec());
        }
        if !done.insert(at.to_owned()) {
            return None;
        }
        trail.push(at.to_owned());
        let found = imports.get(at).and_then(|used| used.iter().find_map(|next| visit(next, imports, trail, done)));
        trail.pop();
        found
    }
    let mut done = BTreeSet::new();
    imports.keys().find_map(|module| visit(module, imports, &mut Vec::new(), &mut done))
}

fn folders_of(imports: &Imports) -> Imports {
    let folder = |module: &str| module.split("::").next().unwrap_or_default().to_owned();
    let mut folders = Imports::new();
    for (module, used) in imports {
        // the root of a crate declares all of its folders
        if module.is_empty() || module == "lib" || module == "main" {
            continue;
        }
        let used = used.iter().map(|used| folder(used)).filter(|used| *used != folder(module));
        folders.entry(folder(module)).or_default().extend(used);
    }
    folders
}

/// The crates of the workspace: names and source folders.
fn crates() -> Vec<(String, PathBuf)> {
    let root = workspace();
    let mut crates = vec![("chess".to_owned(), root.join("src"))];
    for entry in fs::read_dir(root.join("crates")).unwrap() {
        let path = entry.unwrap().path();
        crates.push((path.file_name().unwrap().to_str().unwrap().to_owned(), path.join("src")));
    }
    crates
}

#[test]
fn imports_run_in_no_circle() {
    let mut files = 0;
    for (name, source) in crates() {
        let imports = imports_of(&source);
        files += imports.len();
        assert_eq!(circle(&imports), None, "files of {name} import each other in a circle");
        assert_eq!(circle(&folders_of(&imports)), None, "folders of {name} import each other in a circle");
    }
    assert!(files > 80, "only {files} files were read");
}

/// Cargo looks for no other tests in a folder whose tests are one program.
#[test]
fn every_file_of_tests_is_a_module() {
    let mut named = 0;
    let mut files = Vec::new();
    ["crates", "tests/system"].iter().for_each(|folder| rust_files(&workspace().join(folder), &mut files));
    let mains = files.iter().filter(|file| file.ends_with("main.rs") && !file.parent().unwrap().ends_with("src"));
    for main in mains {
        let text = fs::read_to_string(main).unwrap();
        for file in files.iter().filter(|file| *file != main && file.parent() == main.parent()) {
            let name = file.file_stem().unwrap().to_str().unwrap();
            assert!(text.contains(&format!("\nmod {name};\n")), "{} is not in {}", file.display(), main.display());
            named += 1;
        }
    }
    assert!(named > 100, "only {named} files");
}

#[test]
fn folders_of_the_core_use_those_before_them() {
    let imports = imports_of(&workspace().join("crates/chess-core/src"));
    let place = |module: &str| CORE_FOLDERS.iter().position(|folder| module.split("::").next() == Some(folder));
    let mut seen = BTreeSet::new();
    for (module, used) in &imports {
        let Some(here) = place(module) else { continue };
        seen.insert(here);
        for used in used {
            assert!(place(used).is_none_or(|there| there <= here), "{module} uses {used}, which comes after it");
        }
    }
    assert_eq!(seen.len(), CORE_FOLDERS.len(), "a folder is empty or has another name");
}

#[test]
fn a_circle_is_seen() {
    let of = |pairs: &[(&str, &[&str])]| -> Imports {
        pairs.iter().map(|(from, to)| ((*from).into(), to.iter().map(|to| (*to).into()).collect())).collect()
    };
    assert_eq!(circle(&of(&[("a", &["b"]), ("b", &["c"]), ("c", &[])])), None);
    assert_eq!(circle(&of(&[("a", &["b"]), ("b", &["c"]), ("c", &["b"])])), Some(vec!["b".into(), "c".into()]));
    let code = "use crate::board::{Board, fen};\nuse super::slots::Step;\nlet x = crate::text::san::read();";
    let found = paths(code, "game::replay");
    assert_eq!(found, ["board::Board", "board::fen", "text::san::read", "game::slots::Step"]);
}

/// The crates of the workspace in a section of a manifest, on lines that end so.
fn crates_in(manifest: &str, section: &str, end: &str) -> BTreeSet<String> {
    let lines = manifest.lines().skip_while(|line| *line != format!("[{section}]")).skip(1);
    let lines = lines.take_while(|line| !line.starts_with('['));
    lines
        .filter_map(|line| line.strip_suffix(end))
        .filter(|name| name.starts_with("chess"))
        .map(str::to_owned)
        .collect()
}

#[test]
fn crates_use_what_contributing_says() {
    let root = workspace();
    let manifests: Vec<PathBuf> = ["crates", "benches"]
        .iter()
        .flat_map(|folder| fs::read_dir(root.join(folder)).unwrap())
        .map(|entry| entry.unwrap().path().join("Cargo.toml"))
        .chain([root.join("Cargo.toml")])
        .filter(|path| path.is_file())
        .collect();
    let mut actual = BTreeMap::new();
    for path in &manifests {
        let manifest = fs::read_to_string(path).unwrap();
        let name =
            manifest.lines().find_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"')).unwrap().to_owned();
        let used = crates_in(&manifest, "dependencies", ".workspace = true");
        // the optional ones are of a feature for tests
        let mut in_tests = crates_in(&manifest, "dependencies", " = { workspace = true, optional = true }");
        in_tests.extend(crates_in(&manifest, "dev-dependencies", ".workspace = true"));
        actual.insert(name, (used, in_tests));
    }
    let text = fs::read_to_string(root.join("CONTRIBUTING.md")).unwrap();
    let table = text.split_once("| crate | uses |").unwrap().1;
    let list =
        |cell: &str| cell.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect();
    let mut stated = BTreeMap::new();
    for row in table.lines().skip(2).take_while(|line| line.starts_with('|')) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let name = cells[1].split(' ').next().unwrap().to_owned();
        stated.insert(name, (list(cells[2]), list(cells[3])));
    }
    assert_eq!(stated, actual);
}

/// The functions of the library that an SQL file declares.
fn declared_in(sql: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for statement in sql.split("CREATE FUNCTION ").skip(1) {
        let statement = statement.split(';').next().unwrap();
        let Some((_, behind)) = statement.split_once("'MODULE_PATHNAME'") else { continue };
        let named = behind.strip_prefix(", '").and_then(|rest| rest.split('\'').next());
        found.push(named.unwrap_or_else(|| statement.split('(').next().unwrap()));
    }
    found
}

#[test]
fn what_a_file_of_sql_declares_the_rust_file_of_its_name_implements() {
    let mut implemented = BTreeMap::new();
    let mut files = Vec::new();
    rust_files(&workspace().join("src/functions"), &mut files);
    for file in &files {
        for rest in code_of(file).split("sql_fn!(").skip(1) {
            let name = rest.split('(').next().unwrap().to_owned();
            implemented.insert(name, file.file_stem().unwrap().to_str().unwrap().to_owned());
        }
    }
    let mut compared = 0;
    for entry in fs::read_dir(workspace().join("sql")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        if name.starts_with("chess--") {
            continue;
        }
        let sql = fs::read_to_string(&path).unwrap();
        for function in declared_in(&sql) {
            if let Some(rust) = implemented.get(function) {
                assert_eq!(*rust, name, "{function} of sql/{name}.sql");
                compared += 1;
            }
        }
    }
    assert!(compared > 100, "{compared} functions");
}
