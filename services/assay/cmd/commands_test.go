package cmd

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-project/assay/services/assay/endpoints"
)

func TestGet(t *testing.T) {
	p := newPerson(t)
	id := p.upload("a.txt", "one two Two")
	text := `file       a.txt
id         ID
owner      ` + p.owner + `
status     COMPLETED
created    TIME
updated    TIME
words      3
distinct   2
length     3.00 on average
charset    utf-8, detected
top words  two  2
           one  1
`
	p.run("get", id).want(t, 0, text, "")
	p.run("get", id, "--wait").want(t, 0, text, "")
	p.run("get", id, "--json").want(t, 0, `{"fileId":"ID","ownerId":"`+p.owner+`","fileName":"a.txt","size":11,"status":"COMPLETED",`+
		`"createdAt":"TIME","updatedAt":"TIME","result":{"totalWords":3,"uniqueWords":2,"avgWordLength":3,`+
		`"top10Words":[{"word":"two","count":2},{"word":"one","count":1}],"charset":"utf-8","charsetSource":"detected"}}`+"\n", "")
	failed := p.run("get", p.upload("a.pdf", aPDF), "--wait")
	if failed.status != 1 || !strings.Contains(failed.out, "\nerror    ") || !strings.Contains(failed.errors, "the analysis of ") {
		t.Errorf("get of a failed file: got %+v, want status 1 and an error", failed)
	}
	p.run("get", "00000000-0000-7000-8000-000000000000").want(t, 1, "", "assay: There is no text file with this id.\n")
	p.run("get", "x").want(t, 2, "", "assay: x is not the id of a file; see: assay list\n")
	p.run("get").want(t, 2, "", "See: assay get --help")
}

func TestList(t *testing.T) {
	p := newPerson(t)
	p.run("list").want(t, 0, "", "No files yet; upload one with: assay upload FILE\n")
	p.run("list", "--status", "failed").want(t, 0, "", "No file is FAILED.\n")
	p.run("list", "--json").want(t, 0, "", "")
	p.upload("a.txt", "one")
	p.upload("b.pdf", aPDF)
	p.upload("c.txt", "two")
	const heads = "CREATED              ID                                    STATUS       FILE\n"
	const first, third = "TIME  ID  COMPLETED    a.txt\n", "TIME  ID  COMPLETED    c.txt\n"
	p.run("list", "--status", "completed").want(t, 0, heads+third+first, "")
	p.run("list", "--all", "--status", "COMPLETED").want(t, 0, heads+third+first, "")
	p.run("list", "--limit", "1").want(t, 0, heads+third, "There are more")
	if all := p.run("list"); strings.Count(all.out, "\n") != 4 || all.errors != "" {
		t.Errorf("list: got %+v, want three files", all)
	}
	p.run("list", "--json", "--limit", "1").want(t, 0, `{"fileId":"ID","ownerId":"`+p.owner+`","fileName":"c.txt",`+
		`"status":"COMPLETED","createdAt":"TIME","updatedAt":"TIME"}`+"\n", "There are more")
	p.run("list", "--status", "done").want(t, 2, "", "must be one of PENDING, IN_PROGRESS, COMPLETED, FAILED")
	p.run("list", "--limit", "0").want(t, 2, "", "See: assay list --help")
}

func TestDelete(t *testing.T) {
	p, other := newPerson(t), newPerson(t)
	mine, others := p.upload("a", "one"), other.upload("b", "two")
	p.run("delete", mine, others, mine).want(t, 1, "ID  deleted\nID  deleted\n",
		"ID: The file belongs to another owner. Send the X-Owner-Id that it was uploaded with.\nassay: 1 of 3 failed\n")
	p.run("get", mine).want(t, 1, "", "There is no text file with this id.")
	p.run("delete", "--json", mine).want(t, 0, `{"fileId":"ID","deleted":true}`+"\n", "")
	p.run("delete", others, "--owner", other.owner).want(t, 0, "ID  deleted\n", "")
}

func TestRetry(t *testing.T) {
	p := newPerson(t)
	p.run("retry", p.upload("a", aPDF)).want(t, 0, "ID  PENDING      a\n", "")
	p.run("retry", "--json", p.upload("b", "text")).want(t, 1,
		`{"fileId":"ID","error":"Only a FAILED file can be retried; this one is COMPLETED. State a charset to read it again."}`+"\n", "")
	p.run("retry", p.upload("c", "text"), "--charset", "latin1").want(t, 0, "ID  PENDING      c\n", "")
	p.run("retry", p.upload("d", "text"), "--charset", "klingon").want(t, 1, "", "is not the name of a known charset")
}

func TestContent(t *testing.T) {
	p := newPerson(t)
	id := p.upload("a", "one\ttwo\n")
	p.run("content", id).want(t, 0, "one\ttwo\n", "")
	path := filepath.Join(t.TempDir(), "a")
	p.run("content", id, "-o", path).want(t, 0, "", "")
	if content, err := os.ReadFile(path); err != nil || string(content) != "one\ttwo\n" {
		t.Errorf("wrote %q, %v, want the uploaded content", content, err)
	}
	p.run("content", "00000000-0000-7000-8000-000000000000").want(t, 1, "", "There is no text file with this id.")
}

