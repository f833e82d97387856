/*! A part of app.js, GPL-3.0-or-later */
import{
ApiError,
INITIAL_FEN,
Latest,
Moves,
Saver,
Tree,
bar,
button,
completed,
count,
download,
epd,
failure,
fenOf,
fill,
foreign,
fresh,
get,
go,
h,
here,
iconButton,
initial,
legal,
note,
notebooks,
openDialog,
readFen,
readGames,
say,
send,
share,
sqlLink,
squaresOf,
step,
submitted,
take,
treeOfGame,
typed,
uciOf,
url,
withParams,
writeComment,
writePgn
}from"./app.js";

function take2(node,stored){
take(node,stored.said)
node.nags=stored.glyph?[stored.glyph,...stored.glyphs??[]]:[]
}
function treeOfNodes(nodes,made){
const root=nodes.find((n)=>n.parent===null)
const tree=new Tree(root&&readFen(root.fen).pos||initial())
const byId=/* @__PURE__ */ new Map()
for(const stored of nodes){
const parent=byId.get(stored.parent??0)
const move=parent&&stored.uci?legal(tree.position(parent),stored.uci):void 0
const node=stored===root?tree.root:parent&&move?tree.play(parent,move):void 0
if(!node)continue
byId.set(stored.id,node)
take2(node,stored)
made(node,stored)
}
return tree
}

