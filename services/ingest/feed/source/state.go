package source

import (
	"slices"
	"time"

	"github.com/assay-project/assay/pkg/reason"
	"github.com/assay-project/assay/services/ingest/feed/source/syndication"
)

// Source is a stored source. Its methods have no side effects other than on the Source; the Store applies
// them sequentially.
type Source struct {
	Name     string   `json:"name"`
	Revision int64    `json:"revision"` // revision of the settings
	Settings Settings `json:"settings"`
	// Deleted is set instead of removing the source, so that the used quota still counts if it is created again.
	Deleted bool `json:"deleted,omitempty"`
	// Added is when the source was created, or when its settings last named another URL. Older entries are an archive. It
	// is zero for sources from before it existed.
	Added time.Time `json:"added,omitzero"`
	State State     `json:"state"`
}

// State is the state of a source's polls.
type State struct {
	NextPoll time.Time `json:"nextPoll"`
	Holder   string    `json:"holder,omitempty"` // token of the poll that holds the lease; empty if there is none
	Used     Used      `json:"used,omitzero"`
	// HeldUntil is the end of the pause that the server requested.
	HeldUntil time.Time `json:"heldUntil,omitzero"`
	// Failures is the number of consecutive failures, which increase the
	// pauses between polls.
	Failures int `json:"failures,omitempty"`
	// Stopped is the reason why polls are stopped until the settings are changed.
	Stopped    string                 `json:"stopped,omitempty"`
	Last       *Outcome               `json:"last,omitempty"`
	Validators syndication.Validators `json:"validators,omitzero"` // for rss
	// Location is where the feed is if the URL of the settings redirects permanently, or is that of a web page.
	Location string             `json:"location,omitempty"`
	Watched  map[string]Watched `json:"watched,omitempty"` // for newsapi, by tag
}

// Used is the part of the quota used on a day.
type Used struct {
	Day      string `json:"day"` // UTC
	Requests int    `json:"requests"`
}

// Watched is the position of the search for a tag.
type Watched struct {
	Newest time.Time `json:"newest"` // time of the newest item found
	Polled time.Time `json:"polled"`
}

// Outcome is the result of a poll.
type Outcome struct {
	At       time.Time `json:"at"`
	Outcome  string    `json:"outcome"`
	Detail   string    `json:"detail,omitempty"`
	Requests int       `json:"requests"`
	Taken    Taken     `json:"taken"`
}

// Taken counts the outcomes of the items of a poll.
type Taken struct {
	Created   int `json:"created"`
	Duplicate int `json:"duplicate"`
	Invalid   int `json:"invalid"`
	Skipped   int `json:"skipped"` // entries that match no tag, were withdrawn, or are beyond the last page
	// TagsDropped counts matching tags beyond the maximum number of tags of an item.
	TagsDropped int `json:"tagsDropped" doc:"matching tags that were dropped, because an item has at most 5"`
}

func (t *Taken) add(other Taken) {
	t.Created += other.Created
	t.Duplicate += other.Duplicate
	t.Invalid += other.Invalid
	t.Skipped += other.Skipped
	t.TagsDropped += other.TagsDropped
}

// mostSkew is an upper bound on the clock difference between processes.
const mostSkew = time.Hour

// due reports whether it is time to poll the source; leases decide whether it is free. If the last
// poll is in the future, the clock was stepped back, and times derived from that poll are ignored.
func (s *Source) due(now time.Time) bool {
	if s.State.Last != nil && s.State.Last.At.After(now.Add(mostSkew)) {
		return s.enabled()
	}
	return s.enabled() && !now.Before(s.State.NextPoll) && !now.Before(s.State.HeldUntil)
}

func (s *Source) enabled() bool {
	return !s.Deleted && s.Settings.Enabled && s.State.Stopped == ""
}

// maxRequests returns the maximum number of requests of a poll.
func (s *Source) maxRequests() int {
	if s.Settings.Kind == KindNewsAPI {
		return len(s.Settings.Tags) * s.Settings.Pages
	}
	if s.State.Location == "" {
		return 2 // a web page and its feed
	}
	return 1
}

