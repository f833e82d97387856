SELECT g.ID, e.Name, s.Name, {date}, {round}, w.Name, {white_elo}, b.Name, {black_elo}, {plain}
FROM Games g
    LEFT JOIN Events e ON e.ID = g.EventID LEFT JOIN Sites s ON s.ID = g.SiteID
    LEFT JOIN Players w ON w.ID = g.WhiteID LEFT JOIN Players b ON b.ID = g.BlackID
WHERE g.ID >= ?1 AND g.ID < ?3 ORDER BY g.ID LIMIT ?2
