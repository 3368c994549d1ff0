package textfile

import (
	"context"
	"fmt"
	"net/url"

	"github.com/google/uuid"

	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/textfile"
	"github.com/assay-project/assay/services/query/item"
)

// statuses maps the states of files to those of items.
var statuses = map[lifecycle.State]item.Status{
	textfile.Pending: item.Waiting, textfile.InProgress: item.Processing, textfile.Completed: item.Done, textfile.Failed: item.Failed,
}

// Item returns a file that the reader may see.
func (a *Area) Item(ctx context.Context, id string, r item.Reader) (item.Item, error) {
	parsed, err := uuid.Parse(id)
	if err != nil {
		return item.Item{}, lifecycle.ErrNotFound
	}
	f, err := a.visible(r.Caller)(ctx, parsed.String())
	return itemOf(f), err
}

// Items reads a page of an owner's files.
func (a *Area) Items(ctx context.Context, p item.Page) (items []item.Listed, next string, err error) {
	page, err := a.store.List(ctx, textfile.Listing{OwnerID: p.Owner, Limit: p.Limit, Cursor: p.Cursor})
	if err != nil {
		return nil, "", err
	}
	for _, f := range page.Files {
		after, err := a.store.After(f)
		if err != nil {
			return nil, "", fmt.Errorf("list after %s: %w", f.FileID, err)
		}
		items = append(items, item.Listed{Item: itemOf(f), At: f.Listed(), After: after})
	}
	return items, page.NextCursor, nil
}

func itemOf(f textfile.File) item.Item {
	i := item.Item{
		ID: f.FileID, Name: f.FileName, Status: statuses[f.Status], State: string(f.Status), Created: f.Created(), Updated: f.Updated(), Error: f.ErrorMessage,
		Details: "/v1/files/" + url.PathEscape(f.FileID), Page: "/files/" + url.PathEscape(f.FileID),
	}
	if size := f.Size(); size >= 0 {
		i.Size = &size
	}
	if f.Status != textfile.Pending {
		i.Content = i.Details + "/content"
	}
	return i
}
