package plaintext

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
)

const sample = "Größe, naïve — Καλημέρα κόσμε; Привет, мир! 你好，世界 🇩🇪👩‍👩‍👧\r\nEnd"

func encode(t *testing.T, e encoding.Encoding, text string) string {
	t.Helper()
	coded, err := e.NewEncoder().String(text)
	if err != nil {
		t.Fatal(err)
	}
	return coded
}

func TestDecoding(t *testing.T) {
	late := strings.Repeat("only ASCII here. ", 10_000)
	cases := []struct {
		name, content, contentType, want string
	}{
		{"empty", "", "", ""},
		{"empty with an unparsable type", "", "text/plain; charset", ""},
		{"one character", "é", "", "é"},
		{"UTF-8", sample, "", sample},
		{"UTF-8 with a mark", "\xEF\xBB\xBF" + sample, "text/plain", sample},
		{"only a UTF-8 mark", "\xEF\xBB\xBF", "", ""},
		{"a second mark is content", "\xEF\xBB\xBF\xEF\xBB\xBFa", "", "\uFEFFa"},
		{"UTF-16 LE", encode(t, unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), sample), "", sample},
		{"UTF-16 BE", encode(t, unicode.UTF16(unicode.BigEndian, unicode.UseBOM), sample), "", sample},
		{"only a UTF-16 mark", "\xFF\xFE", "", ""},
		{"UTF-16 truncated within a character", "\xFF\xFEa\x00b", "", "a\uFFFD"},
		{"UTF-16 with a lone surrogate", "\xFF\xFEa\x00\x00\xD8b\x00", "", "a\uFFFDb"},
		{"UTF-32 LE", encode(t, utf32.UTF32(utf32.LittleEndian, utf32.UseBOM), sample), "", sample},
		{"a mark takes precedence over the declaration", "\xEF\xBB\xBFé", "text/plain; charset=windows-1251", "é"},
		{"a mark takes precedence over an unknown charset", "\xEF\xBB\xBFé", "text/plain; charset=x-none", "é"},
		{"UTF-16 declared, no mark", encode(t, unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), sample), "text/plain; charset=UTF-16LE", sample},
		{"UTF-16 declared, but ASCII", "plain", "text/plain; charset=utf-16", "plain"},
		{"the declaration takes precedence over valid UTF-8", "Größe", "text/plain; charset=iso-8859-1", "GrÃ¶ÃŸe"},
		{"US-ASCII declared, but UTF-8", "Größe", "text/plain; charset=us-ascii", "Größe"},
		{"US-ASCII declared, but Windows-1252", "Gr\xF6\xDFe", "text/plain; charset=ANSI_X3.4-1968", "Größe"},
		{"US-ASCII declared", "plain", "text/plain; charset=ascii", "plain"},
		{"Windows-1252 by default", "caf\xE9 \x80 5", "", "café € 5"},
		{"Windows-1252 when the type has no charset", "caf\xE9", "text/plain", "café"},
		{"Windows-1252 when the type cannot be parsed", "caf\xE9", ";;;", "café"},
		{"Latin-1 is Windows-1252 on the web", "\x93caf\xE9\x94", "text/plain; charset=ISO-8859-1", "“café”"},
		{"Windows-1251", encode(t, charmap.Windows1251, "Привет, мир"), "text/plain; charset=windows-1251", "Привет, мир"},
		{"KOI8-R, quoted label", encode(t, charmap.KOI8R, "Привет"), `text/plain; charset="KOI8-R"`, "Привет"},
		{"code page 437 by its IANA name", encode(t, charmap.CodePage437, "naïve £"), "text/plain; charset=IBM437", "naïve £"},
		{"EBCDIC", encode(t, charmap.CodePage037, "Hello"), "text/plain; charset=IBM037", "Hello"},
		{"Shift_JIS", encode(t, japanese.ShiftJIS, "日本語のテキスト"), "text/plain; charset=Shift_JIS", "日本語のテキスト"},
		{"ISO-2022-JP", encode(t, japanese.ISO2022JP, "日本語 text"), "text/plain; charset=iso-2022-jp", "日本語 text"},
		{"HZ", encode(t, simplifiedchinese.HZGB2312, "你好 text"), "text/plain; charset=hz-gb-2312", "你好 text"},
		{"GB18030", encode(t, simplifiedchinese.GB18030, "你好，世界"), "text/plain; charset=gb18030", "你好，世界"},
		{"GBK with a character of four bytes", encode(t, simplifiedchinese.GB18030, "你好 ༄"), "text/plain; charset=gbk", "你好 ༄"},
		{"U+FFFD in GB18030", encode(t, simplifiedchinese.GB18030, "你\uFFFD好"), "text/plain; charset=gb18030", "你\uFFFD好"},
		{"U+FFFD in UTF-16", encode(t, unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), "a\uFFFDb"), "text/plain; charset=utf-16be", "a\uFFFDb"},
		{"U+FFFD in UTF-8", "a\uFFFDb" + late + "\uFFFD", "", "a\uFFFDb" + late + "\uFFFD"},
		{"UTF-16 declared with a lone surrogate", "a\x00\x00\xD8b\x00", "text/plain; charset=utf-16le", "error: binary data"},
		{"Shift_JIS truncated within a character", "\x83\x65\x83", "text/plain; charset=shift_jis", "テ\uFFFD"},
		{"GB18030 truncated within a character of four bytes", "\xC4\xE3\x81\x30\x81", "text/plain; charset=gb18030", "你\uFFFD0\uFFFD"},
		{"a byte that Windows-1253 does not define", "na\xEFve, 1\xAA", "text/plain; charset=windows-1253", "naïve, 1ª"},
		{"ISO-2022-JP declared, but UTF-8", "日本語", "text/plain; charset=iso-2022-jp", "日本語"},
		{"invalid bytes where UTF-8 is declared", "a\xFFb\xC3", "text/plain; charset=utf-8", "aÿbÃ"},
		{"late invalid bytes where UTF-8 is declared", "é" + late + "\xE9", "text/plain; charset=utf-8", "é" + late + "\uFFFD"},
		{"invalid bytes after a UTF-8 mark", "\xEF\xBB\xBFé" + late + "\xE9\xFF", "text/plain; charset=iso-8859-1", "é" + late + "\uFFFD\uFFFD"},
		{"a character truncated at the end is not UTF-8", "a\xC3", "", "aÃ"},
		{"a late first character in UTF-8", late + "é" + late, "", late + "é" + late},
		{"a late first character in Windows-1252", late + "\xE9" + late, "", late + "é" + late},
		{"a late first character in the declared charset", late + "\xCF", "text/plain; charset=windows-1251", late + "П"},
		{"late bytes that are not UTF-8", "é" + late + "\xE9\xFF" + late, "", "Ã©" + late + "éÿ" + late},
		{"a late byte that is not UTF-8", "Größe, naïve, été" + late + "\xE9" + late, "", "Größe, naïve, été" + late + "\uFFFD" + late},
		{"a late character truncated at the end", "é" + late + "\xE9", "", "é" + late + "\uFFFD"},
		{"late binary bytes", "é" + late + "\x00\x01\xFE\xC3\x28", "", "Ã©" + late + "\x00\x01þÃ("},
		{"an early NUL in UTF-8", "é\x00" + late + "\x00é", "", "é\x00" + late + "\x00é"},
		{"a late NUL in UTF-8", late + "é\x00" + late, "", late + "é\x00" + late},
		{"surrogates in UTF-8 are not valid", "Größe, naïve, été" + strings.Repeat(".", headSize) + "\xED\xA0\x80.", "", "Größe, naïve, été" + strings.Repeat(".", headSize) + "\uFFFD\uFFFD\uFFFD."},
	}
	chunkings := map[string]func(io.Reader) io.Reader{
		"in one read":     func(r io.Reader) io.Reader { return r },
		"byte by byte":    iotest.OneByteReader,
		"half":            iotest.HalfReader,
		"data with EOF":   iotest.DataErrReader,
		"three at a time": func(r io.Reader) io.Reader { return &chunkReader{source: r, size: 3} },
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			for name, chunked := range chunkings {
				got, err := readText(func() io.Reader { return chunked(strings.NewReader(c.content)) }, c.contentType, 1<<20)
				if got != c.want && !looksLike(err, c.want) {
					t.Fatalf("%s: got %.80q, %v; want %.80q", name, got, err, c.want)
				}
			}
			for _, size := range []int{1, 2, 3, 5, 63} {
				got, err := readText(func() io.Reader { return strings.NewReader(c.content) }, c.contentType, size)
				if got != c.want && !looksLike(err, c.want) {
					t.Fatalf("read %d bytes at a time: got %.80q, %v; want %.80q", size, got, err, c.want)
				}
			}
		})
	}
}

