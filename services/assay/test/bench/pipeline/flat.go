package pipeline

import (
	"context"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"path/filepath"
	"sync"
	"time"

	"github.com/assay-project/assay/services/assay/test/bench/paired"
)

// peak contains the peak memory of a service, in bytes, at four moments of one run.
type peak struct{ aTenth, all, small, large int64 }

// Flat returns the trials of P5. They check whether the memory of each service is independent of the load:
// they compare the peak after all events with the peak after a tenth of them, and the peak after the
// largest object with the peak after an object of 1 MB. All trials use the measurements of a single run.
func Flat(o Options) []paired.Trial {
	run := sync.OnceValues(o.peaks)
	side := func(name, role string, of func(peak) paired.Sample) paired.Side {
		return paired.Side{Name: name, Run: func(context.Context) (paired.Sample, error) {
			peaks, err := run()
			if err != nil {
				return nil, err
			}
			return of(peaks[role]), nil
		}}
	}
	var trials []paired.Trial
	for _, role := range services {
		trials = append(trials, paired.Trial{
			Title: "memory of " + role,
			Own: side("at the end", role, func(p peak) paired.Sample {
				return paired.Sample{events: float64(p.all), sizes: float64(p.large)}
			}),
			Rival: side("before", role, func(p peak) paired.Sample {
				return paired.Sample{events: float64(p.aTenth), sizes: float64(p.small)}
			}),
			Goals: []paired.Goal{
				{ID: "P5", What: fmt.Sprintf("peak after %d files relative to a tenth of them", o.Files), Quantity: events, Direction: paired.AtMost, Must: 1.1},
				{ID: "P5", What: fmt.Sprintf("peak after one file of %d MB relative to one of 1 MB", o.Largest>>20), Quantity: sizes, Direction: paired.AtMost, Must: 1.1},
			},
		})
	}
	return trials
}

// peaks runs the services and returns their peaks, by role.
func (o Options) peaks() (map[string]peak, error) {
	ctx := context.Background()
	p, err := startSeparate(filepath.Join(o.Dir, "flat"))
	if err != nil {
		return nil, err
	}
	defer p.stop()
	peaks := map[string]peak{}
	for _, step := range []struct {
		do   func() error
		keep func(*peak, int64)
	}{
		{func() error { return many(ctx, p, 32, o.Files/10) }, func(p *peak, bytes int64) { p.aTenth = bytes }},
		{func() error { return many(ctx, p, 32, o.Files-o.Files/10) }, func(p *peak, bytes int64) { p.all = bytes }},
		{func() error { return p.large(ctx, 1<<20) }, func(p *peak, bytes int64) { p.small = bytes }},
		{func() error { return p.large(ctx, o.Largest) }, func(p *peak, bytes int64) { p.large = bytes }},
	} {
		if err := step.do(); err != nil {
			return nil, err
		}
		now, err := p.peaks()
		if err != nil {
			return nil, err
		}
		for role, bytes := range now {
			changed := peaks[role]
			step.keep(&changed, bytes)
			peaks[role] = changed
		}
	}
	return peaks, nil
}

// large uploads a file of size bytes, with the vocabulary of the small file, and waits for its
// outcome.
func (p *program) large(ctx context.Context, size int64) error {
	outcomes, err := listen(p)
	if err != nil {
		return err
	}
	defer outcomes.close()
	reader, writer := io.Pipe()
	form := multipart.NewWriter(writer)
	go func() {
		part, err := form.CreateFormFile("file", "large.txt")
		page := text(1 << 20)
		for left := size; err == nil && left > 0; left -= int64(len(page)) {
			_, err = part.Write(page[:min(left, int64(len(page)))])
		}
		if err == nil {
			err = form.Close()
		}
		_ = writer.CloseWithError(err) // always returns nil
	}()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.http+"/v1/files", reader)
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", form.FormDataContentType())
	id, err := p.do(req)
	if err != nil {
		return err
	}
	_, err = outcomes.await(ctx, id, time.Hour)
	return err
}
