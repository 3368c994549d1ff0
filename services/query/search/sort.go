package search

import (
	"fmt"
	"slices"
	"strings"
)

// Key is a sort key of a list.
type Key struct {
	By         SortBy
	Descending bool
}

// SortBy is a property to sort by.
type SortBy string

// Properties to sort by. Names are compared by SortKey; folders have size 0.
const (
	ByName    SortBy = "name"
	BySize    SortBy = "size"
	ByCreated SortBy = "createdAt"
	ByUpdated SortBy = "updatedAt"
)

// maxKeys is the maximum number of keys of a list.
const maxKeys = 3

// ParseSort parses keys such as "name,-size", where a minus means descending. The error text is meant for users.
func ParseSort(text string) ([]Key, error) {
	known := []SortBy{ByName, BySize, ByCreated, ByUpdated}
	var keys []Key
	for name := range strings.SplitSeq(text, ",") {
		by, descending := strings.CutPrefix(strings.TrimSpace(name), "-")
		k := Key{SortBy(by), descending}
		if !slices.Contains(known, k.By) {
			return nil, fmt.Errorf("%q is not one of %v, optionally with a leading minus", name, known)
		}
		if slices.ContainsFunc(keys, func(other Key) bool { return other.By == k.By }) {
			return nil, fmt.Errorf("%s is given twice", by)
		}
		if keys = append(keys, k); len(keys) > maxKeys {
			return nil, fmt.Errorf("at most %d keys are allowed", maxKeys)
		}
	}
	return keys, nil
}
