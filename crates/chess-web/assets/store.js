/*! A part of app.js, GPL-3.0-or-later */
import{ua as a,va as b,wa as c,xa as d}from"./app.js";export{d as Corrections,a as retagged,c as store,b as writeTree};
