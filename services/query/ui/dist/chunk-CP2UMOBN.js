import{$ as o,W as t}from"./chunk-FRXK36GU.js";var e=t();e.use(o);export{e as a};
