package charset

import (
	"bytes"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestUchardetFiles detects the files of uchardet's test set: the folder test of its source, in which a file is named
// LANGUAGE/CHARSET.txt. The folder is that of the environment variable ASSAY_UCHARDET.
func TestUchardetFiles(t *testing.T) {
	folder := os.Getenv("ASSAY_UCHARDET")
	if folder == "" {
		t.Skip("ASSAY_UCHARDET does not name the folder test of uchardet's source")
	}
	paths, err := filepath.Glob(filepath.Join(folder, "*", "*.txt"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no files LANGUAGE/CHARSET.txt in %s: %v", folder, err)
	}
	right, all := 0, 0
	for _, path := range paths {
		label := strings.TrimSuffix(filepath.Base(path), ".txt")
		if label == "ascii" {
			label = "utf-8"
		}
		want, ok := Lookup(label)
		if !ok {
			t.Logf("%s: no decoder", path)
			continue
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all++
		var e Evidence
		_, _ = e.Write(data) // it never fails
		g := e.Guess()
		if strings.HasPrefix(label, "utf-16") && bytes.HasPrefix(data, []byte("\xFE\xFF")) || bytes.HasPrefix(data, []byte("\xFF\xFE")) {
			g.Charset = want // by its byte order mark
		} else if found, ok := UTF16(data); ok && bytes.IndexByte(data, 0) >= 0 {
			g.Charset = found
		}
		if same(t, data, g.Charset, want) {
			right++
		} else {
			t.Logf("%s: got %s", path, g.Name)
		}
	}
	t.Logf("%d of %d right", right, all)
	if right*100 < all*95 {
		t.Errorf("%d of %d files right, want 95 %%", right, all)
	}
}

// same reports whether a text is the same in two charsets.
func same(t *testing.T, data []byte, a, b Charset) bool {
	t.Helper()
	one, err := a.Encoding.NewDecoder().Bytes(data)
	if err != nil {
		return false
	}
	two, err := b.Encoding.NewDecoder().Bytes(data)
	return err == nil && bytes.Equal(one, two)
}

// TestAgainstUchardet compares the guesses of 2,000 texts of 50 to 5,000 bytes with those of the program uchardet. The
// sentences are those of lingua-go, folder cmd/language-testdata/sentences, in files named LANGUAGE.txt; it is that of the
// environment variable ASSAY_SENTENCES.
func TestAgainstUchardet(t *testing.T) {
	folder := os.Getenv("ASSAY_SENTENCES")
	if folder == "" {
		t.Skip("ASSAY_SENTENCES does not name a folder with sentences in LANGUAGE.txt")
	}
	rng := rand.New(rand.NewPCG(7, 7))
	type sample struct {
		path, name string
		data       []byte
	}
	var samples []sample
	to := t.TempDir()
	for len(samples) < 2000 {
		c := texts[rng.IntN(len(texts))]
		names := strings.Fields(c.charsets)
		name := names[rng.IntN(len(names))]
		data := pick(t, rng, filepath.Join(folder, c.language+".txt"), name)
		if ASCIIPrefix(data) == len(data) {
			continue
		}
		s := sample{filepath.Join(to, c.language+"."+name+"."+string(rune('a'+len(samples)%26))+".txt"), name, data}
		s.path = strings.TrimSuffix(s.path, ".txt") + "." + strings.Repeat("i", len(samples)/26) + ".txt"
		if err := os.WriteFile(s.path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		samples = append(samples, s)
	}
	slices.SortFunc(samples, func(a, b sample) int { return strings.Compare(a.path, b.path) })
	paths := make([]string, len(samples))
	for i, s := range samples {
		paths[i] = s.path
	}
	out, err := exec.Command("uchardet", paths...).Output()
	if err != nil {
		t.Fatalf("uchardet: %v", err)
	}
	answers := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(answers) != len(samples) {
		t.Fatalf("uchardet: got %d answers, want %d", len(answers), len(samples))
	}
	ours, theirs := 0, 0
	for i, s := range samples {
		want, _ := Lookup(s.name)
		var e Evidence
		_, _ = e.Write(s.data) // it never fails
		if g := e.Guess(); same(t, s.data, g.Charset, want) {
			ours++
		} else {
			t.Logf("%s: got %s", s.name, g.Name)
		}
		_, answer, _ := strings.Cut(answers[i], ": ")
		if known, ok := Lookup(answer); ok && same(t, s.data, known, want) {
			theirs++
		}
	}
	t.Logf("%d of %d right, uchardet %d", ours, len(samples), theirs)
	if ours < theirs {
		t.Errorf("%d right, want at least %d", ours, theirs)
	}
}

// pick returns consecutive sentences in a charset, cut to a random length.
func pick(t *testing.T, rng *rand.Rand, path, name string) []byte {
	t.Helper()
	all, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(all), "\n")
	c, _ := Lookup(name)
	size := int(math.Exp(math.Log(50) + rng.Float64()*math.Log(100)))
	var data []byte
	for at := rng.IntN(len(lines)); len(data) < size; at++ {
		line := lines[at%len(lines)]
		if name == "windows-1258" {
			line = tonesApart(line)
		}
		// The sentences contain some that were decoded with the wrong charset.
		damaged := strings.ContainsFunc(line, func(r rune) bool { return r >= 0x80 && r < 0xA0 || r == 0xFFFD }) || strings.Contains(line, "ďż") || strings.Contains(line, "ï¿")
		coded, err := c.Encoding.NewEncoder().String(line + "\n")
		if err == nil && !damaged {
			data = append(data, coded...)
		}
	}
	return data[:size]
}
