package client

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"sync/atomic"
	"time"
)

// Reservation describes an upload.
type Reservation struct {
	FileName    string `json:"fileName"`
	Size        int64  `json:"size"` // exact size in bytes
	ContentType string `json:"contentType,omitempty"`
	SHA256      string `json:"sha256,omitempty"` // hex; the bucket then rejects other content; not with Parts
	Parts       bool   `json:"parts,omitempty"`  // upload in parts, as described at Upload
	// Key makes repeated reservations return the same file. If it is empty, a key is generated.
	Key string `json:"-"`
}

// Reserved is a file that waits for its upload, with the request that uploads it. If the
// reservation is repeated, the content may already be uploaded; the status shows whether it is.
type Reserved struct {
	FileID  string        `json:"fileId"`
	OwnerID string        `json:"ownerId"`
	Status  string        `json:"status"`
	Upload  UploadRequest `json:"upload"`
}

// UploadRequest is the request that stores the content and must be sent with exactly these headers. For an
// upload in parts, PartCount is set instead.
type UploadRequest struct {
	Method    string            `json:"method"`
	URL       string            `json:"url"`
	Headers   map[string]string `json:"headers"`
	ExpiresAt time.Time         `json:"expiresAt"`

	UploadID  string `json:"uploadId"` // empty once all content is stored
	PartSize  int64  `json:"partSize"` // bytes
	PartCount int32  `json:"partCount"`
}

// Reserve creates a PENDING file.
func (c *Client) Reserve(ctx context.Context, r Reservation) (Reserved, error) {
	if r.Key == "" {
		r.Key = newKey()
	}
	return c.reserve(ctx, r, newKey())
}

func (c *Client) reserve(ctx context.Context, r Reservation, requestID string) (Reserved, error) {
	var reserved Reserved
	err := c.do(ctx, call{
		method: http.MethodPost, path: join("files"), body: r, id: requestID,
		header: http.Header{"Idempotency-Key": {r.Key}},
	}, &reserved)
	return reserved, err
}

// Source is the content of an upload. It may be read more than once.
type Source struct {
	Reservation
	Content io.ReaderAt
	// Progress is called with the number of bytes sent so far. A retry restarts at 0 or, for an upload in
	// parts, at the number of stored bytes. Progress may be nil.
	Progress func(sent int64)
}

// Upload reserves a file, uploads its content to the bucket and confirms the upload. It returns the file's current
// state, usually PENDING. It retries after broken connections and if the server is busy, without creating a second
// file.
//
// A file larger than PartsAbove without a SHA256 is uploaded in parts, four concurrently, each with a CRC-32. A
// later call with the same reservation (including Key) and the same content sends only the missing parts, even from
// another process. The server keeps parts for ASSAY_RESERVATION_EXPIRES, 24 hours by default.
func (c *Client) Upload(ctx context.Context, src Source) (File, error) {
	if src.Key == "" {
		src.Key = newKey()
	}
	src.Parts = src.Parts || src.Size > PartsAbove && src.SHA256 == ""
	requestID := newKey()
	var reserved Reserved
	var file File
	err := c.deliver(ctx, src, func() (to delivery, err error) {
		if reserved, err = c.reserve(ctx, src.Reservation, requestID); err != nil {
			return to, err
		}
		to = delivery{file: join("files", reserved.FileID), owner: reserved.OwnerID, done: func() error {
			file, err = c.uploaded(ctx, reserved.FileID, reserved.OwnerID, requestID, reserved.Upload.UploadID)
			return err
		}}
		if reserved.Status == Pending {
			to.UploadRequest = reserved.Upload
			return to, nil
		}
		to.done = func() error {
			file, err = c.Get(ctx, reserved.FileID, 0)
			return err
		}
		return to, nil
	})
	return file, err
}

// delivery describes how the content of a reserved file is sent. If neither URL nor UploadID is set, the content is not
// sent.
type delivery struct {
	UploadRequest
	file  string // path of the file
	owner string
	done  func() error // confirms the upload once all content is sent; may be nil
}

// deliver sends the content to the destination that reserve returns and confirms the upload. It calls reserve for each
// attempt, because a URL may have expired.
func (c *Client) deliver(ctx context.Context, src Source, reserve func() (delivery, error)) error {
	var last error
	began := time.Now()
	for try := 0; c.mayTry(try, began); try++ {
		if err := pause(ctx, try, last); err != nil {
			return err
		}
		to, err := reserve()
		if err != nil {
			return err
		}
		switch {
		case to.UploadID != "":
			last = c.putParts(ctx, to, src)
		case to.URL != "":
			last = c.put(ctx, to.UploadRequest, src)
		}
		if last == nil && to.done != nil {
			last = to.done()
		}
		if last == nil {
			return nil
		}
		if ctx.Err() != nil || !retriable(last) {
			break
		}
	}
	if _, answered := errors.AsType[*Problem](last); answered {
		return last
	}
	return fmt.Errorf("upload: %w", last)
}

// put sends all content in one request.
func (c *Client) put(ctx context.Context, to UploadRequest, src Source) error {
	return c.putBody(ctx, to, io.NewSectionReader(src.Content, 0, src.Size), src.Size, src.Progress)
}

