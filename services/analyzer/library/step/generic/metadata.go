// Package generic contains the step that applies to files of every type.
package generic

import (
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"time"

	"github.com/assay-project/assay/pkg/extract"
	"github.com/assay-project/assay/services/analyzer/library/step"
)

// rate is the minimum throughput of an attempt in bytes per second: 50 Mbit/s.
const rate = 6 << 20

// Metadata returns the step that sets the content type, length and digests of a file. Metadata steps of other file
// types use Read.
func Metadata() step.Step {
	return step.Step{Time: 30 * time.Second, Rate: rate, Run: func(ctx context.Context, f *step.File) (step.Result, error) {
		found, err := Read(ctx, f, io.Discard)
		return step.Result{Engine: extract.Engine(), Metadata: found}, err
	}}
}

// Read reads a file once, copies its bytes to w, and returns its metadata: contentType, length, md5 and sha256,
// and finding if name and content contradict each other. It fails if w returns an error.
func Read(ctx context.Context, f *step.File, w io.Writer) (map[string]any, error) {
	body := f.Open(ctx)
	defer body.Close()
	head := headWriter{}
	sha, md := sha256.New(), md5.New()
	n, err := io.Copy(io.MultiWriter(&head, sha, md, w), body)
	if err != nil {
		return nil, err
	}
	kind := extract.Detect(head.bytes, f.Name)
	found := map[string]any{
		"contentType": kind.MediaType, "length": n,
		"md5": hex.EncodeToString(md.Sum(nil)), "sha256": hex.EncodeToString(sha.Sum(nil)),
	}
	if kind.Finding != "" {
		found["finding"] = kind.Finding
	}
	return found, nil
}

// headWriter retains the first bytes written to it.
type headWriter struct{ bytes []byte }

func (h *headWriter) Write(b []byte) (int, error) {
	h.bytes = append(h.bytes, b[:min(len(b), extract.HeadSize-len(h.bytes))]...)
	return len(b), nil
}
