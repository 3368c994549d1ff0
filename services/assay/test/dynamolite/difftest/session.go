package main

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/assay-project/assay/pkg/dynamolite/attr"
)

// session sends one series of requests to both engines.
type session struct {
	gen          *generator
	ours, theirs *client
	report       *report
	streams      []*streamPair
	dirty        map[string]bool // table and key of items that were written by a request with different responses
	refused      map[string]bool // tokens of transactions that dynamolite has rejected
}

func newSession(seed uint64, ours, theirs *client, r *report) *session {
	return &session{gen: newGenerator(seed), ours: ours, theirs: theirs, report: r, dirty: map[string]bool{}, refused: map[string]bool{}}
}

// checkEvery is the number of requests between comparisons of the change
// streams and of the content of all tables.
const checkEvery = 500

func (s *session) run(ctx context.Context, requests int) error {
	for _, t := range s.gen.tables {
		for _, c := range []*client{s.ours, s.theirs} {
			a, err := c.send(ctx, t.create())
			if err != nil {
				return err
			}
			if !a.ok() {
				return fmt.Errorf("%s: CreateTable %s: %s", c.name, t.name, a)
			}
		}
		pair, err := openStreams(ctx, t, s.ours, s.theirs)
		if err != nil {
			return err
		}
		s.streams = append(s.streams, pair)
	}
	for i := range requests {
		r := s.gen.request()
		s.report.sent++
		s.report.operations[r.operation]++
		same, err := s.exchange(ctx, r)
		if err != nil {
			return err
		}
		if !same {
			if err := s.repair(ctx, keysOf(r, s.gen.tables)); err != nil {
				return err
			}
		}
		if (i+1)%checkEvery == 0 || i+1 == requests {
			if err := s.checkAll(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// exchange sends r to both engines, reports a difference, and returns whether
// the responses are equal.
func (s *session) exchange(ctx context.Context, r request) (same bool, err error) {
	ours, err := s.fetch(ctx, s.ours, r)
	if err != nil {
		return false, err
	}
	theirs, err := s.fetch(ctx, s.theirs, r)
	if err != nil {
		return false, err
	}
	if ours.ok() && theirs.ok() {
		s.report.accepted++
	}
	d, different := compare(r, ours, theirs)
	if different {
		d.afterRefusal = s.refused[tokenOf(r)]
		s.report.difference(d)
	}
	if !ours.ok() && tokenOf(r) != "" {
		s.refused[tokenOf(r)] = true
	}
	return !different, nil
}

// tokenOf returns the token of a transaction, or "" if there is none.
func tokenOf(r request) string {
	token, _ := r.body["ClientRequestToken"].(string)
	return token
}

// fetch sends r and returns the response; it reads all pages of Query and
// Scan.
func (s *session) fetch(ctx context.Context, c *client, r request) (response, error) {
	if r.operation != "Query" && r.operation != "Scan" {
		return c.send(ctx, r)
	}
	return s.pages(ctx, c, r)
}

// tableKey identifies an item.
type tableKey struct {
	table tableSpec
	key   object
}

// String returns a form that is the same for all spellings of a number.
func (k tableKey) String() string {
	key := maps.Clone(k.key)
	for name, v := range key {
		if spelled, ok := v.(object)["N"].(string); ok {
			if n, err := attr.ParseNumber(spelled); err == nil {
				key[name] = object{"N": n.String()}
			}
		}
	}
	return k.table.name + text(key)
}

// keysOf returns the items that a request writes.
func keysOf(r request, specs []tableSpec) []tableKey {
	var keys []tableKey
	add := func(table any, item any) {
		i := slices.IndexFunc(specs, func(t tableSpec) bool { return t.name == table })
		if it, ok := item.(object); ok && i >= 0 {
			keys = append(keys, tableKey{specs[i], specs[i].keyOf(it)})
		}
	}
	write := func(body object) {
		add(body["TableName"], body["Key"])
		add(body["TableName"], body["Item"])
	}
	switch r.operation {
	case "PutItem", "UpdateItem", "DeleteItem":
		write(r.body)
	case "TransactWriteItems":
		for _, action := range r.body["TransactItems"].(list) {
			for _, body := range action.(object) {
				write(body.(object))
			}
		}
	case "BatchWriteItem":
		for table, writes := range r.body["RequestItems"].(object) {
			for _, w := range writes.(list) {
				for _, body := range w.(object) {
					add(table, body.(object)["Key"])
					add(table, body.(object)["Item"])
				}
			}
		}
	}
	return keys
}

// repair removes items from both engines, so that one difference does not
// cause others.
func (s *session) repair(ctx context.Context, keys []tableKey) error {
	for _, k := range keys {
		s.dirty[k.String()] = true
		for _, c := range []*client{s.ours, s.theirs} {
			// If the key is invalid, neither engine has the item.
			if _, err := c.send(ctx, request{"DeleteItem", object{"TableName": k.table.name, "Key": k.key}}); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkAll compares the stream records since the last check and the content of all
// tables.
func (s *session) checkAll(ctx context.Context) error {
	for _, pair := range s.streams {
		d, different, err := pair.compare(ctx, s.dirty)
		if err != nil {
			return err
		}
		if different {
			s.report.difference(d)
		}
		r := request{"Scan", object{"TableName": pair.table.name}}
		ours, err := s.fetch(ctx, s.ours, r)
		if err != nil {
			return err
		}
		theirs, err := s.fetch(ctx, s.theirs, r)
		if err != nil {
			return err
		}
		if d, different := compare(r, ours, theirs); different {
			s.report.difference(d)
			return fmt.Errorf("table %s has diverged without a difference in a response", pair.table.name)
		}
	}
	clear(s.dirty)
	return nil
}
