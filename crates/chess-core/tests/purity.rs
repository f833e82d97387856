//! The crates contain no unsafe code, and chess-core and chess-index do not depend on PostgreSQL.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

#[test]
fn unsafe_code_is_forbidden() {
    let mut roots = 0;
    for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).unwrap() {
        for name in ["src/lib.rs", "src/main.rs"] {
            let path = entry.as_ref().unwrap().path().join(name);
            let Ok(root) = fs::read_to_string(&path) else { continue };
            assert!(root.lines().any(|line| line == "#![forbid(unsafe_code)]"), "{}", path.display());
            roots += 1;
        }
    }
    assert!(roots > 8, "only {roots} crates");
}

/// The packages of a lock file with their dependencies.
fn packages(lock: &str) -> BTreeMap<String, BTreeSet<String>> {
    let mut packages: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for entry in lock.split("[[package]]").skip(1) {
        let quoted = |line: &str| line.split('"').nth(1).unwrap_or_default().to_string();
        let name = quoted(entry.lines().find(|line| line.starts_with("name = ")).unwrap());
        let (_, list) = entry.split_once("dependencies = [").unwrap_or_default();
        let needs = list.lines().take_while(|line| !line.starts_with(']')).map(quoted);
        let needs = needs.filter_map(|need| need.split(' ').next().map(str::to_string));
        packages.entry(name).or_default().extend(needs.filter(|need| !need.is_empty()));
    }
    packages
}

#[test]
fn nothing_of_postgresql_is_needed() {
    let lock = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.lock")).unwrap();
    let packages = packages(&lock);
    // The lock file includes dependencies of tests, so this checks more than necessary.
    let mut needed = BTreeSet::from(["chess-index".to_string()]);
    let mut left = vec!["chess-index".to_string()];
    while let Some(name) = left.pop() {
        for need in &packages[&name] {
            if needed.insert(need.clone()) {
                left.push(need.clone());
            }
        }
    }
    assert!(needed.contains("chess-core") && needed.contains("shakmaty"), "{needed:?}");
    let foreign: Vec<_> = needed.iter().filter(|name| name.contains("pgrx") || name.contains("postgres")).collect();
    assert!(foreign.is_empty(), "{foreign:?}");
    // the same parser finds pgrx where it is
    assert!(packages["chess"].contains("pgrx"));
}
