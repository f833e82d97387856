/*! A part of app.js, GPL-3.0-or-later */
import{
INITIAL_FEN,
Latest,
Moves,
Saver,
Tree,
button,
count,
download,
epd,
failure,
fill,
foreign,
get,
go,
h,
here,
iconButton,
initial,
legal,
note,
notebooks,
readFen,
uciOf,
url,
withParams,
writePgn
}from"./app.js";

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
"A notebook is a tree of positions with your notes, such as a repertoire. It is kept in the database."
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
void notebooks.remove(book.id).then(()=>this.load())
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
var NotebookView=class{
constructor(page){
this.page=page
}
page
head=h("div",{class:"panel-head"})
side=h("div",{class:"node-side"})
moves=new Moves((node)=>this.to(node))
node=h("div",{class:"view notebook"},this.head,this.side,this.moves.node)
latest=new Latest()
asking=new Latest()
state=h("span",{class:"saving",role:"status"})
saver=new Saver((state,message)=>this.state.textContent=state==="failed"?`not saved: ${message}`:state)
id=""
book
tree
stored=/* @__PURE__ */ new Map()
byId=/* @__PURE__ */ new Map()
current
left=false
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
this.book=book
this.build(book)
const at=here()
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
build(book){
const root=book.nodes.find((n)=>n.parent===null)
const tree=new Tree(root&&readFen(root.fen).pos||initial())
this.tree=tree
this.stored.clear()
this.byId.clear()
if(root)this.remember(tree.root,root)
for(const stored of book.nodes){
if(stored===root)continue
const parent=this.byId.get(stored.parent)
const move=parent&&stored.uci?legal(tree.position(parent),stored.uci):void 0
if(parent&&move)this.remember(tree.play(parent,move),stored)
}
}
remember(node,stored){
this.stored.set(node,stored)
this.byId.set(stored.id,node)
node.after=stored.note
node.nags=stored.glyph?[stored.glyph]:[]
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
this.page.board.show({pos:tree.position(node),last:node.uci,played:(move)=>this.play(move)})
fill(
this.head,
h(
"div",
{class:"opening"},
h("h1",null,this.book.name),
h("span",{class:"total"},`${count(tree.nodes.length - 1)} moves`)
),
h("p",{class:"quiet"},h("a",{href:"/notebooks"},"All notebooks")," · play a move on the board to add it")
)
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
()=>notebooks.write(this.id,stored.id,{glyph:node.nags[0]??null,note:area.value})
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
button("Download",()=>download(`${this.book.name}.pgn`,this.pgn()),{
title:"The notebook as PGN, with its notes"
}),
node.parent?button("Delete from here",()=>this.cut(node),{class:"plain"}):null,
this.state
),
played
)
this.moves.draw(tree,node)
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
node.nags=glyph?[glyph]:[]
const stored=this.stored.get(node)
if(stored)this.saver.later(stored,()=>notebooks.write(this.id,stored.id,{glyph,note:node.after}))
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
this.remember(node,{
...made,
parent:stored.id,
uci,
fen:node.fen,
note:made.note??"",
glyph:made.glyph??null
})
if(!this.left)this.to(node)
},
(error)=>{
if(this.left)return
this.place(parent)
this.side.prepend(failure(error,()=>this.play(move)))
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
this.to(parent)
},
(error)=>this.side.prepend(failure(error,()=>this.cut(node)))
)
}
step(by){
if(!this.current)return
let to=this.current
if(by===-1)to=to.parent
else if(by===1)to=to.children[0]
else if(by==="first")to=this.tree.root
else while(to.children.length)to=to.children[0]
if(to&&to!==this.current)this.to(to)
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
}
}
var VIEWS={notebooks:NotebooksView,n:NotebookView}
export{
NotebookView,
NotebooksView,
VIEWS
};
