package backup

import (
	"context"
	"fmt"
)

// Prune removes the oldest backups of the data folder until keep are left, and then all chunks that no backup refers to. It
// may be called after Finish.
func (w *Writer) Prune(keep int) error {
	if err := w.prune(w.ctx, keep); err != nil {
		return fmt.Errorf("prune the backups in %s: %w", w.repository.location, err)
	}
	return nil
}

func (w *Writer) prune(ctx context.Context, keep int) error {
	r := w.repository
	all, err := r.List(ctx)
	if err != nil {
		return err
	}
	own := 0
	for _, one := range all {
		if one.Folder == w.options.Folder {
			own++
		}
	}
	used := map[ID]bool{}
	for _, one := range all {
		if one.Folder == w.options.Folder && own > keep {
			own--
			if err := r.store.remove(ctx, manifestName(one.ID)); err != nil {
				return err
			}
			continue
		}
		if err := r.chunksOf(ctx, one, used); err != nil {
			return err
		}
	}
	var unused []string
	err = r.store.list(ctx, chunksFolder, func(name string) error {
		if id, ok := chunkOf(name); ok && !used[id] {
			unused = append(unused, name)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := w.lock.check(ctx); err != nil {
		return err
	}
	for _, name := range unused {
		if err := r.store.remove(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// chunksOf adds the chunks that a backup refers to.
func (r *Repository) chunksOf(ctx context.Context, one Manifest, all map[ID]bool) error {
	for _, id := range one.Lists {
		all[id] = true
	}
	for entry, err := range r.Entries(ctx, one) {
		if err != nil {
			return err
		}
		for _, part := range entry.Parts {
			all[part.Chunk] = true
		}
	}
	return nil
}
