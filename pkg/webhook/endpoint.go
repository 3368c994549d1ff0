// Package webhook contains the endpoints that owners register, and the deliveries to them, in the table assay-platform.
//
// An endpoint is a document in the partition of its owner, which ingest writes. Its health is a document that query writes. A
// delivery is a row of its endpoint, written by query; its key begins with the time of the event, so that a list of deliveries is
// in the order of events. A pending delivery has another row in one of the partitions of pending deliveries, ordered by endpoint
// and time of the next attempt: one program at a time sends the deliveries of each partition (package checkpoint).
//
// The sender signs as Standard Webhooks 1.0.0 defines: https://www.standardwebhooks.com.
package webhook

import (
	"context"
	"slices"
	"time"
)

// State is the state of an endpoint.
type State string

// States of endpoints.
const (
	Active   State = "active"
	Disabled State = "disabled" // nothing is delivered until the owner enables it
)

// Endpoint is the URL of an owner that is called for events.
type Endpoint struct {
	ID      string `json:"id"` // UUID
	Owner   string `json:"owner"`
	URL     string `json:"url"`
	Name    string `json:"name,omitempty"`
	Filter  Filter `json:"filter"`
	Include bool   `json:"include,omitempty"` // whether the payload contains the result, if that is small

	Off       bool   `json:"off,omitempty"`       // disabled by the owner
	PublicKey string `json:"publicKey,omitempty"` // verifies signatures by the newest secret, if that is of ed25519

	CreatedAt time.Time `json:"createdAt"`
	EnabledAt time.Time `json:"enabledAt"` // a Health from before is outdated
	Secrets   []Secret  `json:"secrets"`   // the newest first
}

// Health is how the attempts of an endpoint have ended. Its zero value is that of an endpoint without failures.
type Health struct {
	// FailingSince is the time of the first failed attempt since the last successful one; zero if there is none.
	FailingSince time.Time `json:"failingSince,omitzero"`
	DisabledAt   time.Time `json:"disabledAt,omitzero"`
	Reason       string    `json:"reason,omitempty"` // why it was disabled, for users
}

// Current returns a health as far as it is from after the endpoint was enabled.
func (e Endpoint) Current(h Health) Health {
	if h.FailingSince.Before(e.EnabledAt) {
		return Health{}
	}
	return h
}

// State returns the state of an endpoint with a health.
func (e Endpoint) State(h Health) State {
	if e.Off || h.DisabledAt.After(e.EnabledAt) {
		return Disabled
	}
	return Active
}

// Secret is a sealed secret of an endpoint.
type Secret struct {
	Sealed string    `json:"sealed"`
	Until  time.Time `json:"until,omitzero"` // when it stops being used; zero for the newest one
}

// Limits.
const (
	MaxEndpoints = 10             // of an owner
	KeepSecret   = 24 * time.Hour // time for which the secret before a rotation is still used
	FailingLimit = 5 * 24 * time.Hour
)

// Filter selects events. Its zero value selects all.
type Filter struct {
	Areas  []string `json:"areas,omitempty"`  // such as library; empty for all
	Types  []string `json:"types,omitempty"`  // such as library.completed; empty for all
	Tags   []string `json:"tags,omitempty"`   // of which the item has one; empty for all items
	Folder string   `json:"folder,omitempty"` // id of a folder of the library, with everything below it
	Named  bool     `json:"named,omitempty"`  // only events of items that name the endpoint
}

// Selects reports whether the filter selects an event, except for Named.
func (f Filter) Selects(ctx context.Context, e Event) (bool, error) {
	has := func(tag string) bool { return slices.Contains(e.Tags, tag) }
	switch {
	case len(f.Areas) > 0 && !slices.Contains(f.Areas, e.Area), len(f.Types) > 0 && !slices.Contains(f.Types, e.Type),
		len(f.Tags) > 0 && !slices.ContainsFunc(f.Tags, has):
		return false, nil
	case f.Folder == "":
		return true, nil
	case e.Below == nil:
		return false, nil
	}
	return e.Below(ctx, f.Folder)
}

// Valid returns the sealed secrets that are in use at a time.
func (e Endpoint) Valid(at time.Time) []string {
	var all []string
	for _, s := range e.Secrets {
		if s.Until.IsZero() || at.Before(s.Until) {
			all = append(all, s.Sealed)
		}
	}
	return all
}

// Rotated returns the endpoint with a new sealed secret. The previous one stays in use for KeepSecret, and older ones end.
func (e Endpoint) Rotated(sealed string, at time.Time) Endpoint {
	kept := []Secret{{Sealed: sealed}}
	if len(e.Secrets) > 0 {
		kept = append(kept, Secret{Sealed: e.Secrets[0].Sealed, Until: at.Add(KeepSecret)})
	}
	e.Secrets = kept
	return e
}

// Failed returns the health after a failed attempt. The endpoint is disabled if all attempts have failed for FailingLimit, or if
// the receiver responded that the endpoint is gone.
func (h Health) Failed(at time.Time, gone bool) Health {
	if h.FailingSince.IsZero() {
		h.FailingSince = at
	}
	switch {
	case gone:
		h.DisabledAt, h.Reason = at, "the receiver responded with 410 Gone"
	case at.Sub(h.FailingSince) >= FailingLimit:
		h.DisabledAt, h.Reason = at, "all deliveries have failed for five days"
	}
	return h
}
