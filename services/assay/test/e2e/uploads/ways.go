package uploads

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"unicode/utf16"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// bothWaysCountCorrectly: for both kinds of upload and any charset, the result matches an independent count.
func bothWaysCountCorrectly(t *testing.T, s system.System) {
	long := system.RandomText(1, 60_000)
	russian := strings.Repeat("Съешь же этих мягких французских булок, да выпей чаю. ", 40)
	plain := " " + strings.Repeat("GET /index 200 OK\n", 1000)
	cases := map[string]struct {
		contentType string
		content     []byte
		want        client.Result
	}{
		"utf-8":           {"text/plain", []byte(long), system.Count(long)},
		"utf-8 with mark": {"text/plain; charset=utf-8", []byte("\ufeff" + russian), system.Count(russian)},
		"utf-16le":        {"text/plain", utf16Bytes(long, 0), system.Count(long)},
		"utf-16be":        {"", utf16Bytes(long, 1), system.Count(long)},
		"windows-1251":    {"text/plain; charset=windows-1251", windows1251(t, russian), system.Count(russian)},
		// Initial bytes that are valid UTF-8 do not override a declared charset, and do not make the charset UTF-8 if
		// invalid bytes follow.
		"gbk":          {"text/plain; charset=gbk", []byte("\xC2\xA5" + plain + "\xB5\xC7\xC2\xBC \xB3\xC9\xB9\xA6"), system.Count("楼" + plain + "登 录 成 功")},
		"shift_jis":    {"text/plain; charset=shift_jis", []byte("\xC3\xB1" + plain + "\x83\x65\x83\x58\x83\x67"), system.Count("ﾃｱ" + plain + "テスト")},
		"windows-1252": {"text/plain; charset=windows-1252", []byte("Gr\xC3\xB6" + plain + "Gr\xF6\xDFe"), system.Count("GrÃ¶" + plain + "Größe")},
		"late latin":   {"text/plain", []byte("Gr\xC3\xB6" + plain + "Gr\xF6\xDFe"), system.Count("GrÃ¶" + plain + "Größe")},
		"not gbk":      {"text/plain; charset=gbk", []byte(plain + "Größe …" + plain + "你好，世界"), system.Count(plain + "Größe …" + plain + "你 好，世 界")},
		"not utf-8":    {"text/plain; charset=utf-8", []byte("Gr\xC3\xB6" + plain + "Gr\xF6\xDFe"), system.Count("GrÃ¶" + plain + "Größe")},
		"empty":        {"text/plain", nil, client.Result{Top10Words: []client.Word{}}},
		"no words":     {"text/plain", []byte(" \r\n … — !\n"), client.Result{Top10Words: []client.Word{}}},
		// The examples and the rounding of the definition of a word, calculated by hand: 31 code points in 6 words are
		// 5.1666….
		"definition": {"text/plain", []byte("don't stop-me 3.14 hello_world DON'T"), client.Result{
			TotalWords: 6, UniqueWords: 5, AvgWordLength: 5.17,
			Top10Words: []client.Word{{Word: "don't", Count: 2}, {Word: "3.14", Count: 1}, {Word: "hello_world", Count: 1}, {Word: "me", Count: 1}, {Word: "stop", Count: 1}},
		}},
	}
	for wayName, upload := range system.Ways {
		for name, c := range cases {
			t.Run(wayName+"/"+name, func(t *testing.T) {
				t.Parallel()
				api := s.Client(t, system.NewOwner())
				file := upload(t, api, name+".txt", c.contentType, c.content)
				system.CheckResult(t, system.Await(t, api, file.FileID), c.want)
			})
		}
	}
}

var burst = flag.Int("uploads.burst", 100, "number of concurrent uploads in a burst")

// manyConcurrentUploads: a burst of files by both kinds of upload is accepted completely, if clients retry uploads that
// ingest rejects with 503 because they waited for 15 s, and each file has its own result.
func manyConcurrentUploads(t *testing.T, s system.System) {
	files := *burst
	c := s.Client(t, system.NewOwner())
	ctx, cancel := context.WithTimeout(t.Context(), 3*system.Soon)
	defer cancel()
	ids := make([]string, files)
	var uploads sync.WaitGroup
	for i := range files {
		uploads.Go(func() {
			file, err := system.UploadEither(ctx, c, i%5 != 0, fmt.Sprint(i), system.RandomText(uint64(i), 50))
			for system.IsProblem(err, http.StatusServiceUnavailable) {
				file, err = system.UploadEither(ctx, c, i%5 != 0, fmt.Sprint(i), system.RandomText(uint64(i), 50))
			}
			if err != nil {
				t.Errorf("upload %d: %v", i, err)
			}
			ids[i] = file.FileID
		})
	}
	uploads.Wait()
	if t.Failed() {
		return
	}
	for i, id := range ids {
		system.CheckResult(t, system.Await(t, c, id), system.Count(system.RandomText(uint64(i), 50)))
	}
}

// utf16Bytes encodes a text as UTF-16 with a byte order mark, big-endian if bigEndian is 1.
func utf16Bytes(text string, bigEndian int) []byte {
	var out []byte
	for _, unit := range utf16.Encode([]rune("\ufeff" + text)) {
		low, high := byte(unit), byte(unit>>8)
		if bigEndian == 1 {
			low, high = high, low
		}
		out = append(out, low, high)
	}
	return out
}

// windows1251 encodes ASCII and the letters А to я, which are consecutive from 0xC0 in that charset
// (https://www.unicode.org/Public/MAPPINGS/VENDORS/MICSFT/WINDOWS/CP1251.TXT).
func windows1251(t *testing.T, text string) []byte {
	t.Helper()
	var out []byte
	for _, r := range text {
		switch {
		case r < 0x80:
			out = append(out, byte(r))
		case r >= 'А' && r <= 'я':
			out = append(out, byte(r-'А'+0xC0))
		default:
			t.Fatalf("cannot encode %q as windows-1251", r)
		}
	}
	return out
}
