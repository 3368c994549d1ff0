package cmd

import (
	"strings"
	"testing"
)

// TestSend: items are named by their area and id, by an id alone, or by a path of the library.
func TestSend(t *testing.T) {
	p := newPerson(t)
	text, photo := p.upload("a.txt", "one two"), p.edit("b.jpg", "as png")
	sent := p.run("send", "textfile/"+text, "--to", "library", "--folder", "/Sent")
	sent.want(t, 0, "library/ID\n", "")
	p.run("send", photo, "--to", "library", "--result", "--name", "c.png", "--wait").has(t, 0, "  c.png\n", "")
	p.run("library", "wait", "/Sent/a.txt")
	for _, item := range []string{"/Sent/a.txt", "library/Sent/a.txt", strings.TrimSpace(sent.out), text, "textfile/" + text} {
		p.run("send", item, "--to", "textfile", "--wait").want(t, 0, "ID  COMPLETED    a.txt  (2 words, 2 distinct)\n", "")
	}
	p.run("send", "/c.png", "photojob/"+photo, "--to", "photojob", "--operations", `[{"op":"resize","width":40}]`, "--wait").want(t, 0,
		"ID  COMPLETED   c.png  (40 × 30 png)\nID  COMPLETED   b.jpg  (40 × 30 jpeg)\n", "")
	p.run("send", text, "--to", "textfile", "--json").want(t, 0,
		`{"from":"textfile/ID","area":"textfile","id":"ID","url":"/v1/files/ID"}`+"\n", "")

	p.run("send", "textfile/"+text, "/none", "--to", "photojob").want(t, 1, "", "assay: 2 of 2 failed\n")
	p.run("send", photo, "--to", "textfile", "--wait").has(t, 1, "ID  FAILED       b.jpg  (", "the analysis of ID failed")
	other := newPerson(t)
	other.run("send", photo, "--to", "library").want(t, 1, "", "There is no photo job with this id.")
	p.run("send", text).want(t, 2, "", "--to is missing")
	p.run("send", text, "--to", "feed").want(t, 2, "", "must be one of textfile, photojob, library")
	p.run("send", text, photo, "--to", "library", "--name", "x").want(t, 2, "", "--name requires a single item")
	p.run("send", text, "--to", "textfile", "--folder", "/x").want(t, 2, "", "--folder requires --to library")
	p.run("send", text, "--to", "library", "--prompt", "sepia").want(t, 2, "", "require --to photojob")
}

func TestCompletionOfItems(t *testing.T) {
	p := newPerson(t)
	text, photo := p.upload("a.txt", "one"), p.edit("b.jpg", "as png")
	p.run("library", "mkdir", "/Reports")
	for typed, want := range map[string]string{
		"": "textfile/ photojob/ /", "t": "textfile/", "textfile/": "textfile/" + text, "textfile/x": "", "photojob/" + photo[:5]: "photojob/" + photo, "/R": "/Reports/",
	} {
		if got := p.completions("send", typed); got != want {
			t.Errorf("completion of %q: got %q, want %q", typed, got, want)
		}
	}
	if got := p.completions("send", text, "--to", ""); got != "textfile photojob library" {
		t.Errorf("completion of --to: got %q, want the areas", got)
	}
}
