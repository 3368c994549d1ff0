package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/google/uuid"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/endpoints"
)

// unfinished records multipart uploads in progress, so that the next run of the command can continue them. It is
// a directory in the data directory with one file per upload.
type unfinished struct {
	dir string

	mu   sync.Mutex
	used map[string]bool // records used by this run, by path
}

// begun is an upload that was started.
type begun struct {
	Path     string `json:"path"`     // absolute
	Size     int64  `json:"size"`     // bytes
	Modified int64  `json:"modified"` // Unix time in nanoseconds
	Start    string `json:"start"`    // CRC-32 of the first firstPart bytes, in hex
	Key      string `json:"key"`      // idempotency key, which identifies the upload on the server

	note string // file that records the upload; empty if there is none
}

// firstPart is the size in bytes of the first part of a file of at most 156 GiB.
const firstPart = 16 << 20

// begin describes a new upload of a file.
func begin(ctx context.Context, file *os.File) (begun, error) {
	info, err := file.Stat()
	if err != nil {
		return begun{}, err
	}
	path, err := filepath.Abs(file.Name())
	if err != nil {
		return begun{}, err
	}
	start := crc32.NewIEEE()
	if _, err := io.Copy(start, until{ctx, io.NewSectionReader(file, 0, firstPart)}); err != nil {
		return begun{}, err
	}
	return begun{
		Path: path, Size: info.Size(), Modified: info.ModTime().UnixNano(), Start: fmt.Sprintf("%08x", start.Sum32()), Key: uuid.NewString(),
	}, nil
}

// changed reports whether a file was modified after its upload began.
func (b begun) changed(file *os.File) (bool, error) {
	info, err := file.Stat()
	return err == nil && (info.Size() != b.Size || info.ModTime().UnixNano() != b.Modified), err
}

// resume returns the upload that an earlier run started for the same file and terms. If there is none, it records b
// and returns it. Two uploads of the same file in one run are distinct. If recording fails, it returns b with the
// error.
func (u *unfinished) resume(b begun, terms ...string) (begun, error) {
	note := filepath.Join(u.dir, keyOf(append(terms, b.Path)...)+".json")
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.used[note] {
		return b, nil
	}
	u.used[note] = true
	content, err := os.ReadFile(note)
	if earlier := (begun{}); err == nil && json.Unmarshal(content, &earlier) == nil {
		same := b
		if same.Key = earlier.Key; same == earlier {
			same.note = note
			return same, nil
		}
	}
	if content, err = json.Marshal(b); err != nil {
		return b, err
	}
	if err := errors.Join(os.MkdirAll(u.dir, 0o700), os.WriteFile(note, content, 0o600)); err != nil {
		return b, fmt.Errorf("an interrupted upload cannot be resumed: %w", err)
	}
	b.note = note
	return b, nil
}

// ownerOf returns the owner of the items that a client creates. With a token, the server determines the owner.
func ownerOf(ctx context.Context, c *client.Client) (string, error) {
	if c.OwnerID() != "" {
		return c.OwnerID(), nil
	}
	me, err := c.Me(ctx)
	return me.Owner, err
}

// end removes the record of a finished upload.
func (b begun) end() error {
	if b.note == "" {
		return nil
	}
	if err := os.Remove(b.note); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the record of the upload cannot be removed; remove the file, or the next run resumes this upload: %w", err)
	}
	return nil
}

// unfinished returns the uploads recorded in the data directory.
func (s *settings) unfinished() (*unfinished, error) {
	dir, err := endpoints.Dir(s.data)
	return &unfinished{dir: filepath.Join(dir, "uploads"), used: map[string]bool{}}, err
}
