package photojob

import (
	"fmt"
	"mime"
	"path"
	"unicode/utf8"

	"github.com/assay-project/assay/pkg/upload"
)

// Limits of a job.
const (
	MaxSize     = 20_000_000 // bytes
	MaxPrompt   = 2_000      // characters
	maxFileName = 255        // characters
	minSide     = 16         // pixels
	maxSide     = 12_000
)

// FileTypes returns the media types that a photo can have.
func FileTypes() []string {
	return []string{
		"image/jpeg", "image/png", "image/webp", "image/heic", "image/heif", "image/gif", "image/bmp", "image/tiff",
		"image/avif", "image/jxl",
		"image/x-raw", "image/x-adobe-dng", "image/x-canon-cr2", "image/x-canon-cr3", "image/x-nikon-nef", "image/x-sony-arw",
		"image/x-panasonic-rw2", "image/x-olympus-orf", "image/x-fuji-raf", "image/x-pentax-pef",
	}
}

// Terms are the parameters with which a client creates a job.
type Terms struct {
	FileName    string
	ContentType string
	Size        int64  // bytes
	SHA256      string // base64; if empty, the digest is not verified
	Prompt      string
	Options     Options
	// Source identifies the photo if it is a copy of the content of another item, and is empty for an upload.
	Source string `json:",omitempty"`

	Unasked bool `json:"-"` // the client specified no provider; Options contains the local one
}

// Job returns the job to create for these terms.
func (t Terms) Job(jobID, userID string) Job {
	return Job{
		JobID: jobID, UserID: userID, FileSize: t.Size, FileType: t.ContentType, OriginalFileName: t.FileName,
		S3TempKey: t.UploadKey(jobID), Provider: t.Options.Provider, Prompt: t.Prompt, Options: t.Options,
	}
}

// Violation is an error in one field of the terms.
type Violation struct{ Field, Message string }

// ShortName returns a file name of the allowed length: that of a longer one loses characters before its extension.
func ShortName(name string) string {
	all := []rune(name)
	if len(all) <= maxFileName {
		return name
	}
	ending := []rune(path.Ext(name))
	if len(ending) >= maxFileName {
		ending = nil
	}
	return string(all[:maxFileName-len(ending)]) + string(ending)
}

// Completed returns the terms as they are stored, with defaults: the local provider, and the media type in lower case
// without parameters.
func (t Terms) Completed() Terms {
	if base, _, err := mime.ParseMediaType(t.ContentType); err == nil {
		t.ContentType = base
	}
	t.Options.Provider = StoredProvider(t.Options.Provider)
	if t.Options.Provider == "" {
		t.Options.Provider, t.Unasked = Stub, true
	}
	return t
}

// Check returns the violations in completed terms. There are none if a job can be created. It does not
// check the size and the media type, for which the API has separate responses.
func (t Terms) Check() []Violation {
	var found []Violation
	wrong := func(field, format string, args ...any) {
		found = append(found, Violation{field, fmt.Sprintf(format, args...)})
	}
	if message := NameViolation(t.FileName); message != "" {
		wrong("fileName", "%s", message)
	}
	return append(found, t.CheckEdit()...)
}

// NameViolation returns what is wrong with a file name, or "".
func NameViolation(name string) string {
	if wrong := upload.CheckName(name); wrong != "" {
		return wrong
	}
	if n := utf8.RuneCountInString(name); n == 0 || n > maxFileName {
		return fmt.Sprintf("has %d characters; 1 to %d are allowed", n, maxFileName)
	}
	return ""
}

// CheckEdit returns the violations in the prompt and the options of completed terms, which a retry can change.
func (t Terms) CheckEdit() []Violation {
	var found []Violation
	wrong := func(field, format string, args ...any) {
		found = append(found, Violation{field, fmt.Sprintf(format, args...)})
	}
	if !utf8.ValidString(t.Prompt) {
		wrong("prompt", "is not UTF-8")
	} else if utf8.RuneCountInString(t.Prompt) > MaxPrompt {
		wrong("prompt", "is longer than %d characters", MaxPrompt)
	}
	for _, v := range t.Options.check() {
		wrong("options."+v.Field, "%s", v.Message)
	}
	return found
}

// The providers, as tables, subjects and consumers name them.
const (
	Stub     = "stub" // runs in the analyzer
	Gemini   = "gemini"
	Seedream = "seedream"
)

// Providers returns the names of all providers.
func Providers() []string { return []string{Stub, Gemini, Seedream} }

// local is the name of Stub in the API, in the commands and in outcomes.
const local = "local"

// ShownProvider returns the name of a provider for users.
func ShownProvider(stored string) string {
	if stored == Stub {
		return local
	}
	return stored
}

// StoredProvider returns the stored name of a provider that a user names. Requests may also name the stored one.
func StoredProvider(shown string) string {
	if shown == local {
		return Stub
	}
	return shown
}
