package tutorial

import (
	"net"
	"os"
	"regexp"
	"strings"
	"testing"
)

// block is a block of a document, between two lines that begin with three backticks.
type block struct{ language, text string }

func blocksOf(t *testing.T, path string) (all []block) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	inside := false
	for line := range strings.Lines(string(content)) {
		language, fence := strings.CutPrefix(line, "```")
		switch {
		case fence && !inside:
			all = append(all, block{language: strings.TrimSpace(language)})
			inside = true
		case fence:
			inside = false
		case inside:
			all[len(all)-1].text += line
		}
	}
	return all
}

// TestTutorial runs the commands of docs/tutorial.md in order and compares their output with the blocks below them.
func TestTutorial(t *testing.T) {
	t.Parallel()
	r := newReader(t)
	free, err := net.Listen("tcp", "127.0.0.1:0") // a port for the receiver
	if err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(free.Addr().String())
	if err == nil {
		err = free.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	var term *terminal
	var output string
	commands, compared := 0, 0
	for _, b := range blocksOf(t, "../../../../../docs/tutorial.md") {
		text := strings.NewReplacer("127.0.0.1:8080", r.address, "3000", port).Replace(b.text)
		switch {
		case b.language == "text":
			compared++
			if !shows(text, output) {
				t.Errorf("the output is\n%s\nthe tutorial shows\n%s", output, text)
			}
		case strings.HasSuffix(text, "assay serve\n"):
			r.start(t, text)
			term = r.open(t)
		default:
			commands++
			output = term.run(t, text)
		}
	}
	if commands < 10 || compared < 8 {
		t.Errorf("%d blocks of commands and %d of output, want at least 10 and 8", commands, compared)
	}
}

// shows reports whether an output is what a document shows, where … stands for any text in a line, and a line with nothing
// else for any number of lines.
func shows(document, output string) bool {
	pattern := strings.ReplaceAll(regexp.QuoteMeta(document), "…", ".*")
	pattern = regexp.MustCompile(`(?m)^\.\*\n`).ReplaceAllString(pattern, "(?:.*\n)*")
	return regexp.MustCompile("^" + pattern + "$").MatchString(output)
}

func TestShows(t *testing.T) {
	for _, test := range []struct {
		document, output string
		want             bool
	}{
		{"a\n", "a\n", true}, {"a\n", "a\nb\n", false}, {"a …\n", "a b c\n", true}, {"a …\n", "a b\nc\n", false}, {"…\nb\n", "x\ny\nb\n", true},
		{"…\nb\n", "b\n", true}, {"a (1)\n", "a (1)\n", true}, {"a\n", "", false}, {"…\n", "", true}, {"a.\n", "ab\n", false},
	} {
		if got := shows(test.document, test.output); got != test.want {
			t.Errorf("shows(%q, %q) = %v, want %v", test.document, test.output, got, test.want)
		}
	}
}
