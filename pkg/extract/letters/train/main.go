// Command train writes the statistics of package letters.
//
// It reads the n-gram models of the Go module lingua-go, whose author derived them from the Leipzig
// Corpora Collection, and keeps the frequencies of single letters, of pairs and of the most frequent
// triples. Run it in this folder:
//
//	go run . > ../model.bin
package main

import (
	"archive/zip"
	"bytes"
	"cmp"
	"compress/flate"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/assay-project/assay/pkg/extract/letters"
)

const source = "github.com/pemistahl/lingua-go@v1.4.0"

// without lists the languages of the module that are left out: Bosnian and Nynorsk texts resemble those of Croatian and of
// Bokmål too much to tell a short one apart.
var without = []string{"bs", "nn"}

const (
	maxLetters = 110  // letters of an alphabet
	maxSigns   = 7000 // characters of a script without an alphabet
	maxTriples = 4000 // triples of a language
	rarest     = 1e-5 // least frequency of a letter of an alphabet
)

func main() {
	if err := run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "train:", err)
		os.Exit(1)
	}
}

func run(w io.Writer) error {
	folder, err := download()
	if err != nil {
		return err
	}
	models := filepath.Join(folder, "language-models")
	languages, err := os.ReadDir(models)
	if err != nil {
		return err
	}
	var all bytes.Buffer
	for _, l := range languages {
		if slices.Contains(without, l.Name()) {
			continue
		}
		if err := write(&all, filepath.Join(models, l.Name()), l.Name()); err != nil {
			return fmt.Errorf("language %s: %w", l.Name(), err)
		}
	}
	out, err := flate.NewWriter(w, flate.BestCompression)
	if err != nil {
		return err
	}
	if _, err := out.Write(all.Bytes()); err != nil {
		return err
	}
	return out.Close()
}

// download returns the folder of the module.
func download() (string, error) {
	out, err := exec.Command("go", "mod", "download", "-json", source).Output()
	if err != nil {
		return "", fmt.Errorf("downloading %s: %w", source, err)
	}
	var module struct{ Dir string }
	if err := json.Unmarshal(out, &module); err != nil {
		return "", err
	}
	return module.Dir, nil
}

// write appends a language: its two-letter code, the number of letters, the letters, the cost of each,
// whether pairs follow, the cost of each pair by first and second letter, the number of triples, and for each, in the
// order of their keys, the difference to the key before, and the cost. The key of a triple is that of letters.Key.
func write(w *bytes.Buffer, folder, language string) error {
	single, err := read(filepath.Join(folder, "unigrams.pb.bin.zip"))
	if err != nil {
		return err
	}
	limit := maxLetters
	if language == "zh" || language == "ja" || language == "ko" {
		limit = maxSigns
	}
	runes := frequent(single, limit)
	w.WriteString(language)
	var number [binary.MaxVarintLen32]byte
	put := func(n int) { w.Write(number[:binary.PutUvarint(number[:], uint64(n))]) }
	put(len(runes))
	for _, letter := range runes {
		put(int(letter))
	}
	for _, letter := range runes {
		w.WriteByte(cost(single[string(letter)]))
	}
	// A language with a script of its own has no models of pairs and triples.
	pairs, err := read(filepath.Join(folder, "bigrams.pb.bin.zip"))
	if errors.Is(err, fs.ErrNotExist) {
		w.WriteByte(0)
		return nil
	}
	if err != nil {
		return err
	}
	triples, err := read(filepath.Join(folder, "trigrams.pb.bin.zip"))
	if err != nil {
		return err
	}
	w.WriteByte(1)
	for _, first := range runes {
		for _, second := range runes {
			w.WriteByte(cost(pairs[string([]rune{first, second})]))
		}
	}
	kept := mostFrequent(single, pairs, triples, runes)
	put(len(kept))
	before := uint32(0)
	for _, t := range kept {
		put(int(t.key - before))
		before = t.key
		w.WriteByte(t.cost)
	}
	return nil
}

// frequent returns the most frequent letters.
func frequent(single map[string]float64, limit int) []rune {
	var runes []rune
	for letter, p := range single {
		if limit == maxSigns || p >= rarest {
			runes = append(runes, []rune(letter)[0])
		}
	}
	slices.SortFunc(runes, func(a, b rune) int {
		return cmp.Or(cmp.Compare(single[string(b)], single[string(a)]), cmp.Compare(a, b))
	})
	runes = runes[:min(len(runes), limit)]
	if limit == maxSigns {
		slices.Sort(runes) // compresses better
	}
	return runes
}

type triple struct {
	key         uint32
	cost        byte
	probability float64 // of all three letters
}

// mostFrequent returns the most frequent triples of the given letters, by key.
func mostFrequent(single, pairs, triples map[string]float64, runes []rune) []triple {
	number := map[rune]int{}
	for i, r := range runes {
		number[r] = i
	}
	var all []triple
	for t, p := range triples {
		r := []rune(t)
		a, okA := number[r[0]]
		b, okB := number[r[1]]
		c, okC := number[r[2]]
		if okA && okB && okC {
			all = append(all, triple{letters.Key(a, b, c), cost(p), p * pairs[string(r[:2])] * single[string(r[0])]})
		}
	}
	slices.SortFunc(all, func(a, b triple) int {
		return cmp.Or(cmp.Compare(b.probability, a.probability), cmp.Compare(a.key, b.key))
	})
	all = all[:min(len(all), maxTriples)]
	slices.SortFunc(all, func(a, b triple) int { return cmp.Compare(a.key, b.key) })
	return all
}

// cost returns the cost of an event of probability p in eighths of a bit, 255 if it was never seen.
func cost(p float64) byte {
	if p <= 0 {
		return 255
	}
	return byte(min(254, math.Round(-8*math.Log2(p))))
}

// read reads a model: the relative frequency of each n-gram, given all of it but its last letter.
func read(path string) (found map[string]float64, err error) {
	z, err := zip.OpenReader(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, z.Close()) }()
	f, err := z.File[0].Open()
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(f)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	found = map[string]float64{}
	return found, fields(data, func(field int, _ uint64, set []byte) error {
		if field != 4 {
			return nil
		}
		p := 0.0
		return fields(set, func(field int, fixed uint64, ngram []byte) error {
			switch field {
			case 1:
				p = math.Float64frombits(fixed)
			case 2:
				found[string(ngram)] = p
			}
			return nil
		})
	})
}

// fields calls use with each field of a protocol buffers message.
func fields(message []byte, use func(field int, fixed uint64, data []byte) error) error {
	for len(message) > 0 {
		tag, n := binary.Uvarint(message)
		message = message[max(n, 1):]
		var fixed uint64
		var data []byte
		switch tag & 7 {
		case 0:
			fixed, n = binary.Uvarint(message)
			message = message[max(n, 1):]
		case 1:
			fixed, message = binary.LittleEndian.Uint64(message), message[8:]
		case 2:
			size, n := binary.Uvarint(message)
			data, message = message[n:n+int(size)], message[n+int(size):]
		default:
			return fmt.Errorf("field %d has the unknown type %d", tag>>3, tag&7)
		}
		if err := use(int(tag>>3), fixed, data); err != nil {
			return err
		}
	}
	return nil
}
