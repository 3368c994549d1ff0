package plaintext

import (
	"bytes"
	"io"
	"testing"
)

// BenchmarkReader reads texts of 1 MiB.
func BenchmarkReader(b *testing.B) {
	for name, line := range map[string]string{
		"ASCII":        "The quick brown fox jumps over the lazy dog.\n",
		"UTF-8":        "Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich.\n",
		"Cyrillic":     "Съешь же ещё этих мягких французских булок, да выпей чаю.\n",
		"Windows-1252": "Zw\xF6lf Boxk\xE4mpfer jagen Viktor quer \xFCber den Deich.\n",
	} {
		text := bytes.Repeat([]byte(line), 1<<20/len(line))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			chunk := make([]byte, 64<<10)
			for b.Loop() {
				r, err := newReader(bytes.NewReader(text), "")
				if err != nil {
					b.Fatal(err)
				}
				if _, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, r, chunk); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkSmall reads texts of 4 KB, the size of most files.
func BenchmarkSmall(b *testing.B) {
	text := bytes.Repeat([]byte("The quick brown fox jumps over the lazy dog.\n"), 4000/45)
	chunk := make([]byte, 64<<10)
	b.ReportAllocs()
	for b.Loop() {
		r, err := newReader(bytes.NewReader(text), "text/plain; charset=utf-8")
		if err != nil {
			b.Fatal(err)
		}
		if _, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, r, chunk); err != nil {
			b.Fatal(err)
		}
		r.Free()
	}
}
