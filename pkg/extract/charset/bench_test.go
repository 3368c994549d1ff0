package charset

import (
	"strings"
	"testing"
)

// BenchmarkGuess detects the charset of a text of 16 KiB in Windows-1251, and of a short one.
func BenchmarkGuess(b *testing.B) {
	c, _ := Lookup("windows-1251")
	coded, err := c.Encoding.NewEncoder().String("Съешь же ещё этих мягких французских булок, да выпей чаю. ")
	if err != nil {
		b.Fatal(err)
	}
	for name, text := range map[string]string{"16 KiB": strings.Repeat(coded, maxSample/len(coded)), "short": coded} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				guess(text)
			}
		})
	}
}
