package library

import (
	"sync"
	"time"

	"github.com/assay-project/assay/pkg/library"
)

const (
	// progressEvery is the minimum time between two progress events of a file.
	progressEvery = time.Second
	// progressFiles is the maximum number of files for which the time of the last progress event is stored.
	progressFiles = 1024
)

// progress limits the rate of progress events of a file.
type progress struct {
	mu   sync.Mutex
	sent map[string]time.Time // time of the last event, by file
}

// due reports whether a progress event of a file may be sent now.
func (p *progress) due(fileID string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if now.Sub(p.sent[fileID]) < progressEvery {
		return false
	}
	if len(p.sent) >= progressFiles {
		for id, at := range p.sent {
			if now.Sub(at) >= progressEvery {
				delete(p.sent, id)
			}
		}
	}
	if p.sent == nil {
		p.sent = map[string]time.Time{}
	}
	p.sent[fileID] = now
	return true
}

// publishProgress publishes the progress of a workflow. Progress events are hints and may be lost.
func (a *Area) publishProgress(w library.Workflow) {
	if !a.progress.due(w.FileID) {
		return
	}
	if err := a.bus.Signal(w.Progress()); err != nil {
		a.log.Debug().Err(err).Str("file", w.FileID).Msg("cannot send progress")
	}
}
