// Package sqlite implements search.Index in a SQLite file with the full-text search of FTS5.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"runtime"

	"github.com/klauspost/compress/zstd"
	"modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"

	"github.com/assay-project/assay/services/query/search"
	"github.com/assay-project/assay/services/query/search/engine"
)

// Index is an index in a file. As search.Index requires, only one goroutine at a time may write.
type Index struct {
	write, read *sql.DB              // one connection for writes, several for reads
	prepared    map[string]*sql.Stmt // of read, by text
	pack        *zstd.Encoder
	unpack      *zstd.Decoder
	learned     engine.Learned // used by writes
}

var _ search.Index = (*Index)(nil)

// readers returns the maximum number of concurrent queries; others wait.
func readers() int { return 2 * runtime.GOMAXPROCS(0) }

// Open opens the index in a file. It creates an empty index if there is none, if it has another version, or if
// it cannot be read. Only one process may have the file open. The caller must close the Index.
func Open(ctx context.Context, path string) (*Index, error) {
	x, err := open(ctx, path)
	if errors.Is(err, search.ErrDamaged) {
		if err := Remove(path); err != nil {
			return nil, err
		}
		x, err = open(ctx, path)
	}
	return x, err
}

// Remove deletes the files of a closed index.
func Remove(path string) error {
	var failed []error
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

// open returns search.ErrDamaged for a file that is not an index of this version.
func open(ctx context.Context, path string) (_ *Index, err error) {
	x := &Index{learned: engine.NewLearned(), prepared: map[string]*sql.Stmt{}}
	defer func() {
		if err != nil {
			_ = x.Close()
		}
	}()
	if x.pack, err = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1)); err != nil {
		return nil, err
	}
	if x.unpack, err = zstd.NewReader(nil, zstd.WithDecoderMaxMemory(4*blockSize), zstd.WithDecoderConcurrency(0)); err != nil {
		return nil, err
	}
	// The index can be rebuilt, so it need not survive a power failure; after a crash it is consistent.
	const pragmas = "_pragma=journal_mode(wal)&_pragma=synchronous(normal)&_pragma=busy_timeout(10000)&_pragma=temp_store(memory)"
	name := (&url.URL{Scheme: "file", Opaque: url.PathEscape(path)}).String()
	if x.write, err = connect(name+"?"+pragmas+"&_pragma=cache_size(-65536)&_txlock=immediate", 1); err != nil {
		return nil, err
	}
	if err := x.prepare(ctx); err != nil {
		return nil, fault(err)
	}
	if x.read, err = connect(name+"?"+pragmas+"&_pragma=cache_size(-8192)&_pragma=query_only(1)", readers()); err != nil {
		return nil, err
	}
	for _, text := range searching() {
		if x.prepared[text], err = x.read.PrepareContext(ctx, text); err != nil {
			return nil, fault(err)
		}
	}
	return x, nil
}

func connect(dsn string, most int) (*sql.DB, error) {
	connector, err := sqlite.NewConnector(dsn)
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(most)
	db.SetMaxIdleConns(most)
	return db, nil
}

// prepare checks the version of the file and creates the tables of a new one.
func (x *Index) prepare(ctx context.Context) error {
	var found, tables int
	if err := x.write.QueryRowContext(ctx, "PRAGMA user_version").Scan(&found); err != nil {
		return err
	}
	if err := x.write.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&tables); err != nil {
		return err
	}
	switch {
	case found == version:
		var built int
		return x.write.QueryRowContext(ctx, "SELECT count(*) FROM node WHERE no = 1").Scan(&built) // reads the schema
	case tables > 0:
		return fmt.Errorf("%w: it has version %d instead of %d", search.ErrDamaged, found, version)
	}
	return x.transaction(ctx, func(tx *change) error {
		_, err := tx.ExecContext(ctx, schema+fmt.Sprintf("PRAGMA user_version = %d;", version))
		return err
	})
}

// Close closes the file.
func (x *Index) Close() error {
	var failed []error
	for _, statement := range x.prepared {
		if statement != nil {
			failed = append(failed, statement.Close())
		}
	}
	for _, db := range []*sql.DB{x.read, x.write} {
		if db != nil {
			failed = append(failed, db.Close())
		}
	}
	if x.unpack != nil {
		x.unpack.Close()
	}
	return errors.Join(failed...)
}

// transaction runs do and commits its writes unless it returns an error.
func (x *Index) transaction(ctx context.Context, do func(*change) error) error {
	tx, err := x.write.BeginTx(ctx, nil)
	if err != nil {
		return fault(err)
	}
	c := &change{Tx: tx, x: x, added: map[int64]bool{}}
	if err = do(c); err == nil {
		err = c.end(ctx)
	}
	if err == nil {
		err = tx.Commit()
	} else {
		err = errors.Join(err, tx.Rollback())
	}
	if err != nil {
		x.learned.Clear() // some may not have been written
	}
	return fault(err)
}

// fault converts SQLite errors about a damaged file into search.ErrDamaged.
func fault(err error) error {
	if reported, ok := errors.AsType[*sqlite.Error](err); ok {
		switch reported.Code() & 0xff {
		case codes.SQLITE_CORRUPT, codes.SQLITE_NOTADB, codes.SQLITE_FORMAT, codes.SQLITE_SCHEMA:
			return fmt.Errorf("%w: %w", search.ErrDamaged, err)
		}
	}
	return err
}

// Position returns the sequence of the last event that was applied, and whether the index was built.
func (x *Index) Position(ctx context.Context) (sequence uint64, built bool, err error) {
	return position(ctx, x.write)
}

// querier is a database or a transaction.
type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// each calls see for each row of a query until see returns an error.
func each(ctx context.Context, q querier, query string, args []any, see func(*sql.Rows) error) (err error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return fault(err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if err := see(rows); err != nil {
			return err
		}
	}
	return fault(rows.Err())
}

const sequenceRow = "SELECT value FROM state WHERE name = 'sequence'"

func position(ctx context.Context, q querier) (sequence uint64, built bool, err error) {
	err = q.QueryRowContext(ctx, sequenceRow).Scan(&sequence)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, false, nil
	}
	return sequence, err == nil, fault(err)
}

func setPosition(ctx context.Context, tx *sql.Tx, sequence uint64) error {
	_, err := tx.ExecContext(ctx, "INSERT INTO state VALUES ('sequence', ?) ON CONFLICT DO UPDATE SET value = excluded.value", int64(sequence))
	return err
}
