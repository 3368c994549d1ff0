package textfile

import (
	"cmp"
	"context"
	"errors"
	"net/http"

	"github.com/google/uuid"

	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/quota"
	"github.com/assay-project/assay/pkg/textfile"
	"github.com/assay-project/assay/pkg/upload"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/ingest/accept"
	"github.com/assay-project/assay/services/ingest/send"
)

// Visible returns nil if a caller may see a file, and otherwise lifecycle.ErrNotFound.
func (a *Area) Visible(ctx context.Context, c web.Caller, id string) error {
	if uuid.Validate(id) != nil {
		return lifecycle.ErrNotFound
	}
	return a.Items.Visible(ctx, c, id)
}

// Content implements send.Source.
func (a *Area) Content(ctx context.Context, s send.Selection, caller web.Caller) (accept.Stored, error) {
	if s.Content != send.Original {
		return accept.Stored{}, web.Invalid(web.FieldError{Field: "body.content", Message: "must be original for a text file"})
	}
	id, err := uuid.Parse(s.ID)
	if err != nil {
		return accept.Stored{}, lifecycle.ErrNotFound
	}
	file, err := a.Seen(ctx, id.String(), caller)
	if err != nil {
		return accept.Stored{}, err
	}
	removed := web.NewProblem(http.StatusGone, "content-removed", "The content of the file has been removed.")
	object, err := upload.Find(ctx, a.Upload(file))
	if errors.Is(err, upload.ErrNoBytes) && file.Status != textfile.Pending {
		err = removed
	}
	if err != nil {
		return accept.Stored{}, err
	}
	return accept.Stored{
		Name: file.FileName, ContentType: file.ContentType(object.ContentType), Size: object.Size,
		Bucket: a.Bucket, Key: object.Key, ETag: object.ETag, Gone: removed,
	}, nil
}

// Create implements send.Target.
func (a *Area) Create(ctx context.Context, r send.Request) (send.Created, error) {
	if err := r.Unused(send.ParentID, send.Prompt, send.OptionsName); err != nil {
		return send.Created{}, err
	}
	if err := a.Admit(ctx, r.Owner, r.Named, r.Key); err != nil {
		return send.Created{}, err
	}
	terms := textfile.Reservation{FileName: cmp.Or(r.Name, r.Content.Name), Size: -1, Source: r.Source}
	refused := r.Content.Err
	if refused == nil {
		refused = checkName("body.name", terms.FileName)
	}
	if refused == nil && r.Content.Size > a.Receiver.MaxSize {
		refused = a.Receiver.TooLarge()
	}
	file, created, err := a.reserve(ctx, r.Owner, r.Key, terms, quota.Item{Bytes: r.Content.Size}, refused)
	if err == nil {
		err = a.Put(ctx, file, created, r.Key, r.Content.ContentType, r.Content)
	}
	return send.Created{ID: file.FileID, Path: location(file)}, err
}
