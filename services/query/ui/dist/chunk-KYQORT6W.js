import{A as t,F as o,j as e}from"./chunk-3DXMZ65T.js";var s=e(!1),p={onResponse({response:r}){r.status===401&&(s.value=!0)}},n=t();n.use(p,o);export{s as a,n as b};
