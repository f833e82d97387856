//! SQL from fixed fragments and values: nothing that a client sends becomes part of the text of a query.
//!
//! A fragment is a `&'static str`, that is, written in this program. Its marks are `{}` for the next value, `{schema}` for the
//! schema of the tables, `{chess}` for that of the extension and `{@@}` for an operator of it. A query has two forms: for the
//! server, with parameters `$1` and so on, and for the reader, with literals, to be pasted into psql.

use tokio_postgres::types::{ToSql, Type};

/// A value in a query.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Text. Boards, patterns and dates are texts that the fragment casts.
    Text(String),
    /// An array of texts.
    Texts(Vec<String>),
    /// A number of 32 bits.
    Int(i32),
    /// A number of 64 bits.
    Long(i64),
    /// A number with a fraction.
    Float(f64),
    /// An array of numbers.
    Longs(Vec<i64>),
    /// Bytes.
    Bytes(Vec<u8>),
}

impl Value {
    /// The value as a parameter for the driver.
    pub fn typed(&self) -> (&(dyn ToSql + Sync), Type) {
        match self {
            Value::Text(value) => (value, Type::TEXT),
            Value::Texts(value) => (value, Type::TEXT_ARRAY),
            Value::Int(value) => (value, Type::INT4),
            Value::Long(value) => (value, Type::INT8),
            Value::Float(value) => (value, Type::FLOAT8),
            Value::Longs(value) => (value, Type::INT8_ARRAY),
            Value::Bytes(value) => (value, Type::BYTEA),
        }
    }

