package packed_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"testing"

	brrr "github.com/molecule-man/go-brrr"

	"github.com/assay-project/assay/pkg/extract/packed"
)

// TestReadsBrotli decompresses what the reference implementation 1.1.0 (zlib.brotliCompressSync of Node.js 20, quality 11)
// wrote for "assay assay assay assay\n".
func TestReadsBrotli(t *testing.T) {
	file, err := hex.DecodeString("1b1700f88d946edeaa5600099b1379a5883c7140f709")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := packed.Brotli(file, nil); err != nil || string(got) != "assay assay assay assay\n" {
		t.Errorf("got %q, error %v", got, err)
	}
	for n := range len(file) {
		if got, err := packed.Brotli(file[:n], nil); err == nil {
			t.Errorf("%d of %d bytes: got %q, want an error", n, len(file), got)
		}
	}
}

// TestLimit checks that files of at most Most bytes are read.
func TestLimit(t *testing.T) {
	for size, want := range map[int]error{packed.Most: nil, packed.Most + 1: packed.ErrLarge} {
		var file bytes.Buffer
		w, err := brrr.NewWriter(&file, 1)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(make([]byte, size)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		content, err := packed.Brotli(file.Bytes(), nil)
		if !errors.Is(err, want) || want == nil && len(content) != size {
			t.Errorf("%d bytes: got %d bytes, error %v, want error %v", size, len(content), err, want)
		}
	}
	if _, err := packed.Brotli([]byte("neither"), nil); err == nil {
		t.Error("a damaged file: got no error")
	}
}
