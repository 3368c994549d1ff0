import{a as e,q as t,v as o}from"./chunk-6WQXTZLD.js";var s=e(!1),p={onResponse({response:r}){r.status===401&&(s.value=!0)}},n=t();n.use(p,o);export{s as a,n as b};
