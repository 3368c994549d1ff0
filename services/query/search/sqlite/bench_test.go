package sqlite_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/terms"
	"github.com/assay-project/assay/services/query/search"
	"github.com/assay-project/assay/services/query/search/sqlite"
)

// longText returns a text of size bytes, of words whose frequency follows Zipf's law, with a word at its end.
func longText(n, size int) string {
	zipf := rand.NewZipf(rand.New(rand.NewPCG(uint64(n), 2)), 1.1, 2, 100_000)
	var b strings.Builder
	const last = "the very last latequux"
	for b.Len() < size-len(last) {
		fmt.Fprintf(&b, "word%d ", zipf.Uint64())
	}
	return b.String() + last
}

// BenchmarkLargestText measures indexing a text of search.MaxText bytes, and renaming its file.
func BenchmarkLargestText(b *testing.B) {
	text := longText(1, search.MaxText)
	for b.Loop() {
		b.StopTimer()
		x, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "index.db"))
		if err != nil {
			b.Fatal(err)
		}
		file := search.Item{ID: idOf("file"), Kind: search.KindFile, Owner: "ann", Parent: idOf("ann"), Name: "a.txt", Version: 1, Run: 1, Finished: true}
		if err := x.Build(b.Context(), func(yield func(search.Item, error) bool) { yield(file, nil) }, 1); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		begun := time.Now()
		if err := x.SetTexts(b.Context(), []search.Text{{Pending: search.Pending{ID: file.ID, Run: 1}, Text: text}}); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(time.Since(begun).Seconds(), "s/index")
		file.Name, file.Version = "b.txt", 2
		begun = time.Now()
		if err := x.Apply(b.Context(), []search.Item{file}, 2); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(time.Since(begun).Seconds(), "s/rename")
		if err := x.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLongTexts measures indexing texts of 8 MiB, and searches whose page has the snippets of 20 of them.
func BenchmarkLongTexts(b *testing.B) {
	const files = 20
	x, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "index.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer x.Close() //nolint:errcheck // it is temporary
	root := idOf("ann")
	file := func(n int, name string, version int64) search.Item {
		return search.Item{ID: idOf(fmt.Sprint("file", n)), Kind: "File", Owner: "ann", Parent: root, Name: name, Version: version, Status: "Processed", Run: 1}
	}
	err = x.Build(b.Context(), func(yield func(search.Item, error) bool) {
		more := yield(search.Item{ID: root, Kind: "User", Owner: "ann", Version: 1}, nil)
		for n := 0; more && n < files; n++ {
			more = yield(file(n, fmt.Sprintf("file %d.txt", n), 1), nil)
		}
	}, 1)
	if err != nil {
		b.Fatal(err)
	}
	texts := make([]search.Text, files)
	for n := range texts {
		texts[n] = search.Text{Pending: search.Pending{ID: file(n, "", 1).ID, Run: 1}, Text: longText(n, 8<<20)}
	}
	b.Run("index", func(b *testing.B) {
		if b.N > files {
			b.Skip("each text is indexed once; use -benchtime 20x")
		}
		for n := range b.N {
			if err := x.SetTexts(b.Context(), texts[n:n+1]); err != nil {
				b.Fatal(err)
			}
		}
	})
	if err := x.SetTexts(b.Context(), texts); err != nil {
		b.Fatal(err)
	}
	for _, query := range []string{"latequux", `"very last"`, "lateq*", "word0", "word0 latequux", `"word1 word0"`, "word1*"} {
		parsed, err := terms.Parse(query)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(query, func(b *testing.B) {
			for b.Loop() {
				result, err := x.Search(b.Context(), search.Query{Caller: search.Caller{Owner: "ann"}, Terms: parsed.Terms, Limit: files})
				if err != nil || len(result.Hits) != files || len(result.Hits[files-1].Snippets) == 0 {
					b.Fatalf("got %d hits, error %v, want %d with snippets", len(result.Hits), err, files)
				}
			}
		})
	}
	b.Run("rename", func(b *testing.B) {
		for n := range b.N {
			if err := x.Apply(b.Context(), []search.Item{file(0, fmt.Sprintf("renamed %d.txt", n), int64(n+2))}, uint64(n+2)); err != nil {
				b.Fatal(err)
			}
		}
	})
}
