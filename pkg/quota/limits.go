// Package quota enforces quotas per owner. Bytes, items and uploads in parts are counted in the table
// assay-platform; requests per second and open streams are counted by each process (package web).
//
// Every counted item has a row of its own, its holding. The row with the owner's usage is the sum of the
// holdings, because one transaction writes both. Repeated reservations and releases have no effect, and a writer
// that crashes leaves at most a holding without an item, or an item without a holding. Sweeps find and repair
// both (services/analyzer/sweeper), so no usage is lost or counted forever.
//
// An item is counted before it is created, and released after it is deleted. Concurrent writers each reserve the
// bytes that they announce, so together they cannot exceed the quota. An upload of unknown length is accepted
// while the quota is not reached, and counted when it is stored, so each such upload can exceed the quota once.
package quota

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/assay-project/assay/pkg/web"
)

// Name is the name of a quota.
type Name string

// Names of quotas.
const (
	Bytes    Name = "bytes"    // stored bytes of the owner's items, as uploaded
	Items    Name = "items"    // items of all areas, and folders
	Uploads  Name = "uploads"  // open uploads in parts
	Requests Name = "requests" // requests per second and process
	Streams  Name = "streams"  // open streams of live events per process
)

// names lists the quotas in the order in which they are shown.
var names = []Name{Bytes, Items, Uploads, Requests, Streams}

// Limits are the quotas of an owner. 0 means no limit.
type Limits struct {
	Bytes    int64 `json:"bytes" minimum:"0" doc:"stored bytes, as uploaded; derived data is not counted"`
	Items    int64 `json:"items" minimum:"0" doc:"text files, photo jobs, feed items that the owner sent first, and files and folders of the library"`
	Uploads  int64 `json:"uploads" minimum:"0" doc:"open uploads in parts"`
	Requests int64 `json:"requests" minimum:"0" doc:"requests per second and process"`
	Streams  int64 `json:"streams" minimum:"0" doc:"open streams of live events per process"`
}

// Counted reports whether a limit on stored data applies. Only then are items counted.
func (l Limits) Counted() bool { return l.Bytes > 0 || l.Items > 0 || l.Uploads > 0 }

// Rates returns the limits that each process enforces independently.
func (l Limits) Rates() web.Rates { return web.Rates{Requests: l.Requests, Streams: l.Streams} }

// of returns a pointer to the limit with the given name.
func (l *Limits) of(name Name) *int64 {
	switch name {
	case Bytes:
		return &l.Bytes
	case Items:
		return &l.Items
	case Uploads:
		return &l.Uploads
	case Requests:
		return &l.Requests
	case Streams:
		return &l.Streams
	}
	return nil
}

// Overrides are the quotas of one owner that differ from the settings. A nil quota means that the setting
// applies.
type Overrides struct {
	Bytes    *int64 `json:"bytes,omitempty" minimum:"0" doc:"stored bytes; 0 means no limit"`
	Items    *int64 `json:"items,omitempty" minimum:"0" doc:"items; 0 means no limit"`
	Uploads  *int64 `json:"uploads,omitempty" minimum:"0" doc:"open uploads in parts; 0 means no limit"`
	Requests *int64 `json:"requests,omitempty" minimum:"0" doc:"requests per second; 0 means no limit"`
	Streams  *int64 `json:"streams,omitempty" minimum:"0" doc:"open streams of live events; 0 means no limit"`
}

// over returns l with the overrides of o applied.
func (o Overrides) over(l Limits) Limits {
	for i, value := range []*int64{o.Bytes, o.Items, o.Uploads, o.Requests, o.Streams} {
		if value != nil {
			*l.of(names[i]) = *value
		}
	}
	return l
}

// Config contains the default quotas, which operators can override for each owner.
type Config struct {
	Quotas string `env:"ASSAY_QUOTAS" use:"often" doc:"quotas of each owner as comma-separated NAME=LIMIT pairs: stored bytes and items, open uploads, requests per second and open streams per process, such as bytes=50GiB,items=100000,requests=100; a missing quota and 0 mean no limit"`
}

// Validate returns an error if the setting is invalid.
func (c Config) Validate() error {
	_, err := c.limits()
	return err
}

func (c Config) limits() (Limits, error) {
	var l Limits
	o, err := Parse(strings.Split(c.Quotas, ",")...)
	if err != nil {
		return l, fmt.Errorf("ASSAY_QUOTAS: %w", err)
	}
	return o.over(l), nil
}

// Parse parses quotas of the form NAME=LIMIT, such as bytes=50GiB. Empty entries are ignored.
func Parse(terms ...string) (Overrides, error) {
	var o Overrides
	for _, term := range terms {
		if term = strings.TrimSpace(term); term == "" {
			continue
		}
		name, value, _ := strings.Cut(term, "=")
		limit, err := number(strings.TrimSpace(value))
		if err != nil {
			return o, fmt.Errorf("%q: %w", term, err)
		}
		to := map[Name]**int64{Bytes: &o.Bytes, Items: &o.Items, Uploads: &o.Uploads, Requests: &o.Requests, Streams: &o.Streams}[Name(strings.TrimSpace(name))]
		if to == nil {
			return o, fmt.Errorf("%q: the quotas are bytes, items, uploads, requests and streams", term)
		}
		*to = &limit
	}
	return o, nil
}

// number parses a number with an optional binary unit.
func number(text string) (int64, error) {
	unit := int64(1)
	for i, suffix := range []string{"KiB", "MiB", "GiB", "TiB"} {
		if rest, found := strings.CutSuffix(text, suffix); found {
			text, unit = strings.TrimSpace(rest), 1<<(10*(i+1))
		}
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64/unit {
		return 0, fmt.Errorf("%q is not a non-negative number, optionally with KiB, MiB, GiB or TiB", text)
	}
	return n * unit, nil
}
