// Package textfile accepts text files.
package textfile

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/assay-project/assay/pkg/backend"
	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/textfile"
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
	a.Items = accept.New(shared, accept.Area[textfile.File]{
		Name: textfile.Name, Stream: textfile.WorkStream, Bucket: backends.Bucket, Readable: true, Path: "/v1/files/",
		Nouns:  accept.Nouns{Missing: "There is no text file with this id.", Item: "file", Rows: "file and its list entry"},
		Upload: textfile.File.Upload, Find: a.store.Head, Retry: a.store.Retry, Clean: a.clean, Problem: problem, Check: a.store.Check,
		Owns: func(o blob.Object) (id string, mine bool) {
			id, _, err := textfile.ParseObjectKey(o.Key)
			return id, err == nil
		},
		Worked: func(subject string) (id string, mine bool) {
			return strings.CutPrefix(subject, textfile.UploadedSubject(""))
		},
		Delete: func(ctx context.Context, f textfile.File) (textfile.File, error) { return f, a.store.Delete(ctx, f) },
	})
	return a
}

// clean deletes the content of a file, and its parts while it waits for them.
func (a *Area) clean(ctx context.Context, f textfile.File) error {
	if f.Status == textfile.Pending {
		if err := a.Parts.Abort(ctx, f.S3Key); err != nil {
			return err
		}
	}
	return a.Bucket.Delete(ctx, f.S3Key)
}

// problem converts the error of a retry of a file that is not FAILED.
func problem(err error) error {
	if moved, ok := errors.AsType[*lifecycle.MovedError](err); ok {
		message := fmt.Sprintf("Only a FAILED file can be retried; this one is %s.", moved.Found)
		if moved.Found == textfile.Completed {
			message += " State a charset to read it again."
		}
		return web.NewProblem(http.StatusConflict, "not-failed", message)
	}
	return err
}
