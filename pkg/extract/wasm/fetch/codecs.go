package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// codecs are those of pictures, which Go modules contain. The modules run them without memory limits and link their
// encoders, so only the programs are used.
var codecs = []source{
	{
		pack:      "github.com/gen2brain/webp@v0.5.5",
		integrity: "h1:MvQR75yIPU/9nSqYT5h13k4URaJK3gf9tgz/ksRbyEg=",
		file:      "lib/webp.wasm.gz",
		sha256:    "fbae2345bbfcb98575ae5e66eba1b69383ccff6615b680edbc6413a33906ae42",
		to:        "../pixels/libwebp/webp.wasm.br",
	},
	{
		pack:      "github.com/gen2brain/avif@v0.4.4",
		integrity: "h1:Ga/ss7qcWWQm2bxFpnjYjhJsNfZrWs5RsyklgFjKRSE=",
		file:      "lib/decode.wasm.gz",
		sha256:    "15af4fca9bcf83c09cfd76b3278626f21f38e81771461fafbb47e0de9fd3a6ab",
		to:        "../pixels/libavif/decode.wasm.br",
	},
	{
		pack:      "github.com/gen2brain/avif@v0.4.4",
		integrity: "h1:Ga/ss7qcWWQm2bxFpnjYjhJsNfZrWs5RsyklgFjKRSE=",
		file:      "lib/encode.wasm.gz",
		sha256:    "7647a7b481db772b127aa9f4adfd7eaa9559b70b7e436be766392754d0bbeaf8",
		to:        "../pixels/libavif/encode.wasm.br",
	},
	{
		pack:      "github.com/gen2brain/jpegxl@v0.4.5",
		integrity: "h1:TWpVEn5xkIfsswzkjHBArd0Cc9AE0tbjBSoa0jDsrbo=",
		file:      "lib/decode.wasm.gz",
		sha256:    "c849c653cce87ea160092964819ed1e60b4e0c3a970bafa5e837aba3c7bf9486",
		to:        "../pixels/libjxl/decode.wasm.br",
	},
}

// isModule reports whether the package is a Go module, whose hash go.sum would have.
func (s source) isModule() bool { return strings.HasPrefix(s.integrity, "h1:") }

// fetchModule returns the decompressed file of a Go module.
func (s source) fetchModule() ([]byte, error) {
	download := exec.Command("go", "mod", "download", "-json", s.pack)
	download.Dir, download.Stderr = os.TempDir(), os.Stderr
	out, err := download.Output()
	if err != nil {
		return nil, err
	}
	var module struct{ Dir, Sum string }
	if err := json.Unmarshal(out, &module); err != nil {
		return nil, fmt.Errorf("go mod download: %w", err)
	}
	if module.Sum != s.integrity {
		return nil, errors.New("the module does not match the pinned hash")
	}
	file, err := os.ReadFile(filepath.Join(module.Dir, filepath.FromSlash(s.file)))
	if err != nil {
		return nil, err
	}
	r, err := gzip.NewReader(bytes.NewReader(file))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}
