package textfile

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/quota"
	"github.com/assay-project/assay/pkg/textfile"
	"github.com/assay-project/assay/pkg/upload"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/ingest/accept"
	"github.com/assay-project/assay/services/ingest/receive"
)

// reserve writes a PENDING file for an upload. counted states the size that counts toward quotas; it may be known even if
// the size in terms is not. Idempotency keys have items of their own, which name the file of the first call. refused is the
// reason why no new file is reserved, or nil.
func (a *Area) reserve(ctx context.Context, owner, key string, terms textfile.Reservation, counted quota.Item, refused error) (textfile.File, bool, error) {
	if key != "" {
		terms.Key = textfile.KeyHash(owner, key)
	}
	return accept.Reserve(ctx, a.Shared, accept.Reservation[textfile.File]{
		Owner: owner, Key: key, Find: a.store.Head,
		Allow: func(context.Context) error { return refused },
		ID:    func(context.Context) (string, error) { return textfile.NewFileID() },
		Counted: func(id string) []quota.Item {
			counted.Area, counted.ID = textfile.Name, id
			return []quota.Item{counted}
		},
		Create: func(ctx context.Context, id string) (textfile.File, error) {
			return a.store.Reserve(ctx, textfile.File{
				FileID: id, OwnerID: owner, S3Bucket: a.Bucket.Bucket, S3Key: terms.ObjectKey(id), FileName: terms.FileName,
			})
		},
		First: func(ctx context.Context, _ string) (textfile.File, error) { return a.first(ctx, terms.Key) },
		Same:  func(f textfile.File) bool { return f.S3Key == terms.ObjectKey(f.FileID) },
	})
}

// first returns the file that was reserved under an idempotency key. It returns lifecycle.ErrNotFound if neither the file
// nor its key exists.
func (a *Area) first(ctx context.Context, hash string) (textfile.File, error) {
	id, err := a.store.ByKey(ctx, hash)
	if err != nil {
		return textfile.File{}, err
	}
	file, err := a.store.Head(ctx, id)
	if errors.Is(err, lifecycle.ErrNotFound) {
		if forgotten := a.store.Forget(ctx, hash, id); forgotten != nil {
			return textfile.File{}, forgotten
		}
	}
	return file, err
}

// postMultipart is the plain handler for POST /v1/files with a form.
func (a *Area) postMultipart(w http.ResponseWriter, r *http.Request) {
	file, err := a.Receive(w, r, func(ctx context.Context, owner, key string, sent *receive.File, bytes int64) (textfile.File, bool, error) {
		if problem := checkName("body."+receive.FilePart+".filename", sent.Name); problem != nil {
			return textfile.File{}, false, problem
		}
		terms := textfile.Reservation{FileName: sent.Name, ContentType: sent.ContentType, Size: -1}
		return a.reserve(ctx, owner, key, terms, quota.Item{Bytes: bytes}, nil)
	})
	a.Respond(w, r, location(file), file.View(), err)
}

// maxNameBytes is the maximum length of a file name, in bytes. It is four times the limit of common file systems.
const maxNameBytes = 1024

// checkName rejects only names that cannot be stored or displayed.
func checkName(field, name string) error {
	wrong := upload.CheckName(name)
	switch {
	case name == "":
		wrong = "is missing"
	case len(name) > maxNameBytes:
		wrong = fmt.Sprintf("is longer than %d bytes", maxNameBytes)
	}
	if wrong != "" {
		return web.Invalid(web.FieldError{Field: field, Message: wrong})
	}
	return nil
}
