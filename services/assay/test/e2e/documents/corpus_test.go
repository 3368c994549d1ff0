package documents

import (
	"context"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"sync"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/assay-project/assay/pkg/extract/recall"
	"github.com/assay-project/assay/services/assay/test/corpus"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

var compared = flag.Bool("recall", false, "compare the texts of the corpus with the output of pdftotext and LibreOffice (Debian: poppler-utils, libreoffice)")

var numbers = regexp.MustCompile(`[0-9]+|"[^"]*"`)

// TestCorpus: every public document ends in a final state, and failures state their reason. With -recall, the texts are
// compared with the output of pdftotext and LibreOffice. Without ASSAY_CORPUS, only the manifest is checked.
func TestCorpus(t *testing.T) {
	dir := os.Getenv(corpus.Dir)
	if dir == "" {
		if _, err := corpus.All(); err != nil {
			t.Error(err)
		}
		return
	}
	found, missing, err := corpus.In(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d documents; %d documents of the manifest are missing", len(found), missing)
	var all []document
	for _, d := range found {
		all = append(all, document{filepath.Base(d.Address), func() []byte {
			data, err := os.ReadFile(filepath.Join(dir, d.Name()))
			if err != nil {
				t.Error(err)
			}
			return data
		}})
	}
	s := system.StartServer(t, t.TempDir())
	outcomes := process(t, s.System, all)
	ends := map[string]int{}
	for _, o := range outcomes {
		explained(t, o)
		ends[o.node.SubType+" "+o.node.Status]++
		if o.node.ErrorMessage != "" {
			ends[o.node.SubType+": "+numbers.ReplaceAllString(o.node.ErrorMessage, "#")]++
		}
	}
	for _, end := range slices.Sorted(maps.Keys(ends)) {
		t.Logf("%4d %s", ends[end], end)
	}
	boundedMemory(t, s)
	if *compared {
		compare(t, dir, found, outcomes)
	}
}

// bar is the minimum recall of a format: the share of documents with a recall above 0.9, or the mean.
type bar struct{ share, mean float64 }

var bars = map[string]bar{
	"pdf": {share: 0.92}, "docx": {mean: 0.95}, "odt": {mean: 0.95}, "pptx": {mean: 0.85}, "xlsx": {mean: 0.85}, "ods": {}, "odp": {},
}

// compare measures the word recall of documents that both Assay and the reference program can read and that have enough
// words.
func compare(t *testing.T, dir string, found []corpus.Document, outcomes []outcome) {
	t.Helper()
	var mu sync.Mutex
	shares := map[string][]float64{}
	unread := map[string]int{}
	all, ctx := errgroup.WithContext(t.Context())
	all.SetLimit(runtime.GOMAXPROCS(0))
	for i, d := range found {
		ending := d.Ending()
		if _, judged := bars[ending]; !judged {
			continue
		}
		all.Go(func() error {
			reference, err := referenceText(ctx, t, filepath.Join(dir, d.Name()), ending)
			mu.Lock()
			defer mu.Unlock()
			want := recall.Words(reference)
			share, words := recall.Of(want, recall.Words(outcomes[i].text)), len(want)
			switch {
			case err != nil:
				t.Logf("%s: no reference: %v", d.Name(), err)
				unread[ending+" not read by the reference"]++
			case words < recall.MinWords:
				unread[ending+" with too few words"]++
			case !outcomes[i].has("text"):
				t.Logf("%s: %d words, no text: %s", d.Name(), words, outcomes[i].reasons())
				unread[ending+" not read"]++
			default:
				shares[ending] = append(shares[ending], share)
				if share < 0.95 {
					t.Logf("%s: recall %.3f of %d words", d.Name(), share, words)
				}
			}
			return nil
		})
	}
	if err := all.Wait(); err != nil {
		t.Fatal(err)
	}
	for _, what := range slices.Sorted(maps.Keys(unread)) {
		t.Logf("%4d %s", unread[what], what)
	}
	for _, ending := range slices.Sorted(maps.Keys(bars)) {
		judge(t, ending, bars[ending], shares[ending])
	}
}

func referenceText(ctx context.Context, t *testing.T, path, ending string) (string, error) {
	made, err := os.MkdirTemp(t.TempDir(), "")
	if err != nil {
		return "", err
	}
	return corpus.Reference(ctx, path, ending, made)
}

func judge(t *testing.T, ending string, b bar, shares []float64) {
	t.Helper()
	if len(shares) == 0 {
		t.Errorf("%s: no documents were compared", ending)
		return
	}
	var sum float64
	above := 0
	for _, share := range shares {
		sum += share
		if share > 0.9 {
			above++
		}
	}
	mean, part := sum/float64(len(shares)), float64(above)/float64(len(shares))
	t.Logf("%s: %d documents, mean recall %.3f, above 0.9 for %d (%.1f%%)", ending, len(shares), mean, above, 100*part)
	if part < b.share || mean < b.mean {
		t.Errorf("%s: recall above 0.9 for a share of %.3f, mean recall %.3f; want at least %+v", ending, part, mean, b)
	}
}
