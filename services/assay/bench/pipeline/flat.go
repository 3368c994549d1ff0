package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"path/filepath"
	"sync"
	"time"

	"github.com/assay-project/assay/services/assay/bench/paired"
)

// flat judges whether the memory of the services stays what it is, whatever comes:
// the peak after a tenth of the events beside the peak after all, and after an
// object of 1 MB beside the peak after the largest. It is run once.
func (o Options) flat() paired.Trial {
	run := sync.OnceValues(func() (paired.Sample, error) {
		ctx := context.Background()
		c, err := startApart(filepath.Join(o.Dir, "flat"))
		if err != nil {
			return nil, err
		}
		defer c.stop()
		result := paired.Sample{}
		grown := func(quantity string, first, then func() error) error {
			if err := first(); err != nil {
				return err
			}
			before, err := c.peaks()
			if err == nil {
				err = then()
			}
			if err != nil {
				return err
			}
			after, err := c.peaks()
			for role, peak := range after {
				result[quantity] = max(result[quantity], float64(peak)/float64(before[role]))
			}
			return err
		}
		some := func(files int) func() error { return func() error { return many(ctx, c, 32, files) } }
		one := func(size int64) func() error { return func() error { return c.large(ctx, size) } }
		return result, errors.Join(
			grown(events, some(o.Events/10), some(o.Events-o.Events/10)),
			grown(sizes, one(1<<20), one(o.Largest)))
	})
	return paired.Trial{
		Title: "memory of each service", Own: paired.Side{Name: "ingest, analyzer and query", Run: func(context.Context) (paired.Sample, error) { return run() }},
		Goals: []paired.Goal{
			{ID: "P5", What: fmt.Sprintf("peak after %d events by that after a tenth", o.Events), Quantity: events, Direction: paired.AtMost, Must: 1.1},
			{ID: "P5", What: fmt.Sprintf("peak after %d MB in one file by that after 1 MB", o.Largest>>20), Quantity: sizes, Direction: paired.AtMost, Must: 1.1},
		},
	}
}

// large uploads one file of so many bytes, whose vocabulary is that of the small
// one, and waits for its end.
func (p *program) large(ctx context.Context, size int64) error {
	told, err := listen(p)
	if err != nil {
		return err
	}
	defer told.close()
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
		_ = writer.CloseWithError(err) // always nil
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
	_, err = told.await(ctx, id, time.Hour)
	return err
}
