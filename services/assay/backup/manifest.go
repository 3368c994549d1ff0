package backup

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

const (
	manifestsFolder = "backups"
	// formatVersion is the version of the manifests that this version of the program writes. It reads no newer ones.
	formatVersion = 1
)

// ErrUnknown means that the repository has no such backup.
var ErrUnknown = errors.New("no such backup")

// Manifest describes a complete backup.
type Manifest struct {
	Format int `json:"format"`
	// ID contains the time of the mark.
	ID string `json:"id"`
	// Folder is the identity of the data folder.
	Folder string `json:"folder"`
	// Program is the version of the program that has made the backup.
	Program string `json:"program"`
	// Mark is the moment whose state the backup contains. Everything that was acknowledged before is in it.
	Mark     time.Time `json:"mark"`
	Finished time.Time `json:"finished"`
	// Files, Objects and Bytes count what the backup contains, and Written the compressed bytes that it has added to
	// the repository.
	Files   int   `json:"files"`
	Objects int   `json:"objects"`
	Bytes   int64 `json:"bytes"`
	Written int64 `json:"written"`
	// Lists are the chunks of the list of files.
	Lists []ID `json:"lists"`
	// Problems describes objects that were found damaged and are stored as they were, the first 100.
	Problems []string `json:"problems,omitempty"`
}

// Repository is an open backup repository. It needs no closing.
type Repository struct {
	location string
	store    store
	codec    codec
}

// Open opens the repository at a location: the absolute path of a folder, which the first backup creates, or
// s3://BUCKET/PREFIX with the parameters profile, endpoint and region. It returns ErrLocation if this is no valid location.
func Open(ctx context.Context, location string) (*Repository, error) {
	at, err := openStore(ctx, location)
	if err != nil {
		return nil, err
	}
	both, err := newCodec()
	if err != nil {
		return nil, err
	}
	return &Repository{location: location, store: at, codec: both}, nil
}

// newID returns the id of a backup with this mark.
func newID(mark time.Time) string {
	return mark.UTC().Format("20060102T150405Z-") + strings.ToLower(rand.Text()[:6])
}

func manifestName(id string) string { return manifestsFolder + "/" + id + ".json" }

// List returns the manifests of all backups, oldest first.
func (r *Repository) List(ctx context.Context) ([]Manifest, error) {
	var all []Manifest
	err := r.store.list(ctx, manifestsFolder, func(name string) error {
		one, err := r.read(ctx, name)
		all = append(all, one)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("backups in %s: %w", r.location, err)
	}
	slices.SortFunc(all, func(a, b Manifest) int { return a.Mark.Compare(b.Mark) })
	return all, nil
}

// Find returns the manifest of a backup; an empty id means the newest one. It returns ErrUnknown if there is none.
func (r *Repository) Find(ctx context.Context, id string) (Manifest, error) {
	all, err := r.List(ctx)
	if err != nil {
		return Manifest{}, err
	}
	for _, one := range slices.Backward(all) {
		if id == "" || one.ID == id {
			return one, nil
		}
	}
	if id == "" {
		return Manifest{}, fmt.Errorf("%w: there is none in %s", ErrUnknown, r.location)
	}
	return Manifest{}, fmt.Errorf("%w: %s in %s", ErrUnknown, id, r.location)
}

func (r *Repository) read(ctx context.Context, name string) (one Manifest, err error) {
	content, err := r.store.get(ctx, name)
	if err != nil {
		return one, err
	}
	decoder := json.NewDecoder(bytes.NewReader(content))
	if err := decoder.Decode(&one); err != nil || manifestName(one.ID) != name {
		return one, fmt.Errorf("%w: %s cannot be read", ErrDamaged, name)
	}
	if one.Format > formatVersion {
		return one, fmt.Errorf("%s was written by a newer version of assay (%s)", name, one.Program)
	}
	return one, nil
}

// Entry is a file of a backup.
type Entry struct {
	// Path is the path in the data folder, with slashes. If it ends in a slash, the entry is a folder.
	Path string `json:"path"`
	Size int64  `json:"size,omitempty"`
	// Modified (nanoseconds since 1970), Inode and Tag identify the content: if they and the size are those of the last
	// backup, the content is not read again. Without a Tag it always is.
	Modified int64  `json:"modified,omitempty"`
	Inode    uint64 `json:"inode,omitempty"`
	Tag      string `json:"tag,omitempty"`
	// Parts are the parts of the content.
	Parts []Part `json:"parts,omitempty"`
	// BesidePath is the path of another, small file, and Beside its content.
	BesidePath string `json:"besidePath,omitempty"`
	Beside     []byte `json:"beside,omitempty"`
}

// Part is a part of a chunk.
type Part struct {
	Chunk  ID    `json:"chunk"`
	Offset int64 `json:"offset,omitempty"`
	Length int64 `json:"length"`
}

// unchanged reports whether the content is that of an entry of the last backup.
func (e Entry) unchanged(last Entry) bool {
	return e.Tag != "" && e.Path == last.Path && e.Size == last.Size && e.Modified == last.Modified && e.Inode == last.Inode && e.Tag == last.Tag
}
