//! Filters: parameters of a URL go in, conditions on the games or arguments of the explorer's functions come out.

use chess_db::lichess;
use chess_db::order::LATEST;

pub use chess_core::text::time_control::SPEEDS;
use tokio_postgres::Row;

use crate::database::query::{Query, Value};
use crate::failure::{Failure, Outcome};
use crate::http::params::Params;
use crate::question::criterion::Criterion;
use crate::question::{dates, named_openings};

/// The lower bounds of lichess's rating groups.
const GROUPS: [i32; 9] = [0, 1000, 1200, 1400, 1600, 1800, 2000, 2200, 2500];

/// The relation, named `g`, that conditions are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// The table of games, which has the numbers of players and events, and the indexes.
    Games,
    /// `pgn_view`, which has their names: conditions as people write them.
    View,
}

impl Of {
    fn pick(self, of_games: &'static str, of_view: &'static str) -> &'static str {
        match self {
            Of::Games => of_games,
            Of::View => of_view,
        }
    }
}

/// The filters of a question; all of them must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filters {
    /// A player's name, with either colour.
    pub player: Option<String>,
    /// The colour of `player`: `w` or `b`.
    pub color: Option<&'static str>,
    /// White's name.
    pub white: Option<String>,
    /// Black's name.
    pub black: Option<String>,
    /// Ranges of the mean rating, as the text of an `int4multirange`.
    pub rating: Option<String>,
    /// The days on which games were played, as the text of a `daterange`.
    pub dates: Option<String>,
    /// The result.
    pub result: Option<String>,
    /// The event's name.
    pub event: Option<String>,
    /// Speeds, some of [`SPEEDS`].
    pub speeds: Option<Vec<String>>,
    /// Only rated games of lichess, or only casual ones, which their event tells.
    pub is_rated: Option<bool>,
    /// Only games with evaluations.
    pub evals: bool,
    /// Only games with comments, variations or glyphs.
    pub annotated: bool,
    /// Ranges of White's rating, of Black's, of their difference and of the length in moves, as texts of multiranges of
    /// integers.
    pub ranges: [Option<String>; 4],
    /// The site's name.
    pub site: Option<String>,
    /// The beginning of the opening's code.
    pub eco: Option<String>,
    /// The name of an opening, and the position by which its games are found.
    pub opening: Option<(String, String)>,
    /// The numbers of the sources that games were loaded from, as the text of an array.
    pub sources: Option<String>,
}

/// The parameters of [`Filters::ranges`], and their conditions.
const RANGES: [(&str, &str); 4] = [
    ("whiteRating", " AND g.white_elo <@ {}::int4multirange"),
    ("blackRating", " AND g.black_elo <@ {}::int4multirange"),
    ("difference", " AND abs(nullif(g.white_elo, 0)::bigint - nullif(g.black_elo, 0)) <@ {}::int8multirange"),
    ("length", " AND (g.ply_count + 1) / 2 <@ {}::int4multirange"),
];

/// The code of a game's opening: that of its tag, without what Scid writes behind it (`B90a`), or else that of its moves.
pub const CODE: &str = "coalesce(upper(substring(g.eco, '^[A-Ea-e][0-9][0-9]')), ({chess}.opening(g.game)).eco)";

/// The condition for a site in the table of games, with all rows of the site, which may be written several ways.
const SITE: &str = "g.site_id = ANY (ARRAY(SELECT s.id FROM {schema}.sites AS s WHERE coalesce(s.same_as, s.id) IN \
                    (SELECT coalesce(n.same_as, n.id) FROM {schema}.sites AS n WHERE n.name = {})))";

/// The side of a player.
#[derive(Clone, Copy)]
enum Color {
    White,
    Black,
}

impl Color {
    fn column(self, of: Of) -> &'static str {
        match self {
            Color::White => of.pick("g.white_id", "g.white"),
            Color::Black => of.pick("g.black_id", "g.black"),
        }
    }
}

