//go:build !noclients

package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/klauspost/compress/zstd"

	"github.com/assay-project/assay/services/query/search"
	"github.com/assay-project/assay/services/query/search/engine"
)

// Index is the index of an area in the schema assay_search_<area>. It is safe for concurrent use, except that Apply, Build, SetTexts,
// Expire and Pending must be called from one goroutine at a time, in the process that writes.
type Index struct {
	schema  string
	config  *pgxpool.Config
	pool    *pgxpool.Pool
	rebuild bool
	pack    *zstd.Encoder
	unpack  *zstd.Decoder

	mu      sync.Mutex     // guards the following fields, during a transaction that writes
	writer  *pgx.Conn      // nil unless this process writes
	ended   chan struct{}  // closed when it does not any more
	learned engine.Learned // of the process that writes
}

var _ search.SharedIndex = (*Index)(nil)

const (
	// readers is the maximum number of concurrent queries of an area; others wait. The parameter pool_max_conns of the URL changes it.
	readers = 4
	// connectWait limits the time to connect to the server, if the URL does not.
	connectWait = 5 * time.Second
	// maxPart limits the memory of the decoder. A part that is larger than usual consists of few words.
	maxPart = 2 * search.MaxText
)

// settings are set on each connection. The plans are pinned by forbidding scans of whole tables, because the server has no statistics about
// words; plans for this few rows gain nothing from compilation and more processes. The server ends a connection whose client
// has disappeared within 30 s, and with it its lock.
var settings = map[string]string{
	"application_name": "assay-query", "enable_seqscan": "off", "jit": "off", "max_parallel_workers_per_gather": "0", "client_encoding": "UTF8",
	"tcp_keepalives_idle": "10", "tcp_keepalives_interval": "5", "tcp_keepalives_count": "4", "synchronous_commit": "off",
	"idle_in_transaction_session_timeout": "1min",
}

// Validate returns an error for an invalid URL. The error does not contain the password.
func Validate(url string) error {
	if _, err := pgxpool.ParseConfig(url); err != nil {
		return fmt.Errorf("ASSAY_INDEX is not a valid URL of a PostgreSQL database, such as postgres://assay:PASSWORD@host/search?sslmode=verify-full: %w", withoutURL(err))
	}
	return nil
}

// withoutURL returns the reason of an error about a URL, without the URL.
func withoutURL(err error) error {
	if inner := errors.Unwrap(err); inner != nil {
		return withoutURL(inner)
	}
	return errors.New("see the PostgreSQL documentation of connection URIs")
}

// limited reports whether a URL limits the number of connections.
func limited(url string) bool { return strings.Contains(url, "pool_max_conns=") }

// At returns a function that opens the index of an area. rebuild drops its content once this process writes.
func At(url, area string) func(ctx context.Context, rebuild bool) (search.Index, error) {
	return func(ctx context.Context, rebuild bool) (search.Index, error) { return Open(ctx, url, area, rebuild) }
}

// Open connects to the database of an index, which reads until Lead returns. The caller must close the Index.
func Open(ctx context.Context, url, area string, rebuild bool) (*Index, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, Validate(url)
	}
	x := &Index{schema: "assay_search_" + area, config: config, rebuild: rebuild, learned: engine.NewLearned()}
	for name, value := range settings {
		config.ConnConfig.RuntimeParams[name] = value
	}
	config.ConnConfig.RuntimeParams["search_path"] = pgx.Identifier{x.schema}.Sanitize()
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = connectWait
	}
	if !limited(url) {
		config.MaxConns = readers
	}
	config.MinConns, config.MaxConnIdleTime = 0, time.Minute
	if x.pack, err = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1)); err != nil {
		return nil, err
	}
	if x.unpack, err = zstd.NewReader(nil, zstd.WithDecoderMaxMemory(maxPart), zstd.WithDecoderConcurrency(0)); err != nil {
		return nil, err
	}
	if x.pool, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return nil, err
	}
	var encoding string
	if err := x.pool.QueryRow(ctx, "SHOW server_encoding").Scan(&encoding); err != nil {
		return nil, errors.Join(fault(err), x.Close())
	}
	if encoding != "UTF8" {
		return nil, errors.Join(fmt.Errorf("the database of the search index has the encoding %s: create it with the encoding UTF8", encoding), x.Close())
	}
	return x, nil
}

// Close closes the connections, and with them ends the lock.
func (x *Index) Close() error {
	x.pool.Close()
	x.unpack.Close()
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.writer == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), connectWait)
	defer cancel()
	close(x.ended)
	err := x.writer.Close(ctx)
	x.writer = nil
	return err
}

// fault converts errors about the schema: search.ErrNotReady if it has no tables, and search.ErrDamaged if the server
// has found damage.
func fault(err error) error {
	reported, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		return err
	}
	switch reported.Code {
	case "XX001", "XX002": // data_corrupted, index_corrupted
		return fmt.Errorf("%w: %w", search.ErrDamaged, err)
	case "42P01", "3F000", "42703": // undefined_table, invalid_schema_name, undefined_column: another version, or none
		return fmt.Errorf("%w: %w", search.ErrNotReady, err)
	}
	return err
}

// querier is a pool, a connection or a transaction.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// each calls see for each row of a query until see returns an error.
func each(ctx context.Context, q querier, query string, args []any, see func(pgx.Rows) error) error {
	rows, err := q.Query(ctx, query, args...)
	if err != nil {
		return fault(err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := see(rows); err != nil {
			return err
		}
	}
	return fault(rows.Err())
}
