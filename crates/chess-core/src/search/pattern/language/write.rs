//! A pattern's canonical text: what a tree is written as, with no parentheses but those that are
//! needed. Read again it is the same tree.

use std::fmt::{self, Write};

use super::parse::STATES;
use super::tree::{
    BLACK, Balance, Comparison, Condition, Contents, Designator, Function, Group, Item, Line, Link, NOTHING, Number,
    Placement, Range, Reach, Right, Set, Timed, Transform, WHATEVER, WHITE,
};
use crate::board::kinds::LETTERS;

/// How strongly the parts of a text hold together: what is written where a stronger level is asked for
/// stands in parentheses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Sequence,
    Either,
    Lasting,
    Both,
    Negation,
    Sum,
    Relation,
    Union,
    Cut,
    Inverse,
}

type Out<'a> = &'a mut String;

/// Writes parentheses around what is weaker than its place allows.
fn at_level(out: Out<'_>, own: Level, place: Level, write: impl FnOnce(Out<'_>)) {
    let weak = own < place;
    if weak {
        out.push('(');
    }
    write(out);
    if weak {
        out.push(')');
    }
}

fn joined<T>(out: Out<'_>, parts: &[T], sign: &str, mut write: impl FnMut(Out<'_>, &T)) {
    for (n, part) in parts.iter().enumerate() {
        if n > 0 {
            out.push_str(sign);
        }
        write(out, part);
    }
}

/// The text of a pattern.
pub fn pattern(timed: &Timed) -> String {
    let mut out = String::new();
    write_timed(&mut out, timed, Level::Sequence);
    out
}

fn write_timed(out: Out<'_>, timed: &Timed, place: Level) {
    match timed {
        Timed::Moment(condition) => write_condition(out, condition, place),
        Timed::For(condition, half_moves) => at_level(out, Level::Lasting, place, |out| {
            write_condition(out, condition, Level::Both);
            push(out, format_args!(" for {half_moves}"));
        }),
        Timed::Trip(from, moves) => {
            write_designator(out, from);
            for (takes, to) in moves {
                out.push(if *takes { 'x' } else { '-' });
                write_designator(out, to);
            }
        }
        Timed::Sequence(first, rest) => at_level(out, Level::Sequence, place, |out| {
            write_timed(out, first, Level::Either);
            for (link, next) in rest {
                write_link(out, link);
                let at = out.len();
                write_timed(out, next, Level::Either);
                // A number would be that of `then`.
                if out[at..].starts_with(|first: char| first.is_ascii_digit()) {
                    out.insert(at, '(');
                    out.push(')');
                }
            }
        }),
        Timed::Any(parts) => at_level(out, Level::Either, place, |out| {
            joined(out, parts, " or ", |out, part| write_timed(out, part, Level::Lasting));
        }),
        Timed::Transform(transform, inner) => {
            out.push_str(transform_word(*transform));
            write_timed(out, inner, Level::Sequence);
            out.push(')');
        }
    }
}

fn write_link(out: Out<'_>, link: &Link) {
    match link.after {
        Range { from: 1, to: None } => out.push_str(" then"),
        Range { from: 1, to: Some(1) } => out.push_str(" directly"),
        Range { from: 1, to: Some(to) } => push(out, format_args!(" then within {to}")),
        range => {
            out.push_str(" then ");
            write_range(out, range);
        }
    }
    if let Some(condition) = &link.while_ {
        out.push_str(" while ");
        write_condition(out, condition, Level::Negation);
    }
    out.push(' ');
}

fn push(out: Out<'_>, args: fmt::Arguments<'_>) {
    // Writing to a String does not fail.
    let _ = out.write_fmt(args);
}

/// A range; one number if its ends are the same.
fn write_range(out: Out<'_>, range: Range) {
    match range {
        Range { from, to: Some(to) } if from == to => push(out, format_args!("{from}")),
        Range { from: 0, to: Some(to) } => push(out, format_args!("..{to}")),
        Range { from, to: Some(to) } => push(out, format_args!("{from}..{to}")),
        Range { from, to: None } => push(out, format_args!("{from}..")),
    }
}