impl Filters {
    /// Takes the filters from the parameters.
    ///
    /// # Errors
    ///
    /// 400 for a value that makes no sense.
    pub fn read(params: &mut Params) -> Outcome<Filters> {
        let (since, until) = (params.text("since")?, params.text("until")?);
        let filters = Filters {
            player: params.name("player")?,
            color: match params.text("color")?.as_deref() {
                None => None,
                Some("white" | "w") => Some("w"),
                Some("black" | "b") => Some("b"),
                Some(_) => return Err(Failure::bad("\"color\" is white or black")),
            },
            white: params.name("white")?,
            black: params.name("black")?,
            rating: params.text("rating")?.map(|text| range("rating", &text)).transpose()?,
            dates: dates::range(since.as_deref(), until.as_deref())?,
            result: params.text("result")?,
            event: params.name("event")?,
            speeds: params.text("tc")?.map(|text| speeds(&text)).transpose()?,
            is_rated: None,
            evals: params.flag("evals")?,
            annotated: params.flag("annotated")?,
            ranges: {
                let mut read = |name: &str| params.text(name)?.map(|text| range(name, &text)).transpose();
                let [white, black, difference, length] = RANGES.map(|(name, _)| read(name));
                [white?, black?, difference?, length?]
            },
            site: params.name("site")?,
            eco: params.text("eco")?.map(|text| code(&text)).transpose()?,
            opening: params.text("opening")?.map(opening).transpose()?,
            sources: sources(params)?,
        };
        if filters.color.is_some() && filters.player.is_none() {
            return Err(Failure::bad("\"color\" needs \"player\""));
        }
        if filters.result.as_deref().is_some_and(|text| !["1-0", "0-1", "1/2-1/2", "*"].contains(&text)) {
            return Err(Failure::bad("\"result\" is 1-0, 0-1, 1/2-1/2 or *"));
        }
        Ok(filters)
    }

    /// Appends ` AND …` for each filter by players.
    fn players(&self, query: &mut Query, of: Of) {
        let player = |query: &mut Query, color: Color, name: &str| {
            query.push(color.column(of), []);
            let names: Vec<String> = name.split('|').map(|name| name.trim().to_owned()).collect();
            match of {
                Of::Games => query.push(" = ANY ((SELECT {schema}.player_ids({}))::integer[])", [name.into()]),
                Of::View if names.len() == 1 => query.push(" = {}", [name.into()]),
                Of::View => query.push(" = ANY ({})", [Value::Texts(names)]),
            }
        };
        if let Some(name) = &self.player {
            query.push(" AND (", []);
            if self.color != Some("b") {
                player(query, Color::White, name);
            }
            if self.color.is_none() {
                query.push(" OR ", []);
            }
            if self.color != Some("w") {
                player(query, Color::Black, name);
            }
            query.push(")", []);
        }
        for (color, name) in [(Color::White, &self.white), (Color::Black, &self.black)] {
            if let Some(name) = name {
                query.push(" AND ", []);
                player(query, color, name);
            }
        }
    }

