-- Pictures of boards.

SELECT asciiBoard(getBoard('1. e4', 1));
SELECT unicodeBoard(getBoard('1. e4', 1));

-- SVG: a self-contained document with 64 squares, the pieces, coordinates and marks.
SELECT name, regexp_count(svg, '<rect ') AS rectangles, regexp_count(svg, '<g transform=') AS pieces, regexp_count(svg, '<text ') AS coordinates,
       regexp_count(svg, '#cdd26a') AS "last move", regexp_count(svg, '#c33') AS marked,
       svg LIKE '<svg xmlns=''http://www.w3.org/2000/svg'' %</svg>' AS document, svg ~ 'http.*http|href|url' AS "refers elsewhere",
       svg ~ ' id=|<style' AS "names and rules of the page"
FROM (VALUES ('few', svgBoard('4k3/8/8/8/8/8/4P3/4K3')),
             ('all', svgBoard(startBoard(''))),
             ('marked', svgBoard(getBoard('1. e4', 1), 'e2e4', squareSet(ARRAY['d5', 'f5']), 'black')),
             ('promotion', svgBoard('Q3k3/8/8/8/8/8/8/4K3', lastmove => 'a7a8q')),
             ('empty', svgBoard('8/8/8/8/8/8/8/8'))) AS v (name, svg);
-- Seen from Black's side, e4 is where d5 is from White's.
SELECT substring(svgBoard('8/8/8/8/4P3/8/8/8'), '<g transform[^>]*>') AS white, substring(svgBoard('8/8/8/8/4P3/8/8/8', bottom => 'b'), '<g transform[^>]*>') AS black,
       substring(svgBoard('8/8/8/3P4/8/8/8/8'), '<g transform[^>]*>') AS d5;
-- Squares and arrows from a comment; anything else is ignored.
SELECT regexp_count(svg, '#15781b') AS green, regexp_count(svg, '#a02020') AS red, regexp_count(svg, '#e6a000') AS yellow, regexp_count(svg, '#103098') AS blue,
       regexp_count(svg, '<path fill=[^>]*><title>') AS arrows, svg = svgBoard('8/8/8/8/8/8/8/8') AS plain
FROM (VALUES ('[%csl Gd4,Re5][%cal Ye2e4, Bg1f3,Ra1a1,Ra1,Ge2e4] {and words}'), ('no drawings [%clk 0:01:00]'), ('[%cal Gd1h5')) AS v (comment),
     svgBoard('8/8/8/8/8/8/8/8', drawings => comment) AS svg;
SELECT svgBoard('8/8/8/8/8/8/8/8', drawings => NULL) IS NULL AS "NULL is unknown";
-- A last move is two squares, optionally with a promotion.
DO $$
DECLARE
    move text;
    refused int := 0;
BEGIN
    FOREACH move IN ARRAY ARRAY['e2e4x', 'e2', 'e2e', 'e2e44', 'e2e4qq', 'e9e4', 'e2-e4', 'a7a8k', 'a7a8p', ' e2e4', 'e2e4 ', 'e2e4ä'] LOOP
        BEGIN
            PERFORM svgBoard('8/8/8/8/8/8/8/8', move);
            RAISE 'accepted: %', move USING ERRCODE = 'assert_failure';
        EXCEPTION WHEN invalid_parameter_value THEN
            refused := refused + 1;
        END;
    END LOOP;
    ASSERT refused = 12;
    FOREACH move IN ARRAY ARRAY['', 'e2e4', 'a7a8q', 'a7a8n', 'a7a8R'] LOOP
        ASSERT length(svgBoard('8/8/8/8/8/8/8/8', move)) > 0;
    END LOOP;
END
$$;
SELECT svgBoard('8/8/8/8/8/8/8/8', 'e2e4x');