var KINDS={
missing:"is not answered",
unanswered:"your move is missing",
conflict:"is one of several moves of yours",
unreached:"nobody has played it"
}
var ASKED=["player","opponent","rating","since"]
var GAMES={first:1e3,least:10,most:2e4}
var QUICK=1e3
var DOWN_TO=[0.05,0.01,1e-3,0]
var LISTED=200
var percent=(share2)=>share2===null?"":`${Math.round(share2 * 100)} %`
var same=(fen)=>{
const{pos}=readFen(fen)
return epd(pos?fenOf(pos):fen)
}
var Check=class{
totals={followed:0,left:0,"opponent left":0,"not reached":0}
games=0
next=null
sql=null;
/** by status, position and move */
left=/* @__PURE__ */ new Map()
add({totals,positions,next,sql}){
for(const[status,games]of Object.entries(totals)){
this.totals[status]+=games
this.games +=games
}
for(const row of positions){
const key=`${row.status} ${row.played} ${same(row.fen)}`
const before=this.left.get(key)
const decided=row.decided+(before?.decided??0)
const points=(row.score??0)*row.decided+(before?.score??0)*(before?.decided??0)
this.left.set(key,{...row,games:row.games+(before?.games??0),decided,score:decided?points / decided:null})
}
this.next=next
this.sql=sql
}
}
var Comparison=class{
/** `to` shows a node, `play` adds a move to it. */
constructor(to,play){
this.to=to
this.play=play
}
to
play
answer=h("div")
progress=h("div",{class:"progress"})
tables=h("div",{class:"compared"})
latest=new Latest()
tree;
/** by the fields of a FEN that make two positions the same */
places=/* @__PURE__ */ new Map()
node=h("details",{class:"comparison"},h("summary",null,"Compare with the games"))
draw(book,tree){
this.latest.stop()
this.tree=tree
const{params}=here()
const value=(name)=>params.get(name)??""
const field=(name,label,props)=>h(
"div",
{class:"field"},
h("label",{for:name},label),
h("input",{id:name,name,value:value(name),autocomplete:"off",...props})
)
const form=h(
"form",
{class:"filter-form",on:{submit:submitted(()=>this.ask(book,form,"check"))}},
completed("player","Your name in the games",value("player"),"players","Any spelling"),
completed("opponent","Against",value("opponent"),"players","Anybody"),
field("rating","Average rating",{placeholder:"2000-2400",pattern:"\\d{0,4}-\\d{0,4}"}),
field("since","Played since",{placeholder:"2015",pattern:"\\d{4}(-\\d\\d){0,2}"}),
h(
"div",
{class:"actions"},
h("button",{type:"submit",class:"primary"},"Check the games"),
button("Find gaps",()=>form.reportValidity()&&this.ask(book,form,"gaps"))
)
)
fill(this.answer)
fill(
this.node,
h("summary",null,"Compare with the games"),
book.color?form:note(h("p",null,"A repertoire is for one side: choose the colour of this notebook.")),
this.answer
)
}
/** Asks the server; the filters stay in the address. */
ask(book,form,path){
const data=new FormData(form)
const asked=Object.fromEntries(ASKED.map((name)=>[name,String(data.get(name)??"").trim()]))
const page=url(location.pathname,withParams(here().params,asked),here().hash)
history.replaceState(null,"",page)
const question=(part)=>url(`/api/notebooks/${encodeURIComponent(book.id)}/${path}`,withParams(new URLSearchParams(),{...asked,...part}))
this.places=new Map(this.tree.nodes.map((node)=>[epd(node.fen),node]))
fill(this.answer,this.progress,this.tables)
fill(this.tables)
if(path==="check")this.checkPart(book,question,new Check(),GAMES.first)
else this.gapsPart((part)=>question({...part,player:null}),0)
}
/** Says how far the answer is; the visitor can end it there and go on later. */
under(words,goOn){
const cancel=()=>{
this.latest.stop()
fill(this.progress,note(h("p",{role:"status"},`Cancelled. ${words}`),button("Go on",goOn)))
}
fill(
this.progress,
h("p",{role:"status"},words||"Looking through the games…"),
h("progress",{"aria-label":"Search"}),
button("Cancel",cancel)
)
}
/** Shows what is known so far, unless the visitor is about to press something in it. */
show(tables){
if(!this.tables.matches(":hover, :focus-within")||!this.tables.hasChildNodes())fill(this.tables,tables)
}
failed(error,again,advice){
fill(this.progress,failure(error.status===504?new ApiError(504,"This takes too long.",0,advice):error,again))
}
checkPart(book,question,all,games){
const next=(games2)=>this.checkPart(book,question,all,games2)
this.under(all.games?`${count(all.games)} games are compared.`:"",()=>next(games))
const begun=performance.now()
void this.latest.run(
(signal)=>fresh(question({limit:String(games),after:all.next}),signal),
(part)=>{
all.add(part)
if(all.next){
this.show(this.checked(all,book))
next(performance.now()-begun<QUICK?Math.min(2*games,GAMES.most):games)
return
}
fill(this.progress)
fill(this.tables,this.checked(all,book))
},
(error)=>{
if(error.status===504&&games>GAMES.least)next(Math.max(GAMES.least,Math.floor(games / 4)))
else this.failed(error,()=>next(games),"Name a player, ratings or years.")
}
)
}
gapsPart(question,at,before){
const less=`${+(100 * (DOWN_TO[at - 1] ?? 1)).toFixed(3)} % of the games`
const words=before?`${count(before.unexplored)} positions that less than ${less} reach are still to be looked at.`:""
const again=()=>this.gapsPart(question,at,before)
this.under(words,again)
void this.latest.run(
(signal)=>fresh(question({downTo:String(DOWN_TO[at])}),signal),
(found)=>{
if(found.unexplored&&at+1<DOWN_TO.length){
this.show(this.gaps(found))
this.gapsPart(question,at+1,found)
return
}
fill(this.progress)
fill(this.tables,this.gaps(found))
},
(error)=>{
if(error.status!==504||!before){
this.failed(error,again,"Name an opponent, ratings or years.")
return
}
const left=`Not looked at, because it takes too long: ${count(before.unexplored)} positions that less than ${less} reach, and what follows them.`
fill(this.progress,note(h("p",{role:"status"},left),button("Try again",again)))
}
)
}
/** The moves to a position, which lead to it on the board. */
line(fen,words){
const node=this.places.get(same(fen))
if(!node)return words??fen
const path=[]
for(let at=node;at?.parent;at=at.parent)path.unshift(at.san)
return button(path.slice(-6).join(" ")||"Start",()=>this.to(node),{class:"plain",title:path.join(" ")})
}
checked({totals,games,sql,left},book){
const side=(status,caption)=>{
const rows=[...left.values()].filter((row)=>row.status===status).sort((a,b)=>b.games-a.games)
return this.table(
caption,
["Position","Played","In the notebook","Games","Score"],
rows.slice(0,LISTED).map((row)=>[
this.line(row.fen),
row.played,
row.expected.join(", "),
h("a",{href:`/game/${row.last.id}#${row.last.ply}`,title:"The latest of these games"},count(row.games)),
percent(row.score)
])
)
}
return[
h(
"p",
{role:"status"},
games?`${count(games)} games with ${book.color === "black" ? "Black" : "White"}: ${count(totals.followed)} followed the notebook, ${count(totals.left)} left it by the player’s own move, ${count(totals["opponent left"])} by the opponent’s, ${count(totals["not reached"])} never reached it.`:"No games: the player may have another name, or other filters may find some.",
" ",
sqlLink(sql)
),
side("left","Left by the player"),
side("opponent left","Left by opponents")
]
}
gaps({gaps,total,sql}){
const words=!total?"No gaps.":total>gaps.length?`The first ${gaps.length} of ${count(total)}.`:"The likeliest first."
return[
h("p",{role:"status"},words," ",sqlLink(sql)),
this.table(
"Gaps",
["Position","Move","","Likely","Games","Score"],
gaps.map((gap)=>{
const node=this.places.get(same(gap.fen))
const move=gap.move&&node&&gap.kind==="missing"?button(gap.move,()=>this.play(node,gap.move),{class:"plain",title:"Add it to the notebook"}):gap.move
return[
this.line(gap.fen,gap.line),
move,
KINDS[gap.kind],
percent(gap.probability),
gap.games===null?"":count(gap.games),
percent(gap.score)
]
})
)
]
}
table(caption,heads,rows){
if(!rows.length)return null
return h(
"div",
{class:"wide-table"},
h(
"table",
{class:"figures"},
h("caption",null,caption),
h("thead",null,h("tr",null,...heads.map((head)=>h(head?"th":"td",head?{scope:"col"}:null,head)))),
h(
"tbody",
null,
...rows.map(
([first,...cells])=>h("tr",null,h("th",{scope:"row"},first),...cells.map((cell)=>h("td",null,cell)))
)
)
)
)
}
leave(){
this.latest.stop()
}
};

