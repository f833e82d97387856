//! All tests of this folder are one program, so that the generic code of chess-index is compiled once for all of them.

mod ahead;
mod common;
mod damage;
mod golden;
mod groups;
mod merges;
mod meta;
mod patterns;
mod pending;
mod rankings;
mod segments;
mod sums;

/// A file that is not named above would not be run, because Cargo looks for no other tests here.
#[test]
fn every_file_is_a_module() {
    let main = include_str!("main.rs");
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        let is_test = path.extension().is_some_and(|extension| extension == "rs") && name != "main";
        assert!(!is_test || main.contains(&format!("\nmod {name};\n")), "{name}.rs is not in main.rs");
    }
}
