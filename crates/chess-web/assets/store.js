/*! A part of app.js, GPL-3.0-or-later */
import{ua as a,va as b}from"./app.js";export{b as Corrections,a as store};