var days=(n)=>n===1?"tomorrow":`in ${count(n)} days`
var TrainView=class{
constructor(page){
this.page=page
}
page
head=h("div",{class:"panel-head"})
body=h("div",{class:"training"})
node=h("div",{class:"view train"},this.head,this.body)
latest=new Latest()
asking=new Latest()
id=""
book
tree=new Tree(initial())
byId=/* @__PURE__ */ new Map()
at;
/** another window has added the position that is asked */
renewed=false
update(at){
const id=at.path[1]??""
this.page.strip()
this.page.title("Training")
if(id===this.id&&this.book)return
this.id=id
this.page.board.show({pos:initial()})
void this.latest.run(
(signal)=>Promise.all([notebooks.read(id),fresh(`/api/notebooks/${encodeURIComponent(id)}/training`,signal)]),
([book,training])=>{
this.book=book
this.byId.clear()
this.tree=treeOfNodes(book.nodes,(node,stored)=>this.byId.set(stored.id,node))
if(book.color==="black"&&!here().params.get("orient"))
go(url(location.pathname,withParams(here().params,{orient:"b"})),true)
this.ask(training)
},
(error)=>this.failed(error,()=>this.update(at))
)
}
failed(error,again){
fill(this.head,h("h1",null,"Training"))
const missing=error.status===404&&!this.book
fill(
this.body,
missing?foreign("notebook"):failure(error,again),
h("p",null,h("a",{href:missing?"/notebooks":`/n/${this.id}`},missing?"All notebooks":"To the notebook"))
)
}
drawHead({due,total,new:fresh2}){
fill(
this.head,
h("h1",null,`Training: ${this.book.name}`),
h(
"p",
{class:"quiet"},
`${count(due)} due · ${count(fresh2)} new · ${count(total)} positions · `,
h("a",{href:`/n/${this.id}`},"To the notebook")
)
)
}
/** Shows the next position and waits for a move. */
ask(training){
this.asking.stop()
this.drawHead(training)
this.at=training.next?this.byId.get(training.next.node):void 0
if(!this.at&&training.next&&!this.renewed){
this.renewed=true
this.book=void 0
this.update(here())
return
}
this.renewed=false
if(!this.at){
this.page.board.show({pos:initial(),shapes:[]})
fill(this.body,this.nothing(training))
return
}
const node=this.at
this.page.board.show({pos:this.tree.position(node),last:node.uci,played:(move)=>this.play(move),shapes:[]})
fill(
this.body,
this.line(node),
h("p",{role:"status",class:"prompt"},"What does your notebook play here?"),
h(
"div",
{class:"actions"},
button("Show the answer",()=>this.answer(null))
)
)
}
nothing({total,soonest}){
const when=soonest&&new Date(soonest).toLocaleDateString(void 0,{dateStyle:"long"})
return note(
h("p",{role:"status"},total?"Nothing is due.":"This notebook has no moves for its side yet."),
when?h("p",null,`The next position is due on ${when}.`):null,
total?button(
"Begin from scratch",
()=>confirm("Forget all answers about this notebook?")&&void this.latest.run(
()=>send("DELETE",this.path()),
(found)=>this.ask(found),
(error)=>this.failed(error,()=>this.update(here()))
),
{class:"plain"}
):null
)
}
path(){
return `/api/notebooks/${encodeURIComponent(this.id)}/training`
}
/** The moves to the position. */
line(node){
const moves=this.tree.pathTo(node).slice(1)
const words = moves.map((n, i) => `${i === 0 || (n.ply + this.tree.offset) % 2 ? `${this.tree.number(n)} ` : ""}${n.san}`);
return h("p",{class:"trained-line"},words.join(" ")||"The start of the notebook")
}
play(move){
if(this.at)this.answer(uciOf(this.tree.position(this.at),move))
}
/** Sends the move, or that the visitor does not know it. */
answer(uci){
const node=this.at
const stored=[...this.byId].find(([,known])=>known===node)[0]
const pos=this.tree.position(node)
this.page.board.show({pos,last:node.uci,shapes:[]})
void this.latest.run(
()=>send("POST",this.path(),uci?{node:stored,uci}:{node:stored}),
(found)=>this.answered(node,uci,found),
(error)=>this.failed(error,()=>this.answer(uci))
)
}
answered(node,uci,{right,moves,days:interval,training}){
this.at=void 0
const pos=this.tree.position(node)
const san=(of)=>{
const move=legal(pos,of)
return move?step(pos,move).step.san:of
}
const arrow=(of,brush)=>{
const[orig,dest]=squaresOf(of)
return{orig,dest,brush}
}
const wrong=uci&&!right?[arrow(uci,"red")]:[]
const played=right&&uci?legal(pos,uci):void 0
const shown=played?step(pos,played).after:pos
this.page.board.show({
pos:shown,
last:played&&uci?uci:node.uci,
shapes:played?[]:[...moves.map((move)=>arrow(move,"green")),...wrong]
})
this.drawHead(training)
const others=moves.filter((move)=>move!==uci).map(san)
const said = right ? `Right: ${san(uci)}. It is asked again ${days(interval)}.${others.length ? ` The notebook also has ${others.join(", ")}.` : ""}` : `${uci ? `Not ${san(uci)}: the` : "The"} notebook plays ${moves.map(san).join(" or ")}. It is asked again at the end.`;
const replies=node.children.filter((child)=>moves.includes(child.uci))
const games=h("div",{class:"compared"})
const go2=button("Next",()=>this.ask(training),{class:"primary"})
fill(
this.body,
this.line(node),
h("p",{role:"status",class:right?"prompt right":"prompt error"},said),
...replies.filter((child)=>child.after).map((child)=>h("p",null,`${child.san}: ${child.after}`)),
node.after?h("p",{class:"quiet"},node.after):null,
h("div",{class:"actions"},go2),
games
)
go2.focus()
this.played(node,games)
}
/** What people play in the position. */
played(node,place){
void this.asking.run(
(signal)=>get(url("/api/explorer",new URLSearchParams({fen:node.fen})),signal),
({moves,games})=>{
if(!moves.length)return
fill(
place,
h(
"table",
{class:"figures"},
h("caption",null,`What was played here, in ${count(games)} games`),
h(
"thead",
null,
h("tr",null,...["Move","Games","White · draw · Black"].map((head)=>h("th",{scope:"col"},head)))
),
h(
"tbody",
null,
...moves.slice(0,6).map(
(m)=>h(
"tr",
null,
h("th",{scope:"row"},m.san),
h("td",null,count(m.games)),
h("td",{class:"bar"},bar(m.white,m.draws,m.black))
)
)
)
)
)
},
()=>{
}
)
}
step(){
}
position(){
return this.at&&this.tree.position(this.at)
}
leave(){
this.latest.stop()
this.asking.stop()
}
};

