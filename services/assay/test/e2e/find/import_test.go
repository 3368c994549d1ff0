package find

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

var (
	importedFiles = flag.Int("find.files", 40, "number of files that are imported while others are searched, half of them into the library")
	importedBytes = flag.Int("find.bytes", 100_000, "size of their texts")
)

const (
	importsAtOnce = 8
	searchEvery   = 100 * time.Millisecond
	// searchable limits the time until all imported files are found.
	searchable = 20 * time.Minute
)

// TestFilesAreFoundDuringAnImport: while an owner imports files, its earlier files and those of another owner are found. It reports how long
// searches take; `go test -find.files 3000` imports 300 MB.
func TestFilesAreFoundDuringAnImport(t *testing.T) {
	s := system.StartServer(t, t.TempDir())
	ctx, cancel := context.WithTimeout(t.Context(), searchable)
	defer cancel()
	importing, other := s.Client(t, system.NewOwner()), s.Client(t, system.NewOwner())
	searchers := map[string]*client.Client{"the importing owner": importing, "another owner": other}
	earlier := word()
	for _, c := range searchers {
		store(t, s.System, c, earlier)
	}
	took := map[string][]time.Duration{}
	search := func(name string) error {
		began := time.Now()
		page, err := searchers[name].Search(ctx, client.AreaSearch{Query: earlier, Areas: []string{"library", "textfile"}})
		if err == nil && len(page.Hits) != 2 {
			err = fmt.Errorf("%d hits, want 2", len(page.Hits))
		}
		if err != nil {
			return fmt.Errorf("search of %s during the import: %w", name, err)
		}
		took[name] = append(took[name], time.Since(began))
		return nil
	}
	for name, c := range searchers { // once the earlier files are indexed
		find(t, c, client.AreaSearch{Query: earlier})
		if err := search(name); err != nil {
			t.Fatal(err)
		}
	}
	began := time.Now()
	var imported time.Duration
	both, ctx := errgroup.WithContext(ctx)
	ended, end := context.WithCancel(ctx)
	both.Go(func() (err error) {
		defer end()
		if err = importFiles(ctx, importing, func() { imported = time.Since(began) }); err != nil {
			return fmt.Errorf("import: %w", err)
		}
		return nil
	})
	both.Go(func() error {
		next := time.NewTicker(searchEvery)
		defer next.Stop()
		for {
			for name := range searchers {
				if err := search(name); err != nil {
					return err
				}
			}
			select {
			case <-ended.Done():
				return nil
			case <-next.C:
			}
		}
	})
	if err := both.Wait(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d files of %d bytes: processed after %v, found after %v", *importedFiles, *importedBytes, imported.Round(time.Second), time.Since(began).Round(time.Second))
	for name, all := range took {
		slices.Sort(all)
		at := func(share float64) time.Duration { return all[int(share*float64(len(all)-1))].Round(time.Millisecond) }
		t.Logf("%d searches of %s: p50 %v, p99 %v, longest %v", len(all), name, at(0.5), at(0.99), at(1))
	}
}

// importFiles uploads files and waits until they are processed, calls processed, and waits until the index has all of them.
func importFiles(ctx context.Context, c *client.Client, processed func()) error {
	items := make([]string, *importedFiles)
	uploads, uploading := errgroup.WithContext(ctx)
	uploads.SetLimit(importsAtOnce)
	for i := range items {
		uploads.Go(func() (err error) {
			items[i], err = importFile(uploading, c, i)
			return err
		})
	}
	if err := uploads.Wait(); err != nil {
		return err
	}
	processed()
	for _, item := range items {
		for {
			_, err := c.Search(ctx, client.AreaSearch{Query: "imported", After: item, Limit: 1})
			if err == nil {
				break
			}
			if !system.IsProblem(err, http.StatusServiceUnavailable) {
				return err
			}
		}
	}
	return nil
}

// importFile uploads a file and waits until it is processed. It returns its area and id.
func importFile(ctx context.Context, c *client.Client, number int) (item string, err error) {
	name, text := fmt.Sprintf("imported-%d.txt", number), words(uint64(number), *importedBytes)
	if number%2 == 0 {
		file, err := c.PostFile(ctx, client.Posted{FileName: name, ContentType: "text/plain", Content: strings.NewReader(text)})
		if err == nil {
			file, err = c.Wait(ctx, file.FileID)
		}
		return "textfile/" + file.FileID, err
	}
	sum := sha256.Sum256([]byte(text))
	file := client.NewLibraryFile{Name: name, Size: int64(len(text)), ContentType: "text/plain", SHA256: hex.EncodeToString(sum[:])}
	node, err := c.UploadLibraryFile(ctx, file, client.Source{Content: strings.NewReader(text)})
	if err == nil {
		node, err = c.WaitNode(ctx, node.ID)
	}
	return "library/" + node.ID, err
}

// words returns a text of size bytes. The frequency of its 50,000 words follows Zipf's law.
func words(seed uint64, size int) string {
	random := rand.New(rand.NewPCG(seed, 11))
	zipf := rand.NewZipf(random, 1.1, 2, 50_000-1)
	var b strings.Builder
	for b.Len() < size {
		fmt.Fprintf(&b, "w%dx ", zipf.Uint64())
	}
	return b.String()[:size]
}
