import{a,b,c}from"./chunk-MG4PNHZ5.js";import"./chunk-IV6FJJAL.js";import"./chunk-3DXMZ65T.js";export{b as PromptFields,c as default,a as keepPrompt};
