package pipeline

import (
	"os"
	"testing"
	"time"

	"github.com/assay-project/assay/services/assay/test/capacity"
)

func TestMain(m *testing.M) {
	if status, played := Play(); played {
		os.Exit(status)
	}
	os.Exit(m.Run())
}

// TestEveryProgramProcessesFiles: the floor, `assay serve` and the separate services
// process files and report their usage.
func TestEveryProgramProcessesFiles(t *testing.T) {
	for name, begin := range map[string]func() (*program, error){
		roleFloor:     func() (*program, error) { return start(roleFloor, t.TempDir()) },
		roleCalls:     func() (*program, error) { return start(roleCalls, t.TempDir()) },
		roleAssay:     func() (*program, error) { return start(roleAssay, t.TempDir()) },
		"services":    func() (*program, error) { return startSeparate(t.TempDir()) },
		"floor alone": func() (*program, error) { return startFloorSeparate(t.TempDir()) },
	} {
		t.Run(name, func(t *testing.T) {
			p, err := begin()
			if err != nil {
				t.Fatal(err)
			}
			defer p.stop()
			s, err := load(t.Context(), p, 4, 50*time.Millisecond)
			if err != nil {
				t.Fatal(err)
			}
			if len(s.ends) < 4 || s.cpu <= 0 || s.accepted(.5) <= 0 || s.completed(.99) < s.completed(.5) {
				t.Errorf("got %d files, CPU time %v, accepted after %v s, completed after %v s (p50) and %v s (p99); want at least 4 files and positive, increasing times",
					len(s.ends), s.cpu, s.accepted(.5), s.completed(.5), s.completed(.99))
			}
			if err := many(t.Context(), p, 2, 7); err != nil {
				t.Error(err)
			}
			if p.role == roleFloor || p.role == roleCalls {
				return
			}
			if err := p.large(t.Context(), 200_000); err != nil {
				t.Error(err)
			}
			peaks, err := p.peaks()
			if err != nil {
				t.Fatal(err)
			}
			for role, peak := range peaks {
				if peak < 1<<20 {
					t.Errorf("peak memory of %s = %d bytes, want at least 1 MiB", role, peak)
				}
			}
		})
	}
}

// TestNodeIsLoadedWithEveryKind: a node processes items of every area, and reports their CPU time by program.
func TestNodeIsLoadedWithEveryKind(t *testing.T) {
	node, err := StartServices(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer node.Stop()
	for _, kind := range []string{capacity.TextForm, capacity.FeedItem, capacity.Photo, capacity.LibraryFile} {
		f, err := node.Load(t.Context(), kind, 2, 50*time.Millisecond)
		if err != nil {
			t.Errorf("%s: %v", kind, err)
			continue
		}
		sum := time.Duration(0)
		for _, role := range services {
			sum += f.Roles[role]
		}
		if f.Rate <= 0 || f.CPU <= 0 || f.Client <= 0 || f.Completed[0] < f.Accepted[0] || sum < f.CPU/2 {
			t.Errorf("%s: the figures are %+v, want a rate, CPU times of all programs, and an end after the response", kind, f)
		}
	}
	if _, err := node.Load(t.Context(), "nothing", 1, time.Millisecond); err == nil {
		t.Error("a load of an unknown kind returned no error")
	}
}
