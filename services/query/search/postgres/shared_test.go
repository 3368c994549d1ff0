//go:build !noclients

package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/assay-project/assay/services/query/search"
	"github.com/assay-project/assay/services/query/search/postgres"
)

const root = "root"

// items are the root of an owner and files with the word common in their names.
func items(count int) iter.Seq2[search.Item, error] {
	return func(yield func(search.Item, error) bool) {
		more := yield(search.Item{ID: root, Kind: search.KindUser, Owner: "ann", Version: 1}, nil)
		for n := 0; more && n < count; n++ {
			more = yield(file(n, 1), nil)
		}
	}
}

func file(n int, version int64) search.Item {
	return search.Item{
		ID: fmt.Sprint("file-", n), Kind: search.KindFile, Owner: "ann", Parent: root,
		Name: fmt.Sprintf("common %d v%d.txt", n, version), Version: version, Run: 1,
	}
}

// joined opens the index of an area as a process that reads.
func joined(t *testing.T, url, area string) *postgres.Index {
	t.Helper()
	x, err := postgres.Open(t.Context(), url, area, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() }) // a test may have closed it, or its connection
	return x
}

func lead(t *testing.T, x *postgres.Index) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if err := x.Lead(ctx); err != nil {
		t.Fatal(err)
	}
}

// built builds an index of files without texts.
func built(t *testing.T, x *postgres.Index, count int) {
	t.Helper()
	if err := x.Build(t.Context(), items(count), 1); err != nil {
		t.Fatal(err)
	}
	if pending, err := x.Pending(t.Context(), 10); err != nil || len(pending) != 0 {
		t.Fatalf("got %d texts to index, error %v, want none", len(pending), err)
	}
}

// total returns the number of hits for a word.
func total(t *testing.T, x *postgres.Index, word string) int {
	t.Helper()
	result, err := x.Search(t.Context(), search.Query{Caller: search.Caller{Owner: "ann"}, Terms: search.Terms{{Words: []string{word}, Quoted: true}}, Limit: 5})
	if err != nil {
		t.Fatal(err)
	}
	return result.Total
}

// execute executes a statement as the administrator of the database.
func execute(t *testing.T, url, statement string, args ...any) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context()) //nolint:errcheck // the statement has ended
	if _, err := conn.Exec(t.Context(), statement, args...); err != nil {
		t.Fatal(err)
	}
}

// kill ends the connection that holds the lock of an area, as if its process had ended.
func kill(t *testing.T, url, area string) {
	t.Helper()
	execute(t, url, `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted
		AND (classid::bigint << 32 | objid::bigint) = hashtextextended($1, 0)`, "assay_search_"+area)
}

// TestReadersSeeWhatTheWriterWrites checks that two processes read an index that a third one writes, and that they cannot write
// but forget.
func TestReadersSeeWhatTheWriterWrites(t *testing.T) {
	url := database(t)
	writer, one, two := joined(t, url, t.Name()), joined(t, url, t.Name()), joined(t, url, t.Name())
	if _, err := one.Search(t.Context(), search.Query{Limit: 1}); !errors.Is(err, search.ErrNotReady) {
		t.Errorf("before the schema exists: got error %v, want ErrNotReady", err)
	}
	lead(t, writer)
	if _, err := one.Has(t.Context(), file(0, 1).ID, 1); !errors.Is(err, search.ErrNotReady) {
		t.Errorf("before the index is built: got error %v, want ErrNotReady", err)
	}
	built(t, writer, 3)
	if err := writer.Apply(t.Context(), []search.Item{file(1, 2)}, 7); err != nil {
		t.Fatal(err)
	}
	for _, reader := range []*postgres.Index{one, two} {
		if n := total(t, reader, "common"); n != 3 {
			t.Errorf("got %d hits, want 3", n)
		}
		if has, err := reader.Has(t.Context(), file(1, 2).ID, 2); !has || err != nil {
			t.Errorf("got has = %t, error %v, want true", has, err)
		}
		if err := reader.Apply(t.Context(), []search.Item{file(1, 3)}, 8); err == nil {
			t.Error("a process that reads could write")
		}
	}
	gone := file(2, 0)
	gone.Removed, gone.Changed = true, time.Now()
	if err := two.Forget(t.Context(), []search.Item{gone}); err != nil {
		t.Fatal(err)
	}
	if n := total(t, one, "common"); n != 2 {
		t.Errorf("after a reader forgot an item: got %d hits, want 2", n)
	}
	if at, built, err := one.Position(t.Context()); at != 7 || !built || err != nil {
		t.Errorf("got position %d, built %t, error %v, want 7 and true", at, built, err)
	}
}

