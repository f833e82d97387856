"""In: a directory of endgame tables, a seed, how many positions. Out: a line for each of these random positions of
up to four men: FEN, and what python-chess says, wdl and dtz, separated by tabs. Every eighth has the moves, too, as
uci:wdl:dtz by the position after each, for the side that moves; \\N for the others."""
import random
import sys

import chess
import chess.syzygy

directory, seed, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
rng = random.Random(seed)
with chess.syzygy.open_tablebase(directory) as tables:
    while count:
        board = chess.Board(None)
        squares = rng.sample(chess.SQUARES, rng.randint(2, 4))
        board.set_piece_at(squares[0], chess.Piece(chess.KING, True))
        board.set_piece_at(squares[1], chess.Piece(chess.KING, False))
        for square in squares[2:]:
            # pawns often stand where they promote, or can capture en passant
            piece = rng.choice([chess.PAWN, chess.PAWN, chess.PAWN, chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT])
            board.set_piece_at(square, chess.Piece(piece, rng.random() < 0.5))
        board.turn = rng.random() < 0.5
        rank = 4 if board.turn else 3
        pushed = board.pieces(chess.PAWN, not board.turn) & chess.BB_RANKS[rank]
        if pushed and rng.random() < 0.7:
            square = chess.lsb(int(pushed)) + (8 if board.turn else -8)
            if not board.piece_at(square):
                board.ep_square = square
        if not board.is_valid():
            continue
        board.halfmove_clock = rng.choice([0, 0, 7]) if board.ep_square is None else 0
        moves = []
        for move in board.legal_moves if count % 8 == 0 else []:
            after = board.copy(stack=False)
            after.push(move)
            moves.append(f"{move.uci()}:{-tables.probe_wdl(after)}:{-tables.probe_dtz(after)}")
        said = " ".join(sorted(moves)) if count % 8 == 0 else r"\N"
        print(board.fen(en_passant="fen"), tables.probe_wdl(board), tables.probe_dtz(board), said, sep="\t")
        count -= 1
