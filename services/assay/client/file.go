package client

import (
	"context"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// States of a file.
const (
	Pending    = "PENDING"
	InProgress = "IN_PROGRESS"
	Completed  = "COMPLETED"
	Failed     = "FAILED"
)

// File is an uploaded text with its state and result.
type File struct {
	FileID       string    `json:"fileId"`
	OwnerID      string    `json:"ownerId,omitempty"` // only for the client's own files
	FileName     string    `json:"fileName"`
	Size         int64     `json:"size,omitempty"` // bytes, if they are known
	Status       string    `json:"status"`
	CreatedAt    time.Time `json:"createdAt"`
	UpdatedAt    time.Time `json:"updatedAt"`
	Result       *Result   `json:"result,omitempty"`       // set when COMPLETED, except in lists
	ErrorMessage string    `json:"errorMessage,omitempty"` // set when FAILED
}

// Final reports whether processing has finished. A final file changes only on request.
func (f File) Final() bool { return f.Status == Completed || f.Status == Failed }

// Result is the analysis of a text.
type Result struct {
	TotalWords    int64   `json:"totalWords"`
	UniqueWords   int64   `json:"uniqueWords"`
	AvgWordLength float64 `json:"avgWordLength"` // in code points
	Top10Words    []Word  `json:"top10Words"`    // by count, then in code point order

	Charset        string `json:"charset,omitempty"`        // such as windows-1251; empty for old results
	CharsetSource  string `json:"charsetSource,omitempty"`  // mark, declared, detected or assumed
	IgnoredCharset string `json:"ignoredCharset,omitempty"` // as declared, if the bytes contradict it or it is unknown
	Replaced       int64  `json:"replaced,omitempty"`       // places where U+FFFD stands for bytes that the charset does not define
}

// Word is a word and its number of occurrences.
type Word struct {
	Word  string `json:"word"`
	Count int64  `json:"count"`
}

// Get returns a file. If wait is positive, the server holds the response until the file is final or
// wait has passed. The server limits wait.
func (c *Client) Get(ctx context.Context, fileID string, wait time.Duration) (File, error) {
	var file File
	err := c.do(ctx, held(join("files", fileID), wait), &file)
	return file, err
}

// held returns the GET call for a path whose response the server may delay.
func held(path string, wait time.Duration) call {
	op := call{method: http.MethodGet, path: path}
	if wait > 0 {
		op.query = url.Values{"wait": {wait.String()}}
	}
	return op
}

// longPoll is the wait time that Wait requests from the server.
const longPoll = 25 * time.Second

// Wait returns the file when it is final. It waits until ctx is done.
func (c *Client) Wait(ctx context.Context, fileID string) (File, error) {
	for {
		file, err := c.Get(ctx, fileID, longPoll)
		if err != nil || file.Final() {
			return file, err
		}
	}
}

// Uploaded reports that the content of a reserved file is in the bucket. It returns a Problem with
// status 409 if the content is missing or differs from the reservation.
func (c *Client) Uploaded(ctx context.Context, fileID string) (File, error) {
	return c.uploaded(ctx, fileID, c.ownerID, newKey(), "")
}

func (c *Client) uploaded(ctx context.Context, fileID, ownerID, requestID, uploadID string) (File, error) {
	var file File
	err := c.do(ctx, call{
		method: http.MethodPost, path: join("files", fileID, "uploaded"), id: requestID,
		header: http.Header{"X-Owner-Id": {ownerID}}, body: report(uploadID),
	}, &file)
	return file, err
}

// Retry requests another analysis of a FAILED file. In any other state it returns a Problem with status 409.
func (c *Client) Retry(ctx context.Context, fileID string) (File, error) {
	return c.RetryAs(ctx, fileID, "")
}

// RetryAs requests another analysis of a FAILED or COMPLETED file in a charset, such as koi8-r, instead of the one that was
// declared or detected. An empty charset is that of Retry. In any other state it returns a Problem with status 409.
func (c *Client) RetryAs(ctx context.Context, fileID, charset string) (File, error) {
	var file File
	retry := call{method: http.MethodPost, path: join("files", fileID, "retry"), once: true}
	if charset != "" {
		retry.body = struct {
			Charset string `json:"charset"`
		}{charset}
	}
	err := c.do(ctx, retry, &file)
	return file, err
}

// Delete removes a file and its content. A missing file is not an error.
func (c *Client) Delete(ctx context.Context, fileID string) error {
	return c.do(ctx, call{method: http.MethodDelete, path: join("files", fileID)}, nil)
}

// Content returns the uploaded content. The caller closes it.
func (c *Client) Content(ctx context.Context, fileID string) (io.ReadCloser, error) {
	return c.body(ctx, call{method: http.MethodGet, path: join("files", fileID, "content")})
}

// Listing selects an owner's files, or photo jobs, newest first.
type Listing struct {
	OwnerID string // empty means the client's owner
	Status  string // empty means all
	Limit   int    // maximum items per page; 0 means the server's default
	Cursor  string // NextCursor of the previous page; empty for the first page
}

// Page is one page of a list. NextCursor is empty on the last page.
type Page struct {
	Files      []File `json:"files"`
	NextCursor string `json:"nextCursor,omitempty"`
}

// ListPage returns one page. It may contain fewer files than the limit, or none, without being the
// last.
func (c *Client) ListPage(ctx context.Context, l Listing) (Page, error) {
	var page Page
	op, err := c.listing(ctx, l, "files")
	if err == nil {
		err = c.do(ctx, op, &page)
	}
	return page, err
}

// listing returns the GET call for a page of an owner's items.
func (c *Client) listing(ctx context.Context, l Listing, items string) (call, error) {
	owner, err := c.owner(ctx, l.OwnerID)
	query := url.Values{}
	if l.Status != "" {
		query.Set("status", l.Status)
	}
	if l.Limit > 0 {
		query.Set("limit", strconv.Itoa(l.Limit))
	}
	if l.Cursor != "" {
		query.Set("cursor", l.Cursor)
	}
	return call{method: http.MethodGet, path: join("owners", owner, items), query: query}, err
}

// List iterates over all files from l.Cursor, reading pages as needed. It stops after the first
// error.
func (c *Client) List(ctx context.Context, l Listing) iter.Seq2[File, error] {
	return func(yield func(File, error) bool) {
		for {
			page, err := c.ListPage(ctx, l)
			if err != nil {
				yield(File{}, err)
				return
			}
			for _, file := range page.Files {
				if !yield(file, nil) {
					return
				}
			}
			if l.Cursor = page.NextCursor; l.Cursor == "" {
				return
			}
		}
	}
}
