//! Columns that the tables of the loader do not have: the tags, the time control and the moves of a game come in, what people
//! look for in them goes out.

use chess_core::GameRef;
use chess_core::facts::openings;
use chess_core::text::dates::{self, days};
use chess_core::text::time_control::{SPEEDS, TimeControl};
use serde_json::{Map, Value};

use super::EPOCH;

/// Values of a game; unknown ones are `None`.
#[derive(Clone, Debug, Default)]
pub struct Extras {
    /// White, Black.
    pub titles: [Option<String>; 2],
    /// How much the game has changed the ratings of White and Black.
    pub rating_changes: [Option<i32>; 2],
    /// When the game began, in milliseconds from 1970-01-01 on.
    pub utc: Option<i64>,
    /// Why it ended.
    pub termination: Option<String>,
    /// Seconds at the start, and for each move.
    pub clock: Option<[i32; 2]>,
    /// One of those of time controls.
    pub speed: &'static str,
    /// The name of the opening.
    pub opening: Option<&'static str>,
}

impl Extras {
    /// The values that the tags without a column, as JSON, the time control and the game have.
    pub fn of(tags: Option<&str>, time_control: Option<&str>, game: Option<GameRef<'_>>) -> Extras {
        // text that is not JSON has no tags
        let tags: Map<String, Value> = tags.and_then(|json| serde_json::from_str(json).ok()).unwrap_or_default();
        let tag = |name: &str| {
            let value = tags.get(name)?;
            value.as_str().or_else(|| value.get(0)?.as_str()).filter(|text| !chess_db::pgn::is_unknown(name, text))
        };
        let text = |name| tag(name).map(str::to_owned);
        let change = |name| tag(name).and_then(|text: &str| text.trim().trim_start_matches('+').parse().ok());
        let periods = time_control.and_then(TimeControl::read);
        let seconds = |milliseconds: i64| i32::try_from(milliseconds / 1000).unwrap_or(i32::MAX);
        let speed = time_control.and_then(TimeControl::speed).unwrap_or(SPEEDS.len() - 1);
        Extras {
            titles: ["WhiteTitle", "BlackTitle"].map(text),
            rating_changes: ["WhiteRatingDiff", "BlackRatingDiff"].map(change),
            utc: tag("UTCDate").zip(tag("UTCTime")).and_then(|(date, time)| moment(date, time)),
            termination: text("Termination"),
            clock: periods.map(|control| [control.first().time, control.first().increment].map(seconds)),
            speed: SPEEDS[speed],
            // a game that does not decode has none
            opening: game.and_then(|game| openings::of_game(game).ok().flatten()).map(|opening| opening.name),
        }
    }
}

/// An object as PostgreSQL writes the same as `jsonb`: short names first, with blanks between its parts.
pub fn like_jsonb(json: &str) -> String {
    let Ok(object) = serde_json::from_str::<Map<String, Value>>(json) else { return json.to_owned() };
    let mut tags: Vec<_> = object.into_iter().collect();
    tags.sort_by(|(a, _), (b, _)| (a.len(), a).cmp(&(b.len(), b)));
    let written = |value: &Value| match value {
        Value::Array(values) => format!("[{}]", values.iter().map(Value::to_string).collect::<Vec<_>>().join(", ")),
        value => value.to_string(),
    };
    let tags: Vec<_> =
        tags.iter().map(|(name, value)| format!("{}: {}", Value::from(name.as_str()), written(value))).collect();
    format!("{{{}}}", tags.join(", "))
}

/// A day and a time such as `23:59:59`.
fn moment(date: &str, time: &str) -> Option<i64> {
    let day = days(date).filter(|days| days.end == days.first + 1)?.first;
    let parts: Option<Vec<i64>> = time.trim().split(':').map(|part| part.parse().ok()).collect();
    match parts?[..] {
        [hours @ 0..24, minutes @ 0..60, seconds @ 0..60] => {
            Some(1000 * (86_400 * i64::from(day + EPOCH) + 3600 * hours + 60 * minutes + seconds))
        }
        _ => None,
    }
}

/// A moment as `2004-05-12T10:00:00Z`.
pub fn written(moment: i64) -> String {
    let (day, second) = (moment.div_euclid(86_400_000), moment.rem_euclid(86_400_000) / 1000);
    let date = dates::written(day as i32 - EPOCH);
    format!("{date}T{:02}:{:02}:{:02}Z", second / 3600, second / 60 % 60, second % 60)
}
