package backup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Restore writes the files of a backup to a folder that has none of them. It verifies each chunk, and does not sync the files.
// It calls restored after each file.
func (r *Repository) Restore(ctx context.Context, of Manifest, dir string, restored func(Entry)) error {
	from := &chunkReader{repository: r}
	for entry, err := range r.Entries(ctx, of) {
		if err == nil {
			err = from.restore(ctx, entry, dir)
		}
		if err != nil {
			return fmt.Errorf("restore backup %s: %w", of.ID, err)
		}
		restored(entry)
	}
	return nil
}

// chunkReader keeps the last chunk, because consecutive small files share it.
type chunkReader struct {
	repository *Repository
	id         ID
	content    []byte
}

func (c *chunkReader) part(ctx context.Context, part Part) ([]byte, error) {
	if c.content == nil || c.id != part.Chunk {
		content, err := c.repository.chunk(ctx, part.Chunk)
		if err != nil {
			return nil, err
		}
		c.id, c.content = part.Chunk, content
	}
	if part.Offset < 0 || part.Length < 0 || part.Offset+part.Length > int64(len(c.content)) {
		return nil, fmt.Errorf("%w: a part is beyond its chunk", ErrDamaged)
	}
	return c.content[part.Offset : part.Offset+part.Length], nil
}

func (c *chunkReader) restore(ctx context.Context, entry Entry, dir string) error {
	if entry.BesidePath != "" {
		path, err := placeOf(dir, entry.BesidePath)
		if err == nil {
			err = os.WriteFile(path, entry.Beside, 0o600)
		}
		if err != nil {
			return err
		}
	}
	path, err := placeOf(dir, strings.TrimSuffix(entry.Path, "/"))
	if err != nil {
		return err
	}
	if strings.HasSuffix(entry.Path, "/") {
		return os.MkdirAll(path, 0o700)
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if err := errors.Join(c.write(ctx, entry, file), file.Close()); err != nil {
		return fmt.Errorf("%s: %w", entry.Path, err)
	}
	if entry.Modified == 0 {
		return nil
	}
	return os.Chtimes(path, time.Time{}, time.Unix(0, entry.Modified))
}

func (c *chunkReader) write(ctx context.Context, entry Entry, file *os.File) error {
	size := int64(0)
	for _, part := range entry.Parts {
		content, err := c.part(ctx, part)
		if err == nil {
			_, err = file.Write(content)
		}
		if err != nil {
			return err
		}
		size += part.Length
	}
	if size != entry.Size {
		return fmt.Errorf("%w: it has %d of %d bytes", ErrDamaged, size, entry.Size)
	}
	return nil
}

// placeOf returns the path of a file of a backup in a folder, and creates the folder that contains it.
func placeOf(dir, name string) (string, error) {
	local := filepath.FromSlash(name)
	if !filepath.IsLocal(local) {
		return "", fmt.Errorf("%w: the path %q is outside of the folder", ErrDamaged, name)
	}
	path := filepath.Join(dir, local)
	return path, os.MkdirAll(filepath.Dir(path), 0o700)
}
