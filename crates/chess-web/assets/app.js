// The page; it comes from ui/ by make web.
