import{a,b,c}from"./chunk-KM3ZCBLD.js";import"./chunk-2LGH2XHR.js";import"./chunk-3KFBNMAL.js";export{b as PromptFields,c as default,a as keepPrompt};
