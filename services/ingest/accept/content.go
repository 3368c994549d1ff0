package accept

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/upload"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/ingest/receive"
)

// Content is the content of a new item: Streamed, Known or Stored.
type Content interface {
	// store stores the content as a new object with a media type. It returns blob.ErrExists if the key exists.
	store(ctx context.Context, to *blob.Store, key, contentType string) (blob.Object, error)
	// same reports whether a stored object has the content. It is called instead of store, or after it.
	same(ctx context.Context, in *blob.Store, key string) (bool, error)
	// Blame returns an HTTP problem if the client's input caused err, and err otherwise.
	Blame(error) error
}

// Known returns content whose digest is one of the terms of its item, so that an item with the same terms has the same content.
func Known(content []byte) Content { return known{bytes.NewReader(content)} }

type known struct{ *bytes.Reader }

func (k known) store(ctx context.Context, to *blob.Store, key, contentType string) (blob.Object, error) {
	return to.Put(ctx, key, contentType, upload.Metadata(ctx), k)
}

func (known) same(context.Context, *blob.Store, string) (bool, error) { return true, nil }

func (known) Blame(err error) error { return err }

// Streamed returns the content of a form. It is streamed to the bucket.
func Streamed(f *receive.File) Content { return streamed{f} }

type streamed struct{ *receive.File }

func (s streamed) store(ctx context.Context, to *blob.Store, key, contentType string) (blob.Object, error) {
	return to.Put(ctx, key, contentType, upload.Metadata(ctx), s)
}

func (s streamed) same(ctx context.Context, in *blob.Store, key string) (bool, error) {
	// Read the entire body, so that the client has finished sending before it receives the response.
	if _, err := io.Copy(io.Discard, s); err != nil {
		return false, err
	}
	stored, err := in.Open(ctx, key, "")
	if errors.Is(err, blob.ErrNotFound) {
		return true, nil // the content was deleted, which Confirm detects
	}
	if err != nil {
		return false, err
	}
	defer stored.Close()
	same, err := s.Same(stored)
	if err != nil {
		return false, fmt.Errorf("read %s: %w", key, err)
	}
	return same, nil
}

// Put stores the content of an item that Reserve returned, and announces it. created is that of Reserve. If it fails
// without an idempotency key, it deletes the item.
func (s *Items[I]) Put(ctx context.Context, item I, created bool, idempotencyKey, contentType string, content Content) error {
	u := s.Upload(item)
	if !created {
		// A repeated call: the content may already be stored, or the first call crashed before storing it.
		_, err := upload.Find(ctx, u)
		if err == nil {
			err = s.repeat(ctx, u, content)
		}
		if !errors.Is(err, upload.ErrNoBytes) {
			return content.Blame(err)
		}
	}
	object, err := content.store(ctx, u.Bucket, u.Key, contentType)
	if err == nil && u.Size < 0 {
		err = s.Quotas.Stored(ctx, u.Owner, u.Area, u.ID, object.Size)
	}
	switch {
	case err == nil && u.State == upload.Waiting:
		err = s.Announce(ctx, u, object)
	case err == nil:
		err = s.Confirm(ctx, u)
	case errors.Is(err, blob.ErrExists):
		// Another call with the same key was faster.
		err = s.repeat(ctx, u, content)
	}
	if err != nil && idempotencyKey == "" {
		s.undo(ctx, item)
	}
	return content.Blame(err)
}

// repeat confirms an item whose content another call with the same idempotency key has stored. It returns ErrOtherRequest
// if this call sends different content.
func (s *Items[I]) repeat(ctx context.Context, u upload.Item, content Content) error {
	same, err := content.same(ctx, u.Bucket, u.Key)
	if err != nil {
		return err
	}
	if !same {
		return ErrOtherRequest
	}
	return s.Confirm(ctx, u)
}

// Receive reads a form with a file whose content is streamed to the bucket without buffering. reserve reserves the item;
// bytes is the size of the form, or negative. fields are the names of the fields before the file that reserve uses.
func (s *Items[I]) Receive(w http.ResponseWriter, r *http.Request, reserve func(ctx context.Context, owner, key string, sent *receive.File, bytes int64) (I, bool, error), fields ...string) (item I, err error) {
	key := r.Header.Get("Idempotency-Key")
	owner, named := web.Owner(w, r)
	if err := s.Admit(r.Context(), owner, named, key); err != nil {
		return item, err
	}
	form, leave, err := s.Receiver.Form(w, r)
	if err != nil {
		return item, err
	}
	defer leave()
	sent, err := form.File(fields...)
	if err != nil {
		return item, err
	}
	defer sent.Close()
	item, created, err := reserve(r.Context(), owner, key, sent, form.Length)
	if err != nil {
		return item, err
	}
	return item, s.Put(r.Context(), item, created, key, sent.ContentType, Streamed(sent))
}
