package search

import (
	"path"
	"strings"

	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/lifecycle"
)

// maxFormat is the longest ending of a name that is a format, in bytes.
const maxFormat = 10

// FormatOf is the format of a file by its name: the ending in lower case, such as pdf. It is empty for a name
// without one.
func FormatOf(name string) string {
	ending := strings.ToLower(strings.TrimPrefix(path.Ext(name), "."))
	plain := func(r rune) bool { return r >= 'a' && r <= 'z' || r >= '0' && r <= '9' }
	if len(ending) > maxFormat || strings.TrimFunc(ending, plain) != "" {
		return ""
	}
	return ending
}

// HasText reports whether a node is a file whose processing has ended, so that its text, if it has one, is
// stored.
func HasText(n *event.NodeChanged) bool {
	return n.Type == string(library.KindFile) && library.Machine().IsFinal(lifecycle.State(n.Status))
}
