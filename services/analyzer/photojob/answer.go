package photojob

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/services/analyzer/photojob/provider"
	"github.com/assay-project/assay/services/analyzer/photojob/provider/remote"
)

// answer is a provider's response, stored after the call and before the move that records it. The
// photo of an edit is stored in the final bucket before the answer.
type answer struct {
	Analysis *photojob.AnalysisResult `json:"analysis,omitempty"`
	Edit     *photojob.EditResult     `json:"edit,omitempty"`
	Degraded string                   `json:"degraded,omitempty"`
	Usage    provider.Usage           `json:"usage"`
}

// saveAnswer stores the response to call n. It does not replace a stored response.
func (s steps) saveAnswer(ctx context.Context, jobID string, n int, a *answer) error {
	document, err := json.Marshal(a)
	if err != nil {
		return fmt.Errorf("encoding response %d of %s: %w", n, jobID, err)
	}
	_, err = s.temp.Put(ctx, photojob.AnswerKey(jobID, n), "application/json", nil, bytes.NewReader(document))
	if errors.Is(err, blob.ErrExists) {
		return nil
	}
	return err
}

// removeAnswers deletes the stored responses to the calls of a job.
func (s steps) removeAnswers(ctx context.Context, job photojob.Job) error {
	var failed []error
	for _, call := range job.Calls.Calls() {
		failed = append(failed, s.temp.Delete(ctx, photojob.AnswerKey(job.JobID, call.N)))
	}
	return errors.Join(failed...)
}

// keepRaw stores the response of a paid provider to call n as received, and returns it. It does not
// replace a stored response: a second one exists only if the call was made twice.
func (e *editing) keepRaw(ctx context.Context, n int, from io.Reader) ([]byte, error) {
	_, err := e.temp.Put(ctx, photojob.AnswerKey(e.job.JobID, n), "application/octet-stream", nil, from)
	if err != nil && !errors.Is(err, blob.ErrExists) {
		return nil, err
	}
	return e.loadRaw(ctx, e.job.JobID, n)
}

// loadRaw returns the stored raw response to call n, or nil.
func (s steps) loadRaw(ctx context.Context, jobID string, n int) ([]byte, error) {
	body, err := s.temp.Open(ctx, photojob.AnswerKey(jobID, n), "")
	if errors.Is(err, blob.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer body.Close()
	raw, err := io.ReadAll(io.LimitReader(body, remote.MaxAnswer))
	if err != nil {
		return nil, fmt.Errorf("reading response %d of %s: %w", n, jobID, err)
	}
	return raw, nil
}

// loadAnswer returns the stored response to call n, or nil.
func (s steps) loadAnswer(ctx context.Context, jobID string, n int) (*answer, error) {
	document, err := s.temp.Load(ctx, photojob.AnswerKey(jobID, n))
	if errors.Is(err, blob.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	a := &answer{}
	if err := json.Unmarshal(document.Body, a); err != nil {
		return nil, fmt.Errorf("decoding response %d of %s: %w", n, jobID, err)
	}
	return a, nil
}
