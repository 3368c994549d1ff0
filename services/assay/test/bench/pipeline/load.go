package pipeline

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"golang.org/x/sync/errgroup"
)

// sample contains the measurements of one run.
type sample struct {
	took    time.Duration
	accepts []time.Duration // from POST to its response, sorted
	ends    []time.Duration // from POST to the outcome event, sorted
	cpu     time.Duration   // CPU time of the program
}

func (s sample) rate() float64                  { return float64(len(s.ends)) / s.took.Seconds() }
func (s sample) cpuPerFile() float64            { return s.cpu.Seconds() / float64(len(s.ends)) }
func (s sample) accepted(part float64) float64  { return percentile(s.accepts, part) }
func (s sample) completed(part float64) float64 { return percentile(s.ends, part) }

// percentile returns a percentile of a non-empty sorted list, in seconds.
func percentile(sorted []time.Duration, part float64) float64 {
	return sorted[min(int(part*float64(len(sorted))), len(sorted)-1)].Seconds()
}

// endWait limits the wait for the outcome of one file.
const endWait = 30 * time.Second

// load keeps n files in flight for a duration, and waits for their outcomes.
func load(ctx context.Context, p *program, n int, length time.Duration) (sample, error) {
	var begun atomic.Bool // ensures at least one file, even on a busy machine
	return during(ctx, p, n, func(since time.Duration) bool { return since < length || begun.CompareAndSwap(false, true) })
}

// many processes a number of files, with n in flight.
func many(ctx context.Context, p *program, n, files int) error {
	var begun atomic.Int64
	_, err := during(ctx, p, n, func(time.Duration) bool { return begun.Add(1) <= int64(files) })
	return err
}

// during keeps n files in flight while more returns true for the elapsed time.
func during(ctx context.Context, p *program, n int, more func(since time.Duration) bool) (sample, error) {
	outcomes, err := listen(p)
	if err != nil {
		return sample{}, err
	}
	defer outcomes.close()
	before, err := p.usage()
	if err != nil {
		return sample{}, err
	}
	began := time.Now()
	s := sample{}
	var mu sync.Mutex
	group, ctx := errgroup.WithContext(ctx)
	for worker := range n {
		group.Go(func() error {
			for more(time.Since(began)) {
				posted := time.Now()
				id, err := p.post(ctx, worker)
				if err != nil {
					return err
				}
				answered := time.Since(posted)
				ended, err := outcomes.await(ctx, id, endWait)
				if err != nil {
					return err
				}
				mu.Lock()
				s.accepts = append(s.accepts, answered)
				s.ends = append(s.ends, ended.Sub(posted))
				mu.Unlock()
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return sample{}, fmt.Errorf("%s with %d in flight: %w", p.role, n, err)
	}
	s.took = time.Since(began)
	after, err := p.usage()
	s.cpu = after.CPU - before.CPU
	slices.Sort(s.accepts)
	slices.Sort(s.ends)
	return s, err
}

// ends records when the outcomes of files arrive.
type ends struct {
	conn     *nats.Conn
	mu       sync.Mutex
	outcomes map[string]chan time.Time
}

func listen(p *program) (*ends, error) {
	conn, err := nats.Connect(p.nats)
	if err != nil {
		return nil, err
	}
	e := &ends{conn: conn, outcomes: map[string]chan time.Time{}}
	_, err = conn.Subscribe(p.ends, func(m *nats.Msg) {
		at := time.Now()
		id := m.Subject[len(p.ends)-1:]
		select {
		case e.of(id) <- at:
		default: // a repeated outcome
		}
	})
	if err == nil {
		err = conn.Flush()
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return e, nil
}

func (e *ends) close() { e.conn.Close() }

// of returns the channel that receives the time of a file's outcome.
func (e *ends) of(id string) chan time.Time {
	e.mu.Lock()
	defer e.mu.Unlock()
	c, ok := e.outcomes[id]
	if !ok {
		c = make(chan time.Time, 1)
		e.outcomes[id] = c
	}
	return c
}

func (e *ends) await(ctx context.Context, id string, wait time.Duration) (time.Time, error) {
	timeout := time.NewTimer(wait)
	defer timeout.Stop()
	select {
	case at := <-e.of(id):
		e.mu.Lock()
		defer e.mu.Unlock()
		delete(e.outcomes, id)
		return at, nil
	case <-ctx.Done():
		return time.Time{}, ctx.Err()
	case <-timeout.C:
		return time.Time{}, fmt.Errorf("no outcome for %s within %s", id, wait)
	}
}

// form returns a multipart body with one text file, and its content type.
func form(name string, content []byte) (contentType string, body []byte, err error) {
	return formOf(name, "text/plain; charset=utf-8", content)
}

// formOf is like form, for a file of a type, after other fields.
func formOf(name, kind string, content []byte, fields ...[2]string) (contentType string, body []byte, err error) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, field := range fields {
		if err := w.WriteField(field[0], field[1]); err != nil {
			return "", nil, err
		}
	}
	part, err := w.CreatePart(map[string][]string{
		"Content-Disposition": {`form-data; name="file"; filename="` + name + `"`}, "Content-Type": {kind},
	})
	if err == nil {
		_, err = part.Write(content)
	}
	err = errors.Join(err, w.Close())
	return w.FormDataContentType(), b.Bytes(), err
}

// post uploads the program's file and returns its id.
func (p *program) post(ctx context.Context, worker int) (string, error) {
	body := p.body
	if p.vary != nil {
		body = p.vary()
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.http+p.path, bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", p.contentType)
	req.Header.Set("X-Owner-Id", fmt.Sprintf("bench-%d", worker))
	return p.do(req)
}

func (p *program) do(req *http.Request) (string, error) {
	resp, err := p.client.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return "", err
	}
	var file struct {
		ID       string `json:"id"` // in the library
		FileID   string `json:"fileId"`
		JobID    string `json:"jobId"`
		SourceID string `json:"sourceId"`
	}
	if resp.StatusCode != http.StatusAccepted && resp.StatusCode != http.StatusCreated {
		return "", fmt.Errorf("POST: status %d: %s", resp.StatusCode, answer)
	}
	err = json.Unmarshal(answer, &file)
	return cmp.Or(file.ID, file.FileID, file.JobID, file.SourceID), err
}
