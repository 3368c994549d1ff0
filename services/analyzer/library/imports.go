package library

import (
	"bytes"
	"context"
	"errors"
	"mime"
	"net/http"
	"net/url"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/extract"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/reason"
	"github.com/assay-project/assay/pkg/upload"
)

// metaOrigin is the object metadata key of the URL that returned the content, after redirects. The URL is
// query-escaped because headers are ASCII.
const metaOrigin = "origin"

// fetch downloads and stores the content at a file's URL, and returns the object.
func (a *Area) fetch(ctx context.Context, f library.File) (blob.Object, error) {
	r, err := a.pages.Get(ctx, f.Origin)
	if err != nil {
		return blob.Object{}, err
	}
	switch kind := extract.Detect(r.Body, f.Name); {
	case kind.Type != extract.WebPage && kind.Type != extract.PDF && kind.Type != extract.Image:
		return blob.Object{}, reason.PageType.Fill(kind.MediaType, library.ImportTypes)
	case len(r.URL) > library.MaxURL:
		return blob.Object{}, reason.PageURLTooLong.Fill(library.MaxURL)
	}
	_, err = a.bucket.Put(ctx, f.Key, mediaType(r.Header), map[string]string{metaOrigin: url.QueryEscape(r.URL)}, bytes.NewReader(r.Body))
	if err != nil && !errors.Is(err, blob.ErrExists) { // ErrExists: another attempt has stored it
		return blob.Object{}, err
	}
	return upload.Find(ctx, f.Upload(a.bucket))
}

// mediaType returns the media type of a response with its charset, or application/octet-stream.
func mediaType(header http.Header) string {
	media, parameters, err := mime.ParseMediaType(header.Get("Content-Type"))
	if formatted := mime.FormatMediaType(media, parameters); err == nil && formatted != "" {
		return formatted
	}
	return "application/octet-stream"
}

// fetched sets the properties that the object metadata of a fetched file contains.
func fetched(c *library.Content, object blob.Object) (err error) {
	c.ContentType = object.ContentType
	c.Origin, err = url.QueryUnescape(object.Metadata[metaOrigin])
	return err
}
