package textfile

import (
	"context"
	"time"

	"github.com/assay-project/assay/pkg/textfile"
	"github.com/assay-project/assay/services/query/trace"
)

// headTime limits the request for the time of the upload.
const headTime = 2 * time.Second

// Trace returns what the table contains about a file. It has no time for earlier states than the present one.
func (a *Area) Trace(ctx context.Context, id string) (trace.Item, error) {
	f, err := a.store.Get(ctx, id)
	if err != nil {
		return trace.Item{}, err
	}
	item := trace.Item{Name: f.FileName, Owner: f.OwnerID, State: string(f.Status), Error: f.ErrorMessage}
	item.Add(f.Created(), "reserved")
	// Without an object, or if S3 does not respond, the time of the upload is left out.
	limited, cancel := context.WithTimeout(ctx, headTime)
	defer cancel()
	if object, err := a.bucket.Head(limited, f.S3Key); err == nil {
		item.Add(object.Modified, "content stored, in this second") // S3 states no milliseconds
	}
	if f.UpdatedAt != f.CreatedAt {
		item.Add(f.Updated(), "became "+string(f.Status))
	}
	return item, nil
}

// WorkSubjects returns the subject of the work events of a file.
func (a *Area) WorkSubjects(id string) string { return textfile.UploadedSubject(id) }
