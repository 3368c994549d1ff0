package search

import "time"

// Item is what an index contains about an item of an area, without its text.
type Item struct {
	// ID is unique in the index. UUIDs use less space than other ids.
	ID      string
	Removed bool   // the item no longer exists
	Owner   string // empty if items of the area have no owner
	Kind    string
	Parent  string // id of the folder; empty if the item is in none
	Trashed bool   // the item and everything below it is hidden
	Name    string
	Status  string
	Version int64 // increases with each change
	// Run increases each time the item is processed. Finished means that the run has a text, so that Pending returns it.
	Run      int64
	Finished bool
	Size     int64 // bytes
	Created  time.Time
	Changed  time.Time
	// Public, Users and Groups list who may see the item besides its owner, and everything below it.
	Public        bool
	Users, Groups []string
}

// Caller is who searches.
type Caller struct {
	Owner  string // empty if unknown
	Groups []string
}
