package paired

import (
	"fmt"
	"os"
	"strings"
)

// WriteInto replaces the text between the lines "<!-- begin NAME -->" and
// "<!-- end NAME -->" of a file. It fails if the file has no such lines.
func WriteInto(path, name, text string) error {
	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	begin, end := "<!-- begin "+name+" -->\n", "<!-- end "+name+" -->"
	before, rest, opened := strings.Cut(string(old), begin)
	_, after, closed := strings.Cut(rest, end)
	if !opened || !closed {
		return fmt.Errorf("%s has no lines %q and %q", path, strings.TrimSpace(begin), end)
	}
	return os.WriteFile(path, []byte(before+begin+"\n"+strings.TrimSpace(text)+"\n\n"+end+after), 0o644)
}
