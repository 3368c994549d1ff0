package library

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// MaxName is the maximum number of code points of a name.
const MaxName = 255

// reserved contains the device names of Windows, which are also reserved with any extension.
var reserved = []string{
	"CON", "PRN", "AUX", "NUL",
	"COM1", "COM2", "COM3", "COM4", "COM5", "COM6", "COM7", "COM8", "COM9",
	"LPT1", "LPT2", "LPT3", "LPT4", "LPT5", "LPT6", "LPT7", "LPT8", "LPT9",
}

const unprintable = "it contains a control character, a line separator, or a character that changes the direction of text"

// Unprintable reports whether names must not contain a character: a control character, a line or paragraph separator,
// or a bidirectional embedding, override or isolate, with which a name is displayed in another order, so that
// gnp.exe looks like exe.png. The directional marks, which do not reorder other text, are allowed.
func Unprintable(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp) || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

// CleanDisplayName returns a display name in Unicode normal form C. It may be empty. It returns an error that
// wraps ErrName.
func CleanDisplayName(name string) (string, error) {
	name = norm.NFC.String(name)
	switch {
	case !utf8.ValidString(name):
		return "", fmt.Errorf("%w: it is not valid UTF-8", ErrName)
	case utf8.RuneCountInString(name) > MaxName:
		return "", fmt.Errorf("%w: it is longer than %d characters", ErrName, MaxName)
	case strings.ContainsFunc(name, Unprintable):
		return "", fmt.Errorf("%w: %s", ErrName, unprintable)
	}
	return name, nil
}

// CleanName returns a name in Unicode normal form C. It returns an error that wraps ErrName for a name that is not
// valid on every common file system. Two nodes of one folder may have the same name.
func CleanName(name string) (string, error) {
	refuse := func(why string) (string, error) { return "", fmt.Errorf("%w: %s", ErrName, why) }
	if !utf8.ValidString(name) {
		return refuse("it is not valid UTF-8")
	}
	name = norm.NFC.String(name)
	base, _, _ := strings.Cut(name, ".")
	switch {
	case name == "":
		return refuse("it is empty")
	case utf8.RuneCountInString(name) > MaxName:
		return refuse(fmt.Sprintf("it is longer than %d characters", MaxName))
	case strings.ContainsAny(name, `/\:*?"<>|`):
		return refuse(`it contains one of / \ : * ? " < > |`)
	case strings.ContainsFunc(name, Unprintable):
		return refuse(unprintable)
	case strings.HasSuffix(name, ".") || strings.HasSuffix(name, " "):
		return refuse("it ends with a dot or a space")
	case slices.Contains(reserved, strings.ToUpper(strings.TrimRight(base, " "))):
		return refuse("Windows reserves it for a device")
	}
	return name, nil
}
