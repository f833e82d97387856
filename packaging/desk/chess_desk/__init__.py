"""chess-desk: games on a page, from a private PostgreSQL in the user's data directory.

command  the options, and what happens in which order
page     chess-web, which goes on when the command has ended
server   the private PostgreSQL
places   directories, programs and files

A module uses only those below it.
"""
