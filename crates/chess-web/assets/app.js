/*! The page of chess-web, GPL-3.0-or-later; its sources are in crates/chess-web/ui. It contains
@lichess-org/chessground 10.4.1, GPL-3.0-or-later, https://github.com/lichess-org/chessground
chessops 0.15.1, GPL-3.0-or-later, https://github.com/niklasf/chessops
@badrap/result 0.3.1:

MIT License

Copyright (c) 2018 Badrap Oy

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
*/
// address.ts
var FILTERS=[
"player",
"color",
"white",
"black",
"rating",
"since",
"until",
"result",
"event",
"tc",
"evals",
"annotated",
"whiteRating",
"blackRating",
"difference",
"length",
"site",
"eco",
"opening"
]
var CRITERIA=["fen","play","pieces","exact","material","pattern"]
var CONTENTS=["material","pattern"]
var OF_LISTS=[...FILTERS.slice(FILTERS.indexOf("annotated")),...CONTENTS]
function here(){
let parts
try{
parts=location.pathname.split("/").filter(Boolean).map(decodeURIComponent)
}catch{
parts=["?"]
}
return{path:parts,params:new URLSearchParams(location.search),hash:location.hash.slice(1)}
}
function only(params,names){
const kept=new URLSearchParams()
for(const name2 of names){
const value=params.get(name2)
if(value&&(name2!=="color"||params.get("player")))kept.set(name2,value)
}
return kept
}
function without(params,names){
const kept=new URLSearchParams(params)
for(const name2 of names)kept.delete(name2)
return kept
}
function withParams(params,changes){
const changed=new URLSearchParams(params)
for(const[name2,value]of Object.entries(changes)){
if(value)changed.set(name2,value)
else changed.delete(name2)
}
return changed
}
function url(path,params=new URLSearchParams(),hash2=""){
const query=params.toString().replace(/%2C/g,",").replace(/%2F/g,"/").replace(/%3A/g,":")
return path + (query ? `?${query}` : "") + (hash2 ? `#${hash2}` : "");
}
var pageOf=(kind2,name2,params)=>url(`/${kind2}/${encodeURIComponent(name2)}`,params)
var router=()=>{
}
var onNavigate=(route2)=>{
router=route2
}
function go(to,replace=false){
if(to===location.pathname+location.search+location.hash)replace=true
if(replace)history.replaceState(null,"",to)
else history.pushState(null,"",to)
router()
}

var server={}
var keeps=()=>server.status?.features?.sessions!==false
var takes=()=>server.status?.features?.upload??0
var ApiError=class extends Error{
constructor(status,message,at2,hint){
super(message)
this.status=status
this.at=at2
this.hint=hint
}
status
at
hint
}
var working=0
var timer
function begin(){
if(working++===0)timer=setTimeout(()=>document.documentElement.classList.add("working"),150)
}
function end(){
if(--working===0){
clearTimeout(timer)
document.documentElement.classList.remove("working")
}
}
async function busy(work){
begin()
try{
return await work
}finally{
end()
}
}
async function ask(path,init={}){
begin()
try{
let response
try{
response=await fetch(path,{
credentials:"same-origin",
...init,
headers:{Accept:"application/json",...init.headers}
})
}catch(error){
if(error.name==="AbortError")throw error
throw new ApiError(0,"The server does not answer.")
}
const text=await response.text()
let body=null
try{
body=text?JSON.parse(text):null
}catch{
body=null
}
if(!response.ok){
const said2=body?.error??(text.length<300&&text.trim()?text.trim():`The server reports error ${response.status}.`)
throw new ApiError(response.status,String(said2),body?.at,body?.hint)
}
return body
}finally{
end()
}
}
var recent=/* @__PURE__ */ new Map()
async function get(path,signal){
const known=recent.get(path)
if(known&&Date.now()-known.at<12e4)return known.answer
const answer=await ask(path,{signal})
recent.delete(path)
recent.set(path,{at:Date.now(),answer})
if(recent.size>200)recent.delete(recent.keys().next().value)
return answer
}
var forget=()=>recent.clear()
var fresh=(path,signal)=>ask(path,{signal})
var send=(method,path,body)=>ask(
path,
body===void 0?{method}:{
method,
headers:{"Content-Type":"application/json"},
body:JSON.stringify(body),
keepalive:JSON.stringify(body).length<2e4
}
)
var Latest=class{
controller
async run(work,done,failed){
this.controller?.abort()
const controller=new AbortController()
this.controller=controller
try{
const answer=await work(controller.signal)
if(!controller.signal.aborted)done(answer)
}catch(error){
if(controller.signal.aborted||error.name==="AbortError")return
failed(error instanceof ApiError?error:new ApiError(0,error.message))
}
}
stop(){
this.controller?.abort()
}
};

