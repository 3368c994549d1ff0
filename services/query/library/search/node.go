package search

import (
	"path"
	"strings"

	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/lifecycle"
)

// maxFormat is the maximum length in bytes of an extension that is considered a format.
const maxFormat = 10

// FormatOf returns the format of a file according to its name: the extension in lower case, such as pdf, or
// "" if there is none.
func FormatOf(name string) string {
	ending := strings.ToLower(strings.TrimPrefix(path.Ext(name), "."))
	plain := func(r rune) bool { return r >= 'a' && r <= 'z' || r >= '0' && r <= '9' }
	if len(ending) > maxFormat || strings.TrimFunc(ending, plain) != "" {
		return ""
	}
	return ending
}

// HasText reports whether a node is a file whose processing has finished, so that its text, if any, is
// stored.
func HasText(n *event.NodeChanged) bool {
	return n.Type == string(library.KindFile) && library.Machine().IsFinal(lifecycle.State(n.Status))
}
