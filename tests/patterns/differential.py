"""Random patterns on random games: every match that the core finds, against a reference in Python.

usage: differential.py PROGRAM ORACLE_FOLDER SEED PATTERNS GAMES

PROGRAM is benches/core's `patterns`; the folder has `oracle.py`, a parser and matcher on python-chess.
The patterns are drawn from the grammar; some games are long, some of Chess960, and they have castling, promotions and captures en passant more
often than not. What the reference does not read is not asked. Ends with an error if a row differs.
"""
import random, subprocess, sys, tempfile

program, folder = sys.argv[1:3]
seed, N, G = map(int, sys.argv[3:6])
sys.path.insert(0, folder)
import chess, chess.pgn
import oracle
from oracle import parse, load, Match, PatternError

# Where a castling king goes, for any start: python-chess names the rook's square in Chess960.
plain = oracle.Moment.__init__
def castled(self, board, ply, move, before, *rest):
    plain(self, board, ply, move, before, *rest)
    if self.castles:
        self.to = board.king(not board.turn)
oracle.Moment.__init__ = castled

R = random.Random(seed)
STARTS=[chess.STARTING_FEN]*3+["n1n1k3/PPP3PP/8/8/8/8/ppp3pp/N1N1K3 w - - 0 1","r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1","4k3/p1p1p1p1/8/1P1P1P1P/p1p1p1p1/8/1P1P1P1P/4K3 w - - 0 1","4k3/8/8/8/7b/5n2/8/q3K3 w - - 0 1","r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R b KQkq - 3 9","4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1","8/8/8/8/8/8/k7/2K5 b - - 0 1"]
# Chess960, with the rooks in the corners; some kings castle without leaving their square.
STARTS960=["rkbbqnnr/pppppppp/8/8/8/8/PPPPPPPP/RKBBQNNR w KQkq - 0 1","rnkbbqnr/pppppppp/8/8/8/8/PPPPPPPP/RNKBBQNR w KQkq - 0 1","r1k4r/pppppppp/8/8/8/8/PPPPPPPP/R1K4R w KQkq - 0 1","r5kr/pppppppp/8/8/8/8/PPPPPPPP/R5KR b KQkq - 0 1"]
def game():
    b=chess.Board(R.choice(STARTS960),chess960=True) if R.random()<.2 else chess.Board(R.choice(STARTS))

    g=chess.pgn.Game(); 
    if b.fen()!=chess.STARTING_FEN: g.setup(b)
    b.clear_stack()
    n=g
    for _ in range(R.choice([R.randint(0,70)]*5+[R.randint(200,400)])):
        L=list(b.legal_moves)
        if not L: break
        sp=[m for m in L if m.promotion or b.is_castling(m) or b.is_en_passant(m)]
        cap=[m for m in L if b.is_capture(m)]
        m=R.choice(sp) if sp and R.random()<.5 else R.choice(cap) if cap and R.random()<.3 else R.choice(L)
        b.push(m); n=n.add_variation(m)
    return g
sq=lambda: R.choice("abcdefgh")+R.choice("12345678")
let="KQRBNPAkqrbnpa"
def content(whole=False):
    x=R.random()
    if x<.7: return R.choice(let)
    if x<.9: return "["+"".join(R.sample(let+"_",R.randint(1,3)))+"]"
    if x<.95: return "[^"+"".join(R.sample(let+"_",R.randint(1,2)))+"]"
    return "_"
def rng(a,b):
    i=R.randint(0,7); j=R.randint(i,7); return a[i]+"-"+a[j]
def item(n=True):
    x=R.random()
    if x<.3: return sq()
    if x<.5: return rng("abcdefgh","")
    if x<.7: return rng("12345678","")
    if x<.85:
        f=sorted(R.sample(range(8),2)); r=sorted(R.sample(range(8),2))
        return "abcdefgh"[f[0]]+str(r[0]+1)+"-"+"abcdefgh"[f[1]]+str(r[1]+1)
    return R.choice(["light","dark","edge","corner","centre"] if n else ["light","dark"])
def des(files=True):
    x=R.random(); c=content()
    if x<.3: return c if c!="_" else "_d4"
    if x<.55 and len(c)>0: 
        s=c+sq(); return s
    if x<.7: return c+R.choice("abcdefgh")
    if x<.8: return ("["+c+"]" if len(c)==1 else c)+R.choice("12345678")
    if x<.87 and files: return c+R.choice(["[open]","[halfopen]"])+R.choice(["",R.choice("abcdefgh")])
    return c+"["+",".join(item() for _ in range(R.randint(1,2)))+"]"
def set_(d):
    x=R.random()
    if d<=0 or x<.45: return des()
    if x<.52: return f"({set_(d-1)} | {set_(d-1)})"
    if x<.60: return f"({set_(d-1)} & {set_(d-1)})"
    if x<.64: return f"~{atom(d-1)}"
    if x<.72: return f"({atom(d-1)} {R.choice(['attacks','attackedby'])} {atom(d-1)})"
    if x<.75: return R.choice(["moved","vacated"])
    if x<.90: return f"{R.choice('passed isolated doubled backward connected outpost pinned span beside'.split())}({set_(d-1)})"
    if x<.95: return f"{R.choice('ahead behind near'.split())}({set_(d-1)}{R.choice(['',', 2',', 1..3',', 0..1',', 2..',', ..2'])})"
    if x<.97: return f"between({set_(d-1)}, {set_(d-1)})"
    return f"{R.choice(['flip','mirror'])}({set_(d-1)})"
