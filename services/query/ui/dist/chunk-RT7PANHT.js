import{a,b,c}from"./chunk-N2TPYPTL.js";import"./chunk-XSJT5EUI.js";import"./chunk-C3QL5W72.js";export{b as PromptFields,c as default,a as keepPrompt};
