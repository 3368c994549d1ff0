import{j as e,oa as t,ta as o}from"./chunk-WD7FGWNF.js";var s=e(!1),p={onResponse({response:r}){r.status===401&&(s.value=!0)}},n=t();n.use(p,o);export{s as a,n as b};
