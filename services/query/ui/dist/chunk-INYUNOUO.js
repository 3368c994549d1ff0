import{H as t,M as o}from"./chunk-KDUXPDPF.js";var e=t();e.use(o);export{e as a};