def atom(d): return "("+set_(d)+")"
def num(d):
    x=R.random()
    if x<.3: return str(R.randint(0,4))
    if x<.7: return atom(d-1)
    if x<.8: return num(d-1)+" + "+num(d-1)
    if x<.9: return f"{R.choice(['points','islands'])}({set_(d-1)})"
    return R.choice(["halfmove","move"])
def promo(): return R.choice(["","","","=Q","=[RBN]","=[qn]"])
def sdes():
    x=R.random(); 
    if x<.2: return "."
    if x<.4: return sq()
    if x<.6: return content()
    return content()+R.choice([sq(),R.choice("abcdefgh")])
def mv(trip=False):
    n=R.randint(2,3) if trip else 1
    def fix(s,last): 
        return s
    a=sdes()
    while a[0] in "abcdefgh" and len(a)==2 and a[1].isdigit() : a=R.choice([content(), "."])
    s=a
    for _ in range(n):
        h=R.choice("-x"); b=sdes(); s+=h+b
    return s+("" if trip else promo())
def material():
    def side():
        s="K"
        for p in "QRBNP":
            if R.random()<.5: s+=p+R.choice(["","","*","+","?","2","1..3","2.."])
        return s
    return side()+"v"+side()
def bal():
    return "imbalance "+"".join(R.choice(["","Q","R","[BN]","P*","P","N"]) for _ in range(2))+"v"+"".join(R.choice(["","Q","R","[BN]","P","B"]) for _ in range(2))
STATES="wtm btm check mate stalemate capture recapture castling promotion enpassant start end any oppositebishops samebishops".split()
def cond(d):
    x=R.random()
    if d<=0 or x<.25: return des() 
    if x<.35: return f"({cond(d-1)} {R.choice(['and',''])} {cond(d-1)})"
    if x<.43: return f"({cond(d-1)} or {cond(d-1)})"
    if x<.50: return f"not {pc(d-1)}"
    if x<.62:
        op=R.choice("= <> < <= > >=".split()); 
        r=R.choice(["1..3","2..","..2"]) if op in("=","<>") and R.random()<.4 else num(d-1)
        return f"({num(d-1)} {op} {r})"
    if x<.70: return mv()
    if x<.80: return R.choice(STATES+["O-O","o-o","O-O-O","o-o-o"])
    if x<.82: return "castle("+"".join(R.sample("KQkq",R.randint(1,2)))+")"
    if x<.85: return material()
    if x<.88: return bal()
    if x<.92: return f"{R.choice(['line','file','rank','diagonal'])}({set_(d-1)}, {set_(d-1)}{R.choice(['',', '+set_(d-1)])})"
    if x<.97: return f"{R.choice(['flip','mirror','rotate','shift'])}({cond(d-1)})"
    return set_(d-1)
def pc(d): return "("+cond(d)+")"
def timed(d):
    x=R.random()
    if d<=0 or x<.2: return cond(1)
    if x<.35: return f"{pc(1)} for {R.randint(1,4)}"
    if x<.45: return mv(True)
    if x<.55: return f"({timed(d-1)} or {timed(d-1)})"
    if x<.6: return f"{R.choice(['flip','mirror'])}({timed(d-1)})"
    link=R.choice(["then","directly","then within 4","then 2","then 2..5","then 3.."])
    g=R.choice(["",""," while "+pc(1)])
    return f"({timed(d-1)}) {link}{g} ({timed(d-1)})"
pats=[]
while len(pats)<N:
    p=cond(3) if R.random()<.6 else timed(3)
    try: t=parse(p)
    except PatternError: 
        continue
    except RecursionError: continue
    pats.append((p,t))
file = tempfile.NamedTemporaryFile("w", suffix=".pgn")
file.write("\n\n".join(str(game()) for _ in range(G)) + "\n")
file.flush()
games = load(file.name)
out = subprocess.run([program, "rows", file.name], input="\n".join(p for p, _ in pats) + "\n", capture_output=True, text=True)
if out.returncode:
    sys.exit(out.stderr)
# Patterns beyond the limits, or never or always true.
REFUSED = ("transforms make", "parts to look at", "a capture takes", "a square alone")
bad = refused = hits = 0
for (p, t), line in zip(pats, out.stdout.split("\n"), strict=False):
    if line.startswith("ERROR") and any(reason in line for reason in REFUSED):
        refused += 1
        continue
    want = ";".join(f"{i}:" + "".join(f" {s}-{e}" for s, e in sorted(r, key=lambda x: x[1]))
                    for i, (_, m) in enumerate(games) for r in [Match(m).rows(t)] if r)
    hits += bool(want)
    if want != line.rstrip(";"):
        bad += 1
        print("differs:", p, "\n  reference:", want[:200], "\n  core:     ", line[:200])
print(f"{len(pats)} patterns on {len(games)} games, {hits} with matches, {refused} refused, {bad} differ")
sys.exit(bool(bad) or hits < len(pats) // 5)
