package release

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"io"
	"io/fs"
	"strings"
	"time"
)

// file is a file of an archive.
type file struct {
	name    string // with slashes
	mode    fs.FileMode
	content []byte
	owner   int // user and group in a tar archive; 0 is root
}

// tarOf writes a tar archive. Its files have one modification time.
func tarOf(w io.Writer, files []file, modified time.Time) error {
	archive := tar.NewWriter(w)
	for _, f := range files {
		header := tar.Header{Name: f.name, Mode: int64(f.mode.Perm()), Uid: f.owner, Gid: f.owner, Size: int64(len(f.content)), ModTime: modified, Format: tar.FormatUSTAR}
		if f.mode.IsDir() {
			header.Typeflag, header.Name = tar.TypeDir, f.name+"/"
		}
		if err := archive.WriteHeader(&header); err != nil {
			return err
		}
		if _, err := archive.Write(f.content); err != nil {
			return err
		}
	}
	return archive.Close()
}

// tarGzip returns a compressed tar archive.
func tarGzip(files []file, modified time.Time) ([]byte, error) {
	var out bytes.Buffer
	compressed, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if err := tarOf(compressed, files, modified); err != nil {
		return nil, err
	}
	if err := compressed.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// zipOf returns a zip archive. Its files have one modification time.
func zipOf(files []file, modified time.Time) ([]byte, error) {
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	archive.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(w, flate.BestCompression)
	})
	for _, f := range files {
		header := zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: modified}
		header.SetMode(f.mode)
		w, err := archive.CreateHeader(&header)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(f.content); err != nil {
			return nil, err
		}
	}
	if err := archive.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// pack returns the archive of a target, with its files in one folder.
func pack(t Target, version string, files []file, modified time.Time) ([]byte, error) {
	folder := make([]file, len(files))
	for i, f := range files {
		f.name = t.base(version) + "/" + f.name
		folder[i] = f
	}
	if strings.HasSuffix(t.archive(version), ".zip") {
		return zipOf(folder, modified)
	}
	return tarGzip(folder, modified)
}
