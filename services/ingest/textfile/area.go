// Package textfile accepts text files.
package textfile

import (
	"context"
	"errors"
	"strings"

	"github.com/assay-project/assay/pkg/backend"
	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/textfile"
	"github.com/assay-project/assay/pkg/upload"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/ingest/accept"
)

// Area accepts text files.
type Area struct {
	*accept.Items[textfile.File]
	store *textfile.Store
}

// New returns the area for open backends.
func New(cfg Config, backends *backend.Connections, shared accept.Shared) *Area {
	a := &Area{store: textfile.NewStore(backends.DB, cfg.Table)}
	a.Items = accept.New(shared, textfile.Name, textfile.WorkStream, backends.Bucket, accept.Nouns{
		Missing: "There is no text file with this id.", Item: "file", Content: "file", Again: "Delete the file and reserve again.",
	}, a)
	return a
}

// Check returns an error if the table is unavailable.
func (a *Area) Check(ctx context.Context) error { return a.store.Check(ctx) }

// Upload implements accept.Area.
func (a *Area) Upload(f textfile.File) upload.Item { return f.Upload(a.Bucket) }

// Find implements accept.Area.
func (a *Area) Find(ctx context.Context, id string) (textfile.File, error) {
	return a.store.Head(ctx, id)
}

// Owns implements accept.Area.
func (a *Area) Owns(o blob.Object) (id string, mine bool) {
	id, _, err := textfile.ParseObjectKey(o.Key)
	return id, err == nil
}

// Worked implements accept.Area.
func (a *Area) Worked(subject string) (id string, mine bool) {
	return strings.CutPrefix(subject, textfile.UploadedSubject(""))
}

// Retry implements accept.Area.
func (a *Area) Retry(ctx context.Context, f textfile.File) (textfile.File, error) {
	return a.store.Retry(ctx, f)
}

// Discard implements accept.Area.
func (a *Area) Discard(ctx context.Context, f textfile.File) error {
	if f.Status == textfile.Pending {
		if err := a.Parts.Abort(ctx, f.S3Key); err != nil {
			return err
		}
	}
	_, err := a.Remove(ctx, f, func(ctx context.Context, f textfile.File) error {
		return a.Bucket.Delete(ctx, f.S3Key)
	}, func(ctx context.Context, f textfile.File) (textfile.File, error) {
		return f, a.store.Delete(ctx, f)
	})
	return err
}

// errForeign reports that the file belongs to another owner.
var errForeign = errors.New("the file belongs to another owner")

// owned returns a file that the caller may change. It returns lifecycle.ErrNotFound or errForeign.
func (a *Area) owned(ctx context.Context, id string, caller web.Caller) (textfile.File, error) {
	file, err := a.store.Head(ctx, id)
	switch {
	case err != nil || file.OwnerID == caller.Owner:
		return file, err
	case !caller.MaySee(file.OwnerID):
		return textfile.File{}, lifecycle.ErrNotFound
	}
	return file, errForeign
}
