package main

import (
	"bytes"
	"os"
	"path/filepath"

	brrr "github.com/molecule-man/go-brrr"

	"github.com/assay-project/assay/pkg/extract/packed"
)

// compressed returns data in the format Brotli, relative to base unless it is nil. The result is the same on every
// machine.
func compressed(data, base []byte) ([]byte, error) {
	options := brrr.WriterOptions{LGWin: 24, SizeHint: uint(len(data))} // a window of 16 MiB, the largest
	if base != nil {
		dictionary, err := brrr.PrepareDictionary(base)
		if err != nil {
			return nil, err
		}
		options.Dictionaries = []*brrr.PreparedDictionary{dictionary}
	}
	var out bytes.Buffer
	const best = 11
	w, err := brrr.NewWriterOptions(&out, best, options)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// dictionary returns what the file of s is compressed relative to, or nil. Paths are relative to folder.
func (s source) dictionary(folder string) ([]byte, error) {
	if s.base == "" {
		return nil, nil
	}
	file, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(s.base)))
	if err != nil {
		return nil, err
	}
	return packed.Brotli(file, nil)
}
