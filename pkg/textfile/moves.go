package textfile

import (
	"context"
	"slices"

	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/table"
)

// Claim moves a PENDING file to IN_PROGRESS for this worker. Like every move, it returns the file as
// written, or lifecycle.ErrNotFound, *lifecycle.MovedError or lifecycle.ErrFenceLost. It returns
// lifecycle.ErrInconsistent while the metadata and history items differ, until a sweep has repaired them.
func (s *Store) Claim(ctx context.Context, f File) (File, error) {
	return s.move(ctx, claim, f, File{})
}

// TakeOver claims an IN_PROGRESS file whose worker has crashed. Later writes of that worker fail with
// lifecycle.ErrFenceLost.
func (s *Store) TakeOver(ctx context.Context, f File) (File, error) {
	return s.move(ctx, takeOver, f, File{})
}

// Complete moves the file to COMPLETED and stores the result.
func (s *Store) Complete(ctx context.Context, f File, result Result) (File, error) {
	return s.move(ctx, complete, f, File{Result: &result})
}

// Fail moves the file to FAILED and stores a message for the user.
func (s *Store) Fail(ctx context.Context, f File, message string) (File, error) {
	return s.move(ctx, fail, f, File{ErrorMessage: message})
}

// Retry moves a FAILED file back to PENDING.
func (s *Store) Retry(ctx context.Context, f File) (File, error) {
	return s.move(ctx, retry, f, File{})
}

// RetryAs moves a FAILED or COMPLETED file back to PENDING, to be read in a charset, which is a name from charset.Lookup. The
// result of a COMPLETED file is no longer shown; the worker that claims the file removes it.
func (s *Store) RetryAs(ctx context.Context, f File, charset string) (File, error) {
	m := retry
	if f.Status == Completed {
		m = reanalyze
	}
	f.Charset = charset
	return s.move(ctx, m, f, File{})
}

// move applies m to both items of f and sets the Result and ErrorMessage of end, or removes them if they are empty.
func (s *Store) move(ctx context.Context, m lifecycle.Move, f, end File) (File, error) {
	fence, next := lifecycle.TimeFence(updatedAt, f.UpdatedAt, s.now())
	f.Status, f.UpdatedAt = m.To, next
	f.Result, f.ErrorMessage = end.Result, end.ErrorMessage

	meta := lifecycle.Item{Table: s.table, Key: metaKey(f.FileID), Set: map[string]table.Value{}}
	history := lifecycle.Item{Table: s.table, Key: historyKey(f.OwnerID, f.FileID), Set: map[string]table.Value{}}
	if f.Result != nil {
		meta.Set[resultName] = f.Result.value()
	} else if slices.Contains(m.From, Pending) || slices.Contains(m.From, InProgress) { // of an earlier analysis
		meta.Remove = append(meta.Remove, resultName)
	}
	if f.Charset != "" && m.To == Pending {
		meta.Set[charsetName], history.Set[charsetName] = table.Text(f.Charset), table.Text(f.Charset)
	}
	if f.ErrorMessage != "" {
		meta.Set[errorMessageName] = table.Text(f.ErrorMessage)
		history.Set[errorMessageName] = table.Text(f.ErrorMessage)
	} else {
		meta.Remove = append(meta.Remove, errorMessageName)
		history.Remove = []string{errorMessageName}
	}
	write := lifecycle.Write{Fence: fence, Items: []lifecycle.Item{meta, history}}
	if _, err := Machine().Apply(ctx, s.db, m, write); err != nil {
		return File{}, err
	}
	return f, nil
}
