package photojob

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/services/query/trace"
)

// Trace returns what the table contains about a job, with its calls to providers, or about a batch, with its photos.
func (a *Area) Trace(ctx context.Context, id string) (trace.Item, error) {
	j, err := a.store.Get(ctx, id)
	if errors.Is(err, lifecycle.ErrNotFound) {
		return a.traceBatch(ctx, id)
	}
	if err != nil {
		return trace.Item{}, err
	}
	item := trace.Item{
		Name: j.OriginalFileName, Owner: j.UserID, State: string(j.Status),
		RequestID: j.CorrelationID, TraceID: strings.ReplaceAll(strings.TrimPrefix(j.TraceID, "1-"), "-", ""),
	}
	if j.Error != nil {
		item.Error = j.Error.Code + ": " + j.Error.Message
	}
	item.Add(j.Created(), "created")
	if j.ProcessingStartedAt > 0 {
		item.Add(time.UnixMilli(j.ProcessingStartedAt), "claimed by a worker for the first time")
	}
	if j.UpdatedAt != j.CreatedAt {
		item.Add(j.Updated(), "became "+string(j.Status))
	}
	for _, c := range j.Calls.Calls() {
		name, detail := c.Step, c.RequestID
		if c.Provider != "" {
			name = c.Step + " by " + photojob.ShownProvider(c.Provider)
		}
		if c.HTTP > 0 {
			detail = strings.TrimSpace(fmt.Sprintf("HTTP %d %s", c.HTTP, c.RequestID))
		}
		item.Parts = append(item.Parts, trace.Part{Name: name, State: c.Outcome, At: time.UnixMilli(c.At).UTC(), Detail: detail})
	}
	return item, nil
}

func (a *Area) traceBatch(ctx context.Context, id string) (trace.Item, error) {
	b, err := a.store.Batch(ctx, id)
	if err != nil {
		return trace.Item{}, err
	}
	item := trace.Item{Name: fmt.Sprintf("batch of %d photos", b.Size), Owner: b.Jobs[0].UserID, State: string(b.Status())}
	item.Add(b.Jobs[0].Created(), "created")
	item.Add(b.Updated(), "last change of a photo")
	for _, j := range b.Jobs {
		part := trace.Part{Name: j.JobID, State: string(j.Status), At: j.Created()}
		if j.Error != nil {
			part.Detail = j.Error.Code + ": " + j.Error.Message
		}
		item.Parts = append(item.Parts, part)
	}
	return item, nil
}

// WorkSubjects returns a filter for the work events of a job.
func (a *Area) WorkSubjects(id string) string { return photojob.UploadedSubject("*", id) }
