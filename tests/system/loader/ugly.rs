//! Games with annotations as ugly as they come, each with what it shows as its Event.

/// The moves of each, in bytes: some are in none or in another encoding than UTF-8.
const GAMES: [(&str, &[u8]); 37] = [
    ("glued", b"1.e4!{a}e5?(1...c5!?{b}2.Nf3)2.Nf3$1$14 1-0"),
    ("spaces", b"1.   e4 { two\n   lines\tand a tab }   {}{ }   1...   e5 *"),
    ("line comments", b"1. e4 ; to the end of the line } ) (\n1... e5 ; again ;{\n*"),
    ("escape lines", b"1. e4 {x}\n% this ) is } none of (\ne5 *"),
    ("before the first move", b"{first} $1 (1. d4 {or} d5) 1. e4 *"),
    ("only a comment", b"{nothing was played} *"),
    ("only a variation", b"(1. e4 e5) *"),
    ("behind the result", b"1. e4 e5 1/2-1/2 {agreed} ; in the hall\n{at once}"),
    ("variations behind the result", b"1. e4 e5 2. Nf3 1-0 $18 (2. f4 {or this} exf4 (2... d5)) {last words}"),
    ("ChessBase", b"{[%evp 0,5,12,19,31] [%mdl 8192] Ein k\xfchner Zug.} 1. d4 {[%emt 0:00:03]} Nf6 2. c4 e6 {[%csl Gd4,Rd5][%cal Gc4d5,Rb8c6]} 3. Nf3 ({Oder} 3. Nc3 Bb4 $5 ({RR} 3... d5 4. cxd5 (4. Bg5)) 4. Qc2 $1 $14) 3... d5 4. Nc3 $146 ({CAP} 4. g3 $6) 4... Be7 $132 5. Bf4 $36 {[#] [%tqu \"En\",\"best?\",\"\",\"\",\"Nb8d7\",\"\",10]} $140 1/2-1/2"),
    ("Scid", b"{ Start } 1.e4 $1 $14 { D } ( 1.d4 d5 { (inside) } ( 1...Nf6 2.c4 ) 2.c4 ) ( 1.-- e5 2.Nf3 ) 1...e5 *"),
    ("Arena", b"1. e4 {(e2e4 e7e5 Ng1f3) +0.34/14 9} e5 {(e7e5 Ng1f3) -0.20/13 11s} 2. Nf3 {+M12/20 5, White mates} *"),
    ("chess.com", b"1. e4 {[%clk 0:03:01.9]} 1... e5 {[%clk 0:03:00.1][%timestamp 19]} 2. Nf3 {[%c_effect f3;square;f3;type;Brilliant] [%clk 0:02:59]} *"),
    ("a study", b"{ Intro \xe2\x80\xa6 [%csl Ga1, Rb2 ,Yc3][%cal Ge2e4 , Rd7d5] }\n1. e4 { \xe2\x80\xa6 } { [%eval 0.3] } 1... c5 $6 { [%csl Gd4] } (1... e5 2. Nf3 (2. f4 exf4 (2... d5)) 2... Nc6) 2. Nf3 *"),
    ("glyphs without blanks", b"1.e4$1e5$2$14 2.Nf3$10{glued}Nc6$3(2...d6$4)3.Bb5!!$18a6??*"),
    ("variations at odd places", b"(1. d4 d5) 1. e4 (1. c4 {first}) (1. Nf3) {after them} e5 (1... c5 2. Nf3 d6 (2... Nc6 3. d4) ) ( 1... e6 ) 2. Nf3 *"),
    ("ellipses", b"1. e4 1\xe2\x80\xa6e5 2.Nf3 2\xe2\x80\xa6Nc6 {x\xe2\x80\xa6} 3. Bb5 ... a6 *"),
    ("empty lines", b"1. c4 {a}\n\n{b}\n\n c5 {c\n\nd} *"),
    ("no result", b"1. e4! e5 {and so on}"),
    ("side by side", b"1. e4 (1. d4) (1. c4) (1. Nf3) {and} (1. g3) (1. b3 b6 (1... e5) (1... d5)) 1... e5 *"),
    ("empty variations", b"1. e4 () ( ) (()) (1.) ({x}) e5 *"),
    ("glyphs", b"1. e4 $0 $1 $139 $255 $256 $99999 e5 ! ?? 2. Nf3!! $18 *"),
    ("signs", b"1. e4 +- e5 = 2. Nf3 += Nc6 -+ 3. Bb5 N *"),
    ("null moves", b"1. e4 (1. d4 -- 2. c4 {threat} (2. e4)) 1... e5 (1... Z0 2. d4) *"),
    ("illegal in a variation", b"1. e4 e5 (1... e4 {no} 2. d4) (1... Ke6) 2. Nf3 *"),
    ("what looks like tags", b"1. e4 {[White \"not a tag\"]\n[Event \"nor this\"] 1-0 *} e5 {[x]} *"),
    ("quotes", b"1. e4 {\"a\" 'b' \\ \\ $1 %x ; [%x \"y\"]} e5 *"),
    ("clocks", b"1. e4 {[%eval 0.17] [%clk 0:03:00]} e5 { [%eval -0.2] [%clk 0:02:59.5] } 2. Nf3 {[%clk 0:02:58]} Nc6 *"),
    ("clocks and more", b"1. e4! {[%clk 0:03:00]} {best} e5 {[%clk 0:02:59] so} 2. Nf3 {so} {[%clk 0:02:58]} Nc6 $1 {[%clk 0:02:57]} $2 *"),
    ("clocks no column can give back", b"1. e4 {[%clk 0:03:00.57]} e5 {[%clk 3:0]} 2. Nf3 {[%clk]} Nc6 {[%eval 0.17,20]} 3. Bb5 {[%clk 0:00:01] [%clk 0:00:02]} *"),
    ("clocks in variations", b"1. e4 {[%clk 0:03:00]} (1. d4 {[%clk 0:01:00]} d5 {[%clk 0:01:01]}) e5{[%clk 0:02:59]}2. Nf3 *"),
    ("elapsed times", b"1. e4 {[%emt 0:00:05]} e5 {[%clk 0:03:00] [%emt 0:00:07]} *"),
    ("braces in comments", b"1. e4 {one {two} three} e5 {[%clk 0:00:09]} *"),
    ("stray brackets", b"1. e4 ) e5 ) {x} 2. Nf3 *"),
    ("windows-1252", b"1. e4 {M\xfcnchen \x84gut\x93} e5 *"),
    ("UTF-8", b"1. e4 {\xe5\xa5\xbd\xe6\xa3\x8b \xe2\x99\x98 \xf0\x9f\x98\x80} e5 {\xd0\xba\xd0\xbe\xd0\xbd\xd1\x8c} *"),
    ("CR LF", b"1. e4 {one\r\ntwo} e5\r\n(1... c5\r\n2. Nf3) 2. Nf3\r\n*"),
];

