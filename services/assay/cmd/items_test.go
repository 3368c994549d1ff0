package cmd

import (
	"strings"
	"testing"
)

func TestItems(t *testing.T) {
	p := newPerson(t)
	p.run("items").want(t, 0, "", "No items yet; upload a text with: assay upload FILE\n")
	p.run("items", "--status", "Partial").want(t, 0, "", "No item is partial.\n")
	p.upload("a.txt", "one")
	if got := p.run("library", "put", write(t, "note.txt", "a note")[0], "--wait"); got.status != 0 {
		t.Fatalf("library put: got %+v, want status 0", got)
	}
	p.upload("b.pdf", aPDF)
	const heads = "CREATED              AREA      ID                                    STATUS      NAME\n"
	const text, note = "TIME  textfile  ID  done        a.txt\n", "TIME  library   ID  done        note.txt\n"
	p.run("items", "--status", "done").want(t, 0, heads+note+text, "")
	p.run("items", "--area", "textfile", "--status", "DONE").want(t, 0, heads+text, "")
	p.run("items", "--limit", "1").has(t, 0, heads+"TIME  textfile  ID  failed      b.pdf  (", "There are more")
	all := p.run("items", "--json")
	if strings.Count(all.out, "\n") != 3 || !strings.Contains(all.out, `"areaStatus":"Processed"`) || !strings.Contains(unique(all.out), `"links":{"self":"/v1/items/library/ID"`) {
		t.Errorf("items --json: got %+v, want three items", all)
	}
	p.run("items", "--area", "feed").want(t, 2, "", "must be one of textfile, photojob, library")
	p.run("items", "--status", "COMPLETED").want(t, 2, "", "must be one of waiting, processing, done, partial, failed")
	p.run("items", "x").want(t, 2, "", "See: assay items --help")
}
