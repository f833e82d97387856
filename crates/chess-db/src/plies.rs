//! Decodes arrays with a value for each half-move, as in the columns `clocks` and `evals`, from the binary format.
//!
//! The subscript is the half-move. An array that the loader has not written may start at a subscript other than 1 and
//! be longer than the game.

use std::error::Error;

use postgres::types::{FromSql, Type};

/// The elements of an integer array, with its first subscript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plies {
    first: i64,
    values: Vec<Option<i32>>,
}

impl Plies {
    /// The values of `plies` half-moves, and the number of values outside of them.
    pub fn of_game(&self, plies: usize) -> (Vec<Option<i32>>, usize) {
        let mut found = vec![None; plies];
        let mut others = 0;
        for (subscript, value) in (self.first..).zip(&self.values).filter(|(_, value)| value.is_some()) {
            match usize::try_from(subscript - 1).ok().and_then(|ply| found.get_mut(ply)) {
                Some(place) => *place = *value,
                None => others += 1,
            }
        }
        (found, others)
    }
}

impl From<Vec<Option<i32>>> for Plies {
    /// A value for each half-move.
    fn from(values: Vec<Option<i32>>) -> Plies {
        Plies { first: 1, values }
    }
}

impl FromSql<'_> for Plies {
    fn from_sql(_: &Type, raw: &[u8]) -> Result<Plies, Box<dyn Error + Sync + Send>> {
        let mut rest = raw;
        let mut int = || {
            let (head, tail) = rest.split_first_chunk::<4>().ok_or("an array is cut off")?;
            rest = tail;
            Ok::<i32, &str>(i32::from_be_bytes(*head))
        };
        let dimensions = int()?;
        let (_has_nulls, _element_type) = (int()?, int()?);
        match dimensions {
            0 => return Ok(Plies { first: 1, values: Vec::new() }),
            1 => (),
            more => return Err(format!("the array has {more} dimensions").into()),
        }
        let (len, first) = (int()?, int()?);
        let value = |_| match int()? {
            4 => int().map(Some),
            -1 => Ok(None),
            _ => Err("an element of the array is not an integer"),
        };
        Ok(Plies { first: first.into(), values: (0..len).map(value).collect::<Result<_, _>>()? })
    }

    fn accepts(type_: &Type) -> bool {
        *type_ == Type::INT4_ARRAY
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(ints: &[i32]) -> Result<Plies, String> {
        let raw: Vec<u8> = ints.iter().flat_map(|int| int.to_be_bytes()).collect();
        Plies::from_sql(&Type::INT4_ARRAY, &raw).map_err(|error| error.to_string())
    }

    #[test]
    fn the_subscript_is_the_half_move() {
        let from = |first| read(&[1, 1, 23, 3, first, 4, 7, -1, 4, 9]).unwrap();
        assert_eq!(from(1).of_game(4), (vec![Some(7), None, Some(9), None], 0));
        assert_eq!(from(1).of_game(2), (vec![Some(7), None], 1));
        assert_eq!(from(0).of_game(2), (vec![None, Some(9)], 1));
        assert_eq!(from(3).of_game(5), (vec![None, None, Some(7), None, Some(9)], 0));
        for first in [i32::MIN, i32::MAX] {
            assert_eq!(from(first).of_game(2), (vec![None, None], 2));
        }
        assert_eq!(read(&[0, 0, 23]).unwrap().of_game(1), (vec![None], 0));
        assert_eq!(read(&[2, 0, 23, 1, 1, 1, 1, 4, 5]), Err("the array has 2 dimensions".into()));
        for broken in [&[][..], &[1, 0, 23, 2, 1, 4, 5], &[1, 0, 23, 1, 1, 8, 5, 5]] {
            assert!(read(broken).is_err());
        }
    }
}
