var t={feed:"Feed",library:"Library",photojob:"Photo jobs",textfile:"Text files"};export{t as a};
