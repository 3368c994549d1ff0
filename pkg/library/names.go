package library

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/assay-project/assay/pkg/upload"
)

// MaxName is the maximum number of code points of a name.
const MaxName = 255

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
	base, _, _ := strings.Cut(name, ".")
	switch {
	case name == "":
		return refuse("it is empty")
	case utf8.RuneCountInString(name) > MaxName:
		return refuse(fmt.Sprintf("it is longer than %d characters", MaxName))
	case strings.ContainsAny(name, `/\:*?"<>|`):
		return refuse(`it contains one of / \ : * ? " < > |`)
	case strings.HasSuffix(name, ".") || strings.HasSuffix(name, " "):
		return refuse("it ends with a dot or a space")
	case slices.Contains(reserved, strings.ToUpper(strings.TrimRight(base, " "))):
		return refuse("Windows reserves it for a device")
	}
	return name, nil
}
