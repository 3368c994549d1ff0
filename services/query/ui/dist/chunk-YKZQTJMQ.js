import{a,b,c}from"./chunk-HS3I6774.js";import"./chunk-XSJT5EUI.js";import"./chunk-3DXMZ65T.js";export{b as PromptFields,c as default,a as keepPrompt};
