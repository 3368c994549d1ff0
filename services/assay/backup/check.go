package backup

import (
	"context"
	"errors"
	"fmt"
)

// Check reads the entire repository. It calls found for each problem, and returns an error if it cannot continue. It returns
// the number of backups and of chunks.
func (r *Repository) Check(ctx context.Context, found func(problem string)) (backups, chunks int, err error) {
	sizes := map[ID]int64{}
	err = r.store.list(ctx, manifestsFolder, func(name string) error {
		backups++
		one, err := r.read(ctx, name)
		if err == nil {
			err = r.checkOne(ctx, one, sizes, found)
		}
		if errors.Is(err, ErrDamaged) {
			found(err.Error())
			return nil
		}
		return err
	})
	if err != nil {
		return backups, len(sizes), fmt.Errorf("check the backups in %s: %w", r.location, err)
	}
	return backups, len(sizes), nil
}

// damagedChunk is the size of a chunk whose damage was reported.
const damagedChunk = -1

func (r *Repository) checkOne(ctx context.Context, one Manifest, sizes map[ID]int64, found func(string)) error {
	files := 0
	for entry, err := range r.Entries(ctx, one) {
		if err != nil {
			return err
		}
		files++
		length := int64(0)
		for _, part := range entry.Parts {
			size, known := sizes[part.Chunk]
			if !known {
				content, err := r.chunk(ctx, part.Chunk)
				switch {
				case errors.Is(err, ErrDamaged):
					size = damagedChunk
					found(fmt.Sprintf("%v; backup %s needs it for %s", err, one.ID, entry.Path))
				case err != nil:
					return err
				default:
					size = int64(len(content))
				}
				sizes[part.Chunk] = size
			}
			if size != damagedChunk && part.Offset+part.Length > size {
				return fmt.Errorf("%w: a part of %s in backup %s is beyond its chunk", ErrDamaged, entry.Path, one.ID)
			}
			length += part.Length
		}
		if length != entry.Size {
			return fmt.Errorf("%w: %s in backup %s has %d of %d bytes", ErrDamaged, entry.Path, one.ID, length, entry.Size)
		}
	}
	if files != one.Files {
		return fmt.Errorf("%w: backup %s lists %d of %d files", ErrDamaged, one.ID, files, one.Files)
	}
	return nil
}