    /// Appends ` AND …` for each filter.
    pub fn conditions(&self, query: &mut Query, of: Of) {
        self.players(query, of);
        let add = |query: &mut Query, condition: &'static str, value: &Option<String>| {
            if let Some(value) = value {
                query.push(condition, [value.as_str().into()]);
            }
        };
        add(query, " AND {schema}.mean_elo(g.white_elo, g.black_elo) <@ {}::int4multirange", &self.rating);
        add(query, " AND g.dates <@ {}::daterange", &self.dates);
        add(query, " AND g.result = {}", &self.result);
        let event = of.pick(" AND g.event_id = ANY ((SELECT {schema}.event_ids({}))::integer[])", " AND g.event = {}");
        add(query, event, &self.event);
        if let Some(speeds) = &self.speeds {
            query.push(" AND {schema}.speed(g.time_control) = ANY ({})", [Value::Texts(speeds.clone())]);
        }
        self.rated(query, of);
        if self.evals {
            query.push(of.pick(" AND g.evals IS NOT NULL", " AND g.pgn_evals IS NOT NULL"), []);
        }
        if self.annotated {
            query.push(" AND g.annotated IS NOT NULL", []);
        }
        for ((_, condition), range) in RANGES.iter().zip(&self.ranges) {
            add(query, condition, range);
        }
        self.of_site(query, of);
        if let Some(code) = &self.eco {
            query.push(" AND ", []);
            query.push(CODE, []);
            query.push(" LIKE {}", [format!("{code}%").into()]);
        }
        if let Some((_, board)) = &self.opening {
            query.push(" AND {chess}.hasBoard(g.game, {}::{chess}.chessboard)", [board.as_str().into()]);
        }
        add(query, " AND g.source_id = ANY ({}::integer[])", &self.sources);
    }

    fn of_site(&self, query: &mut Query, of: Of) {
        let Some(site) = self.site.as_deref() else { return };
        query.push(" AND ", []);
        match (of, lichess::of_site(site)) {
            (Of::View, _) => query.push("g.site = {}", [site.into()]),
            (Of::Games, None) => query.push(SITE, [site.into()]),
            (Of::Games, Some(id)) => {
                query.push("(g.lichess_id = {} OR ", [Value::Long(id)]);
                query.push(SITE, [site.into()]);
                query.push(")", []);
            }
        }
    }

    fn rated(&self, query: &mut Query, of: Of) {
        if let Some(is_rated) = self.is_rated {
            query.push(if is_rated { " AND NOT " } else { " AND " }, []);
            query.push(
                of.pick(
                    "EXISTS (SELECT FROM {schema}.events e WHERE e.id = g.event_id AND e.name LIKE 'Casual %')",
                    "coalesce(g.pgn_event LIKE 'Casual %', false)",
                ),
                [],
            );
        }
    }

    /// Appends ` AND …` for what follows from the filter by days and has an index: that of lists by date.
    pub fn first_days(&self, query: &mut Query) {
        let Some(range) = self.dates.as_deref() else { return };
        let bounds = range.trim_matches(['[', ')']).split_once(',').unwrap_or_default();
        for (day, sign) in [(bounds.0, " >= {}::date"), (bounds.1, " < {}::date")] {
            if !day.is_empty() {
                query.push(" AND ", []);
                query.push(LATEST, []);
                query.push(sign, [day.into()]);
            }
        }
    }

    /// Asks for the canonical names of what the filters name, which `pgn_view` has; `None` if they name nothing.
    pub fn spellings(&self) -> Option<Query> {
        let names = [&self.player, &self.white, &self.black, &self.event, &self.site].map(Option::as_deref);
        if names == [None; 5] {
            return None;
        }
        let [player, white, black, event, site] = names.map(|name| Value::from(name.unwrap_or_default()));
        let mut query = Query::default();
        for (before, name) in [("SELECT ", player), (", ", white), (", ", black)] {
            query.push(before, []);
            query.push(
                "(SELECT string_agg(DISTINCT p.shown, '|') FROM {schema}.players p \
                 WHERE p.id = ANY ((SELECT {schema}.player_ids({}))::integer[]))",
                [name],
            );
        }
        query.push(
            ", (SELECT min(coalesce(e.canonical, e.name)) FROM {schema}.events e WHERE e.name = {}), \
             (SELECT min(coalesce(s.canonical, s.name)) FROM {schema}.sites s WHERE s.name = {})",
            [event, site],
        );
        Some(query)
    }

    /// The same filters with the names of a row of [`Filters::spellings`]. A name that nobody has stays.
    pub fn spelled(mut self, row: &Row) -> Filters {
        let names = [&mut self.player, &mut self.white, &mut self.black, &mut self.event, &mut self.site];
        for (at, name) in names.into_iter().enumerate() {
            *name = row.get::<_, Option<String>>(at).or(name.take());
        }
        self
    }

    /// The name of a filter that the explorer's functions do not have.
    pub fn of_games_alone(&self) -> Option<&'static str> {
        let range = RANGES.iter().zip(&self.ranges).find(|(_, range)| range.is_some()).map(|((name, _), _)| *name);
        let others = [
            (self.is_rated.is_some(), "modes"),
            (self.annotated, "annotated"),
            (self.site.is_some(), "site"),
            (self.eco.is_some(), "eco"),
            (self.opening.is_some(), "opening"),
            (self.sources.is_some(), "source"),
        ];
        range.or(others.iter().find(|(is_there, _)| *is_there).map(|(_, name)| *name))
    }

    /// Appends `, name => value` for each filter, as arguments of the explorer's functions.
    ///
    /// # Errors
    ///
    /// 400 for a filter that these functions do not have.
    ///
    /// [`ARGUMENTS`] has all of them, for [`Query::close`].
    pub fn arguments(&self, query: &mut Query) -> Outcome<()> {
        let mut push = |fragment, value: &Option<String>| {
            if let Some(value) = value {
                query.push(fragment, [value.as_str().into()]);
            }
        };
        push(", player => {}", &self.player);
        push(", color => {}", &self.color.map(str::to_owned));
        push(", white => {}", &self.white);
        push(", black => {}", &self.black);
        push(", rating => {}", &self.rating);
        push(", dates => {}::daterange", &self.dates);
        push(", result => {}", &self.result);
        push(", event => {}", &self.event);
        if let Some(speeds) = &self.speeds {
            query.push(", speeds => {}", [Value::Texts(speeds.clone())]);
        }
        if self.evals {
            query.push(", with_evals => true", []);
        }
        match self.of_games_alone() {
            Some(name) => Err(Failure::bad(format!("\"{name}\" is a filter of /api/games and /api/explorer"))),
            None => Ok(()),
        }
    }

    /// Appends `, name => value` for each filter and for what else the games must have, as arguments of the reports.
    ///
    /// # Errors
    ///
    /// 400 for a filter that reports do not have.
    ///
    /// [`ARGUMENTS`] and [`REPORT_ARGUMENTS`] have all of them, for [`Query::close`].
    pub fn report_arguments(&self, criterion: &Criterion, query: &mut Query) -> Outcome<()> {
        Filters { sources: None, opening: None, ..self.clone() }.arguments(query)?;
        if let Some(sources) = &self.sources {
            query.push(", sources => {}::integer[]", [sources.as_str().into()]);
        }
        let patterns = criterion.patterns();
        if !patterns.is_empty() {
            query.push(", patterns => {}::{chess}.chesspattern[]", [Value::Texts(patterns)]);
        }
        let positions = criterion.positions();
        if positions.iter().any(|asked| asked.symmetries) {
            return Err(Failure::bad("\"symmetries\" is a filter of /api/games and /api/explorer"));
        }
        let opening = self.opening.iter().map(|(_, board)| board.clone());
        let boards: Vec<String> = opening.chain(positions.iter().map(|asked| asked.fen())).collect();
        if !boards.is_empty() {
            query.push(", boards => {}::{chess}.chessboard[]", [Value::Texts(boards)]);
        }
        Ok(())
    }
}