var AS_PROPERTY=/* @__PURE__ */ new Set(["value","checked","disabled","hidden","selected","open","indeterminate"])
function set(element,props){
for(const[name2,value]of Object.entries(props??{})){
if(value===void 0||value===null||value===false)continue
if(name2==="on"){
for(const[event,handler]of Object.entries(value))element.addEventListener(event,handler)
}else if(AS_PROPERTY.has(name2)){
Object.assign(element,{[name2]:value})
}else if(/^(on|style$|srcdoc$|src$)/.test(name2)){
throw new Error(`${name2} cannot be set`)
}else{
if(name2==="href"&&!/^(\/(?!\/)|#)/.test(String(value)))throw new Error("a link must be within the site")
element.setAttribute(name2,value===true?"":String(value))
}
}
}
function append(element,children){
for(const child of children){
if(child===null||child===void 0||child===false)continue
if(Array.isArray(child))append(element,child)
else element.append(child instanceof Node?child:document.createTextNode(String(child)))
}
}
function h(tag,props,...children){
const element=document.createElement(tag)
set(element,props)
append(element,children)
return element
}
function s(tag,props,...children){
const element=document.createElementNS("http://www.w3.org/2000/svg",tag)
set(element,props)
append(element,children)
return element
}
function fill(element,...children){
element.replaceChildren()
append(element,children)
}
var PATHS={
flip:"M7 4v13m0 0-3.5-3.5M7 17l3.5-3.5M17 20V7m0 0-3.5 3.5M17 7l3.5 3.5",
first:"M6 5v14M19 5l-9 7 9 7",
back:"M15 5l-8 7 8 7",
forward:"M9 5l8 7-8 7",
last:"M18 5v14M5 5l9 7-9 7",
theme:"M12 3a9 9 0 1 0 9 9c-5 2-11-3-9-9z",
help:"M8.5 9a3.5 3.5 0 1 1 5 3.2c-1 .5-1.5 1.2-1.5 2.3M12 18.5v.01",
close:"M6 6l12 12M18 6L6 18",
plus:"M12 5v14M5 12h14",
trash:"M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13",
up:"M12 19V5m0 0-6 6m6-6 6 6",
menu:"M4 6h16M4 12h16M4 18h16"
}
function icon(name2){
return s("svg",{viewBox:"0 0 24 24",class:"icon","aria-hidden":"true"},s("path",{d:PATHS[name2]}))
}
function iconButton(name2,label2,click,props={}){
return h(
"button",
{type:"button",class:"icon-button","aria-label":label2,title:label2,on:{click},...props},
icon(name2)
)
}
function button(label2,click,props={}){
return h("button",{type:"button",on:{click},...props},label2)
}
var said
var hiding
function say(text){
const line=said??h("div",{class:"said",role:"status"})
if(!said)document.body.append(line)
said=line
line.textContent=text
line.classList.add("shown")
clearTimeout(hiding)
hiding=setTimeout(()=>line.classList.remove("shown"),2500)
}
async function copy(text,what){
try{
await navigator.clipboard.writeText(text)
say(`${what} copied`)
}catch{
showText(what,text)
}
}
function download(name2,text){
const link=document.createElement("a")
link.href=URL.createObjectURL(new Blob([text],{type:"application/x-chess-pgn"}))
link.download=name2.replace(/[/\\]/g," ")
link.click()
URL.revokeObjectURL(link.href)
}
var submitted=(work)=>(event)=>{
event.preventDefault()
work()
}
function openDialog(title,props,...children){
const close=()=>dialog.close()
const dialog=h(
"dialog",
{"aria-label":title,...props},
h("div",{class:"dialog-head"},h("h2",null,title),iconButton("close","Close",close)),
...children
)
dialog.addEventListener("close",()=>dialog.remove())
dialog.addEventListener("click",(event)=>event.target===dialog&&close())
document.body.append(dialog)
dialog.showModal()
return dialog
}
function showText(title,text){
const area=h("textarea",{
class:"code",
readonly:true,
rows:Math.min(18,text.split("\n").length+1),
"aria-label":title,
value:text
})
openDialog(
title,
{class:"wide"},
area,
h(
"div",
{class:"actions"},
button("Copy",()=>copy(text,title),{class:"primary"})
)
)
area.select()
}

var count=(n)=>String(n).replace(/\B(?=(\d{3})+$)/g," ")
function percentages(parts){
const sum=parts.reduce((a,b)=>a+b,0)
if(!sum)return parts.map(()=>0)
const exact=parts.map((p)=>100*p / sum)
const whole=exact.map(Math.floor)
const order=exact.map((e,i)=>[e-whole[i],i]).sort((a,b)=>b[0]-a[0])
for(let left=100-whole.reduce((a,b)=>a+b,0),i=0;left>0;left--,i++)whole[order[i][1]]++
return whole
}
function share(part,whole){
if(!whole)return""
const percent=Math.round(100*part / whole)
return percent===0&&part>0?"<1":String(percent)
}
var result=(r)=>r==="1/2-1/2"?"½–½":r==="1-0"?"1–0":r==="0-1"?"0–1":"∗"
var resultWords={
"1-0":"White wins",
"0-1":"Black wins",
"1/2-1/2":"drawn",
"*":"without a result"
}
function date(d){
if(!d)return""
const known=d.split(/[.-]/).filter((part)=>/\d/.test(part))
return known.join("-")
}
var year=(d)=>d&&/^\d{4}/.test(d)?d.slice(0,4):""
var moveNumber=(ply)=>`${ply + 1 >> 1}${ply % 2 ? "." : "…"}`
function clock(seconds){
const whole=Math.floor(seconds)
const two=(n)=>String(n).padStart(2,"0")
return whole >= 3600 ? `${Math.floor(whole / 3600)}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}` : `${Math.floor(whole / 60)}:${two(whole % 60)}`;
}
var thought=(seconds)=>seconds<59.5?`${Math.round(seconds)}s`:clock(seconds)
function score(e){
if(e.mate!==void 0&&e.mate!==null)return `#${e.mate < 0 ? "−" : ""}${Math.abs(e.mate)}`
const pawns=(e.cp??0)/ 100
return `${pawns < 0 ? "−" : "+"}${Math.abs(pawns).toFixed(2)}`
}
var NAGS={
1:["!","good move"],
2:["?","mistake"],
3:["!!","brilliant move"],
4:["??","blunder"],
5:["!?","interesting move"],
6:["?!","dubious move"],
7:["□","only move"],
10:["=","equal"],
11:["=","equal"],
13:["∞","unclear"],
14:["⩲","White is slightly better"],
15:["⩱","Black is slightly better"],
16:["±","White is better"],
17:["∓","Black is better"],
18:["+−","White is winning"],
19:["−+","Black is winning"],
22:["⨀","zugzwang"],
32:["⟳","lead in development"],
36:["↑","with the initiative"],
40:["→","with an attack"],
132:["⇆","with counterplay"],
146:["N","novelty"]
};

function expectation(e){
if(e.mate!==void 0)return e.mate>0?1:0
return 1 /(1+Math.exp(-368208e-8*Math.max(-1500,Math.min(1500,e.cp??0))))
}
var HEIGHT=100
var Strip=class{
node=h("div",{class:"strip"})
cursor
caption=h("p",{class:"caption"})
points=[]
evals=false
clocks=false;
/** Draws the points, one for each half-move from 0; hides the graph if there are no values. */
draw(points,select){
this.points=points
this.evals=points.some((p)=>p.eval)
this.clocks=points.some((p)=>p.clock!==void 0)
const{evals,clocks}=this
this.node.replaceChildren()
this.cursor=void 0
this.node.hidden=points.length<2||!evals&&!clocks
if(this.node.hidden)return
const width=points.length-1
const parts=[]
if(evals){
let y=HEIGHT / 2
const line=points.map((p,i)=>{
if(p.eval)y=HEIGHT*(1-expectation(p.eval))
return `${i},${y.toFixed(1)}`
})
parts.push(
s("path",{class:"white-side",d:`M0,${HEIGHT} L${line.join(" L")} L${width},${HEIGHT} Z`}),
s("path",{class:"middle",d:`M0,${HEIGHT / 2} H${width}`}),
s("path",{class:"eval",d:`M${line.join(" L")}`})
)
}
if(clocks){
const most=Math.max(1,...points.map((p)=>p.clock??0))
for(const side of[1,0]){
const line=points.flatMap(
(p,i)=>p.clock!==void 0&&i%2===side?[`${i},${(HEIGHT - 4 - (HEIGHT - 8) * (p.clock / most)).toFixed(1)}`]:[]
)
if(line.length>1)parts.push(s("path",{class:side?"clock white":"clock black",d:`M${line.join(" L")}`}))
}
}
this.cursor=s("path",{class:"cursor",d:`M0,0 V${HEIGHT}`})
const what=[evals&&"evaluation",clocks&&"clocks"].filter(Boolean).join(" and ")
const picture=s(
"svg",
{ viewBox: `0 0 ${width} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": `Graph of ${what}` },
...parts,
this.cursor
)
const at2=(event)=>{
const box=picture.getBoundingClientRect()
return Math.max(0,Math.min(width,Math.round((event.clientX-box.left)/ box.width*width)))
}
picture.addEventListener("click",(event)=>select(at2(event)))
this.node.append(picture,this.caption)
}
current(ply){
this.cursor?.setAttribute("transform",`translate(${Math.min(ply, this.points.length - 1)} 0)`)
const point=this.points[ply]
const other=this.points[ply-1]
const[white,black]=ply%2?[point,other]:[other,point]
const value=(name2,key,text)=>h("span",null,h("i",{class:`key ${key}`,"aria-hidden":"true"}),name2," ",h("b",null,text??"–"))
fill(
this.caption,
this.evals?value("Evaluation","eval",point?.eval&&score(point.eval)):null,
this.clocks?value("White’s clock","white",white?.clock===void 0?void 0:clock(white.clock)):null,
this.clocks?value("Black’s clock","black",black?.clock===void 0?void 0:clock(black.clock)):null
)
}
};

var _Result=class{
unwrap(ok,err){
const r=this._chain((value)=>Result.ok(ok?ok(value):value),(error)=>err?Result.ok(err(error)):Result.err(error))
if(r.isErr){
throw r.error
}
return r.value
}
map(ok,err){
return this._chain((value)=>Result.ok(ok(value)),(error)=>Result.err(err?err(error):error))
}
chain(ok,err){
return this._chain(ok,err!==null&&err!==void 0?err:((error)=>Result.err(error)))
}
}
var _Ok=class extends _Result{
constructor(value){
super()
this.value=value
this.isOk=true
this.isErr=false
}
_chain(ok,_err){
return ok(this.value)
}
}
var _Err=class extends _Result{
constructor(error){
super()
this.error=error
this.isOk=false
this.isErr=true
}
_chain(_ok,err){
return err(this.error)
}
}
var Result;
(function(Result2){
function ok(value){
return new _Ok(value)
}
Result2.ok=ok
function err(error){
return new _Err(error||new Error())
}
Result2.err=err
function all(obj){
if(Array.isArray(obj)){
const res2=[]
for(let i=0;i<obj.length;i++){
const item=obj[i]
if(item.isErr){
return item
}
res2.push(item.value)
}
return Result2.ok(res2)
}
const res={}
const keys=Object.keys(obj)
for(let i=0;i<keys.length;i++){
const item=obj[keys[i]]
if(item.isErr){
return item
}
res[keys[i]]=item.value
}
return Result2.ok(res)
}
Result2.all=all
})(Result||(Result={}));

var popcnt32=(n)=>{
n=n-(n>>>1&1431655765)
n=(n&858993459)+(n>>>2&858993459)
return Math.imul(n+(n>>>4)&252645135,16843009)>>24
}
var bswap32=(n)=>{
n=n>>>8&16711935|(n&16711935)<<8
return n>>>16&65535|(n&65535)<<16
}
var rbit32=(n)=>{
n=n>>>1&1431655765|(n&1431655765)<<1
n=n>>>2&858993459|(n&858993459)<<2
n=n>>>4&252645135|(n&252645135)<<4
return bswap32(n)
}
var SquareSet=class _SquareSet{
constructor(lo,hi){
this.lo=lo|0
this.hi=hi|0
}
static fromSquare(square){
return square>=32?new _SquareSet(0,1<<square-32):new _SquareSet(1<<square,0)
}
static fromRank(rank){
return new _SquareSet(255,0).shl64(8*rank)
}
static fromFile(file){
return new _SquareSet(16843009<<file,16843009<<file)
}
static empty(){
return new _SquareSet(0,0)
}
static full(){
return new _SquareSet(4294967295,4294967295)
}
static corners(){
return new _SquareSet(129,2164260864)
}
static center(){
return new _SquareSet(402653184,24)
}
static backranks(){
return new _SquareSet(255,4278190080)
}
static backrank(color){
return color==="white"?new _SquareSet(255,0):new _SquareSet(0,4278190080)
}
static lightSquares(){
return new _SquareSet(1437226410,1437226410)
}
static darkSquares(){
return new _SquareSet(2857740885,2857740885)
}
complement(){
return new _SquareSet(~this.lo,~this.hi)
}
xor(other){
return new _SquareSet(this.lo ^ other.lo,this.hi ^ other.hi)
}
union(other){
return new _SquareSet(this.lo|other.lo,this.hi|other.hi)
}
intersect(other){
return new _SquareSet(this.lo&other.lo,this.hi&other.hi)
}
diff(other){
return new _SquareSet(this.lo&~other.lo,this.hi&~other.hi)
}
intersects(other){
return this.intersect(other).nonEmpty()
}
isDisjoint(other){
return this.intersect(other).isEmpty()
}
supersetOf(other){
return other.diff(this).isEmpty()
}
subsetOf(other){
return this.diff(other).isEmpty()
}
shr64(shift){
if(shift>=64)
return _SquareSet.empty()
if(shift>=32)
return new _SquareSet(this.hi>>>shift-32,0)
if(shift>0)
return new _SquareSet(this.lo>>>shift ^ this.hi<<32-shift,this.hi>>>shift)
return this
}
shl64(shift){
if(shift>=64)
return _SquareSet.empty()
if(shift>=32)
return new _SquareSet(0,this.lo<<shift-32)
if(shift>0)
return new _SquareSet(this.lo<<shift,this.hi<<shift ^ this.lo>>>32-shift)
return this
}
bswap64(){
return new _SquareSet(bswap32(this.hi),bswap32(this.lo))
}
rbit64(){
return new _SquareSet(rbit32(this.hi),rbit32(this.lo))
}
minus64(other){
const lo=this.lo-other.lo
const c=(lo&other.lo&1)+(other.lo>>>1)+(lo>>>1)>>>31
return new _SquareSet(lo,this.hi-(other.hi+c))
}
equals(other){
return this.lo===other.lo&&this.hi===other.hi
}
size(){
return popcnt32(this.lo)+popcnt32(this.hi)
}
isEmpty(){
return this.lo===0&&this.hi===0
}
nonEmpty(){
return this.lo!==0||this.hi!==0
}
has(square){
return(square>=32?this.hi&1<<square-32:this.lo&1<<square)!==0
}
set(square,on){
return on?this.with(square):this.without(square)
}
with(square){
return square>=32?new _SquareSet(this.lo,this.hi|1<<square-32):new _SquareSet(this.lo|1<<square,this.hi)
}
without(square){
return square>=32?new _SquareSet(this.lo,this.hi&~(1<<square-32)):new _SquareSet(this.lo&~(1<<square),this.hi)
}
toggle(square){
return square>=32?new _SquareSet(this.lo,this.hi ^ 1<<square-32):new _SquareSet(this.lo ^ 1<<square,this.hi)
}
last(){
if(this.hi!==0)
return 63-Math.clz32(this.hi)
if(this.lo!==0)
return 31-Math.clz32(this.lo)
return
}
first(){
if(this.lo!==0)
return 31-Math.clz32(this.lo&-this.lo)
if(this.hi!==0)
return 63-Math.clz32(this.hi&-this.hi)
return
}
withoutFirst(){
if(this.lo!==0)
return new _SquareSet(this.lo&this.lo-1,this.hi)
return new _SquareSet(0,this.hi&this.hi-1)
}
moreThanOne(){
return this.hi!==0&&this.lo!==0||(this.lo&this.lo-1)!==0||(this.hi&this.hi-1)!==0
}
singleSquare(){
return this.moreThanOne()?void 0:this.last()
}
*[Symbol.iterator](){
let lo=this.lo
let hi=this.hi
while(lo!==0){
const idx=31-Math.clz32(lo&-lo)
lo ^=1<<idx
yield idx
}
while(hi!==0){
const idx=31-Math.clz32(hi&-hi)
hi ^=1<<idx
yield 32+idx
}
}
*reversed(){
let lo=this.lo
let hi=this.hi
while(hi!==0){
const idx=31-Math.clz32(hi)
hi ^=1<<idx
yield 32+idx
}
while(lo!==0){
const idx=31-Math.clz32(lo)
lo ^=1<<idx
yield idx
}
}
};

var FILE_NAMES=["a","b","c","d","e","f","g","h"]
var RANK_NAMES=["1","2","3","4","5","6","7","8"]
var COLORS=["white","black"]
var ROLES=["pawn","knight","bishop","rook","queen","king"]
var CASTLING_SIDES=["a","h"]
var isDrop=(v)=>"role"in v
var isNormal=(v)=>"from"in v;

var defined=(v)=>v!==void 0
var opposite=(color)=>color==="white"?"black":"white"
var squareRank=(square)=>square>>3
var squareFile=(square)=>square&7
var squareFromCoords=(file,rank)=>0<=file&&file<8&&0<=rank&&rank<8?file+8*rank:void 0
var roleToChar=(role)=>{
switch(role){
case"pawn":
return"p"
case"knight":
return"n"
case"bishop":
return"b"
case"rook":
return"r"
case"queen":
return"q"
case"king":
return"k"
}
}
function charToRole(ch){
switch(ch.toLowerCase()){
case"p":
return"pawn"
case"n":
return"knight"
case"b":
return"bishop"
case"r":
return"rook"
case"q":
return"queen"
case"k":
return"king"
default:
return
}
}
function parseSquare(str){
if(str.length!==2)
return
return squareFromCoords(str.charCodeAt(0)-"a".charCodeAt(0),str.charCodeAt(1)-"1".charCodeAt(0))
}
var makeSquare=(square)=>FILE_NAMES[squareFile(square)]+RANK_NAMES[squareRank(square)]
var parseUci=(str)=>{
if(str[1]==="@"&&str.length===4){
const role=charToRole(str[0])
const to=parseSquare(str.slice(2))
if(role&&defined(to))
return{role,to}
}else if(str.length===4||str.length===5){
const from=parseSquare(str.slice(0,2))
const to=parseSquare(str.slice(2,4))
let promotion
if(str.length===5){
promotion=charToRole(str[4])
if(!promotion)
return
}
if(defined(from)&&defined(to))
return{from,to,promotion}
}
return
}
var makeUci=(move3)=>isDrop(move3)?`${roleToChar(move3.role).toUpperCase()}@${makeSquare(move3.to)}`:makeSquare(move3.from)+makeSquare(move3.to)+(move3.promotion?roleToChar(move3.promotion):"")
var kingCastlesTo=(color,side)=>color==="white"?side==="a"?2:6:side==="a"?58:62
var rookCastlesTo=(color,side)=>color==="white"?side==="a"?3:5:side==="a"?59:61;

var computeRange=(square,deltas)=>{
let range=SquareSet.empty()
for(const delta of deltas){
const sq=square+delta
if(0<=sq&&sq<64&&Math.abs(squareFile(square)-squareFile(sq))<=2){
range=range.with(sq)
}
}
return range
}
var tabulate=(f)=>{
const table=[]
for(let square=0;square<64;square++)
table[square]=f(square)
return table
}
var KING_ATTACKS=tabulate((sq)=>computeRange(sq,[-9,-8,-7,-1,1,7,8,9]))
var KNIGHT_ATTACKS=tabulate((sq)=>computeRange(sq,[-17,-15,-10,-6,6,10,15,17]))
var PAWN_ATTACKS={
white:tabulate((sq)=>computeRange(sq,[7,9])),
black:tabulate((sq)=>computeRange(sq,[-7,-9]))
}
var kingAttacks=(square)=>KING_ATTACKS[square]
var knightAttacks=(square)=>KNIGHT_ATTACKS[square]
var pawnAttacks=(color,square)=>PAWN_ATTACKS[color][square]
var FILE_RANGE=tabulate((sq)=>SquareSet.fromFile(squareFile(sq)).without(sq))
var RANK_RANGE=tabulate((sq)=>SquareSet.fromRank(squareRank(sq)).without(sq))
var DIAG_RANGE=tabulate((sq)=>{
const diag=new SquareSet(134480385,2151686160)
const shift=8*(squareRank(sq)-squareFile(sq))
return(shift>=0?diag.shl64(shift):diag.shr64(-shift)).without(sq)
})
var ANTI_DIAG_RANGE=tabulate((sq)=>{
const diag=new SquareSet(270549120,16909320)
const shift=8*(squareRank(sq)+squareFile(sq)-7)
return(shift>=0?diag.shl64(shift):diag.shr64(-shift)).without(sq)
})
var hyperbola=(sq,range,occupied)=>{
const o=range.intersect(occupied)
const fwd=o.minus64(SquareSet.fromSquare(sq))
const rev=o.bswap64().minus64(SquareSet.fromSquare(56 ^ sq))
return fwd.xor(rev.bswap64()).intersect(range)
}
var rankAttacks=(sq,occupied)=>{
const range=RANK_RANGE[sq]
const o=range.intersect(occupied)
const fwd=o.minus64(SquareSet.fromSquare(sq))
const rev=o.rbit64().minus64(SquareSet.fromSquare(63-sq))
return fwd.xor(rev.rbit64()).intersect(range)
}
var bishopAttacks=(square,occupied)=>{
return hyperbola(square,DIAG_RANGE[square],occupied).xor(hyperbola(square,ANTI_DIAG_RANGE[square],occupied))
}
var rookAttacks=(square,occupied)=>hyperbola(square,FILE_RANGE[square],occupied).xor(rankAttacks(square,occupied))
var queenAttacks=(square,occupied)=>bishopAttacks(square,occupied).xor(rookAttacks(square,occupied))
var attacks=(piece,square,occupied)=>{
switch(piece.role){
case"pawn":
return pawnAttacks(piece.color,square)
case"knight":
return knightAttacks(square)
case"bishop":
return bishopAttacks(square,occupied)
case"rook":
return rookAttacks(square,occupied)
case"queen":
return queenAttacks(square,occupied)
case"king":
return kingAttacks(square)
}
}
var ray=(a,b)=>{
const other=SquareSet.fromSquare(b)
if(RANK_RANGE[a].intersects(other))
return RANK_RANGE[a].with(a)
if(ANTI_DIAG_RANGE[a].intersects(other))
return ANTI_DIAG_RANGE[a].with(a)
if(DIAG_RANGE[a].intersects(other))
return DIAG_RANGE[a].with(a)
if(FILE_RANGE[a].intersects(other))
return FILE_RANGE[a].with(a)
return SquareSet.empty()
}
var between=(a,b)=>ray(a,b).intersect(SquareSet.full().shl64(a).xor(SquareSet.full().shl64(b))).withoutFirst();

var Board=class _Board{
constructor(){
}
static default(){
const board2=new _Board()
board2.reset()
return board2
}
/**
   * Resets all pieces to the default starting position for standard chess.
   */
reset(){
this.occupied=new SquareSet(65535,4294901760)
this.promoted=SquareSet.empty()
this.white=new SquareSet(65535,0)
this.black=new SquareSet(0,4294901760)
this.pawn=new SquareSet(65280,16711680)
this.knight=new SquareSet(66,1107296256)
this.bishop=new SquareSet(36,603979776)
this.rook=new SquareSet(129,2164260864)
this.queen=new SquareSet(8,134217728)
this.king=new SquareSet(16,268435456)
}
static empty(){
const board2=new _Board()
board2.clear()
return board2
}
clear(){
this.occupied=SquareSet.empty()
this.promoted=SquareSet.empty()
for(const color of COLORS)
this[color]=SquareSet.empty()
for(const role of ROLES)
this[role]=SquareSet.empty()
}
clone(){
const board2=new _Board()
board2.occupied=this.occupied
board2.promoted=this.promoted
for(const color of COLORS)
board2[color]=this[color]
for(const role of ROLES)
board2[role]=this[role]
return board2
}
getColor(square){
if(this.white.has(square))
return"white"
if(this.black.has(square))
return"black"
return
}
getRole(square){
for(const role of ROLES){
if(this[role].has(square))
return role
}
return
}
get(square){
const color=this.getColor(square)
if(!color)
return
const role=this.getRole(square)
const promoted=this.promoted.has(square)
return{color,role,promoted}
}
/**
   * Removes and returns the piece from the given `square`, if any.
   */
take(square){
const piece=this.get(square)
if(piece){
this.occupied=this.occupied.without(square)
this[piece.color]=this[piece.color].without(square)
this[piece.role]=this[piece.role].without(square)
if(piece.promoted)
this.promoted=this.promoted.without(square)
}
return piece
}
/**
   * Put `piece` onto `square`, potentially replacing an existing piece.
   * Returns the existing piece, if any.
   */
set(square,piece){
const old=this.take(square)
this.occupied=this.occupied.with(square)
this[piece.color]=this[piece.color].with(square)
this[piece.role]=this[piece.role].with(square)
if(piece.promoted)
this.promoted=this.promoted.with(square)
return old
}
has(square){
return this.occupied.has(square)
}
*[Symbol.iterator](){
for(const square of this.occupied){
yield[square,this.get(square)]
}
}
pieces(color,role){
return this[color].intersect(this[role])
}
rooksAndQueens(){
return this.rook.union(this.queen)
}
bishopsAndQueens(){
return this.bishop.union(this.queen)
}
steppers(){
return this.knight.union(this.pawn).union(this.king)
}
sliders(){
return this.bishop.union(this.rook).union(this.queen)
}
/**
   * Finds the unique king of the given `color`, if any.
   */
kingOf(color){
return this.pieces(color,"king").singleSquare()
}
};

var IllegalSetup;
(function(IllegalSetup2){
IllegalSetup2["Empty"]="ERR_EMPTY"
IllegalSetup2["OppositeCheck"]="ERR_OPPOSITE_CHECK"
IllegalSetup2["PawnsOnBackrank"]="ERR_PAWNS_ON_BACKRANK"
IllegalSetup2["Kings"]="ERR_KINGS"
IllegalSetup2["Variant"]="ERR_VARIANT"
})(IllegalSetup||(IllegalSetup={}))
var PositionError=class extends Error{
}
var attacksTo=(square,attacker,board2,occupied)=>board2[attacker].intersect(rookAttacks(square,occupied).intersect(board2.rooksAndQueens()).union(bishopAttacks(square,occupied).intersect(board2.bishopsAndQueens())).union(knightAttacks(square).intersect(board2.knight)).union(kingAttacks(square).intersect(board2.king)).union(pawnAttacks(opposite(attacker),square).intersect(board2.pawn)))
var Castles=class _Castles{
constructor(){
}
static default(){
const castles=new _Castles()
castles.castlingRights=SquareSet.corners()
castles.rook={
white:{a:0,h:7},
black:{a:56,h:63}
}
castles.path={
white:{a:new SquareSet(14,0),h:new SquareSet(96,0)},
black:{a:new SquareSet(0,234881024),h:new SquareSet(0,1610612736)}
}
return castles
}
static empty(){
const castles=new _Castles()
castles.castlingRights=SquareSet.empty()
castles.rook={
white:{a:void 0,h:void 0},
black:{a:void 0,h:void 0}
}
castles.path={
white:{a:SquareSet.empty(),h:SquareSet.empty()},
black:{a:SquareSet.empty(),h:SquareSet.empty()}
}
return castles
}
clone(){
const castles=new _Castles()
castles.castlingRights=this.castlingRights
castles.rook={
white:{a:this.rook.white.a,h:this.rook.white.h},
black:{a:this.rook.black.a,h:this.rook.black.h}
}
castles.path={
white:{a:this.path.white.a,h:this.path.white.h},
black:{a:this.path.black.a,h:this.path.black.h}
}
return castles
}
add(color,side,king,rook){
const kingTo=kingCastlesTo(color,side)
const rookTo=rookCastlesTo(color,side)
this.castlingRights=this.castlingRights.with(rook)
this.rook[color][side]=rook
this.path[color][side]=between(rook,rookTo).with(rookTo).union(between(king,kingTo).with(kingTo)).without(king).without(rook)
}
static fromSetup(setup){
const castles=_Castles.empty()
const rooks=setup.castlingRights.intersect(setup.board.rook)
for(const color of COLORS){
const backrank=SquareSet.backrank(color)
const king=setup.board.kingOf(color)
if(!defined(king)||!backrank.has(king))
continue
const side=rooks.intersect(setup.board[color]).intersect(backrank)
const aSide=side.first()
if(defined(aSide)&&aSide<king)
castles.add(color,"a",king,aSide)
const hSide=side.last()
if(defined(hSide)&&king<hSide)
castles.add(color,"h",king,hSide)
}
return castles
}
discardRook(square){
if(this.castlingRights.has(square)){
this.castlingRights=this.castlingRights.without(square)
for(const color of COLORS){
for(const side of CASTLING_SIDES){
if(this.rook[color][side]===square)
this.rook[color][side]=void 0
}
}
}
}
discardColor(color){
this.castlingRights=this.castlingRights.diff(SquareSet.backrank(color))
this.rook[color].a=void 0
this.rook[color].h=void 0
}
}
var Position=class{
constructor(rules){
this.rules=rules
}
reset(){
this.board=Board.default()
this.pockets=void 0
this.turn="white"
this.castles=Castles.default()
this.epSquare=void 0
this.remainingChecks=void 0
this.halfmoves=0
this.fullmoves=1
}
setupUnchecked(setup){
this.board=setup.board.clone()
this.board.promoted=SquareSet.empty()
this.pockets=void 0
this.turn=setup.turn
this.castles=Castles.fromSetup(setup)
this.epSquare=validEpSquare(this,setup.epSquare)
this.remainingChecks=void 0
this.halfmoves=setup.halfmoves
this.fullmoves=setup.fullmoves
}
kingAttackers(square,attacker,occupied){
return attacksTo(square,attacker,this.board,occupied)
}
playCaptureAt(square,captured){
this.halfmoves=0
if(captured.role==="rook")
this.castles.discardRook(square)
if(this.pockets)
this.pockets[opposite(captured.color)][captured.promoted?"pawn":captured.role]++
}
ctx(){
const variantEnd=this.isVariantEnd()
const king=this.board.kingOf(this.turn)
if(!defined(king)){
return{king,blockers:SquareSet.empty(),checkers:SquareSet.empty(),variantEnd,mustCapture:false}
}
const snipers=rookAttacks(king,SquareSet.empty()).intersect(this.board.rooksAndQueens()).union(bishopAttacks(king,SquareSet.empty()).intersect(this.board.bishopsAndQueens())).intersect(this.board[opposite(this.turn)])
let blockers=SquareSet.empty()
for(const sniper of snipers){
const b=between(king,sniper).intersect(this.board.occupied)
if(!b.moreThanOne())
blockers=blockers.union(b)
}
const checkers=this.kingAttackers(king,opposite(this.turn),this.board.occupied)
return{
king,
blockers,
checkers,
variantEnd,
mustCapture:false
}
}
clone(){
var _a,_b
const pos=new this.constructor()
pos.board=this.board.clone()
pos.pockets=(_a=this.pockets)===null||_a===void 0?void 0:_a.clone()
pos.turn=this.turn
pos.castles=this.castles.clone()
pos.epSquare=this.epSquare
pos.remainingChecks=(_b=this.remainingChecks)===null||_b===void 0?void 0:_b.clone()
pos.halfmoves=this.halfmoves
pos.fullmoves=this.fullmoves
return pos
}
validate(){
if(this.board.occupied.isEmpty())
return Result.err(new PositionError(IllegalSetup.Empty))
if(this.board.king.size()!==2)
return Result.err(new PositionError(IllegalSetup.Kings))
if(!defined(this.board.kingOf(this.turn)))
return Result.err(new PositionError(IllegalSetup.Kings))
const otherKing=this.board.kingOf(opposite(this.turn))
if(!defined(otherKing))
return Result.err(new PositionError(IllegalSetup.Kings))
if(this.kingAttackers(otherKing,this.turn,this.board.occupied).nonEmpty()){
return Result.err(new PositionError(IllegalSetup.OppositeCheck))
}
if(SquareSet.backranks().intersects(this.board.pawn)){
return Result.err(new PositionError(IllegalSetup.PawnsOnBackrank))
}
return Result.ok(void 0)
}
dropDests(_ctx){
return SquareSet.empty()
}
dests(square,ctx){
ctx=ctx||this.ctx()
if(ctx.variantEnd)
return SquareSet.empty()
const piece=this.board.get(square)
if(!piece||piece.color!==this.turn)
return SquareSet.empty()
let pseudo,legal2
if(piece.role==="pawn"){
pseudo=pawnAttacks(this.turn,square).intersect(this.board[opposite(this.turn)])
const delta=this.turn==="white"?8:-8
const step3=square+delta
if(0<=step3&&step3<64&&!this.board.occupied.has(step3)){
pseudo=pseudo.with(step3)
const canDoubleStep=this.turn==="white"?square<16:square>=64-16
const doubleStep=step3+delta
if(canDoubleStep&&!this.board.occupied.has(doubleStep)){
pseudo=pseudo.with(doubleStep)
}
}
if(defined(this.epSquare)&&canCaptureEp(this,square,ctx)){
legal2=SquareSet.fromSquare(this.epSquare)
}
}else if(piece.role==="bishop")
pseudo=bishopAttacks(square,this.board.occupied)
else if(piece.role==="knight")
pseudo=knightAttacks(square)
else if(piece.role==="rook")
pseudo=rookAttacks(square,this.board.occupied)
else if(piece.role==="queen")
pseudo=queenAttacks(square,this.board.occupied)
else
pseudo=kingAttacks(square)
pseudo=pseudo.diff(this.board[this.turn])
if(defined(ctx.king)){
if(piece.role==="king"){
const occ=this.board.occupied.without(square)
for(const to of pseudo){
if(this.kingAttackers(to,opposite(this.turn),occ).nonEmpty())
pseudo=pseudo.without(to)
}
return pseudo.union(castlingDest(this,"a",ctx)).union(castlingDest(this,"h",ctx))
}
if(ctx.checkers.nonEmpty()){
const checker=ctx.checkers.singleSquare()
if(!defined(checker))
return SquareSet.empty()
pseudo=pseudo.intersect(between(checker,ctx.king).with(checker))
}
if(ctx.blockers.has(square))
pseudo=pseudo.intersect(ray(square,ctx.king))
}
if(legal2)
pseudo=pseudo.union(legal2)
return pseudo
}
isVariantEnd(){
return false
}
variantOutcome(_ctx){
return
}
hasInsufficientMaterial(color){
if(this.board[color].intersect(this.board.pawn.union(this.board.rooksAndQueens())).nonEmpty())
return false
if(this.board[color].intersects(this.board.knight)){
return this.board[color].size()<=2&&this.board[opposite(color)].diff(this.board.king).diff(this.board.queen).isEmpty()
}
if(this.board[color].intersects(this.board.bishop)){
const sameColor2=!this.board.bishop.intersects(SquareSet.darkSquares())||!this.board.bishop.intersects(SquareSet.lightSquares())
return sameColor2&&this.board.pawn.isEmpty()&&this.board.knight.isEmpty()
}
return true
}
toSetup(){
var _a,_b
return{
board:this.board.clone(),
pockets:(_a=this.pockets)===null||_a===void 0?void 0:_a.clone(),
turn:this.turn,
castlingRights:this.castles.castlingRights,
epSquare:legalEpSquare(this),
remainingChecks:(_b=this.remainingChecks)===null||_b===void 0?void 0:_b.clone(),
halfmoves:Math.min(this.halfmoves,150),
fullmoves:Math.min(Math.max(this.fullmoves,1),9999)
}
}
isInsufficientMaterial(){
return COLORS.every((color)=>this.hasInsufficientMaterial(color))
}
hasDests(ctx){
ctx=ctx||this.ctx()
for(const square of this.board[this.turn]){
if(this.dests(square,ctx).nonEmpty())
return true
}
return this.dropDests(ctx).nonEmpty()
}
isLegal(move3,ctx){
if(isDrop(move3)){
if(!this.pockets||this.pockets[this.turn][move3.role]<=0)
return false
if(move3.role==="pawn"&&SquareSet.backranks().has(move3.to))
return false
return this.dropDests(ctx).has(move3.to)
}else{
if(move3.promotion==="pawn")
return false
if(move3.promotion==="king"&&this.rules!=="antichess")
return false
if(!!move3.promotion!==(this.board.pawn.has(move3.from)&&SquareSet.backranks().has(move3.to)))
return false
const dests=this.dests(move3.from,ctx)
return dests.has(move3.to)||dests.has(normalizeMove(this,move3).to)
}
}
isCheck(){
const king=this.board.kingOf(this.turn)
return defined(king)&&this.kingAttackers(king,opposite(this.turn),this.board.occupied).nonEmpty()
}
isEnd(ctx){
if(ctx?ctx.variantEnd:this.isVariantEnd())
return true
return this.isInsufficientMaterial()||!this.hasDests(ctx)
}
isCheckmate(ctx){
ctx=ctx||this.ctx()
return!ctx.variantEnd&&ctx.checkers.nonEmpty()&&!this.hasDests(ctx)
}
isStalemate(ctx){
ctx=ctx||this.ctx()
return!ctx.variantEnd&&ctx.checkers.isEmpty()&&!this.hasDests(ctx)
}
outcome(ctx){
const variantOutcome=this.variantOutcome(ctx)
if(variantOutcome)
return variantOutcome
ctx=ctx||this.ctx()
if(this.isCheckmate(ctx))
return{winner:opposite(this.turn)}
else if(this.isInsufficientMaterial()||this.isStalemate(ctx))
return{winner:void 0}
else
return
}
allDests(ctx){
ctx=ctx||this.ctx()
const d=/* @__PURE__ */ new Map()
if(ctx.variantEnd)
return d
for(const square of this.board[this.turn]){
d.set(square,this.dests(square,ctx))
}
return d
}
play(move3){
const turn=this.turn
const epSquare=this.epSquare
const castling=castlingSide(this,move3)
this.epSquare=void 0
this.halfmoves +=1
if(turn==="black")
this.fullmoves +=1
this.turn=opposite(turn)
if(isDrop(move3)){
this.board.set(move3.to,{role:move3.role,color:turn})
if(this.pockets)
this.pockets[turn][move3.role]--
if(move3.role==="pawn")
this.halfmoves=0
}else{
const piece=this.board.take(move3.from)
if(!piece)
return
let epCapture
if(piece.role==="pawn"){
this.halfmoves=0
if(move3.to===epSquare){
epCapture=this.board.take(move3.to+(turn==="white"?-8:8))
}
const delta=move3.from-move3.to
if(Math.abs(delta)===16&&8<=move3.from&&move3.from<=55){
this.epSquare=move3.from+move3.to>>1
}
if(move3.promotion){
piece.role=move3.promotion
piece.promoted=!!this.pockets
}
}else if(piece.role==="rook"){
this.castles.discardRook(move3.from)
}else if(piece.role==="king"){
if(castling){
const rookFrom=this.castles.rook[turn][castling]
if(defined(rookFrom)){
const rook=this.board.take(rookFrom)
this.board.set(kingCastlesTo(turn,castling),piece)
if(rook)
this.board.set(rookCastlesTo(turn,castling),rook)
}
}
this.castles.discardColor(turn)
}
if(!castling){
const capture=this.board.set(move3.to,piece)||epCapture
if(capture)
this.playCaptureAt(move3.to,capture)
}
}
if(this.remainingChecks){
if(this.isCheck())
this.remainingChecks[turn]=Math.max(this.remainingChecks[turn]-1,0)
}
}
}
var Chess=class extends Position{
constructor(){
super("chess")
}
static default(){
const pos=new this()
pos.reset()
return pos
}
static fromSetup(setup){
const pos=new this()
pos.setupUnchecked(setup)
return pos.validate().map((_)=>pos)
}
clone(){
return super.clone()
}
}
var validEpSquare=(pos,square)=>{
if(!defined(square))
return
const epRank=pos.turn==="white"?5:2
const forward=pos.turn==="white"?8:-8
if(squareRank(square)!==epRank)
return
if(pos.board.occupied.has(square+forward))
return
const pawn=square-forward
if(!pos.board.pawn.has(pawn)||!pos.board[opposite(pos.turn)].has(pawn))
return
return square
}
var legalEpSquare=(pos)=>{
if(!defined(pos.epSquare))
return
const ctx=pos.ctx()
const ourPawns=pos.board.pieces(pos.turn,"pawn")
const candidates=ourPawns.intersect(pawnAttacks(opposite(pos.turn),pos.epSquare))
for(const candidate of candidates){
if(pos.dests(candidate,ctx).has(pos.epSquare))
return pos.epSquare
}
return
}
var canCaptureEp=(pos,pawnFrom,ctx)=>{
if(!defined(pos.epSquare))
return false
if(!pawnAttacks(pos.turn,pawnFrom).has(pos.epSquare))
return false
if(!defined(ctx.king))
return true
const delta=pos.turn==="white"?8:-8
const captured=pos.epSquare-delta
return pos.kingAttackers(ctx.king,opposite(pos.turn),pos.board.occupied.toggle(pawnFrom).toggle(captured).with(pos.epSquare)).without(captured).isEmpty()
}
var castlingDest=(pos,side,ctx)=>{
if(!defined(ctx.king)||ctx.checkers.nonEmpty())
return SquareSet.empty()
const rook=pos.castles.rook[pos.turn][side]
if(!defined(rook))
return SquareSet.empty()
if(pos.castles.path[pos.turn][side].intersects(pos.board.occupied))
return SquareSet.empty()
const kingTo=kingCastlesTo(pos.turn,side)
const kingPath=between(ctx.king,kingTo)
const occ=pos.board.occupied.without(ctx.king)
for(const sq of kingPath){
if(pos.kingAttackers(sq,opposite(pos.turn),occ).nonEmpty())
return SquareSet.empty()
}
const rookTo=rookCastlesTo(pos.turn,side)
const after=pos.board.occupied.toggle(ctx.king).toggle(rook).toggle(rookTo)
if(pos.kingAttackers(kingTo,opposite(pos.turn),after).nonEmpty())
return SquareSet.empty()
return SquareSet.fromSquare(rook)
}
var castlingSide=(pos,move3)=>{
if(isDrop(move3))
return
const delta=move3.to-move3.from
if(Math.abs(delta)!==2&&!pos.board[pos.turn].has(move3.to))
return
if(!pos.board.king.has(move3.from))
return
return delta>0?"h":"a"
}
var normalizeMove=(pos,move3)=>{
const side=castlingSide(pos,move3)
if(!side)
return move3
const rookFrom=pos.castles.rook[pos.turn][side]
return{
from:move3.from,
to:defined(rookFrom)?rookFrom:move3.to
}
};

var MaterialSide=class _MaterialSide{
constructor(){
}
static empty(){
const m=new _MaterialSide()
for(const role of ROLES)
m[role]=0
return m
}
static fromBoard(board2,color){
const m=new _MaterialSide()
for(const role of ROLES)
m[role]=board2.pieces(color,role).size()
return m
}
clone(){
const m=new _MaterialSide()
for(const role of ROLES)
m[role]=this[role]
return m
}
equals(other){
return ROLES.every((role)=>this[role]===other[role])
}
add(other){
const m=new _MaterialSide()
for(const role of ROLES)
m[role]=this[role]+other[role]
return m
}
subtract(other){
const m=new _MaterialSide()
for(const role of ROLES)
m[role]=this[role]-other[role]
return m
}
nonEmpty(){
return ROLES.some((role)=>this[role]>0)
}
isEmpty(){
return!this.nonEmpty()
}
hasPawns(){
return this.pawn>0
}
hasNonPawns(){
return this.knight>0||this.bishop>0||this.rook>0||this.queen>0||this.king>0
}
size(){
return this.pawn+this.knight+this.bishop+this.rook+this.queen+this.king
}
}
var Material=class _Material{
constructor(white,black){
this.white=white
this.black=black
}
static empty(){
return new _Material(MaterialSide.empty(),MaterialSide.empty())
}
static fromBoard(board2){
return new _Material(MaterialSide.fromBoard(board2,"white"),MaterialSide.fromBoard(board2,"black"))
}
clone(){
return new _Material(this.white.clone(),this.black.clone())
}
equals(other){
return this.white.equals(other.white)&&this.black.equals(other.black)
}
add(other){
return new _Material(this.white.add(other.white),this.black.add(other.black))
}
subtract(other){
return new _Material(this.white.subtract(other.white),this.black.subtract(other.black))
}
count(role){
return this.white[role]+this.black[role]
}
size(){
return this.white.size()+this.black.size()
}
isEmpty(){
return this.white.isEmpty()&&this.black.isEmpty()
}
nonEmpty(){
return!this.isEmpty()
}
hasPawns(){
return this.white.hasPawns()||this.black.hasPawns()
}
hasNonPawns(){
return this.white.hasNonPawns()||this.black.hasNonPawns()
}
}
var RemainingChecks=class _RemainingChecks{
constructor(white,black){
this.white=white
this.black=black
}
static default(){
return new _RemainingChecks(3,3)
}
clone(){
return new _RemainingChecks(this.white,this.black)
}
equals(other){
return this.white===other.white&&this.black===other.black
}
};

var INITIAL_BOARD_FEN="rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"
var INITIAL_EPD=INITIAL_BOARD_FEN+" w KQkq -"
var INITIAL_FEN=INITIAL_EPD+" 0 1"
var EMPTY_BOARD_FEN="8/8/8/8/8/8/8/8"
var EMPTY_EPD=EMPTY_BOARD_FEN+" w - -"
var EMPTY_FEN=EMPTY_EPD+" 0 1"
var InvalidFen;
(function(InvalidFen2){
InvalidFen2["Fen"]="ERR_FEN"
InvalidFen2["Board"]="ERR_BOARD"
InvalidFen2["Pockets"]="ERR_POCKETS"
InvalidFen2["Turn"]="ERR_TURN"
InvalidFen2["Castling"]="ERR_CASTLING"
InvalidFen2["EpSquare"]="ERR_EP_SQUARE"
InvalidFen2["RemainingChecks"]="ERR_REMAINING_CHECKS"
InvalidFen2["Halfmoves"]="ERR_HALFMOVES"
InvalidFen2["Fullmoves"]="ERR_FULLMOVES"
})(InvalidFen||(InvalidFen={}))
var FenError=class extends Error{
}
var nthIndexOf=(haystack,needle,n)=>{
let index=haystack.indexOf(needle)
while(n-->0){
if(index===-1)
break
index=haystack.indexOf(needle,index+needle.length)
}
return index
}
var parseSmallUint=(str)=>/^\d{1,4}$/.test(str)?parseInt(str,10):void 0
var charToPiece=(ch)=>{
const role=charToRole(ch)
return role&&{role,color:ch.toLowerCase()===ch?"black":"white"}
}
var parseBoardFen=(boardPart)=>{
const board2=Board.empty()
let rank=7
let file=0
for(let i=0;i<boardPart.length;i++){
const c=boardPart[i]
if(c==="/"&&file===8){
file=0
rank--
}else{
const step3=parseInt(c,10)
if(step3>0)
file +=step3
else{
if(file>=8||rank<0)
return Result.err(new FenError(InvalidFen.Board))
const square=file+rank*8
const piece=charToPiece(c)
if(!piece)
return Result.err(new FenError(InvalidFen.Board))
if(boardPart[i+1]==="~"){
piece.promoted=true
i++
}
board2.set(square,piece)
file++
}
}
}
if(rank!==0||file!==8)
return Result.err(new FenError(InvalidFen.Board))
return Result.ok(board2)
}
var parsePockets=(pocketPart)=>{
if(pocketPart.length>64)
return Result.err(new FenError(InvalidFen.Pockets))
const pockets=Material.empty()
for(const c of pocketPart){
const piece=charToPiece(c)
if(!piece)
return Result.err(new FenError(InvalidFen.Pockets))
pockets[piece.color][piece.role]++
}
return Result.ok(pockets)
}
var parseCastlingFen=(board2,castlingPart)=>{
let castlingRights=SquareSet.empty()
if(castlingPart==="-")
return Result.ok(castlingRights)
for(const c of castlingPart){
const lower=c.toLowerCase()
const color=c===lower?"black":"white"
const rank=color==="white"?0:7
if("a"<=lower&&lower<="h"){
castlingRights=castlingRights.with(squareFromCoords(lower.charCodeAt(0)-"a".charCodeAt(0),rank))
}else if(lower==="k"||lower==="q"){
const rooksAndKings=board2[color].intersect(SquareSet.backrank(color)).intersect(board2.rook.union(board2.king))
const candidate=lower==="k"?rooksAndKings.last():rooksAndKings.first()
castlingRights=castlingRights.with(defined(candidate)&&board2.rook.has(candidate)?candidate:squareFromCoords(lower==="k"?7:0,rank))
}else
return Result.err(new FenError(InvalidFen.Castling))
}
if(COLORS.some((color)=>SquareSet.backrank(color).intersect(castlingRights).size()>2)){
return Result.err(new FenError(InvalidFen.Castling))
}
return Result.ok(castlingRights)
}
var parseRemainingChecks=(part)=>{
const parts=part.split("+")
if(parts.length===3&&parts[0]===""){
const white=parseSmallUint(parts[1])
const black=parseSmallUint(parts[2])
if(!defined(white)||white>3||!defined(black)||black>3){
return Result.err(new FenError(InvalidFen.RemainingChecks))
}
return Result.ok(new RemainingChecks(3-white,3-black))
}else if(parts.length===2){
const white=parseSmallUint(parts[0])
const black=parseSmallUint(parts[1])
if(!defined(white)||white>3||!defined(black)||black>3){
return Result.err(new FenError(InvalidFen.RemainingChecks))
}
return Result.ok(new RemainingChecks(white,black))
}else
return Result.err(new FenError(InvalidFen.RemainingChecks))
}
var parseFen=(fen)=>{
const parts=fen.split(/[\s_]+/)
const boardPart=parts.shift()
let board2
let pockets=Result.ok(void 0)
if(boardPart.endsWith("]")){
const pocketStart=boardPart.indexOf("[")
if(pocketStart===-1)
return Result.err(new FenError(InvalidFen.Fen))
board2=parseBoardFen(boardPart.slice(0,pocketStart))
pockets=parsePockets(boardPart.slice(pocketStart+1,-1))
}else{
const pocketStart=nthIndexOf(boardPart,"/",7)
if(pocketStart===-1)
board2=parseBoardFen(boardPart)
else{
board2=parseBoardFen(boardPart.slice(0,pocketStart))
pockets=parsePockets(boardPart.slice(pocketStart+1))
}
}
let turn
const turnPart=parts.shift()
if(!defined(turnPart)||turnPart==="w")
turn="white"
else if(turnPart==="b")
turn="black"
else
return Result.err(new FenError(InvalidFen.Turn))
return board2.chain((board3)=>{
const castlingPart=parts.shift()
const castlingRights=defined(castlingPart)?parseCastlingFen(board3,castlingPart):Result.ok(SquareSet.empty())
const epPart=parts.shift()
let epSquare
if(defined(epPart)&&epPart!=="-"){
epSquare=parseSquare(epPart)
if(!defined(epSquare))
return Result.err(new FenError(InvalidFen.EpSquare))
}
let halfmovePart=parts.shift()
let earlyRemainingChecks
if(defined(halfmovePart)&&halfmovePart.includes("+")){
earlyRemainingChecks=parseRemainingChecks(halfmovePart)
halfmovePart=parts.shift()
}
const halfmoves=defined(halfmovePart)?parseSmallUint(halfmovePart):0
if(!defined(halfmoves))
return Result.err(new FenError(InvalidFen.Halfmoves))
const fullmovesPart=parts.shift()
const fullmoves=defined(fullmovesPart)?parseSmallUint(fullmovesPart):1
if(!defined(fullmoves))
return Result.err(new FenError(InvalidFen.Fullmoves))
const remainingChecksPart=parts.shift()
let remainingChecks=Result.ok(void 0)
if(defined(remainingChecksPart)){
if(defined(earlyRemainingChecks))
return Result.err(new FenError(InvalidFen.RemainingChecks))
remainingChecks=parseRemainingChecks(remainingChecksPart)
}else if(defined(earlyRemainingChecks)){
remainingChecks=earlyRemainingChecks
}
if(parts.length>0)
return Result.err(new FenError(InvalidFen.Fen))
return pockets.chain((pockets2)=>castlingRights.chain((castlingRights2)=>remainingChecks.map((remainingChecks2)=>{
return{
board:board3,
pockets:pockets2,
turn,
castlingRights:castlingRights2,
remainingChecks:remainingChecks2,
epSquare,
halfmoves,
fullmoves:Math.max(1,fullmoves)
}
})))
})
}
var makePiece=(piece)=>{
let r=roleToChar(piece.role)
if(piece.color==="white")
r=r.toUpperCase()
if(piece.promoted)
r +="~"
return r
}
var makeBoardFen=(board2)=>{
let fen=""
let empty=0
for(let rank=7;rank>=0;rank--){
for(let file=0;file<8;file++){
const square=file+rank*8
const piece=board2.get(square)
if(!piece)
empty++
else{
if(empty>0){
fen +=empty
empty=0
}
fen +=makePiece(piece)
}
if(file===7){
if(empty>0){
fen +=empty
empty=0
}
if(rank!==0)
fen +="/"
}
}
}
return fen
}
var makePocket=(material)=>ROLES.map((role)=>roleToChar(role).repeat(material[role])).join("")
var makePockets=(pocket)=>makePocket(pocket.white).toUpperCase()+makePocket(pocket.black)
var makeCastlingFen=(board2,castlingRights)=>{
let fen=""
for(const color of COLORS){
const backrank=SquareSet.backrank(color)
let king=board2.kingOf(color)
if(defined(king)&&!backrank.has(king))
king=void 0
const candidates=board2.pieces(color,"rook").intersect(backrank)
for(const rook of castlingRights.intersect(backrank).reversed()){
if(rook===candidates.first()&&defined(king)&&rook<king){
fen +=color==="white"?"Q":"q"
}else if(rook===candidates.last()&&defined(king)&&king<rook){
fen +=color==="white"?"K":"k"
}else{
const file=FILE_NAMES[squareFile(rook)]
fen +=color==="white"?file.toUpperCase():file
}
}
}
return fen||"-"
}
var makeRemainingChecks=(checks)=>`${checks.white}+${checks.black}`
var makeFen=(setup,opts)=>[
makeBoardFen(setup.board)+(setup.pockets?`[${makePockets(setup.pockets)}]`:""),
setup.turn[0],
makeCastlingFen(setup.board,setup.castlingRights),
defined(setup.epSquare)?makeSquare(setup.epSquare):"-",
...setup.remainingChecks?[makeRemainingChecks(setup.remainingChecks)]:[],
...(opts===null||opts===void 0?void 0:opts.epd)?[]:[Math.max(0,Math.min(setup.halfmoves,9999)),Math.max(1,Math.min(setup.fullmoves,9999))]
].join(" ");

var makeSanWithoutSuffix=(pos,move3)=>{
let san=""
if(isDrop(move3)){
if(move3.role!=="pawn")
san=roleToChar(move3.role).toUpperCase()
san +="@"+makeSquare(move3.to)
}else{
const role=pos.board.getRole(move3.from)
if(!role)
return"--"
if(role==="king"&&(pos.board[pos.turn].has(move3.to)||Math.abs(move3.to-move3.from)===2)){
san=move3.to>move3.from?"O-O":"O-O-O"
}else{
const capture=pos.board.occupied.has(move3.to)||role==="pawn"&&squareFile(move3.from)!==squareFile(move3.to)
if(role!=="pawn"){
san=roleToChar(role).toUpperCase()
let others
if(role==="king")
others=kingAttacks(move3.to).intersect(pos.board.king)
else if(role==="queen")
others=queenAttacks(move3.to,pos.board.occupied).intersect(pos.board.queen)
else if(role==="rook")
others=rookAttacks(move3.to,pos.board.occupied).intersect(pos.board.rook)
else if(role==="bishop")
others=bishopAttacks(move3.to,pos.board.occupied).intersect(pos.board.bishop)
else
others=knightAttacks(move3.to).intersect(pos.board.knight)
others=others.intersect(pos.board[pos.turn]).without(move3.from)
if(others.nonEmpty()){
const ctx=pos.ctx()
for(const from of others){
if(!pos.dests(from,ctx).has(move3.to))
others=others.without(from)
}
if(others.nonEmpty()){
let row=false
let column=others.intersects(SquareSet.fromRank(squareRank(move3.from)))
if(others.intersects(SquareSet.fromFile(squareFile(move3.from))))
row=true
else
column=true
if(column)
san +=FILE_NAMES[squareFile(move3.from)]
if(row)
san +=RANK_NAMES[squareRank(move3.from)]
}
}
}else if(capture)
san=FILE_NAMES[squareFile(move3.from)]
if(capture)
san +="x"
san +=makeSquare(move3.to)
if(move3.promotion)
san +="="+roleToChar(move3.promotion).toUpperCase()
}
}
return san
}
var makeSanAndPlay=(pos,move3)=>{
var _a
const san=makeSanWithoutSuffix(pos,move3)
pos.play(move3)
if((_a=pos.outcome())===null||_a===void 0?void 0:_a.winner)
return san+"#"
if(pos.isCheck())
return san+"+"
return san
}
var makeSan=(pos,move3)=>makeSanAndPlay(pos.clone(),move3)
var parseSan=(pos,san)=>{
const ctx=pos.ctx()
const match=san.match(/^([NBRQK])?([a-h])?([1-8])?[-x]?([a-h][1-8])(?:=?([nbrqkNBRQK]))?[+#]?$/)
if(!match){
let castlingSide2
if(san==="O-O"||san==="O-O+"||san==="O-O#")
castlingSide2="h"
else if(san==="O-O-O"||san==="O-O-O+"||san==="O-O-O#")
castlingSide2="a"
if(castlingSide2){
const rook=pos.castles.rook[pos.turn][castlingSide2]
if(!defined(ctx.king)||!defined(rook)||!pos.dests(ctx.king,ctx).has(rook))
return
return{
from:ctx.king,
to:rook
}
}
const match2=san.match(/^([pnbrqkPNBRQK])?@([a-h][1-8])[+#]?$/)
if(!match2)
return
const move3={
role:match2[1]?charToRole(match2[1]):"pawn",
to:parseSquare(match2[2])
}
return pos.isLegal(move3,ctx)?move3:void 0
}
const role=match[1]?charToRole(match[1]):"pawn"
const to=parseSquare(match[4])
const promotion=match[5]?charToRole(match[5]):void 0
if(!!promotion!==(role==="pawn"&&SquareSet.backranks().has(to)))
return
if(promotion==="king"&&pos.rules!=="antichess")
return
let candidates=pos.board.pieces(pos.turn,role)
if(role==="pawn"&&!match[2])
candidates=candidates.intersect(SquareSet.fromFile(squareFile(to)))
else if(match[2])
candidates=candidates.intersect(SquareSet.fromFile(match[2].charCodeAt(0)-"a".charCodeAt(0)))
if(match[3])
candidates=candidates.intersect(SquareSet.fromRank(match[3].charCodeAt(0)-"1".charCodeAt(0)))
const pawnAdvance=role==="pawn"?SquareSet.fromFile(squareFile(to)):SquareSet.empty()
candidates=candidates.intersect(pawnAdvance.union(attacks({color:opposite(pos.turn),role},to,pos.board.occupied)))
let from
for(const candidate of candidates){
if(pos.dests(candidate,ctx).has(to)){
if(defined(from))
return
from=candidate
}
}
if(!defined(from))
return
return{
from,
to,
promotion
}
};

var initial=()=>Chess.default()
var fenOf=(pos)=>makeFen(pos.toSetup())
var epd=(fen)=>fen.split(" ").slice(0,4).join(" ")
var WHY={
ERR_BOARD:"the placement is wrong",
ERR_TURN:"the side to move must be w or b",
ERR_CASTLING:"the castling rights are wrong",
ERR_EP_SQUARE:"the en passant square is wrong",
ERR_HALFMOVES:"the half-move clock is wrong",
ERR_FULLMOVES:"the move number is wrong",
ERR_EMPTY:"the board is empty",
ERR_KINGS:"each side needs one king",
ERR_OPPOSITE_CHECK:"the side that is not to move is in check",
ERR_PAWNS_ON_BACKRANK:"a pawn stands on the first or last rank"
}
function readFen(text){
return parseFen(text.trim().replace(/[_\s]+/g," ")).unwrap(
(setup)=>Chess.fromSetup(setup).unwrap(
(pos)=>({pos}),
(error)=>({error:WHY[error.message]??"this position is not legal"})
),
(error)=>({error:WHY[error.message]??"this is not a FEN"})
)
}
function uciOf(pos,move3){
const side=castlingSide(pos,move3)
if(side&&isNormal(move3)&&squareFile(move3.from)===4){
const rook=pos.castles.rook[pos.turn][side]
if(rook!==void 0&&(squareFile(rook)===0||squareFile(rook)===7)){
return makeSquare(move3.from)+(side==="a"?"c":"g")+(squareRank(move3.from)+1)
}
}
return makeUci(normalizeMove(pos,move3))
}
function legal(pos,uci){
const parsed=parseUci(uci)
if(!parsed)return void 0
const move3=normalizeMove(pos,parsed)
return pos.isLegal(move3)?move3:void 0
}
function typed(pos,text){
const word=text.trim().replace(/^\d+\.+\s*/,"").replace(/0/g,"O").replace(/[!?]+$/,"")
if(!word)return void 0
const candidates=[word,word.replace(/^o-o(-o)?$/i,(m)=>m.toUpperCase())]
if(/^[nbrqk]/.test(word))candidates.push(word[0].toUpperCase()+word.slice(1))
for(const candidate of candidates){
const move3=parseSan(pos,candidate)
if(move3)return move3
}
return legal(pos,text.trim().toLowerCase())
}
function step(pos,move3){
const normal=normalizeMove(pos,move3)
const uci=uciOf(pos,normal)
const san=makeSan(pos,normal)
const after=pos.clone()
after.play(normal)
return{after,step:{uci,san,fen:fenOf(after)}}
}
var squaresOf=(uci)=>[uci.slice(0,2),uci.slice(2,4)]
var NAMES=[
["king","king","kings"],
["queen","queen","queens"],
["rook","rook","rooks"],
["bishop","bishop","bishops"],
["knight","knight","knights"],
["pawn","pawn","pawns"]
]
function inWords(pos){
const side=(color)=>NAMES.flatMap(([role,one,many])=>{
const squares=[...pos.board.pieces(color,role)].map(makeSquare)
return squares.length?[`${squares.length > 1 ? many : one} ${squares.join(" ")}`]:[]
}).join(", ")
return `White: ${side("white") || "nothing"}. Black: ${side("black") || "nothing"}.`
}
function stateInWords(pos){
const[mover,other]=pos.turn==="white"?["White","Black"]:["Black","White"]
if(pos.isCheckmate())return `Checkmate, ${other} wins`
if(pos.isStalemate())return"Stalemate"
return `${mover} to move${pos.isCheck() ? ", in check" : ""}`
}
function materialOf(pos){
const letters2=[
["king","K"],
["queen","Q"],
["rook","R"],
["bishop","B"],
["knight","N"],
["pawn","P"]
]
const side=(color)=>letters2.map(([role,letter])=>letter.repeat(pos.board.pieces(color,role).size())).join("")
return `${side("white")}v${side("black")}`
}

var at=(id)=>encodeURIComponent(id)
var notebooks={
list:async()=>(await fresh("/api/notebooks")).notebooks,
create:(name2,color,fen)=>send("POST","/api/notebooks",fen?{name:name2,color,fen}:{name:name2,color}),
read:(id)=>fresh(`/api/notebooks/${at(id)}`),
change:(id,change2)=>send("PATCH",`/api/notebooks/${at(id)}`,change2),
undo:(id)=>send("POST",`/api/notebooks/${at(id)}/undo`),
addTree:(id,node,note2,moves)=>send("POST",`/api/notebooks/${at(id)}/moves`,{at:node,note:note2,moves}),
remove:(id)=>send("DELETE",`/api/notebooks/${at(id)}`),
add:(id,parent,uci)=>send("POST",`/api/notebooks/${at(id)}/nodes`,{parent,uci}),
write:(id,node,change2)=>send("PATCH",`/api/notebooks/${at(id)}/nodes/${node}`,change2),
cut:(id,node)=>send("DELETE",`/api/notebooks/${at(id)}/nodes/${node}`)
}
var boards={
list:async()=>(await fresh("/api/boards")).boards,
create:(name2,pgn)=>send("POST","/api/boards",{name:name2,pgn}),
read:(id)=>fresh(`/api/boards/${at(id)}`),
write:(id,change2)=>send("PUT",`/api/boards/${at(id)}`,change2),
remove:(id)=>send("DELETE",`/api/boards/${at(id)}`)
}
async function share2(kind2,id){
const path=`/api/${kind2}s/${at(id)}/share`
try{
const{key}=await send("POST",path)
const link=`${location.origin}/shared/${key}`
const field2=h("input",{id:"shared-link",class:"code",readonly:true,value:link})
const words=`Whoever has this link can read this ${kind2}, as it is then, and keep a copy. Nobody else can change yours.`
const back=async()=>{
dialog.close()
await send("DELETE",path).then(
()=>say("The link leads to nothing now"),
(error)=>say(error.message)
)
}
const dialog=openDialog(
"Share",
{class:"wide"},
h("div",{class:"field wide"},h("label",{for:"shared-link"},words),field2),
h(
"div",
{class:"actions"},
button("Take it back",back,{class:"plain"}),
button("Copy link",()=>copy(link,"Link"),{class:"primary"})
)
)
field2.select()
}catch(error){
say(error.message)
}
}
var begun=(game)=>sessionStorage.setItem("analyse",JSON.stringify(game))
function beginning(id){
const kept=JSON.parse(sessionStorage.getItem("analyse")??"null")
return kept?.game===id?kept:void 0
}
var savers=/* @__PURE__ */ new Set()
addEventListener("pagehide",()=>savers.forEach((saver)=>void saver.now()))
var Saver=class{
constructor(tell){
this.tell=tell
savers.add(this)
}
tell
timer
work
of
writing=Promise.resolve();
/** how many writes have not ended */
unwritten=0;
/** Schedules a write. `of` is the object that it writes whole, so a later write of the same object replaces it. */
later(of,work){
if(this.of!==of)void this.now()
this.of=of
this.work=work
this.tell("saving")
clearTimeout(this.timer)
this.timer=setTimeout(()=>void this.now(),500)
}
/** Writes now; one write after the other, so that the last change wins. */
now(){
clearTimeout(this.timer)
const work=this.work
this.work=void 0
if(!work)return this.writing
this.unwritten++
this.writing=this.writing.then(async()=>{
try{
await work().finally(()=>this.unwritten--)
if(!this.work&&!this.unwritten)this.tell("saved")
}catch(error){
this.tell("failed",error.message)
if(!this.work&&!this.unwritten){
this.work=work
this.timer=setTimeout(()=>void this.now(),3e3)
}
}
})
return this.writing
}
stop(){
void this.now().then(()=>this.work||savers.delete(this))
}
};

function diagram(pos,orientation="white"){
const squares=h("cg-board")
for(const[square,piece]of pos.board){
const[file,rank]=[square&7,square>>3]
const[x,y]=orientation==="white"?[file,7-rank]:[7-file,rank]
const shown2=h("piece",{class:`${piece.color} ${piece.role}`,"data-square":makeSquare(square)})
shown2.style.left=`${12.5 * x}%`
shown2.style.top=`${12.5 * y}%`
squares.append(shown2)
}
return h("div",{class:"diagram cg-wrap",role:"img","aria-label":inWords(pos)},squares)
}

var Tree=class{
constructor(start5,headers=/* @__PURE__ */ new Map()){
this.start=start5
this.headers=headers
this.root=this.add(void 0,{san:"",uci:"",fen:fenOf(start5)})
this.offset=(start5.fullmoves-1)*2+(start5.turn==="black"?1:0)
}
start
headers
nodes=[]
root;
/** half-moves before the start position, for the move numbers */
offset;
/** the first problem of the PGN */
problem=""
add(parent,move3){
const node={
id:this.nodes.length,
parent,
children:[],
ply:parent?parent.ply+1:0,
...move3,
before:"",
after:"",
nags:[],
shapes:[]
}
this.nodes.push(node)
parent?.children.push(node)
return node
}
/** The node after a move; a new one if there is none. */
play(node,move3){
const{step:next}=step(this.position(node),move3)
return node.children.find((child)=>child.uci===next.uci)??this.add(node,next)
}
/** The node after a move that the server has read; undefined if the page does not know the move. */
grow(parent,read2){
let node=parent.children.find((child)=>child.uci===read2.uci)
if(!node){
const pos=read2.fen?void 0:this.position(parent)
const move3=pos&&legal(pos,read2.uci)
const next=read2.fen?{uci:read2.uci,san:read2.san,fen:read2.fen}:move3&&step(pos,move3).step
if(!next)return void 0
node=this.add(parent,next)
}
if(!read2.variation)parent.children=[node,...parent.children.filter((child)=>child!==node)]
return node
}
position(node){
return node===this.root?this.start.clone():readFen(node.fen).pos
}
mainline(){
const line=[]
for(let node=this.root;;node=node.children[0]){
line.push(node)
if(!node.children.length)return line
}
}
pathTo(node){
const path=[]
for(let at2=node;at2;at2=at2.parent)path.unshift(at2)
return path
}
isMain(node){
for(let at2=node;at2.parent;at2=at2.parent)if(at2.parent.children[0]!==at2)return false
return true
}
promote(node){
for(let at2=node;at2.parent;at2=at2.parent){
const siblings=at2.parent.children
const index=siblings.indexOf(at2)
if(index>0){
siblings.splice(index,1)
siblings.unshift(at2)
return
}
}
}
remove(node){
if(!node.parent)return
node.parent.children=node.parent.children.filter((child)=>child!==node)
const gone=/* @__PURE__ */ new Set([node])
for(const other of this.nodes)if(other.parent&&gone.has(other.parent))gone.add(other)
this.nodes.splice(0,Infinity,...this.nodes.filter((other)=>!gone.has(other)))
}
/** "12." or "12…", the number of a move that follows a comment. */
number(node){
const ply=node.ply+this.offset
return `${ply + 1 >> 1}${ply % 2 ? "." : "…"}`
}
}
var BRUSHES={G:"green",R:"red",Y:"yellow",B:"blue"}
function take(node,note2){
node.after=note2.text??""
if(note2.clock!==void 0)node.clock=note2.clock / 10
if(note2.spent!==void 0)node.spent=note2.spent / 10
if(note2.eval)node.eval=note2.eval
if(note2.diagram)node.diagram=true
node.shapes=(note2.shapes??[]).map((shape)=>({
orig:shape.slice(1,3),
dest:shape.slice(3)||void 0,
brush:BRUSHES[shape[0]]
}))
}
function writeComment(node){
const shapes=(name2,arrows)=>{
const named2=node.shapes.filter((shape)=>!!shape.dest===arrows).map(({orig,dest,brush})=>(brush?.[0]??"g").toUpperCase()+orig+(dest??""))
return named2.length?`[%${name2} ${named2.join(",")}]`:""
}
const{eval:e,clock:clock2}=node
const parts=[
node.diagram?"[%diagram]":"",
node.after.trim(),
shapes("csl",false),
shapes("cal",true),
e ? `[%eval ${e.mate !== void 0 && e.mate !== null ? `#${e.mate}` : ((e.cp ?? 0) / 100).toFixed(2)}]` : "",
clock2===void 0?"":`[%clk ${hours(clock2)}]`
]
return parts.filter(Boolean).join(" ")
}
function hours(seconds){
const tenths=Math.round(seconds*10)
const whole=Math.floor(tenths / 10)
const two=(n)=>String(n).padStart(2,"0")
return `${Math.floor(whole / 3600)}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}${tenths % 10 ? `.${tenths % 10}` : ""}`;
}
async function readGames(pgn){
return(await send("POST","/api/pgn",{pgn})).games.map(treeOfGame)
}
function treeOfGame(game){
if(!game)return new Tree(initial())
const start5=game.startFen===null?void 0:readFen(game.startFen).pos
const tree=new Tree(start5??initial(),new Map(game.tags))
if(!start5){
tree.problem="the start position cannot be shown"
return tree
}
tree.problem=game.error??""
const nodes=[]
for(const read2 of game.nodes){
const parent=read2.parent===null?void 0:nodes[read2.parent]
const node=parent?tree.grow(parent,read2):read2.parent===null?tree.root:void 0
nodes.push(node)
if(!node)continue
const before=[node.before,node.after]
take(node,read2)
node.before=[before[0],read2.before].filter(Boolean).join(" ")
node.after=[before[1],node.after].filter(Boolean).join(" ")
node.nags.push(...(read2.glyphs??[]).filter((glyph)=>!node.nags.includes(glyph)))
}
return tree
}
var LINE=79
function writePgn(tree){
const headers=new Map(tree.headers)
if(tree.root.fen!==INITIAL_FEN&&!headers.has("FEN")){
headers.set("SetUp","1")
headers.set("FEN",tree.root.fen)
}
const tags = [...headers].filter(([name2]) => /^\w+$/.test(name2)).map(([name2, value]) => `[${name2} "${value.replace(/\p{Cc}/gu, " ").replace(/["\\]/g, "\\$&")}"]
`);
let text = `${tags.join("")}
`;
let length=0
const word=(next)=>{
const ends=length+1+next.length>LINE
text +=length?ends?"\n":" ":""
length=ends||!length?next.length:length+1+next.length
text +=next
}
let numbered=true
const comment2=(said2)=>{
const words=said2.replace(/\{/g,"(").replace(/\}/g,")").split(/[\p{Cc}\u2028\u2029\ufeff ]+/u).filter(Boolean)
if(!words.length)return
let together="{"
for(const next of words){
if(/^(?:[%;]|\[[A-Za-z])/.test(next)||/(?:^| )\[%[^\] ]*$/.test(together))together +=` ${next}`
else{
word(together)
together=next
}
}
word(together)
word("}")
numbered=true
}
const move3=(node)=>{
comment2(node.before)
if(node.parent){
if(numbered||(node.ply+tree.offset)%2)word(tree.number(node).replace("…","..."))
numbered=false
word(node.san)
}
for(const nag of node.nags)word(`$${nag}`)
comment2(writeComment(node))
}
const left=[[tree.root,true]]
while(left.length){
const next=left.pop()
if(typeof next==="string"){
word(next)
numbered=true
continue
}
const[node,main]=next
move3(node)
if(node.children.length)left.push([node.children[0],true])
if(!main)continue
for(const other of(node.parent?.children.slice(1)??[]).reverse())left.push(")",[other,false],"(")
}
const result2=headers.get("Result")??"*"
word(/^(?:1-0|0-1|1\/2-1\/2)$/.test(result2)?result2:"*")
return `${text}
`;
}
function treeOf(start5,ucis){
const tree=new Tree(start5)
let node=tree.root
for(const uci of ucis){
const move3=legal(tree.position(node),uci)
if(!move3)break
node=tree.play(node,move3)
}
return tree
}
function thinkTimes(tree,timeControl){
const stages=timeControl.match(/\d[^:]*/g)??[]
const increments=new Set(stages.map((stage)=>Number(/\+(\d+)$/.exec(stage)?.[1]??0)))
if(increments.size!==1)return
const line=tree.mainline()
for(const[ply,node]of line.entries()){
const before=line[ply-2]?.clock
if(ply<3||node.spent!==void 0||node.clock===void 0||before===void 0)continue
const spent=before+[...increments][0]-node.clock
if(spent>=0)node.spent=spent
}
}
var DEEPEST=50
var Moves=class{
constructor(select){
this.select=select
}
select
node=h("div",{class:"moves",role:"group","aria-label":"Moves"})
buttons=/* @__PURE__ */ new Map()
comments=/* @__PURE__ */ new Map()
at;
/** Changes the comment on a node. The moves are not drawn again: a click on one of them, which ends the typing, would be lost. */
comment(tree,node){
const shown2=this.comments.get(node)
if(shown2&&node.after)shown2.textContent=node.after
else if(shown2||node.after)this.draw(tree,node,/* @__PURE__ */ new Set(),false)
}
draw(tree,current,matches=/* @__PURE__ */ new Set(),scroll=true){
this.buttons.clear()
this.comments.clear()
this.node.replaceChildren()
this.main(tree,matches)
if(!tree.root.children.length)this.node.append(h("p",{class:"quiet"},"No moves yet."))
this.at=void 0
this.current(current,scroll)
}
current(node,scroll=true){
const before=this.at&&this.buttons.get(this.at)
before?.removeAttribute("aria-current")
if(before)before.tabIndex=-1
this.at=node
const now=this.buttons.get(node)
const scroller=this.node.closest(".scrolls")
if(now){
now.setAttribute("aria-current","true")
now.tabIndex=0
for(let at2=now;at2;at2=at2.parentElement?.closest(".folded"))
if(at2.classList.contains("folded"))fold(at2,false)
if(!scroll||matchMedia("(max-width: 860px)").matches)return
if(scroller)toThird(scroller,now,this.comments.get(node))
else now.scrollIntoView({block:"nearest"})
}else{
const first=this.node.querySelector("button.move")
if(first)first.tabIndex=0
if(scroller)scroller.scrollTop=0
}
}
/** Folds all variations, or unfolds them. */
foldAll(folded){
for(const block of this.node.querySelectorAll(".variation"))fold(block,folded)
if(this.at)this.current(this.at)
}
button(node,matches,main){
const glyphs=node.nags.map((nag)=>{
const [sign, words] = NAGS[nag] ?? [`$${nag}`, `symbol ${nag}`];
return h("span",{class:`glyph nag-${nag}`,title:words},sign)
})
const{mistake}=node
if(mistake){
const nag={inaccuracy:6,mistake:2,blunder:4}[mistake.judgement]
const better=mistake.best?`, ${mistake.best} is better`:""
glyphs.push(
h(
"span",
{
class:`glyph nag-${nag} counted`,
title:`${mistake.judgement}: ${mistake.loss} % of the winning chances lost${better}`
},
NAGS[nag][0]
)
)
}
const element=h(
"button",
{
type:"button",
class:`move${main && matches.has(node.ply) ? " match" : ""}`,
tabindex:"-1",
on:{click:()=>this.select(node)}
},
node.san,
...glyphs
)
this.buttons.set(node,element)
return element
}
after(node){
const element=h("span",{class:"comment"},node.after)
this.comments.set(node,element)
return element
}
/** The main line, a move of both sides in each row; comments and variations stand between the rows. */
main(tree,matches){
const aside=(...children)=>this.node.append(h("div",{class:"aside"},...children," "))
const{root}=tree
if(root.after||root.diagram)aside(root.after?this.after(root):null,printed(tree,root))
let row
for(const node of tree.mainline().slice(1)){
const black=(node.ply+tree.offset)%2===0
if(node.before){
aside(h("span",{class:"comment"},node.before))
row=void 0
}
if(!row||!black){
row=h("div",{class:"row"},h("span",{class:"number"},tree.number(node))," ")
if(black)row.append(h("span",{class:"gap"}))
this.node.append(row)
}
row.append(h("span",{class:"cell"},this.button(node,matches,true)," ",facts(node))," ")
const picture=printed(tree,node)
if(picture)row.append(picture)
const others=node.parent.children.slice(1)
if(!node.after&&!others.length)continue
aside(node.after?this.after(node):null,...others.map((other)=>this.variation(tree,node.parent,other,matches,1)))
row=void 0
}
}
variation(tree,from,first,matches,depth){
const name2=`${tree.number(first)} ${first.san}`
const block=h("div",{class:"variation"})
block.append(
h(
"button",
{
type:"button",
class:"fold",
"aria-expanded":"true",
"aria-label":`Variation ${name2}`,
title:"Fold or unfold the variation",
on:{click:()=>fold(block,!block.classList.contains("folded"))}
},
h("span",{class:"folded-line"},`${name2} …`)
)
)
this.line(tree,from,block,matches,first,depth)
return block
}
/** A variation as running text. One within it follows the move that it replaces. */
line(tree,from,into,matches,first,depth){
if(depth>DEEPEST){
into.append(h("span",{class:"quiet"},"… (nested too deep to be shown)"))
return
}
let node=from
let place=h("span",{class:"run"})
into.append(place)
let numbered=true
const write2=(child)=>{
if(child.before){
place.append(h("span",{class:"comment"},child.before)," ")
numbered=true
}
if(numbered||(child.ply+tree.offset)%2)place.append(h("span",{class:"number"},tree.number(child))," ")
place.append(this.button(child,matches,false)," ")
numbered=false
if(child.after){
place.append(this.after(child)," ")
numbered=true
}
const picture=printed(tree,child)
if(picture)place.append(picture)
}
write2(first)
node=first
while(node.children.length){
const[next,...others]=node.children
write2(next)
for(const other of others){
into.append(this.variation(tree,node,other,matches,depth+1))
numbered=true
}
if(others.length){
place=h("span",{class:"run"})
into.append(place)
}
node=next
}
}
}
function fold(block,folded){
block.classList.toggle("folded",folded)
block.querySelector(".fold")?.setAttribute("aria-expanded",String(!folded))
}
function toThird(scroller,move3,comment2){
const frame=scroller.getBoundingClientRect()
const{top,bottom}=move3.getBoundingClientRect()
const length=Math.max(bottom,comment2?.getBoundingClientRect().bottom??0)-top
const place=Math.max(0,Math.min(scroller.clientHeight / 3,scroller.clientHeight-length-12))
scroller.scrollTop +=top-frame.top-place
}
function facts(node){
if(!node.eval&&node.spent===void 0&&node.clock===void 0)return null
const fact=(name2,title,text)=>[h("span",{class:name2,title},text)," "]
return h(
"span",
{class:"move-facts"},
node.eval?fact("eval","Evaluation, from White’s side",score(node.eval)):null,
node.spent===void 0?null:fact("spent","Time for the move",thought(node.spent)),
node.clock===void 0?null:fact("left","Time left",clock(node.clock))
)
}
var printed=(tree,node)=>node.diagram?diagram(tree.position(node)):null;

function sqlLink(query){
if(!query)return null
const show=(sql)=>openDialog(
"The database query behind this answer",
{class:"wide"},
h("pre",{class:"sql",tabindex:"0"},sql),
h(
"div",
{class:"actions"},
button("Copy",()=>copy(sql,"Query"),{class:"primary"})
)
)
return button("SQL",()=>show(typeof query==="string"?query:query()),{
class:"sql-link",
title:"The database query behind this answer, in SQL"
})
}
var note=(...children)=>h("div",{class:"note"},...children)
function failure(error,again2){
const away=error.status===0||error.status===503
const box=h(
"div",
{class:"note failure",role:"alert"},
h("p",null,error.message),
error.hint?h("p",{class:"quiet"},error.hint):null,
h("p",null,away?"Trying again… ":"",button("Try again",again2))
)
if(away)setTimeout(()=>box.isConnected&&again2(),3e3)
return box
}
function waiting(place,stop2,again2){
const cancel3=()=>{
stop2()
place.replaceChildren(note(h("p",null,"Cancelled."),button("Search again",again2)))
}
place.replaceChildren(
note(
h("p",{role:"status"},"Looking through the games…"),
h("progress",{"aria-label":"Search"}),
button("Cancel",cancel3)
)
)
}
var foreign=(what)=>keeps()?note(
h("p",null,`A ${what} opens only in the browser that saved it, until it is deleted there.`),
h("p",null,"For a copy, let its owner press “Share” and send you the link.")
):note(h("p",null,`This server saves no ${what}s.`))
function emptyDatabase({error,hint}){
const box=note(
h("h2",null,error?error[0].toUpperCase()+error.slice(1):"No games yet"),
hint?h("p",null,hint):null,
server.status?.features?.upload?h("p",null,"Drop a file of games on this page, or ",h("a",{href:"/add"},"add games")):null
)
box.classList.toggle("failure",!!error)
return box
}

var AnalysisView=class{
constructor(page2){
this.page=page2
}
page
head=h("div",{class:"panel-head"})
side=h("div",{class:"node-side"})
moves=new Moves((node)=>this.show(node))
others=h("div",{class:"saved"})
node=h(
"div",
{class:"view analysis"},
this.head,
h("div",{class:"scrolls"},this.moves.node),
this.side,
this.others
)
strip=new Strip()
latest=new Latest()
listing=new Latest()
state=h("span",{class:"saving",role:"status"})
saver=new Saver((state,message)=>this.state.textContent=state==="failed"?`not saved: ${message}`:state)
id="";
/** the game that it began with, until the board is saved */
source=""
name=""
tree=new Tree(initial())
current=this.tree.root
loaded=false
left=false
update(at2){
const id=at2.path[1]==="new"?"":at2.path[1]??""
this.page.title("Analysis")
this.page.strip(this.strip.node)
if(at2.path[1]==="new"){
this.id=this.source=""
const fen=at2.params.get("fen")
const start5=fen?readFen(fen).pos:void 0
this.begin(new Tree(start5??initial()),"")
go("/analysis",true)
return
}
const game=id?"":at2.params.get("game")??""
if(this.loaded&&id===this.id&&game===this.source){
this.show(this.current)
return
}
this.source=game
if(game){
this.id=""
this.analyse(game,Number(at2.hash)||0)
return
}
if(!id){
this.id=""
this.begin(new Tree(initial()),"")
return
}
this.id=id
void this.latest.run(
()=>boards.read(id),
(board2)=>this.begin(treeOfGame(board2.game??null),board2.name),
(error)=>this.failed(error,"You cannot open this board")
)
}
/** Begins with a game, which becomes a saved board only when it is changed. */
analyse(game,ply){
const kept=beginning(game)
const begin2=(tree,path)=>{
const line=tree.mainline()
const at2=path?path.reduce((node,uci)=>node.children.find((child)=>child.uci===uci)??node,tree.root):line[Math.max(0,Math.min(line.length-1,ply))]
this.begin(tree,"",at2)
this.state.textContent="kept once you change it"
}
void this.latest.run(
async(signal)=>kept?(await readGames(kept.pgn))[0]??new Tree(initial()):treeOfGame((await get(`/api/games/${encodeURIComponent(game)}`,signal)).game),
(tree)=>begin2(tree,kept?.path),
(error)=>this.failed(error,"There is no such game")
)
}
failed(error,missing){
this.page.board.show({pos:initial()})
fill(this.head,h("h1",null,error.status===404?missing:"Analysis"))
fill(
this.side,
error.status===404&&this.id?foreign("board"):failure(error,()=>this.update(here())),
h(
"p",
{class:"actions"},
h("a",{class:"button",href:"/analysis/new"},"A new board"),
button("Paste PGN",()=>{
this.id=""
this.paste()
})
)
)
}
begin(tree,name2,at2){
this.tree=tree
this.loaded=true
this.name=name2||[tree.headers.get("White"),tree.headers.get("Black")].filter((n)=>n&&n!=="?").join(" – ")
this.current=at2??tree.mainline().at(-1)
const title=h("input",{
id:"board-name",
value:this.name,
placeholder:"Untitled board",
maxlength:"100",
autocomplete:"off",
on:{
input:()=>{
this.name=title.value.trim()
this.changed()
}
}
})
fill(
this.head,
h("div",{class:"opening"},h("h1",null,"Analysis"),this.state),
h("div",{class:"field wide"},h("label",{for:"board-name",class:"unseen"},"Name"),title),
h(
"div",
{class:"actions"},
button("Explore",()=>this.explore()),
button("Download",()=>download(`${this.name || "board"}.pgn`,this.pgn())),
button("Paste PGN",()=>this.paste()),
keeps()?button("Share",()=>void this.share()):null,
this.id||tree.nodes.length>1?button("New board",()=>go("/analysis/new"),{class:"plain"}):null
)
)
this.state.textContent=""
this.show(this.current,true)
this.listBoards()
}
listBoards(){
if(!keeps())return
void this.listing.run(
()=>boards.list(),
(all)=>this.drawBoards(all),
()=>fill(this.others)
)
}
drawBoards(all){
const list=all.filter((b)=>String(b.id)!==this.id)
fill(
this.others,
list.length?h("h3",null,this.id?"Other boards":"Your boards"):null,
h(
"ul",
{class:"cards"},
...list.map(
(board2)=>h(
"li",
null,
h("a",{href:`/analysis/${encodeURIComponent(board2.id)}`},board2.name||"Untitled board"),
iconButton("trash",`Delete ${board2.name || "this board"}`,()=>{
if(confirm(`Delete the board “${board2.name || "Untitled board"}”?`))
void boards.remove(board2.id).catch((error)=>say(error.message)).then(()=>this.listBoards())
})
)
)
)
)
}
changed(){
if(!keeps()){
this.state.textContent="not saved: this server does not save boards"
return
}
this.saver.later(this,async()=>{
const pgn=writePgn(this.tree)
const name2=this.name||"Untitled board"
if(this.id){
await boards.write(this.id,{name:name2,pgn})
}else{
const made=await boards.create(name2,pgn)
this.id=String(made.id)
if(!this.left&&here().path[0]==="analysis")
history.replaceState(null,"",url(`/analysis/${encodeURIComponent(made.id)}`,without(here().params,["game"])))
this.source=""
}
})
}
show(node,redraw=false){
this.current=node
const tree=this.tree
this.page.board.show({pos:tree.position(node),last:node.uci,played:(move3)=>this.play(move3),shapes:node.shapes})
this.page.comment(node.after)
if(redraw){
this.moves.draw(tree,node)
this.strip.draw(
tree.mainline().map((n)=>({eval:n.eval,clock:n.clock})),
(ply)=>this.show(tree.mainline()[ply])
)
}else this.moves.current(node)
this.strip.current(
tree.pathTo(node).filter((n)=>tree.isMain(n)).at(-1).ply
)
const area=h("textarea",{
id:"comment",
rows:"2",
maxlength:"10000",
value:node.after,
on:{
input:()=>{
node.after=area.value.trim()
this.page.comment(node.after)
this.moves.comment(tree,node)
this.changed()
}
}
})
const glyph=h("select",{
"aria-label":"Glyph",
on:{
change:()=>{
const rest=node.nags.filter((n)=>n>9)
node.nags=[...Number(glyph.value)?[Number(glyph.value)]:[],...rest]
this.moves.draw(tree,node)
this.changed()
}
}
})
const now=node.nags.find((n)=>n<7)??0
fill(
glyph,
[
[0,"no glyph"],
[1,"! good"],
[2,"? mistake"],
[3,"!! brilliant"],
[4,"?? blunder"],
[5,"!? interesting"],
[6,"?! dubious"]
].map(([value,text])=>h("option",{value,selected:now===value},text))
)
fill(
this.side,
tree.problem?h("p",{class:"note"},`Read as far as possible: ${tree.problem}.`):null,
h(
"div",
{class:"field wide"},
h("label",{for:"comment"},node.parent?`Comment on ${tree.number(node)} ${node.san}`:"Comment on the start"),
area
),
node.parent?h(
"div",
{class:"actions"},
glyph,
tree.isMain(node)?null:button("Make it the main line",()=>{
while(!tree.isMain(node))tree.promote(node)
this.show(node,true)
this.changed()
}),
button(
"Delete from here",
()=>{
if(node.children.length&&!confirm(`Delete ${node.san} and all that follows it?`))return
tree.remove(node)
this.show(node.parent,true)
this.changed()
},
{class:"plain"}
)
):null
)
}
play(move3){
const size=this.tree.nodes.length
const next=this.tree.play(this.current,move3)
const grown=this.tree.nodes.length>size
this.show(next,grown)
if(grown)this.changed()
}
async share(){
if(!this.id)this.changed()
await this.saver.now()
if(this.id)await share2("board",this.id)
}
explore(){
const params=new URLSearchParams()
if(epd(this.tree.root.fen)!==epd(INITIAL_FEN))params.set("fen",this.tree.root.fen)
const play=this.tree.pathTo(this.current).slice(1).map((n)=>n.uci).join(",")
if(play)params.set("play",play)
go(url("/",params))
}
paste(){
const area=h("textarea",{class:"code",rows:"12","aria-label":"PGN",maxlength:"60000"})
const dialog=openDialog(
"Paste PGN or FEN",
{class:"wide"},
area,
h(
"div",
{class:"actions"},
button(
"Load",
async()=>{
const text=area.value.trim()
const fen=/^[pnbrqkPNBRQK1-8/]+\s[wb]\b/.test(text)?readFen(text):void 0
if(fen?.error){
say(fen.error)
return
}
let trees
try{
trees=fen?.pos?[new Tree(fen.pos)]:await readGames(text)
}catch(error){
say(error.message)
return
}
const[first,...others]=trees
dialog.close()
void this.keepAll(others)
this.begin(first??new Tree(initial()),others.length?"":this.name)
this.changed()
},
{class:"primary"}
)
)
)
area.focus()
}
/** Each further game of a pasted text becomes a board of its own. */
async keepAll(others){
const names=(tree)=>["White","Black"].map((name2)=>tree.headers.get(name2)??"?").join(" – ")
let kept=0
try{
if(!keeps())throw new Error("this server saves no boards")
for(const tree of others){
await boards.create(names(tree).slice(0,200),writePgn(tree))
kept++
}
if(kept)say(`${kept + 1} games, each a board of its own`)
}catch(error){
if(others.length)say(`${others.length - kept} of ${others.length + 1} games are not kept: ${error.message}`)
}
this.listBoards()
}
step(by){
let to=this.current
if(by===-1)to=to.parent
else if(by===1)to=to.children[0]
else if(by==="first")to=this.tree.root
else while(to.children.length)to=to.children[0]
if(to&&to!==this.current)this.show(to)
}
pgn(){
return writePgn(this.tree)
}
position(){
return this.tree.position(this.current)
}
leave(){
this.left=true
this.saver.stop()
this.latest.stop()
this.listing.stop()
}
};

var colors=["white","black"]
var files=["a","b","c","d","e","f","g","h"]
var ranks=["1","2","3","4","5","6","7","8"];

var invRanks=[...ranks].reverse()
var allKeys=files.flatMap((f)=>ranks.map((r)=>f+r))
var pos2key=(pos)=>pos.every((x)=>x>=0&&x<=7)?allKeys[8*pos[0]+pos[1]]:void 0
var pos2keyUnsafe=(pos)=>pos2key(pos)
var key2pos=(k)=>[k.charCodeAt(0)-97,k.charCodeAt(1)-49]
var allPos=allKeys.map(key2pos)
var allPosAndKey=allKeys.map((key,i)=>({key,pos:allPos[i]}))
function memo(f){
let v
const ret=()=>{
if(v===void 0)
v=f()
return v
}
ret.clear=()=>{
v=void 0
}
return ret
}
var timer2=()=>{
let startAt
return{
start(){
startAt=performance.now()
},
cancel(){
startAt=void 0
},
stop(){
if(!startAt)
return 0
const time=performance.now()-startAt
startAt=void 0
return time
}
}
}
var opposite2=(c)=>c==="white"?"black":"white"
var distanceSq=(pos1,pos2)=>(pos1[0]-pos2[0])**2+(pos1[1]-pos2[1])**2
var samePiece=(p1,p2)=>p1.role===p2.role&&p1.color===p2.color
var samePos=(p1,p2)=>p1[0]===p2[0]&&p1[1]===p2[1]
var posToTranslate=(bounds)=>(pos,asWhite)=>[
(asWhite?pos[0]:7-pos[0])*bounds.width / 8,
(asWhite?7-pos[1]:pos[1])*bounds.height / 8
]
var translate=(el,pos)=>{
el.style.transform=`translate(${pos[0]}px,${pos[1]}px)`
}
var translateAndScale=(el,pos,scale=1)=>{
el.style.transform=`translate(${pos[0]}px,${pos[1]}px) scale(${scale})`
}
var setVisible=(el,v)=>{
el.style.display=v?"":"none"
}
var eventPosition=(e)=>{
if(e.clientX||e.clientX===0)
return[e.clientX,e.clientY]
if(e.targetTouches?.[0])
return[e.targetTouches[0].clientX,e.targetTouches[0].clientY]
return void 0
}
var isFireMac=memo(()=>!("ontouchstart"in window)&&["macintosh","firefox"].every((x)=>navigator.userAgent.toLowerCase().includes(x)))
var isRightButton=(e)=>e.button===2&&!(e.ctrlKey&&isFireMac())
var createEl=(tagName,className)=>{
const el=document.createElement(tagName)
if(className)
el.className=className
return el
}
function computeSquareCenter(key,asWhite,bounds){
const pos=key2pos(key)
if(!asWhite){
pos[0]=7-pos[0]
pos[1]=7-pos[1]
}
return[
bounds.left+bounds.width*pos[0]/ 8+bounds.width / 16,
bounds.top+bounds.height*(7-pos[1])/ 8+bounds.height / 16
]
}
var diff=(a,b)=>Math.abs(a-b)
var knightDir=(x1,y1,x2,y2)=>diff(x1,x2)*diff(y1,y2)===2
var rookDir=(x1,y1,x2,y2)=>x1===x2!==(y1===y2)
var bishopDir=(x1,y1,x2,y2)=>diff(x1,x2)===diff(y1,y2)&&x1!==x2
var queenDir=(x1,y1,x2,y2)=>rookDir(x1,y1,x2,y2)||bishopDir(x1,y1,x2,y2)
var squaresBetween=(x1,y1,x2,y2)=>{
const dx=x2-x1
const dy=y2-y1
if(dx&&dy&&Math.abs(dx)!==Math.abs(dy))
return[]
const stepX=Math.sign(dx),stepY=Math.sign(dy)
const squares=[]
let x=x1+stepX,y=y1+stepY
while(x!==x2||y!==y2){
squares.push([x,y])
x +=stepX
y +=stepY
}
return squares.map(pos2key).filter((k)=>k!==void 0)
};

var anim=(mutation,state)=>state.animation.enabled?animate(mutation,state):render(mutation,state)
function render(mutation,state){
const result2=mutation(state)
state.dom.redraw()
return result2
}
var makePiece2=(key,piece)=>({
key,
pos:key2pos(key),
piece
})
var closer=(piece,pieces)=>pieces.sort((p1,p2)=>distanceSq(piece.pos,p1.pos)-distanceSq(piece.pos,p2.pos))[0]
function computePlan(prevPieces,current){
const anims=/* @__PURE__ */ new Map(),animedOrigs=[],fadings=/* @__PURE__ */ new Map(),missings=[],news=[],prePieces=/* @__PURE__ */ new Map()
let curP,preP,vector
for(const[k,p]of prevPieces){
prePieces.set(k,makePiece2(k,p))
}
for(const key of allKeys){
curP=current.pieces.get(key)
preP=prePieces.get(key)
if(curP){
if(preP){
if(!samePiece(curP,preP.piece)){
missings.push(preP)
news.push(makePiece2(key,curP))
}
}else
news.push(makePiece2(key,curP))
}else if(preP)
missings.push(preP)
}
for(const newP of news){
preP=closer(newP,missings.filter((p)=>samePiece(newP.piece,p.piece)))
if(preP){
vector=[preP.pos[0]-newP.pos[0],preP.pos[1]-newP.pos[1]]
anims.set(newP.key,vector.concat(vector))
animedOrigs.push(preP.key)
}
}
for(const p of missings){
if(!animedOrigs.includes(p.key))
fadings.set(p.key,p.piece)
}
return{
anims,
fadings
}
}
function step2(state,now){
const cur=state.animation.current
if(cur===void 0){
if(!state.dom.destroyed)
state.dom.redrawNow()
return
}
const rest=1-(now-cur.start)*cur.frequency
if(rest<=0){
state.animation.current=void 0
state.dom.redrawNow()
}else{
const ease=easing(rest)
for(const cfg of cur.plan.anims.values()){
cfg[2]=cfg[0]*ease
cfg[3]=cfg[1]*ease
}
state.dom.redrawNow(true)
requestAnimationFrame((now2=performance.now())=>step2(state,now2))
}
}
function animate(mutation,state){
const prevPieces=new Map(state.pieces)
const result2=mutation(state)
const plan=computePlan(prevPieces,state)
if(plan.anims.size||plan.fadings.size){
const alreadyRunning=state.animation.current&&state.animation.current.start
state.animation.current={
start:performance.now(),
frequency:1 / state.animation.duration,
plan
}
if(!alreadyRunning)
step2(state,performance.now())
}else{
state.dom.redraw()
}
return result2
}
var easing=(t)=>t<0.5?4*t*t*t:(t-1)*(2*t-2)*(2*t-2)+1;

var premove=()=>[];

function callUserFunction(f,...args){
if(f)
setTimeout(()=>f(...args),1)
}
function toggleOrientation(state){
state.orientation=opposite2(state.orientation)
state.animation.current=state.draggable.current=state.selected=void 0
}
function setPieces(state,pieces){
for(const[key,piece]of pieces){
if(piece)
state.pieces.set(key,piece)
else
state.pieces.delete(key)
}
}
function setCheck(state,color){
state.check=void 0
if(color===true)
color=state.turnColor
if(color)
for(const[k,p]of state.pieces){
if(p.role==="king"&&p.color===color){
state.check=k
}
}
}
function setPremove(state,orig,dest,meta){
unsetPredrop(state)
state.premovable.current=[orig,dest]
callUserFunction(state.premovable.events.set,orig,dest,meta)
}
function unsetPremove(state){
if(state.premovable.current){
state.premovable.current=void 0
callUserFunction(state.premovable.events.unset)
}
}
function setPredrop(state,role,key){
unsetPremove(state)
state.predroppable.current={role,key}
callUserFunction(state.predroppable.events.set,role,key)
}
function unsetPredrop(state){
const pd=state.predroppable
if(pd.current){
pd.current=void 0
callUserFunction(pd.events.unset)
}
}
function tryAutoCastle(state,orig,dest){
if(!state.autoCastle)
return false
const king=state.pieces.get(orig)
if(!king||king.role!=="king")
return false
const origPos=key2pos(orig)
const destPos=key2pos(dest)
if(origPos[1]!==0&&origPos[1]!==7||origPos[1]!==destPos[1])
return false
if(origPos[0]===4&&!state.pieces.has(dest)){
if(destPos[0]===6)
dest=pos2keyUnsafe([7,destPos[1]])
else if(destPos[0]===2)
dest=pos2keyUnsafe([0,destPos[1]])
}
const rook=state.pieces.get(dest)
if(!rook||rook.color!==king.color||rook.role!=="rook")
return false
state.pieces.delete(orig)
state.pieces.delete(dest)
if(origPos[0]<destPos[0]){
state.pieces.set(pos2keyUnsafe([6,destPos[1]]),king)
state.pieces.set(pos2keyUnsafe([5,destPos[1]]),rook)
}else{
state.pieces.set(pos2keyUnsafe([2,destPos[1]]),king)
state.pieces.set(pos2keyUnsafe([3,destPos[1]]),rook)
}
return true
}
function baseMove(state,orig,dest){
const origPiece=state.pieces.get(orig),destPiece=state.pieces.get(dest)
if(orig===dest||!origPiece)
return false
const captured=destPiece&&destPiece.color!==origPiece.color?destPiece:void 0
if(dest===state.selected)
unselect(state)
callUserFunction(state.events.move,orig,dest,captured)
if(!tryAutoCastle(state,orig,dest)){
state.pieces.set(dest,origPiece)
state.pieces.delete(orig)
}
state.lastMove=[orig,dest]
state.check=void 0
callUserFunction(state.events.change)
return captured||true
}
function baseNewPiece(state,piece,key,force){
if(state.pieces.has(key)){
if(force)
state.pieces.delete(key)
else
return false
}
callUserFunction(state.events.dropNewPiece,piece,key)
state.pieces.set(key,piece)
state.lastMove=[key]
state.check=void 0
callUserFunction(state.events.change)
state.movable.dests=void 0
state.turnColor=opposite2(state.turnColor)
return true
}
function baseUserMove(state,orig,dest){
const result2=baseMove(state,orig,dest)
if(result2){
state.movable.dests=void 0
state.turnColor=opposite2(state.turnColor)
state.animation.current=void 0
}
return result2
}
function userMove(state,orig,dest){
if(canMove(state,orig,dest)){
const result2=baseUserMove(state,orig,dest)
if(result2){
const holdTime=state.hold.stop()
unselect(state)
const metadata={
premove:false,
ctrlKey:state.stats.ctrlKey,
holdTime
}
if(result2!==true)
metadata.captured=result2
callUserFunction(state.movable.events.after,orig,dest,metadata)
return true
}
}else if(canPremove(state,orig,dest)){
setPremove(state,orig,dest,{
ctrlKey:state.stats.ctrlKey
})
unselect(state)
return true
}
unselect(state)
return false
}
function dropNewPiece(state,orig,dest,force){
const piece=state.pieces.get(orig)
if(piece&&(canDrop(state,orig,dest)||force)){
state.pieces.delete(orig)
baseNewPiece(state,piece,dest,force)
callUserFunction(state.movable.events.afterNewPiece,piece.role,dest,{
premove:false,
predrop:false
})
}else if(piece&&canPredrop(state,orig,dest)){
setPredrop(state,piece.role,dest)
}else{
unsetPremove(state)
unsetPredrop(state)
}
state.pieces.delete(orig)
unselect(state)
}
function selectSquare(state,key,force){
callUserFunction(state.events.select,key)
if(state.selected){
if(state.selected===key&&!state.draggable.enabled){
unselect(state)
state.hold.cancel()
return
}else if((state.selectable.enabled||force)&&state.selected!==key){
if(userMove(state,state.selected,key)){
state.stats.dragged=false
return
}
}
}
if((state.selectable.enabled||state.draggable.enabled)&&(isMovable(state,key)||isPremovable(state,key))){
setSelected(state,key)
state.hold.start()
}
}
function setSelected(state,key){
state.selected=key
if(!isPremovable(state,key))
state.premovable.dests=void 0
else if(!state.premovable.customDests)
state.premovable.dests=premove(state,key)
}
function unselect(state){
state.selected=void 0
state.premovable.dests=void 0
state.hold.cancel()
}
function isMovable(state,orig){
const piece=state.pieces.get(orig)
return!!piece&&(state.movable.color==="both"||state.movable.color===piece.color&&state.turnColor===piece.color)
}
var canMove=(state,orig,dest)=>orig!==dest&&isMovable(state,orig)&&(state.movable.free||!!state.movable.dests?.get(orig)?.includes(dest))
function canDrop(state,orig,dest){
const piece=state.pieces.get(orig)
return!!piece&&(orig===dest||!state.pieces.has(dest))&&(state.movable.color==="both"||state.movable.color===piece.color&&state.turnColor===piece.color)
}
function isPremovable(state,orig){
const piece=state.pieces.get(orig)
return!!piece&&state.premovable.enabled&&state.movable.color===piece.color&&state.turnColor!==piece.color
}
var canPremove=(state,orig,dest)=>orig!==dest&&isPremovable(state,orig)&&(state.premovable.customDests?.get(orig)??premove(state,orig)).includes(dest)
function canPredrop(state,orig,dest){
const piece=state.pieces.get(orig)
const destPiece=state.pieces.get(dest)
return!!piece&&(!destPiece||destPiece.color!==state.movable.color)&&state.predroppable.enabled&&(piece.role!=="pawn"||dest[1]!=="1"&&dest[1]!=="8")&&state.movable.color===piece.color&&state.turnColor!==piece.color
}
function isDraggable(state,orig){
const piece=state.pieces.get(orig)
return!!piece&&state.draggable.enabled&&(state.movable.color==="both"||state.movable.color===piece.color&&(state.turnColor===piece.color||state.premovable.enabled))
}
function playPremove(state){
const move3=state.premovable.current
if(!move3)
return false
const orig=move3[0],dest=move3[1]
let success=false
if(canMove(state,orig,dest)){
const result2=baseUserMove(state,orig,dest)
if(result2){
const metadata={premove:true}
if(result2!==true)
metadata.captured=result2
callUserFunction(state.movable.events.after,orig,dest,metadata)
success=true
}
}
unsetPremove(state)
return success
}
function playPredrop(state,validate){
const drop2=state.predroppable.current
let success=false
if(!drop2)
return false
if(validate(drop2)){
const piece={
role:drop2.role,
color:state.movable.color
}
if(baseNewPiece(state,piece,drop2.key)){
callUserFunction(state.movable.events.afterNewPiece,drop2.role,drop2.key,{
premove:false,
predrop:true
})
success=true
}
}
unsetPredrop(state)
return success
}
function cancelMove(state){
unsetPremove(state)
unsetPredrop(state)
unselect(state)
}
function stop(state){
state.movable.color=state.movable.dests=state.animation.current=void 0
cancelMove(state)
}
function getKeyAtDomPos(pos,asWhite,bounds){
let file=Math.floor(8*(pos[0]-bounds.left)/ bounds.width)
if(!asWhite)
file=7-file
let rank=7-Math.floor(8*(pos[1]-bounds.top)/ bounds.height)
if(!asWhite)
rank=7-rank
return file>=0&&file<8&&rank>=0&&rank<8?pos2key([file,rank]):void 0
}
function getSnappedKeyAtDomPos(orig,pos,asWhite,bounds){
const origPos=key2pos(orig)
const validSnapPos=allPos.filter((pos2)=>samePos(origPos,pos2)||queenDir(origPos[0],origPos[1],pos2[0],pos2[1])||knightDir(origPos[0],origPos[1],pos2[0],pos2[1]))
const validSnapCenters=validSnapPos.map((pos2)=>computeSquareCenter(pos2keyUnsafe(pos2),asWhite,bounds))
const validSnapDistances=validSnapCenters.map((pos2)=>distanceSq(pos,pos2))
const[,closestSnapIndex]=validSnapDistances.reduce((a,b,index)=>a[0]<b?a:[b,index],[validSnapDistances[0],0])
return pos2key(validSnapPos[closestSnapIndex])
}
var whitePov=(s2)=>s2.orientation==="white";

var initial2="rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"
var roles={
p:"pawn",
r:"rook",
n:"knight",
b:"bishop",
q:"queen",
k:"king"
}
var letters={
pawn:"p",
rook:"r",
knight:"n",
bishop:"b",
queen:"q",
king:"k"
}
function read(fen){
if(fen==="start")
fen=initial2
const pieces=/* @__PURE__ */ new Map()
let row=7,col=0
for(const c of fen){
switch(c){
case" ":
case"[":
return pieces
case"/":
--row
if(row<0)
return pieces
col=0
break
case"~":{
const k=pos2key([col-1,row])
const piece=k&&pieces.get(k)
if(piece)
piece.promoted=true
break
}
default:{
const nb=c.charCodeAt(0)
if(nb<57)
col +=nb-48
else{
const role=c.toLowerCase()
const key=pos2key([col,row])
if(key)
pieces.set(key,{
role:roles[role],
color:c===role?"black":"white"
});
++col
}
}
}
}
return pieces
}
function write(pieces){
return invRanks.map((y)=>files.map((x)=>{
const piece=pieces.get(x+y)
if(piece){
let p=letters[piece.role]
if(piece.color==="white")
p=p.toUpperCase()
if(piece.promoted)
p +="~"
return p
}else
return"1"
}).join("")).join("/").replace(/1{2,}/g,(s2)=>s2.length.toString())
}

function applyAnimation(state,config){
if(config.animation){
deepMerge(state.animation,config.animation)
if((state.animation.duration||0)<70)
state.animation.enabled=false
}
}
function configure(state,config){
if(config.movable?.dests)
state.movable.dests=void 0
if(config.drawable?.autoShapes)
state.drawable.autoShapes=[]
deepMerge(state,config)
if(config.fen){
state.pieces=read(config.fen)
state.drawable.shapes=config.drawable?.shapes||[]
}
if("check"in config)
setCheck(state,config.check||false)
if("lastMove"in config&&!config.lastMove)
state.lastMove=void 0
else if(config.lastMove)
state.lastMove=config.lastMove
if(state.selected)
setSelected(state,state.selected)
applyAnimation(state,config)
if(!state.movable.rookCastle&&state.movable.dests){
const rank=state.movable.color==="white"?"1":"8",kingStartPos="e"+rank,dests=state.movable.dests.get(kingStartPos),king=state.pieces.get(kingStartPos)
if(!dests||!king||king.role!=="king")
return
state.movable.dests.set(kingStartPos,dests.filter((d)=>!(d==="a"+rank&&dests.includes("c"+rank))&&!(d==="h"+rank&&dests.includes("g"+rank))))
}
}
function deepMerge(base,extend){
for(const key in extend){
if(key==="__proto__"||key==="constructor"||!Object.prototype.hasOwnProperty.call(extend,key))
continue
if(Object.prototype.hasOwnProperty.call(base,key)&&isPlainObject(base[key])&&isPlainObject(extend[key]))
deepMerge(base[key],extend[key])
else
base[key]=extend[key]
}
}
function isPlainObject(o){
if(typeof o!=="object"||o===null)
return false
const proto=Object.getPrototypeOf(o)
return proto===Object.prototype||proto===null
}

var brushes=["green","red","blue","yellow"]
function start(state,e){
if(e.touches&&e.touches.length>1)
return
e.stopPropagation()
e.preventDefault()
if(e.ctrlKey){
unselect(state)
}else{
cancelMove(state)
}
const pos=eventPosition(e),orig=getKeyAtDomPos(pos,whitePov(state),state.dom.bounds())
if(!orig)
return
state.drawable.current={
orig,
pos,
brush:eventBrush(e),
snapToValidMove:state.drawable.defaultSnapToValidMove
}
processDraw(state)
}
function processDraw(state){
requestAnimationFrame(()=>{
const cur=state.drawable.current
if(cur){
const keyAtDomPos=getKeyAtDomPos(cur.pos,whitePov(state),state.dom.bounds())
if(!keyAtDomPos){
cur.snapToValidMove=false
}
const mouseSq=cur.snapToValidMove?getSnappedKeyAtDomPos(cur.orig,cur.pos,whitePov(state),state.dom.bounds()):keyAtDomPos
if(mouseSq!==cur.mouseSq){
cur.mouseSq=mouseSq
cur.dest=mouseSq!==cur.orig?mouseSq:void 0
state.dom.redrawNow()
}
processDraw(state)
}
})
}
function move(state,e){
if(state.drawable.current)
state.drawable.current.pos=eventPosition(e)
}
function end2(state){
const cur=state.drawable.current
if(cur){
if(cur.mouseSq)
addShape(state.drawable,cur)
cancel(state)
}
}
function cancel(state){
if(state.drawable.current){
state.drawable.current=void 0
state.dom.redraw()
}
}
function clear(state){
if(state.drawable.shapes.length){
state.drawable.shapes=[]
state.dom.redraw()
onChange(state.drawable)
}
}
var sameEndpoints=(s1,s2)=>s1.orig===s2.orig&&s1.dest===s2.dest
var sameColor=(s1,s2)=>s1.brush===s2.brush
function eventBrush(e){
const modA=(e.shiftKey||e.ctrlKey)&&isRightButton(e)
const modB=e.altKey||e.metaKey||e.getModifierState?.("AltGraph")
return brushes[(modA?1:0)+(modB?2:0)]
}
function addShape(drawable,cur){
const similar=drawable.shapes.find((s2)=>sameEndpoints(s2,cur))
if(similar)
drawable.shapes=drawable.shapes.filter((s2)=>!sameEndpoints(s2,cur))
if(!similar||!sameColor(similar,cur))
drawable.shapes.push({
orig:cur.orig,
dest:cur.dest,
brush:cur.brush
})
onChange(drawable)
}
function onChange(drawable){
if(drawable.onChange)
drawable.onChange(drawable.shapes)
}

function start2(s2,e){
if(!(s2.trustAllEvents||e.isTrusted))
return
if(e.buttons!==void 0&&e.buttons>1)
return
if(e.touches&&e.touches.length>1)
return
const bounds=s2.dom.bounds(),position=eventPosition(e),orig=getKeyAtDomPos(position,whitePov(s2),bounds)
if(!orig)
return
const piece=s2.pieces.get(orig)
const previouslySelected=s2.selected
if(!previouslySelected&&s2.drawable.enabled&&(s2.drawable.eraseOnMovablePieceClick||!piece||piece.color!==s2.turnColor))
clear(s2)
if(e.cancelable!==false&&(!e.touches||s2.blockTouchScroll||piece||previouslySelected||pieceCloseTo(s2,position)))
e.preventDefault()
else if(e.touches)
return
const hadPremove=!!s2.premovable.current
const hadPredrop=!!s2.predroppable.current
s2.stats.ctrlKey=e.ctrlKey
if(s2.selected&&canMove(s2,s2.selected,orig)){
anim((state)=>selectSquare(state,orig),s2)
}else{
selectSquare(s2,orig)
}
const stillSelected=s2.selected===orig
const element=pieceElementByKey(s2,orig)
if(piece&&element&&stillSelected&&isDraggable(s2,orig)){
s2.draggable.current={
orig,
piece,
origPos:position,
pos:position,
started:s2.draggable.autoDistance&&s2.stats.dragged,
element,
previouslySelected,
originTarget:e.target,
keyHasChanged:false
}
element.cgDragging=true
element.classList.add("dragging")
const ghost=s2.dom.elements.ghost
if(ghost){
ghost.className=`ghost ${piece.color} ${piece.role}`
translate(ghost,posToTranslate(bounds)(key2pos(orig),whitePov(s2)))
setVisible(ghost,true)
}
processDrag(s2)
}else{
if(hadPremove)
unsetPremove(s2)
if(hadPredrop)
unsetPredrop(s2)
}
s2.dom.redraw()
}
function pieceCloseTo(s2,pos){
const asWhite=whitePov(s2),bounds=s2.dom.bounds(),radiusSq=Math.pow(s2.touchIgnoreRadius*bounds.width / 16,2)*2
for(const key of s2.pieces.keys()){
const center=computeSquareCenter(key,asWhite,bounds)
if(distanceSq(center,pos)<=radiusSq)
return true
}
return false
}
function dragNewPiece(s2,piece,e,force){
const key="a0"
s2.pieces.set(key,piece)
s2.dom.redraw()
const position=eventPosition(e)
s2.draggable.current={
orig:key,
piece,
origPos:position,
pos:position,
started:true,
element:()=>pieceElementByKey(s2,key),
originTarget:e.target,
newPiece:true,
force:!!force,
keyHasChanged:false
}
processDrag(s2)
}
function processDrag(s2){
requestAnimationFrame(()=>{
const cur=s2.draggable.current
if(!cur)
return
if(s2.animation.current?.plan.anims.has(cur.orig))
s2.animation.current=void 0
const origPiece=s2.pieces.get(cur.orig)
if(!origPiece||!samePiece(origPiece,cur.piece))
cancel2(s2)
else{
if(!cur.started&&distanceSq(cur.pos,cur.origPos)>=Math.pow(s2.draggable.distance,2))
cur.started=true
if(cur.started){
if(typeof cur.element==="function"){
const found=cur.element()
if(!found)
return
found.cgDragging=true
found.classList.add("dragging")
cur.element=found
}
const bounds=s2.dom.bounds()
translate(cur.element,[
cur.pos[0]-bounds.left-bounds.width / 16,
cur.pos[1]-bounds.top-bounds.height / 16
])
if(s2.jsHover)
handleJsHover(s2,cur)
else
cur.keyHasChanged||(cur.keyHasChanged=cur.orig!==getKeyAtDomPos(cur.pos,whitePov(s2),bounds))
}
}
processDrag(s2)
})
}
function handleJsHover(s2,cur){
const hoveredKey=getKeyAtDomPos(cur.pos,whitePov(s2),s2.dom.bounds())
if(cur.orig!==hoveredKey){
cur.keyHasChanged=true
if(hoveredKey){
const isValidMove=s2.movable.dests?.get(cur.orig)?.includes(hoveredKey)??s2.premovable.dests?.includes(hoveredKey)
if(isValidMove){
const hoveredValidDestSquare=s2.dom.elements.board.querySelector(`.move-dest[data-key="${hoveredKey}"], .premove-dest[data-key="${hoveredKey}"]`)
if(hoveredValidDestSquare&&!hoveredValidDestSquare.classList.contains("hover")){
resetHoverState(s2)
hoveredValidDestSquare.classList.add("hover")
}
}else{
resetHoverState(s2)
}
}
}else{
resetHoverState(s2)
}
}
function resetHoverState(s2){
const squares=s2.dom.elements.board.querySelectorAll(`.move-dest, .premove-dest`)
if(squares.length>0){
squares.forEach((sq)=>sq.classList.remove("hover"))
}
}
function move2(s2,e){
if(s2.draggable.current&&(!e.touches||e.touches.length<2)){
s2.draggable.current.pos=eventPosition(e)
}
}
function end3(s2,e){
const cur=s2.draggable.current
if(!cur)
return
if(e.type==="touchend"&&e.cancelable!==false)
e.preventDefault()
if(e.type==="touchend"&&cur.originTarget!==e.target&&!cur.newPiece){
s2.draggable.current=void 0
return
}
unsetPremove(s2)
unsetPredrop(s2)
const eventPos=eventPosition(e)||cur.pos
const dest=getKeyAtDomPos(eventPos,whitePov(s2),s2.dom.bounds())
if(dest&&cur.started&&cur.orig!==dest){
if(cur.newPiece)
dropNewPiece(s2,cur.orig,dest,cur.force)
else{
s2.stats.ctrlKey=e.ctrlKey
if(userMove(s2,cur.orig,dest))
s2.stats.dragged=true
}
}else if(cur.newPiece){
s2.pieces.delete(cur.orig)
}else if(s2.draggable.deleteOnDropOff&&!dest){
s2.pieces.delete(cur.orig)
callUserFunction(s2.events.change)
}
if((cur.orig===cur.previouslySelected||cur.keyHasChanged)&&(cur.orig===dest||!dest))
unselect(s2)
else if(!s2.selectable.enabled)
unselect(s2)
removeDragElements(s2)
s2.draggable.current=void 0
s2.dom.redraw()
}
function cancel2(s2){
const cur=s2.draggable.current
if(cur){
if(cur.newPiece)
s2.pieces.delete(cur.orig)
s2.draggable.current=void 0
unselect(s2)
removeDragElements(s2)
s2.dom.redraw()
}
}
function removeDragElements(s2){
const e=s2.dom.elements
if(e.ghost)
setVisible(e.ghost,false)
}
function pieceElementByKey(s2,key){
let el=s2.dom.elements.board.firstChild
while(el){
if(el.cgKey===key&&el.tagName==="PIECE")
return el
el=el.nextSibling
}
return void 0
}

function explosion(state,keys){
state.exploding={stage:1,keys}
state.dom.redraw()
setTimeout(()=>{
setStage(state,2)
setTimeout(()=>setStage(state,void 0),120)
},120)
}
function setStage(state,stage){
if(state.exploding){
if(stage)
state.exploding.stage=stage
else
state.exploding=void 0
state.dom.redraw()
}
}

function start3(state,redrawAll){
function toggleOrientation2(){
toggleOrientation(state)
redrawAll()
}
return{
set(config){
if(config.orientation&&config.orientation!==state.orientation)
toggleOrientation2()
applyAnimation(state,config);
(config.fen?anim:render)((state2)=>configure(state2,config),state)
},
state,
getFen:()=>write(state.pieces),
toggleOrientation:toggleOrientation2,
setPieces(pieces){
anim((state2)=>setPieces(state2,pieces),state)
},
selectSquare(key,force){
if(key)
anim((state2)=>selectSquare(state2,key,force),state)
else if(state.selected){
unselect(state)
state.dom.redraw()
}
},
move(orig,dest){
anim((state2)=>baseMove(state2,orig,dest),state)
},
newPiece(piece,key){
anim((state2)=>baseNewPiece(state2,piece,key),state)
},
playPremove(){
if(state.premovable.current){
if(anim(playPremove,state))
return true
state.dom.redraw()
}
return false
},
playPredrop(validate){
if(state.predroppable.current){
const result2=playPredrop(state,validate)
state.dom.redraw()
return result2
}
return false
},
cancelPremove(){
render(unsetPremove,state)
},
cancelPredrop(){
render(unsetPredrop,state)
},
cancelMove(){
render((state2)=>{
cancelMove(state2)
cancel2(state2)
},state)
},
stop(){
render((state2)=>{
stop(state2)
cancel2(state2)
},state)
},
explode(keys){
explosion(state,keys)
},
setAutoShapes(shapes){
render((state2)=>state2.drawable.autoShapes=shapes,state)
},
setShapes(shapes){
render((state2)=>state2.drawable.shapes=shapes.slice(),state)
},
getKeyAtDomPos(pos){
return getKeyAtDomPos(pos,whitePov(state),state.dom.bounds())
},
redrawAll,
dragNewPiece(piece,event,force){
dragNewPiece(state,piece,event,force)
},
destroy(){
stop(state)
state.dom.unbind?.()
state.dom.destroyed=true
}
}
}

function syncShapes(shapes,root,renderShape3){
const hashesInDom=/* @__PURE__ */ new Map(),toRemove=[]
for(const sc of shapes)
hashesInDom.set(sc.hash,false)
let el=root.firstElementChild,elHash
while(el){
elHash=el.getAttribute("cgHash")
if(hashesInDom.has(elHash))
hashesInDom.set(elHash,true)
else
toRemove.push(el)
el=el.nextElementSibling
}
for(const el2 of toRemove)
root.removeChild(el2)
for(const sc of shapes){
if(!hashesInDom.get(sc.hash))
root.appendChild(renderShape3(sc))
}
}

function render2(state,autoPieceEl){
const autoPieces=state.drawable.autoShapes.filter((autoShape)=>autoShape.piece)
const autoPieceShapes=autoPieces.map((s2)=>{
return{
shape:s2,
hash:hash(s2),
current:false,
pendingErase:false
}
})
syncShapes(autoPieceShapes,autoPieceEl,(shape)=>renderShape(state,shape,state.dom.bounds()))
}
function renderResized(state){
const asWhite=whitePov(state),posToTranslate2=posToTranslate(state.dom.bounds())
let el=state.dom.elements.autoPieces?.firstChild
while(el){
translateAndScale(el,posToTranslate2(key2pos(el.cgKey),asWhite),el.cgScale)
el=el.nextSibling
}
}
function renderShape(state,{shape,hash:hash2},bounds){
const orig=shape.orig
const role=shape.piece?.role
const color=shape.piece?.color
const scale=shape.piece?.scale
const pieceEl=createEl("piece",`${role} ${color}`)
pieceEl.setAttribute("cgHash",hash2)
pieceEl.cgKey=orig
pieceEl.cgScale=scale
translateAndScale(pieceEl,posToTranslate(bounds)(key2pos(orig),whitePov(state)),scale)
return pieceEl
}
var hash=(autoPiece)=>[autoPiece.orig,autoPiece.piece?.role,autoPiece.piece?.color,autoPiece.piece?.scale].join(",");

function drop(s2,e){
if(!s2.dropmode.active)
return
unsetPremove(s2)
unsetPredrop(s2)
const piece=s2.dropmode.piece
if(piece){
s2.pieces.set("a0",piece)
const position=eventPosition(e)
const dest=position&&getKeyAtDomPos(position,whitePov(s2),s2.dom.bounds())
if(dest)
dropNewPiece(s2,"a0",dest)
}
s2.dom.redraw()
}

function bindBoard(s2){
const boardEl=s2.dom.elements.board
if(s2.disableContextMenu||s2.drawable.enabled){
boardEl.addEventListener("contextmenu",(e)=>e.preventDefault())
}
if(s2.viewOnly)
return
const onStart=startDragOrDraw(s2)
boardEl.addEventListener("touchstart",onStart,{
passive:false
})
boardEl.addEventListener("mousedown",onStart,{
passive:false
})
}
function bindDocument(s2,onResize){
const unbinds=[]
if("ResizeObserver"in window){
const ro=new ResizeObserver(onResize)
ro.observe(s2.dom.elements.wrap)
unbinds.push(()=>ro.disconnect())
}else
unbinds.push(unbindable(document.body,"chessground.resize",onResize))
if(!s2.viewOnly){
const onmove=dragOrDraw(s2,move2,move)
const onend=dragOrDraw(s2,end3,end2)
for(const ev of["touchmove","mousemove"])
unbinds.push(unbindable(document,ev,onmove))
for(const ev of["touchend","mouseup"])
unbinds.push(unbindable(document,ev,onend))
const onScroll=()=>s2.dom.bounds.clear()
unbinds.push(unbindable(document,"scroll",onScroll,{capture:true,passive:true}))
unbinds.push(unbindable(window,"resize",onScroll,{passive:true}))
}
return()=>unbinds.forEach((f)=>f())
}
function unbindable(el,eventName,callback,options){
el.addEventListener(eventName,callback,options)
return()=>el.removeEventListener(eventName,callback,options)
}
var startDragOrDraw=(s2)=>(e)=>{
if(s2.draggable.current)
cancel2(s2)
else if(s2.drawable.current)
cancel(s2)
else if(e.shiftKey||isRightButton(e)){
if(s2.drawable.enabled)
start(s2,e)
}else if(!s2.viewOnly){
if(s2.dropmode.active)
drop(s2,e)
else
start2(s2,e)
}
}
var dragOrDraw=(s2,withDrag,withDraw)=>(e)=>{
if(s2.drawable.current){
if(s2.drawable.enabled)
withDraw(s2,e)
}else if(!s2.viewOnly)
withDrag(s2,e)
};

function render3(s2){
const asWhite=whitePov(s2),posToTranslate2=posToTranslate(s2.dom.bounds()),boardEl=s2.dom.elements.board,pieces=s2.pieces,curAnim=s2.animation.current,anims=curAnim?curAnim.plan.anims:/* @__PURE__ */ new Map(),fadings=curAnim?curAnim.plan.fadings:/* @__PURE__ */ new Map(),curDrag=s2.draggable.current,samePieces=/* @__PURE__ */ new Set(),movedPieces=/* @__PURE__ */ new Map(),desiredSquares=computeSquareClasses(s2),availableSquares=/* @__PURE__ */ new Map()
let k,el,pieceAtKey,elPieceName,anim2,fading,pMvdset,pMvd,sAvail
el=boardEl.firstChild
while(el){
k=el.cgKey
if(isPieceNode(el)){
pieceAtKey=pieces.get(k)
anim2=anims.get(k)
fading=fadings.get(k)
elPieceName=el.cgPiece
if(el.cgDragging&&(!curDrag||curDrag.orig!==k)){
el.classList.remove("dragging")
translate(el,posToTranslate2(key2pos(k),asWhite))
el.cgDragging=false
}
if(!fading&&el.cgFading){
el.cgFading=false
el.classList.remove("fading")
}
if(pieceAtKey){
if(anim2&&el.cgAnimating&&elPieceName===pieceNameOf(pieceAtKey)){
const pos=key2pos(k)
pos[0]+=anim2[2]
pos[1]+=anim2[3]
el.classList.add("anim")
translate(el,posToTranslate2(pos,asWhite))
}else if(el.cgAnimating){
el.cgAnimating=false
el.classList.remove("anim")
translate(el,posToTranslate2(key2pos(k),asWhite))
if(s2.addPieceZIndex)
el.style.zIndex=posZIndex(key2pos(k),asWhite)
}
if(elPieceName===pieceNameOf(pieceAtKey)&&(!fading||!el.cgFading))
samePieces.add(k)
else if(fading&&elPieceName===pieceNameOf(fading)){
el.classList.add("fading")
el.cgFading=true
}else
appendValue(movedPieces,elPieceName,el)
}else
appendValue(movedPieces,elPieceName,el)
}else if(isSquareNode(el)){
const cls=el.className
if(desiredSquares.get(k)===cls){
setVisible(el,true)
desiredSquares.delete(k)
}else
appendValue(availableSquares,cls,el)
}
el=el.nextSibling
}
for(const[sk,className]of desiredSquares){
sAvail=availableSquares.get(className)?.pop()
const translation=posToTranslate2(key2pos(sk),asWhite)
if(sAvail){
sAvail.cgKey=sk
if(s2.jsHover)
sAvail.dataset["key"]=sk
translate(sAvail,translation)
setVisible(sAvail,true)
}else{
const squareNode=createEl("square",className)
squareNode.cgKey=sk
if(s2.jsHover)
squareNode.dataset["key"]=sk
translate(squareNode,translation)
boardEl.insertBefore(squareNode,boardEl.firstChild)
}
}
for(const[,nodes]of availableSquares.entries()){
for(const node of nodes)
setVisible(node,false)
}
for(const[k2,p]of pieces){
anim2=anims.get(k2)
if(!samePieces.has(k2)){
pMvdset=movedPieces.get(pieceNameOf(p))
pMvd=pMvdset&&pMvdset.pop()
if(pMvd){
pMvd.cgKey=k2
if(pMvd.cgFading){
pMvd.classList.remove("fading")
pMvd.cgFading=false
}
const pos=key2pos(k2)
if(s2.addPieceZIndex)
pMvd.style.zIndex=posZIndex(pos,asWhite)
if(anim2){
pMvd.cgAnimating=true
pMvd.classList.add("anim")
pos[0]+=anim2[2]
pos[1]+=anim2[3]
}
translate(pMvd,posToTranslate2(pos,asWhite))
}else{
const pieceName=pieceNameOf(p),pieceNode=createEl("piece",pieceName),pos=key2pos(k2)
pieceNode.cgPiece=pieceName
pieceNode.cgKey=k2
if(anim2){
pieceNode.cgAnimating=true
pos[0]+=anim2[2]
pos[1]+=anim2[3]
}
translate(pieceNode,posToTranslate2(pos,asWhite))
if(s2.addPieceZIndex)
pieceNode.style.zIndex=posZIndex(pos,asWhite)
boardEl.appendChild(pieceNode)
}
}
}
for(const nodes of movedPieces.values())
removeNodes(s2,nodes)
}
function renderResized2(s2){
const asWhite=whitePov(s2),posToTranslate2=posToTranslate(s2.dom.bounds())
let el=s2.dom.elements.board.firstChild
while(el){
if(isPieceNode(el)&&!el.cgAnimating||isSquareNode(el)){
translate(el,posToTranslate2(key2pos(el.cgKey),asWhite))
}
el=el.nextSibling
}
}
function updateBounds(s2){
const bounds=s2.dom.elements.wrap.getBoundingClientRect()
const container=s2.dom.elements.container
const ratio=bounds.height / bounds.width
const width=Math.floor(bounds.width*window.devicePixelRatio / 8)*8 / window.devicePixelRatio
const height=width*ratio
container.style.width=width+"px"
container.style.height=height+"px"
s2.dom.bounds.clear()
s2.addDimensionsCssVarsTo?.style.setProperty("---cg-width",width+"px")
s2.addDimensionsCssVarsTo?.style.setProperty("---cg-height",height+"px")
}
var isPieceNode=(el)=>el.tagName==="PIECE"
var isSquareNode=(el)=>el.tagName==="SQUARE"
function removeNodes(s2,nodes){
for(const node of nodes)
s2.dom.elements.board.removeChild(node)
}
function posZIndex(pos,asWhite){
const minZ=3
const rank=pos[1]
const z=asWhite?minZ+7-rank:minZ+rank
return `${z}`
}
var pieceNameOf=(piece)=>`${piece.color} ${piece.role}`
var normalizeLastMoveStandardRookCastle=(s2,k)=>!!s2.lastMove?.[1]&&!s2.pieces.has(s2.lastMove[1])&&s2.lastMove[0][0]==="e"&&["h","a"].includes(s2.lastMove[1][0])&&s2.lastMove[0][1]===s2.lastMove[1][1]&&squaresBetween(...key2pos(s2.lastMove[0]),...key2pos(s2.lastMove[1])).some((sq)=>s2.pieces.has(sq))?(k>s2.lastMove[0]?"g":"c")+k[1]:k
function computeSquareClasses(s2){
const squares=/* @__PURE__ */ new Map()
if(s2.lastMove&&s2.highlight.lastMove)
for(const[i,k]of s2.lastMove.entries())
addSquare(squares,i===1?normalizeLastMoveStandardRookCastle(s2,k):k,"last-move")
if(s2.check&&s2.highlight.check)
addSquare(squares,s2.check,"check")
if(s2.selected){
addSquare(squares,s2.selected,"selected")
if(s2.movable.showDests){
for(const k of s2.movable.dests?.get(s2.selected)??[])
addSquare(squares,k,"move-dest"+(s2.pieces.has(k)?" oc":""))
for(const k of s2.premovable.customDests?.get(s2.selected)??s2.premovable.dests??[])
addSquare(squares,k,"premove-dest"+(s2.pieces.has(k)?" oc":""))
}
}
const premove2=s2.premovable.current
if(premove2)
for(const k of premove2)
addSquare(squares,k,"current-premove")
else if(s2.predroppable.current)
addSquare(squares,s2.predroppable.current.key,"current-premove")
const o=s2.exploding
if(o)
for(const k of o.keys)
addSquare(squares,k,"exploding"+o.stage)
if(s2.highlight.custom){
s2.highlight.custom.forEach((v,k)=>{
addSquare(squares,k,v)
})
}
return squares
}
function addSquare(squares,key,klass){
const classes=squares.get(key)
if(classes)
squares.set(key,`${classes} ${klass}`)
else
squares.set(key,klass)
}
function appendValue(map,key,value){
const arr=map.get(key)
if(arr)
arr.push(value)
else
map.set(key,[value])
}

function defaults(){
return{
pieces:read(initial2),
orientation:"white",
turnColor:"white",
coordinates:true,
coordinatesOnSquares:false,
ranksPosition:"right",
autoCastle:true,
viewOnly:false,
disableContextMenu:false,
addPieceZIndex:false,
blockTouchScroll:false,
touchIgnoreRadius:1,
pieceKey:false,
trustAllEvents:false,
jsHover:false,
highlight:{
lastMove:true,
check:true
},
animation:{
enabled:true,
duration:200
},
movable:{
free:true,
color:"both",
showDests:true,
events:{},
rookCastle:true
},
premovable:{
enabled:true,
showDests:true,
castle:true,
additionalPremoveRequirements:(_)=>true,
events:{}
},
predroppable:{
enabled:false,
events:{}
},
draggable:{
enabled:true,
distance:3,
autoDistance:true,
showGhost:true,
deleteOnDropOff:false
},
dropmode:{
active:false
},
selectable:{
enabled:true
},
stats:{
dragged:!("ontouchstart"in window)
},
events:{},
drawable:{
enabled:true,
visible:true,
defaultSnapToValidMove:true,
eraseOnMovablePieceClick:true,
shapes:[],
autoShapes:[],
brushes:{
green:{key:"g",color:"#15781B",opacity:1,lineWidth:10},
red:{key:"r",color:"#882020",opacity:1,lineWidth:10},
blue:{key:"b",color:"#003088",opacity:1,lineWidth:10},
yellow:{key:"y",color:"#e68f00",opacity:1,lineWidth:10},
paleBlue:{key:"pb",color:"#003088",opacity:0.4,lineWidth:15},
paleGreen:{key:"pg",color:"#15781B",opacity:0.4,lineWidth:15},
paleRed:{key:"pr",color:"#882020",opacity:0.4,lineWidth:15},
paleGrey:{
key:"pgr",
color:"#4a4a4a",
opacity:0.35,
lineWidth:15
},
purple:{key:"purple",color:"#68217a",opacity:0.65,lineWidth:10},
pink:{key:"pink",color:"#ee2080",opacity:0.5,lineWidth:10},
white:{key:"white",color:"white",opacity:1,lineWidth:10},
paleWhite:{key:"pwhite",color:"white",opacity:0.6,lineWidth:10},
variation:{key:"variation",color:"white",opacity:0.5,lineWidth:12}
},
prevSvgHash:""
},
hold:timer2()
}
}

function createDefs(){
const defs=createElement("defs")
const filter=setAttributes(createElement("filter"),{id:"cg-filter-blur"})
filter.appendChild(setAttributes(createElement("feGaussianBlur"),{stdDeviation:"0.013"}))
defs.appendChild(filter)
return defs
}
function renderSvg(state,els){
const d=state.drawable,curD=d.current,cur=curD&&curD.mouseSq?curD:void 0,dests=/* @__PURE__ */ new Map(),bounds=state.dom.bounds(),nonPieceAutoShapes=d.autoShapes.filter((autoShape)=>!autoShape.piece)
for(const s2 of d.shapes.concat(nonPieceAutoShapes).concat(cur?[cur]:[])){
if(!s2.dest)
continue
const sources=dests.get(s2.dest)??/* @__PURE__ */ new Set(),from=pos2user(orient(key2pos(s2.orig),state.orientation),bounds),to=pos2user(orient(key2pos(s2.dest),state.orientation),bounds)
sources.add(angleToSlot(moveAngle(from,to)))
dests.set(s2.dest,sources)
}
const shapes=[]
const pendingEraseIdx=cur?d.shapes.findIndex((s2)=>sameEndpoints(s2,cur)&&sameColor(s2,cur)):-1
for(const[idx,s2]of d.shapes.concat(nonPieceAutoShapes).entries()){
const isPendingErase=pendingEraseIdx!==-1&&pendingEraseIdx===idx
shapes.push({
shape:s2,
current:false,
pendingErase:isPendingErase,
hash:shapeHash(s2,isShort(s2.dest,dests),false,bounds,isPendingErase,angleCount(s2.dest,dests))
})
}
if(cur&&pendingEraseIdx===-1)
shapes.push({
shape:cur,
current:true,
hash:shapeHash(cur,isShort(cur.dest,dests),true,bounds,false,angleCount(cur.dest,dests)),
pendingErase:false
})
const fullHash=shapes.map((sc)=>sc.hash).join(";")
if(fullHash===state.drawable.prevSvgHash)
return
state.drawable.prevSvgHash=fullHash
syncDefs(d,shapes,els)
syncShapes2(shapes,els,(s2)=>renderShape2(state,s2,d.brushes,dests,bounds))
}
function syncDefs(d,shapes,els){
for(const shapesEl of[els.shapes,els.shapesBelow]){
const defsEl=shapesEl.querySelector("defs")
const thisPlane=shapes.filter((s2)=>shapesEl===els.shapesBelow===!!s2.shape.below)
const brushes2=/* @__PURE__ */ new Map()
for(const s2 of thisPlane.filter((s3)=>s3.shape.dest&&s3.shape.brush)){
const brush=makeCustomBrush(d.brushes[s2.shape.brush],s2.shape.modifiers)
const{key,color}=hiliteOf(s2.shape)
if(key&&color)
brushes2.set(key,{key,color,opacity:1,lineWidth:1})
brushes2.set(brush.key,brush)
}
const keysInDom=/* @__PURE__ */ new Set()
let el=defsEl.firstElementChild
while(el){
keysInDom.add(el.getAttribute("cgKey"))
el=el.nextElementSibling
}
for(const[key,brush]of brushes2.entries()){
if(!keysInDom.has(key))
defsEl.appendChild(renderMarker(brush))
}
}
}
function syncShapes2(shapes,els,renderShape3){
for(const[shapesEl,customEl]of[
[els.shapes,els.custom],
[els.shapesBelow,els.customBelow]
]){
const[shapesG,customG]=[shapesEl,customEl].map((el)=>el.querySelector("g"))
const thisPlane=shapes.filter((s2)=>shapesEl===els.shapesBelow===!!s2.shape.below)
const hashesInDom=/* @__PURE__ */ new Map()
for(const sc of thisPlane)
hashesInDom.set(sc.hash,false)
for(const root of[shapesG,customG]){
const toRemove=[]
let el=root.firstElementChild,elHash
while(el){
elHash=el.getAttribute("cgHash")
if(hashesInDom.has(elHash))
hashesInDom.set(elHash,true)
else
toRemove.push(el)
el=el.nextElementSibling
}
for(const el2 of toRemove)
root.removeChild(el2)
}
for(const sc of thisPlane.filter((s2)=>!hashesInDom.get(s2.hash))){
for(const svg of renderShape3(sc)){
if(svg.isCustom)
customG.appendChild(svg.el)
else
shapesG.appendChild(svg.el)
}
}
}
}
function shapeHash({orig,dest,brush,piece,modifiers,customSvg,label:label2,below},shorten,current,bounds,pendingErase,angleCountOfDest){
return[
bounds.width,
bounds.height,
current,
pendingErase&&"pendingErase",
angleCountOfDest,
orig,
dest,
brush,
shorten&&"-",
piece&&pieceHash(piece),
modifiers&&modifiersHash(modifiers),
customSvg&&`custom-${textHash(customSvg.html)},${customSvg.center?.[0] ?? "o"}`,
label2&&`label-${textHash(label2.text)}`,
below&&"below"
].filter(Boolean).join(",")
}
var pieceHash=(piece)=>[piece.color,piece.role,piece.scale].filter(Boolean).join(",")
var modifiersHash=(m)=>[m.lineWidth,m.hilite].filter(Boolean).join(",")
function textHash(s2){
let h2=0
for(let i=0;i<s2.length;i++){
h2=(h2<<5)-h2+s2.charCodeAt(i)>>>0
}
return h2.toString()
}
function renderShape2(state,{shape,current,pendingErase,hash:hash2},brushes2,dests,bounds){
const from=pos2user(orient(key2pos(shape.orig),state.orientation),bounds),to=shape.dest?pos2user(orient(key2pos(shape.dest),state.orientation),bounds):from,brush=shape.brush&&makeCustomBrush(brushes2[shape.brush],shape.modifiers),slots=dests.get(shape.dest),svgs=[]
if(brush){
const el=setAttributes(createElement("g"),{cgHash:hash2})
svgs.push({el})
if(from[0]!==to[0]||from[1]!==to[1])
el.appendChild(renderArrow(shape,brush,from,to,current,isShort(shape.dest,dests),pendingErase))
else
el.appendChild(renderCircle(brushes2[shape.brush],from,current,bounds,pendingErase,shape.modifiers?.hilite))
}
if(shape.label){
const label2=shape.label
label2.fill??(label2.fill=shape.brush&&brushes2[shape.brush].color)
const corner=shape.brush?void 0:"tr"
svgs.push({el:renderLabel(label2,hash2,from,to,slots,corner),isCustom:true})
}
if(shape.customSvg){
const on=shape.customSvg.center??"orig"
const[x,y]=on==="label"?labelCoords(from,to,slots).map((c)=>c-0.5):on==="dest"?to:from
const el=setAttributes(createElement("g"),{transform:`translate(${x},${y})`,cgHash:hash2})
el.innerHTML=`<svg width="1" height="1" viewBox="0 0 100 100">${shape.customSvg.html}</svg>`
svgs.push({el,isCustom:true})
}
return svgs
}
function renderCircle(brush,at2,current,bounds,pendingErase,hiliteColor){
const widths=circleWidth(),radius=(bounds.width+bounds.height)/(4*Math.max(bounds.width,bounds.height))
function renderOneCircle(isHilite){
return setAttributes(createElement("circle"),{
stroke:isHilite?hiliteColor:brush.color,
"stroke-width":widths[current?0:1]*(isHilite?2:1),
fill:"none",
opacity:hiliteColor&&!pendingErase?1:opacity(brush,current,pendingErase),
cx:at2[0],
cy:at2[1],
r:radius-widths[1]/ 2
})
}
if(!hiliteColor)
return renderOneCircle(false)
const g=setAttributes(createElement("g"),{opacity:brush.opacity})
const blurred=setAttributes(createElement("g"),{filter:"url(#cg-filter-blur)"})
blurred.appendChild(renderOneCircle(true))
g.appendChild(blurred)
g.appendChild(renderOneCircle(false))
return g
}
function renderArrow(s2,brush,from,to,current,shorten,pendingErase){
function renderLine(isHilite){
const m=arrowMargin(shorten&&!current),dx=to[0]-from[0],dy=to[1]-from[1],angle=Math.atan2(dy,dx),xo=Math.cos(angle)*m,yo=Math.sin(angle)*m
const hilite=hiliteOf(s2)
return setAttributes(createElement("line"),{
stroke:isHilite?hilite.color:brush.color,
"stroke-width":lineWidth(brush,current)*(isHilite?1.14:1),
"stroke-linecap":"round",
"marker-end":`url(#arrowhead-${isHilite ? hilite.key : brush.key})`,
opacity:s2.modifiers?.hilite&&!pendingErase?1:opacity(brush,current,pendingErase),
x1:from[0],
y1:from[1],
x2:to[0]-xo,
y2:to[1]-yo
})
}
if(!s2.modifiers?.hilite)
return renderLine(false)
const g=setAttributes(createElement("g"),{opacity:brush.opacity})
const blurred=setAttributes(createElement("g"),{filter:"url(#cg-filter-blur)"})
blurred.appendChild(filterBox(from,to))
blurred.appendChild(renderLine(true))
g.appendChild(blurred)
g.appendChild(renderLine(false))
return g
}
function renderMarker(brush){
const marker=setAttributes(createElement("marker"),{
id:"arrowhead-"+brush.key,
orient:"auto",
overflow:"visible",
markerWidth:4,
markerHeight:4,
refX:brush.key.startsWith("hilite")?1.86:2.05,
refY:2
})
marker.appendChild(setAttributes(createElement("path"),{
d:"M0,0 V4 L3,2 Z",
fill:brush.color
}))
marker.setAttribute("cgKey",brush.key)
return marker
}
function renderLabel(label2,hash2,from,to,slots,corner){
const labelSize=0.4,fontSize=labelSize*0.75**label2.text.length,at2=labelCoords(from,to,slots),cornerOff=corner==="tr"?0.4:0,g=setAttributes(createElement("g"),{
transform:`translate(${at2[0] + cornerOff},${at2[1] - cornerOff})`,
cgHash:hash2
})
g.appendChild(setAttributes(createElement("circle"),{
r:labelSize / 2,
"fill-opacity":corner?1:0.8,
"stroke-opacity":corner?1:0.7,
"stroke-width":0.03,
fill:label2.fill??"#666",
stroke:"white"
}))
const labelEl=setAttributes(createElement("text"),{
"font-size":fontSize,
"font-family":"Noto Sans",
"text-anchor":"middle",
fill:"white",
y:0.13*0.75**label2.text.length
})
labelEl.innerHTML=label2.text
g.appendChild(labelEl)
return g
}
var orient=(pos,color)=>color==="white"?pos:[7-pos[0],7-pos[1]]
var mod=(n,m)=>(n%m+m)%m
var rotateAngleSlot=(slot,steps)=>mod(slot+steps,16)
var anyTwoCloserThan90Degrees=(slots)=>[...slots].some((slot)=>[-3,-2,-1,1,2,3].some((i)=>slots.has(rotateAngleSlot(slot,i))))
var isShort=(dest,dests)=>!!dest&&dests.has(dest)&&anyTwoCloserThan90Degrees(dests.get(dest))
var createElement=(tagName)=>document.createElementNS("http://www.w3.org/2000/svg",tagName)
var angleCount=(dest,dests)=>dest&&dests.has(dest)?dests.get(dest).size:0
function setAttributes(el,attrs){
for(const key in attrs){
if(Object.prototype.hasOwnProperty.call(attrs,key))
el.setAttribute(key,attrs[key])
}
return el
}
var makeCustomBrush=(base,modifiers)=>!modifiers?base:{
color:base.color,
opacity:Math.round(base.opacity*10)/ 10,
lineWidth:Math.round(modifiers.lineWidth||base.lineWidth),
key:[base.key,modifiers.lineWidth].filter(Boolean).join("")
}
var circleWidth=()=>[3 / 64,4 / 64]
var lineWidth=(brush,current)=>(brush.lineWidth||10)*(current?0.85:1)/ 64
function hiliteOf(shape){
const hilite=shape.modifiers?.hilite
return{key:hilite&&`hilite-${hilite.replace("#", "")}`,color:hilite}
}
var opacity=(brush,current,pendingErase)=>(brush.opacity||1)*(pendingErase?0.6:current?0.9:1)
var arrowMargin=(shorten)=>(shorten?20:10)/ 64
function pos2user(pos,bounds){
const xScale=Math.min(1,bounds.width / bounds.height)
const yScale=Math.min(1,bounds.height / bounds.width)
return[(pos[0]-3.5)*xScale,(3.5-pos[1])*yScale]
}
function filterBox(from,to){
const box={
from:[Math.floor(Math.min(from[0],to[0])),Math.floor(Math.min(from[1],to[1]))],
to:[Math.ceil(Math.max(from[0],to[0])),Math.ceil(Math.max(from[1],to[1]))]
}
return setAttributes(createElement("rect"),{
x:box.from[0],
y:box.from[1],
width:box.to[0]-box.from[0],
height:box.to[1]-box.from[1],
fill:"none",
stroke:"none"
})
}
var angleToSlot=(angle)=>mod(Math.round(angle*8 / Math.PI),16)
var moveAngle=(from,to)=>Math.atan2(to[1]-from[1],to[0]-from[0])+Math.PI
var dist=(from,to)=>Math.sqrt([from[0]-to[0],from[1]-to[1]].reduce((acc,x)=>acc+x*x,0))
function labelCoords(from,to,slots){
let mag=dist(from,to)
const angle=moveAngle(from,to)
if(slots){
mag -=33 / 64
if(anyTwoCloserThan90Degrees(slots)){
mag -=10 / 64
const slot=angleToSlot(angle)
if(slot&1&&[-1,1].some((s2)=>slots.has(rotateAngleSlot(slot,s2))))
mag -=0.4
}
}
return[from[0]-Math.cos(angle)*mag,from[1]-Math.sin(angle)*mag].map((c)=>c+0.5)
}

