 AS san, {}::text AS color,
           CASE {chess}.turn(r.board) WHEN 'w' THEN g.white_elo ELSE g.black_elo END AS own,
           CASE {chess}.turn(r.board) WHEN 'w' THEN g.black_elo ELSE g.white_elo END AS other,
           CASE WHEN {chess}.turn(r.board) = {} THEN g.result WHEN g.result = '1-0' THEN '0-1' WHEN g.result = '0-1' THEN '1-0'
               ELSE g.result END AS result
