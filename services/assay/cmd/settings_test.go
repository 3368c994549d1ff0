package cmd

import (
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"github.com/assay-project/assay/services/assay/endpoints"
)

// nowhere is the URL of a port without a listener: RFC 1078 reserves port 1, and no system assigns it to
// other programs.
const nowhere = "http://127.0.0.1:1"

func TestServerIsFound(t *testing.T) {
	running, err := endpoints.Read(testDir)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	t.Setenv("ASSAY_OWNER", "ann")
	t.Setenv("ASSAY_DATA_DIR", dir)
	start := "start one with: " + os.Args[0] + " serve"
	run(t.Context(), "", "list").want(t, 1, "", "no Assay server has run in "+dir+"; "+start)

	if err := endpoints.Write(dir, endpoints.Endpoints{HTTP: nowhere}); err != nil {
		t.Fatal(err)
	}
	run(t.Context(), "", "list").want(t, 1, "", "no Assay server responds at "+nowhere+"; "+start)
	paths := write(t, "a", "1", "b", "2", "c", "3")
	run(t.Context(), "", append([]string{"upload"}, paths...)...).want(t, 1, "", "assay: no Assay server responds at "+nowhere)
	run(t.Context(), "", "delete", "00000000-0000-7000-8000-000000000000", "00000000-0000-7000-8000-000000000001").want(t, 1, "", "assay: no Assay server responds at "+nowhere)

	if err := endpoints.Write(dir, running); err != nil {
		t.Fatal(err)
	}
	run(t.Context(), "", "list").want(t, 0, "", "No files yet")
	run(t.Context(), "", "list", "--data", t.TempDir()).want(t, 1, "", "no Assay server has run")
	t.Setenv("ASSAY_SERVER", nowhere)
	run(t.Context(), "", "list").want(t, 1, "", nowhere)
	run(t.Context(), "", "list", "--server", running.HTTP).want(t, 0, "", "No files yet")
	run(t.Context(), "", "list", "--server", "localhost").want(t, 2, "", `server address "localhost" is not a URL`)
}

func TestOwner(t *testing.T) {
	t.Setenv("ASSAY_OWNER", "from-variable")
	for flag, want := range map[string]string{"from-flag": "from-flag", "": "from-variable"} {
		s := settings{owner: flag}
		if got, err := s.findOwner(); err != nil || got != want {
			t.Errorf("flag %q: got %s, %v, want %s", flag, got, err, want)
		}
	}
}

func TestOwnerIsCreatedOnce(t *testing.T) {
	dir := t.TempDir() + "/new"
	var mu sync.Mutex
	found := map[string]bool{}
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			owner, err := keptOwner(dir)
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			found[owner] = true
		})
	}
	all.Wait()
	for owner := range found {
		if _, err := uuid.Parse(owner); err != nil || len(found) != 1 {
			t.Errorf("owners %v, want one id: %v", found, err)
		}
	}
}

// TestOwnerIsPrinted checks that the owner is that of the settings, else an id that is generated once.
func TestOwnerIsPrinted(t *testing.T) {
	ownFolder(t)
	t.Setenv("ASSAY_OWNER", "")
	first := run(t.Context(), "", "owner")
	if _, err := uuid.Parse(strings.TrimSpace(first.out)); err != nil || first.status != 0 {
		t.Errorf("owner: got %+v, %v, want an id", first, err)
	}
	if again := run(t.Context(), "", "owner"); again.out != first.out {
		t.Errorf("owner: got %q, then %q, want the same id", first.out, again.out)
	}
	run(t.Context(), "", "owner", "--owner", "ann").want(t, 0, "ann\n", "")
	t.Setenv("ASSAY_OWNER", "me")
	run(t.Context(), "", "owner", "--json").want(t, 0, `{"owner":"me"}`+"\n", "")
}

func TestExitStatusOfUnusableSettings(t *testing.T) {
	t.Setenv("ASSAY_NATS_URL", "")
	run(t.Context(), "", "setup", "word").want(t, 2, "", "See: assay setup --help")
	run(t.Context(), "", "setup").want(t, 2, "", "assay: ASSAY_NATS_URL")
}

func TestHelp(t *testing.T) {
	got := run(t.Context(), "")
	if got.status != 0 || !strings.Contains(got.out, "upload") {
		t.Errorf("assay without arguments: got %+v, want status 0 and the list of commands", got)
	}
	for _, args := range [][]string{{"upload", "--help"}, {"version"}, {"version", "--json"}, {"completion", "bash"}} {
		if got := run(t.Context(), "", args...); got.status != 0 || got.out == "" {
			t.Errorf("%v: got %+v, want status 0 and some output", args, got)
		}
	}
	for _, args := range [][]string{
		{"uplaod"}, {"help", "uplaod"}, {"completion", "csh"}, {"completion", "bash", "csh"}, {"list", "--all", "--limit", "3"},
		{"feed", "sources", "set", "a", "--tags", "b", "--add-tag", "c"}, {"list", "--every"}, {"dead", "raise"}, {"feed", "eat"},
	} {
		if got := run(t.Context(), "", args...); got.status != 2 || got.out != "" || !strings.HasSuffix(got.errors, " --help\n") {
			t.Errorf("%v: got %+v, want status 2 and a reference to --help", args, got)
		}
	}
	if got := run(t.Context(), "", "__complete", "list", "--status", ""); !strings.Contains(got.out, "COMPLETED\n") {
		t.Errorf("completion of --status: got %+v, want COMPLETED", got)
	}
}
