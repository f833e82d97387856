-- From 0.3.0 to 0.4.0.
\echo Use "ALTER EXTENSION chess UPDATE" to load this file. \quit
