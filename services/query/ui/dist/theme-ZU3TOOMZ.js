{let e=localStorage.getItem("assay-theme");(e==="dark"||e==="light")&&(document.documentElement.dataset.theme=e)}