/// The same for games that do not begin at the start.
const POSITIONS: [(&str, &str, &[u8]); 2] = [
    ("position", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", b"1. e4 {a pawn} (1. Kd2 Kd7 {kings}) Kd7 2. Kd2 *"),
    ("Black begins", "4k3/8/8/8/8/8/4P3/4K3 b - - 3 40", b"40... Kd7 {[%clk 0:00:10]} 41. e4 $1 (41. e3) *"),
];

/// All of them as PGN.
pub(crate) fn ugly() -> Vec<u8> {
    let mut pgn = Vec::new();
    let mut add = |event: &str, tags: &str, moves: &[u8]| {
        pgn.extend_from_slice(format!("[Event \"{event}\"]\n{tags}\n").as_bytes());
        pgn.extend_from_slice(moves);
        pgn.extend_from_slice(b"\n\n");
    };
    for (event, moves) in GAMES {
        add(event, "", moves);
    }
    for (event, fen, moves) in POSITIONS {
        add(event, &format!("[SetUp \"1\"]\n[FEN \"{fen}\"]\n"), moves);
    }
    let deep = format!("1. e4 (1. d4 {{[%clk 0:00:01]}} {}{} e5 *", "(1. c4 ".repeat(40), ")".repeat(41));
    add("deep", "", deep.as_bytes());
    add("a thousand deep", "", format!("1. e4 {}{} e5 *", "(1. d4 ".repeat(1000), ")".repeat(1000)).as_bytes());
    add("long comment", "", format!("1. e4 {{{}}} e5 *", "word ".repeat(20000)).as_bytes());
    add("long word", "", format!("1. e4 {{{}}} e5 *", "x".repeat(20000)).as_bytes());
    pgn
}
