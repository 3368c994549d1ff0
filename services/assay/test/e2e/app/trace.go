package app

import (
	"encoding/json"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/tracing"
	"github.com/chromedp/chromedp"
)

// LongestTask runs a function and returns the processor time of the longest task on the main thread of the page during
// that time. Unlike
// elapsed time, it does not depend on other load on the machine.
func (p *Page) LongestTask(t *testing.T, while func()) time.Duration {
	t.Helper()
	type thread struct{ Process, Thread int }
	var mu sync.Mutex
	longest, main := map[thread]time.Duration{}, map[thread]bool{}
	complete := make(chan struct{})
	if err := chromedp.Listen(p.ctx, func(event any) {
		switch e := event.(type) {
		case *tracing.EventDataCollected:
			mu.Lock()
			defer mu.Unlock()
			for _, raw := range e.Value {
				var task struct {
					Name    string          `json:"name"`
					Process int             `json:"pid"`
					Thread  int             `json:"tid"`
					Micros  int64           `json:"tdur"`
					Args    json.RawMessage `json:"args"`
				}
				if json.Unmarshal(raw, &task) != nil {
					continue // not an event
				}
				at := thread{task.Process, task.Thread}
				switch task.Name {
				case "RunTask":
					longest[at] = max(longest[at], time.Duration(task.Micros)*time.Microsecond)
				case "thread_name":
					main[at] = main[at] || string(task.Args) == `{"name":"CrRendererMain"}`
				}
			}
		case *tracing.EventTracingComplete:
			close(complete)
		}
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(p.ctx, tracing.Start, tracing.StartParams{TraceConfig: &tracing.TraceConfig{
		IncludedCategories: []string{"disabled-by-default-devtools.timeline"}, ExcludedCategories: []string{"*"},
	}}); err != nil {
		t.Fatal(err)
	}
	while()
	if _, err := chromedp.Call(p.ctx, tracing.End, cdp.Empty{}); err != nil {
		t.Fatal(err)
	}
	<-complete
	mu.Lock()
	defer mu.Unlock()
	var result time.Duration
	for at, took := range longest {
		if main[at] {
			result = max(result, took)
		}
	}
	return result
}
