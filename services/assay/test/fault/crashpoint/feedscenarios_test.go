package crashpoint

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/assay-project/assay/pkg/feed"
)

// anOutdatedItem reanalyzes an item that an older model analyzed, as an operator does. The test stores
// the item with a wrong result and without an outcome.
func anOutdatedItem(ctx context.Context, r *run) {
	s := r.system
	submission := feed.Submission{SourceID: r.sourceID(), SourceType: "newsapi", Text: "What a lovely day!", MatchedTags: []string{"a"}}.Stamped(time.Now())
	document, err := submission.Document()
	if err == nil {
		_, err = s.audit.Bucket().Put(ctx, feed.TextKey(submission.SourceID), feed.DocumentType, nil, bytes.NewReader(document))
	}
	var item feed.Item
	if err == nil {
		item, _, err = s.items.Create(ctx, submission.Item(time.Now()))
	}
	if err == nil {
		_, err = s.items.Analyze(ctx, item, feed.Analysis{Sentiment: feed.Negative, Score: 1, Compound: -1, ModelVersion: "v1.0.0"})
	}
	if err != nil {
		r.t.Errorf("%s: %v", r.title, err)
		return
	}
	r.begin()
	if err := r.reanalyze(ctx); err != nil {
		r.t.Errorf("%s: %v", r.title, err)
	}
	r.promisedItem(ctx)
}

// reanalyze repeats the call with its cursor until all items are read. Items of earlier runs
// already have results of the current model.
func (r *run) reanalyze(ctx context.Context) error {
	ask, page := map[string]string{}, struct{ NextCursor string }{}
	for {
		body, err := json.Marshal(ask)
		if err != nil {
			return err
		}
		status, answer := r.send(ctx, request{
			method: http.MethodPost, path: "/v1/feed/reanalyze", operator: true,
			header: map[string]string{"Content-Type": "application/json"}, body: body, want: []int{http.StatusOK},
		})
		page.NextCursor = ""
		if status != http.StatusOK {
			return errors.New(string(answer))
		}
		if err := json.Unmarshal(answer, &page); err != nil {
			return err
		}
		if page.NextCursor == "" {
			return nil
		}
		ask["cursor"] = page.NextCursor
	}
}