// putBody sends one request with its content. Status 412 means that an earlier attempt stored the content although
// its response was lost.
func (c *Client) putBody(ctx context.Context, to UploadRequest, content io.Reader, size int64, progress func(sent int64)) error {
	body := content
	if progress != nil {
		body = &progressReader{source: body, report: progress}
	}
	if size == 0 {
		body = http.NoBody
	}
	req, err := http.NewRequestWithContext(ctx, to.Method, to.URL, body)
	if err != nil {
		return err
	}
	for name, value := range to.Headers {
		req.Header.Set(name, value)
	}
	req.ContentLength = size
	resp, err := c.http.Do(req)
	if err != nil {
		return err
	}
	if resp.StatusCode/100 == 2 || resp.StatusCode == http.StatusPreconditionFailed {
		return resp.Body.Close()
	}
	refused := &Refused{Status: resp.StatusCode}
	text, err := io.ReadAll(io.LimitReader(resp.Body, largestProblem))
	if err := errors.Join(err, resp.Body.Close()); err != nil {
		return err
	}
	if err := xml.Unmarshal(text, refused); err != nil {
		refused.Message = http.StatusText(resp.StatusCode)
	}
	return refused
}

// Refused is the bucket's error response to an upload.
type Refused struct {
	Status  int    `xml:"-"`
	Code    string `xml:"Code"` // such as BadDigest
	Message string `xml:"Message"`
}

func (r *Refused) Error() string {
	return fmt.Sprintf("the bucket rejected the upload (%d %s): %s", r.Status, r.Code, r.Message)
}

// retriable reports whether another upload attempt may help: after a broken connection, a busy
// bucket, or an expired URL.
func retriable(err error) bool {
	if partsLost(err) {
		return true
	}
	if _, answered := errors.AsType[*Problem](err); answered {
		return false // already retried if a retry can help
	}
	refused, ok := errors.AsType[*Refused](err)
	return !ok || refused.Code == "AccessDenied" || refused.Status >= http.StatusInternalServerError
}

// progressReader reports the number of bytes read from source.
type progressReader struct {
	source io.Reader
	report func(int64)
	sent   int64
}

func (p *progressReader) Read(b []byte) (int, error) {
	n, err := p.source.Read(b)
	p.sent += int64(n)
	p.report(p.sent)
	return n, err
}

// Posted is a file whose content is read from a stream.
type Posted struct {
	FileName    string
	ContentType string // empty means application/octet-stream
	Content     io.Reader
	Key         string // see Reservation
}

// PostFile sends the content through the server, so the size need not be known in advance. Content that is an io.Seeker
// is sent again from its current position after a failure that another attempt may avoid; a stream cannot be read twice,
// so it is sent once.
func (c *Client) PostFile(ctx context.Context, p Posted) (File, error) {
	if p.Key == "" {
		p.Key = newKey()
	}
	if p.ContentType == "" {
		p.ContentType = "application/octet-stream"
	}
	requestID := newKey()
	seeker, repeatable := p.Content.(io.Seeker)
	var start int64
	if repeatable {
		var err error
		start, err = seeker.Seek(0, io.SeekCurrent)
		repeatable = err == nil // a pipe is an *os.File too
	}
	if !repeatable {
		return c.postFile(ctx, p, requestID)
	}
	var file File
	err := c.repeat(ctx, false, func() error {
		_, err := seeker.Seek(start, io.SeekStart)
		if err != nil {
			return fmt.Errorf("read %s: %w", p.FileName, err)
		}
		file, err = c.postFile(ctx, p, requestID)
		return err
	})
	return file, err
}

// postFile makes one attempt of PostFile.
func (c *Client) postFile(ctx context.Context, p Posted, requestID string) (File, error) {
	source := &source{from: p.Content}
	p.Content = source
	pipe, sink := io.Pipe()
	form := multipart.NewWriter(sink)
	req, err := c.request(ctx, call{
		method: http.MethodPost, path: join("files"), id: requestID,
		header: http.Header{"Idempotency-Key": {p.Key}, "Content-Type": {form.FormDataContentType()}},
	})
	if err != nil {
		return File{}, err
	}
	written := make(chan struct{})
	go func() {
		defer close(written)
		sink.CloseWithError(writeForm(form, p))
	}()
	req.Body, req.ContentLength = pipe, -1
	resp, err := c.send(req)
	_ = pipe.Close() // never fails; ends the writer
	if _, repeatable := source.from.(io.Seeker); repeatable {
		<-written // so that it does not read while PostFile seeks
	}
	if failed := source.failed.Load(); failed != nil {
		err = fmt.Errorf("read %s: %w", p.FileName, *failed)
	}
	if err != nil {
		return File{}, err
	}
	var file File
	return file, decode(resp, &file)
}

// source keeps read errors separate from send errors, which the transport does not distinguish.
type source struct {
	from   io.Reader
	failed atomic.Pointer[error]
}

func (s *source) Read(b []byte) (int, error) {
	n, err := s.from.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		s.failed.Store(&err)
	}
	return n, err
}

// writeForm writes the form with a single part.
func writeForm(form *multipart.Writer, p Posted) error {
	part, err := form.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {multipart.FileContentDisposition("file", p.FileName)},
		"Content-Type":        {p.ContentType},
	})
	if err != nil {
		return err
	}
	if _, err := io.Copy(part, p.Content); err != nil {
		return err
	}
	return form.Close()
}
