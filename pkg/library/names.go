package library

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/assay-project/assay/pkg/upload"
)

// MaxName is the maximum number of code points of a name.
const MaxName = 255

// forbidden contains the characters that a file system may forbid in names.
const forbidden = `/\:*?"<>|`

// reserved contains the device names of Windows, which are also reserved with any extension.
var reserved = []string{
	"CON", "PRN", "AUX", "NUL",
	"COM1", "COM2", "COM3", "COM4", "COM5", "COM6", "COM7", "COM8", "COM9",
	"LPT1", "LPT2", "LPT3", "LPT4", "LPT5", "LPT6", "LPT7", "LPT8", "LPT9",
}

// CleanDisplayName returns a display name in Unicode normal form C. It may be empty. It returns an error that
// wraps ErrName.
func CleanDisplayName(name string) (string, error) {
	if wrong := upload.CheckName(name); wrong != "" {
		return "", fmt.Errorf("%w: it %s", ErrName, wrong)
	}
	name = norm.NFC.String(name)
	if utf8.RuneCountInString(name) > MaxName {
		return "", fmt.Errorf("%w: it is longer than %d characters", ErrName, MaxName)
	}
	return name, nil
}

// CleanName returns a name in Unicode normal form C. It returns an error that wraps ErrName for a name that is not
// valid on every common file system. Two nodes of one folder may have the same name.
func CleanName(name string) (string, error) {
	refuse := func(why string) (string, error) { return "", fmt.Errorf("%w: %s", ErrName, why) }
	if wrong := upload.CheckName(name); wrong != "" {
		return refuse("it " + wrong)
	}
	name = norm.NFC.String(name)
	switch {
	case name == "":
		return refuse("it is empty")
	case utf8.RuneCountInString(name) > MaxName:
		return refuse(fmt.Sprintf("it is longer than %d characters", MaxName))
	case strings.ContainsAny(name, forbidden):
		return refuse(`it contains one of / \ : * ? " < > |`)
	case strings.HasSuffix(name, ".") || strings.HasSuffix(name, " "):
		return refuse("it ends with a dot or a space")
	case isDevice(name):
		return refuse("Windows reserves it for a device")
	}
	return name, nil
}

func isDevice(name string) bool {
	base, _, _ := strings.Cut(name, ".")
	return slices.Contains(reserved, strings.ToUpper(strings.TrimRight(base, " ")))
}

// PlainName returns the most similar name that CleanName accepts: it replaces other characters by underscores, removes dots
// and spaces from the end, shortens a long name, and adds an underscore to a device name. It returns a name that CleanName
// accepts as CleanName does.
func PlainName(name string) string {
	if clean, err := CleanName(name); err == nil {
		return clean
	}
	name = norm.NFC.String(strings.Map(func(r rune) rune {
		if upload.Unprintable(r) || strings.ContainsRune(forbidden, r) {
			return '_'
		}
		return r
	}, strings.ToValidUTF8(name, "_")))
	const most = MaxName - 1 // leaves room for an underscore
	if all := []rune(name); len(all) > most {
		ending := []rune(path.Ext(name))
		if len(ending) > maxEnding {
			ending = nil
		}
		name = string(all[:most-len(ending)]) + string(ending)
	}
	name = strings.TrimRight(name, ". ")
	if upload.CheckName(name) != "" || name == "" { // no character is visible
		return "_"
	}
	if !isDevice(name) {
		return name
	}
	base, rest, dotted := strings.Cut(name, ".")
	if dotted {
		rest = "." + rest
	}
	return strings.TrimRight(base, " ") + "_" + rest
}

// maxEnding is the maximum number of code points of an extension that PlainName keeps when it shortens a name.
const maxEnding = 20

// UniqueNames holds the names that are used in a folder, in lower case because some file systems ignore case.
type UniqueNames map[string]bool

// Add returns a name that is not in use yet, and marks it as used: "a.pdf", then "a (2).pdf".
func (used UniqueNames) Add(name string) string {
	ending := path.Ext(name)
	for n, made := 2, name; ; n++ {
		if lower := strings.ToLower(made); !used[lower] {
			used[lower] = true
			return made
		}
		made = fmt.Sprintf("%s (%d)%s", strings.TrimSuffix(name, ending), n, ending)
	}
}
