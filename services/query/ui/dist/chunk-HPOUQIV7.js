import{a as e,da as t,ia as o}from"./chunk-6JIFHYOL.js";var s=e(!1),p={onResponse({response:r}){r.status===401&&(s.value=!0)}},n=t();n.use(p,o);export{s as a,n as b};
