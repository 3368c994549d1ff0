package webpage_test

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"

	"github.com/assay-project/assay/pkg/extract/plaintext"
)

func encode(t testing.TB, e encoding.Encoding, source string) string {
	t.Helper()
	coded, err := e.NewEncoder().String(source)
	if err != nil {
		t.Fatal(err)
	}
	return coded
}

func TestCharsets(t *testing.T) {
	source := encode(t, charmap.Windows1252, `<p>Größe und Maß</p>`)
	for contentType, source := range map[string]string{
		"text/html; charset=windows-1252": source,
		"text/html":                       `<meta charset="windows-1252">` + source,
		"text/html; charset=utf-8":        "<p>Größe und Maß</p>",
	} {
		if p := read(t, source, contentType); p.Text != "Größe und Maß" {
			t.Errorf("%s: got %q, want Größe und Maß", contentType, p.Text)
		}
	}
}

// TestDeclaredCharsets checks that a declaration counts wherever it stands in the head, in every form.
func TestDeclaredCharsets(t *testing.T) {
	const text = "электрификация"
	filler := strings.Repeat("x", 10_000)
	koi8 := encode(t, charmap.KOI8R, text)
	for name, head := range map[string]string{
		"a long comment":     "<head><!--" + filler + `--><meta charset="koi8-r">`,
		"an inline script":   "<head><script>var x = '<body>" + filler + "'</script><meta charset=koi8-r>",
		"a style":            "<style>" + filler + "</style><title>T</title><META CHARSET='KOI8-R'>",
		"http-equiv":         "<head><!--" + filler + `--><meta content="text/html; charset=koi8-r" http-equiv="Content-Type">`,
		"http-equiv, quoted": `<meta http-equiv=content-type content='text/html;charset = "koi8-r"; x=y'>`,
		"other metas":        strings.Repeat(`<meta name="description" content="charset=utf-8">`, 100) + "<meta charset=koi8-r>",
		"within the limit":   "<!--" + strings.Repeat("x", 1<<20-100) + "--><meta charset=koi8-r>",
	} {
		p := read(t, head+"<body><p>"+koi8, "text/html")
		if p.Text != text || p.Charset.Name != "koi8-r" || p.Charset.How != plaintext.Declared {
			t.Errorf("%s: got %q in %s (%s), want %q in koi8-r (declared)", name, p.Text, p.Charset.Name, p.Charset.How, text)
		}
	}
	const japaneseText = "これは日本語のテスト"
	late := "<html><head><!--" + filler + `--><meta charset="Shift_JIS"></head><body><p>`
	if p := read(t, late+encode(t, japanese.ShiftJIS, japaneseText), "text/html"); p.Text != japaneseText {
		t.Errorf("got %q, want %q", p.Text, japaneseText)
	}
	for source, want := range map[string]string{
		`<meta charset="utf-16"><p>Grüße`:                                "Grüße", // read as ASCII, so it is not UTF-16
		`<meta charset="unknown"><p>Grüße`:                               "Grüße",
		"<meta charset=koi8-r><p>Gr\xfc\xdfe":                            encoded(charmap.KOI8R, "Gr\xfc\xdfe"),
		"<meta charset=x-user-defined><p>Gr\xfc\xdfe":                    "Grüße",
		"\xef\xbb\xbf<meta charset=koi8-r><p>Grüße":                      "Grüße",
		"<body><meta charset=koi8-r><p>Gr\xc3\xbc\xc3\x9fe":              "Grüße", // not in the head
		"<script>'<meta charset=koi8-r>'</script><p>Gr\xc3\xbc\xc3\x9fe": "Grüße",
	} {
		if p := read(t, source, "text/html"); p.Text != want {
			t.Errorf("%q: got %q, want %q", source, p.Text, want)
		}
	}
	contradicted := read(t, "<meta charset=koi8-r><p>"+koi8, "text/html; charset=utf-8")
	if c := contradicted.Charset; contradicted.Text != text || c.Name != "koi8-r" || c.How != plaintext.Declared || c.Ignored != "utf-8" {
		t.Errorf("got %q in %+v, want %q and the charset that the bytes contradict", contradicted.Text, c, text)
	}
	if p := read(t, "<meta charset=utf-8><p>"+koi8, "text/html; charset=koi8-r"); p.Text != text {
		t.Errorf("got %q, want the charset of the content type: %q", p.Text, text)
	}
}

func encoded(c *charmap.Charmap, coded string) string {
	var b strings.Builder
	for i := range len(coded) {
		b.WriteRune(c.DecodeByte(coded[i]))
	}
	return b.String()
}

// TestDetectedCharsets checks pages without a declaration.
func TestDetectedCharsets(t *testing.T) {
	for want, e := range map[string]encoding.Encoding{
		"繁體中文全文檢索測試文件。":                         traditionalchinese.Big5,
		"これは日本語のテスト文書です。":                       japanese.EUCJP,
		"한국어 전문 검색 시험 문서입니다.":                   korean.EUCKR,
		"中文全文检索测试文档，包含汉字。":                      simplifiedchinese.GB18030,
		"Широкая электрификация южных губерний": charmap.KOI8R,
	} {
		source := encode(t, e, "<html><head><title>T</title></head><body><p>"+strings.Repeat(want, 4)+"</p></body></html>")
		if p := read(t, source, "text/html"); !strings.Contains(p.Text, want) {
			t.Errorf("got %q in %s, want %q", p.Text, p.Charset.Name, want)
		}
	}
}

// TestInvalidBytes checks that single bytes that are not UTF-8 are replaced and counted.
func TestInvalidBytes(t *testing.T) {
	p := read(t, "<p>"+strings.Repeat("Grüße ", 50)+"\xff Ende", "text/html")
	if !strings.HasPrefix(p.Text, "Grüße Grüße") || !strings.HasSuffix(p.Text, "\uFFFD Ende") || p.Charset.Replaced != 1 {
		t.Errorf("got %q with %d replaced bytes, want UTF-8 with 1", p.Text, p.Charset.Replaced)
	}
	if p := read(t, fmt.Sprintf("<p>one%stwo", strings.Repeat("\x00", 5000)), "text/html"); !strings.Contains(p.Text, "one") || !strings.Contains(p.Text, "two") {
		t.Errorf("got %.100q, want one and two", p.Text)
	}
}
