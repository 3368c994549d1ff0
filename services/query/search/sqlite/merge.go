package sqlite

import (
	"context"
	"database/sql"
	"errors"
)

// mergeStep is the number of pages of 4 KiB that a step merges. Nothing else is written meanwhile.
const mergeStep = 1000

// mergeLater schedules the merge of all segments of words.
func mergeLater(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO state VALUES ('merge', 1)")
	return err
}

// merge makes a step of a scheduled merge and reports whether more follow. FTS5 looks for each word of a query in each segment,
// of which a build leaves many. Later changes are few in comparison, and FTS5 merges them itself.
func (x *Index) merge(ctx context.Context) (more bool, err error) {
	var scheduled int64
	err = x.write.QueryRowContext(ctx, "SELECT value FROM state WHERE name = 'merge'").Scan(&scheduled)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, fault(err)
	}
	err = x.transaction(ctx, func(tx *change) error {
		for _, table := range []string{"words", "block"} {
			// A step that changes fewer than two rows had nothing to merge. A negative number of pages merges all segments into one.
			var before, after int64
			if err := tx.QueryRowContext(ctx, "SELECT total_changes()").Scan(&before); err != nil {
				return err
			}
			if _, err := tx.ExecContext(ctx, "INSERT INTO "+table+" ("+table+", rank) VALUES ('merge', ?)", -mergeStep); err != nil {
				return err
			}
			if err := tx.QueryRowContext(ctx, "SELECT total_changes()").Scan(&after); err != nil {
				return err
			}
			more = more || after-before >= 2
		}
		if more {
			return nil
		}
		_, err := tx.ExecContext(ctx, "DELETE FROM state WHERE name = 'merge'")
		return err
	})
	return more, err
}
