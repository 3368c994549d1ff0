import{a,b,c}from"./chunk-DZ3MAPQP.js";import"./chunk-UMKNSZGJ.js";import"./chunk-7YHNZOQ5.js";import"./chunk-TWLMQKCX.js";export{b as PromptFields,c as default,a as keepPrompt};
