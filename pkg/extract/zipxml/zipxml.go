// Package zipxml reads zip archives and XML, of which office documents consist, within limits.
package zipxml

import (
	"archive/zip"
	"io"

	"github.com/assay-project/assay/pkg/extract/reason"
)

// ErrTooBig means that an archive or a part exceeds a limit. It states the limit.
const ErrTooBig = reason.DocumentTooBig

const (
	maxDirectory = 8 << 20 // bytes of the directory of an archive; package zip keeps all of it in memory

	// A part that decompresses to at least dense bytes and more than ratio times its compressed size is rejected as a
	// decompression bomb. The XML of real documents decompresses to at most about 50 times its size.
	dense = 16 << 20
	ratio = 200
)

// Open reads the directory of the archive in r, which has size bytes and at most the given number of parts. It returns
// ErrTooBig and the errors of zip.NewReader.
func Open(r io.ReaderAt, size int64, parts int) (*zip.Reader, error) {
	directory := &metered{r: r, left: maxDirectory}
	archive, err := zip.NewReader(directory, size)
	if directory.left < 0 {
		return nil, ErrTooBig.With(reason.DirectoryLimit, maxDirectory)
	}
	if err != nil {
		return nil, err
	}
	if len(archive.File) > parts {
		return nil, ErrTooBig.With(reason.PartsLimit, len(archive.File), parts)
	}
	directory.opened = true
	return archive, nil
}

// metered is a reader that limits what can be read before opened is set.
type metered struct {
	r      io.ReaderAt
	left   int64
	opened bool
}

func (m *metered) ReadAt(b []byte, at int64) (int, error) {
	if !m.opened {
		if m.left -= int64(len(b)); m.left < 0 {
			return 0, ErrTooBig
		}
	}
	return m.r.ReadAt(b, at)
}

// CheckRatio returns ErrTooBig if a part is a decompression bomb, according to the sizes that the archive states. Package
// zip reads no more than the stated size.
func CheckRatio(f *zip.File) error {
	if f.UncompressedSize64 > dense && f.UncompressedSize64/ratio > f.CompressedSize64 {
		return ErrTooBig.With(reason.PartRatio, f.Name, ratio)
	}
	return nil
}