/// The filters of the functions of the explorer, with their defaults.
pub const ARGUMENTS: [&str; 11] = [
    ", player => NULL::text",
    ", color => NULL::text",
    ", white => NULL::text",
    ", black => NULL::text",
    ", rating => NULL::text",
    ", dates => NULL::daterange",
    ", result => NULL::text",
    ", event => NULL::text",
    ", time_control => NULL::text",
    ", speeds => NULL::text[]",
    ", with_evals => false",
];

/// The filters that reports have beside these.
pub const REPORT_ARGUMENTS: [&str; 3] = [
    ", sources => NULL::integer[]",
    ", patterns => NULL::{chess}.chesspattern[]",
    ", boards => NULL::{chess}.chessboard[]",
];

/// The rating groups of lichess that contain these ratings, as the text of a multirange.
pub fn rating_groups(lowest: impl IntoIterator<Item = i32>) -> String {
    let mut groups = [false; GROUPS.len()];
    for rating in lowest {
        groups[GROUPS.partition_point(|bound| *bound <= rating).saturating_sub(1)] = true;
    }
    let range = |at: usize| {
        let end = GROUPS.get(at + 1).map(i32::to_string).unwrap_or_default();
        format!("[{},{end})", if at == 0 { String::new() } else { GROUPS[at].to_string() })
    };
    let ranges: Vec<String> = (0..GROUPS.len()).filter(|at| groups[*at]).map(range).collect();
    format!("{{{}}}", ranges.join(","))
}