// at is a writer that calls do once, when the given text has been written.
type at struct {
	strings.Builder
	text string
	do   func()
}

func (a *at) Write(b []byte) (int, error) {
	n, err := a.Builder.Write(b)
	if a.do != nil && strings.Contains(a.String(), a.text) {
		do := a.do
		a.do = nil
		do()
	}
	return n, err
}

// watch runs `assay watch` until its output contains last, and uploads two files once it has started.
func (p person) watch(last string, args ...string) ran {
	p.Helper()
	return p.follow(last, func() {
		p.upload("a.txt", "one two one")
		p.upload("b", aPDF)
	}, append([]string{"watch"}, args...)...)
}

// follow runs a watch command until its output contains last. It calls do once the command is watching. The command
// writes both of its outputs from one goroutine, so they need no lock.
func (p person) follow(last string, do func(), args ...string) ran {
	p.Helper()
	ctx, stop := context.WithCancel(p.Context())
	defer stop()
	uploaded := make(chan struct{})
	began := func() {
		go func() {
			defer close(uploaded)
			do()
		}()
	}
	out, errs := &at{text: last, do: stop}, &at{text: "stop with Ctrl-C.", do: began}
	p.Setenv("ASSAY_OWNER", p.owner)
	status := Run(ctx, args, strings.NewReader(""), out, errs)
	if errs.do == nil {
		<-uploaded
	}
	return ran{status, out.String(), errs.String()}
}

func TestWatch(t *testing.T) {
	p := newPerson(t)
	got := p.watch("FAILED")
	lines := strings.SplitAfterN(unique(got.out), "\n", 2)
	if got.status != 0 || len(lines) != 2 || lines[0] != "TIME  ID  COMPLETED    a.txt  (3 words, 2 distinct)\n" ||
		!strings.HasPrefix(lines[1], "TIME  ID  FAILED       b  (") || got.errors != "Watching; stop with Ctrl-C.\n" {
		t.Errorf("watch: got %+v, want a completed and a failed file", got)
	}
}

func TestLibraryWatch(t *testing.T) {
	p := newPerson(t)
	put := func() {
		name := filepath.Join(t.TempDir(), "note.txt")
		if err := os.WriteFile(name, []byte("a note"), 0o600); err != nil {
			t.Error(err)
		}
		var out, errs bytes.Buffer
		if status := Run(t.Context(), []string{"library", "put", name}, strings.NewReader(""), &out, &errs); status != 0 {
			t.Errorf("library put: got exit status %d, want 0: %s", status, errs.String())
		}
	}
	got := p.follow("Processed ", put, "library", "watch")
	if got.status != 0 || !strings.Contains(got.out, "created") || !strings.Contains(got.out, "note.txt") || got.errors != "Watching; stop with Ctrl-C.\n" {
		t.Errorf("library watch: got %+v, want the created and processed note.txt", got)
	}
	if got := p.follow(`"Processed"`, func() {}, "library", "watch", "--json", "--after", "0-0"); !strings.Contains(got.out, `{"event":"node","id":"`) {
		t.Errorf("library watch after the first event: got %+v, want a node event", got)
	}
}

func TestWatchResumesAfterEvent(t *testing.T) {
	p := newPerson(t)
	p.watch("FAILED")
	got := p.watch(`"failed"`, "--after", "0", "--json")
	lines := strings.Split(strings.TrimSpace(unique(got.out)), "\n")
	if len(lines) != 3 || !strings.HasPrefix(lines[0], `{"event":"ready","id":"0-`) ||
		!strings.HasPrefix(lines[1], `{"event":"completed","id":"`) || !strings.Contains(lines[1], `"name":"a.txt"`) ||
		!strings.HasPrefix(lines[2], `{"event":"failed","id":"`) || got.errors != "" {
		t.Errorf("watch after event 0: got %+v, want ready, completed and failed", got)
	}
	if missed := p.watch("resync", "--json", "--after", "1000000"); !strings.HasPrefix(missed.out, `{"event":"resync","id":"`) {
		t.Errorf("watch after an event that never existed: got %+v, want resync", missed)
	}
	p.run("watch", "--after", "x").want(t, 1, "", "is not the id of an event")
	found, err := endpoints.Read(testDir)
	if err != nil {
		t.Fatal(err)
	}
	all := p.watch(p.owner, "--after", "0", "--json", "--all", "--operator", found.Operator)
	if all.status != 0 || !strings.Contains(all.out, `"ownerId":"`+p.owner+`"`) {
		t.Errorf("watch of all owners: got %+v, want the events of %s", all, p.owner)
	}
	p.run("watch", "--all", "--operator", found.HTTP).want(t, 1, "", "This stream serves one owner")
}
