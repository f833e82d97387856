/*! A part of app.js, GPL-3.0-or-later */
import{
ApiError,
Latest,
button,
count,
date,
failure,
fill,
forget,
fresh,
go,
h,
iconButton,
initial,
note,
openDialog,
say,
send,
takes
}from"./app.js";

var games=(n)=>n===1?"1 game":`${count(n)} games`
var outcome=({stored,incomplete,rejected,known})=>[
`${games(stored)} added`,
incomplete&&`${count(incomplete)} of them incomplete`,
known&&`${count(known)} known already`,
rejected&&`${count(rejected)} rejected`
].filter(Boolean).join(", ")
var waiting=[]
var sending
var refused=[]
var drawn=()=>{
}
function add(files){
for(const file of files)waiting.push({file,name:file.name})
next()
go("/add")
}
function next(){
if(sending||!waiting.length)return
const{file,name}=waiting.shift()
const end=(why)=>{
if(why)refused.push({name,why})
sending=void 0
drawn()
next()
}
if(file.size>takes()*2**20){
end(`It has more than ${count(takes())} MiB; chess-pgn load takes files of any size.`)
return
}
const request=new XMLHttpRequest()
sending={name,share:0,request}
request.upload.onprogress=(event)=>{
if(sending)sending.share=event.total?event.loaded / event.total:0
drawn()
}
request.onload=()=>{
const said=JSON.parse(request.responseText||"null")
const why=[said?.error,said?.hint].filter(Boolean).join("; ")
end(request.status<300?void 0:why||`The server reports error ${request.status}.`)
}
request.onerror=()=>end("The connection was lost. Add it again: what is stored already is not stored twice.")
request.onabort=()=>end()
request.open("POST",`/api/uploads?name=${encodeURIComponent(name)}`)
request.setRequestHeader("Content-Type","application/octet-stream")
request.send(file)
drawn()
}
var STAGES={
receiving:"arriving",
waiting:"waits for its turn",
finishing:"games are stored; indexes and counts follow",
removing:"being removed",
cancelled:"cancelled; what was stored until then stays"
}
var AddView=class{
constructor(page){
this.page=page
const choose=h("input",{
id:"files",
type:"file",
multiple:true,
accept:".pgn,.zip,.zst,.gz,.bz2",
on:{change:()=>choose.files?.length&&add(choose.files)}
})
this.node=h(
"div",
{class:"view add"},
h("h1",null,"Add games"),
h(
"div",
{class:"note drop"},
h("label",{for:"files"},"Drop files of games anywhere on this page, or choose them"),
choose,
h(
"p",
{class:"quiet"},
"PGN, also compressed: .pgn, .zip, .zst, .gz, .bz2. Games that the database has already are left out."
),
h(
"div",
{class:"actions"},
button("Paste PGN",()=>paste())
)
),
this.jobs,
this.sources
)
}
page
jobs=h("div",{class:"jobs","aria-live":"polite"})
sources=h("div")
listing=new Latest()
asking=new Latest()
timer
uploads=[]
open=0
node
update(){
this.page.title("Add games")
this.page.strip()
this.page.board.show({pos:initial()})
if(this.page.status&&!takes()){
fill(this.node,note(h("h1",null,"This server takes no games"),h("p",null,"chess-web --upload allows it.")))
return
}
drawn=()=>{
this.draw()
this.ask()
}
this.ask()
this.list()
}
/** Asks how far the jobs are, again as long as one is under way. */
ask(){
clearTimeout(this.timer)
void this.asking.run(
(signal)=>fresh("/api/uploads",signal),
({uploads})=>{
this.uploads=uploads
const open=uploads.filter((job2)=>!["done","failed","cancelled"].includes(job2.stage)).length
if(open<this.open){
forget()
void this.page.renew()
}
this.open=open
this.draw()
if(open||sending)this.timer=setTimeout(()=>this.ask(),700)
},
(error)=>fill(
this.jobs,
failure(error,()=>this.ask())
)
)
}
draw(){
const cancel=(name,work)=>iconButton("close",`Cancel ${name}`,work)
fill(
this.jobs,
sending?job(
sending.name,
bar(sending.share,`Sending ${sending.name}`),
`sent ${Math.round(100 * sending.share)} %`,
cancel(sending.name,()=>sending?.request.abort())
):null,
...waiting.map(
({name},at)=>job(
name,
"will be sent next",
cancel(name,()=>{
waiting.splice(at,1)
this.draw()
})
)
),
...refused.map(
({name,why})=>job(
name,
h("span",{class:"error"},why),
iconButton("close",`Forget ${name}`,()=>{
refused=refused.filter((other)=>other.name!==name)
this.draw()
})
)
),
...this.uploads.filter((job2)=>job2.stage!=="receiving"||!sending).map((upload)=>this.upload(upload))
)
}
upload(upload){
const{id,name,stage,sources,errors,error,removable}=upload
const ended=["done","failed","cancelled"].includes(stage)
const shown=stage==="loading"?`${outcome(upload)} so far`:stage==="done"?outcome(upload):STAGES[stage]??""
return job(
name,
stage==="loading"?bar(upload.read / Math.max(1,upload.bytes),`Loading ${name}`):null,
h("span",null,stage==="done"&&!sources.length&&!upload.stored?errors.length?"nothing added":"done":shown),
error||errors.length?h(
"span",
{class:"error"},
error?`${error[0].toUpperCase()}${error.slice(1)}. Add the file again to go on: nothing is stored twice.`:errors.join(" · ")
):null,
stage==="done"&&upload.rejected+upload.incomplete?button("Show them",()=>showRejected(name,sources),{class:"plain","aria-label":`Rejected games of ${name}`}):null,
removable?iconButton(
"close",
`${ended ? "Forget" : "Cancel"} ${name}`,
()=>send("DELETE",`/api/uploads/${id}`).then(
()=>this.ask(),
(failed)=>say(failed.message)
)
):null
)
}
list(){
if(!this.page.status||this.page.status.error)return
void this.listing.run(
(signal)=>fresh("/api/sources",signal),
({sources})=>fill(
this.sources,
h("h2",null,"Files in the database"),
sources.length?null:h("p",{class:"quiet"},"None yet. Drop one on this page."),
h("ul",{class:"cards"},...sources.map((source)=>this.source(source)))
),
(error)=>fill(
this.sources,
failure(error,()=>this.list())
)
)
}
source(source){
const{id,name,removable}=source
const facts=[games(source.stored),date(source.seen.slice(0,10)),source.finished?"":"not loaded to its end"]
return h(
"li",
null,
h("span",{class:"file"},name.split("/").pop()),
h("span",{class:"quiet"},facts.filter(Boolean).join(" · ")),
source.rejected+source.incomplete?button(`${count(source.rejected + source.incomplete)} rejected or incomplete`,()=>showRejected(name,[id]),{
class:"plain"
}):null,
removable?iconButton("trash",`Remove ${name}`,()=>{
if(!confirm(`Remove ${games(source.stored)} of “${name}” from the database, for everybody?`))return
send("DELETE",`/api/sources/${id}`).then(
()=>this.ask(),
(failed)=>say(failed.message)
)
}):null
)
}
step(){
}
position(){
return initial()
}
leave(){
clearTimeout(this.timer)
this.asking.stop()
this.listing.stop()
drawn=()=>{
}
}
}
var job=(name,...children)=>h("div",{class:"job",role:"group","aria-label":name},h("strong",null,name),...children)
var bar=(share,label)=>h("progress",{max:"1",value:Math.min(1,share),"aria-label":label})
async function showRejected(name,sources){
const box=h("div",{class:"rejected"},"Looking…")
openDialog(`What could not be read in ${name}`,{class:"wide"},box)
try{
const answers=await Promise.all(sources.map((source)=>fresh(`/api/sources/${source}/rejected`)))
fill(
box,
...answers.flatMap((answer)=>answer.rejected).map(
(game)=>h(
"details",
null,
h("summary",null,`Game ${count(game.number)}, line ${count(game.line)}: ${game.reason}`),
game.game?h("a",{href:`/game/${game.game}`},"What could be read of it"):null,
h("pre",{tabindex:"0"},game.text)
)
)
)
}catch(error){
fill(box,h("p",{class:"error"},error instanceof ApiError?error.message:String(error)))
}
}
function paste(text=""){
const area=h("textarea",{class:"code",rows:"14","aria-label":"PGN",value:text})
const dialog=openDialog(
"Paste games",
{class:"wide"},
area,
h(
"div",
{class:"actions"},
button(
"Add to the database",
()=>{
if(!area.value.trim())return
dialog.close()
const now=/* @__PURE__ */ new Date()
const pad=(n)=>String(n).padStart(2,"0")
const name=`pasted ${now.getFullYear()}-${pad(now.getMonth() + 1)}-${pad(now.getDate())} ${pad(now.getHours())}.${pad(now.getMinutes())}.pgn`
add([new File([area.value.trimEnd(),"\n"],name)])
},
{class:"primary"}
)
)
)
area.focus()
}
var VIEWS={add:AddView}
export{
AddView,
VIEWS,
add,
outcome,
paste
};
