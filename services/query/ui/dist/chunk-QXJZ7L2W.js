import{I as t,N as o}from"./chunk-3X3FCU4C.js";var e=t();e.use(o);export{e as a};
