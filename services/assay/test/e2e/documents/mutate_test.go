package documents

import (
	"archive/zip"
	"bytes"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/extract/records/recordstest"
	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/corpus"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

var mutations = flag.Int("mutations", 1, "number of mutated documents per format")

// formats lists the formats whose documents are mutated.
var formats = []string{"pdf", "docx", "xlsx", "pptx", "odt", "ods", "odp", "html", "svg", "doc", "xls", "ppt"}

const (
	largestSeed = 300_000 // maximum size in bytes of a public document that is mutated
	// slowestOther limits the time of each upload of another owner while mutated documents are processed.
	slowestOther = 15 * time.Second
	// peakMemory limits the memory of the process, in bytes: 256 MiB for each of two engines, ASSAY_LIBRARY_MEMORY for
	// pictures, and memory for everything else.
	peakMemory = raceFactor * 2 << 30
)

// seeds returns the documents to mutate, by format: generated documents, and public documents if available.
func seeds(t *testing.T) map[string][][]byte {
	t.Helper()
	all := map[string][][]byte{}
	for _, g := range generated() {
		if ending := filepath.Ext(g.name); ending != "" && slices.Contains(formats, ending[1:]) && g.status != client.LibraryFailed {
			all[ending[1:]] = append(all[ending[1:]], g.data())
		}
	}
	dir := os.Getenv(corpus.Dir)
	if dir == "" {
		return all
	}
	found, _, err := corpus.In(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range found {
		if !slices.Contains(formats, d.Ending()) {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, d.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if len(data) <= largestSeed {
			all[d.Ending()] = append(all[d.Ending()], data)
		}
	}
	return all
}

// mutated returns a mutated document. In half of the cases, an archive is damaged only inside a part, so that the
// archive itself is valid.
func mutated(random *rand.Rand, seeds [][]byte) []byte {
	seed := seeds[random.IntN(len(seeds))]
	archive, err := zip.NewReader(bytes.NewReader(seed), int64(len(seed)))
	if err != nil || len(archive.File) == 0 || random.IntN(2) == 0 {
		return recordstest.Mutated(random, [][]byte{seed})
	}
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	damaged := random.IntN(len(archive.File))
	for i, f := range archive.File {
		if i != damaged {
			_ = w.Copy(f) // writes to a buffer do not fail, and a damaged seed results in another mutation
			continue
		}
		var part []byte
		if r, err := f.Open(); err == nil {
			part, _ = io.ReadAll(r)
		}
		if p, err := w.Create(f.Name); err == nil {
			_, _ = p.Write(recordstest.Mutated(random, [][]byte{part}))
		}
	}
	_ = w.Close()
	return out.Bytes()
}

// TestMutatedDocuments: each document ends in a final state, with a reason that concerns the document; memory stays
// bounded, and work of other owners is not delayed.
func TestMutatedDocuments(t *testing.T) {
	s := system.StartServer(t, t.TempDir())
	random := rand.New(rand.NewPCG(20, 1))
	var all []document
	byFormat := seeds(t)
	for _, format := range formats {
		if len(byFormat[format]) == 0 {
			t.Fatalf("no seed for format %s", format)
		}
		for n := range *mutations {
			data := mutated(random, byFormat[format])
			all = append(all, document{fmt.Sprintf("%04d.%s", n, format), func() []byte { return data }})
		}
	}
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	stop := otherWork(t, s.System)
	ends := map[string]map[string]int{}
	for _, o := range process(t, s.System, all) {
		explained(t, o)
		format := filepath.Ext(o.name)
		if ends[format] == nil {
			ends[format] = map[string]int{}
		}
		ends[format][o.node.Status]++
	}
	for _, format := range slices.Sorted(maps.Keys(ends)) {
		t.Log(format, ends[format])
	}
	others := stop()
	if len(others) == 0 {
		t.Fatal("no text of the other owner was processed, want at least one")
	}
	slices.Sort(others)
	t.Logf("%d texts of another owner: median %v, slowest %v", len(others), others[len(others)/2], others[len(others)-1])
	if slowest := others[len(others)-1]; slowest > slowestOther {
		t.Errorf("an upload of another owner took %v, want at most %v", slowest, slowestOther)
	}
	boundedMemory(t, s)
}
