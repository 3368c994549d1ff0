package cmd

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestPut: each file goes where its content belongs, which the command says first, or to the area that is stated.
func TestPut(t *testing.T) {
	p := newPerson(t)
	dir := localFiles(t, map[string]string{
		"a.txt": "one two", "photo": draw(t, 20), "table.csv": "a,b\n1,2\n", "data.json": `{"a":1}`, "page.html": "<!doctype html><p>one", "folder/b.txt": "three", "document.txt": aPDF,
	})
	at := func(name string) string { return filepath.Join(dir, name) }
	goes := map[string]string{
		"a.txt": "textfile", "photo": "photojob", "table.csv": "library", "data.json": "library", "page.html": "library", "folder": "library", "document.txt": "library",
	}
	for name, area := range goes {
		p.run("put", "--dry-run", at(name)).want(t, 0, at(name)+": "+area+"\n", "")
		p.run("put", "--dry-run", at(name), "--json").want(t, 0, `{"path":"`+at(name)+`","area":"`+area+`"}`+"\n", "")
	}
	p.run("put", at("photo"), at("a.txt"), at("table.csv"), "--wait", "--prompt", "as png").want(t, 0,
		"ID  COMPLETED    a.txt  (2 words, 2 distinct)\nID  COMPLETED   photo  (160 × 120 png)\nID  Processed                  8 B  table.csv\n",
		at("photo")+": photojob\n"+at("a.txt")+": textfile\n"+at("table.csv")+": library\n")
	got := p.run("put", at("a.txt"), at("photo"), at("folder"), "--to", "library", "--folder", "/Put", "--wait")
	if got.status != 0 || strings.Count(got.out, "Processed") != 3 {
		t.Errorf("put --to library: got %+v, want three processed files", got)
	}
	if got := p.tree("/Put"); !strings.Contains(got, "folder/") || !strings.Contains(got, "a.txt") || !strings.Contains(got, "photo") {
		t.Errorf("the folder contains\n%s, want all files", got)
	}
	p.run("put", at("table.csv"), "--to", "textfile", "--wait", "--json").has(t, 0, `"totalWords":3`, "")
	p.run("put", at("a.txt"), at("none"), "--wait").want(t, 1, "ID  COMPLETED    a.txt  (2 words, 2 distinct)\n", at("none")+": no such file or directory\n")
	p.run("put", at("document.txt"), at("page.html"), at("a.txt"), "--to", "photojob").want(t, 1, "", "assay: 3 of 3 failed\n")
	p.run("put", at("a.txt"), "--to", "feed").want(t, 2, "", "must be one of textfile, photojob, library")
}
