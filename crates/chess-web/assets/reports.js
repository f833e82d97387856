/*! A part of app.js, GPL-3.0-or-later */
import{
FILTERS,
INITIAL_FEN,
LATE,
Latest,
OF_LISTS,
bar,
button,
completed,
copy,
count,
date,
emptyDatabase,
failure,
fenOf,
fill,
filterBar,
gameTable,
get,
go,
h,
here,
initial,
legal,
moveNumber,
note,
only,
pageOf,
readFen,
result,
s,
sqlLink,
step,
suggestions,
typed,
url,
waiting,
withParams,
without
}from"./app.js";

var FAMILIES={
A:"Flank openings",
B:"Semi-open games: 1. e4 without 1… e5 and 1… e6",
C:"Open games and the French",
D:"Closed games: 1. d4 d5, and the Grünfeld",
E:"Indian defences"
}
var OpeningsView=class{
constructor(page){
this.page=page
const input=h("input",{
id:"opening-name",
autocomplete:"off",
spellcheck:"false",
placeholder:"Najdorf, or B90",
on:{input:()=>this.find(input.value.trim())}
})
this.node=h(
"div",
{class:"view openings"},
h(
"div",
{class:"panel-head"},
h("h1",null,"Openings"),
h("div",{class:"field"},h("label",{for:"opening-name"},"Name or code"),input)
),
this.found,
this.tree
)
}
page
tree=h("div")
found=h("ul",{class:"cards","aria-live":"polite"})
latest=new Latest()
finding=new Latest()
node
update(at){
this.page.title("Openings")
this.page.strip()
this.page.board.show({pos:initial(),played:void 0})
if(at.path.length&&!this.tree.hasChildNodes())this.load()
}
find(text){
if(text.length<2){
this.finding.stop()
fill(this.found)
return
}
void this.finding.run(
(signal)=>lines(text,signal),
(found)=>fill(this.found,found.length?found.map(line):h("li",null,"No opening has this name. Try a part of it.")),
(error)=>fill(this.found,h("li",{class:"error"},error.message))
)
}
load(){
void this.latest.run(
(signal)=>get("/api/openings",signal),
({codes,sql})=>{
const of=(prefix)=>codes.filter((code)=>code.eco?.startsWith(prefix))
fill(
this.tree,
...Object.entries(FAMILIES).map(
([letter,name])=>level(
letter,
name,
of(letter),
()=>of(letter).map((code)=>level(code.eco,code.name??"",[code],async()=>(await lines(code.eco)).map(line)))
)
),
sqlLink(sql)
)
},
(error)=>fill(
this.tree,
failure(error,()=>this.load())
)
)
}
step(){
}
position(){
return initial()
}
rows(){
return[...this.node.querySelectorAll(".cards a, summary")].filter((row)=>row.offsetParent)
}
leave(){
this.latest.stop()
this.finding.stop()
}
}
var lines=async(text,signal)=>(await get(url("/api/openings",new URLSearchParams({prefix:text})),signal)).openings
var line=({eco,name,play})=>h(
"li",
null,
h("span",{class:"eco"},eco),
h("a",{href:url("/",withParams(new URLSearchParams(),{play}))},name),
h("a",{class:"quiet",href:url("/opening",new URLSearchParams({play}))},"report"),
h("a",{class:"quiet",href:url("/games",new URLSearchParams({opening:name}))},"games")
)
function level(code,name,codes,inside){
const sum=(pick)=>codes.reduce((all,code2)=>all+pick(code2),0)
const content=h("ul")
const details=h(
"details",
{
on:{
toggle:async()=>{
if(!details.open||content.hasChildNodes())return
const all=h("a",{href:url("/games",new URLSearchParams({eco:code}))},`All games of ${code}`)
fill(content,h("li",null,h("span"),all),...await inside())
}
}
},
h(
"summary",
null,
h("span",{class:"eco"},code),
h("span",null,name),
bar(
sum((c)=>c.white),
sum((c)=>c.draws),
sum((c)=>c.black)
),
h("span",{class:"total"},count(sum((c)=>c.games)))
),
content
)
return details
}