function renderWrap(element,s2){
element.innerHTML=""
element.classList.add("cg-wrap")
for(const c of colors)
element.classList.toggle("orientation-"+c,s2.orientation===c)
element.classList.toggle("manipulable",!s2.viewOnly)
const container=createEl("cg-container")
element.appendChild(container)
const board2=createEl("cg-board")
container.appendChild(board2)
let shapesBelow
let shapes
let customBelow
let custom
let autoPieces
if(s2.drawable.visible){
[shapesBelow,shapes]=["cg-shapes-below","cg-shapes"].map((cls)=>svgContainer(cls,true));
[customBelow,custom]=["cg-custom-below","cg-custom-svgs"].map((cls)=>svgContainer(cls,false))
autoPieces=createEl("cg-auto-pieces")
container.appendChild(shapesBelow)
container.appendChild(customBelow)
container.appendChild(shapes)
container.appendChild(custom)
container.appendChild(autoPieces)
}
if(s2.coordinates){
const orientClass=s2.orientation==="black"?" black":""
const ranksPositionClass=s2.ranksPosition==="left"?" left":""
if(s2.coordinatesOnSquares){
const rankN=s2.orientation==="white"?(i)=>i+1:(i)=>8-i
files.forEach((f,i)=>container.appendChild(renderCoords(ranks.map((r)=>f+r),"squares rank"+rankN(i)+orientClass+ranksPositionClass,i%2===0?"black":"white")))
}else{
container.appendChild(renderCoords(ranks,"ranks"+orientClass+ranksPositionClass,s2.ranksPosition==="right"===(s2.orientation==="white")?"white":"black"))
container.appendChild(renderCoords(files,"files"+orientClass,opposite2(s2.orientation)))
}
}
let ghost
if(!s2.viewOnly&&s2.draggable.enabled&&s2.draggable.showGhost){
ghost=createEl("piece","ghost")
setVisible(ghost,false)
container.appendChild(ghost)
}
return{board:board2,container,wrap:element,ghost,shapes,shapesBelow,custom,customBelow,autoPieces}
}
function svgContainer(cls,isShapes){
const svg=setAttributes(createElement("svg"),{
class:cls,
viewBox:isShapes?"-4 -4 8 8":"-3.5 -3.5 8 8",
preserveAspectRatio:"xMidYMid slice",
style:"color-scheme:light only"
})
if(isShapes)
svg.appendChild(createDefs())
svg.appendChild(createElement("g"))
return svg
}
function renderCoords(elems,className,firstColor){
const el=createEl("coords",className)
let f
elems.forEach((elem,i)=>{
const light=i%2===(firstColor==="white"?0:1)
f=createEl("coord",`coord-${light ? "light" : "dark"}`)
f.textContent=elem
el.appendChild(f)
})
return el
}

