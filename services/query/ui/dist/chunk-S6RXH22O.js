import{a,b,c}from"./chunk-LVSBFINE.js";import"./chunk-XSJT5EUI.js";import"./chunk-3KFBNMAL.js";export{b as PromptFields,c as default,a as keepPrompt};