// looksLike reports whether err is a NotTextError with this format.
func looksLike(err error, want string) bool {
	notText, ok := errors.AsType[*NotTextError](err)
	looks, expected := strings.CutPrefix(want, "error: ")
	return ok && expected && strings.HasPrefix(notText.Looks, looks)
}

// readText reads a text to its end, size bytes at a time.
func readText(open func() io.Reader, contentType string, size int) (text string, err error) {
	text, _, err = outcome(open, contentType, size)
	return text, err
}

func outcome(open func() io.Reader, contentType string, size int) (string, Outcome, error) {
	var text []byte
	o, err := Text{Open: func() (io.ReadCloser, error) { return io.NopCloser(open()), nil }, ContentType: contentType}.Read(func(r io.Reader) error {
		var err error
		text, err = io.ReadAll(&chunkReader{source: r, size: size})
		return err
	})
	return string(text), o, err
}

// chunkReader returns at most size bytes per read.
type chunkReader struct {
	source io.Reader
	size   int
}

func (c *chunkReader) Read(p []byte) (int, error) {
	return c.source.Read(p[:min(len(p), c.size)])
}

func TestReaderContract(t *testing.T) {
	for _, content := range []string{"", "plain", sample, "caf\xE9 au lait", "\xEF\xBB\xBFé", "\xFF\xFEa\x00"} {
		r, err := newReader(strings.NewReader(content), "")
		if err != nil {
			t.Fatal(err)
		}
		want, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		r, err = newReader(strings.NewReader(content), "")
		if err != nil {
			t.Fatal(err)
		}
		if err := iotest.TestReader(r, want); err != nil {
			t.Errorf("%q: %v", content, err)
		}
	}
}