function Chessground(element,config){
const maybeState=defaults()
configure(maybeState,config||{})
function redrawAll(){
const prevUnbind="dom"in maybeState?maybeState.dom.unbind:void 0
const elements=renderWrap(element,maybeState),bounds=memo(()=>elements.board.getBoundingClientRect()),redrawNow=(skipSvg)=>{
render3(state)
if(elements.autoPieces)
render2(state,elements.autoPieces)
if(!skipSvg&&elements.shapes)
renderSvg(state,elements)
},onResize=()=>{
updateBounds(state)
renderResized2(state)
if(elements.autoPieces)
renderResized(state)
}
const state=maybeState
state.dom={
elements,
bounds,
redraw:debounceRedraw(redrawNow),
redrawNow,
unbind:prevUnbind
}
state.drawable.prevSvgHash=""
updateBounds(state)
redrawNow(false)
bindBoard(state)
if(!prevUnbind)
state.dom.unbind=bindDocument(state,onResize)
state.events.insert?.(elements)
return state
}
return start3(redrawAll(),redrawAll)
}
function debounceRedraw(redrawNow){
let redrawing=false
return()=>{
if(redrawing)
return
redrawing=true
requestAnimationFrame(()=>{
redrawNow()
redrawing=false
})
}
}

var chessgroundDests=(pos,opts)=>{
const result2=/* @__PURE__ */ new Map()
const ctx=pos.ctx()
for(const[from,squares]of pos.allDests(ctx)){
if(squares.nonEmpty()){
const d=Array.from(squares,makeSquare)
if(!(opts===null||opts===void 0?void 0:opts.chess960)&&from===ctx.king&&squareFile(from)===4){
if(squares.has(0))
d.push("c1")
else if(squares.has(56))
d.push("c8")
if(squares.has(7))
d.push("g1")
else if(squares.has(63))
d.push("g8")
}
result2.set(makeSquare(from),d)
}
}
return result2
};

