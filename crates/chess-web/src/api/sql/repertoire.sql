SELECT n.color, array_remove(array_agg(p.fen ORDER BY c.id), NULL) AS boards,
       array_remove(array_agg(c.uci ORDER BY c.id), NULL) AS moves
FROM chess_web.notebooks n JOIN chess_web.notebook_nodes c ON c.notebook_id = n.id
     LEFT JOIN chess_web.notebook_nodes p ON p.id = c.parent
WHERE n.id = {} AND n.session_id = {} GROUP BY n.id
