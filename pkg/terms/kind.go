package terms

import (
	"path"
	"strings"
)

// Kinds of items. An item of the kind KindUser is the root of a library, which is never found.
const (
	KindUser    = "User"
	KindFolder  = "Folder"
	KindFile    = "File"
	KindRecord  = "Record"
	KindModel   = "Model"
	KindMessage = "Message"
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
