-- From 0.2.0 to 0.3.0.
\echo Use "ALTER EXTENSION chess UPDATE" to load this file. \quit

COMMENT ON FUNCTION pgngames(text) IS
    'the games of a PGN text, a row each; error says why a game cannot be read to its end, and game holds it up to there';
