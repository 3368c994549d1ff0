import{x as e,ya as r}from"./chunk-WD7FGWNF.js";function a({parts:m}){return e("bdi",{dir:"auto",children:m.map((t,o)=>t.match?e("mark",{children:r(t.text)},o):r(t.text))})}export{a};