// claim assigns a due source to a poll, and returns the number of requests granted. They count as
// used immediately, so that they are not granted again after a crash. claim returns 0 if the daily quota
// is used up; the source then waits for the next day.
func (s *Source) claim(token string, now time.Time) int {
	now = now.UTC()
	// If the clock of this process is behind, the requests count for the day that has already begun.
	if used := s.State.Used.Day; used < now.Format(time.DateOnly) || used > now.Add(mostSkew).Format(time.DateOnly) {
		s.State.Used = Used{Day: now.Format(time.DateOnly)}
	}
	requests := min(s.maxRequests(), s.Settings.Quota-s.State.Used.Requests)
	if requests <= 0 {
		s.State.NextPoll = now.Truncate(24 * time.Hour).Add(24 * time.Hour)
		s.State.Last = &Outcome{At: now, Outcome: outcomeQuota, Detail: "the daily quota is used up"}
		return 0
	}
	s.State.Used.Requests += requests
	s.State.Holder = token
	return requests
}

// defaultHold is the pause after a server has reported too many requests without a retry time.
const defaultHold = time.Hour

// backendPause is the pause after an error of an Assay backend.
const backendPause = time.Minute

// finish records the result of a poll and releases the source. If another poll has
// taken over the source, it records nothing. If the settings have changed during the
// poll, it only records the requests used.
func (s *Source) finish(c claimed, r report, now time.Time, longest time.Duration) {
	if s.State.Holder != c.token {
		return
	}
	now = now.UTC()
	s.State.Holder = ""
	if s.State.Used.Day == c.day {
		s.State.Used.Requests -= c.requests - r.counted
	}
	if s.Revision != c.Revision {
		return
	}
	every := s.Settings.interval()
	outcome, ours := r.outcome()
	s.State.Last = &Outcome{At: now, Outcome: outcome, Requests: r.requests, Taken: r.taken}
	switch {
	case r.err != nil:
		s.State.Last.Detail = cut(r.detail(), 500)
	case r.damaged:
		s.State.Last.Detail = reason.FeedDamaged.Error()
	}
	for tag, watched := range r.watched {
		if s.State.Watched == nil {
			s.State.Watched = map[string]Watched{}
		}
		s.State.Watched[tag] = watched
	}
	if r.err == nil {
		s.State.Failures, s.State.NextPoll, s.State.Validators = 0, now.Add(every), r.validators
		if s.State.Location = r.location; r.location == s.Settings.URL || len(r.location) > maxURL {
			s.State.Location = ""
		}
		return
	}
	switch {
	case outcome == outcomeInterrupted:
		s.State.NextPoll = now
	case ours:
		s.State.NextPoll = now.Add(min(every, backendPause))
	case outcome == outcomeThrottled:
		s.State.HeldUntil = now.Add(r.hold())
		s.State.NextPoll = s.State.HeldUntil
	default:
		if s.State.Location != "" { // the next poll begins at the URL of the settings
			s.State.Location, s.State.Validators = "", syndication.Validators{}
		}
		s.State.Failures++
		s.State.NextPoll = now.Add(pause(every, s.State.Failures, longest))
		if outcome == outcomeUnauthorized || outcome == outcomeGone {
			s.State.Stopped = s.State.Last.Detail
		}
	}
}

// pause returns the pause before the next poll: the interval, doubled with each
// consecutive failure after the first, up to longest, and never less than the interval.
// The next poll tests whether the source works again.
func pause(every time.Duration, failures int, longest time.Duration) time.Duration {
	wait := every
	for range failures - 1 {
		if wait *= 2; wait >= longest {
			break
		}
	}
	return max(every, min(wait, longest))
}

// change changes the settings of the source. They take effect immediately, but a pause requested by
// the same server remains.
func (s *Source) change(settings Settings, now time.Time) {
	if s.Revision == 0 || s.Deleted || s.Settings.URL != settings.URL {
		s.Added = now.UTC()
	}
	if !s.Settings.sameServer(settings) {
		s.State.HeldUntil, s.State.Watched = time.Time{}, nil
	}
	for tag := range s.State.Watched {
		if !slices.Contains(settings.Tags, tag) {
			delete(s.State.Watched, tag)
		}
	}
	// The feed must be read again, since entries that were skipped may match the new settings.
	s.State.Validators, s.State.Location = syndication.Validators{}, ""
	s.State.NextPoll, s.State.Failures, s.State.Stopped = now.UTC(), 0, ""
	s.Settings, s.Deleted = settings, false
	s.Revision++
}

// Status returns the status of the source: disabled, stopped, polling, paused or waiting.
func (s *Source) Status(now time.Time) string {
	switch {
	case !s.Settings.Enabled:
		return "disabled"
	case s.State.Stopped != "":
		return "stopped"
	case s.State.Holder != "":
		return "polling"
	case s.State.Failures > 0 || now.Before(s.State.HeldUntil):
		return "paused"
	}
	return "waiting"
}
