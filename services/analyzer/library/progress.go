package library

import (
	"sync"
	"time"

	"github.com/assay-project/assay/pkg/library"
)

const (
	// progressEvery is the minimum time between two progress events of a file.
	progressEvery = time.Second
	// progressFiles is the maximum number of files whose last progress is remembered.
	progressFiles = 1024
)

// progress limits how often the progress of a file is sent.
type progress struct {
	mu   sync.Mutex
	sent map[string]time.Time // by file
}

// due reports whether the progress of a file may be sent now.
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

// tell publishes the progress of a workflow. It is a hint, which may be lost.
func (a *Area) tell(w library.Workflow) {
	if !a.progress.due(w.FileID) {
		return
	}
	if err := a.bus.Signal(w.Progress()); err != nil {
		a.log.Debug().Err(err).Str("file", w.FileID).Msg("cannot send progress")
	}
}
