package plaintext

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"
)

// readParts reads a text in parts of the given size, with reads in random order, and joins the
// results.
func readParts(t *testing.T, text, contentType string, size int, rng *rand.Rand) (string, error) {
	t.Helper()
	head := text[:min(len(text), HeadSize)]
	parts, err := NewParts([]byte(head), contentType)
	if err != nil {
		return "", err
	}
	rest := text[parts.Mark():]
	type reading struct {
		part      *Part
		own, want int
		got       []byte
	}
	var all, going []*reading
	for at := 0; at < len(rest); at += size {
		// Read to the end of a character that extends into the next part, as CountParts does.
		beyond := min(size+utf8.UTFMax, len(rest)-at)
		r := &reading{part: parts.Part(io.NopCloser(iotest.HalfReader(strings.NewReader(rest[at:])))), own: min(size, len(rest)-at), want: beyond}
		all, going = append(all, r), append(going, r)
	}
	for len(going) > 0 {
		i := rng.IntN(len(going))
		r := going[i]
		b := make([]byte, 1+rng.IntN(r.want))
		n, err := r.part.Read(b[:min(len(b), r.want-len(r.got))])
		if err != nil {
			return "", err
		}
		r.got = append(r.got, b[:n]...)
		if len(r.got) == r.want {
			if err := r.part.Close(); err != nil {
				t.Fatal(err)
			}
			going = append(going[:i], going[i+1:]...)
		}
	}
	var b strings.Builder
	for _, r := range all {
		b.Write(r.got[:r.own])
	}
	if !utf8.ValidString(b.String()) { // CountParts detects it
		return "", ErrContradicted
	}
	return b.String(), nil
}

// TestPartsSelectSameCharset compares Parts with NewReader for texts in every charset, with the
// first non-ASCII byte at various positions.
func TestPartsSelectSameCharset(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 2))
	line := "Plain words, again and again.\n"
	plain := strings.Repeat(line, 150) // above HeadSize
	for _, c := range []struct{ name, text, contentType string }{
		{"empty", "", ""},
		{"ASCII", plain, ""},
		{"UTF-8 from the start", "Größe\n" + plain, ""},
		{"UTF-8 at the end", plain + "Größe", ""},
		{"UTF-8 only", strings.Repeat("Ёлка, ёлка! ", 800), ""},
		{"Han without a space", strings.Repeat("你好，世界。", 500), ""},
		{"mark of UTF-8", "\xEF\xBB\xBF" + plain + "Gr\xF6\xDFe", "text/plain; charset=iso-8859-1"},
		{"mark of UTF-16", "\xFF\xFEa\x00b\x00", ""},
		{"mark of UTF-32", "\xFF\xFE\x00\x00a\x00\x00\x00", ""},
		{"Windows-1252 from the start", "Gr\xF6\xDFe\n" + plain, ""},
		{"Windows-1252 in the middle", plain + "Gr\xF6\xDFe\n" + plain, ""},
		{"Windows-1252 at the end", plain + "\x92", ""},
		{"first UTF-8, then not", plain + "Größe" + plain + plain + "Gr\xF6\xDFe", ""},
		{"first not, then UTF-8", plain + "Gr\xF6\xDFe" + plain + plain + "Größe", ""},
		{"truncated at the end", plain + "\xC3", ""},
		{"UTF-8 followed by a NUL", plain + "Größe\x00", ""},
		{"declared UTF-8, but is not", plain + "Gr\xF6\xDFe", "text/plain; charset=utf-8"},
		{"truncated character in the middle", plain + "Größe" + plain + "\xC3" + plain, ""},
		{"lone continuation byte", plain + "Größe" + plain + "\x9F" + plain, ""},
		{"declared US-ASCII, but is UTF-8", plain + "Größe", "text/plain; charset=us-ascii"},
		{"declared Latin-1, but is UTF-8", plain + "Größe", "text/plain; charset=iso-8859-1"},
		{"declared Shift JIS", plain + "\x83\x65\x83\x58\x83\x67", "text/plain; charset=shift_jis"},
		{"declared ISO-2022-JP", plain + "\x1B$B%F%9%H\x1B(B", "text/plain; charset=iso-2022-jp"},
		{"declared UTF-16, but is not", plain, "text/plain; charset=utf-16"},
		{"declared UTF-16", strings.Repeat("a\x00 \x00", 3000), "text/plain; charset=utf-16le"},
		{"unknown declared charset", plain, "text/plain; charset=nonsense"},
		{"PDF", "%PDF-1.7\n" + plain, ""},
		{"NUL", "a\x00" + plain, ""},
		{"gzip", "\x1F\x8B\x08\x00" + plain, ""},
		{"NUL after the head", plain + "\x00", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			want, wantErr := readText(func() io.Reader { return strings.NewReader(c.text) }, c.contentType, 1<<20)
			for _, size := range []int{61, 1000, 4096, len(c.text) - 3, len(c.text) - 2, len(c.text)/2 + 1, len(c.text) + 1} {
				if size < 1 {
					continue
				}
				got, err := readParts(t, c.text, c.contentType, size, rng)
				switch {
				case wantErr != nil:
					if fmt.Sprint(err) != wantErr.Error() {
						t.Fatalf("parts of %d: got error %v, want %v", size, err, wantErr)
					}
				case errors.Is(err, ErrContradicted):
					if want == c.text {
						t.Fatalf("parts of %d: got error %v for valid UTF-8, want none", size, err)
					}
				case err != nil:
					t.Fatal(err)
				case got != want:
					t.Fatalf("parts of %d: got %.60q…%.60q, want %.60q…%.60q as from one reader", size, got, got[max(0, len(got)-60):], want, want[max(0, len(want)-60):])
				}
			}
		})
	}
}