var NotebooksView=class{
constructor(page){
this.page=page
}
page
list=h("div")
node=h(
"div",
{class:"view notebooks"},
h(
"div",
{class:"panel-head"},
h("h1",null,"Notebooks"),
h(
"p",
{class:"quiet"},
"A notebook is a tree of positions with your notes, such as a repertoire. It is kept in the database. ",
h("a",{href:"/puzzles"},"Puzzles"),
" are made of the games."
)
),
this.list
)
latest=new Latest()
update(){
this.page.title("Notebooks")
this.page.strip()
this.page.board.show({pos:initial()})
this.load()
}
load(){
void this.latest.run(
()=>notebooks.list(),
(all)=>{
const name=h("input",{
id:"notebook-name",
required:true,
maxlength:"100",
autocomplete:"off",
placeholder:"My Najdorf"
})
const color=h(
"select",
{id:"notebook-color"},
h("option",{value:"white"},"for White"),
h("option",{value:"black"},"for Black"),
h("option",{value:""},"for both")
)
fill(
this.list,
all.length?h(
"ul",
{class:"cards"},
...all.map(
(book)=>h(
"li",
null,
h("a",{href:url(`/n/${encodeURIComponent(book.id)}`)},book.name),
h(
"span",
{class:"quiet"},
[
book.color&&`for ${book.color === "white" ? "White" : "Black"}`,
book.nodes>1&&`${count(book.nodes - 1)} moves`
].filter(Boolean).join(" · ")
),
iconButton("trash",`Delete ${book.name}`,()=>{
if(confirm(`Delete the notebook “${book.name}” with all its notes?`))
void notebooks.remove(book.id).catch((error)=>say(error.message)).then(()=>this.load())
})
)
)
):note(h("p",null,"No notebooks yet. Name one, then play moves on its board.")),
h(
"form",
{
class:"inline",
on:{
submit:(event)=>{
event.preventDefault()
void this.latest.run(
()=>notebooks.create(name.value.trim(),color.value||null),
(book)=>go(`/n/${encodeURIComponent(book.id)}`),
(error)=>this.list.prepend(failure(error,()=>this.load()))
)
}
}
},
h("label",{for:"notebook-name"},"New notebook"),
name,
h("label",{for:"notebook-color",class:"unseen"},"For which side"),
color,
h("button",{type:"submit",class:"primary"},"Create")
)
)
},
(error)=>fill(
this.list,
failure(error,()=>this.load())
)
)
}
step(){
}
rows(){
return[...this.list.querySelectorAll(".cards a")]
}
position(){
return initial()
}
leave(){
this.latest.stop()
}
}
function stepped(tree,from,by){
let to=from
if(by===-1)to=to.parent
else if(by===1)to=to.children[0]
else if(by==="first")to=tree.root
else while(to.children.length)to=to.children[0]
return to===from?void 0:to
}
var NotebookView=class{
constructor(page){
this.page=page
document.addEventListener("visibilitychange",this.seen)
}
page
head=h("div",{class:"panel-head"})
side=h("div",{class:"node-side"})
moves=new Moves((node)=>this.to(node))
comparison=new Comparison(
(node)=>this.to(node),
(node,san)=>{
this.to(node)
const move=typed(this.tree.position(node),san)
if(move)this.play(move)
}
)
node=h("div",{class:"view notebook"},this.head,this.side,this.moves.node,this.comparison.node)
latest=new Latest()
asking=new Latest()
renewing=new Latest()
state=h("span",{class:"saving",role:"status"})
saver=new Saver((state,message)=>{
this.state.textContent=state==="failed"?`not saved: ${message}`:state
if(state==="saved")this.undo.disabled=false
})
undo=button("Undo",()=>void this.undoLast(),{title:"Undo the last change, also one made before a reload"})
total=h("span",{class:"total"})
id=""
book
tree
stored=/* @__PURE__ */ new Map()
byId=/* @__PURE__ */ new Map()
current;
/** the moves are not those that are drawn */
changed=true
left=false;
/** Another window may have changed the notebook. */
seen=()=>{
const book=this.book
if(document.hidden||!book||this.head.contains(document.activeElement)||this.side.contains(document.activeElement))
return
void this.renewing.run(
()=>this.saver.now().then(()=>notebooks.read(this.id)),
(found)=>{
if(this.book===book&&JSON.stringify(found.nodes)!==JSON.stringify(book.nodes))this.take(found)
},
()=>{
}
)
}
update(at){
const id=at.path[1]??""
if(id!==this.id||!this.tree){
this.id=id
this.load()
return
}
this.place(this.byId.get(Number(at.path[2]))??this.tree.root)
}
load(){
void this.latest.run(
()=>notebooks.read(this.id),
(book)=>{
const at=here()
this.build(book)
if(book.color==="black"&&!at.params.get("orient"))
go(url(location.pathname,withParams(at.params,{orient:"b"})),true)
else this.update(at)
},
(error)=>{
this.page.board.show({pos:initial()})
fill(this.head,h("h1",null,error.status===404?"You cannot open this notebook":"Notebook"))
fill(
this.side,
error.status===404?foreign("notebook"):failure(error,()=>this.load()),
h("p",null,h("a",{href:"/notebooks"},"All notebooks"))
)
}
)
}
/** Shows the notebook as it is now in the database. */
take(book){
if(this.left)return
this.build(book)
this.update(here())
}
build(book){
this.book=book
this.changed=true
this.undo.disabled=!book.changes
this.stored.clear()
this.byId.clear()
const tree=treeOfNodes(book.nodes,(node,stored)=>{
this.stored.set(node,stored)
this.byId.set(stored.id,node)
})
this.tree=tree
this.drawHead(book)
this.comparison.draw(book,tree)
}
drawHead(book){
const name=h("input",{
id:"notebook-name",
value:book.name,
required:true,
maxlength:"100",
autocomplete:"off",
on:{
input:()=>{
book.name=name.value.trim()||book.name
this.page.title(book.name)
this.saver.later(book,()=>notebooks.change(this.id,{name:book.name}))
}
}
})
const color=h("select",{
id:"notebook-color",
on:{
change:()=>{
book.color=color.value||null
this.saver.later(color,()=>notebooks.change(this.id,{color:book.color}))
this.comparison.draw(book,this.tree)
}
}
})
const sides={white:"for White",black:"for Black","":"for both"}
fill(
color,
Object.entries(sides).map(([value,text])=>h("option",{value,selected:(book.color??"")===value},text))
)
fill(
this.head,
h(
"div",
{class:"opening"},
h("h1",{class:"unseen"},book.name),
h("label",{for:"notebook-name",class:"unseen"},"Name"),
name,
h("label",{for:"notebook-color",class:"unseen"},"For which side"),
color,
this.total
),
h("p",{class:"quiet"},h("a",{href:"/notebooks"},"All notebooks")," · play a move on the board to add it"),
h(
"div",
{class:"actions"},
h("a",{class:"button",href:`/train/${encodeURIComponent(book.id)}`},"Train"),
this.undo,
button("Paste PGN",()=>this.paste()),
button("Download",()=>download(`${this.book.name}.pgn`,this.pgn()),{
title:"The notebook as PGN, with its notes"
}),
button("Share",()=>void this.saver.now().then(()=>share("notebook",this.id))),
this.state
)
)
}
async undoLast(){
await this.saver.now()
void this.latest.run(
async()=>{
await notebooks.undo(this.id)
return notebooks.read(this.id)
},
(book)=>this.take(book),
(error)=>this.failed(error,()=>void this.undoLast())
)
}
/** An error of a change. If another window has deleted what was changed, the notebook is loaded again. */
failed(error,again){
if(this.left)return
if(error.status===404||error.status===409){
say(error.status===404?error.message:"The notebook was changed in another window, and is loaded again")
this.load()
}else this.side.prepend(failure(error,again))
}
paste(){
const area=h("textarea",{class:"code",rows:"12","aria-label":"PGN"})
const file=h("input",{
type:"file",
accept:".pgn",
"aria-label":"A file",
on:{
change:async()=>{
area.value=await file.files?.[0]?.text()??area.value
}
}
})
const add=()=>{
dialog.close()
const text=area.value
const read=()=>this.latest.run(
()=>readGames(text),
(games)=>void this.add(games),
(error)=>this.failed(error,()=>void read())
)
void read()
}
const dialog=openDialog(
"Paste PGN",
{class:"wide"},
h("p",{class:"quiet"},"Its moves and variations are added to the notebook, with comments and glyphs."),
area,
h("div",{class:"actions"},file,button("Add",add,{class:"primary"}))
)
area.focus()
}
/** Adds the moves of games, each where the notebook has the position in which it begins. */
async add(games){
const tree=this.tree
const places=/* @__PURE__ */ new Map()
const said=[]
games.forEach((game,number)=>{
if(game.nodes.length<2){
if(game.problem&&game.headers.size)said.push(`Game ${number + 1} cannot be read: ${game.problem}.`)
return
}
if(game.problem)said.push(`Game ${number + 1} is read as far as possible: ${game.problem}.`)
const begins=tree.nodes.find((node)=>epd(node.fen)===epd(game.root.fen))
const stored=begins&&this.stored.get(begins)
if(!stored){
said.push(`Game ${number + 1} begins in a position that the notebook does not have.`)
return
}
const{moves,note:note2}=places.get(begins)??{moves:[],note:""}
places.set(begins,{moves,note:note2||writeComment(game.root)})
const numbers=/* @__PURE__ */ new Map()
for(const node of game.nodes.slice(1)){
if(node.uci==="0000"||node.parent!==game.root&&!numbers.has(node.parent))continue
numbers.set(node,moves.length)
moves.push({
parent:numbers.get(node.parent)??null,
uci:node.uci,
note:[node.before,writeComment(node)].filter(Boolean).join(" "),
glyphs:node.nags.filter((nag)=>nag<256)
})
}
})
if(!places.size&&!said.length)said.push("There are no moves in this text.")
await this.saver.now()
await this.latest.run(
async()=>{
let added=0
for(const[node,{note:note2,moves}]of places)
added +=(await notebooks.addTree(this.id,this.stored.get(node).id,note2,moves)).added
if(places.size)said.unshift(added===1?"One move added.":`${count(added)} moves added.`)
return notebooks.read(this.id)
},
(book)=>{
this.take(book)
this.side.prepend(note(h("p",{role:"status"},said.join(" "))))
},
(error)=>this.failed(error,()=>void this.add(games))
)
}
address(node){
const stored=this.stored.get(node)
return url(node.parent && stored ? `/n/${this.id}/${stored.id}` : `/n/${this.id}`, here().params);
}
to(node){
go(this.address(node),true)
}
place(node){
const tree=this.tree
this.current=node
this.page.strip()
this.page.title(this.book.name)
this.page.board.show({pos:tree.position(node),last:node.uci,played:(move)=>this.play(move),shapes:node.shapes})
this.total.textContent=`${count(tree.nodes.length - 1)} moves`
const area=h("textarea",{
id:"note",
rows:"3",
maxlength:"10000",
value:node.after,
placeholder:"What to remember here",
on:{
input:()=>{
node.after=area.value
this.moves.comment(tree,node)
const stored=this.stored.get(node)
if(stored)
this.saver.later(
stored,
()=>notebooks.write(this.id,stored.id,{glyph:node.nags[0]??null,note:writeComment(node)})
)
}
}
})
const played=h("span",{class:"quiet played"})
fill(
this.side,
h(
"div",
{class:"field wide"},
h("label",{for:"note"},node.parent?`Note after ${tree.number(node)} ${node.san}`:"Note on the start"),
area
),
h(
"div",
{class:"actions"},
node.parent?this.glyphs(node):null,
button("Explore",()=>go(this.explorer(node))),
node.parent?button("Delete from here",()=>this.cut(node),{class:"plain"}):null
),
played
)
if(this.changed)this.moves.draw(tree,node)
else this.moves.current(node)
this.changed=false
this.gaps(node,played)
}
explorer(node){
const start=this.tree.root.fen
const params=new URLSearchParams()
if(epd(start)!==epd(INITIAL_FEN))params.set("fen",start)
const play=this.tree.pathTo(node).slice(1).map((n)=>n.uci).join(",")
if(play)params.set("play",play)
return url("/",params)
}
/** The most frequent moves that the notebook does not have. */
gaps(node,place){
const params=new URLSearchParams(this.explorer(node).split("?")[1]??"")
void this.asking.run(
(signal)=>get(url("/api/explorer",params),signal),
(answer)=>{
const known=new Set(node.children.map((c)=>c.uci))
const missing=answer.moves.filter((m)=>!known.has(m.uci)).slice(0,5)
if(this.current!==node||!missing.length)return
fill(
place,
"Played, but missing here: ",
...missing.flatMap((m,i)=>[
i?", ":null,
button(
m.san,
()=>{
const move=legal(this.tree.position(node),m.uci)
if(move)this.play(move)
},
{class:"plain"}
),
` ${count(m.games)}`
])
)
},
()=>{
}
)
}
glyphs(node){
const select=h("select",{
"aria-label":"Glyph",
on:{
change:()=>{
const glyph=Number(select.value)||null
node.nags=glyph?[glyph,...node.nags.slice(1)]:[]
const stored=this.stored.get(node)
if(stored)this.saver.later(stored,()=>notebooks.write(this.id,stored.id,{glyph,note:writeComment(node)}))
this.moves.draw(this.tree,node)
}
}
})
fill(
select,
[
[0,"no glyph"],
[1,"!"],
[2,"?"],
[3,"!!"],
[4,"??"],
[5,"!?"],
[6,"?!"]
].map(([value,text])=>h("option",{value,selected:(node.nags[0]??0)===value},text))
)
return select
}
play(move){
const tree=this.tree
const parent=this.current
const uci=uciOf(tree.position(parent),move)
const there=parent.children.find((c)=>c.uci===uci)
if(there){
this.to(there)
return
}
const stored=this.stored.get(parent)
if(!stored)return
this.side.querySelector("#note").disabled=true
void this.saver.now().then(
()=>this.latest.run(
()=>notebooks.add(this.id,stored.id,uci),
(made)=>{
const node=tree.play(parent,move)
this.changed=true
this.undo.disabled=false
take2(node,made)
this.stored.set(node,made)
this.byId.set(made.id,node)
if(!this.left)this.to(node)
},
(error)=>{
if(this.left)return
this.place(parent)
this.failed(error,()=>this.play(move))
}
)
)
}
cut(node){
const stored=this.stored.get(node)
if(!stored||node.children.length&&!confirm(`Delete ${node.san} and all that follows it?`))return
void this.latest.run(
()=>notebooks.cut(this.id,stored.id),
()=>{
const parent=node.parent
this.tree.remove(node)
this.changed=true
this.undo.disabled=false
this.to(parent)
},
(error)=>this.failed(error,()=>this.cut(node))
)
}
step(by){
const to=this.current&&stepped(this.tree,this.current,by)
if(to)this.to(to)
}
pgn(){
const tree=this.tree??new Tree(initial())
tree.headers=/* @__PURE__ */ new Map([["Event",this.book?.name??"?"]])
return writePgn(tree)
}
position(){
return this.tree&&this.current?this.tree.position(this.current):void 0
}
leave(){
this.left=true
this.saver.stop()
this.latest.stop()
this.asking.stop()
this.renewing.stop()
this.comparison.leave()
document.removeEventListener("visibilitychange",this.seen)
}
}
var SharedView=class{
constructor(page){
this.page=page
}
page
head=h("div",{class:"panel-head"})
moves=new Moves((node)=>this.show(node))
node=h("div",{class:"view shared"},this.head,this.moves.node)
latest=new Latest()
tree=new Tree(initial())
current=this.tree.root
update(at){
const path=`/api/shared/${encodeURIComponent(at.path[1] ?? "")}`
this.page.title("Shared")
this.page.strip()
this.page.board.show({pos:initial()})
void this.latest.run(
(signal)=>fresh(path,signal),
(shared)=>{
this.tree=shared.kind==="board"?treeOfGame(shared.game):treeOfNodes(shared.nodes,()=>{
})
this.page.title(shared.name)
fill(
this.head,
h("h1",null,shared.name),
h("p",{class:"quiet"},`A ${shared.kind} that somebody shares with you. A copy is yours to change.`),
h(
"div",
{class:"actions"},
button("Keep a copy",()=>this.keep(path),{class:"primary"})
)
)
this.moves.draw(this.tree,this.tree.root)
this.show(this.tree.root)
const side=shared.kind==="notebook"&&shared.color==="black"?"b":null
if(side&&!here().params.get("orient"))go(url(location.pathname,withParams(here().params,{orient:side})),true)
},
(error)=>fill(
this.head,
h("h1",null,"Shared"),
error.status===404?note(h("p",null,error.message)):failure(error,()=>this.update(at))
)
)
}
keep(path){
void this.latest.run(
()=>send("POST",path),
(made) => go(made.kind === "board" ? `/analysis/${made.id}` : `/n/${made.id}`),
(error)=>say(error.message)
)
}
show(node){
this.current=node
this.page.board.show({pos:this.tree.position(node),last:node.uci,shapes:node.shapes})
this.page.comment(node.after)
this.moves.current(node)
}
step(by){
const to=stepped(this.tree,this.current,by)
if(to)this.show(to)
}
pgn(){
return writePgn(this.tree)
}
position(){
return this.tree.position(this.current)
}
leave(){
this.latest.stop()
}
}
var VIEWS={notebooks:NotebooksView,n:NotebookView,shared:SharedView,train:TrainView}
export{
NotebookView,
NotebooksView,
SharedView,
VIEWS
};
