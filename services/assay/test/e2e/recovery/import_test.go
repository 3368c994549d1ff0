package recovery

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
	"github.com/assay-project/assay/services/assay/test/fault/audit"
	"github.com/assay-project/assay/services/assay/test/fault/ledger"
)

var importFiles = flag.Int("fault.files", 40, "number of files imported while services are killed, 20 per folder")

const (
	filesPerFolder = 20
	filesPerKill   = 300
)

// tree is a local directory with small files in subdirectories.
type tree struct {
	dir   string
	files map[string]bool // paths below dir
}

// writeTree writes files, half of them texts and half of an unknown type.
func writeTree(t *testing.T, files int) tree {
	t.Helper()
	source := tree{filepath.Join(t.TempDir(), "tree"), map[string]bool{}}
	for i := range files {
		name, content := fmt.Sprintf("folder %03d/%05d.txt", i/filesPerFolder, i), system.RandomText(uint64(i), 40)
		if i%2 == 0 {
			name, content = strings.Replace(name, ".txt", ".bin", 1), fmt.Sprintf("\x00\x01 %d", i)
		}
		path := filepath.Join(source.dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		source.files[name] = true
	}
	return source
}

// TestKilledServicesLoseNothingOfAnImport: ingest, analyzer and query are killed in turn while one command imports a
// tree of files. Every file becomes Processed once, in its folder, and running the command again adds no files.
func TestKilledServicesLoseNothingOfAnImport(t *testing.T) {
	if testing.Short() {
		t.Skip("make import runs it")
	}
	t.Parallel()
	c, source, owner := startServices(t), writeTree(t, *importFiles), system.NewOwner()
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute+time.Duration(*importFiles)*500*time.Millisecond)
	defer cancel()
	put := func() *system.Program {
		return system.Launch(t, "assay", []string{"ASSAY_SERVER=" + c.HTTP, "ASSAY_OWNER=" + owner},
			"library", "put", source.dir, "--wait", "--json", "--parallel", "16")
	}
	command := put()
	random, kills := rand.New(rand.NewPCG(system.LoadSeed(), 2)), max(6, *importFiles/filesPerKill)
	part := *importFiles / kills
	for kill := range kills {
		command.AwaitLines(ctx, t, kill*part+random.IntN(part))
		role := roles[kill%len(roles)]
		c.running[role].Kill(t)
		c.restart(t, role)
	}
	if status := command.EndWithin(ctx, t); status != 0 {
		t.Fatalf("the command exited with %d, want 0: %s", status, command.Output.Tail(8000))
	}
	promises := imported(t, command, source)
	promises = append(promises, listed(ctx, t, c.Client(t, owner), source, promises)...)
	report := c.Audit(ctx, t, promises)
	enter(t, ledger.Run{
		Fault: "`kill -9` of ingest, analyzer and query in turn while one command imports a tree of folders", Runs: kills,
		Means: "`assay library put --wait` showed the file as Processed.",
	}, report)

	again := put()
	if status := again.EndWithin(ctx, t); status != 0 {
		t.Fatalf("the second run of the command exited with %d, want 0: %s", status, again.Output.Tail(8000))
	}
	imported(t, again, source)
	c.Audit(ctx, t, promises)
}

// imported returns the promises of the files that the command printed, after comparing them with the tree.
func imported(t *testing.T, command *system.Program, source tree) []audit.Promise {
	t.Helper()
	var promises []audit.Promise
	left := len(source.files)
	for line := range strings.Lines(command.Output.String()) {
		var file struct {
			Path string `json:"path"`
			client.Node
		}
		if err := json.Unmarshal([]byte(line), &file); err != nil || file.ID == "" {
			t.Errorf("the command printed %s, want a file as JSON", line)
			continue
		}
		below, err := filepath.Rel(source.dir, file.Path)
		if err != nil || !source.files[below] {
			t.Errorf("the command printed the path %s, %v; want a file of the tree", file.Path, err)
		}
		left--
		promises = append(promises, audit.Promise{
			Run: "import", Area: library.Name, ID: file.ID, At: file.CreatedAt, Result: "Processed /tree/" + filepath.ToSlash(below),
		})
	}
	if left != 0 {
		t.Errorf("the command printed %d files, want %d", len(source.files)-left, len(source.files))
	}
	return promises
}

// listed compares the lists of all folders with the promised files, and returns the promises of the folders.
func listed(ctx context.Context, t *testing.T, c *client.Client, source tree, promises []audit.Promise) []audit.Promise {
	t.Helper()
	root, err := c.Root(ctx)
	if err != nil {
		t.Fatal(err)
	}
	wanted := map[string]string{} // results by id
	for _, p := range promises {
		wanted[p.ID] = p.Result
	}
	var folders []audit.Promise
	var walk func(id, path string)
	walk = func(id, path string) {
		for n, err := range c.Children(ctx, id, client.Reading{}) {
			at := path + "/" + n.Name
			switch {
			case err != nil:
				t.Fatal(err)
			case n.IsFolder():
				folders = append(folders, audit.Promise{Run: "import", Area: library.Name, ID: n.ID, At: n.CreatedAt, Result: "Created " + at})
				walk(n.ID, at)
			case wanted[n.ID] != n.Status+" "+at:
				t.Errorf("%s is listed as %s at %s, want %q", n.ID, n.Status, at, wanted[n.ID])
			default:
				delete(wanted, n.ID)
			}
		}
	}
	walk(root.ID, "")
	if want := 1 + (len(source.files)+filesPerFolder-1)/filesPerFolder; len(folders) != want || len(wanted) > 0 {
		t.Errorf("%d folders are listed, want %d; %d files are missing, want 0", len(folders), want, len(wanted))
	}
	return folders
}