var ROLES2={k:"king",q:"queen",r:"rook",b:"bishop",n:"knight",p:"pawn"}
var PROMOTIONS=["queen","knight","rook","bishop"]
var Board2=class{
wrap=h("div",{class:"cg-wrap"})
chooser=h("div",{class:"promotion",hidden:true,role:"group","aria-label":"Promote to"});
/** for the keyboard and screen readers; the mouse goes through them to the board */
squares=h("div",{class:"squares",hidden:true,role:"group","aria-label":"Squares"})
node=h("div",{class:"board"},this.wrap,this.squares,this.chooser)
state=h("p",{class:"state","aria-live":"polite"})
pieces=h("p",{class:"unseen"})
words=h("div",{class:"words"},this.state,this.pieces)
cg
shown
editing=false
orientation="white"
shapes=[]
engine=[];
/** called with every position that is shown, and with undefined while a position is set up */
watch=()=>{
}
ground(){
this.cg??=Chessground(this.wrap,{
animation:{duration:matchMedia("(prefers-reduced-motion: reduce)").matches?0:160},
ranksPosition:"left",
movable:{free:false,rookCastle:true,events:{after:(from,to)=>this.moved(from,to)}},
premovable:{enabled:false},
drawable:{
brushes:{
green:{key:"g",color:"#15781b",opacity:0.9,lineWidth:10},
red:{key:"r",color:"#882020",opacity:0.9,lineWidth:10},
blue:{key:"b",color:"#003088",opacity:0.9,lineWidth:10},
yellow:{key:"y",color:"#c98a00",opacity:0.9,lineWidth:10},
move:{key:"m",color:"#1f6b57",opacity:0.75,lineWidth:10},
chosen:{key:"c",color:"#c2571a",opacity:1,lineWidth:12},
engine:{key:"e",color:"#2f62a8",opacity:1,lineWidth:7}
}
}
})
return this.cg
}
/** Shows a position. Pieces can be moved if `played` is given. */
show(shown2){
this.shown=shown2
this.editing=false
this.squares.hidden=true
this.chooser.hidden=true
const{pos}=shown2
this.shapes=shown2.shapes??[]
this.watch(pos)
this.ground().set({
fen:fenOf(pos).split(" ")[0],
orientation:this.orientation,
turnColor:pos.turn,
check:pos.isCheck(),
lastMove:shown2.last?squaresOf(shown2.last):[],
selected:void 0,
highlight:{custom:new Map((shown2.marked??[]).map((square)=>[square,"matched"]))},
movable:{
free:false,
color:shown2.played?pos.turn:void 0,
dests:shown2.played?chessgroundDests(pos):/* @__PURE__ */ new Map(),
showDests:true
},
draggable:{enabled:true,deleteOnDropOff:false,showGhost:true},
events:{change:void 0,select:void 0},
drawable:{shapes:[],autoShapes:[...this.shapes,...this.engine]}
})
this.state.textContent=stateInWords(pos)
this.pieces.textContent=inWords(pos)
}
arrows(shapes){
this.shapes=shapes
this.cg?.setAutoShapes([...this.shapes,...this.engine])
}
/** Draws the engine's arrow over those of the view. */
engineArrow(uci){
if(!uci&&!this.engine.length)return
const[orig,dest]=uci?squaresOf(uci):[]
this.engine=uci?[{orig,dest,brush:"engine"}]:[]
this.arrows(this.shapes)
}
/** Marks squares; nothing else changes. */
mark(squares){
this.cg?.set({highlight:{custom:new Map(squares.map((square)=>[square,"matched"]))}})
}
turn(orientation){
this.orientation=orientation
this.cg?.set({orientation})
this.squares.classList.toggle("turned",orientation==="black")
}
/** Lets every piece go anywhere; `chosen` gives what a click on a square puts there: a piece, nothing, or undefined for no change. */
edit(placement,changed,chosen2){
this.editing=true
this.chooser.hidden=true
this.shapes=[]
this.watch(void 0)
const cg=this.ground()
const click=(key)=>{
const piece=chosen2()
if(!this.editing||piece===void 0)return
const there=cg.state.pieces.get(key)
const same=piece&&there&&piece.role===there.role&&piece.color===there.color
cg.selectSquare(null)
put(key,piece&&!same?piece:void 0)
}
const put=(key,piece)=>{
cg.setPieces(/* @__PURE__ */ new Map([[key,piece]]))
this.label()
changed()
}
cg.set({
fen:placement,
orientation:this.orientation,
check:false,
lastMove:[],
selected:void 0,
highlight:{custom:/* @__PURE__ */ new Map()},
movable:{free:true,color:"both",dests:/* @__PURE__ */ new Map(),showDests:false},
draggable:{enabled:true,deleteOnDropOff:true,showGhost:true},
drawable:{shapes:[],autoShapes:[]},
events:{
change:()=>{
this.label()
if(this.editing)changed()
},
select:click
}
})
this.drawSquares(click,put)
this.state.textContent=""
this.pieces.textContent=""
}
setPlacement(placement){
this.cg?.set({fen:placement})
this.label()
}
/** The squares as buttons: arrows go from one to the next, a letter puts a piece there, capitals White's, Delete removes it. */
drawSquares(click,put){
const focused=document.activeElement?.dataset.square??""
const typed2=(event,key)=>{
if(event.ctrlKey||event.metaKey||event.altKey)return
const step3={ArrowLeft:[-1,0],ArrowRight:[1,0],ArrowUp:[0,1],ArrowDown:[0,-1]}[event.key]
const role=ROLES2[event.key.toLowerCase()]
if(step3){
const side=this.orientation==="white"?1:-1
const next=String.fromCharCode(key.charCodeAt(0)+side*step3[0])+(Number(key[1])+side*step3[1])
this.focusSquare(next)
}else if(role)put(key,{role,color:event.key<"a"?"white":"black"})
else if(event.key==="Delete"||event.key==="Backspace")put(key,void 0)
else return
event.preventDefault()
event.stopPropagation()
}
this.squares.replaceChildren(
...Array.from({length:64},(_,i)=>{
const key=makeSquare(8*(7-(i>>3))+(i&7))
return h("button",{
type:"button",
"data-square":key,
tabindex:key===(focused||"e4")?"0":"-1",
on:{click:()=>click(key),keydown:(event)=>typed2(event,key)}
})
})
)
this.squares.classList.toggle("turned",this.orientation==="black")
this.squares.hidden=false
this.label()
if(focused)this.focusSquare(focused)
}
focusSquare(key){
const next=this.squares.querySelector(`[data-square=${key}]`)
if(!next)return
for(const square of this.squares.querySelectorAll('[tabindex="0"]'))square.tabIndex=-1
next.tabIndex=0
next.focus()
}
label(){
for(const square of this.squares.querySelectorAll("button")){
const piece=this.cg?.state.pieces.get(square.dataset.square)
square.setAttribute("aria-label", `${square.dataset.square}, ${piece ? `${piece.color} ${piece.role}` : "empty"}`);
}
}
placement(){
return this.ground().getFen()
}
/** Begins to drag a piece from the palette. */
drag(piece,event){
this.ground().dragNewPiece(piece,event,true)
}
resized(){
this.cg?.redrawAll()
}
moved(from,to){
const shown2=this.shown
if(!shown2?.played)return
const plain=legal(shown2.pos,from+to)
if(plain&&!this.promotes(from,to)){
shown2.played(plain)
return
}
this.choose(from,to,shown2)
}
promotes(from,to){
const pos=this.shown.pos
return /[18]$/.test(to)&&[...pos.board.pieces(pos.turn,"pawn")].some((square)=>makeUci({from:square,to:square}).startsWith(from))
}
choose(from,to,shown2){
const file=to.charCodeAt(0)-97
const column=this.orientation==="white"?file:7-file
const top=to[1]==="8"===(this.orientation==="white")
const pick=(role)=>()=>{
this.chooser.hidden=true
const letter=role?{queen:"q",knight:"n",rook:"r",bishop:"b",king:"",pawn:""}[role]:""
const move3=letter?legal(shown2.pos,from+to+letter):void 0
if(move3)shown2.played?.(move3)
else this.show(shown2)
}
this.chooser.replaceChildren(
...PROMOTIONS.map(
(role)=>h(
"button",
{type:"button","aria-label":role,title:role,class:`${shown2.pos.turn} ${role}`,on:{click:pick(role)}},
h("span",{class:"cg-wrap"},h("piece",{class:`${shown2.pos.turn} ${role}`}))
)
)
)
this.chooser.className=`promotion col-${column} ${top ? "top" : "bottom"}`
this.chooser.hidden=false
this.chooser.firstElementChild.focus()
this.chooser.onkeydown=(event)=>{
if(event.key==="Escape")pick(void 0)()
event.stopPropagation()
}
}
};