    /// Appends the value as a literal.
    fn push_literal(&self, out: &mut String) {
        match self {
            Value::Text(value) => push_text(out, value),
            Value::Int(value) => out.push_str(&value.to_string()),
            Value::Long(value) => out.push_str(&value.to_string()),
            // in quotes, because not every number is a word of SQL: 1e-7, NaN
            Value::Float(value) => out.push_str(&format!("'{value}'::float8")),
            Value::Texts(values) => {
                out.push_str("ARRAY[");
                for (at, value) in values.iter().enumerate() {
                    out.push_str(if at == 0 { "" } else { ", " });
                    push_text(out, value);
                }
                out.push_str("]::text[]");
            }
            Value::Longs(values) => {
                let values: Vec<String> = values.iter().map(i64::to_string).collect();
                out.push_str(&format!("ARRAY[{}]::bigint[]", values.join(", ")));
            }
            Value::Bytes(bytes) => {
                out.push_str("'\\x");
                out.push_str(&hex::encode(bytes));
                out.push_str("'::bytea");
            }
        }
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Value {
        Value::Text(value.to_owned())
    }
}

impl From<String> for Value {
    fn from(value: String) -> Value {
        Value::Text(value)
    }
}

impl From<i32> for Value {
    fn from(value: i32) -> Value {
        Value::Int(value)
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Value {
        Value::Long(value)
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Value {
        Value::Float(value)
    }
}

/// Appends a literal as `quote_literal` writes it, which does not depend on `standard_conforming_strings`.
fn push_text(out: &mut String, text: &str) {
    if text.contains('\\') {
        out.push('E');
    }
    out.push('\'');
    for letter in text.chars() {
        if matches!(letter, '\'' | '\\') {
            out.push(letter);
        }
        out.push(letter);
    }
    out.push('\'');
}

fn push_operator(out: &mut String, operator: &str, names: &Names) {
    out.push_str(&format!("OPERATOR({}.{operator})", names.extension));
}

/// Names that differ between databases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names {
    /// The schema of the tables, quoted.
    pub schema: String,
    /// The schema of the extension, quoted.
    pub extension: String,
}

#[derive(Clone, Debug, PartialEq)]
enum Part {
    Text(&'static str),
    Value(Value),
    Schema,
    Extension,
    /// An operator of the extension.
    Operator(&'static str),
    /// What only the server needs.
    Sent(&'static str),
}

/// A query.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Query {
    parts: Vec<Part>,
}

impl Query {
    /// A query of one fragment.
    pub fn new<const N: usize>(fragment: &'static str, values: [Value; N]) -> Query {
        let mut query = Query::default();
        query.push(fragment, values);
        query
    }

    /// Appends a fragment with a value for each of its marks `{}`.
    ///
    /// # Panics
    ///
    /// The number of values is not that of marks. Both are fixed at compile time, so any test of the query finds this.
    pub fn push<const N: usize>(&mut self, fragment: &'static str, values: [Value; N]) {
        let mut values = values.into_iter();
        let mut rest = fragment;
        while let Some(open) = rest.find('{') {
            let close = open + rest[open..].find('}').unwrap_or_else(|| panic!("an open mark in {fragment:?}"));
            self.parts.push(Part::Text(&rest[..open]));
            self.parts.push(match &rest[open + 1..close] {
                "" => Part::Value(values.next().unwrap_or_else(|| panic!("too few values for {fragment:?}"))),
                "schema" => Part::Schema,
                "chess" => Part::Extension,
                operator @ ("@@" | "@>" | "&&" | "<->") => Part::Operator(operator),
                other => panic!("an unknown mark {other:?} in {fragment:?}"),
            });
            rest = &rest[close + 1..];
        }
        self.parts.push(Part::Text(rest));
        assert!(values.next().is_none(), "too many values for {fragment:?}");
    }

    /// Ends the call of a function, from a list of its parameters with defaults, each as `, name => default`. The server gets
    /// also those that were left out: if others may create functions in the schema, none of these can match better than one
    /// that is called with all arguments and exact types.
    pub fn close(&mut self, parameters: impl IntoIterator<Item = &'static str>) {
        for parameter in parameters {
            let name = parameter.split_inclusive("=>").next().unwrap_or_default();
            if !self.parts.iter().any(|part| matches!(part, Part::Text(text) if text.contains(name))) {
                self.parts.push(Part::Sent(parameter));
            }
        }
        self.parts.push(Part::Text(")"));
    }

    /// Appends another query.
    pub fn append(&mut self, other: &Query) {
        self.parts.extend(other.parts.iter().cloned());
    }

    /// Appends conditions, each of which begins with ` AND `, as ` WHERE …`; nothing if there are none.
    pub fn push_where(&mut self, conditions: Query) {
        let mut parts = conditions.parts.into_iter();
        if let Some(Part::Text(first)) = parts.next() {
            self.parts.push(Part::Text("\nWHERE "));
            self.parts.push(Part::Text(first.strip_prefix(" AND ").unwrap_or(first)));
            self.parts.extend(parts);
        }
    }

    /// The query between two fragments, as part of another one.
    pub fn within(&self, before: &'static str, after: &'static str) -> Query {
        let mut query = Query::new(before, []);
        query.append(self);
        query.push(after, []);
        query
    }

    /// The form for the server: text and values.
    pub fn sent(&self, names: &Names) -> (String, Vec<&Value>) {
        let (mut text, mut values) = (String::new(), Vec::new());
        for part in &self.parts {
            match part {
                Part::Text(fragment) => text.push_str(fragment),
                Part::Sent(fragment) => text.push_str(&fragment.replace("{chess}", &names.extension)),
                Part::Schema => text.push_str(&names.schema),
                Part::Extension => text.push_str(&names.extension),
                Part::Operator(operator) => push_operator(&mut text, operator, names),
                Part::Value(value) => {
                    values.push(value);
                    text.push_str(&format!("${}", values.len()));
                }
            }
        }
        (text, values)
    }

    /// The form for the reader, to be pasted into psql.
    pub fn shown(&self, names: &Names) -> String {
        self.literal(names) + ";"
    }

    /// The query with literals, and without the schema `public`, which is in everybody's search path.
    pub fn literal(&self, names: &Names) -> String {
        let mut text = String::new();
        let mut after_public = false;
        for part in &self.parts {
            match part {
                Part::Text(fragment) => {
                    text.push_str(fragment.strip_prefix('.').filter(|_| after_public).unwrap_or(fragment));
                }
                Part::Schema => text.push_str(&names.schema),
                Part::Extension if names.extension == "public" => (),
                Part::Extension => text.push_str(&names.extension),
                Part::Operator(operator) if names.extension == "public" => text.push_str(operator),
                Part::Operator(operator) => push_operator(&mut text, operator, names),
                Part::Value(value) => value.push_literal(&mut text),
                Part::Sent(_) => (),
            }
            after_public = *part == Part::Extension && names.extension == "public";
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(extension: &str) -> Names {
        Names { schema: "\"chess\"".into(), extension: extension.into() }
    }

    #[test]
    fn the_server_gets_all_arguments() {
        let mut query = Query::new("SELECT * FROM {schema}.f({}, count => {}", ["x".into(), 3.into()]);
        query.close([", name => NULL::text", ", board => NULL::{chess}.chessboard", ", count => 20"]);
        query.push(" f", []);
        assert_eq!(
            query.sent(&names("public")).0,
            r#"SELECT * FROM "chess".f($1, count => $2, name => NULL::text, board => NULL::public.chessboard) f"#
        );
        assert_eq!(query.literal(&names("public")), r#"SELECT * FROM "chess".f('x', count => 3) f"#);
    }

    #[test]
    fn values_are_sent_apart_and_shown_as_literals() {
        let mut query = Query::new("SELECT {chess}.f(g) FROM {schema}.games g WHERE a = {}", ["O'Neil \\ <b>".into()]);
        query.push(" AND b = {} AND {chess}.h({}::{chess}.chessboard)", [7.into(), "8/8".into()]);
        let (text, values) = query.sent(&names("ext"));
        assert_eq!(
            text,
            "SELECT ext.f(g) FROM \"chess\".games g WHERE a = $1 AND b = $2 AND ext.h($3::ext.chessboard)"
        );
        assert_eq!(values, [&Value::from("O'Neil \\ <b>"), &7.into(), &"8/8".into()]);
        assert_eq!(
            query.shown(&names("public")),
            "SELECT f(g) FROM \"chess\".games g WHERE a = E'O''Neil \\\\ <b>' AND b = 7 AND h('8/8'::chessboard);"
        );
    }

    #[test]
    fn numbers_with_fractions_are_sent_as_such() {
        let query = Query::new("SELECT {}, {}", [0.1.into(), f64::NAN.into()]);
        let (text, values) = query.sent(&names("public"));
        assert_eq!((text.as_str(), values[0].typed().1), ("SELECT $1, $2", Type::FLOAT8));
        assert_eq!(query.literal(&names("public")), "SELECT '0.1'::float8, 'NaN'::float8");
    }

    #[test]
    fn operators_are_shown_as_people_write_them() {
        let query = Query::new("g.game {@@} {}::{chess}.chesspattern", ["Nd5".into()]);
        assert_eq!(query.literal(&names("public")), "g.game @@ 'Nd5'::chesspattern");
        assert_eq!(query.sent(&names("public")).0, "g.game OPERATOR(public.@@) $1::public.chesspattern");
    }
}
