/*! A part of app.js, GPL-3.0-or-later */
import{
Latest,
button,
completed,
date,
emptyDatabase,
failure,
fenOf,
fill,
fresh,
get,
go,
h,
here,
initial,
legal,
moveNumber,
note,
readFen,
score,
server,
sqlLink,
squaresOf,
step,
submitted,
uciOf,
url,
withParams
}from"./app.js";

var ASKED=["theme","player","rating","game"]
var DEPTH=12
var SHOWN=6
var words=(theme)=>theme.replace(/([a-z])([A-Z0-9])/g,"$1 $2").toLowerCase()
var PuzzlesView=class{
constructor(page){
this.page=page
}
page
head=h("div",{class:"panel-head"})
body=h("div",{class:"training"})
choices=h("details",{class:"comparison"})
node=h("div",{class:"view puzzles"},this.head,this.body,this.choices)
latest=new Latest()
asking=new Latest()
themes
puzzle
sql=null
pos=initial()
last;
/** how many moves of the solution are on the board */
done=0
waits=false;
/** the answer was shown, or a wrong move was tried */
helped=false
replying
update(at){
this.page.title("Puzzles")
this.page.strip()
const id=at.path[1]
if(this.puzzle&&id===String(this.puzzle.id))return
this.forget()
this.page.board.show({pos:initial(),shapes:[]})
if(this.page.status&&!this.page.status.games){
fill(this.head,h("h1",null,"Puzzles"))
fill(this.body,emptyDatabase(this.page.status))
return
}
void this.latest.run(
async(signal)=>{
this.themes??=await get("/api/puzzles/themes",signal)
if(id)return get(`/api/puzzles/${encodeURIComponent(id)}`,signal)
const{first,last}=this.themes
return this.following((first??0)+Math.floor(Math.random()*((last??0)-(first??0)+1))-1,signal)
},
(found)=>{
this.choose()
if(found.puzzle)this.to(found.puzzle,true)
this.show(found)
},
(error)=>this.failed(error,()=>this.update(at))
)
}
failed(error,again){
fill(this.head,h("h1",null,"Puzzles"))
fill(
this.body,
error.status===404?note(h("p",null,error.message),h("a",{href:"/puzzles"},"Other puzzles")):failure(error,again)
)
}
following(after,signal){
const params=new URLSearchParams({after:String(after)})
for(const name of ASKED){
const value=here().params.get(name)
if(value)params.set(name,value)
}
return fresh(url("/api/puzzles",params),signal)
}
/** The address of a puzzle, seen by who solves it. */
to(puzzle,replace){
const params=withParams(here().params,{orient:readFen(puzzle.fen).pos?.turn==="black"?"b":null})
this.puzzle=puzzle
go(url(`/puzzles/${puzzle.id}`,params),replace)
}
next(){
const{id}=this.puzzle
void this.latest.run(
(signal)=>this.following(id,signal),
(found)=>{
if(found.puzzle)this.to(found.puzzle,false)
this.show(found)
},
(error)=>this.failed(error,()=>this.next())
)
}
forget(){
clearTimeout(this.replying)
this.asking.stop()
this.puzzle=void 0
this.waits=false
}
show({puzzle,sql}){
this.forget()
this.sql=sql
fill(this.head,h("h1",null,"Puzzles"))
if(!puzzle){
const none=this.themes?.last===null
fill(
this.body,
note(
h("h2",null,none?"No puzzles yet":"No such puzzles"),
h(
"p",
null,
none?"chess-pgn analyze --puzzles and chess-pgn puzzles make them of the mistakes in games; chess-pgn puzzles --import reads those of lichess.":"Choose another theme, player or difficulty."
)
)
)
return
}
const pos=readFen(puzzle.fen).pos
if(!pos){
fill(
this.body,
note(
h("p",null,"This position cannot be shown."),
button("Next puzzle",()=>this.next())
)
)
return
}
this.puzzle=puzzle
this.pos=pos
this.last=puzzle.lead??void 0
this.done=0
this.helped=false
this.ask(`${pos.turn === "white" ? "White" : "Black"} to move. Find the only right answer.`)
}
/** Waits for a move. */
ask(said,right=false){
this.waits=true
this.page.board.show({pos:this.pos,last:this.last,played:(move)=>this.play(move),shapes:[]})
fill(
this.body,
h("p",{role:"status",class:right?"prompt right":"prompt"},said),
h(
"div",
{class:"actions"},
button("Show the answer",()=>this.reveal()),
button("Another puzzle",()=>this.next(),{class:"plain"})
)
)
}
play(move){
const puzzle=this.puzzle
if(!puzzle||!this.waits)return
this.asking.stop()
const uci=uciOf(this.pos,move)
const{after,step:played}=step(this.pos,move)
const wanted=legal(this.pos,puzzle.solution[this.done])
if(after.isCheckmate()||wanted&&uciOf(this.pos,wanted)===uci){
this.pos=after
this.last=uci
this.done=after.isCheckmate()?puzzle.solution.length:this.done+1
this.reply(played.san)
return
}
this.helped=true
this.wrong(after,uci,played.san)
}
/** The move was right: the opponent replies, or the puzzle is solved. */
reply(san){
const{solution}=this.puzzle
this.waits=false
this.page.board.show({pos:this.pos,last:this.last,shapes:[]})
if(this.done>=solution.length){
this.solved(san)
return
}
fill(this.body,h("p",{role:"status",class:"prompt right"},`${san} is right.`))
this.replying=setTimeout(()=>{
const move=legal(this.pos,solution[this.done])
if(!move){
this.solved(san)
return
}
const{after,step:played}=step(this.pos,move)
this.pos=after
this.last=played.uci
this.done++
this.ask(`${san} is right. The reply is ${played.san}. And now?`,true)
},500)
}
solved(san){
const puzzle=this.puzzle
const{game}=puzzle
const next=button("Next puzzle",()=>this.next(),{class:"primary"})
const from=game?h(
"p",
null,
"From ",
h(
"a",
{ href: `/game/${game.id}${game.ply === null ? "" : `#${game.ply}`}` },
`${game.white ?? "?"} – ${game.black ?? "?"}${game.date ? `, ${date(game.date)}` : ""}`
),
puzzle.kind==="missed"?", where the answer was missed.":puzzle.kind==="refutation"?", after a mistake.":"."
):null
fill(
this.body,
h("p", { role: "status", class: "prompt right" }, this.helped ? `${san}. That is the answer.` : `${san}. Solved.`),
h("p",null,this.line(puzzle.fen,puzzle.solution)),
h(
"p",
{class:"quiet"},
`${puzzle.themes.map(words).join(", ")}${puzzle.themes.length ? " · " : ""}difficulty ${puzzle.rating}`
),
from,
h(
"div",
{class:"actions"},
next,
h("a",{class:"button",href:url("/analysis/new",new URLSearchParams({fen:puzzle.fen}))},"Analyse"),
sqlLink(this.sql)
)
)
next.focus()
}
/** Plays the rest of the solution. */
reveal(){
this.helped=true
this.asking.stop()
const{solution}=this.puzzle
let san=""
this.waits=false
for(;this.done<solution.length;this.done++){
const move=legal(this.pos,solution[this.done])
if(!move)break
const{after,step:played}=step(this.pos,move)
san||=played.san
this.pos=after
this.last=played.uci
}
this.page.board.show({pos:this.pos,last:this.last,shapes:[]})
this.solved(san)
}
/** The moves of a line with their numbers. */
line(fen,ucis){
let pos=readFen(fen).pos
const said=[]
for(const uci of ucis){
const move=pos&&legal(pos,uci)
if(!pos||!move)break
const ply=(pos.fullmoves-1)*2+(pos.turn==="white"?1:2)
const{after,step:played}=step(pos,move)
said.push(`${!said.length || ply % 2 ? `${moveNumber(ply)} ` : ""}${played.san}`);
pos=after
}
return said.join(" ")
}
/** Shows a wrong move, and what refutes it where an analysis is stored or an engine is there. */
wrong(after,uci,san){
const reply=h("p",{role:"status"})
const again=button(
"Try again",
()=>{
this.asking.stop()
this.ask(`${this.pos.turn === "white" ? "White" : "Black"} to move.`)
},
{class:"primary"}
)
this.waits=false
this.page.board.show({pos:after,last:uci,shapes:[]})
fill(
this.body,
h("p",{role:"status",class:"prompt error"},`${san} is not the answer.`),
reply,
h(
"div",
{class:"actions"},
again,
button("Show the answer",()=>{
this.page.board.show({pos:this.pos,last:this.last,shapes:[]})
this.reveal()
})
)
)
again.focus()
if(after.isEnd())return
const fen=fenOf(after)
const show=(line)=>{
const ucis=line.moves.split(" ").slice(0,SHOWN)
const[orig,dest]=squaresOf(ucis[0])
const arrow={orig,dest,brush:"red"}
this.page.board.arrows([arrow])
reply.textContent=`The reply: ${this.line(fen, ucis)} (${score(line)}).`
}
void this.asking.run(
(signal)=>this.refutation(fen,signal),
(line)=>line&&show(line),
()=>{
}
)
}
/** The best line from the stored analyses, else from the engine; nothing if there is neither. */
async refutation(fen,signal){
const asked=new URLSearchParams({fen})
try{
return(await get(url("/api/cloud-eval",asked),signal)).pvs[0]
}catch(error){
if(signal.aborted||!server.status?.engine)throw error
}
return new Promise((found,failed)=>{
const stream=new EventSource(url("/api/engine",withParams(asked,{multipv:"1",depth:String(DEPTH)})))
const end=()=>stream.close()
signal.addEventListener("abort",end)
stream.addEventListener("end",(event)=>{
end()
const[line]=JSON.parse(event.data).pvs
found(line&&{...line,moves:line.moves.join(" ")})
})
for(const name of["failure","error"])
stream.addEventListener(name,()=>{
end()
failed(new Error("no engine"))
})
})
}
/** The form that chooses puzzles. */
choose(){
const{params}=here()
const value=(name)=>params.get(name)??""
const themes=this.themes?.themes??[]
const form=h(
"form",
{
class:"filter-form",
on:{
submit:submitted(()=>{
const data=new FormData(form)
const asked=Object.fromEntries(ASKED.map((name)=>[name,String(data.get(name)??"").trim()]))
this.puzzle=void 0
go(url("/puzzles",withParams(here().params,asked)))
})
}
},
h(
"div",
{class:"field"},
h("label",{for:"theme"},"Theme"),
h(
"select",
{id:"theme",name:"theme"},
...[{name:"",description:null},...themes].map(
({name,description})=>h("option",{value:name,selected:name===value("theme"),title:description},name?words(name):"any")
)
)
),
completed("player","From the games of",value("player"),"players","Anybody"),
h(
"div",
{class:"field"},
h("label",{for:"rating"},"Difficulty"),
h("input",{
id:"rating",
name:"rating",
value:value("rating"),
placeholder:"1000-1500",
pattern:"\\d{0,4}-\\d{0,4}",
autocomplete:"off"
})
),
h("input",{type:"hidden",name:"game",value:value("game")}),
h("div",{class:"actions"},h("button",{type:"submit",class:"primary"},"Show puzzles"))
)
fill(this.choices,h("summary",null,"Theme, player, difficulty"),form)
this.choices.open||=ASKED.some((name)=>params.has(name))
}
step(){
}
position(){
return this.waits?this.pos:void 0
}
leave(){
this.forget()
this.latest.stop()
}
}
var VIEWS={puzzles:PuzzlesView}
export{
PuzzlesView,
VIEWS
};