var SPEEDS=["ultraBullet","bullet","blitz","rapid","classical","correspondence"]
var MORE=["whiteRating","blackRating","difference","length",...CONTENTS]
var DATE="\\d{4}([\\-\\/.]\\d{1,2}){0,2}"
var RANGES=[
["rating","rated",""],
["whiteRating","White rated",""],
["blackRating","Black rated",""],
["difference","with a difference of","points"],
["length","of","moves"]
]
var namesIn=(text)=>text.split("|").map((name2)=>name2.trim()).filter(Boolean)
var either=(words)=>words.join(words.length>2?", ":" or ")
function chips(params){
const get2=(name2)=>params.get(name2)?.trim()||""
const list=[]
const add=(text,keys)=>list.push({text,field:keys[0],rest:without(params,keys)})
const color={w:" as White",b:" as Black"}[get2("color")[0]]??""
for(const[field2,words,as]of[
["player","with ",color],
["white","White: ",""],
["black","Black: ",""]
]){
const names=namesIn(get2(field2))
names.forEach((name2,i)=>{
const others=names.filter((_,other)=>other!==i).join("|")
const rest=withParams(params,{[field2]:others,color:field2==="player"&&!others?null:get2("color")})
list.push({text:`${i ? "or " : words}${name2}${i < names.length - 1 ? "" : as}`,field:field2,rest})
})
}
for(const[name2,words,unit]of RANGES){
const[from,to]=get2(name2).split("-",2)
if(!get2(name2))continue
const range = from && to ? `${from} to ${to}` : from ? `${from} or more` : `${to ?? get2(name2)} or less`;
add([words,range,unit].filter(Boolean).join(" "),[name2])
}
if(get2("opening"))add(`in the ${get2("opening")}`,["opening"])
if(get2("eco"))add(`of ECO ${get2("eco")}`,["eco"])
if(get2("site"))add(`played in ${get2("site")}`,["site"])
const[since,until]=[get2("since"),get2("until")]
if (since && until) add(since === until ? `in ${since}` : `from ${since} to ${until}`, ["since", "until"]);
else if(since)add(`since ${since}`,["since"])
else if(until)add(`until ${until}`,["until"])
if(get2("result"))
add(
either(
get2("result").split(",").map((r)=>resultWords[r]??r)
),
["result"]
)
if(get2("event"))add(`at ${get2("event")}`,["event"])
if(get2("tc"))add(either(get2("tc").split(",")),["tc"])
if(get2("evals"))add("with evaluations",["evals"])
if(get2("annotated"))add("with comments",["annotated"])
for(const name2 of CONTENTS)if(get2(name2))add(`with ${get2(name2)}`,[name2])
return list
}
var sentence=(params)=>{
const parts=chips(params).map((c)=>c.text)
return parts.length?`games ${parts.join(", ")}`:"all games"
}
var reports=()=>!/^\/(games|search|$)/.test(location.pathname)
var ofPlayer=()=>location.pathname.startsWith("/player")
function holds(field2){
if(reports())return!OF_LISTS.includes(field2)&&!(ofPlayer()&&["player","color"].includes(field2))
return!(location.pathname.startsWith("/search")&&CONTENTS.includes(field2))
}
var change=(params)=>go(url(location.pathname,without(params,["after"])))
function filterBar(criteria=[]){
const{params}=here()
const list=chips(params).filter((chip)=>holds(chip.field))
return h(
"div",
{class:"filters",role:"group","aria-label":"Filters"},
h("span",{class:"lead"},list.length||criteria.length?"Games":"All games"),
...criteria,
...list.map(
(chip)=>h(
"span",
{class:"chip"},
h("button",{type:"button",title:"Change this filter",on:{click:()=>editFilters(chip.field)}},chip.text),
h(
"button",
{
type:"button",
class:"remove",
"aria-label":`Remove: ${chip.text}`,
title:"Remove",
on:{click:()=>change(chip.rest)}
},
icon("close")
)
)
),
h(
"button",
{type:"button",class:"chip add",on:{click:()=>editFilters("player")}},
icon("plus"),
list.length?"Filter":"Filter games"
)
)
}
async function suggestions(path,text){
const answer=await get(`/api/${path}?prefix=${encodeURIComponent(text)}`)
const named2=(found)=>typeof found==="string"?found:found.name
return answer[path].slice(0,20).map((found,at2)=>({name:named2(found),games:answer.games?.[at2]}))
}
function completed(id,label2,value,path,placeholder=""){
const options=h("datalist",{id:`${id}-names`})
let timer3
const input=h("input",{
id,
name:id,
value,
list:`${id}-names`,
placeholder,
autocomplete:"off",
spellcheck:"false",
on:{
input:()=>{
clearTimeout(timer3)
timer3=setTimeout(async()=>{
const prefix=input.value.trim()
if(prefix.length<2)return
try{
const found=await suggestions(path,prefix)
fill(
options,
found.map(({name:name2,games})=>h("option",{value:name2},games?`${count(games)} games`:""))
)
}catch{
}
},120)
}
}
})
return h("div",{class:"field"},h("label",{for:id},label2),input,options)
}
function players(id,label2,value){
const field2=completed(id,label2,"","players","Any spelling")
const input=field2.querySelector("input")
const chosen2=h("div",{class:"filters"})
const all=h("input",{type:"hidden",name:id})
const names=namesIn(value)
const tell=()=>{
all.value=[...names,input.value.trim()].filter(Boolean).join("|")
another.hidden=!input.value.trim()
}
const draw=()=>{
const remove=(at2)=>{
names.splice(at2,1)
draw()
input.focus()
}
fill(
chosen2,
names.map(
(name2,at2)=>h(
"span",
{class:"chip"},
h("span",null,name2),
iconButton("close",`Remove: ${name2}`,()=>remove(at2),{class:"remove"})
)
),
another
)
tell()
}
const take2=()=>{
names.push(...namesIn(input.value))
input.value=""
draw()
input.focus()
}
const another=button("Or another player",take2,{class:"plain"})
input.value=names.pop()??""
input.removeAttribute("name")
input.addEventListener("input",()=>input.value.includes("|")?take2():tell())
draw()
field2.append(chosen2,all)
return field2
}
var field=(id,label2,value,props={})=>h(
"div",
{class:"field"},
h("label",{for:id},label2),
h("input",{id,name:id,value,autocomplete:"off",...props})
)
function choices(name2,legend,all,chosen2,type="checkbox"){
return h(
"fieldset",
{class:"choices"},
h("legend",null,legend),
...all.map(
([value,label2])=>h("label",null,h("input",{type,name:name2,value,checked:chosen2.includes(value)}),h("span",null,label2))
)
)
}
function editFilters(focus){
const{params}=here()
const value=(name2)=>params.get(name2)??""
const range=(name2,label2,placeholder)=>{
const[from,to]=value(name2).split("-",2)
const number={inputmode:"numeric",pattern:"\\d{1,4}"}
return[
field(`${name2}-from`, `${label2} from`, from, { ...number, placeholder }),
field(`${name2}-to`,"to",to??"",{...number,placeholder:"any"})
]
}
const form=h(
"form",
{class:"filter-form"},
...ofPlayer()?[]:[
players("player","Player",value("player")),
h(
"div",
{class:"field"},
h("label",{for:"color"},"Colour"),
h(
"select",
{id:"color",name:"color"},
...[
["","White or Black"],
["white","White"],
["black","Black"]
].map(([v,text])=>h("option",{value:v,selected:!!v&&v[0]===value("color")[0]},text))
)
)
],
players("white","White",value("white")),
players("black","Black",value("black")),
...range("rating","Average rating","2200"),
field("since","Played since",value("since"),{placeholder:"2015 or 2015-03",pattern:DATE}),
field("until","until",value("until"),{placeholder:"2026",pattern:DATE}),
completed("event","Event",value("event"),"events"),
...reports()?[]:[
completed("site","Place",value("site"),"sites"),
completed("opening","Opening",value("opening"),"openings","Najdorf"),
field("eco","ECO code",value("eco"),{pattern:"[A-Ea-e]\\d{0,2}",placeholder:"B90, B9 or B"}),
h(
"details",
{class:"wide",open:MORE.some((name2)=>value(name2))},
h("summary",null,"More: each side’s rating, length, material, pattern"),
h(
"div",
{class:"filter-form"},
...range("whiteRating","White’s rating","2500"),
...range("blackRating","Black’s rating","any"),
...range("difference","Difference of ratings","200"),
...range("length","Length in moves","10"),
field("material","With the material",value("material"),{placeholder:"KRPvKR"}),
field("pattern","With the pattern",value("pattern"),{class:"code",placeholder:"Nd5"})
)
)
],
choices(
"result",
"Result",
[
["","any"],
["1-0","1–0"],
["1/2-1/2","½–½"],
["0-1","0–1"],
["*","none"]
],
[value("result")],
"radio"
),
choices(
"tc",
"Time control",
SPEEDS.map((s2)=>[s2,s2]),
value("tc").split(",")
),
choices(
"with",
"Only games with",
[["evals","evaluations"],...reports()?[]:[["annotated","comments"]]],
["evals","annotated"].filter((k)=>value(k))
),
h(
"div",
{class:"actions"},
button("Clear all",()=>finish(new FormData()),{class:"plain"}),
h("button",{type:"submit",class:"primary"},"Show games")
)
)
const saved=h("div",{class:"saved"})
const dialog=openDialog("Filter games",{class:"sheet"},form,saved)
const finish=(data)=>{
const text=(name2)=>String(data.get(name2)??"").trim()
const range2=(name2)=>{
const [from, to] = [text(`${name2}-from`), text(`${name2}-to`)];
return from||to?`${from}-${to}`:""
}
const changes={
player:text("player"),
color:text("player")?text("color"):"",
white:text("white"),
black:text("black"),
rating:range2("rating"),
since:text("since"),
until:text("until"),
event:text("event"),
result:text("result"),
tc:data.getAll("tc").join(","),
evals:data.getAll("with").includes("evals")?"1":"",
annotated:data.getAll("with").includes("annotated")?"1":""
}
if(!reports()){
for(const name2 of["site","opening","eco",...CONTENTS])changes[name2]=text(name2)
for(const name2 of["whiteRating","blackRating","difference","length"])changes[name2]=range2(name2)
}
dialog.close()
change(withParams(here().params,changes))
}
form.addEventListener("submit",(event)=>{
event.preventDefault()
finish(new FormData(form))
})
const id=RANGES.some(([name2])=>name2===focus)?`${focus}-from`:focus
const target=form.querySelector(`#${CSS.escape(id)}, [name="${CSS.escape(id)}"]`)
target?.focus()
if(keeps())void showSaved(saved,()=>dialog.close())
}
async function showSaved(place,close){
let views=[]
const names=location.pathname.startsWith("/search")?FILTERS:[...FILTERS,...CONTENTS]
const draw=()=>{
const filters=only(here().params,names)
const name2=h("input",{id:"view-name",value:chips(filters).length?sentence(filters):"",maxlength:"100"})
fill(
place,
h("h3",null,"Saved filters"),
views.length?null:h("p",{class:"quiet"},"None yet."),
h(
"ul",
null,
...views.map(
(view2)=>h(
"li",
null,
h(
"button",
{
type:"button",
class:"plain",
on:{
click:()=>{
close()
change(
new URLSearchParams([
...without(here().params,names),
...only(new URL(view2.url,location.origin).searchParams,names)
])
)
}
}
},
view2.name
),
iconButton("trash",`Delete ${view2.name}`,async()=>{
try{
await send("DELETE",`/api/views/${encodeURIComponent(view2.id)}`)
views=views.filter((v)=>v!==view2)
draw()
}catch(error){
say(error.message)
}
})
)
)
),
chips(filters).length?h(
"form",
{
class:"inline",
on:{
submit:async(event)=>{
event.preventDefault()
try{
await send("POST","/api/views",{name:name2.value.trim()||sentence(filters),url:url("/",filters)})
await load2()
}catch(error){
say(error.message)
}
}
}
},
h("label",{for:"view-name"},"Save these as"),
name2,
h("button",{type:"submit"},"Save")
):null
)
}
const load2=async()=>{
views=(await fresh("/api/views")).views
draw()
}
try{
await load2()
}catch(error){
if(!(error instanceof ApiError&&error.status===404))fill(place,h("p",{class:"quiet"},error.message))
}
}

var named=(player)=>!!player.name&&player.name!=="?"
var beside=(href,text)=>h("a",{class:"beside",href,tabindex:"-1"},text)
var name=(player)=>h(
"span",
{class:"who"},
h("span",{class:"name"},named(player)?beside(pageOf("player",player.name),player.name):"?"),
player.rating?h("span",{class:"elo"},String(player.rating)):null
)
var mean=({white,black})=>white.rating&&black.rating?Math.round((white.rating+black.rating)/ 2):null
var COLUMNS=["White","Result","Black","Rating","Date","ECO","Event","Moves"]
var classOf=(column)=>column==="Moves"?"plies":column.toLowerCase()
var SORTABLE={
Rating:["rating","Highest rated first; the mean of both players"],
Date:["date","Newest first"],
Moves:["plies","Longest first"]
}
function origin(){
return JSON.parse(sessionStorage.getItem("list")??"null")??void 0
}
var keepOrigin=(list)=>sessionStorage.setItem("list",JSON.stringify(list))
async function moreOf(list,signal){
const[path,query]=list.more.split("?")
const question=new URLSearchParams(query)
const{games,next}=await get(list.more,signal)
const links=games.map((game)=>linkTo(game,only(question,CRITERIA)))
const more=next?url(path,withParams(question,{after:next})):void 0
const longer={...list,games:[...list.games,...links],more}
keepOrigin(longer)
return longer
}
var linkTo=(game,query)=>url(`/game/${encodeURIComponent(game.id)}`,query,game.ply?String(game.ply):"")
function gameTable(games,label2,query,rows=h("tbody"),sorted){
addGames(rows,games,query)
peekAt(rows)
rows.addEventListener("click",(event)=>{
if(event.target.closest(".beside"))return
const games2=[...rows.querySelectorAll("a.open")].map((link)=>link.getAttribute("href"))
keepOrigin({back:location.pathname+location.search,games:games2,more:rows.dataset.more})
})
return h(
"table",
{class:"games"},
h("caption",{class:"unseen"},label2),
h("colgroup",null,...COLUMNS.map((t)=>h("col",{class:classOf(t)}))),
h("thead",null,h("tr",null,...COLUMNS.map((column)=>head(column,sorted)))),
rows
)
}
function head(column,sorted){
const[by,title]=sorted!==void 0&&SORTABLE[column]||[]
return h(
"th",
{scope:"col",class:classOf(column),"aria-sort":by&&by===sorted?"descending":null},
by?button(column,()=>sortBy(by),{title}):column
)
}
function sortBy(by){
go(url(location.pathname,withParams(new URLSearchParams(location.search),{sort:by==="date"?null:by})))
}
var peek=h("div",{class:"peek",hidden:true,"aria-hidden":"true"})
var peeking=new Latest()
var pending
function endPeek(){
clearTimeout(pending)
peeking.stop()
peek.hidden=true
}
function peekAt(rows){
if(!matchMedia("(hover: hover)").matches)return
let at2
const end4=()=>{
at2=void 0
endPeek()
}
const begin2=(row,x)=>{
const{id,ply}=row.dataset
void peeking.run(
(signal)=>get(`/api/games/${encodeURIComponent(id)}`,signal),
(game)=>{
const start5=readFen(game.startFen).pos
if(at2!==row||!row.isConnected||!start5)return
const moves=game.moves.slice(0,ply?Number(ply):void 0).map((move3)=>move3.uci)
const tree=treeOf(start5,moves)
fill(peek,diagram(tree.position(tree.mainline().at(-1))))
document.body.append(peek)
peek.hidden=false
const{top,bottom}=row.getBoundingClientRect()
const size=peek.offsetWidth
peek.style.left=`${Math.max(0, Math.min(x + 24, innerWidth - size - 8))}px`
peek.style.top=`${bottom + 8 + size < innerHeight ? bottom + 8 : Math.max(0, top - 8 - size)}px`
},
()=>{
}
)
}
rows.addEventListener("mouseover",(event)=>{
const row=event.target.closest("tr")??void 0
if(row===at2)return
end4()
at2=row
if(row)pending=setTimeout(()=>begin2(row,event.clientX),200)
})
rows.addEventListener("mouseleave",end4)
rows.addEventListener("click",end4)
}
var label=({white,black,result:r})=>`${white.name ?? "?"} – ${black.name ?? "?"}, ${resultWords[r] ?? r}`
function addGames(rows,games,query){
for(const game of games){
const to=linkTo(game,query)
rows.append(
h(
"tr",
{"data-id":game.id,"data-ply":game.ply},
h("td",{class:"white"},h("a",{class:"open",href:to,"aria-label":label(game)}),name(game.white)),
h("td",{class:"result"},result(game.result)),
h("td",{class:"black"},name(game.black)),
h("td",{class:"rating"},mean(game)??""),
h("td",{class:"date"},date(game.date)),
h("td",{class:"eco"},game.eco??""),
h(
"td",
{class:"event",title:game.event},
game.event&&beside(pageOf("tournament",game.event,new URLSearchParams({game:game.id})),game.event)
),
h("td",{class:"plies",title:`${game.plies} half-moves`},count(Math.ceil(game.plies / 2)))
)
)
}
}
var SORTS=[
["date","newest first"],
["rating","highest rated first"],
["plies","longest first"]
]
var LATE=1500
var GameList=class{
constructor(empty){
this.empty=empty
}
empty
node=h("section",{class:"game-list","aria-label":"Games"})
asked=""
latest=new Latest()
shown=0
total=0
counting=new Latest()
late;
/** Asks the server only if filters, criteria or order have changed. */
update(params){
const question=withParams(only(params,[...FILTERS,...CRITERIA]),{sort:params.get("sort")??"date"})
if(question.toString()===this.asked)return
this.asked=question.toString()
this.load(question)
}
/** Shows something else, or nothing, instead of a list. */
show(...children){
this.asked=""
this.stop()
fill(this.node,...children)
}
stop(){
clearTimeout(this.late)
this.latest.stop()
this.counting.stop()
}
load(question){
clearTimeout(this.late)
this.late=setTimeout(
()=>waiting(
this.node,
()=>this.stop(),
()=>this.load(question)
),
LATE
)
void this.latest.run(
(signal)=>get(url("/api/games",withParams(question,{limit:"50"})),signal),
(answer)=>this.draw(question,answer),
(error)=>{
clearTimeout(this.late)
fill(
this.node,
failure(error,()=>this.load(question))
)
}
)
}
/** A button that offers the whole list as PGN. */
exporting(question){
const link=(label2,bare)=>h("a",{class:"button",href:url("/api/games/pgn",withParams(question,{bare})),download:"games.pgn"},label2)
return button(
"Export",
()=>openDialog(
"Export all games of this list as PGN",
{},
h("div",{class:"actions"},link("With comments, clocks and evaluations",""),link("Moves only","1"))
)
)
}
draw(question,answer){
clearTimeout(this.late)
if(!answer.games.length){
fill(this.node,this.empty(),sqlLink(answer.sql))
return
}
const links=only(question,CRITERIA)
const rows=h("tbody")
const total=h("span",{class:"total","aria-live":"polite"})
const more=h("div",{class:"more"})
const sort=h("select",{
id:"sort",
on:{
change:()=>sortBy(sort.value)
}
})
fill(
sort,
SORTS.map(([value,text])=>h("option",{value,selected:value===question.get("sort")},text))
)
this.shown=this.total=0
const of=(n)=>n===1?"1 game":`${count(n)} games`
const add=(page2)=>{
addGames(rows,page2.games,links)
if(page2.next)rows.dataset.more=url("/api/games",withParams(question,{limit:"50",after:page2.next}))
else delete rows.dataset.more
this.shown +=page2.games.length
if(!page2.next||!this.total)total.textContent=page2.next?`the first ${count(this.shown)}`:of(this.shown)
else total.textContent=of(this.total)
fill(more,page2.next?button("Show more",(event)=>next(page2.next,event.currentTarget)):null)
}
const next=(cursor,pressed2)=>{
pressed2.disabled=true
void this.latest.run(
(signal)=>fresh(url("/api/games",withParams(question,{limit:"50",after:cursor})),signal),
(page2)=>{
const from=rows.children.length
add(page2)
rows.children[from]?.querySelector("a.open")?.focus({preventScroll:true})
},
(error)=>fill(
more,
failure(error,()=>next(cursor,pressed2))
)
)
}
const table=gameTable([],"Games",links,rows,question.get("sort"))
const sorting=this.node.contains(document.activeElement)&&document.activeElement?.closest("th")?.className
fill(
this.node,
h(
"div",
{class:"list-head"},
total,
h("label",{for:"sort"},"sorted"),
sort,
this.exporting(question),
sqlLink(answer.sql)
),
table,
more
)
add(answer)
if(sorting)table.querySelector(`thead .${sorting} button`)?.focus()
if(!answer.next)return
void this.counting.run(
(signal)=>get(url("/api/games/count",without(question,["sort"])),signal),
(counted)=>{
this.total=counted.games
total.textContent=of(counted.games)
},
()=>{
}
)
}
}
function positionOf(params){
let pos
if(params.get("fen"))pos=readFen(params.get("fen")).pos
else if(params.get("play"))pos=initial()
for(const uci of(params.get("play")??"").split(",").filter(Boolean)){
const move3=pos&&legal(pos,uci)
if(!move3)return pos
pos.play(move3)
}
return pos
}
var CRITERION=[
[["fen","play"],()=>"that reach this position"],
[["pieces","exact"],(params)=>`with ${params.get("exact") ? "exactly " : ""}these pieces on the board`]
]
function criteriaChips(params){
return CRITERION.filter(([keys])=>keys.some((key)=>params.get(key))).map(
([keys,text])=>h(
"span",
{class:"chip"},
h("button",{type:"button",title:"Change the search",on:{click:()=>go(url("/search",params))}},text(params)),
h(
"button",
{
type:"button",
class:"remove",
"aria-label":`Remove: ${text(params)}`,
title:"Remove",
on:{click:()=>go(url("/games",without(params,keys)))}
},
icon("close")
)
)
)
}
async function didYouMean(place){
const{params}=here()
for(const field2 of["player","white","black"]){
const asked=params.get(field2)??""
if(asked.length<3||asked.includes("|"))continue
const found=(await suggestions("players",asked).catch(()=>[])).filter(({name:name2})=>name2!==asked).slice(0,5)
if(found.length)
fill(
place,
"Did you mean ",
...found.flatMap(({name:name2,games},at2)=>[
at2?", ":null,
h("a",{href:url("/games",withParams(params,{[field2]:name2}))},name2),
` (${count(games ?? 0)})`
]),
"?"
)
}
}
var GamesView=class{
constructor(page2){
this.page=page2
}
page
head=h("div",{class:"panel-head"})
list=new GameList(()=>{
const meant=h("p")
void didYouMean(meant)
return note(
h("h2",null,"No games found"),
meant,
h("p",null,"Remove a filter, or widen the search."),
button("All games",()=>go("/games"))
)
})
node=h("div",{class:"view games-view"},this.head,this.list.node)
pos=initial()
update(at2){
this.page.title("Games")
this.page.strip()
const asked=positionOf(at2.params)
this.pos=asked??initial()
this.page.board.show({pos:this.pos})
const board2=parseBoardFen(at2.params.get("pieces")??"").unwrap(
(board3)=>board3,
()=>asked?.board
)
fill(
this.head,
board2?diagram({board:board2},this.page.board.orientation):null,
h("h1",null,"Games"),
filterBar(criteriaChips(at2.params))
)
if(this.page.status&&!this.page.status.games)this.list.show(emptyDatabase(this.page.status))
else this.list.update(at2.params)
}
step(){
}
rows(){
return[...this.list.node.querySelectorAll("a.open")]
}
position(){
return this.pos
}
leave(){
this.list.stop()
}
};

