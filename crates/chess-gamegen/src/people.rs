//! Invents the tags: players, events, dates and ratings.
//!
//! The distribution of names is skewed: some players have hundreds of games, others a few. Dates and ratings have gaps
//! as in real collections.

use crate::rng::Rng;

/// Invented players, strongest first.
const PLAYERS: &[&str] = &[
    "Varnholt, Edda",
    "Kestrelin, Ivor",
    "Okonjide, Tobias",
    "Marravek, Petra",
    "Sandoval Quirce, Elio",
    "Hallgrim, Stellan",
    "Dubrowin, Lev K",
    "Ashgrove, Philippa",
    "Tarquinio, Renzo",
    "Bexley-Moor, Simon",
    "Zhevnikov, Artemi",
    "Lindqvara, Maja",
    "Pohjalan, Eero",
    "Castelverde, Bruno",
    "Rathmorran, Deirdre",
    "Iyengaran, Suresh",
    "Wolkenstein, Anton",
    "Mbekelo, Thandi",
    "Farkasdi, Gabor",
    "Nieuwland, Joost",
    "Orlovetz, Nadia",
    "Tremayle, Jago",
    "Kuroshima, Haruto",
    "Belmonte Ruas, Ines",
    "Skarsholm, Nils",
    "Anastou, Kyriakos",
    "Duvernois, Claire",
    "Grabowicz, Tadeusz",
    "Penhallick, Rosa",
    "Yildizer, Kemal",
    "Hostrava, Jiri",
    "Montclaire, Luc",
    "Abernethie, Fergus",
    "Sokolnik, Vera",
    "Quillfeather, Ada",
    "Brandvold, Inga",
    "Tchernak, Oleg",
    "Morgenthau-Lys, Karl",
    "Rosenbluth, Miriam",
    "Arvalo, Dario",
    "Winterbourne, Giles",
    "Haddadin, Samir",
    "Leclerval, Odile",
    "Novotnik, Pavel",
    "Eriksdal, Tuva",
    "Pappagallo, Nino",
    "Strandvik, Olaf",
    "O'Carrowan, Niall",
    "Vellinga, Femke",
    "Zapadny, Roman",
    "Thistlewood, Hugh",
    "Karamandi, Elena",
    "Baumkirch, Otto",
    "Ferrandes, Joao",
    "Uxbridge, Nell",
    "Ljungholt, Sven",
    "Drakemore, Win",
    "Perevoz, Gleb",
    "Ashdownly, May",
    "Zim, Bo",
];

const EVENTS: &[(&str, &str)] = &[
    ("Riverside Open", "Aldermoor"),
    ("Northern League", "?"),
    ("Harbour Masters", "Port Calder"),
    ("National Championship", "Velden Mark"),
    ("Spring Festival", "Castelmare"),
    ("Winter Rapid", "Brennhavn"),
    ("City Championship", "Ostrowice Dolne"),
    ("Memorial Tournament", "Saint-Aubrac"),
    ("Club Match", "Little Marlow End"),
    ("Candidates Cup", "Kirovsk-on-Lake"),
    ("Women and Men Open", "Villa Serena"),
    ("Casual Game", "?"),
];

/// A player before the game.
#[derive(Clone, Debug)]
pub(crate) struct Player {
    pub(crate) name: &'static str,
    /// The playing strength, which the rating need not show.
    pub(crate) strength: i32,
    pub(crate) elo: Option<u16>,
}

/// Draws two different players.
pub(crate) fn pair(rng: &mut Rng) -> (Player, Player) {
    let white = place(rng);
    let mut black = place(rng);
    if black == white {
        black = (black + 1) % PLAYERS.len();
    }
    (player(rng, white), player(rng, black))
}

fn place(rng: &mut Rng) -> usize {
    rng.weighted((0..PLAYERS.len() as u32).map(|i| 10_000 / (i + 4)))
}

fn player(rng: &mut Rng, place: usize) -> Player {
    let strength = 2710 - 13 * place as i32 + rng.between(-45, 45);
    let elo = u16::try_from(strength).ok();
    Player { name: PLAYERS[place], strength, elo: if rng.one_in(11) { None } else { elo } }
}

/// Draws an event and its site.
pub(crate) fn event(rng: &mut Rng) -> (&'static str, &'static str) {
    *rng.pick(EVENTS)
}

/// Draws a round such as `5`, `3.2` or `?`.
pub(crate) fn round(rng: &mut Rng) -> String {
    match rng.below(12) {
        0 => "?".to_owned(),
        1 | 2 => format!("{}.{}", rng.between(1, 9), rng.between(1, 8)),
        _ => rng.between(1, 11).to_string(),
    }
}

/// Draws a date from 1990 to 2025, some with parts unknown.
pub(crate) fn date(rng: &mut Rng) -> String {
    // The later of two draws, since collections have more games of recent years.
    let year = rng.between(1990, 2025).max(rng.between(1990, 2025));
    let month = rng.between(1, 12);
    let last = match month {
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    let day = rng.between(1, last);
    match rng.below(20) {
        0 => "????.??.??".to_owned(),
        1..=3 => format!("{year}.??.??"),
        4 => format!("{year}.{month:02}.??"),
        _ => format!("{year}.{month:02}.{day:02}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn names_are_sixty_and_skewed() {
        let mut rng = Rng::new(3);
        let mut seen: BTreeMap<&str, u32> = BTreeMap::new();
        for _ in 0..10_000 {
            let (white, black) = pair(&mut rng);
            assert_ne!(white.name, black.name);
            *seen.entry(white.name).or_default() += 1;
        }
        assert_eq!(seen.len(), 60);
        assert!(seen[PLAYERS[0]] > 4 * seen[PLAYERS[59]]);
    }
}