func TestUnknownCharsetIsIgnored(t *testing.T) {
	for _, label := range []string{"x-none", "utf-7", "iso-2022-cn", "binary"} {
		text, o, err := outcome(func() io.Reader { return strings.NewReader("naïve") }, "text/plain; charset="+label, 1<<20)
		if err != nil || text != "naïve" || o.Name != "utf-8" || o.How != Detected || o.Ignored != label {
			t.Errorf("charset %q: got %q, %+v, %v, want naïve in utf-8, detected, and the label as ignored", label, text, o, err)
		}
	}
}

func TestSourceErrorsAreReported(t *testing.T) {
	broken := errors.New("connection lost")
	if _, err := newReader(iotest.ErrReader(broken), ""); !errors.Is(err, broken) {
		t.Errorf("in the head: got error %v, want %v", err, broken)
	}
	for _, start := range []string{strings.Repeat("a", 200_000), strings.Repeat("é", 100_000), "\xFF\xFE" + strings.Repeat("a\x00", 50_000), strings.Repeat("a", 5000) + "é"} {
		once := &failOnce{source: strings.NewReader(start), err: broken}
		r, err := newReader(once, "")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadAll(r); !errors.Is(err, broken) {
			t.Errorf("after %.10q: got error %v, want %v", start, err, broken)
		}
	}
}

// The buffered rest of a Reader's text, and its error, must not appear in the next text.
func TestFreedReaderIsReset(t *testing.T) {
	for _, left := range []io.Reader{
		strings.NewReader(strings.Repeat("first ", 100)), strings.NewReader(strings.Repeat("first ", 100_000)),
		strings.NewReader("é" + strings.Repeat("first ", 100)), &failOnce{source: strings.NewReader(strings.Repeat("first ", 1000)), err: io.ErrUnexpectedEOF},
	} {
		first, err := newReader(left, "")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(first, make([]byte, 10)); err != nil {
			t.Fatal(err)
		}
		first.Free()
		if _, err := newReader(strings.NewReader("no text\x00"), ""); err == nil {
			t.Fatal("NewReader of content with a NUL succeeded, want an error")
		}
		second, err := newReader(strings.NewReader("second"), "")
		if err != nil {
			t.Fatal(err)
		}
		if text, err := io.ReadAll(second); err != nil || string(text) != "second" {
			t.Errorf("got %q, %v, want second", text, err)
		}
		second.Free()
	}
}

// failOnce returns an error at the end of its source, once.
type failOnce struct {
	source io.Reader
	err    error
}

func (f *failOnce) Read(p []byte) (int, error) {
	n, err := f.source.Read(p)
	if errors.Is(err, io.EOF) && f.err != nil {
		err, f.err = f.err, nil
	}
	return n, err
}

func FuzzNewReader(f *testing.F) {
	f.Add([]byte(sample), "text/plain; charset=utf-8", uint8(1))
	f.Add([]byte("caf\xE9"), "", uint8(3))
	f.Add([]byte("\xFF\xFEa\x00\x00\xD8"), "", uint8(2))
	f.Add([]byte("\x1B$B"), "text/plain; charset=iso-2022-jp", uint8(1))
	f.Add([]byte("\x83\x65\x83\xFF"), "text/plain; charset=shift_jis", uint8(1))
	f.Fuzz(func(t *testing.T, content []byte, contentType string, chunk uint8) {
		read := func(size int) (string, error) {
			return readText(func() io.Reader { return &chunkReader{source: strings.NewReader(string(content)), size: size} }, contentType, 1<<20)
		}
		whole, wholeErr := read(1 << 20)
		parts, partsErr := read(max(1, int(chunk)))
		if whole != parts || (wholeErr == nil) != (partsErr == nil) {
			t.Fatalf("got %q, %v in one read, and %q, %v in chunks of %d, want equal results", whole, wholeErr, parts, partsErr, chunk)
		}
		if !utf8.ValidString(whole) {
			t.Fatalf("got %q, want valid UTF-8", whole)
		}
	})
}
