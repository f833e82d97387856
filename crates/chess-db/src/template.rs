//! Fills in the placeholders of SQL scripts, such as `{schema}`: takes a script and the value of each placeholder, returns
//! the script.
//!
//! By hand, because a template library has escapes and control structures of its own, which scripts would have to avoid.

use anyhow::{Result, bail};

/// Replaces each `{name}` by its value. Values are not searched for placeholders. Lines that are comments stay as they are: a
/// value with a line break would end the comment.
///
/// # Errors
///
/// A placeholder has no value.
pub fn fill(script: &str, values: &[(&str, &str)]) -> Result<String> {
    let mut out = String::with_capacity(script.len());
    for line in script.split_inclusive('\n') {
        if line.trim_start().starts_with("--") {
            out.push_str(line);
            continue;
        }
        let mut rest = line;
        while let Some((before, name, after)) = next_placeholder(rest) {
            let Some((_, value)) = values.iter().find(|(known, _)| *known == name) else {
                bail!("no value for {{{name}}} in an SQL script");
            };
            out.push_str(before);
            out.push_str(value);
            rest = after;
        }
        out.push_str(rest);
    }
    Ok(out)
}

/// The text before the first placeholder, its name, and the text after it. Names have lower-case letters, `_` and spaces;
/// other braces are SQL, such as the empty array `'{}'`.
fn next_placeholder(text: &str) -> Option<(&str, &str, &str)> {
    let mut from = 0;
    loop {
        let open = from + text[from..].find('{')?;
        let inner = &text[open + 1..];
        let len = inner.find(|found: char| !matches!(found, 'a'..='z' | '_' | ' ')).unwrap_or(inner.len());
        if len > 0 && inner[len..].starts_with('}') {
            return Some((&text[..open], &inner[..len], &inner[len + 1..]));
        }
        from = open + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_filled_once() {
        let values = [("schema", r#""{chess}""#), ("chess", "public"), ("all games", "TABLE g")];
        let script = r#"SELECT {schema}.f('{}', '{"a":1}', '{A}') FROM ({all games}) {chess} {"#;
        let filled = r#"SELECT "{chess}".f('{}', '{"a":1}', '{A}') FROM (TABLE g) public {"#;
        assert_eq!(fill(script, &values).unwrap(), filled);
        let commented = fill("  -- of {schema}\nTABLE {schema}.g", &[("schema", "\"a\nb\"")]).unwrap();
        assert_eq!(commented, "  -- of {schema}\nTABLE \"a\nb\".g");
        let missing = fill("{schema} {no_such}", &values).unwrap_err();
        assert_eq!(missing.to_string(), "no value for {no_such} in an SQL script");
    }
}
