//! The code pages of DOS, in which the databases of its years wrote names: takes bytes, returns text. [`seems`] tells their
//! letters from those of windows-1252.

/// The characters of the bytes from 0x80 on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodePage(&'static str);

/// That of the United States.
pub const CP437: CodePage = CodePage(concat!(
    "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐",
    "└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}",
));

/// That of western Europe.
pub const CP850: CodePage = CodePage(concat!(
    "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐",
    "└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u{ad}±‗¾¶§÷¸°¨·¹³²■\u{a0}",
));

/// That of central Europe.
pub const CP852: CodePage = CodePage(concat!(
    "ÇüéâäůćçłëŐőîŹÄĆÉĹĺôöĽľŚśÖÜŤťŁ×čáíóúĄąŽžĘę¬źČş«»░▒▓│┤ÁÂĚŞ╣║╗╝Żż┐",
    "└┴┬├─┼Ăă╚╔╩╦╠═╬¤đĐĎËďŇÍÎě┘┌█▄ŢŮ▀ÓßÔŃńňŠšŔÚŕŰýÝţ´\u{ad}˝˛ˇ˘§÷¸°¨˙űŘř■\u{a0}",
));

impl CodePage {
    /// The code page with a label such as `cp850` or `ibm850`.
    pub fn from_label(label: &str) -> Option<CodePage> {
        let label = label.to_ascii_lowercase();
        match label.trim_start_matches(|found: char| !found.is_ascii_digit()) {
            number if label != format!("cp{number}") && label != format!("ibm{number}") => None,
            "437" => Some(CP437),
            "850" => Some(CP850),
            "852" => Some(CP852),
            _ => None,
        }
    }

    /// A character for each byte.
    pub fn decode(self, bytes: &[u8]) -> String {
        let upper: Vec<char> = self.0.chars().collect();
        bytes.iter().map(|byte| byte.checked_sub(128).map_or(char::from(*byte), |at| upper[usize::from(at)])).collect()
    }
}

/// Whether bytes seem to be of a code page: they have no letters of windows-1252, but ü, é, ä, ô or ö of 437 and 850 where that
/// has nothing, an opening quote behind a letter, or a closing one within a word.
pub fn seems(bytes: &[u8]) -> bool {
    let is_letter = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(|byte| byte.is_ascii_alphabetic());
    let is_sign = |(at, byte): (usize, &u8)| {
        let (behind, before) = (is_letter(at.checked_sub(1)), is_letter(Some(at + 1)));
        match byte {
            0x81 => behind || before,
            0x82 | 0x84 => behind,
            0x93 | 0x94 => behind && before,
            _ => false,
        }
    };
    // 0xe1 is the sharp s there
    !bytes.iter().any(|byte| *byte >= 0xc0 && *byte != 0xe1) && bytes.iter().enumerate().any(is_sign)
}
