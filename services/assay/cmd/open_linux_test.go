package cmd

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-project/assay/services/assay/client"
)

// screen runs a command on a terminal and returns its exit status and all that it wrote there.
func (p person) screen(args ...string) (int, string) {
	p.Helper()
	p.Setenv("ASSAY_OWNER", p.owner)
	tty := newTerminal(p.T, 200, 50)
	status := Run(context.WithoutCancel(p.Context()), args, strings.NewReader(""), tty.program, tty.program)
	const end = "<end>"
	if _, err := tty.program.WriteString(end); err != nil {
		p.Fatal(err)
	}
	text := tty.await(p.T, 0, end)
	return status, strings.ReplaceAll(strings.TrimSuffix(text, end), "\r\n", "\n")
}

func TestOpen(t *testing.T) {
	p := newPerson(t)
	server := os.Getenv("ASSAY_SERVER")
	p.run("open").want(t, 0, server+"\n", "")
	p.run("open", "--json").want(t, 0, `{"url":"`+server+`"}`+"\n", "")
	id := p.upload("a.txt", "one")
	p.run("open", id).want(t, 0, server+"/files/ID\n", "")
	p.run("open", "01BX5ZZKBKACTAV9WEVGEMMVRZ").want(t, 0, server+"/photos/ID\n", "")
	p.run("library", "mkdir", "/Reports")
	p.run("open", "/Reports").want(t, 0, server+"/library/ID\n", "")
	p.run("open", "/None").want(t, 1, "", `there is no "None" in the library`)
	p.run("open", "--operations", "--operator", "http://127.0.0.1:9").want(t, 0, "http://127.0.0.1:9/operations\n", "")
	p.run("open", "--operations", "x").want(t, 2, "", "no ID or PATH")

	// On a terminal, the browser is started.
	bin := t.TempDir()
	started := filepath.Join(bin, "started")
	script := "#!/bin/sh\nprintf %s \"$1\" >" + started + "\n"
	if err := os.WriteFile(filepath.Join(bin, "xdg-open"), []byte(script), 0o700); err != nil { //nolint:gosec // a program is executable
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	status, text := p.screen("open", id)
	address, err := os.ReadFile(started)
	if status != 0 || err != nil || string(address) != server+"/files/"+id || !strings.Contains(text, "enter "+p.owner) {
		t.Errorf("open on a terminal: got status %d, %q, %v and the text %q, want the browser at the page of the file", status, address, err, text)
	}
	c, err := client.New(client.Config{Server: server})
	if err != nil {
		t.Fatal(err)
	}
	how, err := c.SignIn(t.Context())
	if err != nil || how.Owner == "" {
		t.Fatalf("the server returned %+v, %v, want a default owner", how, err)
	}
	if _, text := (person{owner: how.Owner, T: t}).screen("open"); strings.Contains(text, "select Owner") {
		t.Errorf("open as the default owner printed %q, want no request to select it", text)
	}
	t.Setenv("PATH", t.TempDir())
	if status, text := p.screen("open"); status != 0 || !strings.Contains(text, server) || !strings.Contains(text, "No browser was opened") {
		t.Errorf("open without a browser: got status %d and %q, want the address", status, text)
	}
}

// TestColors: colors are shown on terminals only, and not if NO_COLOR is set, and do not move the columns.
func TestColors(t *testing.T) {
	t.Setenv("NO_COLOR", "")
	t.Setenv("TERM", "xterm")
	p := newPerson(t)
	p.upload("a.txt", "one")
	p.upload("b.pdf", aPDF)
	plain := p.run("list").out
	_, shown := p.screen("list")
	for _, want := range []string{"\x1b[1mCREATED ", "\x1b[32mCOMPLETED\x1b[0m    a.txt", "\x1b[31mFAILED\x1b[0m       b.pdf"} {
		if !strings.Contains(shown, want) {
			t.Errorf("list on a terminal: got %q, want %q in it", shown, want)
		}
	}
	for _, code := range []string{"\x1b[1m", "\x1b[31m", "\x1b[32m", "\x1b[0m"} {
		shown = strings.ReplaceAll(shown, code, "")
	}
	if shown != plain || strings.Contains(plain, "\x1b") {
		t.Errorf("list without its colors: got\n%s, want\n%s", shown, plain)
	}
	t.Setenv("NO_COLOR", "1")
	if _, shown := p.screen("list"); shown != plain {
		t.Errorf("list with NO_COLOR: got\n%q, want\n%q", shown, plain)
	}
}

// TestTerminalIsNotDisturbed: content that is not text is not written to a terminal unless standard output is named.
func TestTerminalIsNotDisturbed(t *testing.T) {
	p := newPerson(t)
	text, picture := p.upload("a.txt", "one\ttwo\n"), p.upload("b.png", "\x89PNG\r\n\x1a\n\x00")
	if status, shown := p.screen("content", text); status != 0 || shown != "one\ttwo\n" {
		t.Errorf("content of a text: got status %d and %q, want the text", status, shown)
	}
	if status, shown := p.screen("content", picture); status != 1 || !strings.Contains(shown, "-o FILE") || strings.Contains(shown, "PNG") {
		t.Errorf("content of a picture: got status %d and %q, want advice", status, shown)
	}
	if status, shown := p.screen("content", picture, "-o", "-"); status != 0 || !strings.Contains(shown, "PNG") {
		t.Errorf("content of a picture to -: got status %d and %q, want the content", status, shown)
	}
	p.run("content", picture).want(t, 0, "\x89PNG\r\n\x1a\n\x00", "")

	dir := localFiles(t, map[string]string{"book.xlsx": "PK\x03\x04\x00"})
	p.run("library", "put", filepath.Join(dir, "book.xlsx"), "--wait")
	if status, shown := p.screen("library", "get", "/book.xlsx"); status != 1 || !strings.Contains(shown, "-o FILE") || strings.Contains(shown, "PK") {
		t.Errorf("library get of a workbook: got status %d and %q, want advice", status, shown)
	}
	p.run("library", "get", "/book.xlsx").want(t, 0, "PK\x03\x04\x00", "")
}
