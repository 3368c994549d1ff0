package bus

import (
	"context"
	"errors"
	"maps"
	"strconv"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/assay-project/assay/pkg/event"
)

// settingsVersion is the version of the settings of streams and consumers. Raise it with each change of them. During an
// upgrade, processes of the previous version then leave the settings of the newer one, instead of reverting them at each
// restart.
const settingsVersion = 1

// settingsKey is the metadata of a stream or consumer that states the version of its settings, if it is above 1.
const settingsKey = "assay-settings"

// NewerSettings reports whether a newer version of Assay has made the settings of a stream or consumer with this metadata.
func NewerSettings(metadata map[string]string) bool {
	version, err := strconv.Atoi(metadata[settingsKey])
	return err == nil && version > settingsVersion
}

// WithSettings returns the metadata of a stream or consumer with the settings of this version.
func WithSettings(metadata map[string]string) map[string]string {
	if settingsVersion <= 1 {
		return metadata
	}
	all := maps.Clone(metadata)
	if all == nil {
		all = map[string]string{}
	}
	all[settingsKey] = strconv.Itoa(settingsVersion)
	return all
}

// StreamChange is what Connect would do to a stream.
type StreamChange struct {
	Stream string
	Action Action
	Err    error // why it cannot be declared, which wraps ErrNotDurable; usually nil
}

// Action is an action on a stream.
type Action string

// Actions.
const (
	Keep   Action = "keep"
	Create Action = "create"
	Update Action = "update"
	Leave  Action = "leave" // its settings are of a newer version
)

// Changes compares the streams on the server with those that Connect declares. It changes nothing.
func (b *Bus) Changes(ctx context.Context) ([]StreamChange, error) {
	var all []StreamChange
	for _, want := range configurations(b.cfg) {
		change, _, err := b.cfg.change(ctx, b.JS, want)
		if err != nil {
			return nil, err
		}
		all = append(all, change)
	}
	return all, nil
}

// change compares a stream on the server with the settings of want. It also returns the settings to declare.
func (c Config) change(ctx context.Context, js *JetStream, want jetstream.StreamConfig) (StreamChange, jetstream.StreamConfig, error) {
	change := StreamChange{Stream: want.Name, Action: Keep}
	found, err := js.Stream(ctx, want.Name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		change.Action = Create
		return change, want, nil
	}
	if err != nil {
		return change, want, err
	}
	have := found.CachedInfo().Config
	want, change.Err = c.keep(want, have)
	switch {
	case NewerSettings(have.Metadata):
		change.Action = Leave
	case !declared(have, want):
		change.Action = Update
	}
	return change, want, nil
}

// NewerMessages counts the messages of a stream whose version is above the one that this process supports. It reads at most
// limit messages, oldest first, with one request for each, and reports whether it has read all.
func (b *Bus) NewerMessages(ctx context.Context, stream string, limit int) (newer int, all bool, err error) {
	found, err := b.JS.Stream(ctx, stream)
	if err != nil {
		return 0, false, err
	}
	read := 0
	for msg, err := range found.After(ctx, ">", 0) {
		if err != nil || read == limit {
			return newer, false, err
		}
		read++
		if envelope, _ := event.ParseEnvelope(msg.Header); envelope.Version > b.Version(stream) { // what is unreadable stays empty
			newer++
		}
	}
	return newer, true, nil
}