fn transform_word(transform: Transform) -> &'static str {
    match transform {
        Transform::Flip => "flip(",
        Transform::Mirror => "mirror(",
        Transform::Rotate => "rotate(",
        Transform::Shift => "shift(",
    }
}

fn comparison_sign(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Equal => " = ",
        Comparison::Unequal => " <> ",
        Comparison::Less => " < ",
        Comparison::AtMost => " <= ",
        Comparison::Greater => " > ",
        Comparison::AtLeast => " >= ",
    }
}

fn line_word(line: Line) -> &'static str {
    match line {
        Line::Any => "line(",
        Line::File => "file(",
        Line::Rank => "rank(",
        Line::Diagonal => "diagonal(",
    }
}

fn function_word(function: Function) -> &'static str {
    match function {
        Function::Passed => "passed(",
        Function::Isolated => "isolated(",
        Function::Doubled => "doubled(",
        Function::Backward => "backward(",
        Function::Connected => "connected(",
        Function::Outpost => "outpost(",
        Function::Pinned => "pinned(",
        Function::Span => "span(",
        Function::Beside => "beside(",
    }
}

fn reach_word(reach: Reach) -> &'static str {
    match reach {
        Reach::Ahead => "ahead(",
        Reach::Behind => "behind(",
        Reach::Near => "near(",
    }
}

fn write_condition(out: Out<'_>, condition: &Condition, place: Level) {
    match condition {
        Condition::Some(set) => write_set(out, set, Level::Relation),
        Condition::All(conditions) => at_level(out, Level::Both, place, |out| {
            joined(out, conditions, " and ", |out, condition| write_condition(out, condition, Level::Negation));
        }),
        Condition::Any(conditions) => at_level(out, Level::Either, place, |out| {
            joined(out, conditions, " or ", |out, condition| write_condition(out, condition, Level::Lasting));
        }),
        Condition::Not(condition) => {
            out.push_str("not ");
            write_condition(out, condition, Level::Negation);
        }
        Condition::Compare(comparison, left, right) => {
            write_number(out, left, Level::Sum);
            out.push_str(comparison_sign(*comparison));
            write_right(out, right);
        }
        Condition::Move(step) => {
            write_designator(out, &step.from);
            out.push(if step.takes { 'x' } else { '-' });
            write_designator(out, &step.to);
            if let Some(contents) = step.promotion {
                out.push('=');
                write_contents(out, contents);
            }
        }
        Condition::Castles(bit) => {
            out.push_str(["O-O", "O-O-O", "o-o", "o-o-o"][bit.trailing_zeros() as usize & 3]);
        }
        Condition::Rights(bits) => {
            out.push_str("castle(");
            out.extend("KQkq".chars().enumerate().filter(|(n, _)| bits >> n & 1 == 1).map(|(_, letter)| letter));
            out.push(')');
        }
        Condition::Material(white, black) => {
            write_side(out, white);
            out.push('v');
            write_side(out, black);
        }
        Condition::Imbalance(balances) => write_imbalance(out, balances),
        Condition::Placement(placement) => write_placement(out, placement),
        Condition::State(state) => {
            out.push_str(STATES.iter().find(|(_, known)| known == state).map_or("any", |(word, _)| word));
        }
        Condition::Line(line, sets) => {
            out.push_str(line_word(*line));
            joined(out, sets, ", ", |out, set| write_set(out, set, Level::Union));
            out.push(')');
        }
        Condition::Transform(transform, inner) => {
            out.push_str(transform_word(*transform));
            write_condition(out, inner, Level::Sequence);
            out.push(')');
        }
    }
}

fn write_right(out: Out<'_>, right: &Right) {
    match right {
        Right::Number(number) => write_number(out, number, Level::Sum),
        // One number in place of the range would be another tree.
        Right::Range(Range { from, to: Some(to) }) if from == to => push(out, format_args!("{from}..{to}")),
        Right::Range(range) => write_range(out, *range),
    }
}

