//go:build !noclients

package postgres

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/assay-project/assay/services/query/search"
)

const (
	// leadPause is the pause between two attempts to become the process that writes. Waiting in the server instead would hold a snapshot
	// and keep it from removing old rows.
	leadPause = time.Second
	// leadTimeout is how long the server keeps the lock of a process that hangs, and leadBeat the interval in which a process reports
	// that it does not.
	leadTimeout = time.Minute
	leadBeat    = 10 * time.Second
	// newerWait is how long an index of a newer version must have had no process that writes before a process of an older one replaces it.
	newerWait = 2 * time.Minute
)

// errReads means that the process does not write.
var errReads = errors.New("another process writes the search index")

// Lead waits until this process holds the lock of the index, and creates the tables if there are none of this version. While
// versions change, older processes leave an index of a newer version. The lock is an
// advisory lock of the connection that writes: the server ends it with the connection, whatever has happened to the process,
// and a process that has lost it cannot write, because it has no other connection for that. It needs no comparison of clocks.
func (x *Index) Lead(ctx context.Context) (err error) {
	config := x.config.ConnConfig.Copy()
	config.RuntimeParams["idle_session_timeout"] = strconv.FormatInt(leadTimeout.Milliseconds(), 10)
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, conn.Close(context.WithoutCancel(ctx)))
		}
	}()
	for newerSince := time.Now(); ; {
		var locked, newer bool
		if err := conn.QueryRow(ctx, "SELECT pg_try_advisory_lock(hashtextextended($1, 0))", x.schema).Scan(&locked); err != nil {
			return err
		}
		if locked {
			found, err := versionOf(ctx, conn)
			if err != nil {
				return err
			}
			newer = found > version
		}
		switch {
		case locked && (!newer || time.Since(newerSince) > newerWait):
			return x.take(ctx, conn)
		case locked:
			if _, err := conn.Exec(ctx, "SELECT pg_advisory_unlock(hashtextextended($1, 0))", x.schema); err != nil {
				return err
			}
		default: // the process that writes finds damage itself
			newerSince, x.rebuild = time.Now(), false
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(leadPause):
		}
	}
}

// take makes a connection that holds the lock the one that writes.
func (x *Index) take(ctx context.Context, conn *pgx.Conn) error {
	if err := x.migrate(ctx, conn); err != nil {
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.writer, x.ended = conn, make(chan struct{})
	go x.beat(conn, x.ended)
	return nil
}

// beat uses the connection that writes from time to time, until ended is closed.
func (x *Index) beat(conn *pgx.Conn, ended <-chan struct{}) {
	ticker := time.NewTicker(leadBeat)
	defer ticker.Stop()
	for {
		select {
		case <-ended:
			return
		case <-ticker.C:
		}
		x.mu.Lock()
		if x.writer == conn {
			ctx, cancel := context.WithTimeout(context.Background(), leadBeat)
			_ = conn.Ping(ctx) // if it fails, the next write fails too
			cancel()
		}
		x.mu.Unlock()
	}
}

// versionOf returns the version of the tables, or 0 if there are none.
func versionOf(ctx context.Context, conn *pgx.Conn) (found int, err error) {
	err = fault(conn.QueryRow(ctx, "SELECT coalesce(max(version), 0) FROM state").Scan(&found))
	if errors.Is(err, search.ErrNotReady) || errors.Is(err, search.ErrDamaged) {
		return 0, nil
	}
	return found, err
}

// migrate creates the tables. It drops those of another version, and all if the index is to be rebuilt.
func (x *Index) migrate(ctx context.Context, conn *pgx.Conn) error {
	found, err := versionOf(ctx, conn)
	if err != nil || found == version && !x.rebuild {
		return err
	}
	schema := pgx.Identifier{x.schema}.Sanitize()
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, fmt.Sprintf("DROP SCHEMA IF EXISTS %s CASCADE; CREATE SCHEMA %s; %s INSERT INTO state (version) VALUES (%d)", schema, schema, tables, version))
		return err
	})
	if err != nil {
		return fmt.Errorf("cannot create the tables of the search index: %w", err)
	}
	return nil
}

// transaction runs do in the process that writes, and commits its writes unless it returns an error.
func (x *Index) transaction(ctx context.Context, do func(*change) error) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.writer == nil {
		return errReads
	}
	err := x.change(ctx, x.writer, do)
	if err != nil {
		x.learned.Clear() // some may not have been written
	}
	if errors.Is(err, search.ErrNotReady) { // the schema was dropped
		err = fmt.Errorf("%w: %w", search.ErrDamaged, err)
	}
	return err
}

// change runs do in a transaction. The lock of the row of state lets one transaction write at a time.
func (x *Index) change(ctx context.Context, on interface {
	Begin(ctx context.Context) (pgx.Tx, error)
}, do func(*change) error) error {
	return pgx.BeginFunc(ctx, on, func(tx pgx.Tx) error {
		c := &change{Tx: tx, x: x, rows: map[string]*row{}, owners: map[string]int64{}}
		var sequence *int64
		err := tx.QueryRow(ctx, "SELECT sequence FROM state WHERE version = $1 FOR UPDATE", version).Scan(&sequence)
		if errors.Is(err, pgx.ErrNoRows) {
			return search.ErrNotReady
		}
		if err != nil {
			return fault(err)
		}
		c.built = sequence != nil
		return fault(do(c))
	})
}

// Forget removes items in a process that need not be the one that writes. It has no effect while the index is being built.
func (x *Index) Forget(ctx context.Context, gone []search.Item) error {
	err := x.change(ctx, x.pool, func(tx *change) error {
		if !tx.built {
			return nil
		}
		return tx.apply(ctx, gone, 0)
	})
	if errors.Is(err, search.ErrNotReady) {
		return nil
	}
	return err
}

// position returns the sequence of the last event applied. built is false if the index was not built by this version, and ready if it never
// had all texts since.
func position(ctx context.Context, q querier) (sequence uint64, built, ready bool, err error) {
	var at *int64
	err = q.QueryRow(ctx, "SELECT sequence, ready FROM state WHERE version = $1", version).Scan(&at, &ready)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, false, false, nil
	}
	if err = fault(err); errors.Is(err, search.ErrNotReady) {
		return 0, false, false, nil
	}
	if err != nil || at == nil {
		return 0, false, false, err
	}
	return uint64(*at), true, ready, nil
}

// Position returns the sequence of the last event that was applied, and whether the index was built.
func (x *Index) Position(ctx context.Context) (sequence uint64, built bool, err error) {
	sequence, built, _, err = position(ctx, x.pool)
	return sequence, built, err
}

// read runs do in a transaction that sees one state of the index. It returns search.ErrNotReady until the index has all items and texts.
func (x *Index) read(ctx context.Context, do func(tx pgx.Tx, sequence uint64) error) error {
	return pgx.BeginTxFunc(ctx, x.pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		sequence, _, ready, err := position(ctx, tx)
		if err != nil {
			return err
		}
		if !ready {
			return search.ErrNotReady
		}
		return fault(do(tx, sequence))
	})
}
