/*! A part of app.js, GPL-3.0-or-later */
import{ra as a,sa as b}from"./app.js";export{b as Corrections,a as store};
