// Command fetch gets the WebAssembly programs of the engines from npm and writes them where
// their packages embed them. It runs in pkg/engines, by make wasm. Packages
// and programs are pinned by their hashes; a new version changes both here.
package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

type source struct {
	pack      string // name@version on npm
	integrity string // of the package, as npm gives it
	file      string // in the package
	sha256    string // of the file
	to        string
}

var sources = []source{
	{
		pack:      "@hyzyla/pdfium@2.1.13",
		integrity: "sha512-4J+xMFJW6V+jktxor6Lsk/2YdPCpeY+Ga69J98uyNQwYESkAsUDxz8BeFU0ZbZJIJ+fK3J6bm61gmwWnUzVU1g==",
		file:      "package/dist/pdfium.wasm",
		sha256:    "71aec412a303a0405baee21c3d6d3f30ad2033dc02444130fe476be3976e2d09",
		to:        "pdfium/pdfium.wasm.gz",
	},
	{
		pack:      "@resvg/resvg-wasm@2.6.2",
		integrity: "sha512-FqALmHI8D4o6lk/LRWDnhw95z5eO+eAa6ORjVg09YRR7BkcM6oPHU9uyC0gtQG5vpFLvgpeU4+zEAz2H8APHNw==",
		file:      "package/index_bg.wasm",
		sha256:    "22bf6e9f9a100d972da0411a69c5ba504367fc1fa87b3b64e3f35e53926d2d70",
		to:        "resvg/resvg.wasm.gz",
	},
}

func main() {
	for _, s := range sources {
		if err := s.write(); err != nil {
			fmt.Fprintf(os.Stderr, "fetch %s: %v\n", s.pack, err)
			os.Exit(1)
		}
		fmt.Println(s.to)
	}
}

func (s source) write() (err error) {
	dir, err := os.MkdirTemp("", "engines")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	npm := exec.Command("npm", "pack", "--silent", "--pack-destination", dir, s.pack)
	npm.Stderr = os.Stderr
	name, err := npm.Output()
	if err != nil {
		return err
	}
	archive, err := os.ReadFile(filepath.Join(dir, strings.TrimSpace(string(name))))
	if err != nil {
		return err
	}
	if sum := sha512.Sum512(archive); "sha512-"+base64.StdEncoding.EncodeToString(sum[:]) != s.integrity {
		return errors.New("the package is not the one that is pinned")
	}
	program, err := extract(archive, s.file)
	if err != nil {
		return err
	}
	if sum := sha256.Sum256(program); hex.EncodeToString(sum[:]) != s.sha256 {
		return fmt.Errorf("%s is not the one that is pinned", s.file)
	}
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := w.Write(program); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return os.WriteFile(filepath.FromSlash(s.to), out.Bytes(), 0o644)
}

// extract returns a file of an npm package.
func extract(archive []byte, name string) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		return nil, err
	}
	files := tar.NewReader(r)
	for {
		switch h, err := files.Next(); {
		case err != nil:
			return nil, fmt.Errorf("%s: %w", name, err)
		case h.Name == name:
			return io.ReadAll(files)
		}
	}
}
