package plaintext

import (
	"encoding/binary"
	"errors"
	"regexp"
	"strings"

	"github.com/gabriel-vasile/mimetype"

	"github.com/assay-project/assay/pkg/extract/reason"
)

// NotTextError means that the content is not text. It describes the format.
type NotTextError struct {
	// Looks describes the content with its article and media type, such as
	// "a PDF document (application/pdf)".
	Looks string
}

func (e *NotTextError) Error() string {
	return e.Unwrap().Error()
}

// Unwrap returns the reason.
func (e *NotTextError) Unwrap() error { return reason.NotText.Fill(e.Looks) }

// names maps media types to the names of common formats.
var names = map[string]string{
	"application/pdf":                               "a PDF document",
	"application/gzip":                              "gzip-compressed data",
	"application/zip":                               "a ZIP archive",
	"application/x-7z-compressed":                   "a 7-Zip archive",
	"application/x-tar":                             "a tar archive",
	"application/x-rar-compressed":                  "a RAR archive",
	"application/x-bzip2":                           "bzip2-compressed data",
	"application/x-xz":                              "xz-compressed data",
	"application/zstd":                              "Zstandard-compressed data",
	"application/x-elf":                             "an ELF program or library",
	"application/x-executable":                      "an ELF program",
	"application/x-sharedlib":                       "an ELF shared library",
	"application/x-object":                          "an ELF object file",
	"application/x-mach-binary":                     "a Mach-O program",
	"application/vnd.microsoft.portable-executable": "a Windows program",
	"application/java-archive":                      "a Java archive",
	"application/epub+zip":                          "an EPUB book",
	"application/msword":                            "a Word document",
	"application/vnd.ms-excel":                      "an Excel workbook",
	"application/vnd.ms-powerpoint":                 "a PowerPoint presentation",
	"application/x-ole-storage":                     "an old Microsoft Office document",
	"application/vnd.sqlite3":                       "an SQLite database",
	"application/wasm":                              "a WebAssembly module",

	"application/vnd.openxmlformats-officedocument.wordprocessingml.document":   "a Word document",
	"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet":         "an Excel workbook",
	"application/vnd.openxmlformats-officedocument.presentationml.presentation": "a PowerPoint presentation",
	"application/vnd.oasis.opendocument.text":                                   "an OpenDocument text",
	"application/vnd.oasis.opendocument.spreadsheet":                            "an OpenDocument spreadsheet",
	"application/vnd.oasis.opendocument.presentation":                           "an OpenDocument presentation",

	unknownFormat: "binary data",
}

// kinds maps the top-level part of a media type to the name of formats that are not in names.
var kinds = map[string]string{
	"image": "an image",
	"audio": "audio",
	"video": "a video",
	"font":  "a font",
	"model": "a 3D model",
}

// checkText returns a *NotTextError if the start of a stream is not text. text is the start in
// UTF-8 or another superset of ASCII; raw is the same start before decoding.
func checkText(text, raw []byte) error {
	controls, pdf := controlCharacters(text), pdfHeader.Match(raw[:min(len(raw), maxHeader)])
	if controls == 0 && !pdf {
		return nil // skip the detection of the format, which takes longer than counting the words
	}
	found := mimetype.Detect(raw)
	if found.Is("application/pdf") || found.Is("application/vnd.fdf") {
		// PDF is the only common binary format whose start can consist of printable characters. Texts that mention its
		// signature have no objects.
		if pdf && (pdfObject.Match(raw) || pdfCut.Match(raw)) || controls*20 > len(text) {
			return &NotTextError{Looks: describe(found)}
		}
		return nil
	}
	known := !isText(found) && found.Parent() != nil
	// Text may contain a few control characters, but at most one in twenty. A signature counts
	// only together with a control character, since many signatures could be words: "BM", "MZ",
	// "II*".
	if controls*20 > len(text) || known && controls > 0 {
		return &NotTextError{Looks: describe(found)}
	}
	return nil
}

// hasFormat reports whether the error of checkText names a known format, rather than binary data.
func hasFormat(err error) bool {
	notText, ok := errors.AsType[*NotTextError](err)
	return ok && !strings.HasPrefix(notText.Looks, names[unknownFormat])
}

// unknownFormat is the media type of binary data.
const unknownFormat = "application/octet-stream"

const maxHeader = 1024 // bytes at the start of a file that may precede the header of a PDF document, as readers tolerate

// The header of PDF and FDF, a header without more than comments after it, and an indirect object: ISO 32000-2, 7.5.2,
// 7.3.10 and 12.7.8.
var (
	pdfCut    = regexp.MustCompile(`^%[PF]DF-\d\.\d\s*(?:%[^\r\n]*\s*)*$`)
	pdfHeader = regexp.MustCompile(`(?:^|[\r\n])%[PF]DF-\d\.\d`)
	pdfObject = regexp.MustCompile(`(?:^|\s)\d+\s+\d+\s+obj\b`)
)

func isText(m *mimetype.MIME) bool {
	for ; m != nil; m = m.Parent() {
		if m.Is("text/plain") {
			return true
		}
	}
	return false
}

// binaryBytes is a bit mask of the bytes below space that the WHATWG MIME Sniffing Standard calls
// binary (section 3), except for those that old text files contain: backspace, vertical tab and the
// end-of-file mark 0x1A.
const binaryBytes uint32 = 1<<' ' - 1 - (1<<'\b' | 1<<'\t' | 1<<'\n' | 1<<'\v' | 1<<'\f' | 1<<'\r' | 1<<0x1A | 1<<0x1B)

// controlCharacters counts the bytes below space that texts hardly contain.
func controlCharacters(text []byte) (count int) {
	const each20, each80 = 0x2020202020202020, 0x8080808080808080
	for len(text) > 0 {
		next := text[:min(8, len(text))]
		text = text[len(next):]
		if len(next) == 8 {
			if eight := binary.LittleEndian.Uint64(next); (eight-each20)&^eight&each80 == 0 {
				continue // no byte is below space
			}
		}
		for _, b := range next {
			if b < ' ' {
				count += int(binaryBytes >> b & 1)
			}
		}
	}
	return count
}

func describe(m *mimetype.MIME) string {
	if isText(m) { // binary data that begins with a byte order mark by chance
		return "binary data"
	}
	mediaType, _, _ := strings.Cut(m.String(), ";")
	if name, ok := names[mediaType]; ok {
		return name + " (" + mediaType + ")"
	}
	kind, format, _ := strings.Cut(mediaType, "/")
	if name, ok := kinds[kind]; ok {
		return name + " in the format " + strings.ToUpper(strings.TrimPrefix(format, "x-")) + " (" + mediaType + ")"
	}
	return "a file of the type " + mediaType
}
