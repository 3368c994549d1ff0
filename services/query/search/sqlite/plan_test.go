package sqlite

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"modernc.org/sqlite"

	"github.com/assay-project/assay/pkg/terms"
	"github.com/assay-project/assay/services/query/search"
)

// planOf returns the query plan of a statement.
func planOf(t *testing.T, tx *sql.Tx, statement string, arguments []any) string {
	t.Helper()
	var plan strings.Builder
	err := each(t.Context(), tx, "EXPLAIN QUERY PLAN "+statement, arguments, func(rows *sql.Rows) error {
		var id, parent, unused int
		var detail string
		err := rows.Scan(&id, &parent, &unused, &detail)
		plan.WriteString(detail + "\n")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return plan.String()
}

// filled returns an index with libraries of the same size, whose nodes are not shared.
func filled(t *testing.T, libraries, files int) *Index {
	t.Helper()
	x, err := Open(t.Context(), filepath.Join(t.TempDir(), "index.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	nodes := func(yield func(search.Item, error) bool) {
		for owner := range libraries {
			name := fmt.Sprintf("owner-%d", owner)
			root := keyed(name)
			if !yield(search.Item{ID: root, Kind: "User", Owner: name, Version: 1, Status: "Created"}, nil) {
				return
			}
			for file := range files {
				if !yield(search.Item{
					ID: keyed(fmt.Sprintf("%s/%d", name, file)), Kind: "File", Owner: name, Parent: root, Version: 1,
					Name: fmt.Sprintf("common %d.txt", file), Status: "Processed", Run: 1,
				}, nil) {
					return
				}
			}
		}
	}
	if err := x.Build(t.Context(), nodes, 1); err != nil {
		t.Fatal(err)
	}
	return x
}

func ownersQuery(t *testing.T) search.Query {
	t.Helper()
	parsed, err := terms.Parse("common -absent")
	if err != nil {
		t.Fatal(err)
	}
	return search.Query{Caller: search.Caller{Owner: "owner-0"}, Terms: parsed.Terms, Limit: 20}
}

// TestPlan checks that a search accesses tables by key only, starting with the hits.
func TestPlan(t *testing.T) {
	x := filled(t, 3, 3)
	tx, err := x.read.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback() //nolint:errcheck // it only reads
	asked, err := x.asked(t.Context(), tx, ownersQuery(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	arguments, err := asked.parameters()
	if err != nil {
		t.Fatal(err)
	}
	plan := planOf(t, tx, found, arguments)
	for line := range strings.Lines(plan) {
		for _, table := range []string{" n ", " n\n", " s ", " s\n", "node", "share"} {
			if strings.HasPrefix(line, "SCAN") && strings.Contains(line, table) {
				t.Errorf("got step %q, want no scan of a table", line)
			}
		}
	}
	order := []string{"MATERIALIZE chosen", "CO-ROUTINE hits", "SCAN library VIRTUAL TABLE", "SCAN words VIRTUAL TABLE", "SCAN hits", "SEARCH n USING INTEGER PRIMARY KEY (rowid=?)", "RECURSIVE STEP"}
	for _, step := range order {
		if _, after, there := strings.Cut(plan, step); there {
			plan = after
			continue
		}
		t.Errorf("got a plan without step %q, want the sequence %q", step, order)
	}
	if strings.Contains(plan, "CORRELATED LIST SUBQUERY") || strings.Count(plan, "CREATE BLOOM FILTER") != 4 {
		t.Errorf("got the following plan, want one that looks up the folders of the hits in materialized lists:\n%s", plan)
	}
}

// TestListPlans checks that pages of lists are read in index order from their start position.
func TestListPlans(t *testing.T) {
	x := filled(t, 3, 3)
	tx, err := x.read.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback() //nolint:errcheck // it only reads
	for by, column := range columns {
		for _, l := range []search.Listing{{Parent: keyed("owner-0")}, {Owner: "owner-0", Kind: search.KindFile}} {
			l.Sort, l.Limit = []search.Key{{By: by, Descending: true}}, 10
			selection, err := listingOf(t.Context(), tx, l)
			if err != nil {
				t.Fatal(err)
			}
			for condition, after := range map[string][]any{"": nil, " AND " + column.column + "<?": {"x", []byte("x")}} {
				statement, arguments := selection.query(l, after)
				plan := planOf(t, tx, statement, arguments)
				if !strings.Contains(plan, "_"+column.index+" (") || !strings.Contains(plan, condition) || strings.Contains(plan, "TEMP B-TREE") {
					t.Errorf("%+v: got the following plan, want one that reads the index of %s in order from the start position:\n%s", l, by, plan)
				}
			}
		}
	}
}

// pages returns the number of pages of the file that a search reads, including those of the full-text index.
func pages(t *testing.T, x *Index, q search.Query) int {
	t.Helper()
	x.read.SetMaxOpenConns(1)
	count := func(reset bool) (n int) {
		c, err := x.read.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close() //nolint:errcheck // returns it to the pool
		if err := c.Raw(func(driver any) error {
			for _, op := range []sqlite.DBStatusOp{sqlite.DBStatusCacheHit, sqlite.DBStatusCacheMiss} {
				found, _, err := driver.(sqlite.DBStatus).Status(op, reset)
				if err != nil {
					return err
				}
				n += found
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		return n
	}
	if _, err := x.Search(t.Context(), q); err != nil { // reads the schema
		t.Fatal(err)
	}
	count(true)
	result, err := x.Search(t.Context(), q)
	if err != nil || len(result.Hits) == 0 {
		t.Fatalf("got %d hits, error %v, want at least 1", len(result.Hits), err)
	}
	return count(false)
}

// TestSearchReadsOneLibrary checks that the cost of a search depends only on the libraries with nodes that the
// caller may see: the number of pages read grows only with the depth of the trees.
func TestSearchReadsOneLibrary(t *testing.T) {
	few, many := pages(t, filled(t, 5, 20), ownersQuery(t)), pages(t, filled(t, 200, 20), ownersQuery(t))
	t.Logf("pages read: %d among 5 libraries, %d among 200", few, many)
	if many > 2*few {
		t.Errorf("a search among 200 libraries read %d pages, want at most twice the %d among 5", many, few)
	}
}

// TestSearchIsBounded checks that at most search.MaxMatches nodes are considered, and that the response reports this.
func TestSearchIsBounded(t *testing.T) {
	x := filled(t, 1, search.MaxMatches+100)
	result, err := x.Search(t.Context(), ownersQuery(t))
	if err != nil || result.Total != search.MaxMatches || !result.More {
		t.Errorf("got total %d, more %t, error %v, want %d and true", result.Total, result.More, err, search.MaxMatches)
	}
	if q := ownersQuery(t); pages(t, x, q) > 6*search.MaxMatches {
		t.Errorf("got %d pages read, want at most %d", pages(t, x, q), 6*search.MaxMatches)
	}
	tagged := ownersQuery(t)
	tagged.Tags.With, tagged.Tagged = []string{"x"}, []string{keyed("owner-0/10090")}
	if result, err := x.Search(t.Context(), tagged); err != nil || !slices.Equal(result.IDs(), tagged.Tagged) || result.More {
		t.Errorf("a tag: got %q, more %t, error %v, want %q and false", result.IDs(), result.More, err, tagged.Tagged)
	}
	terms := slices.Concat(ownersQuery(t).Terms[:1], search.Terms{{Words: []string{"7"}}})
	if result, err := x.Search(t.Context(), search.Query{Caller: search.Caller{Owner: "owner-0"}, Terms: terms, Limit: 20}); err != nil || result.Total != 1 || result.More {
		t.Errorf("one match: got total %d, more %t, error %v, want 1 and false", result.Total, result.More, err)
	}
}

// TestOneItemIsFound checks a search that is restricted to one item, among many that match. It reads fewer pages than a search by a
// tag that only this item has.
func TestOneItemIsFound(t *testing.T) {
	x := filled(t, 1, search.MaxMatches+100)
	one := keyed("owner-0/10090")
	q := ownersQuery(t)
	q.Only, q.Tagged, q.Tags.With = one, []string{one}, []string{one}
	tagged := q
	tagged.Only = ""
	if least, most := pages(t, x, q), pages(t, x, tagged); least >= most {
		t.Errorf("a search for one item read %d pages, want fewer than the %d of a search by its tag", least, most)
	}
	if result, err := x.Search(t.Context(), q); err != nil || !slices.Equal(result.IDs(), q.Tagged) || result.More {
		t.Errorf("got %q, more %t, error %v, want the item", result.IDs(), result.More, err)
	}
	for name, ids := range map[string][]string{"an item without the tags of the query": nil, "an item that is not indexed": {keyed("none")}} {
		if q.Tagged = ids; len(ids) > 0 {
			q.Only = ids[0]
		}
		if result, err := x.Search(t.Context(), q); err != nil || len(result.Hits) > 0 {
			t.Errorf("%s: got %q, error %v, want nothing", name, result.IDs(), err)
		}
	}
}

// keyed returns the id of an item with a name.
func keyed(name string) string { return uuid.NewSHA1(uuid.NameSpaceURL, []byte(name)).String() }
