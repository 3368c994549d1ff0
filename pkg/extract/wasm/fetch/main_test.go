package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/extract/packed"
	"github.com/assay-project/assay/pkg/extract/pdf"
	"github.com/assay-project/assay/pkg/extract/structure/rdkit"
	"github.com/assay-project/assay/pkg/extract/svg"
)

// TestVersions checks that results state the versions of the programs. RDKit has a leading zero in its month.
func TestVersions(t *testing.T) {
	for i, version := range []string{pdf.Version, svg.Version, strings.ToLower(strings.Replace(rdkit.Version, ".0", ".", 1))} {
		name, number, _ := strings.Cut(version, " ")
		if pack := sources[i].pack; !strings.Contains(pack, "/"+name) || !strings.HasSuffix(pack, "@"+number) {
			t.Errorf("results state %s, want the package %s", version, pack)
		}
	}
}

// TestCommittedProgramsArePinned checks the embedded programs against the pinned hashes.
func TestCommittedProgramsArePinned(t *testing.T) {
	for _, s := range all() {
		data, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(s.to)))
		if err != nil {
			t.Fatal(err)
		}
		base, err := s.dictionary("..")
		if err != nil {
			t.Fatal(err)
		}
		program, err := packed.Brotli(data, base)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(program)
		if got := hex.EncodeToString(sum[:]); got != s.sha256 {
			t.Errorf("%s: got hash %s, want %s", s.to, got, s.sha256)
		}
		for name, least := range map[string]int{"LICENSE": 500, "NOTICE": 250} {
			text, err := os.ReadFile(filepath.Join("..", filepath.Dir(s.to), name))
			if err != nil || len(text) < least {
				t.Errorf("%s for %s: got %d bytes, error %v, want at least %d bytes", name, s.to, len(text), err, least)
			}
		}
	}
}

var update = flag.Bool("update", false, "compress the licenses that the program embeds")

// TestCommittedLicenses checks that the program embeds the licenses that a reader of the repository finds beside them.
func TestCommittedLicenses(t *testing.T) {
	for _, name := range []string{"pdf/NOTICE", "structure/rdkit/NOTICE", "pixels/libheif/LICENSE"} {
		path := filepath.Join("..", "..", filepath.FromSlash(name))
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if *update {
			var out bytes.Buffer
			w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
			if err == nil {
				_, err = w.Write(want)
			}
			if err = errors.Join(err, w.Close()); err == nil {
				err = os.WriteFile(path+".gz", out.Bytes(), 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		file, err := os.ReadFile(path + ".gz")
		if err != nil {
			t.Fatal(err)
		}
		if packed.Text(file) != string(want) {
			t.Errorf("%s.gz is not %s; run go test ./wasm/fetch -run CommittedLicenses -update", name, name)
		}
	}
}
