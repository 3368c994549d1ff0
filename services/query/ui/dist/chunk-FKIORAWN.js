var t=new Map;function i(e,n){let s=t.get(e)??n();t.delete(e),t.set(e,s);for(let o of t.keys()){if(t.size<=8)break;t.delete(o)}return s}export{i as a};
