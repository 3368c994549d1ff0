package policy

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/pkg/platform"
)

// ErrUnknown means that no paid provider has this name.
var ErrUnknown = errors.New("there is no such provider")

// Provider is a provider with its settings. Revision is 0 until an operator sets them.
type Provider struct {
	Name     string
	Revision int64
	Settings Settings
}

// Outcome classifies the result of a call by its effect on the state of the provider.
type Outcome string

// Outcomes.
const (
	Answered Outcome = "answered" // the provider responded, possibly with an error in the request
	Failed   Outcome = "failed"   // counts toward opening the breaker
	Limited  Outcome = "limited"  // no calls until RetryAfter has passed
	Refused  Outcome = "refused"  // no calls until the settings or the key change
	Dropped  Outcome = "dropped"  // the call was not made or is not significant
)

// Call is a call that is about to be made.
type Call struct {
	ID         string // unique for each attempt at a call
	CostMicros int64  // the maximum cost
	Until      time.Time
	Key        string // digest of the key, from Digest
}

// Result is the result of a call.
type Result struct {
	Outcome     Outcome
	CostMicros  int64
	RetryAfter  time.Duration
	Revision    int64 // of the settings that the call used
	Key, Reason string
}

// Digest returns the digest of a key that a suspension stores.
func Digest(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:6])
}

// Paid returns the names of the paid providers, which have settings.
func Paid() []string { return []string{photojob.Gemini, photojob.Seedream} }

// Store reads and writes settings and states. It is safe for concurrent use.
type Store struct {
	documents *platform.Store
	now       func() time.Time
}

// NewStore returns a store on the given documents.
func NewStore(documents *platform.Store) *Store { return &Store{documents, time.Now} }

// Get returns a provider with its settings or the defaults, or ErrUnknown.
func (s *Store) Get(ctx context.Context, name string) (Provider, error) {
	p := Provider{Name: name, Settings: Defaults(name)}
	if p.Settings.BaseURL == "" {
		return p, ErrUnknown
	}
	var err error
	p.Revision, err = s.get(ctx, platform.PhotoProviders, name, &p.Settings)
	return p, err
}

// get reads a document into v and returns its version. If there is none, it returns 0 and leaves v
// unchanged.
func (s *Store) get(ctx context.Context, partition, name string, v any) (version int64, err error) {
	document, err := s.documents.Get(ctx, partition, name)
	if errors.Is(err, platform.ErrNotFound) {
		return 0, nil
	}
	if err == nil {
		err = json.Unmarshal([]byte(document.Body), v)
	}
	if err != nil {
		return 0, fmt.Errorf("read %s %s: %w", partition, name, err)
	}
	return document.Version, nil
}

// Put replaces the settings, which must be valid. It returns ErrUnknown, platform.ErrUnconditional for an
// empty Match if there are settings, or platform.ErrOtherRevision.
func (s *Store) Put(ctx context.Context, name string, settings Settings, match platform.Match) (Provider, error) {
	if Defaults(name).BaseURL == "" {
		return Provider{}, ErrUnknown
	}
	revision, err := s.put(ctx, name, settings, match)
	return Provider{Name: name, Revision: revision, Settings: settings}, err
}

// put replaces a document that operators edit.
func (s *Store) put(ctx context.Context, name string, v any, match platform.Match) (revision int64, err error) {
	for {
		var found json.RawMessage
		revision, err := s.get(ctx, platform.PhotoProviders, name, &found)
		if err == nil && !match.Any { // any revision, also that of the defaults
			err = match.Check(revision, revision > 0)
		}
		if err != nil {
			return 0, err
		}
		err = s.documents.PutJSON(ctx, platform.PhotoProviders, name, revision, v)
		if !errors.Is(err, platform.ErrChanged) { // one of several concurrent writers succeeds, so the loop ends
			return revision + 1, err
		}
	}
}

// defaultDocument is the name of the document of the default provider. No provider has this name.
const defaultDocument = "default"

// Default is the provider of jobs that specify none. It is the local provider, with revision 0, until
// an operator sets another one.
type Default struct {
	Provider string
	Revision int64 `json:"-"`
}

// Default returns the default provider.
func (s *Store) Default(ctx context.Context) (Default, error) {
	d := Default{Provider: photojob.Stub}
	revision, err := s.get(ctx, platform.PhotoProviders, defaultDocument, &d)
	d.Revision = revision
	return d, err
}

// PutDefault replaces the default provider. It returns the errors of Put.
func (s *Store) PutDefault(ctx context.Context, provider string, match platform.Match) (Default, error) {
	d := Default{Provider: provider}
	if !slices.Contains(photojob.Providers(), provider) {
		return d, ErrUnknown
	}
	revision, err := s.put(ctx, defaultDocument, d, match)
	d.Revision = revision
	return d, err
}

// State returns the state of a provider.
func (s *Store) State(ctx context.Context, name string) (State, error) {
	state, _, err := s.state(ctx, name)
	return state, err
}

func (s *Store) state(ctx context.Context, name string) (state State, version int64, err error) {
	version, err = s.get(ctx, platform.PhotoStates, name, &state)
	return state, version, err
}

// Held returns the reason why no call of this cost may be made to the provider now, or nil.
func (s *Store) Held(ctx context.Context, p Provider, key string, cost int64) (*Held, error) {
	state, err := s.State(ctx, p.Name)
	if err != nil {
		return nil, err
	}
	return state.held(p, key, cost, s.now()), nil
}

// Take counts a call that is about to be made, or returns *Held if it may not be made. If Take succeeds,
// the caller must call Done.
func (s *Store) Take(ctx context.Context, p Provider, c Call) error {
	return s.update(ctx, p.Name, func(state *State) error {
		now := s.now()
		if _, taken := state.Running[c.ID]; taken {
			return errUnchanged // an earlier write succeeded, and its response was lost
		}
		if held := state.held(p, c.Key, c.CostMicros, now); held != nil {
			return held
		}
		state.take(c, now)
		return nil
	})
}

// Done records the result of a call.
func (s *Store) Done(ctx context.Context, name, callID string, r Result) error {
	return s.update(ctx, name, func(state *State) error {
		state.done(callID, r, s.now())
		return nil
	})
}

// errUnchanged makes update skip the write.
var errUnchanged = errors.New("nothing to write")

// update applies change to the current state and writes it with a conditional write.
func (s *Store) update(ctx context.Context, name string, change func(*State) error) error {
	for {
		state, version, err := s.state(ctx, name)
		if err != nil {
			return err
		}
		err = change(&state)
		if errors.Is(err, errUnchanged) {
			return nil
		}
		if err != nil {
			return err
		}
		err = s.documents.PutJSON(ctx, platform.PhotoStates, name, version, state)
		if !errors.Is(err, platform.ErrChanged) { // one of several concurrent writers succeeds, so the loop ends
			return err
		}
	}
}