var COLUMNS2=[
{key:"san",head:"Move",title:"The move; Enter or a click plays it",sort:"san"},
{key:"games",head:"Played",title:"Games in which it was played here",sort:"games"},
{key:"share",head:"Share",title:"Percentage of the games that continue from here"},
{key:"bar",head:"White · draw · Black",title:"Results in percent"},
{key:"score",head:"Score",title:"Points for the side that moves, in percent",sort:"score"},
{key:"eval",head:"Eval",title:"Engine evaluation after the move, from White’s side"},
{key:"averageRating",head:"Avg",title:"Average rating of the players",sort:"averageRating"},
{key:"performance",head:"Perf",title:"Performance rating of the players",sort:"performance"},
{key:"lastPlayed",head:"Last",title:"Year in which it was last played",sort:"lastPlayed"},
{
key:"reached",
head:"Reached",
title:"Games that reach the position after the move, by any order of moves",
sort:"reached"
}
]
var SOURCES={
index:"The games of this position were counted in the index",
games:"The games of this position were read one by one"
}
function bar(white,draws,black,names=["White","draw","Black"]){
const parts=percentages([white,draws,black])
const node=h("div",{class:"bar",role:"img","aria-label":names.map((n,i)=>`${n} ${parts[i]} %`).join(", ")})
parts.forEach((percent,i)=>{
if(!percent)return
const part=h("span",{class:names[i].toLowerCase()},percent>=13?String(percent):"")
part.style.flexGrow=String(percent)
node.append(part)
})
return node
}
var ExplorerView=class{
constructor(page2){
this.page=page2
}
page
heading=h("div",{class:"opening"})
line=h("div",{class:"line",role:"group","aria-label":"Moves so far"})
filters=h("div")
answer=h("div",{class:"answer"})
node=h(
"div",
{class:"view explorer"},
h("div",{class:"panel-head"},this.heading,this.line,this.filters),
this.answer
)
start=initial()
pos=initial()
steps=[];
/** the line that was played last, so that the visitor can go forward again */
future=[]
latest=new Latest()
later=new Latest()
shown
key=""
shownKey=""
arrows=[]
list="top"
sorted={by:"games",down:true}
wide=false
update(at2){
const fen=at2.params.get("fen")
const problem=this.follow(fen,(at2.params.get("play")??"").split(",").filter(Boolean))
this.page.strip()
this.page.title("Explorer")
this.page.board.show({pos:this.pos,last:this.steps.at(-1)?.uci,played:(move3)=>this.play(move3),shapes:[]})
this.drawLine()
fill(this.filters,filterBar())
if(problem){
this.shown=void 0
this.latest.stop()
fill(this.heading,h("h1",null,"Invalid position"))
fill(
this.answer,
note(h("p",null,problem),h("p",null,h("a",{href:url("/",only(at2.params,FILTERS))},"To the start position")))
)
return
}
if(this.page.status&&!this.page.status.games){
this.latest.stop()
fill(this.heading,h("h1",null,"Explorer"))
fill(this.answer,emptyDatabase(this.page.status))
return
}
this.ask()
}
follow(fen,play){
const read2=fen?readFen(fen):{pos:initial()}
this.steps=[]
const from=this.start
this.start=read2.pos??initial()
if(fenOf(from)!==fenOf(this.start))this.future=[]
this.pos=this.start.clone()
if(!read2.pos)return `The FEN cannot be read: ${read2.error}.`
for(const[i,uci]of play.entries()){
const move3=legal(this.pos,uci)
if(!move3)return `Half-move ${i + 1}, ${uci}, is not a legal move there.`
const next=step(this.pos,move3)
this.pos=next.after
this.steps.push(next.step)
}
const ucis=this.steps.map((s2)=>s2.uci)
if(!ucis.every((uci,i)=>this.future[i]===uci))this.future=ucis
return""
}
to(ucis,replace=false){
go(url("/",withParams(here().params,{play:ucis.join(",")})),replace)
}
play(move3){
const{step:next}=step(this.pos,move3)
this.to([...this.steps.map((s2)=>s2.uci),next.uci])
}
step(by){
const now=this.steps.length
const length=by==="first"?0:by==="last"?this.future.length:Math.max(0,Math.min(this.future.length,now+by))
if(length!==now)this.to(this.future.slice(0,length),true)
}
drawLine(){
const offset=(this.start.fullmoves-1)*2+(this.start.turn==="black"?1:0)
const children=[]
const ucis=this.future
this.steps.forEach((played,i)=>{
const ply=offset+i+1
if(i===0||ply%2)children.push(h("span",{class:"number"},moveNumber(ply)))
const last=i===this.steps.length-1
children.push(
h(
"button",
{
type:"button",
class:"move",
"aria-current":last?"true":null,
on:{click:()=>this.to(ucis.slice(0,i+1),true)}
},
played.san
)
)
})
if(!children.length)
children.push(
h("span",{class:"quiet"},fenOf(this.start)===INITIAL_FEN?"Start position":"From the position on the board")
)
fill(this.line,...children)
this.line.scrollLeft=this.line.scrollWidth
}
question(){
const params=here().params
return withParams(only(params,[...FILTERS,...CONTENTS]),{
fen:params.get("fen"),
play:this.steps.map((s2)=>s2.uci).join(",")
})
}
/** Whether the server can tell how many games reach the positions after the moves. */
countsReached(){
return!OF_LISTS.some((name2)=>here().params.get(name2))
}
ask(){
const question=this.question()
this.key=question.toString()
const key=this.key
this.later.stop()
void this.latest.run(
(signal)=>get(url("/api/explorer",question),signal),
(answer)=>{
this.shown=answer
this.shownKey=key
this.draw()
if(this.countsReached()&&answer.moves.some((m)=>m.reached===null))this.askReached(question,key)
},
(error)=>{
this.shown=void 0
fill(this.heading,h("h1",null,"Explorer"))
fill(
this.answer,
failure(error,()=>this.ask())
)
}
)
}
/** Asks how many games reach the positions after the moves. That takes longer, so it follows the table. */
askReached(question,key){
void this.later.run(
(signal)=>get(url("/api/explorer",withParams(question,{reached:"1"})),signal),
(answer)=>{
if(key!==this.key)return
const before=this.shown
this.shown=answer
const same=answer.moves.length===before.moves.length&&answer.moves.every((m,i)=>m.uci===before.moves[i].uci&&m.games===before.moves[i].games)
if(same&&this.sorted.by!=="reached")this.drawReached(answer)
else this.draw()
},
()=>{
}
)
}
/** Writes the numbers into the existing rows, because a row that is being clicked must not be replaced. */
drawReached(answer){
for(const m of answer.moves)
fill(this.answer.querySelector(`tr[data-uci="${m.uci}"] .reached`),...this.cell("reached",m,0))
}
draw(){
const answer=this.shown
const focused=document.activeElement?.closest("table.explorer-moves tbody tr")?.dataset.uci
const sorting=document.activeElement?.closest("table.explorer-moves thead th")?.className
const opening=answer.opening
fill(
this.heading,
opening?h("span",{class:"eco"},opening.eco):null,
h(
"h1",
null,
opening?.name??(this.steps.length||fenOf(this.start)!==INITIAL_FEN?"Unnamed position":"Start position")
),
h("a",{class:"quiet",href:url("/opening",without(this.question(),OF_LISTS))},"Report"),
h("a",{class:"quiet",href:"/openings"},"Openings"),
h("span",{class:"total"},answer.games===1?"1 game":`${count(answer.games)} games`)
)
this.page.title(opening?.name??"Explorer")
if(!answer.games){
this.arrows=[]
fill(this.answer,this.nothing(),h("div",{class:"foot"},sqlLink(answer.sql)))
}else{
fill(
this.answer,
answer.moves.length?this.table(answer):note(h("p",null,"All games that reach this position end here.")),
this.foot(answer),
this.games(answer)
)
this.arrows=this.commonest(answer)
}
this.page.board.arrows(this.arrows)
if(sorting)this.answer.querySelector(`thead .${sorting} button`)?.focus()
if(focused)(this.answer.querySelector(`tr[data-uci="${focused}"] button`)??this.rows()[0])?.focus()
}
nothing(){
const filtered=chips(here().params).length
return note(
h("h2",null,"No games here"),
h(
"p",
null,
filtered?"No game that passes the filters reaches this position.":"No game in the database reaches this position."
),
h(
"p",
{class:"actions"},
filtered?button("Remove filters",()=>go(url("/",only(here().params,["fen","play","orient"])))):null,
this.steps.length?button("Take back one move",()=>this.step(-1)):null
)
)
}
commonest(answer){
const total=answer.moves.reduce((sum,m)=>sum+m.games,0)
return[...answer.moves].sort((a,b)=>b.games-a.games).slice(0,3).map((m)=>this.arrow(m.uci,"move",Math.round(3+11*Math.sqrt(m.games / total))))
}
arrow(uci,brush,lineWidth2){
const[orig,dest]=squaresOf(uci)
return{orig,dest,brush,modifiers:lineWidth2?{lineWidth:lineWidth2}:void 0}
}
point(move3){
if(!move3)this.page.board.arrows(this.arrows)
else
this.page.board.arrows([
...this.arrows.filter((a)=>a.orig+(a.dest??"")!==move3.uci.slice(0,4)),
this.arrow(move3.uci,"chosen")
])
}
cell(key,m,total){
switch(key){
case"games":
return[count(m.games)]
case"share":
return[share(m.games,total),h("span",{class:"unit"}," %")]
case"bar":
return[bar(m.white,m.draws,m.black)]
case"score":
return[m.score===null?"":String(Math.round(m.score))]
case"eval":
return[m.eval?score(m.eval):""]
case"averageRating":
return[m.averageRating??""]
case"performance":
return[m.performance??""]
case"lastPlayed":
return[year(m.lastPlayed)]
case"reached":
return m.reached===null?[""]:[
m.reached>m.games?h(
"span",
{class:"transposes",title:`${count(m.reached - m.games)} games reach it by another order of moves`},
"⤨"
):null,
count(m.reached)
]
}
return[]
}
table(answer){
const total=answer.moves.reduce((sum2,m)=>sum2+m.games,0)
const known={
eval:(m)=>m.eval,
averageRating:(m)=>m.averageRating,
performance:(m)=>m.performance,
reached:()=>this.countsReached()
}
const columns=COLUMNS2.filter((c)=>!known[c.key]||answer.moves.some(known[c.key]))
const{by,down}=this.sorted
const value=(m)=>m[by]??""
const moves=[...answer.moves].sort((a,b)=>{
const[x,y]=[value(a),value(b)]
const order=typeof x==="number"&&typeof y==="number"?x-y:x===""?-1:y===""?1:String(x)<String(y)?-1:String(x)>String(y)?1:0
return(down?-order:order)||b.games-a.games
})
const play=(m)=>{
const move3=this.shownKey===this.key?legal(this.pos,m.uci):void 0
if(move3)this.play(move3)
}
const sum=(pick)=>moves.reduce((all,m)=>all+pick(m),0)
const[white,draws,black]=[sum((m)=>m.white),sum((m)=>m.draws),sum((m)=>m.black)]
const decided=white+draws+black
const mover=this.pos.turn==="white"?white:black
const labels={
averageRating:"avg",
performance:"perf",
lastPlayed:"last",
reached:"reached",
score:"score",
share:"share",
eval:"eval"
}
return h(
"table",
{class:`explorer-moves${this.wide ? " wide" : ""}`},
h("caption",{class:"unseen"},"Moves from this position"),
h(
"thead",
null,
h(
"tr",
null,
...columns.map(
(c)=>h(
"th",
{
scope:"col",
class:c.key,
title:c.title,
"aria-sort":c.sort===by?down?"descending":"ascending":null
},
c.sort?h(
"button",
{
type:"button",
on:{
click:()=>{
this.sorted=c.sort===by?{by,down:!down}:{by:c.sort,down:c.sort!=="san"}
this.draw()
}
}
},
c.head
):c.head
)
)
)
),
h(
"tbody",
null,
...moves.map(
(m,i)=>h(
"tr",
{
"data-uci":m.uci,
on:{
mouseenter:()=>this.point(m),
mouseleave:()=>this.point(void 0),
focusin:()=>this.point(m),
focusout:()=>this.point(void 0),
click:()=>play(m)
}
},
...columns.map(
(c)=>c.key==="san"?h("th",{scope:"row",class:"san"},h("button",{type:"button",tabindex:i?"-1":"0"},m.san)):h(
"td",
{class:c.key,"data-label":labels[c.key],title:c.key==="lastPlayed"?m.lastPlayed??"":null},
...this.cell(c.key,m,total)
)
)
)
)
),
h(
"tfoot",
null,
h(
"tr",
null,
...columns.map(
(c)=>c.key==="san"?h("th",{scope:"row",class:"san",title:"All moves"},"Σ"):h(
"td",
{class:c.key},
c.key==="games"?count(total):c.key==="share"?["100",h("span",{class:"unit"}," %")]:c.key==="bar"?bar(white,draws,black):c.key==="score"&&decided?String(Math.round(100*(mover+draws / 2)/ decided)):""
)
)
)
)
)
}
foot(answer){
return h(
"div",
{class:"foot"},
answer.ended?h("span",null,`${count(answer.ended)} ${answer.ended === 1 ? "game" : "games"} ended here`):null,
answer.unknown?h("span",null,`${count(answer.unknown)} without a result`):null,
h(
"span",
{class:"quiet",title:SOURCES[answer.source]??""},
answer.source==="index"?"from the index":"from the games"
),
button(
this.wide?"Fewer columns":"More columns",
()=>{
this.wide=!this.wide
this.draw()
},
{
class:"plain phone-only"
}
),
sqlLink(()=>this.shown.sql)
)
}
games(answer){
if(!answer.top.length&&!answer.recent.length)return null
if(!answer[this.list].length)this.list=this.list==="top"?"recent":"top"
const place=withParams(new URLSearchParams(),{
fen:here().params.get("fen"),
play:this.steps.map((s2)=>s2.uci).join(",")
})
const links=this.steps.length||place.get("fen")?withParams(new URLSearchParams(),{fen:fenOf(this.pos)}):new URLSearchParams()
const tab=(list,text)=>answer[list].length?button(
text,
()=>{
this.list=list
this.draw()
},
{
"aria-pressed":this.list===list?"true":"false",
class:"tab"
}
):null
return h(
"section",
{class:"its-games","aria-label":"Games"},
h(
"div",
{class:"tabs"},
tab("top","Top games"),
tab("recent","Recent games"),
h(
"a",
{
class:"all",
href:url("/games",new URLSearchParams([...place,...only(here().params,[...FILTERS,...CONTENTS])]))
},
"All games"
)
),
gameTable(answer[this.list],this.list==="top"?"Top games":"Recent games",links),
h("div",{class:"foot"},sqlLink(this.list==="top"?answer.topSql:answer.recentSql))
)
}
rows(){
const inGames=document.activeElement?.closest("table.games")
return[
...this.answer.querySelectorAll(inGames?"table.games a.open":"table.explorer-moves tbody th button")
]
}
position(){
return this.pos
}
pgn(){
return writePgn(
treeOf(
this.start,
this.steps.map((s2)=>s2.uci)
)
)
}
turned(){
this.page.board.arrows(this.arrows)
}
leave(){
this.latest.stop()
this.later.stop()
}
};

var LENGTH=16
var LINES=["1","2","3","4","5"]
var DEPTHS=["15","20","30","40","60"]
var USUAL={lines:"3",depth:"30"}
var chosen=(name2)=>localStorage.getItem(`engine-${name2}`)??USUAL[name2]
var PAUSE=250
var FIRST=3e4
var ALL=75e3
var AGAIN=3e3
var DRAW=250
var WORTH=12
async function*events(body){
const reader=body.pipeThrough(new TextDecoderStream()).getReader()
let rest=""
for(;;){
const{value,done}=await reader.read()
if(done)return
const parts=(rest+value).replace(/\r\n/g,"\n").split("\n\n")
rest=parts.pop()
for(const part of parts){
const fields=part.split("\n").map((line)=>/^(event|data): ?(.*)$/.exec(line))
const all=(field2)=>fields.flatMap((found)=>found?.[1]===field2?[found[2]]:[]).join("\n")
if(all("data"))yield{name:all("event"),data:all("data")}
}
}
}
function written(pos,ucis){
const sans=[]
let[first,arrow]=["",""]
let ply=(pos.fullmoves-1)*2+(pos.turn==="black"?1:0)
for(const uci of ucis.slice(0,LENGTH)){
const move3=legal(pos,uci)
if(!move3)break
const{after,step:played}=step(pos,move3)
ply++
sans.push(`${!first || ply % 2 ? `${moveNumber(ply)} ` : ""}${played.san}`);
first||=played.san
arrow||=played.uci
pos=after
}
return{sans,first,arrow}
}
function merged(now,before){
const first=/* @__PURE__ */ new Map()
for(const line of[...now,...before])if(line.moves.length&&!first.has(line.moves[0]))first.set(line.moves[0],line)
return[...first.values()].slice(0,Number(chosen("lines")))
}
var worth=({cp=0,mate})=>mate===void 0?cp:Math.sign(mate)*(1e6-Math.abs(mate))
var OVER={
"white wins":"White has won",
"black wins":"Black has won",
stalemate:"Stalemate",
"insufficient material":"Neither side can win"
}
var Live=class{
constructor(board2){
this.board=board2
board2.watch=(pos)=>this.follow(pos)
document.addEventListener("visibilitychange",()=>this.begin(0))
addEventListener("pagehide",()=>this.stop())
}
board
toggle=h(
"button",
{
type:"button",
role:"switch",
"aria-checked":"false",
class:"switch",
title:"Engine (e)",
on:{click:()=>this.flip()}
},
"Engine"
)
depth=h("span",{class:"live-depth"})
head=h("div",{class:"live-head",hidden:true},this.depth,this.toggle)
lines=h("ul",{
class:"live-lines",
"aria-label":"Lines of the engine",
on:{
pointerdown:(event)=>this.pressed(event),
click:(event)=>event.detail||this.pressed(event)
}
});
/** the balance of the first line, beside the board */
bar=h("div",{class:"balance",role:"img",hidden:true},h("span"));
/** plays moves on the board of the view */
play=()=>{
}
message=h("p",{class:"live-message",role:"status"})
spoken=h("p",{class:"unseen","aria-live":"polite"})
node=h(
"section",
{class:"live","aria-label":"Engine",hidden:true},
h("div",{class:"live-choices"},this.choice("lines",LINES),this.choice("depth",DEPTHS)),
this.lines,
this.message,
this.spoken
)
on=false
there=false
follows=false
pos
fen=""
controller
timer
limit
drawing
seen;
/** the depth of the stored evaluation, while it is shown */
stored=0
told=false;
/** the lines that are shown, as moves */
shown=[];
/** Whether the server has an engine. */
available(there){
this.there=there
this.place()
}
get usable(){
return this.there&&this.follows
}
/** Whether the view has a position on its board. */
attend(follows){
if(follows===this.follows)return
this.follows=follows
this.place()
}
flip(){
if(!this.usable)return
this.on=!this.on
this.toggle.setAttribute("aria-checked",String(this.on))
this.place()
}
place(){
this.head.hidden=!this.usable
this.node.hidden=this.bar.hidden=!this.usable||!this.on
this.begin(0)
}
choice(name2,values){
const select=h("select",{
on:{
change:()=>{
localStorage.setItem(`engine-${name2}`,select.value)
this.begin(0)
}
}
})
fill(select,...values.map((value)=>h("option",{value,selected:value===chosen(name2)},value)))
return h("label",null,name2[0].toUpperCase()+name2.slice(1),select)
}
/** Plays a line up to the move that was pressed. */
pressed(event){
const move3=event.target.closest("button")
const line=move3&&this.shown[Number(move3.dataset.line)]
if(line)this.play(line.slice(0,Number(move3.dataset.at)+1))
}
follow(pos){
const fen=pos?fenOf(pos):""
if(fen===this.fen)return
this.pos=pos
this.fen=fen
this.begin(PAUSE)
}
/** Cancels the analysis, and starts that of the position on the board if the page is visible. */
begin(pause){
this.stop()
this.clear()
if(!this.on||!this.usable||!this.pos||document.hidden)return
this.depth.textContent="…"
this.timer=setTimeout(()=>void this.ask(this.pos),pause)
}
stop(){
for(const timer3 of[this.timer,this.limit,this.drawing])clearTimeout(timer3)
this.drawing=void 0
this.controller?.abort()
this.controller=void 0
}
clear(){
this.seen=void 0
this.stored=0
this.told=false
this.depth.textContent=this.message.textContent=this.spoken.textContent=""
this.lines.replaceChildren()
this.shown=[]
this.balance(void 0)
this.board.engineArrow(void 0)
}
async ask(pos){
const controller=new AbortController()
this.controller=controller
const current=()=>this.controller===controller
const late=()=>current()&&this.failed("The engine does not answer.")
this.limit=setTimeout(late,FIRST)
try{
const response=await fetch(
url("/api/engine",new URLSearchParams({fen:fenOf(pos),multipv:chosen("lines"),depth:chosen("depth")})),
{
credentials:"same-origin",
cache:"no-store",
headers:{Accept:"text/event-stream"},
signal:controller.signal
}
)
if(!response.ok||!response.body){
const said2=await response.json().catch(()=>null)
if(current())this.refused(response.status,said2?.error)
return
}
let first=true
for await(const{name:name2,data}of events(response.body)){
if(!current())return
if(name2==="analysis"&&first){
first=false
clearTimeout(this.limit)
this.limit=setTimeout(late,ALL)
}
if(this.take(pos,name2,JSON.parse(data))){
this.stop()
return
}
}
if(current())this.failed("The connection to the engine has ended.")
}catch(error){
if(!current())return
if(error instanceof SyntaxError)this.failed("The engine’s answer cannot be read.")
else this.refused(0)
}
}
/** Takes an event; true if it is the last. */
take(pos,name2,seen){
switch(name2){
case"stored":
this.know(seen)
this.stored=seen.depth??0
this.draw(pos)
return false
case"analysis":
if((seen.depth??0)<this.stored)return false
this.know(seen)
this.drawing??=setTimeout(
()=>{
this.drawing=void 0
this.draw(pos)
},
this.lines.childElementCount?DRAW:0
)
return false
case"end":
if(seen.over!==void 0){
this.clear()
this.message.textContent=`${OVER[seen.over] ?? "The game is over"}: there is nothing to search.`
}else{
if((seen.depth??0)>=this.stored&&seen.pvs.length)this.know(seen)
this.draw(pos,true)
}
return true
case"failure":
this.failed(`${(seen.error ?? "the engine has failed").replace(/^./, (first) => first.toUpperCase())}.`)
return true
}
return false
}
know(seen){
const before=this.stored?[]:this.seen?.pvs??[]
this.stored=0
this.seen={...seen,pvs:merged(seen.pvs,before)}
}
draw(pos,done=false){
const seen=this.seen
if(!seen?.pvs.length)return
const side=pos.turn==="white"?-1:1
const[chosen2,...others]=seen.pvs
const lines=[chosen2,...others.sort((a,b)=>side*(worth(a)-worth(b)))].map((line)=>({
...written(pos,line.moves),
score:score(line),
line
}))
const[best]=lines
const focus=this.lines.contains(document.activeElement)?document.activeElement.dataset.line:void 0
this.shown=lines.map(({line})=>line.moves)
this.balance(best.line)
fill(
this.lines,
...lines.map(
({score:score2,sans},n)=>h(
"li",
null,
h("span",{class:"live-score"},score2),
h(
"span",
{class:"live-moves"},
...sans.flatMap((san,at2)=>[
at2?" ":null,
h(
"button",
{
type:"button",
class:"move",
tabindex:at2?"-1":"0",
"data-line":n,
"data-at":at2,
title:"Play the line up to here"
},
san
)
])
)
)
)
)
if(focus)this.lines.querySelector(`[data-line="${focus}"]`)?.focus()
this.depth.textContent=[this.stored?"stored":"",seen.depth?`depth ${seen.depth}`:"",done?"done":""].filter(Boolean).join(" · ")
if(seen.engine)this.depth.title=seen.engine
this.board.engineArrow(best.arrow||void 0)
if(best.first&&(done||!this.told&&(seen.depth??0)>=WORTH)){
this.told=true
this.spoken.textContent=`Engine: ${best.score}, best move ${best.first}, depth ${seen.depth ?? "unknown"}`
}
}
/** Shows White's winning chances as a bar. */
balance(line){
const chances=line?50+50*Math.tanh(184e-5*Math.max(-5e3,Math.min(5e3,worth(line)))):50
this.bar.firstElementChild.style.height=`${chances}%`
this.bar.setAttribute("aria-label",line?`White’s winning chances: ${Math.round(chances)} %`:"Winning chances")
}
refused(status,said2){
this.stop()
this.clear()
if(status===503||status===0){
this.message.textContent=status?"All engines are busy. Trying again…":"The server does not answer. Trying again…"
const pos=this.pos
this.timer=setTimeout(()=>pos&&void this.ask(pos),AGAIN)
}else{
this.message.textContent = status === 400 ? `The engine cannot look at this position: ${said2 ?? "it is not legal"}.` : `${said2 ?? `The server reports error ${status}`}.`;
}
}
failed(text){
this.stop()
this.clear()
fill(
this.message,
`${text} `,
button("Try again",()=>this.begin(0),{class:"plain"})
)
}
};

