package library

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// Progress events of a file are sent at most once a second, and entries of inactive files are
// removed.
func TestProgressIsRateLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p progress
		sent := 0
		for range 50 { // 5 seconds
			if p.due("a") {
				sent++
			}
			<-time.After(100 * time.Millisecond)
		}
		if sent != 5 {
			t.Errorf("sent %d progress events in 5 s, want 5", sent)
		}
		for i := range 10 * progressFiles {
			if !p.due(fmt.Sprint(i)) {
				t.Fatalf("due(%d) = false for the first event, want true", i)
			}
			<-time.After(10 * time.Millisecond)
		}
		if len(p.sent) > progressFiles {
			t.Errorf("got entries of %d files, want at most %d", len(p.sent), progressFiles)
		}
	})
}
