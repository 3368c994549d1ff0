package library

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/quota"
	"github.com/assay-project/assay/pkg/upload"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/ingest/accept"
	"github.com/assay-project/assay/services/ingest/send"
)

// Content implements send.Source.
func (a *Area) Content(ctx context.Context, s send.Selection, c web.Caller) (accept.Stored, error) {
	if s.Content != send.Original {
		return accept.Stored{}, web.Invalid(web.FieldError{Field: "body.content", Message: "must be original for a file of the library"})
	}
	id, err := uuid.Parse(s.ID)
	if err != nil {
		return accept.Stored{}, lifecycle.ErrNotFound
	}
	reader, err := a.reader(ctx, s.Link, c)
	if err != nil {
		return accept.Stored{}, err
	}
	file, err := a.readable(ctx, id.String(), reader)
	if err != nil {
		return accept.Stored{}, err
	}
	if file.Status == library.Loading {
		return accept.Stored{}, upload.ErrNoBytes
	}
	removed := web.NewProblem(http.StatusGone, "content-removed", "The content of the file has been removed.")
	object, err := a.Bucket.Head(ctx, file.Key)
	if errors.Is(err, blob.ErrNotFound) {
		err = removed
	}
	if err != nil {
		return accept.Stored{}, err
	}
	return accept.Stored{
		Name: file.Name, ContentType: file.Stated().ContentType(object.ContentType), Size: object.Size,
		Bucket: a.Bucket, Key: object.Key, ETag: object.ETag, Gone: removed,
	}, nil
}

// reader returns the caller of a read. It returns library.ErrLink if the link is invalid, even if the caller could read the
// node without it.
func (a *Area) reader(ctx context.Context, token string, c web.Caller) (library.Caller, error) {
	reader := caller(c)
	if token == "" {
		return reader, nil
	}
	links, err := a.links.Links(ctx)
	if err == nil {
		reader.Link, err = links.Read(token, time.Now())
	}
	return reader, err
}

// Create implements send.Target.
func (a *Area) Create(ctx context.Context, r send.Request) (send.Created, error) {
	if err := r.Unused(send.Prompt); err != nil {
		return send.Created{}, err
	}
	if err := a.Admit(ctx, r.Owner, r.Named, r.Key); err != nil {
		return send.Created{}, err
	}
	var options library.ReadOptions
	if err := r.Options.Decode(&options); err != nil {
		return send.Created{}, err
	}
	options, err := checked(options)
	if err != nil {
		return send.Created{}, err
	}
	refused := r.Content.Err
	if refused == nil && r.Content.Size > a.Receiver.MaxSize {
		refused = a.Receiver.TooLarge()
	}
	made, created, err := a.reserve(ctx, r.Key, library.NewFile{
		NewNode:     library.NewNode{Owner: r.Owner, ParentID: r.ParentID, Name: cmp.Or(r.Name, library.PlainName(r.Content.Name))},
		ContentType: r.Content.ContentType, Length: r.Content.Size, Options: options, Source: r.Source,
	}, quota.Item{Bytes: r.Content.Size}, refused)
	if err == nil {
		err = a.Put(ctx, made, created, r.Key, made.file.ContentType, r.Content)
	}
	return send.Created{ID: made.node.ID, Path: location(made.node.ID)}, err
}