var TABS=[
["position","This position","The same pieces on the same squares, the same side to move, castling rights and en passant."],
["pieces","These pieces","These pieces on these squares, whoever is to move."],
["material","Material","The pieces of both sides, on any squares: White’s, then v, then Black’s."],
["pattern","Pattern","Pieces on squares, pawn structure, attacks, moves, and sequences of these."]
]
var EXAMPLES=[
["Nd5 and not [bn] attacks d5","a knight on d5 that no minor piece can take"],
["KRP*vKRP* for 8","a rook ending that lasts"],
["flip(isolated(Pd))","an isolated queen’s pawn"],
["rxNc3 directly Pxc3","the exchange given on c3"],
["K[b1,c1] and k[g8,h8]","castled on opposite sides"],
["flip(Bxph7 and check directly kxh7)","the Greek gift"]
]
var ROLES3=["king","queen","rook","bishop","knight","pawn"]
var SearchView=class{
constructor(page2){
this.page=page2
}
page
tabs=h("div",{class:"tabs",role:"group","aria-label":"What to look for"})
form=h("form",{class:"search-form",on:{submit:submitted(()=>this.find())}})
filters=h("div")
list=new GameList(
()=>note(h("h2",null,"No games found"),h("p",null,"Try a wider search, or remove a filter."))
)
node=h(
"div",
{class:"view search"},
h("div",{class:"panel-head"},h("h1",null,"Search"),this.tabs,this.form,this.filters),
this.list.node
)
tab="position"
placement=fenOf(initial()).split(" ")[0]
color="white"
castling="KQkq"
passant="-"
exact=false
material=""
pattern=""
chosen
palette=h("div",{class:"palette"})
latest=new Latest()
timer
said=h("div",{class:"pattern-said","aria-live":"polite"})
fenField
fenSaid
first=true
drawn=""
update(at2){
const params=at2.params
const has=(name2)=>!!params.get(name2)
const tab=has("pattern")?"pattern":has("material")?"material":has("pieces")?"pieces":has("fen")||has("play")?"position":params.get("by")??this.tab
if(TABS.some(([name2])=>name2===tab))this.tab=tab
const pos=positionOf(params)
if(pos){
const[placement,turn,castling,passant]=fenOf(pos).split(" ")
this.passant=passant
this.placement=placement
this.color=turn==="b"?"black":"white"
this.castling=castling==="-"?"":castling
}
if(has("pieces")){
this.placement=params.get("pieces")
this.exact=has("exact")
}
if(has("material"))this.material=params.get("material")
if(has("pattern"))this.pattern=params.get("pattern")
this.page.title("Search")
this.page.strip(this.palette)
this.drawPalette()
this.page.board.edit(
parseBoardFen(this.placement).isOk?this.placement:"8/8/8/8/8/8/8/8",
()=>this.edited(),
()=>this.chosen
)
const drawn=`${this.tab} ${only(params, CRITERIA)}`
if(this.first||drawn!==this.drawn)this.drawForm()
this.drawn=drawn
this.first=false
fill(this.filters,filterBar())
if(this.page.status&&!this.page.status.games)this.list.show(emptyDatabase(this.page.status))
else if(CRITERIA.some(has))this.list.update(params)
else this.list.show()
}
setTab(tab){
if(tab==="material"&&!this.material)this.material=this.boardMaterial()??""
go(url("/search",withParams(without(here().params,[...CRITERIA,"sort"]),{by:tab})),true)
}
boardMaterial(){
return parseBoardFen(this.placement).unwrap(
(board2)=>materialOf({board:board2}),
()=>void 0
)
}
drawForm(){
fill(
this.tabs,
TABS.map(
([name2,text])=>button(text,()=>this.setTab(name2),{class:"tab","aria-pressed":this.tab===name2?"true":"false"})
)
)
const why=h("p",{class:"quiet why"},TABS.find(([name2])=>name2===this.tab)[2])
const submit=h("button",{type:"submit",class:"primary"},"Find games")
this.fenField=this.fenSaid=void 0
if(this.tab==="position"){
this.fenSaid=h("span",{class:"error",role:"status"})
this.fenField=h("input",{
id:"fen",
class:"code",
value:this.fen(),
spellcheck:"false",
autocomplete:"off",
maxlength:"120",
on:{input:()=>this.unsay(),change:()=>this.typedFen()}
})
const castle=(letter,label2)=>h(
"label",
null,
h("input",{
type:"checkbox",
name:"castling",
value:letter,
checked:this.castling.includes(letter),
on:{
change:(event)=>{
const on=event.target.checked
this.castling=[..."KQkq"].filter((l)=>l===letter?on:this.castling.includes(l)).join("")
this.checkFen()
}
}
}),
h("span",null,label2)
)
fill(
this.form,
why,
h(
"div",
{class:"row"},
h(
"div",
{class:"choices",role:"radiogroup","aria-label":"Side to move"},
...["white","black"].map(
(color)=>h(
"label",
null,
h("input",{
type:"radio",
name:"turn",
value:color,
checked:this.color===color,
on:{
change:()=>{
this.color=color
this.passant="-"
this.checkFen()
}
}
}),
h("span",null,`${color === "white" ? "White" : "Black"} to move`)
)
)
),
h(
"div",
{class:"choices",role:"group","aria-label":"Castling rights"},
castle("K","White O-O"),
castle("Q","O-O-O"),
castle("k","Black O-O"),
castle("q","O-O-O")
)
),
h("div",{class:"field wide"},h("label",{for:"fen"},"FEN"),this.fenField,this.fenSaid),
h("div",{class:"actions"},submit)
)
this.checkFen()
}else if(this.tab==="pieces"){
this.fenSaid=h("span",{class:"error",role:"status"})
this.fenField=h("input",{
id:"fen",
class:"code",
value:this.placement,
spellcheck:"false",
autocomplete:"off",
maxlength:"90",
on:{input:()=>this.unsay(),change:()=>this.typedFen()}
})
fill(
this.form,
why,
h("div",{class:"field wide"},h("label",{for:"fen"},"Placement"),this.fenField,this.fenSaid),
h(
"div",
{class:"choices",role:"radiogroup","aria-label":"Other squares"},
...[false,true].map(
(exact)=>h(
"label",
null,
h("input",{
type:"radio",
name:"exact",
checked:this.exact===exact,
on:{change:()=>this.exact=exact}
}),
h("span",null,exact?"other squares are empty":"other squares may hold anything")
)
)
),
h(
"div",
{class:"actions"},
submit,
button("As a pattern",()=>this.asPattern(),{class:"plain"})
)
)
}else if(this.tab==="material"){
const input=h("input",{
id:"material",
class:"code",
value:this.material,
placeholder:"KRPPvKR",
spellcheck:"false",
autocomplete:"off",
maxlength:"60",
on:{input:()=>this.material=input.value.trim()}
})
fill(
this.form,
why,
h("div",{class:"field wide"},h("label",{for:"material"},"Material"),input),
h(
"div",
{class:"actions"},
submit,
button(
"From the board",
()=>{
this.material=this.boardMaterial()??""
input.value=this.material
},
{
class:"plain"
}
)
)
)
}else{
const area=h("textarea",{
id:"pattern",
class:"code",
rows:"2",
spellcheck:"false",
autocomplete:"off",
maxlength:"2000",
value:this.pattern,
on:{
input:()=>{
this.pattern=area.value
clearTimeout(this.timer)
this.timer=setTimeout(()=>this.checkPattern(),200)
},
keydown:(event)=>{
if(event.key==="Enter"&&!event.shiftKey){
event.preventDefault()
this.find()
}
}
}
})
fill(
this.form,
why,
h("div",{class:"field wide"},h("label",{for:"pattern"},"Pattern"),area),
this.said,
h(
"div",
{class:"actions"},
submit,
button("From the board",()=>this.asPattern(),{class:"plain"})
),
h(
"div",
{class:"examples"},
h("span",{class:"quiet"},"For example"),
...EXAMPLES.map(
([pattern,words])=>button(
words,
()=>{
area.value=this.pattern=pattern
void this.checkPattern()
area.focus()
},
{class:"chip",title:pattern}
)
)
)
)
void this.checkPattern()
}
}
fen(){
return `${this.placement} ${this.color[0]} ${this.castling || "-"} ${this.passant} 0 1`
}
/** Shows under the field what is wrong with the position. */
checkFen(){
if(this.tab!=="position"||!this.fenField)return true
this.fenField.value=this.fen()
const{error}=readFen(this.fen())
this.fenSaid.textContent=error??""
return!error
}
/** Removes the error while the text is edited. If it went only when the button below is pressed, the button would move away. */
unsay(){
this.fenSaid.textContent=""
}
/** The form as it is, with what belongs to the position now: a button that is being clicked must stay. */
refill(){
for(const input of this.form.querySelectorAll("input")){
if(input.name==="turn")input.checked=input.value===this.color
if(input.name==="castling")input.checked=this.castling.includes(input.value)
}
this.checkFen()
}
/** Takes the position from the field; returns false, and shows the reason below it, if the text is not a position. */
typedFen(){
const[placement,turn,castling,passant]=this.fenField.value.trim().replace(/[_\s]+/g," ").split(" ")
const problem=parseBoardFen(placement??"").unwrap(
()=>"",
()=>"the placement is wrong"
)
if(problem){
this.fenSaid.textContent=problem
return false
}
this.placement=placement
if(this.tab==="position"){
if(turn)this.color=turn==="b"?"black":"white"
if(castling)this.castling=castling==="-"?"":castling
this.passant=passant??"-"
this.page.board.setPlacement(placement)
const read2=readFen(this.fenField.value)
this.refill()
if(read2.error)this.fenSaid.textContent=read2.error
return!read2.error
}
this.fenSaid.textContent=""
this.page.board.setPlacement(placement)
return true
}
edited(){
this.placement=this.page.board.placement()
this.passant="-"
if(this.tab==="position"){
const at2=(square)=>{
const rank=this.placement.split("/")[8-Number(square[1])].replace(/\d/g,(d)=>".".repeat(Number(d)))
return rank[square.charCodeAt(0)-97]
}
const home={
K:["e1","K","h1","R"],
Q:["e1","K","a1","R"],
k:["e8","k","h8","r"],
q:["e8","k","a8","r"]
}
this.castling=[...this.castling].filter((l)=>home[l]&&at2(home[l][0])===home[l][1]&&at2(home[l][2])===home[l][3]).join("")
this.refill()
}else if(this.tab==="pieces"&&this.fenField){
this.fenField.value=this.placement
}else if(this.tab==="pattern"){
void this.checkPattern()
}
}
/** The pieces on the board as a pattern. Empty squares may hold anything. */
asPattern(){
const squares=[]
this.placement.split("/").forEach((rank,r)=>{
let file=0
for(const letter of rank){
if(/\d/.test(letter))file +=Number(letter)
else squares.push(`${letter === "b" ? "[b]" : letter}${String.fromCharCode(97 + file++)}${8 - r}`)
}
})
this.pattern=squares.join(" ")
if(this.tab==="pattern"){
this.drawForm()
}else{
this.setTab("pattern")
}
}
async checkPattern(){
const pattern=this.pattern.trim()
if(!pattern){
this.latest.stop()
fill(this.said)
this.page.board.mark([])
return
}
const position = readFen(`${this.placement} ${this.color[0]} - - 0 1`).error ? void 0 : `${this.placement} ${this.color[0]} ${this.castling || "-"} - 0 1`;
await this.latest.run(
(signal)=>fresh(url("/api/pattern",withParams(new URLSearchParams({pattern}),{fen:position})),signal),
(answer)=>{
fill(
this.said,
h("p",{class:"reads"},"Reads as ",h("code",null,answer.canonical)),
h(
"p",
{class:"quiet"},
answer.needsGame||answer.matches===null?"It describes moves or a sequence, so only games can match.":answer.matches?`The board matches${answer.squares.length ? "; its squares are marked" : ""}.`:"Not found in this position."
)
)
if(this.tab==="pattern")this.page.board.mark(answer.squares??[])
},
(error)=>fill(this.said,this.patternError(pattern,error))
)
}
/** The pattern with the place of the error marked. */
patternError(pattern,error){
if(error.at===void 0)return h("p",{class:"error"},error.message)
const letters2=[...pattern]
const at2=Math.max(0,Math.min(letters2.length,error.at))
return h(
"div",
{class:"error"},
h(
"p",
{class:"code place"},
letters2.slice(0,at2).join(""),
h("mark",null,letters2[at2]??"␣"),
letters2.slice(at2+1).join("")
),
h("p",null,error.message),
error.hint?h("p",{class:"quiet"},error.hint):null
)
}
find(){
const params=without(here().params,[...CRITERIA,"by","after"])
const criterion={}
if(this.fenField&&!this.typedFen())return
if(this.tab==="position"){
if(!this.checkFen())return
criterion.fen=this.fen()
}else if(this.tab==="pieces")Object.assign(criterion,{pieces:this.placement,exact:this.exact?"1":""})
else if(this.tab==="material")criterion.material=this.material
else criterion.pattern=this.pattern.trim()
if(!Object.values(criterion)[0])return
go(url("/search",withParams(params,criterion)))
}
drawPalette(){
const pick=(piece,label2)=>{
const pressed2=this.chosen!==void 0&&(piece===null?this.chosen===null:this.chosen?.role===piece.role&&this.chosen?.color===piece.color)
const toggle=()=>{
this.chosen=pressed2?void 0:piece
this.drawPalette()
}
return h(
"button",
{
type:"button",
"aria-label":label2,
title:piece?`${label2}: drag it, or choose it and click squares`:"Remove pieces",
"aria-pressed":pressed2?"true":"false",
on:{
mousedown:(event)=>piece&&this.page.board.drag(piece,event),
touchstart:(event)=>piece&&this.page.board.drag(piece,event),
touchend:(event)=>{
const touch=event.changedTouches[0]
const under=document.elementFromPoint(touch.clientX,touch.clientY)?.closest("button")
if(piece&&under===event.currentTarget)toggle()
},
click:toggle
}
},
piece?h("span",{class:"cg-wrap"},h("piece",{class:`${piece.color} ${piece.role}`})):"✕"
)
}
const set2=(placement)=>()=>{
this.page.board.setPlacement(placement)
if(placement.startsWith("rnbqkbnr"))this.castling="KQkq"
this.edited()
}
fill(
this.palette,
h(
"div",
{class:"pieces"},
...["white","black"].flatMap((color)=>ROLES3.map((role)=>pick({role,color},`${color} ${role}`))),
pick(null,"remove")
),
h(
"div",
{class:"set"},
button("Clear",set2("8/8/8/8/8/8/8/8"),{class:"plain"}),
button("Start position",set2("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"),{class:"plain"}),
button("Kings only",set2("4k3/8/8/8/8/8/8/4K3"),{class:"plain"})
)
)
}
step(){
}
rows(){
return[...this.list.node.querySelectorAll("a.open")]
}
position(){
return readFen(this.fen()).pos
}
leave(){
clearTimeout(this.timer)
this.latest.stop()
this.list.stop()
}
};

var GameView=class{
constructor(page2){
this.page=page2
}
page
head=h("div",{class:"panel-head"})
body=h("div",{class:"game-body scrolls"})
node=h("div",{class:"view game"},this.head,this.body)
moves=new Moves((node)=>this.show(node,true))
strip=new Strip()
latest=new Latest()
squares=new Latest()
asked=""
whole
list;
/** its place in the list, from 0; -1 if it is not of the list */
listed=-1
further=new Latest()
tree
current
matches=[]
update(at2){
const id=at2.path[1]??""
const criteria=only(at2.params,CRITERIA)
const question=url(`/api/games/${encodeURIComponent(id)}`,criteria)
if(question===this.asked&&this.tree){
this.page.strip(this.strip.node)
const node=this.fromHash(at2.hash)
if(node!==this.current)this.show(node,false)
else this.place(node)
return
}
this.asked=question
this.tree=void 0
this.page.title("Game")
if(!this.whole)this.page.board.show({pos:initial()})
void this.latest.run(
(signal)=>get(question,signal),
(game)=>this.draw(game,at2),
(error)=>{
this.page.strip()
fill(this.head,h("h1",null,error.status===404?"There is no such game":"Game"))
fill(
this.body,
failure(error,()=>this.update(here()))
)
}
)
}
fromHash(hash2){
const tree=this.tree
if(/^n\d+$/.test(hash2))return tree.nodes[Number(hash2.slice(1))]??tree.root
const line=tree.mainline()
return line[Math.max(0,Math.min(line.length-1,Number(hash2)||0))]
}
draw(game,at2){
this.whole=game
const tree=treeOfGame(game.game)
this.tree=tree
const line=tree.mainline()
game.moves.forEach((move3,i)=>{
const node=line[i+1]
if(!node)return
if(node.clock===void 0&&move3.clock!==null&&move3.clock!==void 0)node.clock=move3.clock / 10
if(move3.mistake&&!node.nags.some((nag)=>nag<=6))node.mistake=move3.mistake
if(!node.eval&&move3.eval!==null&&move3.eval!==void 0)node.eval={cp:move3.eval.cp,mate:move3.eval.mate}
})
this.matches=[...game.matches??[]].sort((a,b)=>a-b)
const tags=new Map(game.tags.map(([name2,value])=>[name2,value]))
const tag=(name2)=>/^[?-]?$/.test(tags.get(name2)??"")?"":tags.get(name2)
thinkTimes(tree,tag("TimeControl"))
const player=(color)=>h(
"span",
{class:`player ${color.toLowerCase()}`},
h("a",{href:tag(color)?pageOf("player",tag(color)):null,title:`Report on ${tag(color)}`},tag(color)||"?"),
tag(`${color}Elo`) ? h("span", { class: "elo" }, tag(`${color}Elo`)) : null
)
const event=tag("Event")
const facts2=[
event&&h(
"a",
{href:pageOf("tournament",event,new URLSearchParams({game:game.id})),title:"The table of this event"},
event
),
tag("Round")&&`round ${tag("Round")}`,
tag("Site"),
date(tag("Date")),
tag("TimeControl"),
tag("Annotator")&&`annotated by ${tag("Annotator")}`
].filter(Boolean)
const eco=tag("ECO")||game.opening?.eco
const opening=tag("Opening")||game.opening?.name
this.page.title(`${tag("White") || "?"} – ${tag("Black") || "?"}`)
const known=/* @__PURE__ */ new Set([
"Event",
"Site",
"Date",
"Round",
"White",
"Black",
"Result",
"WhiteElo",
"BlackElo",
"ECO",
"Opening",
"TimeControl",
"Annotator",
"FEN",
"SetUp"
])
const others=game.tags.filter(([name2])=>!known.has(name2))
const folds=tree.nodes.some((node)=>node.children.length>1)
fill(
this.head,
this.neighbours(game.id),
h(
"h1",
{class:"players"},
player("White"),
h("span",{class:"result"},result(tags.get("Result")??"*")),
player("Black")
),
h("p",{class:"facts"},...facts2.flatMap((fact,i)=>[i?" · ":null,fact])),
eco||opening?h(
"p",
{class:"facts"},
h("span",{class:"eco"},eco),
" ",
h("a",{href:pageOf("opening",game.opening?.name??eco)},opening??"Report")
):null,
others.length?h(
"details",
{class:"tags"},
h("summary",null,"More tags"),
h("dl",null,...others.flatMap(([name2,value])=>[h("dt",null,name2),h("dd",null,value)]))
):null,
h(
"div",
{class:"actions"},
button("Find this position",()=>this.explore()),
button("Same material",()=>go(url("/search",new URLSearchParams({material:materialOf(this.position())})))),
button("Analyse",()=>this.analyse()),
button("Copy PGN",()=>copy(game.pgn,"PGN")),
h(
"a",
{ class: "button", href: `/api/games/${encodeURIComponent(game.id)}/pgn`, download: `${game.id}.pgn` },
"Download"
),
button("Print",()=>print()),
folds?this.folding():null,
sqlLink(game.sql)
),
this.matches.length?this.matchBar():null
)
fill(
this.body,
game.error||tree.problem?h("p",{class:"note"},`Shown as far as it can be read: ${game.error ?? tree.problem}.`):null,
this.moves.node
)
this.moves.draw(tree,tree.root,new Set(this.matches))
this.body.scrollTop=0
this.strip.draw(
line.map((node)=>({eval:node.eval,clock:node.clock})),
(ply)=>this.show(line[ply],true)
)
this.page.strip(this.strip.node)
const hash2=at2.hash||(this.matches.length?String(this.matches[0]):"")
this.show(this.fromHash(hash2),!at2.hash&&!!hash2)
}
/** The way to the neighbours of a game in the list that the visitor came from, and back to the list. */
neighbours(id){
const list=origin()
const place=list?.games.findIndex((link)=>link.split(/[?#]/)[0]===`/game/${id}`)??-1
this.list=list
this.listed=place
if(!list||place<0)return null
const step3=(by,label2)=>iconButton(by<0?"back":"forward",label2,()=>this.game(by),{
disabled:!list.games[place+by]&&(by<0||!list.more)
})
return h(
"div",
{class:"neighbours"},
h("a",{href:list.back},"Back to the list"),
step3(-1,"Previous game ([)"),
h("span",null,`${place + 1} of ${list.games.length}${list.more ? " or more" : ""}`),
step3(1,"Next game (])")
)
}
game(by){
const{list,listed}=this
if(!list||listed<0)return
const to=list.games[listed+by]
if(to)go(to)
else if(by>0&&list.more)
void this.further.run(
(signal)=>moreOf(list,signal),
(longer)=>longer.games[listed+1]&&go(longer.games[listed+1]),
(error)=>say(error.message)
)
}
folding(){
let folded=false
const toggle=button("Fold variations",()=>{
folded=!folded
this.moves.foldAll(folded)
toggle.textContent=folded?"Unfold variations":"Fold variations"
})
return toggle
}
matchBar(){
const go2=(by)=>{
const ply=this.current?.ply??0
const next=by>0?this.matches.find((m)=>m>ply)??this.matches[0]:[...this.matches].reverse().find((m)=>m<ply)??this.matches.at(-1)
this.show(this.tree.mainline()[next],true)
}
const n=this.matches.length
return h(
"div",
{class:"matches"},
h("span",null,n===1?"Found once":`Found ${n} times`),
iconButton("back","Previous match",()=>go2(-1)),
iconButton("forward","Next match",()=>go2(1))
)
}
show(node,push){
this.current=node
if(push){
const hash2=this.tree.isMain(node)?String(node.ply||""):`n${node.id}`
history.replaceState(null,"",url(location.pathname,here().params,hash2))
}
this.place(node)
this.moves.current(node)
const main=this.tree.pathTo(node).filter((n)=>this.tree.isMain(n)).at(-1)
this.strip.current(main.ply)
this.page.comment(node.after||(node.parent?"":node.children[0]?.before??""))
this.markMatch(node)
}
place(node){
this.page.board.show({
pos:this.tree.position(node),
last:node.uci,
played:(move3)=>this.play(move3),
shapes:node.shapes
})
}
/** Marks the squares that the pattern matches here. */
markMatch(node){
const pattern=here().params.get("pattern")
if(!pattern||!this.matches.includes(node.ply)||!this.tree.isMain(node))return
void this.squares.run(
(signal)=>get(url("/api/pattern",new URLSearchParams({pattern,fen:node.fen})),signal),
(answer)=>this.current===node&&this.page.board.mark(answer.squares??[]),
()=>{
}
)
}
play(move3){
const size=this.tree.nodes.length
const next=this.tree.play(this.current,move3)
if(this.tree.nodes.length>size)this.moves.draw(this.tree,next,new Set(this.matches))
this.show(next,true)
}
step(by){
if(!this.tree||!this.current)return
let to=this.current
if(by===-1)to=to.parent
else if(by===1)to=to.children[0]
else if(by==="first")to=this.tree.root
else while(to.children.length)to=to.children[0]
if(to&&to!==this.current)this.show(to,true)
}
explore(){
const{tree,current}=this
if(!tree||!current)return
const path=tree.pathTo(current).slice(1).map((n)=>n.uci)
const start5=epd(tree.root.fen)===epd(INITIAL_FEN)?null:tree.root.fen
go(url("/",withParams(new URLSearchParams(),{fen:start5,play:path.join(",")})))
}
analyse(){
const{tree,current,whole}=this
if(!tree||!current||!whole)return
const main=tree.pathTo(current).filter((n)=>tree.isMain(n))
begun({game:whole.id,pgn:writePgn(tree),path:tree.pathTo(current).flatMap((n)=>n.uci||[])})
go(url("/analysis",new URLSearchParams({game:whole.id}),String(main.at(-1).ply||"")))
}
pgn(){
return this.whole?.pgn??""
}
position(){
return this.tree&&this.current?this.tree.position(this.current):initial()
}
leave(){
this.latest.stop()
this.squares.stop()
this.further.stop()
}
};

var VIEWS={"":ExplorerView,games:GamesView,game:GameView,search:SearchView,analysis:AnalysisView}
var reports2=()=>import("./reports.js?71df11cddcf46605")
var notebooks2=()=>import("./notebooks.js?5ec94ed7a9dd56a6")
var LATER={
notebooks:notebooks2,
n:notebooks2,
shared:notebooks2,
train:notebooks2,
puzzles:()=>import("./puzzles.js?7eef41b947994d96"),
add:()=>import("./add.js?ee80b5d3f650f1f6"),
openings:reports2,
opening:reports2,
player:reports2,
tournament:reports2
}
var NAVIGATION=[
["/","Explorer",["","openings","opening"]],
["/games","Games",["games","game","player","tournament"]],
["/search","Search",["search"]],
["/analysis","Analysis",["analysis"]],
["/notebooks","Notebooks",["notebooks","n","shared","train"]],
["/puzzles","Puzzles",["puzzles"]],
["/add","Add games",["add"]]
]
var IN_MENU=["/puzzles","/add"]
var LIVE=/* @__PURE__ */ new Set(["","game","analysis","n","shared","opening"])
var board=new Board2()
var live=new Live(board)
var strip=h("div",{class:"under"})
var comment=h("p",{class:"comment-under","aria-live":"polite"})
var panel=h("main",{id:"panel"})
var nav=h("nav",{"aria-label":"Pages"})
var moveField=h("input",{
id:"move",
placeholder:"e.g. Nf3",
autocomplete:"off",
spellcheck:"false",
"aria-label":"Play a move",
"aria-describedby":"move-said",
maxlength:"12"
})
var moveSaid=h("span",{id:"move-said",class:"error",role:"status"})
var paper=h("div",{class:"paper"})
var boardTools=h("div",{class:"tools"})
var copyPgn=button("PGN",()=>view?.pgn&&copy(view.pgn(),"PGN"),{class:"plain",title:"Copy the moves as PGN"})
var page={
board,
status:void 0,
strip:(...children)=>fill(strip,...children),
comment:(text)=>{
comment.textContent=text
},
title:(text)=>{
document.title=text==="Explorer"?"chess":`${text} · chess`
},
renew:()=>ask2()
}
var view
var kind
function route(){
const at2=here()
const orient2=at2.params.get("orient")==="b"?"black":"white"
if(orient2!==board.orientation)board.turn(orient2)
const wanted=at2.path[0]??""
if(!view||kind!==wanted){
view?.leave()
comment.textContent=""
kind=wanted
const comes=!Object.hasOwn(VIEWS,wanted)&&Object.hasOwn(LATER,wanted)
const made=Object.hasOwn(VIEWS,wanted)?new VIEWS[wanted](page):void 0
document.body.dataset.view=made?wanted||"explorer":"none"
view=made
fill(
panel,
made?.node??(comes?null:note(h("h1",null,"There is no such page"),h("p",null,h("a",{href:"/"},"To the explorer"))))
)
panel.scrollTop=0
if(comes)void load(wanted)
}
moveSaid.textContent=""
endPeek()
drawNavigation()
copyPgn.hidden=!view?.pgn
live.attend(!!view&&LIVE.has(wanted))
view?.update(at2)
}
async function load(wanted){
try{
Object.assign(VIEWS,(await busy(LATER[wanted]())).VIEWS)
if(kind===wanted)route()
}catch{
if(kind!==wanted)return
const words="This page cannot be loaded. Either the server does not answer, or it has a new version."
fill(
panel,
note(
h("p",{role:"alert"},words),
button("Load again",()=>location.reload())
)
)
}
}
function placeWithFilters(path){
const names=[...FILTERS,"orient"]
const isFiltered=(view2)=>["","games"].includes(view2)
if(isFiltered(kind??"")&&isFiltered(path.slice(1)))names.push(...CONTENTS)
return url(path,only(here().params,names))
}
var places=()=>NAVIGATION.filter(([path])=>(path!=="/notebooks"||keeps())&&(path!=="/add"||takes())).map(
([path,text,kinds])=>h(
"a",
{
href:placeWithFilters(path),
"aria-current":kinds.includes(kind??"")?"page":null,
class:IN_MENU.includes(path)?"in-menu":null
},
text
)
)
function showMenu(){
const close=()=>dialog.close()
const dialog=openDialog(
"Menu",
{class:"sheet menu"},
h("nav",{"aria-label":"All pages",on:{click:close}},...places(),h("a",{href:"/openings"},"Openings")),
h(
"div",
{class:"actions"},
button("Dark or light",()=>theme(true))
)
)
}
function drawNavigation(){
fill(nav,...places())
nav.querySelector("[aria-current]")?.scrollIntoView({block:"nearest",inline:"nearest"})
}
function flip(){
const params=withParams(here().params,{orient:board.orientation==="white"?"b":null})
history.replaceState(null,"",url(location.pathname,params,here().hash))
board.turn(board.orientation==="white"?"black":"white")
view?.turned?.()
drawNavigation()
}
function playTyped(){
const pos=view?.position()
const text=moveField.value
if(!pos||!text.trim())return
if(!view?.play){
const fen=withParams(new URLSearchParams(),{fen:fenOf(pos)})
const move4=typed(pos,text)
if(move4)go(url("/",withParams(fen,{play:step(pos,move4).step.uci})))
else moveSaid.textContent=`${text.trim()} is not a legal move here`
return
}
const move3=typed(pos,text)
if(!move3){
moveSaid.textContent=`${text.trim()} is not a legal move here`
moveField.select()
return
}
moveField.value=""
moveSaid.textContent=""
view.play(move3)
}
function showFen(){
const pos=view?.position()
const now=pos?fenOf(pos):""
const said2=h("span",{class:"error",role:"status"})
const input=h("input",{
id:"go-fen",
class:"code",
value:now,
spellcheck:"false",
autocomplete:"off",
maxlength:"120"
})
const form=h(
"form",
{
on:{
submit:(event)=>{
event.preventDefault()
const read2=readFen(input.value)
if(!read2.pos){
said2.textContent=read2.error??"this is not a FEN"
return
}
dialog.close()
go(
url(
"/",
withParams(only(here().params,[...FILTERS,"orient"]),{
fen:input.value.trim()===now?now:fenOf(read2.pos)
})
)
)
}
}
},
h(
"div",
{class:"field wide"},
h("label",{for:"go-fen"},"FEN of the position. Paste another one to go to it"),
input,
said2
),
h(
"div",
{class:"actions"},
button("Copy",()=>copy(input.value,"FEN")),
button("Set up position",()=>{
dialog.close()
go(url("/search",new URLSearchParams(now?{fen:now}:{})))
}),
h("button",{type:"submit",class:"primary"},"Go there")
)
)
const dialog=openDialog("Position",{class:"wide"},form)
input.select()
}
var KEYS=[
["← →","one move back or forward"],
["Home End","to the start, to the end"],
["↑ ↓","up and down the table of moves or games"],
["Enter","play the move, open the game"],
["[ ]","previous, next game of the list"],
["/","type a move"],
["f","flip the board"],
["e","the engine, on or off"],
["N p Del","on a square that you set up: a white knight, a black pawn, no piece"],
["o g s a n p","explorer (openings), games, search, analysis, notebooks, puzzles"],
["?","this list"]
]
function showKeys(){
openDialog(
"Keys",
{},
h(
"dl",
{class:"keys"},
...KEYS.filter(([key])=>key!=="e"||page.status?.engine).flatMap(([key,text])=>[
h("dt",null,...key.split(" ").map((k)=>h("kbd",null,k))),
h("dd",null,text)
])
)
)
}
function pressed(event){
if(event.ctrlKey||event.metaKey||event.altKey||event.defaultPrevented||document.querySelector("dialog[open]"))return
const target=event.target
if(target.matches("input:not([type=checkbox]):not([type=radio]), textarea, select")){
if(event.key==="Escape")target.blur()
return
}
const move3=(by)=>{
const rows=view?.rows?.()??[]
if(!rows.length)return false
const now=rows.indexOf(document.activeElement)
rows[Math.max(0,Math.min(rows.length-1,now<0?by>0?0:rows.length-1:now+by))].focus()
return true
}
const radio=target.matches("input[type=radio]")
const letters2={o:0,g:1,s:2,a:3,n:4,p:5}
switch(event.key){
case"ArrowLeft":
if(radio)return
view?.step(-1)
break
case"ArrowRight":
if(radio)return
view?.step(1)
break
case"Home":
view?.step("first")
break
case"End":
view?.step("last")
break
case"ArrowUp":
case"ArrowDown":
if(radio||!move3(event.key==="ArrowUp"?-1:1))return
break
case"[":
view?.game?.(-1)
break
case"]":
view?.game?.(1)
break
case"f":
flip()
break
case"e":
live.flip()
break
case"/":
moveField.focus()
moveField.select()
break
case"?":
showKeys()
break
default:
if(!(event.key in letters2))return
go(placeWithFilters(NAVIGATION[letters2[event.key]][0]))
}
event.preventDefault()
}
function drawPaper(){
const pos=view?.position()
const{params}=here()
const other=kind==="search"?!["fen","play","pieces"].some((name2)=>params.has(name2)):["games","notebooks","openings","player","tournament","add"].includes(kind??"")
for(const details of panel.querySelectorAll(".report details"))details.open=true;
(panel.querySelector(".moves")??panel).prepend(paper)
fill(
paper,
pos&&!other&&!panel.querySelector(".moves .diagram")?[diagram(pos,board.orientation),stateInWords(pos)]:null
)
}
var turned=0
function wheel(event){
if(event.ctrlKey||!view||["games","search","notebooks"].includes(kind??""))return
event.preventDefault()
const by=event.deltaY*(event.deltaMode===WheelEvent.DOM_DELTA_LINE?40:1)
turned=Math.sign(by)===Math.sign(turned)?turned+by:by
if(Math.abs(turned)<60)return
turned=0
view.step(by<0?-1:1)
}
function theme(change2){
const root=document.documentElement
const stored=localStorage.getItem("theme")
const dark=matchMedia("(prefers-color-scheme: dark)").matches
let now=stored??(dark?"dark":"light")
if(change2){
now=now==="dark"?"light":"dark"
localStorage.setItem("theme",now)
}
root.dataset.theme=stored||change2?now:""
}
function start4(){
theme(false)
const form=h("form",{class:"move-form",on:{submit:submitted(playTyped)}},moveField,moveSaid)
moveField.addEventListener("keydown",(event)=>event.key==="Escape"&&moveField.blur())
fill(
boardTools,
h(
"div",
{class:"steps"},
iconButton("first","To the start (Home)",()=>view?.step("first")),
iconButton("back","Back (←)",()=>view?.step(-1)),
iconButton("forward","Forward (→)",()=>view?.step(1)),
iconButton("last","To the end (End)",()=>view?.step("last"))
),
form,
h(
"div",
{class:"links"},
iconButton("flip","Flip the board (f)",flip),
button("FEN",showFen,{class:"plain"}),
copyPgn,
button("Link",()=>copy(location.href,"Link"),{class:"plain",title:"Copy a link to this page"})
)
)
document.body.append(
h("div",{class:"busy","aria-hidden":"true"}),
h(
"header",
null,
h("a",{class:"brand",href:"/"},"chess"),
nav,
h("span",{class:"grow"}),
iconButton("help","Keys (?)",showKeys,{class:"icon-button no-phone"}),
iconButton("theme","Dark or light",()=>theme(true),{class:"icon-button in-menu"}),
iconButton("menu","Menu",showMenu,{class:"icon-button menu-button","aria-haspopup":"dialog"})
),
h(
"div",
{class:"page"},
h(
"section",
{class:"board-side","aria-label":"Board"},
board.node,
h("div",{class:"below"},board.words,live.head),
strip,
boardTools,
comment
),
h("div",{class:"side"},live.node,panel)
)
)
board.node.append(live.bar)
live.play=(ucis)=>{
for(const uci of ucis){
const pos=view?.position()
const move3=pos&&legal(pos,uci)
if(!move3||!view?.play)return
view.play(move3)
}
}
takeDrops()
addEventListener("beforeprint",drawPaper)
document.addEventListener("keydown",pressed)
board.node.addEventListener("wheel",wheel,{passive:false})
document.addEventListener("click",(event)=>{
const link=event.target.closest?.("a")
if(!link||event.defaultPrevented||event.button||event.ctrlKey||event.metaKey||event.shiftKey||event.altKey||link.hasAttribute("download"))
return
if(link.origin!==location.origin||link.target)return
event.preventDefault()
go(link.pathname+link.search+link.hash)
panel.scrollTop=0
})
addEventListener("popstate",()=>{
for(const dialog of document.querySelectorAll("dialog"))dialog.close()
route()
})
addEventListener("resize",()=>board.resized())
onNavigate(route)
route()
void ask2()
}
function takeDrops(){
const has=(event)=>!!takes()&&!!event.dataTransfer?.types.includes("Files")
const mark=(on)=>document.body.classList.toggle("dropping",on)
addEventListener("dragover",(event)=>{
if(!has(event))return
event.preventDefault()
mark(true)
})
addEventListener("dragleave",(event)=>event.relatedTarget||mark(false))
addEventListener("drop",(event)=>{
if(!has(event))return
event.preventDefault()
mark(false)
const files2=[...event.dataTransfer.files]
void import("./add.js?ee80b5d3f650f1f6").then(
({add})=>add(files2),
()=>go("/add")
)
})
}
var again
var shown=(status)=>status&&!status.games?[status.error,status.hint].join():""
async function ask2(){
clearTimeout(again)
try{
const before=shown(page.status)
page.status=await fresh("/api/status")
server.status=page.status
live.available(page.status.engine)
drawNavigation()
if(shown(page.status)!==before||kind==="add")route()
if(!page.status.games)again=setTimeout(ask2,5e3)
}catch{
again=setTimeout(ask2,5e3)
}
}
start4();

export{
FILTERS,
OF_LISTS,
here,
only,
without,
withParams,
url,
pageOf,
go,
server,
takes,
ApiError,
get,
forget,
fresh,
send,
Latest,
h,
s,
fill,
iconButton,
button,
say,
copy,
download,
submitted,
openDialog,
count,
result,
date,
moveNumber,
score,
INITIAL_FEN,
initial,
fenOf,
epd,
readFen,
uciOf,
legal,
typed,
step,
squaresOf,
notebooks,
share2 as share,
Saver,
Tree,
take,
writeComment,
readGames,
treeOfGame,
writePgn,
Moves,
sqlLink,
note,
failure,
waiting,
foreign,
emptyDatabase,
filterBar,
suggestions,
completed,
gameTable,
LATE,
bar
};
