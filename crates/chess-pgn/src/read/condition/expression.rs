//! What `and`, `or`, `not` and parentheses make of tests: a game comes in, whether all of it can hold and fail goes out.

use chess_core::GameRef;

use super::test::{Answer, Test};
use super::words::Tags;

/// A part of a condition; all of them must hold.
#[derive(Clone, Debug)]
pub struct Term {
    pub text: String,
    pub expression: Expression,
}

/// What parentheses and operators make of tests.
#[derive(Clone, Debug)]
pub enum Expression {
    Test(Test),
    Not(Box<Expression>),
    All(Vec<Expression>),
    Any(Vec<Expression>),
}

impl Expression {
    pub fn answer(&mut self, tags: Tags<'_, '_>, game: Option<GameRef<'_>>) -> Answer {
        match self {
            Expression::Test(test) => test.answer(tags, game),
            Expression::Not(inner) => inner.answer(tags, game).turned(),
            Expression::All(parts) => {
                let mut all = Answer::of(true);
                for part in parts {
                    all = all.and(part.answer(tags, game));
                    if !all.can_hold {
                        break;
                    }
                }
                all
            }
            Expression::Any(parts) => {
                let mut none = Answer::of(true);
                for part in parts {
                    none = none.and(part.answer(tags, game).turned());
                    if !none.can_hold {
                        break;
                    }
                }
                none.turned()
            }
        }
    }
}
