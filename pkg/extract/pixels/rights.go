package pixels

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/bep/imagemeta"
	"golang.org/x/text/encoding/charmap"
)

// Rights are the statements about the author and the copyright of a picture.
type Rights struct{ Artist, Copyright string }

// RightsMemory is the maximum memory of ReadRights, in bytes. Its library limits the number and the size of tags.
const RightsMemory = 64 << 20

const (
	// maxRights is the maximum length of a statement, in bytes. The rest is cut off.
	maxRights = 2000
	// rightsTime is the maximum time for reading the metadata of a picture.
	rightsTime = 5 * time.Second
)

// ErrNoRights is returned by WithRights for a format that it does not support.
var ErrNoRights = errors.New("the format has no place for the copyright")

// ReadRights returns the statements in a picture: those of EXIF, or else of XMP or IPTC. Metadata that cannot be read counts
// as absent.
func ReadRights(data []byte) (r Rights) {
	formats := map[Format]imagemeta.ImageFormat{JPEG: imagemeta.JPEG, TIFF: imagemeta.TIFF, HEIC: imagemeta.HEIF, "avif": imagemeta.AVIF}
	f := sniff(data)
	if f == nil {
		return Rights{}
	}
	format := formats[f.name]
	switch f.name {
	case PNG:
		format, data = imagemeta.JPEG, pngMetadata(data)
	case WebP:
		format, data = imagemeta.JPEG, webpMetadata(data)
	}
	if format == imagemeta.ImageFormatAuto {
		return Rights{}
	}
	found := map[imagemeta.Source]Rights{}
	defer func() {
		if recover() != nil { // a bug in the reader, triggered by damaged input
			r = best(found)
		}
	}()
	_, _ = imagemeta.Decode(imagemeta.Options{ // the tags before an error are valid
		R: bytes.NewReader(data), ImageFormat: format, Sources: imagemeta.EXIF | imagemeta.IPTC | imagemeta.XMP, Timeout: rightsTime,
		ShouldHandleTag: func(tag imagemeta.TagInfo) bool { return isArtist(tag.Tag) || isCopyright(tag.Tag) },
		HandleTag: func(tag imagemeta.TagInfo) error {
			statements, value := found[tag.Source], statement(tag.Value, tag.Source)
			if isArtist(tag.Tag) && statements.Artist == "" {
				statements.Artist = value
			} else if isCopyright(tag.Tag) && statements.Copyright == "" {
				statements.Copyright = value
			}
			found[tag.Source] = statements
			return nil
		},
	})
	return best(found)
}

// xmpHeader begins a segment of XMP (ISO 16684-3, 5.1.3).
const xmpHeader = "http://ns.adobe.com/xap/1.0/\x00"

// asJPEG returns the metadata of another container as the segments of a JPEG, which the library reads reliably.
func asJPEG(exif, xmp []byte) []byte {
	out := []byte{0xff, 0xd8}
	for _, body := range [][]byte{append(bytes.Clone(exifHeader), bytes.TrimPrefix(exif, exifHeader)...), append([]byte(xmpHeader), xmp...)} {
		const most = 0xffff - 2
		if len(body) <= most {
			out = binary.BigEndian.AppendUint16(append(out, 0xff, markerAPP1), uint16(2+len(body)))
			out = append(out, body...)
		}
	}
	return append(out, 0xff, 0xd9)
}

func webpMetadata(data []byte) []byte {
	var exif, xmp []byte
	eachChunk(data, func(name string, body []byte) {
		switch name {
		case "EXIF":
			exif = body
		case "XMP ":
			xmp = body
		}
	})
	return asJPEG(exif, xmp)
}

func pngMetadata(data []byte) []byte {
	var exif, xmp []byte
	for at := len(pngSignature); at+12 <= len(data); {
		size := int64(binary.BigEndian.Uint32(data[at:]))
		if int64(at)+12+size > int64(len(data)) {
			break
		}
		name, body := string(data[at+4:at+8]), data[at+8:at+8+int(size)]
		switch uncompressed, ok := bytes.CutPrefix(body, []byte("XML:com.adobe.xmp\x00\x00\x00")); {
		case name == "eXIf":
			exif = body
		case name == "iTXt" && ok: // language, 0, translated keyword, 0, text
			if parts := bytes.SplitN(uncompressed, []byte{0}, 3); len(parts) == 3 {
				xmp = parts[2]
			}
		}
		at += 12 + int(size)
	}
	return asJPEG(exif, xmp)
}

func isArtist(tag string) bool {
	return tag == "Artist" || tag == "Creator" || tag == "Byline" || tag == "By-line"
}

