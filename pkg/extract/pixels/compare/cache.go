package main

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"io"
	"os"
	"path/filepath"
)

// cache keeps what the references read, because starting them takes most of the time. Its files have the width and the
// height (32 bits each) and the compressed pixels; they are empty for a picture that the reference cannot read.
type cache struct{ folder string }

// file returns the path of the result of a program for a picture, or "" if nothing is cached.
func (c cache) file(data []byte, program string) string {
	if c.folder == "" {
		return ""
	}
	return filepath.Join(c.folder, fmt.Sprintf("%x-%s", sha256.Sum256(data), program))
}

// get returns a result, and false if it is not cached.
func (c cache) get(file string) (*image.NRGBA, bool, error) {
	if file == "" {
		return nil, false, nil
	}
	kept, err := os.ReadFile(file)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, false, nil
	case err != nil:
		return nil, false, err
	case len(kept) == 0:
		return nil, true, nil
	case len(kept) < 8:
		return nil, false, fmt.Errorf("%s is damaged", file)
	}
	size := image.Rect(0, 0, int(binary.LittleEndian.Uint32(kept)), int(binary.LittleEndian.Uint32(kept[4:])))
	m := image.NewNRGBA(size)
	if _, err := io.ReadFull(flate.NewReader(bytes.NewReader(kept[8:])), m.Pix); err != nil {
		return nil, false, fmt.Errorf("%s is damaged: %w", file, err)
	}
	return m, true, nil
}

// put keeps a result, which is nil if the picture cannot be read.
func (c cache) put(file string, m *image.NRGBA) error {
	if file == "" {
		return nil
	}
	var kept bytes.Buffer
	if m != nil {
		kept.Write(binary.LittleEndian.AppendUint32(nil, uint32(m.Rect.Dx())))
		kept.Write(binary.LittleEndian.AppendUint32(nil, uint32(m.Rect.Dy())))
		w, err := flate.NewWriter(&kept, flate.BestSpeed)
		if err != nil {
			return err
		}
		if _, err := w.Write(m.Pix); err != nil {
			return err
		}
		if err := w.Close(); err != nil {
			return err
		}
	}
	part := fmt.Sprintf("%s.%d", file, os.Getpid()) // several processes may share the folder
	if err := os.WriteFile(part, kept.Bytes(), 0o644); err != nil {
		return err
	}
	return os.Rename(part, file)
}