// TestWriterIsReplaced checks that a process takes over when the one that writes closes the index or loses its connection, and that the latter
// cannot write any more.
func TestWriterIsReplaced(t *testing.T) {
	url := database(t)
	first, second, third := joined(t, url, t.Name()), joined(t, url, t.Name()), joined(t, url, t.Name())
	lead(t, first)
	built(t, first, 2)
	waiting, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
	defer cancel()
	if err := second.Lead(waiting); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("got error %v while another process writes, want that the wait ends", err)
	}
	kill(t, url, t.Name())
	lead(t, second)
	if err := first.Apply(t.Context(), []search.Item{file(0, 2)}, 2); err == nil {
		t.Error("a process without the lock could write")
	}
	if at, built, err := second.Position(t.Context()); at != 1 || !built || err != nil {
		t.Errorf("got position %d, built %t, error %v, want 1 and true", at, built, err)
	}
	if err := second.Apply(t.Context(), []search.Item{file(0, 2)}, 2); err != nil {
		t.Fatal(err)
	}
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
	lead(t, third)
	if n := total(t, third, "v2"); n != 1 {
		t.Errorf("got %d hits for the new name, want 1", n)
	}
}

// TestCrashedWritesHaveNoEffect checks that an Apply whose connection ends has no effect, and that the next process builds an index
// again that was being built.
func TestCrashedWritesHaveNoEffect(t *testing.T) {
	url := database(t)
	first, second := joined(t, url, t.Name()), joined(t, url, t.Name())
	lead(t, first)
	built(t, first, 3)
	err := first.Build(t.Context(), func(yield func(search.Item, error) bool) {
		for item, err := range items(2500) { // three transactions
			if item.Name == file(2200, 1).Name {
				kill(t, url, t.Name())
			}
			if !yield(item, err) {
				return
			}
		}
	}, 5)
	if err == nil {
		t.Fatal("a build whose connection ended reported no error")
	}
	lead(t, second)
	if _, built, err := second.Position(t.Context()); built || err != nil {
		t.Errorf("got built %t, error %v, want false", built, err)
	}
	if _, err := second.Search(t.Context(), search.Query{Limit: 1}); !errors.Is(err, search.ErrNotReady) {
		t.Errorf("during a build: got error %v, want ErrNotReady", err)
	}
	built(t, second, 1500)
	if n := total(t, second, "common"); n != 1500 {
		t.Errorf("got %d hits, want 1500", n)
	}
	changes := []search.Item{file(0, 2), {ID: file(1, 1).ID, Kind: "Unknown", Owner: "ann", Version: 2}}
	if err := second.Apply(t.Context(), changes, 9); err == nil {
		t.Error("an item of an unknown kind was applied")
	}
	if at, _, err := second.Position(t.Context()); at != 1 || err != nil || total(t, second, "v2") != 0 {
		t.Errorf("after an Apply that failed: got position %d, error %v, %d hits, want 1 and none", at, err, total(t, second, "v2"))
	}
}

// TestOtherVersionIsReplaced checks that an index of another version is not searched, and that the process that writes next replaces it. The same
// applies to a schema that was dropped.
func TestOtherVersionIsReplaced(t *testing.T) {
	url := database(t)
	schema := pgx.Identifier{"assay_search_" + t.Name()}.Sanitize()
	for _, spoil := range []string{
		"UPDATE " + schema + ".state SET version = 0", "DROP SCHEMA " + schema + " CASCADE", "DROP TABLE " + schema + ".state", "DELETE FROM " + schema + ".state",
	} {
		first := joined(t, url, t.Name())
		lead(t, first)
		built(t, first, 2)
		execute(t, url, spoil)
		if _, err := first.Search(t.Context(), search.Query{Limit: 1}); !errors.Is(err, search.ErrNotReady) {
			t.Errorf("%s: got error %v, want ErrNotReady", spoil, err)
		}
		if err := first.Apply(t.Context(), nil, 3); !errors.Is(err, search.ErrDamaged) {
			t.Errorf("%s: got error %v from a write, want ErrDamaged", spoil, err)
		}
		if err := first.Close(); err != nil {
			t.Error(err)
		}
		second := joined(t, url, t.Name())
		lead(t, second)
		if _, built, err := second.Position(t.Context()); built || err != nil {
			t.Errorf("%s: got built %t, error %v, want an empty index", spoil, built, err)
		}
		built(t, second, 4)
		if n := total(t, second, "common"); n != 4 {
			t.Errorf("%s: got %d hits, want 4", spoil, n)
		}
		if err := second.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestNewerVersionIsLeft checks that a process does not write an index of a newer version, nor removes it at once.
func TestNewerVersionIsLeft(t *testing.T) {
	url := database(t)
	first, second := joined(t, url, t.Name()), joined(t, url, t.Name())
	lead(t, first)
	built(t, first, 2)
	state := pgx.Identifier{"assay_search_" + t.Name()}.Sanitize() + ".state"
	execute(t, url, "UPDATE "+state+" SET version = 99")
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2500*time.Millisecond)
	defer cancel()
	if err := second.Lead(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got error %v, want that the wait ends", err)
	}
	execute(t, url, "UPDATE "+state+" SET version = 1") // an error if it was dropped
}

// TestErrorsHideThePassword checks that errors about a URL do not contain its password.
func TestErrorsHideThePassword(t *testing.T) {
	for _, url := range []string{"postgres://ann:hunter2@host:port/search", "postgres://ann:hunter2@host/search?sslmode=never", "postgresql://ann:hunter2@%zz/"} {
		if err := postgres.Validate(url); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("got %v, want an error without the password", err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	_, err := postgres.Open(ctx, "postgres://ann:hunter2@127.0.0.1:1/search", "library", false)
	if err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("got %v, want an error without the password", err)
	}
	t.Log(err)
}