fn write_number(out: Out<'_>, number: &Number, place: Level) {
    match number {
        Number::Constant(n) => push(out, format_args!("{n}")),
        Number::Count(set) => write_set(out, set, Level::Relation),
        Number::Sum(numbers) => at_level(out, Level::Sum, place, |out| {
            joined(out, numbers, " + ", |out, number| write_number(out, number, Level::Relation));
        }),
        Number::Points(set) | Number::Islands(set) => {
            out.push_str(if matches!(number, Number::Points(_)) { "points(" } else { "islands(" });
            write_set(out, set, Level::Union);
            out.push(')');
        }
        Number::HalfMove => out.push_str("halfmove"),
        Number::Move => out.push_str("move"),
    }
}

fn write_set(out: Out<'_>, set: &Set, place: Level) {
    match set {
        Set::Pieces(designator) => write_designator(out, designator),
        Set::Union(sets) => at_level(out, Level::Union, place, |out| {
            joined(out, sets, " | ", |out, set| write_set(out, set, Level::Cut));
        }),
        Set::Cut(sets) => at_level(out, Level::Cut, place, |out| {
            joined(out, sets, " & ", |out, set| write_set(out, set, Level::Inverse));
        }),
        Set::Inverse(set) => {
            out.push('~');
            write_set(out, set, Level::Inverse);
        }
        Set::Attacks(a, b) | Set::AttackedBy(a, b) => at_level(out, Level::Relation, place, |out| {
            write_set(out, a, Level::Union);
            out.push_str(if matches!(set, Set::Attacks(..)) { " attacks " } else { " attackedby " });
            write_set(out, b, Level::Union);
        }),
        Set::Moved => out.push_str("moved"),
        Set::Vacated => out.push_str("vacated"),
        Set::Function(function, set) => {
            out.push_str(function_word(*function));
            write_set(out, set, Level::Union);
            out.push(')');
        }
        Set::Reach(reach, set, range) => {
            out.push_str(reach_word(*reach));
            write_set(out, set, Level::Union);
            if let Some(range) = range {
                out.push_str(", ");
                write_range(out, *range);
            }
            out.push(')');
        }
        Set::Between(a, b) => {
            out.push_str("between(");
            write_set(out, a, Level::Union);
            out.push_str(", ");
            write_set(out, b, Level::Union);
            out.push(')');
        }
        Set::Transform(transform, inner) => {
            out.push_str(transform_word(*transform));
            write_set(out, inner, Level::Relation);
            out.push(')');
        }
    }
}

fn write_contents(out: Out<'_>, contents: Contents) {
    let letters = |contents: Contents, out: &mut String| {
        let mut rest = contents;
        for (letter, side) in [('A', WHITE), ('a', BLACK)] {
            if rest & side == side {
                out.push(letter);
                rest &= !side;
            }
        }
        for (kind, letter) in LETTERS.iter().enumerate().filter(|(kind, _)| rest >> kind & 1 == 1) {
            let _ = kind;
            out.push(char::from(*letter));
        }
        if rest & NOTHING != 0 {
            out.push('_');
        }
    };
    if contents == WHATEVER {
        out.push('.');
        return;
    }
    let mut written = String::new();
    letters(contents, &mut written);
    if written.len() > 6 {
        written.clear();
        written.push('^');
        letters(WHATEVER & !contents, &mut written);
    }
    if written.len() == 1 {
        out.push_str(&written);
    } else {
        push(out, format_args!("[{written}]"));
    }
}

