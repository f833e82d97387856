//! The place of an error in a text: the text and an offset come in, a line of the text with a caret below it goes out.

/// Characters of the excerpt before and after the place.
const BEFORE: usize = 40;
const AFTER: usize = 30;

/// The character at this offset, counted from 1, and a line of the text around it with a line that points at it.
///
/// # Examples
///
/// ```
/// use chess_core::text::excerpt::excerpt;
///
/// assert_eq!(excerpt("Nd9", 2), (3, "Nd9\n  ^".to_owned()));
/// ```
pub fn excerpt(text: &str, at: usize) -> (usize, String) {
    let place = text.char_indices().take_while(|(offset, _)| *offset < at).count();
    let from = place.saturating_sub(BEFORE);
    let mut excerpt = String::from(if from > 0 { "..." } else { "" });
    let caret = excerpt.len() + place - from;
    let shown = |c: char| if c.is_control() { ' ' } else { c };
    excerpt.extend(text.chars().skip(from).take(place - from + AFTER).map(shown));
    if text.chars().nth(place + AFTER).is_some() {
        excerpt.push_str("...");
    }
    excerpt.push('\n');
    excerpt.push_str(&" ".repeat(caret));
    excerpt.push('^');
    (place + 1, excerpt)
}
