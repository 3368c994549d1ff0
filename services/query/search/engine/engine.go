// Package engine contains what the engines of package search share, so that they find the same items in the same order.
package engine

import (
	"slices"

	"github.com/assay-project/assay/services/query/search"
)

// Kinds lists the kinds of items. The number stored for a kind is its index. Kind 0 is an item of which only children are known, or
// that was removed.
var Kinds = []string{"", search.KindUser, search.KindFolder, search.KindFile, search.KindRecord, search.KindModel, search.KindMessage}

// KindUser is the number of the kind of roots, which are never found.
const KindUser = 1

// KindNo returns the number of a kind, or 0 if it is unknown or empty.
func KindNo(kind string) int { return max(0, slices.Index(Kinds, kind)) }

const (
	// MaxOwners is the maximum number of libraries searched: the caller's own and those with nodes shared with the caller.
	MaxOwners = 1000
	// MaxFolders is the maximum number of folders with the same name that are searched.
	MaxFolders = 1000
	// MaxDepth is the maximum number of folders above an item that are considered.
	MaxDepth = 128
)

// State is the indexed state of an item.
type State struct {
	Kind, Version    int64
	Created, Updated int64 // milliseconds since the Unix epoch
}

// Stale reports whether the index has the version of an event or a later one. An item may be created again
// with the same id; the creation time identifies which of the items an event refers to.
func (s State) Stale(c search.Item) bool {
	switch {
	case s.Version == 0:
		return false
	case s.Created != c.Created.UnixMilli():
		return c.Changed.UnixMilli() < s.Updated
	case c.Removed:
		return s.Kind == 0
	}
	return c.Version <= s.Version
}

// Same reports whether the index has exactly the version of an item.
func (s State) Same(c search.Item) bool {
	return s.Kind != 0 && s.Version == c.Version && s.Created == c.Created.UnixMilli()
}

// Everyone is the principal of public items.
const Everyone = "*"

// PrincipalsOf returns the principals that an item is shared with: u/<owner>, g/<group>, or Everyone.
func PrincipalsOf(c search.Item) []string {
	var all []string
	if c.Public {
		all = append(all, Everyone)
	}
	return append(all, named(c.Users, c.Groups)...)
}

// Principals returns the identities of a caller: Everyone first.
func Principals(c search.Caller) []string {
	var users []string
	if c.Owner != "" {
		users = append(users, c.Owner)
	}
	return append([]string{Everyone}, named(users, c.Groups)...)
}

func named(users, groups []string) []string {
	all := make([]string, 0, len(users)+len(groups))
	for _, user := range users {
		all = append(all, "u/"+user)
	}
	for _, group := range groups {
		all = append(all, "g/"+group)
	}
	return all
}