fn write_designator(out: Out<'_>, designator: &Designator) {
    if designator.contents == WHATEVER
        && let [part] = designator.parts.as_slice()
        && let [Item::Squares(squares)] = part.as_slice()
        && squares.is_power_of_two()
    {
        out.push_str(&crate::board::squares::name(squares.trailing_zeros() as u8));
        return;
    }
    let at = out.len();
    write_contents(out, designator.contents);
    let is_rank = |part: &Vec<Item>| matches!(part.as_slice(), [Item::Ranks(mask)] if mask.is_power_of_two());
    if matches!(&out[at..], "a" | "b") && designator.parts.first().is_some_and(is_rank) {
        // Not a square.
        out.insert(at, '[');
        out.push(']');
    }
    for part in &designator.parts {
        match part.as_slice() {
            [item @ (Item::Files(mask) | Item::Ranks(mask))] if mask.is_power_of_two() => write_item(out, *item),
            items => {
                out.push('[');
                joined(out, items, ",", |out, item| write_item(out, *item));
                out.push(']');
            }
        }
    }
}

fn write_item(out: Out<'_>, item: Item) {
    let ends = |mask: u8| (mask.trailing_zeros() as u8 & 7, (7 - mask.leading_zeros() as u8) & 7);
    let span = |out: Out<'_>, from: String, to: String| {
        out.push_str(&from);
        if from != to {
            out.push('-');
            out.push_str(&to);
        }
    };
    let file = |n: u8| char::from(b'a' + n).to_string();
    let rank = |n: u8| char::from(b'1' + n).to_string();
    match item {
        Item::Files(mask) => span(out, file(ends(mask).0), file(ends(mask).1)),
        Item::Ranks(mask) => span(out, rank(ends(mask).0), rank(ends(mask).1)),
        Item::Squares(squares) => {
            let name = |square: u32| crate::board::squares::name(square as u8);
            span(out, name(squares.trailing_zeros()), name(63 - squares.leading_zeros()));
        }
        Item::Named(name) => out.push_str(name.as_str()),
    }
}

fn write_roles(out: Out<'_>, roles: u8) {
    let letters: String =
        "QRBNP".chars().enumerate().filter(|(n, _)| roles >> (4 - n) & 1 == 1).map(|(_, l)| l).collect();
    if letters.len() == 1 {
        out.push_str(&letters);
    } else {
        push(out, format_args!("[{letters}]"));
    }
}

fn write_side(out: Out<'_>, groups: &[Group]) {
    out.push('K');
    for group in groups {
        write_roles(out, group.roles);
        match group.count {
            Range { from: 1, to: Some(1) } => {}
            Range { from: 2, to: Some(2) } if group.roles.is_power_of_two() => write_roles(out, group.roles),
            Range { from: 0, to: None } => out.push('*'),
            Range { from: 1, to: None } => out.push('+'),
            Range { from: 0, to: Some(1) } => out.push('?'),
            Range { from, to: Some(to) } if from == to => push(out, format_args!("{from}")),
            Range { from, to: Some(to) } => push(out, format_args!("{from}..{to}")),
            Range { from, to: None } => push(out, format_args!("{from}..")),
        }
    }
}

fn write_imbalance(out: Out<'_>, balances: &[Balance]) {
    let (mut white, mut black) = (String::new(), String::new());
    for Balance { roles, difference } in balances {
        match difference {
            None => {
                write_roles(&mut white, *roles);
                white.push('*');
            }
            // Level together.
            Some(0) => {
                write_roles(&mut white, *roles);
                write_roles(&mut black, *roles);
            }
            Some(difference) => {
                let side = if *difference > 0 { &mut white } else { &mut black };
                (0..difference.unsigned_abs()).for_each(|_| write_roles(side, *roles));
            }
        }
    }
    push(out, format_args!("imbalance {white}v{black}"));
}

fn write_placement(out: Out<'_>, placement: &Placement) {
    out.push_str(if placement.pawns { "pawns(" } else { "board(" });
    for rank in (0..8).rev() {
        let mut free = 0;
        for file in 0..8 {
            match placement.squares.get(8 * rank + file).copied().flatten() {
                None => free += 1,
                Some(contents) => {
                    if free > 0 {
                        push(out, format_args!("{free}"));
                    }
                    free = 0;
                    write_contents(out, contents);
                }
            }
        }
        if free > 0 {
            push(out, format_args!("{free}"));
        }
        out.push(if rank > 0 { '/' } else { ')' });
    }
}