var games=(n)=>n===1?"1 game":`${count(n)} games`
var percent=(part)=>part===null||part===void 0?"":String(Math.round(100*part))
var signed=(n)=>`${n < 0 ? "−" : n > 0 ? "+" : ""}${Math.abs(n)}`
var beyond=({expected,detail})=>expected===null||(detail?.rated_score??null)===null?"":signed(Math.round(100*(detail.rated_score-expected)))
function range(item){
const found=/^[[(](-?\d*),(-?\d*)\)$/.exec(item)
if(!found)return item
const[from,to]=[found[1],found[2]&&String(Number(found[2])-1)].map((bound)=>bound.replace("-","−"))
return from && to ? `${from} to ${to}` : from ? `${from} or more` : `${to} or less`;
}
var known=(rows)=>rows.some((row)=>row.item!=="unknown")?rows:[]
function outcomes({white,draws,black,score:score2}){
const decided=white+draws+black
const won=Math.round((score2??0)*decided-draws / 2)
return[won,draws,decided-draws-won]
}

var outcomeBar=(row)=>bar(...outcomes(row),["won","drawn","lost"])
var resultBar=({white,draws,black})=>bar(white,draws,black)
function table(caption,rows,columns){
if(!rows.length)return null
return h(
"table",
{class:"figures"},
h("caption",null,caption),
h("thead",null,h("tr",null,...columns.map((c)=>h("th",{scope:"col",title:c.title,class:c.class},c.head)))),
h(
"tbody",
null,
...rows.map(
(row)=>h(
"tr",
null,
...columns.map(
(c,i)=>i?h("td",{class:c.class},c.cell(row)):h("th",{scope:"row",class:c.class},c.cell(row))
)
)
)
)
)
}
var GAMES={head:"Games",cell:(row)=>count(row.games)}
var SCORE={head:"Score",title:"Points, in percent",cell:(row)=>percent(row.score)}
var BEYOND={
head:"±",
title:"Percent of the points above or below what the ratings promise",
cell:beyond,
class:"beyond"
}
var SHARE={
head:"Share",
title:"Percent of the games",
cell:(row)=>percent(row.detail.share),
class:"share"
}
var LAST={head:"Last",cell:(row)=>row.detail.last?.slice(0,4)??"",class:"last"}
var PERFORMANCE={
head:"Perf",
title:"Performance rating",
cell:(row)=>row.detail.performance?Math.round(row.detail.performance):"",
class:"perf"
}
var facts=(...pairs)=>h(
"dl",
{class:"summary"},
...pairs.flatMap(([name,value])=>value?[h("div",null,h("dt",null,name),h("dd",null,value))]:[])
)
var scores=(head,{score:score2,expected,detail},[won,drawn,lost])=>[
[head,score2!==null&&`${percent(score2)} %: ${count(won)} won, ${count(drawn)} drawn, ${count(lost)} lost`],
[
"By ratings",
expected!==null&&`${percent(expected)} % of ${games(detail.rated)}; scored ${percent(detail.rated_score)} %`
]
]
function years(rows,parts,line2,said){
const dated=rows.filter((row)=>row.item!=="unknown")
if(dated.length<2)return null
const[first,last]=[Number(dated[0].item),Number(dated.at(-1).item)]
const sum=(row)=>parts(row).reduce((a,b)=>a+b,0)
const most=Math.max(...dated.map(sum))||1
const width=last-first+1
const columns=Array.from({length:width},()=>h("i"))
const values=[]
for(const row of dated){
const at=Number(row.item)-first
columns[at].title=`${row.item}: ${games(row.games)}`
parts(row).forEach((part,i)=>{
const box=h("b",{class:["won","drawn","lost"][i]})
box.style.height=`${100 * part / most}%`
columns[at].append(box)
})
const value=line2(row)
if(value)values.push([at+0.5,value])
}
const[low,high]=[Math.min(...values.map((v)=>v[1]))-1,Math.max(...values.map((v)=>v[1]))+1]
const points=values.map(([x,y])=>`${x},${(100 - 100 * (y - low) / (high - low)).toFixed(1)}`)
return h(
"figure",
{class:"years"},
h(
"div",
{class:"plot",role:"img","aria-label":said},
...columns,
values.length > 1 ? s("svg", { viewBox: `0 0 ${width} 100`, preserveAspectRatio: "none" }, s("path", { d: `M${points.join(" L")}` })) : null
),
h(
"div",
{class:"axis","aria-hidden":"true"},
...[.../* @__PURE__ */ new Set([first,Math.round((first+last)/ 2),last])].map((y)=>h("span",null,y))
),
h("figcaption",null,said)
)
}
var folded=(what,content)=>content&&h("details",null,h("summary",null,what),content)
function tree(caption,rows,from,link,draw,columns){
const below=/* @__PURE__ */ new Map()
for(const row of rows)below.set(row.detail.parent,[...below.get(row.detail.parent)??[],row])
const before=(from.fullmoves-1)*2+(from.turn==="black"?1:0)
const places=/* @__PURE__ */ new Map()
const listed=[]
let deepest=0
const list=(parent,pos,play,plies)=>{
for(const row of(below.get(parent)??[]).sort((a,b)=>b.games-a.games)){
deepest=Math.max(deepest,row.detail.ply)
if(row.detail.ply>plies)continue
const move=typed(pos,row.detail.move)
if(!move)continue
const next=step(pos,move)
const way=play?`${play},${next.step.uci}`:next.step.uci
places.set(row,way)
listed.push(row)
list(row.item,next.after,way,plies)
}
}
const place=h("div")
const show=(plies)=>{
listed.length=deepest=0
list("",from,"",plies)
const name=(row)=>{
const text=h("a",{href:link(places.get(row))},`${moveNumber(before + row.detail.ply)} ${row.detail.move}`)
text.style.marginLeft=`${(row.detail.ply - 1) * 0.7}rem`
return text
}
const drawn=table(caption,listed,[
{head:"Move",cell:name,class:"move-name"},
...columns.slice(0,2),
{head:"Results",cell:draw,class:"bar"},
...columns.slice(2)
])
fill(
place,
drawn,
drawn&&deepest>4?button(plies<deepest?"Longer lines":"Shorter lines",()=>show(plies<deepest?99:4),{class:"plain"}):null
)
}
show(4)
return place
}
function after(from,play){
const pos=from.clone()
for(const uci of play){
const move=legal(pos,uci)
if(!move)return void 0
pos.play(move)
}
return pos
}
var Report=class{
/** `questions` are those about one or two subjects: the path and all parameters but the sections. */
constructor(groups3,questions,came=()=>{
}){
this.groups=groups3
this.questions=questions
this.came=came
this.parts=groups3.map((group)=>{
const slots=questions.map(({name})=>h("div",{class:"slot","data-name":name}))
const head=h("div",{class:"group-head"},h("h2",null,group.title))
return{
section:h("section",{"aria-label":group.title,hidden:true},head,h("div",{class:"pair"},...slots)),
head,
slots
}
})
fill(this.node,this.progress,...this.parts.map((part)=>part.section))
}
groups
questions
came
node=h("div",{class:"report"})
progress=h("div",{class:"progress",role:"status"})
latest=new Latest()
parts
run(at=0){
const{groups:groups3,questions}=this
const group=groups3[at]
if(!group){
fill(this.progress)
return
}
fill(
this.progress,
`Part ${at + 1} of ${groups3.length}: ${group.title}`,
h("progress",{max:groups3.length,value:at,"aria-label":"Report"}),
button("Cancel",()=>{
this.latest.stop()
fill(
this.progress,
"Cancelled.",
button("Go on",()=>this.run(at))
)
})
)
void this.latest.run(
async(signal)=>{
const answers=[]
for(const{path,params}of questions){
const asked=withParams(params,{sections:group.sections,count:String(group.count??12)})
answers.push(await get(url(path,asked),signal))
}
return answers
},
(answers)=>{
this.draw(at,answers)
this.run(at+1)
},
(error)=>{
const failed=failure(error,()=>this.run(at))
if(error.status===504){
const{section,slots}=this.parts[at]
section.hidden=false
fill(slots[0],failed)
this.run(at+1)
}else fill(this.progress,failed)
}
)
}
draw(at,answers){
const{section,head,slots}=this.parts[at]
answers.forEach((answer,subject)=>{
this.came(answer,subject,at)
const of=(name2)=>answer.rows.filter((row)=>row.section===name2)
const{name}=this.questions[subject]
const drawn=this.groups[at].draw(of,subject).filter(Boolean)
fill(slots[subject],name&&h("h3",null,name),...drawn.length?drawn:[h("p",{class:"quiet"},"Nothing.")])
if(drawn.length)section.hidden=false
})
fill(head,h("h2",null,this.groups[at].title),sqlLink(answers.map((answer)=>answer.sql).join("\n\n")))
}
stop(){
this.latest.stop()
}
}
function markdown(view){
const text = (node) => (node?.textContent ?? "").replace(/[\s\u202f\u2009]+/g, " ").replace(/([\\|*_`<[])/g, "\\$1").trim();
const cell=(node)=>{
const picture=node.querySelector("[role=img]")
return picture?picture.getAttribute("aria-label"):text(node)
}
const lines2=[]
for(const node of view.querySelectorAll("h1, h2, h3, dl.summary > div, figcaption, .says, table")){
if(node.closest("[hidden]"))continue
if(node instanceof HTMLTableElement){
const rows=[...node.rows].map((row)=>`| ${[...row.cells].map(cell).join(" | ")} |`)
rows.splice(1,0,`|${" --- |".repeat(node.rows[0].cells.length)}`)
lines2.push(...node.caption?[`**${text(node.caption)}**`]:[],rows.join("\n"))
}else if(node.localName==="div")lines2.push(`- ${text(node.firstElementChild)}: ${text(node.lastElementChild)}`)
else lines2.push(`${/^h/.test(node.localName) ? `${"#".repeat(Number(node.localName[1]))} ` : ""}${text(node)}`);
}
return `${lines2.join("\n\n").replace(/^(- .*)\n\n(?=- )/gm, "$1\n")}
`;
}
var paper=(view)=>[
button("Print",()=>print()),
button("Markdown",()=>copy(markdown(view()),"Markdown"),{title:"Copy the report as Markdown"})
];

var RESULTS={head:"White · draw · Black",cell:resultBar,class:"bar"}
function groups(pos,link,list,fen){
const figures2=[GAMES,RESULTS,SCORE,BEYOND]
const named=(head,cell)=>({head,cell})
const player=named(
"Player",
(row)=>row.item==="?"?row.item:h("a",{href:pageOf("player",row.item)},row.item)
)
const simple=(caption,head,rows)=>table(caption,rows,[named(head,(row)=>range(row.item)),...figures2])
return[
{
title:"Results",
sections:"summary,year,rating,speed",
draw:(of)=>{
const[all]=of("summary")
if(!all?.games)return[]
const d=all.detail
const played=of("year").filter((row)=>row.games&&row.item!=="unknown")
const most=Math.max(...played.map((row)=>row.detail.share))
return[
facts(
[
"Games",
[
h("a",{href:list({})},count(all.games)),
d.share<1&&`, ${d.share < 0.01 ? (100 * d.share).toFixed(2) : percent(d.share)} % of ${count(d.all_games)}`
]
],
...scores("White scores",all,[all.white,all.draws,all.black]),
[
"Mean ratings",
d.white_rating&&d.black_rating&&`${Math.round(d.white_rating)} and ${Math.round(d.black_rating)}`
],
["First game",d.first&&date(d.first)],
["Last game",d.last&&date(d.last)]
),
resultBar(all),
years(
played,
(row)=>[0,row.detail.share],
()=>null,
`Share of all games by year, at most ${(100 * most).toFixed(1)} %.`
),
folded(
"Figures by year",
table(
"By year",
of("year").filter((row)=>row.games),
[
named(
"Year",
(row)=>row.item==="unknown"?row.item:h("a",{href:list({since:row.item,until:row.item})},row.item)
),
...figures2,
{...SHARE,title:"Percent of all games of the year",cell:(row)=>(100*row.detail.share).toFixed(1)}
]
)
),
simple("By mean rating","Rating",known(of("rating"))),
simple("By speed","Speed",known(of("speed")))
]
}
},
{
title:"Continuations",
sections:"line",
draw:(of)=>of("line").length?[tree("Lines",of("line"),pos,link,resultBar,[GAMES,SHARE,SCORE,BEYOND,LAST])]:[]
},
{
title:"Players",
sections:"white_player,black_player",
draw:(of)=>[
table("With White",of("white_player"),[player,...figures2,PERFORMANCE,LAST]),
table("With Black",of("black_player"),[player,...figures2,PERFORMANCE,LAST])
]
},
{
title:"Model games",
sections:"best_rated,newest,annotated,shortest_white_win,shortest_black_win",
count:5,
draw:(of)=>[
["best_rated","Highest rated"],
["newest","Newest"],
["annotated","With comments"],
["shortest_white_win","Shortest wins of White"],
["shortest_black_win","Shortest wins of Black"]
].map(([section,label])=>of(section).length>0&&modelGames(label,of(section),fen))
},
{
title:"What becomes of it",
sections:"length,ending,material,theme",
draw:(of)=>[
table("Length in moves",of("length"),[
named("Result",(row)=>row.item),
GAMES,
{head:"Mean",cell:(row)=>Math.round(row.detail.moves)},
{head:"Shortest",cell:(row)=>row.detail.shortest},
{head:"Longest",cell:(row)=>row.detail.longest}
]),
simple("In the first 20 moves","Event",of("theme")),
simple("Pieces left at the end","Pieces",of("material")),
simple("Ended by","Ending",of("ending"))
]
},
{
title:"Move orders",
sections:"move_order",
draw:(of)=>[
table(
"Ways to this position",
of("move_order").filter((row)=>row.item),
[{...named("Moves",(row)=>row.item),class:"line-name"},GAMES,SHARE,RESULTS,SCORE]
)
]
},
{
title:"New in the last year",
sections:"novelty",
draw:(of)=>[
table("Novelties",of("novelty"),[
{...named("Line",(row)=>h("a",{href:`/game/${row.detail.game_id}`},row.item)),class:"line-name"},
{head:"Before",title:"Games with the position before the new move",cell:(row)=>count(row.detail.known)},
...figures2
])
]
}
]
}
function modelGames(label,rows,fen){
const game=({detail})=>({
id:detail.game_id,
white:{name:detail.white,rating:detail.white_elo},
black:{name:detail.black,rating:detail.black_elo},
result:detail.result,
date:detail.date,
event:detail.event,
eco:null,
plies:detail.plies,
ply:null,
uci:null
})
return h(
"div",
{class:"its-games"},
h("h3",null,label),
gameTable(rows.map(game),label,new URLSearchParams(fen?{fen}:{}))
)
}
var OpeningView=class{
constructor(page){
this.page=page
}
page
head=h("div",{class:"panel-head"})
body=h("div")
node=h("div",{class:"view opening-view"},this.head,this.body)
report
pos=initial()
play_=[]
asked=""
update(at){
this.page.strip()
const name=at.path[1]
if(name){
this.find(name,at.params)
return
}
const fen=at.params.get("fen")
const play=(at.params.get("play")??"").split(",").filter(Boolean)
const start=fen?readFen(fen).pos:initial()
const pos=start&&after(start,play)
this.page.title("Opening")
if(!pos){
this.asked=""
fill(this.head,h("h1",null,"Invalid position"))
fill(this.body,note(h("p",null,h("a",{href:"/opening"},"To the start position"))))
return
}
this.pos=pos
this.play_=play
this.page.board.show({pos,last:play.at(-1),played:(move)=>this.play(move),shapes:[]})
const filters=without(only(at.params,FILTERS),OF_LISTS)
const position=withParams(new URLSearchParams(),{fen,play:play.join(",")})
const asked=`${position}&${filters}`
if(this.page.status&&!this.page.status.games){
this.report?.stop()
this.asked=""
fill(this.head,h("h1",null,"Opening"))
fill(this.body,emptyDatabase(this.page.status))
return
}
if(asked===this.asked)return
this.asked=asked
this.report?.stop()
const params=new URLSearchParams([...position,...filters])
const heading=h("h1",null,"Opening")
fill(
this.head,
heading,
filterBar(),
h(
"div",
{class:"actions"},
h("a",{class:"button",href:url("/",params)},"Explorer"),
h("a",{class:"button",href:url("/games",params)},"Games"),
...paper(()=>this.node)
)
)
const further=(line2)=>url("/opening",withParams(params,{play:[...play,line2].join(",")}))
const games2=(more)=>url("/games",withParams(params,more))
const isStart=fenOf(pos)===INITIAL_FEN
this.report=new Report(
groups(pos,further,games2,isStart?"":fenOf(pos)),
[{path:"/api/reports/opening",params}],
(answer,_,group)=>{
if(group)return
const{opening}=answer
fill(
heading,
opening&&[h("span",{class:"eco"},opening.eco)," "],
opening?.name??(isStart?"Start position":"Unnamed position")
)
this.page.title(opening?.name??"Opening")
if(answer.rows.some((row)=>row.section==="summary"&&!row.games)){
this.report.stop()
fill(this.body,note(h("h2",null,"No games here"),h("p",null,"Take back a move, or remove a filter.")))
}
}
)
fill(this.body,this.report.node)
this.report.run()
}
/** Goes to the position after the shortest line of a name or a code. */
find(name,params){
const asked=`name ${name}`
this.asked=asked
this.report?.stop()
fill(this.head,h("h1",null,name))
fill(this.body)
lines(name).then(
(openings)=>{
if(this.asked!==asked)return
const found=openings.find((o)=>o.eco===name.toUpperCase()||o.name.toLowerCase()===name.toLowerCase())??openings[0]
if(found)go(url("/opening",withParams(params,{play:found.play})),true)
else
fill(this.body,note(h("p",null,"No opening has this name or code."),h("a",{href:"/openings"},"All openings")))
},
(error)=>fill(
this.body,
failure(error,()=>this.find(name,params))
)
)
}
to(play){
go(url("/opening",withParams(here().params,{play:play.join(",")})))
}
play(move){
this.to([...this.play_,step(this.pos,move).step.uci])
}
step(by){
if(by===-1&&this.play_.length)this.to(this.play_.slice(0,-1))
if(by==="first"&&this.play_.length)this.to([])
}
rows(){
return[...this.node.querySelectorAll(".figures tbody a")].filter((row)=>row.offsetParent)
}
position(){
return this.pos
}
leave(){
this.report?.stop()
}
};

var PATH="/api/reports/player"
var OTHERS=["player","color",...OF_LISTS]
var RESULTS2={head:"Won · drawn · lost",cell:outcomeBar,class:"bar"}
function groups2(list,explore){
const figures2=[GAMES,RESULTS2,SCORE,BEYOND]
const named=(head,cell)=>({head,cell})
const gameLink=(game,text)=>game&&h("a",{href:`/game/${game.id}`},text)
const link=(of,text,more)=>h("a",{href:list(of,more)},text)
const opening=(of,color)=>named("Opening",(row)=>[
row.item==="?"?"without a name":h("a",{href:pageOf("opening",row.item,new URLSearchParams({player:name(of),color}))},row.item),
" ",
h("span",{class:"eco"},row.detail.eco)
])
const colored=(row)=>row.detail.color==="w"?"white":"black"
const name=(of)=>new URL(list(of,{}),location.origin).searchParams.get("player")
return[
{
title:"Results",
sections:"summary,color,year,speed",
draw:(of,subject)=>{
const[all]=of("summary")
if(!all?.games)return[]
const d=all.detail
const rating=d.latest_rating?.rating
const least=Math.min(...of("year").flatMap((row)=>row.detail.rating??[]))
const busiest=Math.max(...of("year").map((row)=>row.games))
return[
facts(
["Games",h("a",{href:list(subject,{})},count(all.games))],
...scores("Score",all,outcomes(all)),
["Performance",d.performance&&`${Math.round(d.performance)} against opponents of ${Math.round(d.opponents)}`],
["Latest rating",rating&&[gameLink(d.latest_rating,rating),d.latest_rating.day&&`, ${d.latest_rating.day}`]],
[
"Highest rating",
d.peak_rating&&[gameLink(d.peak_rating,d.peak_rating.rating),d.peak_rating.day&&`, ${d.peak_rating.day}`]
],
["First game",d.first_game&&gameLink(d.first_game,date(d.first_game.day))],
["Last game",d.last_game&&gameLink(d.last_game,date(d.last_game.day))],
["Titles",d.titles?.join(", ")],
["FIDE id",d.fide_ids?.join(", ")],
["Also written",d.names?.filter((n)=>!d.players.includes(n)).join("; ")]
),
table("By colour",of("color"),[
named(
"Colour",
(row)=>link(subject,row.item==="w"?"White":"Black",{color:row.item==="w"?"white":"black"})
),
...figures2,
PERFORMANCE
]),
years(
of("year"),
outcomes,
(row)=>row.detail.rating,
`Games by year, won, drawn and lost: at most ${count(busiest)} a year.${Number.isFinite(least) ? ` The line is the mean rating, ${Math.round(least)} to ${Math.round(Math.max(...of("year").map((row) => row.detail.rating ?? 0)))}.` : ""}`
),
folded(
"Figures by year",
table("By year",of("year"),[
named(
"Year",
(row)=>row.item==="unknown"?row.item:link(subject,row.item,{since:row.item,until:row.item})
),
...figures2,
{head:"Rating",cell:(row)=>row.detail.rating?Math.round(row.detail.rating):"",class:"share"},
PERFORMANCE
])
),
table("By speed",known(of("speed")),[
named("Speed",(row)=>link(subject,row.item,{tc:row.item})),
...figures2,
PERFORMANCE
])
]
}
},
{
title:"Opponents",
sections:"opponent,opponent_rating,rating_difference",
draw:(of,subject)=>[
table("Met most often",of("opponent"),[
named("Opponent",(row)=>row.item==="?"?row.item:h("a",{href:pageOf("player",row.item)},row.item)),
{
...GAMES,
cell:(row)=>row.item==="?"?count(row.games):h(
"a",
{
href:pageOf("player",name(subject),new URLSearchParams({with:row.item})),
title:`${name(subject)} and ${row.item} side by side`
},
count(row.games)
)
},
RESULTS2,
SCORE,
BEYOND,
LAST
]),
table("By the opponent’s rating",known(of("opponent_rating")),[named("Rating",(row)=>range(row.item)),...figures2]),
table("By the difference of ratings",known(of("rating_difference")),[
named("Own less other",(row)=>range(row.item)),
...figures2
])
]
},
{
title:"Openings",
sections:"white_opening,black_opening,new_opening,given_up_opening",
draw:(of,subject)=>{
const some=(caption,rows)=>table(caption,rows,[
named("Opening",(row)=>[
opening(subject,colored(row)).cell(row),
` as ${row.detail.color === "w" ? "White" : "Black"}`
]),
...figures2,
LAST
])
return[
table("With White",of("white_opening"),[opening(subject,"white"),GAMES,SHARE,RESULTS2,SCORE,BEYOND,LAST]),
table("With Black",of("black_opening"),[opening(subject,"black"),GAMES,SHARE,RESULTS2,SCORE,BEYOND,LAST]),
some("New in the last two years",of("new_opening")),
some("Given up for two years",of("given_up_opening"))
]
}
},
{
title:"Lines",
sections:"white_line,black_line,best_line,worst_line",
draw:(of,subject)=>{
const columns=[GAMES,SHARE,SCORE,BEYOND,LAST]
const extreme=(caption,rows)=>table(caption,rows.slice(0,8),[
{
...named("Line",(row)=>[
row.detail.color==="w"?"White: ":"Black: ",
h("a",{href:explore(subject,colored(row),"",row.detail.board)},row.item)
]),
class:"line-name"
},
GAMES,
RESULTS2,
SCORE,
{
head:"Points",
title:"Points above what the ratings promise, or above the own average",
cell:(row)=>row.detail.surplus.toFixed(1).replace("-","−")
}
])
return[
...["white","black"].map(
(color)=>tree(
`With ${color === "white" ? "White" : "Black"}`,
of(`${color}_line`),
initial(),
(play)=>explore(subject,color,play),
outcomeBar,
columns
)
).filter((_,i)=>of(i?"black_line":"white_line").length),
extreme("Best lines",of("best_line")),
extreme("Worst lines",of("worst_line"))
]
}
},
{
title:"How the games end",
sections:"length,ending,endgame",
draw:(of)=>[
table("Length in moves",of("length"),[
named("Result",(row)=>row.item),
GAMES,
{head:"Mean",cell:(row)=>Math.round(row.detail.moves)},
{head:"Median",cell:(row)=>row.detail.median},
{head:"Shortest",cell:(row)=>row.detail.shortest},
{head:"Longest",cell:(row)=>row.detail.longest}
]),
table("Ended by",of("ending"),[named("Ending",(row)=>row.item),...figures2]),
table("Endgames",of("endgame"),[
named(
"Endgame",
(row)=>({reached:"reached",ahead:"two points ahead",behind:"two points behind"})[row.item]??row.item
),
...figures2
])
]
},
{
title:"Mistakes and time",
sections:"phase,clock",
draw:(of)=>{
const part=(n,of2)=>of2?(100*n / of2).toFixed(1):""
const slips=[
{head:"Moves",cell:(row)=>count(row.detail.moves)},
{head:"Accuracy",cell:(row)=>row.detail.accuracy?.toFixed(1)??""},
{
head:"Inaccuracies",
title:"Percent of the moves",
cell:(row)=>part(row.detail.inaccuracies,row.detail.judged),
class:"share"
},
{head:"Mistakes",title:"Percent of the moves",cell:(row)=>part(row.detail.mistakes,row.detail.judged)},
{head:"Blunders",title:"Percent of the moves",cell:(row)=>part(row.detail.blunders,row.detail.judged)}
]
return[
table("By phase of the game",of("phase"),[named("Phase",(row)=>row.item),...slips]),
table("By the time left",of("clock"),[named("Seconds",(row)=>range(row.item)),...slips])
]
}
}
]
}
var PlayerView=class{
constructor(page){
this.page=page
}
page
head=h("div",{class:"panel-head"})
body=h("div")
node=h("div",{class:"view player-view"},this.head,this.body)
report
asked=""
update(at){
this.page.strip()
this.page.board.show({pos:initial()})
const names=[at.path[1]??"",at.params.get("with")??""].filter(Boolean)
this.page.title(names.join(" and "))
const filters=without(only(at.params,FILTERS),OTHERS)
const asked = `${names.join("\n")}
${filters}`;
if(this.page.status&&!this.page.status.games){
this.report?.stop()
this.asked=""
fill(this.head,h("h1",null,"Player"))
fill(this.body,emptyDatabase(this.page.status))
return
}
if(asked===this.asked)return
this.asked=asked
this.report?.stop()
this.drawHead(names,filters)
if(!names[0]){
fill(this.body,note(h("p",null,"Type a name, in any spelling.")))
return
}
const list=(of,more)=>url("/games",withParams(filters,{player:names[of],...more}))
const explore=(of,color,play,fen)=>url("/",withParams(filters,{player:names[of],color,play,fen}))
const report=new Report(
groups2(list,explore),
names.map((name)=>({
path:PATH,
params:withParams(filters,{player:name}),
name:names.length>1?name:void 0
})),
(answer,subject,group)=>{
const[all]=answer.rows.filter((row)=>row.section==="summary")
if(group||!all||all.games)return
report.stop()
void this.nobody(names,subject,!!all.detail.players)
}
)
this.report=report
const between=h("div")
fill(this.body,between,report.node)
if(names.length>1)void this.between(between,names,filters)
report.run()
}
drawHead(names,filters){
const to=(name,other)=>go(pageOf("player",name,withParams(filters,{with:other})))
const ask=(id,label,done,placeholder)=>{
const field=completed(id,label,"","players",placeholder)
const submit=(event)=>{
event.preventDefault()
const{value}=field.querySelector("input")
if(value.trim())done(value.trim())
}
return h("form",{class:"ask",on:{submit}},field)
}
fill(
this.head,
h(
"h1",
null,
names.length?names.flatMap((name,i)=>[
i?" and ":null,
names.length>1?h("a",{href:pageOf("player",name,filters)},name):name
]):"Player"
),
filterBar(),
h(
"div",
{class:"actions"},
names.length===2?null:ask(
"compare",
names.length?"Compare with":"Name",
(name)=>names.length?to(names[0],name):to(name,null),
"Any spelling"
),
names.length?h("a",{class:"button",href:url("/games",withParams(filters,{player:names.join("|")}))},"Games"):null,
...paper(()=>this.node)
)
)
}
/** Offers other spellings, and goes to the only one. */
async nobody(names,subject,known2){
const asked=names[subject]
const found=(await suggestions("players",asked).catch(()=>[])).filter(({name})=>name!==asked)
if(names.join("\n")!==this.asked.split("\n").slice(0,names.length).join("\n"))return
const{params}=here()
const to=(name)=>subject?pageOf("player",names[0],withParams(params,{with:name})):pageOf("player",name,params)
if(!known2&&found.length===1){
go(to(found[0].name),true)
return
}
fill(
this.body,
note(
h("h2", null, known2 ? `No games of ${asked} pass the filters` : `No player is called ${asked}`),
known2?h("p",null,"Remove a filter."):null,
!known2&&found.length?h(
"ul",
null,
...found.map(({name,games:n})=>h("li",null,h("a",{href:to(name)},name),n?` ${games(n)}`:""))
):null
)
)
}
/** What the two have played against each other. */
async between(place,[one,other],filters){
const asked=this.asked
const rows=await Promise.all(
["white","black"].map(async(color)=>{
const params=withParams(filters,{
player:one,
color,
[color==="white"?"black":"white"]:other,
sections:"summary"
})
return(await get(url(PATH,params))).rows[0]
})
).catch(()=>[])
const met=rows.filter((row)=>row?.games)
if(asked!==this.asked||!rows.length)return
fill(
place,
h("h2",null,"Against each other"),
met.length?table(`Results of ${one}`,met,[
{
head:"Colour",
cell:(row)=>{
const[white,black]=row===rows[0]?[one,other]:[other,one]
return h(
"a",
{href:url("/games",withParams(filters,{white,black}))},
row===rows[0]?"White":"Black"
)
}
},
GAMES,
RESULTS2,
SCORE,
BEYOND,
LAST
]):h("p",{class:"says"},"They have not met.")
)
}
step(){
}
rows(){
return[...this.node.querySelectorAll("tbody a")].filter((row)=>row.offsetParent)
}
position(){
return initial()
}
leave(){
this.report?.stop()
}
};

var KINDS=[
["","Kind: as it looks"],
["all-play-all","All-play-all"],
["swiss","Swiss"],
["knockout","Knockout"],
["match","Match"],
["simultaneous","Simultaneous"]
]
var FEW=200
var half=(n)=>n%1?`${n > 0.5 ? Math.floor(n) : ""}½`:String(n)
var who=(name)=>name&&name!=="?"?h("a",{href:pageOf("player",name)},name):"?"
var days = ({ first, last }) => !first ? "" : !last || first === last ? first : first.endsWith("-01-01") && last === `${first.slice(0, 4)}-12-31` ? first.slice(0, 4) : `${first} to ${last}`;
var TournamentView=class{
constructor(page){
this.page=page
}
page
head=h("div",{class:"panel-head"})
body=h("div")
node=h("div",{class:"view tournament-view"},this.head,this.body)
latest=new Latest()
asked=""
update(at){
this.page.strip()
this.page.board.show({pos:initial()})
const event=at.path[1]??""
const[game,kind]=[at.params.get("game"),at.params.get("kind")]
const question=withParams(new URLSearchParams(),{event,game,kind:game&&kind})
this.page.title(event||"Tournaments")
if(this.page.status&&!this.page.status.games){
this.latest.stop()
this.asked=""
fill(this.head,h("h1",null,"Tournaments"))
fill(this.body,emptyDatabase(this.page.status))
return
}
if(question.toString()===this.asked&&this.body.hasChildNodes())return
this.asked=question.toString()
fill(this.head,h("h1",null,event||"Tournaments"),event?null:this.search())
fill(this.body)
if(game)this.askTable(event,question)
else if(event)this.askList(event,question)
}
search(){
const field=completed("tournament","Name of the event","","events")
const submit=(submitted)=>{
submitted.preventDefault()
const name=field.querySelector("input").value.trim()
if(name)go(pageOf("tournament",name))
}
return h("form",{class:"ask",on:{submit}},field)
}
ask(path,params,done){
const again=()=>this.ask(path,params,done)
const late=setTimeout(()=>waiting(this.body,()=>this.latest.stop(),again),LATE)
void this.latest.run(
(signal)=>get(url(path,params),signal),
done,
(error)=>fill(this.body,failure(error,again))
).finally(()=>clearTimeout(late))
}
askList(event,params){
this.ask("/api/tournaments",params,({tournaments,sql})=>{
const at=(t)=>pageOf("tournament",event,new URLSearchParams({game:t.game}))
if(tournaments.length===1){
go(at(tournaments[0]),true)
return
}
const all=h("a",{href:url("/games",new URLSearchParams({event}))},"Games of this event")
const place=(t)=>h("a",{href:at(t)},[t.section,t.site].filter(Boolean).join(" · ")||event)
const table2=figures(
"Tournaments",
["Place","Days","Players","Games"],
tournaments.map((t)=>[place(t),days(t),count(t.players),count(t.games)])
)
fill(
this.body,
tournaments.length?table2:note(h("p",null,"No games of an event of this name belong to a tournament.")),
h("p",{class:"foot"},all,sqlLink(sql))
)
})
}
askTable(event,params){
this.ask("/api/crosstable",params,(answer)=>{
const{tournament:t,kind,players}=answer
const select=h(
"select",
{
"aria-label":"Kind of tournament",
on:{change:()=>go(url(location.pathname,withParams(here().params,{kind:select.value})))}
},
...KINDS.map(([value,text])=>h("option",{value,selected:value===(here().params.get("kind")??"")},text))
)
const list=withParams(new URLSearchParams(),{event,site:t.site,since:t.first,until:t.last})
fill(
this.head,
h("h1",null,t.event),
h(
"p",
{class:"facts says"},
[t.section,t.site,days(t),`${count(t.players)} players`,games(t.games),kind].filter(Boolean).join(" · ")
),
h(
"div",
{class:"actions"},
select,
h("a",{class:"button",href:url("/games",list)},"As a list"),
h("a",{class:"button",href:pageOf("tournament",t.event),title:"Other years and places"},"Other times"),
...paper(()=>this.node),
sqlLink(answer.sql)
)
)
fill(this.body,crosstable(players,kind??""),h("h2",null,"Games"),gamesOf(players))
})
}
step(){
}
rows(){
return[...this.node.querySelectorAll('tbody :is(th, td:first-child) a, .names a[href^="/game/"]')]
}
position(){
return initial()
}
leave(){
this.latest.stop()
}
}
var figures=(caption,heads,rows)=>h(
"table",
{class:"figures names"},
h("caption",{class:"unseen"},caption),
h("thead",null,h("tr",null,...heads.map((text)=>h("th",{scope:"col"},text)))),
h("tbody",null,...rows.map((row)=>h("tr",null,...row.map((cell)=>h("td",null,cell)))))
)
function crosstable(players,kind){
const square=kind==="all-play-all"
const tie=(pick)=>players.some((line2)=>pick(line2)!==null)
const ties=[
["Buch","Buchholz",(line2)=>line2.buchholz],
["S-B","Sonneborn–Berger",(line2)=>line2.sonnebornBerger],
["Perf","Performance rating",(line2)=>line2.performance]
]
const shown=ties.filter(([,,pick])=>tie(pick))
const columns=Math.max(...players.map((line2)=>line2.results.length))
const cell=(line2,at)=>{
const text=line2.results[at]??""
if(square)return text==="x"?[h("i",{class:"self"})]:signs(line2,text,at+1)
return text.split(" ").flatMap((part,i)=>{
const[,place,color,results]=/^(\d*)([wb]?):?(.*)$/.exec(part)
const other=players[Number(place)-1]
return[
i?" ":null,
h(
"span",
{title:other?.name},
...signs(line2,results,Number(place)||null,color),
place?h("small",null,`${color}${place}`):null
)
]
})
}
return h(
"div",
{class:"scroll-x",tabindex:"0",role:"region","aria-label":"Crosstable"},
h(
"table",
{class:`figures crosstable${square ? " square" : ""}`},
h("caption",{class:"unseen"},"Crosstable"),
h(
"thead",
null,
h(
"tr",
null,
h("th",{scope:"col"},"#"),
h("th",{scope:"col",class:"left"},"Player"),
h("th",{scope:"col",class:"share"},"Rating"),
h("th",{scope:"col"},"Points"),
...Array.from({length:columns},(_,i)=>h("th",{scope:"col",class:"cell"},i+1)),
...shown.map(([short,long])=>h("th",{scope:"col",title:long},short))
)
),
h(
"tbody",
null,
...players.map((line2,at)=>{
const left=[...line2.games]
return h(
"tr",
null,
h(
"td",
{title:`Rank ${line2.rank}`},
at&&players[at-1].rank===line2.rank?h("span",{class:"quiet"},at+1):at+1
),
h("th",{scope:"row"},who(line2.name)),
h("td",{class:"share"},line2.rating??""),
h("td",null,h("b",null,half(line2.points)),h("span",{class:"quiet"},`/${line2.played}`)),
...Array.from({length:columns},(_,i)=>h("td",{class:"cell"},...cell({...line2,games:left},i))),
...shown.map(
([,,pick])=>h("td",null,pick(line2)===null?"":pick(line2)%1?pick(line2).toFixed(2):String(pick(line2)))
)
)
})
)
)
)
}
function signs(line2,text,place,color=""){
return[...text].map((sign)=>{
const at=line2.games.findIndex((seat2)=>seat2.place===place&&(!color||seat2.color===color))
const[seat]=at<0?[]:line2.games.splice(at,1)
return seat?h("a",{href:`/game/${seat.game}`},sign):sign
})
}
function gamesOf(players){
const all=players.flatMap(
(line2,at)=>line2.games.filter((seat)=>seat.color==="w"||seat.place===null).map((seat)=>{
const two=[at+1,seat.place]
return{seat,names:seat.color==="w"?two:two.reverse()}
})
)
const order=new Intl.Collator("en",{numeric:true})
const key=({seat})=>`${seat.round ?? ""} ${seat.date ?? ""}`
all.sort((a,b)=>order.compare(key(a),key(b)))
const name=(place2)=>place2?who(players[place2-1].name):"–"
const rounds=all.some(({seat})=>seat.round&&seat.round!=="?")
const place=h("div")
const show=(listed)=>fill(
place,
figures(
"Games",
[...rounds?["Round"]:[],"White","Result","Black","Date"],
listed.map(({seat,names:[white,black]})=>[
...rounds?[seat.round==="?"?"":seat.round]:[],
name(white),
h("a",{href:`/game/${seat.game}`},result(score(seat))),
name(black),
date(seat.date)
])
),
listed.length<all.length?button(`All ${count(all.length)} games`,()=>show(all)):null
)
show(all.slice(0,FEW))
return place
}
var score=({score:score2,color})=>score2===null?"*":score2===0.5?"1/2-1/2":score2===1===(color==="w")?"1-0":"0-1";

var VIEWS={openings:OpeningsView,opening:OpeningView,player:PlayerView,tournament:TournamentView}
export{
VIEWS
};
