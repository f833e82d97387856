//! The PostgreSQL side of `chess`: types, functions and indexes of games and positions.
//!
//! A game is parsed and checked by [`chess_core`] and stored as a datum. A query goes through [`planner`] to an index, of
//! [`access_method`] or of PostgreSQL with [`index`], and to the functions. [`chess_core`] defines games and boards, `sql/`
//! their SQL names; this crate only connects the two.
//!
//! Functions are version-1 C functions declared by [`sql_fn!`], without a wrapper around arguments: a search must not
//! cost more than the scan that feeds it.

pgrx::pg_module_magic!(name, version);

#[macro_use]
mod server;

mod access_method;
mod clauses;
mod functions;
mod index;
mod planner;
mod removed;
mod values;

// Each file declares what the file of the same name in functions/ implements; comparisons and operator classes are in
// index/, access_method is in access_method/; guard has no functions.
pgrx::extension_sql_file!("../sql/chessboard.sql", name = "chessboard", bootstrap);
pgrx::extension_sql_file!("../sql/chessgame.sql", name = "chessgame", requires = ["chessboard"]);
pgrx::extension_sql_file!("../sql/comparisons.sql", name = "comparisons", requires = ["chessgame"]);
pgrx::extension_sql_file!("../sql/search.sql", name = "search", requires = ["comparisons"]);
pgrx::extension_sql_file!("../sql/opclasses.sql", name = "opclasses", requires = ["search"]);
pgrx::extension_sql_file!("../sql/moves.sql", name = "moves", requires = ["opclasses"]);
pgrx::extension_sql_file!("../sql/parts.sql", name = "parts", requires = ["moves"]);
pgrx::extension_sql_file!("../sql/boards.sql", name = "boards", requires = ["parts"]);
pgrx::extension_sql_file!("../sql/openings.sql", name = "openings", requires = ["boards"]);
pgrx::extension_sql_file!("../sql/chessposition.sql", name = "chessposition", requires = ["openings"]);
pgrx::extension_sql_file!("../sql/square_sets.sql", name = "square_sets", requires = ["chessposition"]);
pgrx::extension_sql_file!("../sql/pictures.sql", name = "pictures", requires = ["square_sets"]);
pgrx::extension_sql_file!("../sql/two_byte_moves.sql", name = "two_byte_moves", requires = ["pictures"]);
pgrx::extension_sql_file!("../sql/read_pgn.sql", name = "read_pgn", requires = ["two_byte_moves"]);
pgrx::extension_sql_file!("../sql/annotated.sql", name = "annotated", requires = ["read_pgn"]);
pgrx::extension_sql_file!("../sql/write_pgn.sql", name = "write_pgn", requires = ["annotated"]);
pgrx::extension_sql_file!("../sql/patterns.sql", name = "patterns", requires = ["write_pgn"]);
pgrx::extension_sql_file!("../sql/counts.sql", name = "counts", requires = ["patterns"]);
pgrx::extension_sql_file!("../sql/names.sql", name = "names", requires = ["counts"]);
pgrx::extension_sql_file!("../sql/report_groups.sql", name = "report_groups", requires = ["names"]);
pgrx::extension_sql_file!("../sql/kept.sql", name = "kept", requires = ["report_groups"]);
pgrx::extension_sql_file!("../sql/tablebases.sql", name = "tablebases", requires = ["kept"]);
pgrx::extension_sql_file!("../sql/views.sql", name = "views", requires = ["tablebases"]);
pgrx::extension_sql_file!("../sql/access_method.sql", name = "access_method", requires = ["views"]);
pgrx::extension_sql_file!("../sql/arrays.sql", name = "arrays", requires = ["access_method"]);
pgrx::extension_sql_file!("../sql/guard.sql", name = "guard", finalize);

/// Called when the server loads the library. Declares the settings, and makes long work cancellable, because a game may be a text of a gigabyte.
#[pgrx::pg_guard]
extern "C-unwind" fn _PG_init() {
    if std::env::var_os("RUST_LIB_BACKTRACE").is_none() {
        // Otherwise a server started with RUST_BACKTRACE would add stack traces to the DETAIL of errors.
        // SAFETY: a server process has a single thread, and nothing has read the variable yet.
        unsafe { std::env::set_var("RUST_LIB_BACKTRACE", "0") };
    }
    access_method::init();
    functions::tablebases::init();
    planner::aggregates::init();
    planner::ordered::init();
    // A misspelt setting is an ERROR. SAFETY: called while the library is loaded, after its settings are declared.
    unsafe { pgrx::pg_sys::MarkGUCPrefixReserved(c"chess".as_ptr()) };
    chess_core::pause::set(|| {
        pgrx::check_for_interrupts!();
    });
}

#[cfg(feature = "pg_test")]
mod tests;

/// What `#[pg_test]` calls by this name.
#[cfg(test)]
pub mod pg_test {
    /// Runs before each test.
    pub fn setup(_options: Vec<&str>) {}

    /// Settings of the tests' server.
    pub fn postgresql_conf_options() -> Vec<&'static str> {
        Vec::new()
    }
}
