import{X as t,aa as o}from"./chunk-BX4ZKRRP.js";var e=t();e.use(o);export{e as a};
