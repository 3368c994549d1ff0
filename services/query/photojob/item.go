package photojob

import (
	"cmp"
	"context"
	"fmt"
	"net/url"

	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/services/query/item"
)

// statuses maps the states of jobs to those of items.
var statuses = map[lifecycle.State]item.Status{
	photojob.Queued: item.Waiting, photojob.Processing: item.Processing, photojob.Editing: item.Processing,
	photojob.Completed: item.Done, photojob.Failed: item.Failed,
}

// Item returns a job of the reader.
func (a *Area) Item(ctx context.Context, id string, r item.Reader) (item.Item, error) {
	j, err := a.owned(r.Caller)(ctx, id)
	return itemOf(j), err
}

// Items reads a page of an owner's jobs.
func (a *Area) Items(ctx context.Context, p item.Page) (items []item.Listed, next string, err error) {
	page, err := a.store.List(ctx, photojob.Listing{UserID: p.Owner, Limit: p.Limit, Cursor: p.Cursor})
	if err != nil {
		return nil, "", err
	}
	for _, j := range page.Jobs {
		after, err := a.store.After(j)
		if err != nil {
			return nil, "", fmt.Errorf("list after %s: %w", j.JobID, err)
		}
		items = append(items, item.Listed{Item: itemOf(j), At: j.Created(), After: after})
	}
	return items, page.NextCursor, nil
}

// itemOf returns a job as an item. Its content is the edited photo, or the original before there is one.
func itemOf(j photojob.Job) item.Item {
	i := item.Item{
		ID: j.JobID, Name: cmp.Or(j.OriginalFileName, j.JobID), Status: statuses[j.Status], State: string(j.Status), Created: j.Created(), Updated: j.Updated(),
		Size: &j.FileSize, ContentType: j.FileType,
		Details: "/v1/photos/" + url.PathEscape(j.JobID), Page: "/photos/" + url.PathEscape(j.JobID),
	}
	if j.Status == photojob.Failed && j.Error != nil {
		i.Error = j.Error.Message
	}
	switch edited := j.EditResult; {
	case j.Status == photojob.Completed && edited != nil:
		i.Content, i.Size, i.ContentType = i.Details+"/download", &edited.Size, "image/"+edited.Format
	case j.Status != photojob.Queued:
		i.Content = i.Details + "/download?variant=original"
	}
	return i
}
