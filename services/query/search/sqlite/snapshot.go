package sqlite

import (
	"context"
	"database/sql"
)

// snapshot is a transaction that reads. The statements that searches repeat are compiled once per connection, which takes
// longer than to run most of them. Their limits and ranges are sums, because SQLite 3.54 compiles a statement again for each
// value of a parameter that is a limit or the end of a range itself.
type snapshot struct {
	*sql.Tx
	x *Index
}

// searching returns the statements of searches.
func searching() []string {
	return []string{found, tagged, one, listed, named, sequenceRow, ownerNumber, grantors, otherForms, anyWord, nextWords, matchingBlocks, oneBlock}
}

func (x *Index) snapshot(ctx context.Context) (snapshot, error) {
	tx, err := x.read.BeginTx(ctx, nil)
	return snapshot{tx, x}, err
}

func (s snapshot) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if statement := s.x.prepared[query]; statement != nil {
		return s.StmtContext(ctx, statement).QueryContext(ctx, args...)
	}
	return s.Tx.QueryContext(ctx, query, args...)
}

func (s snapshot) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	if statement := s.x.prepared[query]; statement != nil {
		return s.StmtContext(ctx, statement).QueryRowContext(ctx, args...)
	}
	return s.Tx.QueryRowContext(ctx, query, args...)
}
