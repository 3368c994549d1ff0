import{da as o,ia as p}from"./chunk-DVF7R56T.js";var t=o();t.use(p);export{t as a};
