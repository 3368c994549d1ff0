// Package postgres implements search.Index in a PostgreSQL database that several processes share. One of them, which holds a
// lock, writes; the others read. The build tag noclients leaves the engine out.
package postgres

import "strings"

// Is reports whether a value of ASSAY_INDEX names a PostgreSQL database.
func Is(index string) bool {
	return strings.HasPrefix(index, "postgres://") || strings.HasPrefix(index, "postgresql://")
}
