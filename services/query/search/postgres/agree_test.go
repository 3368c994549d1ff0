//go:build !noclients

package postgres_test

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/terms"
	"github.com/assay-project/assay/services/query/search"
	"github.com/assay-project/assay/services/query/search/sqlite"
)

// vocabulary are words with common beginnings, forms and errors.
var vocabulary = strings.Fields("report reports reporting budget budgets budgte annual zürich Zurich rep the the the of of 2026 a1 東京 straße strasse")

func words(random *rand.Rand, count int) string {
	all := make([]string, count)
	for i := range all {
		all[i] = vocabulary[random.IntN(len(vocabulary))]
	}
	return strings.Join(all, " ")
}

// randomQuery returns a query with words, phrases, prefixes, fields and exclusions.
func randomQuery(random *rand.Rand) string {
	var terms []string
	for i := range 1 + random.IntN(3) {
		term := words(random, 1)
		switch random.IntN(5) {
		case 0:
			term = `"` + words(random, 1+random.IntN(4)) + `"`
		case 1:
			term = string([]rune(term + "xx")[:2]) + "*"
		case 2:
			term = []string{"name:", "text:", "title:", "author:"}[random.IntN(4)] + term
		}
		if i > 0 && random.IntN(4) == 0 {
			term = "-" + term
		}
		terms = append(terms, term)
	}
	return strings.Join(terms, " ")
}

// TestEnginesAgree checks that both engines find the same items for random queries in random names, properties and texts, of which
// some are long.
func TestEnginesAgree(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	file, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "index.db"))
	if err != nil {
		t.Fatal(err)
	}
	database, err := leading(t.Context(), database(t), areaOf(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	engines := []search.Index{file, database}
	texts := map[string]search.Text{}
	var all []search.Item
	all = append(all, search.Item{ID: root, Kind: search.KindUser, Owner: "ann", Version: 1})
	for n := range 150 {
		item := search.Item{
			ID: fmt.Sprint("file-", n), Kind: search.KindFile, Owner: "ann", Parent: root, Name: words(random, 1+random.IntN(3)) + ".txt", Version: 1, Run: 1, Finished: true,
		}
		length := random.IntN(30)
		if n%10 == 0 {
			length = 2000 + random.IntN(3000) // several parts
		}
		texts[item.ID] = search.Text{Text: words(random, length), Properties: []search.Property{
			{Field: "title", Value: words(random, random.IntN(4))}, {Field: "byline", Value: words(random, random.IntN(2))},
		}}
		all = append(all, item)
	}
	items := func(yield func(search.Item, error) bool) {
		for _, item := range all {
			if !yield(item, nil) {
				return
			}
		}
	}
	for _, engine := range engines {
		t.Cleanup(func() {
			if err := engine.Close(); err != nil {
				t.Error(err)
			}
		})
		if err := fill(t.Context(), engine, items, texts); err != nil {
			t.Fatal(err)
		}
	}
	queries, hits := 400, 0
	if testing.Short() { // make postgres tries all
		queries = 60
	}
	for range queries {
		query := randomQuery(random)
		parsed, err := terms.Parse(query)
		if err != nil {
			continue // such as only an exclusion
		}
		var found [2][]string
		for i, engine := range engines {
			result, err := engine.Search(t.Context(), search.Query{Caller: search.Caller{Owner: "ann"}, Terms: parsed.Terms, Limit: 200})
			if err != nil {
				t.Fatalf("%s: %v", query, err)
			}
			found[i] = slices.Sorted(slices.Values(result.IDs()))
			for _, h := range result.Hits {
				if len(h.Snippets) == 0 {
					t.Errorf("%s: engine %d has no snippet of %s", query, i, h.ID)
				}
			}
		}
		if hits += len(found[0]); !slices.Equal(found[0], found[1]) {
			t.Errorf("%s: SQLite finds %d items, PostgreSQL %d", query, len(found[0]), len(found[1]))
		}
	}
	if hits == 0 {
		t.Error("no query has hits")
	}
}

// fill builds an index with texts.
func fill(ctx context.Context, x search.Index, items iter.Seq2[search.Item, error], texts map[string]search.Text) error {
	if err := x.Build(ctx, items, 1); err != nil {
		return err
	}
	for {
		pending, err := x.Pending(ctx, 50)
		if err != nil || len(pending) == 0 {
			return err
		}
		batch := make([]search.Text, len(pending))
		for i, p := range pending {
			batch[i] = texts[p.ID]
			batch[i].Pending = p
		}
		if err := x.SetTexts(ctx, batch); err != nil {
			return err
		}
	}
}
