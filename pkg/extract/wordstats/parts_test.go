package wordstats

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"

	"github.com/assay-project/assay/pkg/extract/wordstats/corpus"
)

// source is a text in memory that is read in parts.
type source struct {
	text   string
	closed atomic.Int32
	opened int   // not synchronized: CountParts makes one call of From at a time
	last   int64 // the nominal start of the previous part
	failAt int64 // position of the part whose reader fails; negative for none
}

type closer struct {
	io.Reader
	closed *atomic.Int32
}

func (c closer) Close() error { c.closed.Add(1); return nil }

var errBroken = errors.New("connection lost")

func (s *source) from(_ context.Context, at, end int64) io.ReadCloser {
	if s.opened > 0 && at <= s.last {
		panic(fmt.Sprintf("got a part at %d after the part at %d, want increasing positions", at, s.last))
	}
	s.opened, s.last = s.opened+1, at
	var text io.Reader = strings.NewReader(s.text[at:])
	if s.failAt >= 0 && at == s.failAt {
		text = io.MultiReader(io.LimitReader(text, (end-at)/2), iotest.ErrReader(errBroken))
	}
	return closer{iotest.HalfReader(text), &s.closed}
}

func (s *source) parts(size int64, readers int) Parts {
	return Parts{Size: int64(len(s.text)), PartSize: size, Readers: readers, From: s.from}
}

func countParts(t testing.TB, text string, size int64, readers int) Statistics {
	t.Helper()
	s := &source{text: text, failAt: -1}
	got, err := Limits{}.CountParts(t.Context(), s.parts(size, readers))
	if err != nil {
		t.Fatal(err)
	}
	if int(s.closed.Load()) != s.opened {
		t.Fatalf("got %d closed parts, want %d", s.closed.Load(), s.opened)
	}
	return got
}

// TestPartsAtEveryPosition puts a part boundary at every byte of texts in all scripts: within a code
// point, between CR and LF, within joined emoji, and before a mark.
func TestPartsAtEveryPosition(t *testing.T) {
	for _, text := range append([]string{
		"one\r\ntwo \r\n three \n\n four", "a \u0301b \u0301c\n\u200Dd \u200De", "family 👩\u200D👩\u200D👧 👩 \u200D👩", "   ", "a", " a", "a ", " \n \n", "日本 日本\n日本",
		"a \xE2\x82 b \xFF c \x80 d\n\x80",
	}, samples...) {
		want := oracle(text)
		for size := int64(1); size <= int64(len(text)); size += 1 + size/8 {
			mustEqual(t, text, countParts(t, text, size, 1+int(size%3)), want, fmt.Sprintf("parts of %d", size))
		}
	}
}

func TestPartsOfLongTexts(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	var mixed strings.Builder
	for mixed.Len() < 300_000 {
		mixed.WriteString(samples[rng.IntN(len(samples))])
		mixed.WriteString([]string{" ", "\n", "\n\u0301", "  ", " ﾞ", ""}[rng.IntN(6)])
	}
	for name, text := range map[string]string{
		"empty":                   "",
		"mixed":                   mixed.String(),
		"no safe position":        strings.Repeat("你好，", 30_000),
		"one long word":           strings.Repeat("a.", 200_000) + " end",
		"long in the middle":      strings.Repeat("some words ", 5_000) + strings.Repeat("b", 150_000) + strings.Repeat(" more words", 5_000),
		"marks after every space": strings.Repeat("a \u0301", 100_000),
		"spaces":                  strings.Repeat(" ", 200_000),
		"English":                 string(corpus.English(5, 500_000)),
	} {
		want := oracle(text)
		for _, size := range []int64{1_000, 65_537, 1 << 20} {
			mustEqual(t, text, countParts(t, text, size, 3), want, fmt.Sprintf("%s in parts of %d", name, size))
		}
	}
}

func TestCountPartsErrors(t *testing.T) {
	text := string(corpus.English(5, 500_000))
	for _, readers := range []int{1, 3} {
		s := &source{text: text, failAt: 200_000}
		if _, err := (Limits{}).CountParts(t.Context(), s.parts(100_000, readers)); !errors.Is(err, errBroken) {
			t.Errorf("a part whose reader fails: got error %v, want %v", err, errBroken)
		}
		s = &source{text: text, failAt: -1}
		_, err := Limits{Vocabulary: 7000}.CountParts(t.Context(), s.parts(100_000, readers))
		if _, ok := errors.AsType[*VocabularyError](err); !ok {
			t.Errorf("more words than the limit: got %v, want a VocabularyError", err)
		}
	}
	// Each part is within the limit; only the complete text exceeds it.
	halves := "a b c \n" + strings.Repeat(" ", 100) + "\nd e f"
	for words, fails := range map[int64]bool{5: true, 6: false} {
		s := &source{text: halves, failAt: -1}
		if _, err := (Limits{Vocabulary: words * (1 + wordPlace)}).CountParts(t.Context(), s.parts(50, 2)); (err != nil) != fails {
			t.Errorf("six words with a limit of %d: got error %v, want an error %t", words, err, fails)
		}
	}
}

func FuzzParts(f *testing.F) {
	for _, text := range samples {
		f.Add(text, uint16(7))
	}
	f.Fuzz(func(t *testing.T, text string, size uint16) {
		mustEqual(t, text, countParts(t, text, 1+int64(size), 2), oracle(text), "parts")
	})
}
