package words

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/assay-project/assay/pkg/extract/wordstats/corpus"
)

// text is a file to count.
type text struct {
	name, path string
	size       int64
}

const (
	megabyte = 1_000_000
	bookSize = 258 * megabyte // minimum: the size of the corpus on which the goals are based
)

// corpora contains the texts to count.
type corpora struct {
	page                                                text // the book once
	book, english, few, vocabulary, multilingual, slice text
}

// makeCorpora writes the texts to a directory, unless they exist, and prints their
// checksums.
func makeCorpora(dir, book string, out io.Writer) (corpora, error) {
	if book == "" {
		root, err := exec.Command("go", "env", "GOROOT").Output()
		if err != nil {
			return corpora{}, fmt.Errorf("go env GOROOT: %w", err)
		}
		book = filepath.Join(strings.TrimSpace(string(root)), "src", "testdata", "Isaac.Newton-Opticks.txt")
	}
	content, err := os.ReadFile(book)
	if err != nil {
		return corpora{}, fmt.Errorf("read the book (-book selects another): %w", err)
	}
	if len(content) == 0 {
		return corpora{}, fmt.Errorf("the book %s is empty", book)
	}
	c := corpora{page: text{name: filepath.Base(book), path: book, size: int64(len(content))}}
	for _, wanted := range []struct {
		text  *text
		name  string
		piece func() []byte
		times int
	}{
		{&c.book, filepath.Base(book), func() []byte { return content }, (bookSize + len(content) - 1) / len(content)},
		{&c.english, "english", func() []byte { return corpus.English(1, 32*megabyte) }, 8},
		{&c.few, "english-small", func() []byte { return corpus.English(1, 16*megabyte) }, 1},
		{&c.vocabulary, "vocabulary", func() []byte { return corpus.ManyWords(3, 256*megabyte) }, 1},
		{&c.multilingual, "multilingual", func() []byte { return corpus.Multilingual(2, 32*megabyte) }, 1},
		{&c.slice, "multilingual-slice", func() []byte { return corpus.Multilingual(2, 4*megabyte) }, 1},
	} {
		path := filepath.Join(dir, fmt.Sprintf("%s-%d.txt", wanted.name, wanted.times))
		if wanted.text == &c.book {
			path = filepath.Join(dir, fmt.Sprintf("book-%x-%d.txt", sha256.Sum256(content), wanted.times))
		}
		size, sum, err := ensure(path, wanted.piece, wanted.times)
		if err != nil {
			return corpora{}, err
		}
		*wanted.text = text{name: wanted.name, path: path, size: size}
		fmt.Fprintf(out, "corpus %-20s %4d MB, SHA-256 %x\n", wanted.name, size/megabyte, sum)
	}
	return c, nil
}

// ensure writes a file of a repeated piece, unless it exists. It returns the size and the SHA-256
// digest of the file.
func ensure(path string, piece func() []byte, times int) (int64, []byte, error) {
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		if err := write(path, piece(), times); err != nil {
			return 0, nil, err
		}
	}
	file, err := os.Open(path)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = file.Close() }() // opened for reading only
	digest := sha256.New()
	size, err := io.Copy(digest, file)
	return size, digest.Sum(nil), err
}

// write writes the file under a temporary name and renames it, so that an existing file is always
// complete.
func write(path string, piece []byte, times int) error {
	file, err := os.Create(path + ".part")
	if err != nil {
		return err
	}
	for range times {
		if _, err := file.Write(piece); err != nil {
			return errors.Join(err, file.Close())
		}
	}
	if err := file.Close(); err != nil {
		return err
	}
	return os.Rename(path+".part", path)
}