/// A code of the Encyclopaedia of Chess Openings or the beginning of one, in capitals.
fn code(text: &str) -> Outcome<String> {
    let code = text.trim().to_ascii_uppercase();
    match code.as_bytes() {
        [b'A'..=b'E', digits @ ..] if digits.len() <= 2 && digits.iter().all(u8::is_ascii_digit) => Ok(code),
        _ => Err(Failure::bad("\"eco\" is a code of an opening or its beginning: B90, B9 or B")),
    }
}

/// The name of an opening with the position after its shortest line, which nearly all of its games reach.
fn opening(name: String) -> Outcome<(String, String)> {
    let board = named_openings::board(&name)
        .ok_or_else(|| Failure::bad("no opening has this name").hint("/api/openings?prefix=… finds names"))?;
    Ok((name, board))
}

/// The numbers of sources, `source=3` or `source=3,7`, as the text of an array.
///
/// # Errors
///
/// 400 for what is no number.
pub fn sources(params: &mut Params) -> Outcome<Option<String>> {
    let Some(text) = params.text("source")? else { return Ok(None) };
    let numbers: Option<Vec<i32>> = text.split(',').map(|number| number.trim().parse().ok()).collect();
    let numbers =
        numbers.ok_or_else(|| Failure::bad("\"source\" is the number of a source, or several with commas"))?;
    let numbers: Vec<String> = numbers.iter().map(i32::to_string).collect();
    Ok(Some(format!("{{{}}}", numbers.join(","))))
}

/// `2200-2400`, `2200-` or `-2400` as the text of a multirange.
pub fn range(name: &str, text: &str) -> Outcome<String> {
    let bound = |text: &str| -> Option<Option<i32>> {
        let text = text.trim();
        match text.is_empty() {
            true => Some(None),
            false => text.parse::<i32>().ok().filter(|number| (0..=10_000).contains(number)).map(Some),
        }
    };
    let bounds = text.split_once('-').and_then(|(low, high)| Some((bound(low)?, bound(high)?)));
    match bounds {
        Some((None, None)) | None => {
            let [low, high] = if name == "length" { ["20", "40"] } else { ["2200", "2400"] };
            Err(Failure::bad(format!("\"{name}\" is {low}-{high}, {low}- or -{high}")))
        }
        Some((Some(low), Some(high))) if low > high => {
            Err(Failure::bad(format!("the first number of \"{name}\" is greater than the second")))
        }
        Some((low, high)) => {
            // a rating of 0 in a PGN is none
            let low = if name.ends_with("Rating") { low.max(Some(1)) } else { low };
            let text = |bound: Option<i32>| bound.map(|number| number.to_string()).unwrap_or_default();
            Ok(format!("{{[{},{})}}", text(low), text(high.map(|high| high + 1))))
        }
    }
}

