package cmd

import (
	"path/filepath"
	"strings"
	"testing"
)

// completions returns what the shell offers for the last of the arguments, without descriptions.
func (p person) completions(args ...string) string {
	p.Helper()
	got := p.run(append([]string{"__complete"}, args...)...)
	var values []string
	for line := range strings.Lines(got.out) {
		if strings.HasPrefix(line, ":") {
			break // the directive, which is the last line
		}
		value, _, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if strings.HasPrefix(value, args[len(args)-1]) { // as the shell does
			values = append(values, value)
		}
	}
	return strings.Join(values, " ")
}

func TestCompletionOfIDs(t *testing.T) {
	p := newPerson(t)
	if got := p.completions("get", ""); got != "" {
		t.Errorf("completion of the id of an owner without files: got %q, want none", got)
	}
	id := p.upload("a.txt", "one")
	for _, command := range []string{"get", "content", "retry", "delete"} {
		if got := p.completions(command, id[:3]); got != id {
			t.Errorf("completion of the id of %s: got %q, want %s", command, got, id)
		}
	}
	if got := p.run("__complete", "get", id[:3]); !strings.Contains(got.out, id+"\tCOMPLETED  a.txt\n") {
		t.Errorf("completion of an id: got %q, want the status and the name", got.out)
	}
	if got := p.completions("get", id, ""); got != "" {
		t.Errorf("completion of a second id of get: got %q, want none", got)
	}
	if got := p.completions("delete", id, ""); got != id {
		t.Errorf("completion of a second id of delete: got %q, want %s", got, id)
	}
	if got := p.completions("get", "x"); got != "" {
		t.Errorf("completion of an id that begins with x: got %q, want none", got)
	}
}

func TestCompletionOfPaths(t *testing.T) {
	p := newPerson(t)
	dir := localFiles(t, map[string]string{"Reports/a.txt": "a", "Reports/b 2.txt": "b", "c.txt": "c"})
	p.run("library", "put", filepath.Join(dir, "Reports"), filepath.Join(dir, "c.txt"))
	for typed, want := range map[string]string{
		"/": "/Reports/ /c.txt", "/R": "/Reports/", "R": "Reports/", "/Reports/": "/Reports/a.txt /Reports/b 2.txt", "/Reports/b": "/Reports/b 2.txt",
		"/x": "", "/x/y": "", "": "/Reports/ /c.txt",
	} {
		got := strings.Split(p.completions("library", "get", typed), " /")
		all := map[string]bool{}
		for _, one := range strings.Split(want, " /") {
			all[one] = true
		}
		for i, one := range got {
			if i > 0 {
				one = "/" + one
			}
			if !all[one] && !all[strings.TrimPrefix(one, "/")] || len(got) != len(all) {
				t.Errorf("completion of %q: got %q, want %q", typed, got, want)
			}
		}
	}
	if got := p.completions("library", "put", "x", "--to", "/R"); got != "/Reports/" {
		t.Errorf("completion of --to: got %q, want /Reports/", got)
	}
}

func TestCompletionOfValues(t *testing.T) {
	p := newPerson(t)
	for _, test := range []struct{ command, want string }{
		{"list --status C", "COMPLETED"},
		{"feed list --sentiment n", "neutral negative"},
		{"feed list --source-type r", "reddit rss"},
		{"library export /a --format j", "jsonl jdx"},
		{"library search a --status Pr", "Processed ProcessedPartially"},
		{"library search a --type Fo", "Folder"},
		{"library search a --format sd", "sdf"},
		{"dead list --class una", "unavailable"},
	} {
		if got := p.completions(strings.Fields(test.command)...); got != test.want {
			t.Errorf("completion of %s: got %q, want %q", test.command, got, test.want)
		}
	}
}

// TestCompletionWithoutServer: a shell is not disturbed by errors.
func TestCompletionWithoutServer(t *testing.T) {
	t.Setenv("ASSAY_SERVER", nowhere)
	for _, command := range []string{"get", "photo get", "library get", "dead show", "webhooks show"} {
		got := run(t.Context(), "", append(append([]string{"__complete"}, strings.Fields(command)...), "")...)
		if got.status != 0 || !strings.HasPrefix(got.out, ":4\n") {
			t.Errorf("completion of %s without a server: got %+v, want nothing", command, got)
		}
	}
}

func TestCompletionOfNames(t *testing.T) {
	p := newPerson(t)
	p.run("webhooks", "create", receiver.URL, "--name", "orders")
	if got := p.completions("webhooks", "show", "or"); got != "orders" {
		t.Errorf("completion of a webhook: got %q, want orders", got)
	}
}
