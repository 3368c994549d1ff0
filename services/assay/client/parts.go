package client

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

const (
	// PartsAbove is the size in bytes above which files are uploaded in parts.
	PartsAbove = 64 << 20
	// parallelParts is the number of parts of a file that are sent concurrently.
	parallelParts = 4
	// preparedParts is the number of further parts that are read and signed in the meantime.
	preparedParts = 2
)

// StoredPart is a part that is stored in the bucket.
type StoredPart struct {
	Number int32  `json:"number"` // starts at 1
	Size   int64  `json:"size"`   // bytes
	CRC32  string `json:"crc32"`  // base64 of 4 bytes, big endian
}

// signedPart is the request that uploads a part.
type signedPart struct {
	Number int32 `json:"number"`
	UploadRequest
}

// report returns the body of the call that reports an upload as finished. It is nil unless the upload is in parts.
func report(uploadID string) any {
	if uploadID == "" {
		return nil
	}
	return map[string]string{"uploadId": uploadID}
}

// partsLost reports whether an upload in parts must send some parts again because they are not stored or the upload was
// aborted.
func partsLost(err error) bool {
	if refused, ok := errors.AsType[*Refused](err); ok {
		return refused.Code == "NoSuchUpload"
	}
	p, ok := errors.AsType[*Problem](err)
	return ok && (p.Type == "urn:assay:problem:parts-missing" || p.Type == "urn:assay:problem:upload-not-open")
}

// putParts sends the missing parts of a file.
func (c *Client) putParts(ctx context.Context, to delivery, src Source) error {
	u := &partsUpload{client: c, to: to, src: src, sent: make([]int64, to.PartCount+1), sending: make(chan struct{}, parallelParts)}
	if err := u.list(ctx); err != nil {
		return err
	}
	u.resume()
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallelParts + preparedParts)
	for number := int32(1); number <= to.PartCount && ctx.Err() == nil; number++ {
		group.Go(func() error { return u.send(ctx, number) })
	}
	return group.Wait()
}

// partsUpload is an upload of one file in parts.
type partsUpload struct {
	client *Client
	to     delivery
	src    Source
	// sending limits the number of parts that are sent concurrently.
	sending chan struct{}

	mu     sync.Mutex
	stored map[int32]StoredPart
	sent   []int64 // bytes sent, by part number
}

// list reads the list of stored parts.
func (u *partsUpload) list(ctx context.Context) error {
	var list struct {
		Parts []StoredPart `json:"parts"`
	}
	err := u.client.do(ctx, call{
		method: http.MethodGet, path: u.to.file + "/parts", query: url.Values{"uploadId": {u.to.UploadID}}, header: http.Header{"X-Owner-Id": {u.to.owner}},
	}, &list)
	if err != nil {
		return err
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.stored = map[int32]StoredPart{}
	for _, part := range list.Parts {
		u.stored[part.Number] = part
	}
	return nil
}

// resume counts the stored parts as sent. send later compares their content.
func (u *partsUpload) resume() {
	for number := int32(1); number <= u.to.PartCount; number++ {
		if stored, ok := u.stored[number]; ok {
			u.sent[number] = stored.Size
		}
	}
	u.progress(1, u.sent[1])
}

// send sends a part unless it is already stored. After a failure it checks whether the part was stored anyway.
func (u *partsUpload) send(ctx context.Context, number int32) error {
	from := int64(number-1) * u.to.PartSize
	part := StoredPart{Number: number, Size: min(u.to.PartSize, u.src.Size-from)}
	content := func() *io.SectionReader { return io.NewSectionReader(u.src.Content, from, part.Size) }
	sum := crc32.NewIEEE()
	if _, err := io.Copy(sum, until{ctx, content()}); err != nil {
		return err
	}
	part.CRC32 = textOf(sum)
	var last error
	began := time.Now()
	for try := 0; u.client.mayTry(try, began); try++ {
		if err := pause(ctx, try, last); err != nil {
			return err
		}
		if try > 0 {
			if err := u.list(ctx); err != nil {
				return err
			}
		}
		if u.has(part) {
			u.progress(number, part.Size)
			return nil
		}
		request, err := u.sign(ctx, part)
		if err != nil {
			return err
		}
		select {
		case u.sending <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
		last = u.client.putBody(ctx, request, content(), part.Size, func(sent int64) { u.progress(number, sent) })
		<-u.sending
		if last == nil {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !retriable(last) {
			break
		}
	}
	return fmt.Errorf("part %d: %w", number, last)
}

func textOf(sum hash.Hash32) string { return base64.StdEncoding.EncodeToString(sum.Sum(nil)) }

func (u *partsUpload) has(part StoredPart) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.stored[part.Number] == part
}

// sign returns the request that uploads a part.
func (u *partsUpload) sign(ctx context.Context, part StoredPart) (UploadRequest, error) {
	var signed struct {
		Parts []signedPart `json:"parts"`
	}
	err := u.client.do(ctx, call{
		method: http.MethodPost, path: u.to.file + "/parts", header: http.Header{"X-Owner-Id": {u.to.owner}},
		body: map[string]any{"uploadId": u.to.UploadID, "numbers": []int32{part.Number}, "crc32": []string{part.CRC32}},
	}, &signed)
	if err != nil {
		return UploadRequest{}, err
	}
	at := slices.IndexFunc(signed.Parts, func(s signedPart) bool { return s.Number == part.Number })
	if at < 0 {
		return UploadRequest{}, fmt.Errorf("part %d was not signed", part.Number)
	}
	return signed.Parts[at].UploadRequest, nil
}

// progress records the number of bytes sent of one part, and reports the total of all parts.
func (u *partsUpload) progress(number int32, sent int64) {
	if u.src.Progress == nil {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.sent[number] = sent
	total := int64(0)
	for _, n := range u.sent {
		total += n
	}
	u.src.Progress(total)
}

// until is a reader that fails once ctx is done.
type until struct {
	ctx context.Context
	io.Reader
}

func (u until) Read(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.Reader.Read(p)
}