fn speeds(text: &str) -> Outcome<Vec<String>> {
    let found: Vec<String> = text.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect();
    match found.iter().find(|name| !SPEEDS.contains(&name.as_str())) {
        None if found.is_empty() => Err(Failure::bad("\"tc\" is empty")),
        None => Ok(found),
        Some(_) => Err(Failure::bad(format!("\"tc\" is a list of {}", SPEEDS.join(", ")))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::database::query::Names;

    fn shown(query: &str) -> Result<String, String> {
        let mut params = Params::of(query);
        let filters = Filters::read(&mut params).map_err(|failure| failure.error)?;
        params.finish().map_err(|failure| failure.error)?;
        let mut query = Query::default();
        filters.conditions(&mut query, Of::Games);
        Ok(query.literal(&Names { schema: "chess".into(), extension: "public".into() }))
    }

    #[test]
    fn each_filter_is_a_condition() {
        for (asked, condition) in [
            ("", ""),
            (
                "player=O%27Neil",
                " AND (g.white_id = ANY ((SELECT chess.player_ids('O''Neil'))::integer[]) \
                 OR g.black_id = ANY ((SELECT chess.player_ids('O''Neil'))::integer[]))",
            ),
            ("player=A&color=black", " AND (g.black_id = ANY ((SELECT chess.player_ids('A'))::integer[]))"),
            ("white=A", " AND g.white_id = ANY ((SELECT chess.player_ids('A'))::integer[])"),
            ("rating=2200-", " AND chess.mean_elo(g.white_elo, g.black_elo) <@ '{[2200,)}'::int4multirange"),
            ("rating=2200-2400", " AND chess.mean_elo(g.white_elo, g.black_elo) <@ '{[2200,2401)}'::int4multirange"),
            ("since=2015-03", " AND g.dates <@ '[2015-03-01,)'::daterange"),
            ("result=1/2-1/2", " AND g.result = '1/2-1/2'"),
            ("tc=bullet,blitz", " AND chess.speed(g.time_control) = ANY (ARRAY['bullet', 'blitz']::text[])"),
            ("evals=1&annotated=1", " AND g.evals IS NOT NULL AND g.annotated IS NOT NULL"),
            (
                "length=-20&whiteRating=2500-",
                " AND g.white_elo <@ '{[2500,)}'::int4multirange AND (g.ply_count + 1) / 2 <@ '{[,21)}'::int4multirange",
            ),
            // ratings of a PGN may be any numbers
            (
                "difference=100-",
                " AND abs(nullif(g.white_elo, 0)::bigint - nullif(g.black_elo, 0)) <@ '{[100,)}'::int8multirange",
            ),
            // 0 is no rating
            (
                "whiteRating=-1500&blackRating=0-1500",
                " AND g.white_elo <@ '{[1,1501)}'::int4multirange AND g.black_elo <@ '{[1,1501)}'::int4multirange",
            ),
            ("whiteRating=0-0", " AND g.white_elo <@ '{[1,1)}'::int4multirange"),
            ("source=3,+7", " AND g.source_id = ANY ('{3,7}'::integer[])"),
            (
                "eco=b9",
                " AND coalesce(upper(substring(g.eco, '^[A-Ea-e][0-9][0-9]')), (opening(g.game)).eco) LIKE 'B9%'",
            ),
            (
                "opening=Sicilian+Defense",
                " AND hasBoard(g.game, 'rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq c6 0 2'::chessboard)",
            ),
        ] {
            assert_eq!(shown(asked).as_deref(), Ok(condition), "{asked}");
        }
    }

    #[test]
    fn groups_of_ratings() {
        assert_eq!(rating_groups([1600, 2500]), "{[1600,1800),[2500,)}");
        assert_eq!(rating_groups([0, -5, 1999, 1800]), "{[,1000),[1800,2000)}");
    }

    #[test]
    fn values_that_make_no_sense() {
        for asked in [
            "color=white",
            "player=A&color=red",
            "rating=abc",
            "rating=-",
            "rating=2400-2200",
            "rating=2400",
            "rating=1-99999999999",
            "since=2015-13",
            "result=2-0",
            "tc=",
            "tc=,",
            "tc=fast",
            "evals=yes",
            "order=id",
            "eco=F",
            "eco=B900",
            "eco=%25",
            "opening=Nonsense",
            "length=long",
            "source=x",
            "source=3,",
            "source=99999999999",
            "white=%00",
        ] {
            // an empty value is a missing one
            let shown = shown(asked);
            assert_eq!(shown.is_ok(), asked == "tc=", "{asked}");
            if asked == "rating=abc" {
                assert_eq!(shown.unwrap_err(), "\"rating\" is 2200-2400, 2200- or -2400");
            }
        }
    }
}
