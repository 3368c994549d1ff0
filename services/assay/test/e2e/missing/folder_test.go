package missing

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// fillFolder stores items of every area in a new data folder, stops the server and makes all objects old enough to be
// orphans.
func fillFolder(t *testing.T) *system.Server {
	t.Helper()
	s := system.StartServer(t, t.TempDir(), system.NoSweep)
	api := s.Client(t, system.NewOwner())
	for i := range 3 {
		text := fmt.Sprint("text ", i)
		system.Await(t, api, system.UploadMultipart(t, api, "a.txt", "text/plain", []byte(text)).FileID)
		node, err := api.UploadLibraryFile(system.Within(t), client.NewLibraryFile{Name: text, Size: int64(len(text)), ContentType: "text/plain"},
			client.Source{Content: strings.NewReader(text)})
		if err == nil {
			_, err = api.WaitNode(system.Within(t), node.ID)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	system.AwaitPhoto(t, api, system.SendPhoto(t, api, "sepia", system.DrawPhoto(t, 34)).JobID, client.Completed)
	s.PostItem(t, system.NewPosting("The book was good.", "a"))
	s.AwaitItems(t, "a", 1)
	if status := s.Program.Interrupt(t); status != 0 {
		t.Fatalf("the server exited with %d, want 0", status)
	}
	old := time.Now().Add(-72 * time.Hour)
	for _, path := range objectsOf(t, s.Dir) {
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// objectsOf returns the paths of all objects in a data folder.
func objectsOf(t *testing.T, dir string) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(filepath.Join(dir, "s3", "objects"), func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			all = append(all, path)
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return all
}

// breakPart removes or empties a part of a data folder, or replaces it by that of another folder.
func breakPart(t *testing.T, dir, part, how, other string) {
	t.Helper()
	path := filepath.Join(dir, part)
	err := os.RemoveAll(path)
	switch {
	case err == nil && how == "empty" && part == "dynamodb.db":
		err = os.WriteFile(path, nil, 0o600)
	case err == nil && how == "empty":
		err = os.Mkdir(path, 0o700)
	case err == nil && how == "another folder's":
		copied := filepath.Join(t.TempDir(), "other")
		if err = os.CopyFS(copied, os.DirFS(other)); err == nil {
			err = os.Rename(filepath.Join(copied, part), path)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestPartOfAnotherFolderIsRefused: a server does not start on a data folder of which one part is absent, empty or of
// another folder. It names both parts, and `assay verify` reports them.
func TestPartOfAnotherFolderIsRefused(t *testing.T) {
	t.Parallel()
	s := fillFolder(t)
	other := system.StartServer(t, t.TempDir(), system.NoSweep)
	if status := other.Program.Interrupt(t); status != 0 {
		t.Fatalf("the other server exited with %d, want 0", status)
	}
	for _, part := range []string{"dynamodb.db", "s3", "nats"} {
		for _, how := range []string{"absent", "empty", "another folder's"} {
			dir := filepath.Join(t.TempDir(), "copy")
			if err := os.CopyFS(dir, os.DirFS(s.Dir)); err != nil {
				t.Fatal(err)
			}
			breakPart(t, dir, part, how, other.Dir)
			before := objectsOf(t, dir)
			for _, command := range []string{"verify", "serve"} { // verify changes nothing that serve depends on
				p := system.Launch(t, "assay", s.Env, command, "--data", dir)
				status, said := p.End(t), p.Output.String()
				if status != 1 || !strings.Contains(said, "do not belong together") || !strings.Contains(said, part+" is") {
					t.Errorf("assay %s with the %s %s exited with %d, want 1 and the names of the parts: %s", command, part, how, status, said)
				}
			}
			if after := objectsOf(t, dir); !slices.Equal(after, before) {
				t.Errorf("with the %s %s, the objects changed from %q to %q", part, how, before, after)
			}
		}
	}
	s.Restart(t) // the original folder
}

// TestLostDatabaseKeepsTheObjects: if an operator accepts that the database is absent or empty, sweeps keep all objects
// and report them, until the operator allows their deletion.
func TestLostDatabaseKeepsTheObjects(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"absent", "empty"} {
		t.Run(how, func(t *testing.T) {
			s := fillFolder(t)
			before := objectsOf(t, s.Dir)
			breakPart(t, s.Dir, "dynamodb.db", how, "")
			p := system.Launch(t, "assay", append(s.Env, "ASSAY_SWEEP_EVERY=200ms", "ASSAY_SWEEP_RATE=100000"), "serve", "--accept-empty", "--data", s.Dir)
			p.Await(t, "Assay is ready.")
			s.System = system.ReadEndpoints(t, s.Dir)
			stopped := map[string]int{"textfile": 1, "feed": 1, "photojob": 2, "library": 1}
			swept := map[time.Time]bool{}
			system.Eventually(t, func() error {
				areas := sweepReports(t, s.System)
				stops := map[string]int{}
				for _, a := range areas {
					stops[a.Name] = len(a.Stops)
					if a.Name == "textfile" {
						swept[a.Last.At] = true
					}
					for _, stop := range a.Stops {
						if stop.Orphans == 0 || stop.Orphans != stop.Of || !strings.Contains(stop.Reason, "--allow-orphans") {
							t.Errorf("the stop in %s is %+v, want that all objects are orphans, and the remedy", a.Name, stop)
						}
					}
				}
				if !maps.Equal(stops, stopped) || len(swept) < 3 {
					return fmt.Errorf("%d sweeps stopped %v, want 3 sweeps and %v", len(swept), stops, stopped)
				}
				return nil
			})
			if !strings.Contains(p.Output.String(), "sweep stopped") {
				t.Error("the log does not say that a sweep stopped")
			}
			if after := objectsOf(t, s.Dir); !slices.Equal(after, before) || len(after) < 9 {
				t.Errorf("after the sweeps there are the objects %q, want %q", after, before)
			}
			allow := system.Launch(t, "assay", nil, "sweep", "--allow-orphans", "--data", s.Dir)
			if status := allow.End(t); status != 0 {
				t.Errorf("the allowed sweep exited with %d, want 0: %s", status, allow.Output)
			}
			if after := objectsOf(t, s.Dir); len(after) > 0 {
				t.Errorf("after the allowed sweep there are the objects %q, want none", after)
			}
			system.Eventually(t, func() error { // a sweep that ran at the same time may have stopped; the next one has no reason to
				for _, a := range sweepReports(t, s.System) {
					if len(a.Stops) > 0 {
						return fmt.Errorf("after the allowed sweep, %s has the stops %+v, want none", a.Name, a.Stops)
					}
				}
				return nil
			})
		})
	}
}

// sweepReport is the report of an area in GET /v1/sweeps.
type sweepReport struct {
	Name  string
	Last  struct{ At time.Time }
	Stops []struct {
		Orphans, Of int
		Reason      string
	}
}

func sweepReports(t *testing.T, s system.System) []sweepReport {
	t.Helper()
	operated := s
	operated.HTTP = s.Operator
	var out struct{ Areas []sweepReport }
	if err := operated.GetJSON(system.Within(t), "/v1/sweeps", &out); err != nil {
		t.Fatal(errors.Join(errors.New("the sweeps"), err))
	}
	return out.Areas
}
