package webpage

import (
	"bytes"
	"cmp"
	"io"
	"mime"
	"strings"

	"golang.org/x/net/html"

	"github.com/assay-project/assay/pkg/extract/charset"
	"github.com/assay-project/assay/pkg/extract/plaintext"
)

// maxHead is the number of bytes at the start of a page in which a meta element may declare the charset.
const maxHead = 1 << 20

// decode returns a page in UTF-8. Its charset is that of a byte order mark, of the content type, or of a meta element.
// As package plaintext describes, the bytes can contradict a declaration; then the next one counts. Without any, the
// charset is detected.
func decode(data []byte, contentType string) ([]byte, plaintext.Outcome) {
	label := ""
	if _, parameters, err := mime.ParseMediaType(contentType); err == nil {
		label = parameters["charset"]
	}
	if _, known := charset.Lookup(label); !known || charset.IsASCII(label) {
		return decodeAs(cmp.Or(declared(data), label), data)
	}
	decoded, outcome := decodeAs(label, data)
	if outcome.Ignored == "" {
		return decoded, outcome
	}
	if other := declared(data); other != "" {
		decoded, outcome = decodeAs(other, data)
		outcome.Ignored = cmp.Or(outcome.Ignored, label)
	}
	return decoded, outcome
}

func decodeAs(label string, data []byte) ([]byte, plaintext.Outcome) {
	decoded, outcome, err := plaintext.Decode(data, mime.FormatMediaType("text/html", map[string]string{"charset": label}))
	if err != nil { // it looks like binary data
		assumed := plaintext.Charset{Name: charset.UTF8.Name, How: plaintext.Assumed}
		return bytes.ToValidUTF8(data, []byte("\uFFFD")), plaintext.Outcome{Charset: assumed}
	}
	return decoded, outcome
}

// declared returns the charset that a meta element declares, or "". It looks in the first maxHead bytes up to the body,
// after any comment, script or style. A page that is read as ASCII is not in UTF-16, so that UTF-16 stands for UTF-8.
func declared(data []byte) string {
	t := newTokens(io.LimitReader(bytes.NewReader(data), maxHead))
	for {
		switch t.next() {
		case html.ErrorToken:
			return ""
		case html.StartTagToken, html.SelfClosingTagToken:
		default:
			continue
		}
		name, more := t.TagName()
		switch string(name) {
		case "body":
			return ""
		case "meta":
		default:
			continue
		}
		attributes := map[string]string{}
		for more {
			var key, value []byte
			key, value, more = t.TagAttr()
			attributes[string(key)] = string(value)
		}
		label := attributes["charset"]
		if label == "" && strings.EqualFold(strings.TrimSpace(attributes["http-equiv"]), "content-type") {
			label = inContent(attributes["content"])
		}
		switch label = strings.ToLower(strings.TrimSpace(label)); {
		case label == "x-user-defined":
			return "windows-1252"
		case strings.HasPrefix(label, "utf-16"):
			return charset.UTF8.Name
		case label != "":
			return label
		}
	}
}

// inContent returns the charset in the content of a meta element, such as "text/html; charset=utf-8", or "". It need not
// be a valid media type.
func inContent(content string) string {
	_, label, _ := strings.Cut(strings.ToLower(content), "charset")
	label, found := strings.CutPrefix(strings.TrimSpace(label), "=")
	if !found {
		return ""
	}
	label = strings.TrimSpace(label)
	if quote := label[:min(1, len(label))]; quote == `"` || quote == "'" {
		label, _, _ = strings.Cut(label[1:], quote)
		return label
	}
	if end := strings.IndexAny(label, "; \t\r\n\f"); end >= 0 {
		label = label[:end]
	}
	return label
}
