import{a,b,c}from"./chunk-OTDO5Y73.js";import"./chunk-ZAXDPEEO.js";import"./chunk-3KFBNMAL.js";export{b as PromptFields,c as default,a as keepPrompt};
