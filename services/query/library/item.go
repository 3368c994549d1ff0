package library

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/google/uuid"

	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/query/item"
)

// statuses maps the states of files to those of items.
var statuses = map[lifecycle.State]item.Status{
	library.Loading: item.Waiting, library.Loaded: item.Waiting,
	library.Parsing: item.Processing, library.Parsed: item.Processing, library.Processing: item.Processing,
	library.Processed: item.Done, library.ProcessedPartially: item.Partial, library.Failed: item.Failed,
}

// Item returns a file that the reader may see. Folders and records are not items: they are not processed by themselves.
func (a *Area) Item(ctx context.Context, id string, r item.Reader) (item.Item, error) {
	parsed, err := uuid.Parse(id)
	if err != nil {
		return item.Item{}, lifecycle.ErrNotFound
	}
	f, _, _, err := a.readableFile(ctx, parsed.String(), ReaderParam{CallerParam: web.CallerParam{Caller: r.Caller}, Link: r.Link})
	if errors.Is(err, library.ErrLink) {
		return item.Item{}, problem(err)
	}
	if errors.Is(err, errNotFile) {
		err = lifecycle.ErrNotFound
	}
	return itemOf(f), err
}

// ForEveryone returns a problem unless everyone may see the file that a request names.
func (a *Area) ForEveryone(r *http.Request) error { return a.forEveryone(r) }

// Items reads a page of an owner's files, including models and predictions. It omits files in the trash.
func (a *Area) Items(ctx context.Context, p item.Page) (items []item.Listed, next string, err error) {
	page, err := a.store.FilesByOwner(ctx, p.Owner, library.Listing{Limit: p.Limit, Cursor: p.Cursor})
	if err == nil {
		page.Files, err = a.store.VisibleFiles(ctx, page.Files)
	}
	if err != nil {
		return nil, "", err
	}
	for _, f := range page.Files {
		after, err := a.store.After(f)
		if err != nil {
			return nil, "", fmt.Errorf("list after %s: %w", f.ID, err)
		}
		items = append(items, item.Listed{Item: itemOf(f), At: f.Created(), After: after})
	}
	return items, page.NextCursor, nil
}

func itemOf(f library.File) item.Item {
	detected, _ := f.Metadata["contentType"].(string)
	id := url.PathEscape(f.ID)
	i := item.Item{
		ID: f.ID, Name: f.Name, ContentType: cmp.Or(detected, f.ContentType), Status: statuses[f.Status], State: string(f.Status),
		Created: f.Created(), Updated: f.Updated(), Details: "/v1/library/nodes/" + id, Page: "/library/" + id,
	}
	if i.Status == item.Failed || i.Status == item.Partial {
		i.Error = library.WithoutSteps(f.ErrorMessage)
	}
	if f.Length >= 0 {
		i.Size = &f.Length
	}
	if f.Status != library.Loading {
		i.Content = "/v1/library/files/" + id + "/content"
	}
	return i
}
