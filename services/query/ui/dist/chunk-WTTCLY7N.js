import{ca as t,ha as o}from"./chunk-3DE6VUO5.js";var e=t();e.use(o);export{e as a};
