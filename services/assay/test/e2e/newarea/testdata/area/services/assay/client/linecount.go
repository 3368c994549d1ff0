package client

import (
	"context"
	"iter"
	"net/http"
	"time"
)

// LineCount is an uploaded text with the number of its lines.
type LineCount struct {
	ID           string    `json:"id"`
	FileName     string    `json:"fileName"`
	Status       string    `json:"status"`
	CreatedAt    time.Time `json:"createdAt"`
	UpdatedAt    time.Time `json:"updatedAt"`
	Lines        int64     `json:"lines"` // when COMPLETED
	ErrorMessage string    `json:"errorMessage,omitempty"`
}

// GetLineCount returns a line count. If wait is positive, the server holds the response until the item is final or wait has
// passed.
func (c *Client) GetLineCount(ctx context.Context, id string, wait time.Duration) (LineCount, error) {
	var item LineCount
	err := c.do(ctx, held(join("linecounts", id), wait), &item)
	return item, err
}

// WaitLineCount returns the line count when it is final.
func (c *Client) WaitLineCount(ctx context.Context, id string) (LineCount, error) {
	for {
		item, err := c.GetLineCount(ctx, id, longPoll)
		if err != nil || item.Status == Completed || item.Status == Failed {
			return item, err
		}
	}
}

// ReserveLineCount reserves the upload of a text.
func (c *Client) ReserveLineCount(ctx context.Context, fileName string, size int64) (id string, upload UploadRequest, err error) {
	var reserved struct {
		ID     string        `json:"id"`
		Upload UploadRequest `json:"upload"`
	}
	err = c.do(ctx, call{
		method: http.MethodPost, path: join("linecounts"), body: map[string]any{"fileName": fileName, "size": size}, once: true,
	}, &reserved)
	return reserved.ID, reserved.Upload, err
}

// ListLineCounts iterates over the line counts of an owner.
func (c *Client) ListLineCounts(ctx context.Context, l Listing) iter.Seq2[LineCount, error] {
	return func(yield func(LineCount, error) bool) {
		for {
			var page struct {
				LineCounts []LineCount `json:"lineCounts"`
				NextCursor string      `json:"nextCursor"`
			}
			op, err := c.listing(ctx, l, "linecounts")
			if err == nil {
				err = c.do(ctx, op, &page)
			}
			if err != nil {
				yield(LineCount{}, err)
				return
			}
			for _, item := range page.LineCounts {
				if !yield(item, nil) {
					return
				}
			}
			if l.Cursor = page.NextCursor; l.Cursor == "" {
				return
			}
		}
	}
}
