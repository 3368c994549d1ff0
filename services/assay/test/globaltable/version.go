package globaltable

import (
	"cmp"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// version orders the writes of an item in all regions.
type version struct {
	at     int64 // epoch seconds
	n      int   // number of the write in this second, among those that follow each other
	region string
}

func (v version) after(other version) bool {
	return cmp.Or(cmp.Compare(v.at, other.at), cmp.Compare(v.n, other.n), cmp.Compare(v.region, other.region)) > 0
}

// next returns the version of a write in a region that replaces version v.
func (v version) next(at int64, region string) version {
	if at > v.at {
		return version{at, 0, region}
	}
	return version{v.at, v.n + 1, region}
}

type item map[string]types.AttributeValue

// state is an item in a region, or its deletion if the item is nil.
type state struct {
	item    item
	version version
}

// change is a write in a region that the other regions receive.
type change struct {
	state
	id   string // of the item
	key  item
	base version // that the write replaced
	from string
	due  time.Time
}

// echo is the expected record of a replicated write in the stream of the region that received it.
type echo struct {
	state
	maybe bool // whether the write may have failed
}
