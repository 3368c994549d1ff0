package cmd

import (
	"bytes"
	"encoding/json"
	"testing"
)

// TestJSONHasOneRule: with --json, each result and each failure is an object on a line of its own.
func TestJSONHasOneRule(t *testing.T) {
	p := newPerson(t)
	const none = "00000000-0000-7000-8000-000000000000"
	p.run("get", none, "--json").want(t, 1, `{"error":"There is no text file with this id."}`+"\n", "")
	p.run("library", "ls", "/none", "--json").want(t, 1, `{"error":"there is no \"none\" in the library at /none"}`+"\n", "")
	p.run("health", "--json", "--server", nowhere).has(t, 1, `{"error":`, "")
	p.run("get", "x", "--json").want(t, 2, "", "x is not the id of a file")
	p.upload("a.txt", "one")
	p.run("library", "mkdir", "/"+t.Name())
	for _, args := range [][]string{
		{"list"}, {"items"}, {"get", p.upload("b.txt", "two")}, {"health"}, {"version"}, {"library", "ls"}, {"library", "tree"}, {"open"},
		{"library", "search", t.Name()}, {"library", "links", "/" + t.Name()}, {"library", "share", "/" + t.Name()}, {"env", "--data", testDir},
		{"webhooks", "list"}, {"tags"}, {"searches", "list"}, {"photo", "list"}, {"photo", "explain", "sepia"}, {"feed", "list"}, {"dead", "list", "--data", testDir},
	} {
		got := p.run(append(args, "--json")...)
		if got.status != 0 || got.errors != "" && args[1] != "search" {
			t.Errorf("%v: got %+v, want status 0", args, got)
		}
		for line := range bytes.Lines([]byte(got.out)) {
			var object map[string]any
			if err := json.Unmarshal(line, &object); err != nil {
				t.Errorf("%v: the line %q is not an object: %v", args, line, err)
			}
		}
	}
}
