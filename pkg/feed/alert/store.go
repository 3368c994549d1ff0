package alert

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/assay-project/assay/pkg/platform"
)

// Errors of the Store.
var (
	ErrNotFound = errors.New("the alert does not exist")
	ErrTooMany  = fmt.Errorf("the limit of %d alerts is reached", MaxAlerts)
)

// Store stores the settings and the state of each alert as documents in the platform table. ingest writes settings, query
// writes states.
type Store struct{ documents *platform.Store }

// NewStore returns a store on the given documents.
func NewStore(documents *platform.Store) *Store { return &Store{documents} }

// Stored returns all alerts by name, with the deleted ones.
func (s *Store) Stored(ctx context.Context) ([]Alert, error) {
	documents, err := s.documents.List(ctx, platform.FeedAlerts)
	if err != nil {
		return nil, err
	}
	all := make([]Alert, len(documents))
	for i, d := range documents {
		if all[i], err = parseAlert(d); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// All returns the alerts that are not deleted, by name.
func (s *Store) All(ctx context.Context) ([]Alert, error) {
	stored, err := s.Stored(ctx)
	var all []Alert
	for _, a := range stored {
		if !a.Deleted {
			all = append(all, a)
		}
	}
	return all, err
}

// Get returns an alert, or ErrNotFound.
func (s *Store) Get(ctx context.Context, name string) (Alert, error) {
	a, err := s.load(ctx, name)
	if err == nil && (a.Revision == 0 || a.Deleted) {
		return Alert{}, ErrNotFound
	}
	return a, err
}

// load returns an alert. Its revision is 0 if there is none.
func (s *Store) load(ctx context.Context, name string) (Alert, error) {
	d, err := s.documents.Get(ctx, platform.FeedAlerts, name)
	if errors.Is(err, platform.ErrNotFound) {
		return Alert{Name: name}, nil
	}
	if err != nil {
		return Alert{}, err
	}
	return parseAlert(d)
}

func parseAlert(d platform.Document) (Alert, error) {
	var a Alert
	if err := json.Unmarshal([]byte(d.Body), &a); err != nil {
		return Alert{}, fmt.Errorf("read the alert %s: %w", d.Name, err)
	}
	a.Revision = d.Version
	return a, nil
}

// Put sets the settings of an alert, which must be valid. It returns ErrTooMany, platform.ErrUnconditional or
// platform.ErrOtherRevision.
func (s *Store) Put(ctx context.Context, name string, settings Settings, match platform.Match) (put Alert, created bool, err error) {
	for {
		a, err := s.load(ctx, name)
		if err == nil {
			err = match.Check(a.Revision, a.Revision > 0 && !a.Deleted)
		}
		if err != nil {
			return Alert{}, false, err
		}
		if created = a.Revision == 0 || a.Deleted; created {
			all, err := s.All(ctx)
			if err != nil {
				return Alert{}, false, err
			}
			if len(all) >= MaxAlerts {
				return Alert{}, false, ErrTooMany
			}
		}
		a.Settings, a.Deleted = settings, false
		if a, err = s.write(ctx, a); !errors.Is(err, platform.ErrChanged) { // one of the concurrent writers succeeds, so the loop terminates
			return a, created, err
		}
	}
}

// Delete deletes an alert. A missing alert is not an error unless match specifies a precondition. It returns
// platform.ErrUnconditional or platform.ErrOtherRevision.
func (s *Store) Delete(ctx context.Context, name string, match platform.Match) error {
	for {
		a, err := s.load(ctx, name)
		if err != nil || (a.Revision == 0 || a.Deleted) && match == (platform.Match{}) {
			return err
		}
		if err := match.Check(a.Revision, a.Revision > 0 && !a.Deleted); err != nil {
			return err
		}
		a.Deleted = true
		if _, err = s.write(ctx, a); !errors.Is(err, platform.ErrChanged) {
			return err
		}
	}
}

func (s *Store) write(ctx context.Context, a Alert) (Alert, error) {
	err := s.documents.PutJSON(ctx, platform.FeedAlerts, a.Name, a.Revision, a)
	a.Revision++
	return a, err
}

// Versioned is a state with the version of its document, 0 if there is none.
type Versioned struct {
	State
	Version int64
}

// States returns the states by name of the alert.
func (s *Store) States(ctx context.Context) (map[string]Versioned, error) {
	documents, err := s.documents.List(ctx, platform.FeedAlertStates)
	if err != nil {
		return nil, err
	}
	states := map[string]Versioned{}
	for _, d := range documents {
		if states[d.Name], err = parseState(d); err != nil {
			return nil, err
		}
	}
	return states, nil
}

// State returns the state of an alert, the zero State if it was not evaluated yet.
func (s *Store) State(ctx context.Context, name string) (Versioned, error) {
	d, err := s.documents.Get(ctx, platform.FeedAlertStates, name)
	if errors.Is(err, platform.ErrNotFound) {
		return Versioned{}, nil
	}
	if err != nil {
		return Versioned{}, err
	}
	return parseState(d)
}

func parseState(d platform.Document) (Versioned, error) {
	v := Versioned{Version: d.Version}
	if err := json.Unmarshal([]byte(d.Body), &v.State); err != nil {
		return v, fmt.Errorf("read the state of the alert %s: %w", d.Name, err)
	}
	return v, nil
}

// PutState replaces a state by the next one. It returns platform.ErrChanged if another process has replaced it.
func (s *Store) PutState(ctx context.Context, name string, next Versioned) (Versioned, error) {
	err := s.documents.PutJSON(ctx, platform.FeedAlertStates, name, next.Version, next.State)
	next.Version++
	return next, err
}