func isCopyright(tag string) bool {
	return tag == "Copyright" || tag == "Rights" || tag == "CopyrightNotice"
}

// best returns the statements of the first source that has them.
func best(found map[imagemeta.Source]Rights) (r Rights) {
	for _, source := range []imagemeta.Source{imagemeta.EXIF, imagemeta.XMP, imagemeta.IPTC} {
		if r.Artist == "" {
			r.Artist = found[source].Artist
		}
		if r.Copyright == "" {
			r.Copyright = found[source].Copyright
		}
	}
	return r
}

// statement converts the value of a tag to UTF-8 without control characters.
func statement(value any, source imagemeta.Source) string {
	var text string
	switch v := value.(type) {
	case string:
		text = v
	case []string:
		text = strings.Join(v, "; ")
	default:
		text = fmt.Sprint(v)
	}
	if source == imagemeta.IPTC { // the library takes UTF-8 for ISO 8859-1
		if encoded, err := charmap.ISO8859_1.NewEncoder().String(text); err == nil && utf8.ValidString(encoded) {
			text = encoded
		}
	}
	if !utf8.ValidString(text) {
		if decoded, err := charmap.Windows1252.NewDecoder().String(text); err == nil {
			text = decoded
		}
	}
	text = strings.Trim(text, "\x00 \t\r\n")
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == 0 }), "; ") // EXIF separates photographer and editor
	for len(text) > maxRights || !utf8.ValidString(text) {
		text = text[:min(len(text)-1, maxRights)]
	}
	return text
}

// WithRights returns an encoded picture with the statements as EXIF, and nothing else. The picture must be one that Encode
// returned. It returns ErrNoRights for formats other than JPEG, PNG and WebP.
func WithRights(encoded []byte, f Format, r Rights) ([]byte, error) {
	if r == (Rights{}) {
		return encoded, nil
	}
	switch f {
	case JPEG: // after SOI, as EXIF 2.32, 4.5.4 requires
		body := append(bytes.Clone(exifHeader), r.exif()...)
		segment := binary.BigEndian.AppendUint16([]byte{0xff, markerAPP1}, uint16(2+len(body)))
		return insert(encoded, 2, append(segment, body...)), nil
	case PNG: // after IHDR
		body := append([]byte("eXIf"), r.exif()...)
		chunk := append(binary.BigEndian.AppendUint32(nil, uint32(len(body)-4)), body...)
		return insert(encoded, len(pngSignature)+12+13, binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(body))), nil
	case WebP:
		out := appendChunkTo(bytes.Clone(extendedWebP(encoded)), "EXIF", r.exif())
		const flags, exif = 20, 1 << 3 // RFC 9649, section 2.7
		out[flags] |= exif
		binary.LittleEndian.PutUint32(out[4:], uint32(len(out)-8))
		return out, nil
	}
	return encoded, ErrNoRights
}

// extendedWebP returns a file in the extended format.
func extendedWebP(file []byte) []byte {
	const head, chunk = 12, 8
	if string(file[head:head+4]) == "VP8X" {
		return file
	}
	out := webpProfile(file, nil)
	out = append(out[:head+chunk+10], out[head+chunk+10+8:]...) // without the empty ICCP chunk
	out[head+chunk] &^= webpICC
	return out
}

// exif returns a TIFF header with a directory of the statements (EXIF 2.32, 4.6). The text is UTF-8, as most writers do.
func (r Rights) exif() []byte {
	const ascii, artist, copyright, entry = 2, 0x013b, 0x8298, 12
	type tag struct {
		id   uint16
		text string
	}
	var tags []tag
	if r.Artist != "" {
		tags = append(tags, tag{artist, r.Artist})
	}
	if r.Copyright != "" {
		tags = append(tags, tag{copyright, r.Copyright})
	}
	out := []byte("MM\x00*\x00\x00\x00\x08")
	out = binary.BigEndian.AppendUint16(out, uint16(len(tags)))
	at := len(out) + entry*len(tags) + 4
	var texts []byte
	for _, t := range tags {
		text := append([]byte(t.text), 0)
		out = binary.BigEndian.AppendUint16(out, t.id)
		out = binary.BigEndian.AppendUint16(out, ascii)
		out = binary.BigEndian.AppendUint32(out, uint32(len(text)))
		if len(text) <= 4 {
			out = append(append(out, text...), make([]byte, 4-len(text))...)
			continue
		}
		out = binary.BigEndian.AppendUint32(out, uint32(at+len(texts)))
		texts = append(append(texts, text...), make([]byte, len(text)&1)...)
	}
	return append(binary.BigEndian.AppendUint32(out, 0), texts...)
}
