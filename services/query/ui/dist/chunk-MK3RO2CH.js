import{V as t,_ as o}from"./chunk-VHTMNUKV.js";var e=t();e.use(o);export{e as a};
