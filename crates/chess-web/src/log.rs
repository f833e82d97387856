//! The log, on standard error. In: events of `tracing`. Out: a line for each, `chess-web: ` and what has happened. What
//! visitors, the database and engines say stays within its line and cannot move a terminal's cursor.

use std::fmt;
use std::io;

use chess_db::terminal;
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::Layer as _;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields, MakeWriter, layer};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::registry::{LookupSpan, Registry};

/// Begins the log of the program.
pub fn begin() {
    // fails only if a log has begun
    let _ = tracing::subscriber::set_global_default(to(io::stderr));
}

/// A log that is written elsewhere.
pub fn to<W>(writer: W) -> impl Subscriber + Send + Sync
where
    W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    // libraries have events, too, which mean something only to those who know them
    let own = Targets::new().with_target(env!("CARGO_CRATE_NAME"), Level::INFO);
    Registry::default().with(layer().event_format(Line).with_writer(writer).with_filter(own))
}

/// Writes an event in one line.
struct Line;

impl<S, N> FormatEvent<S, N> for Line
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(&self, context: &FmtContext<'_, S, N>, mut out: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        let mut text = String::new();
        context.format_fields(Writer::new(&mut text), event)?;
        writeln!(out, "chess-web: {}", terminal::line(&text))
    }
}

#[cfg(test)]
pub mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    /// What a log has written.
    #[derive(Clone, Default)]
    pub struct Written(Arc<Mutex<Vec<u8>>>);

    impl Written {
        pub fn text(&self) -> String {
            String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
        }
    }

    impl io::Write for Written {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl MakeWriter<'_> for Written {
        type Writer = Written;

        fn make_writer(&self) -> Written {
            self.clone()
        }
    }

    #[test]
    fn an_event_is_a_line() {
        let written = Written::default();
        tracing::subscriber::with_default(to(written.clone()), || {
            tracing::error!("Müller\nchess-web: forged \u{1b}[2J \u{202e}");
            tracing::debug!("not of interest");
            tracing::error!(target: "deadpool", "of a library");
        });
        let text = written.text();
        assert_eq!(text.lines().count(), 1, "{text}");
        assert!(text.starts_with("chess-web: Müller\\") && text.ends_with('\n'), "{text}");
        assert_eq!(text.trim_end_matches('\n'), terminal::line(text.trim_end_matches('\n')));
    }
}
