package source

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/guard"
	"github.com/assay-project/assay/pkg/guard/fetch"
	"github.com/assay-project/assay/services/ingest/feed/source/syndication"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func newSource(s Settings) *Source {
	source := &Source{Name: "test"}
	s.Enabled = true
	source.change(s.withDefaults(), noon)
	return source
}

// claimNow claims a source that must be due.
func claimNow(t *testing.T, s *Source, at time.Time) claimed {
	t.Helper()
	if !s.due(at) {
		t.Fatalf("at %s: got state %+v, want the source to be due", at, s.State)
	}
	token := at.String()
	requests := s.claim(token, at)
	return claimed{*s, token, requests, at.Format(time.DateOnly)}
}

// TestOutcomes checks the effect of each outcome on a source with an interval of 10m.
func TestOutcomes(t *testing.T) {
	for name, c := range map[string]struct {
		err      error
		outcome  string
		pause    time.Duration
		failures int
		stopped  bool
	}{
		"success":                 {nil, outcomeOK, 10 * time.Minute, 0, false},
		"unauthorized":            {fmt.Errorf("%w: 401", fetch.ErrUnauthorized), outcomeUnauthorized, 10 * time.Minute, 1, true},
		"gone":                    {fetch.ErrGone, outcomeGone, 10 * time.Minute, 1, true},
		"throttled":               {&fetch.Throttled{After: 7 * time.Minute}, outcomeThrottled, 7 * time.Minute, 0, false},
		"throttled without delay": {&fetch.Throttled{}, outcomeThrottled, time.Hour, 0, false},
		"refused":                 {fmt.Errorf("get: %w", guard.ErrBlocked), outcomeRefused, 10 * time.Minute, 1, false},
		"malformed":               {fetch.ErrMalformed, outcomeMalformed, 10 * time.Minute, 1, false},
		"too large":               {fetch.ErrTooLarge, outcomeMalformed, 10 * time.Minute, 1, false},
		"failed":                  {errors.New("500"), outcomeFailed, 10 * time.Minute, 1, false},
		"backend failure":         {engineError{errors.New("full")}, outcomeEngine, time.Minute, 0, false},
		"no key":                  {errNoKey, outcomeNoKey, time.Minute, 0, false},
		"interrupted":             {errors.Join(errInterrupted, engineError{errors.New("cut")}), outcomeInterrupted, 0, 0, false},
	} {
		s := newSource(Settings{Kind: KindRSS, URL: "https://example.com", Interval: "10m", Tags: []string{"a"}})
		poll := claimNow(t, s, noon)
		if newLeases(time.Minute).free(s) {
			t.Errorf("%s: during the poll: got free = true, want false", name)
		}
		seen := syndication.Validators{ETag: "1"}
		s.finish(poll, report{requests: 1, counted: 1, err: c.err, validators: seen, taken: Taken{Created: 3}}, noon, 6*time.Hour)
		st := s.State
		if st.Last.Outcome != c.outcome || !st.NextPoll.Equal(noon.Add(c.pause)) || st.Failures != c.failures || (st.Stopped != "") != c.stopped {
			t.Errorf("%s: got state %+v, last %+v, want outcome %s, pause %s, failures %d, stopped = %t", name, st, st.Last, c.outcome, c.pause, c.failures, c.stopped)
		}
		if st.Used.Requests != 1 || st.Last.Taken.Created != 3 || st.Holder != "" || (st.Validators == seen) != (c.err == nil) {
			t.Errorf("%s: got state %+v, want 1 request used, 3 items, no holder, and new validators only after a success", name, st)
		}
		if s.due(noon.Add(c.pause-1)) || s.due(noon.Add(c.pause)) == c.stopped {
			t.Errorf("%s: got a source that is due at the wrong time, want it due after %s unless it is stopped", name, c.pause)
		}
		if c.stopped && s.Status(noon) != "stopped" {
			t.Errorf("%s: got status %s, want stopped", name, s.Status(noon))
		}
		s.change(s.Settings, noon)
		if held := c.outcome == outcomeThrottled; s.due(noon) == held || s.Status(noon) == "stopped" || s.State.Validators.ETag != "" {
			t.Errorf("%s: after a change of the settings: got state %+v, want a due source without validators, unless throttled", name, s.State)
		}
	}
}

// TestBreaker checks that pauses grow with consecutive failures, and end with the first successful
// poll.
func TestBreaker(t *testing.T) {
	s := newSource(Settings{Kind: KindRSS, URL: "https://example.com", Interval: "10m", Tags: []string{"a"}})
	at := noon
	for _, minutes := range []int{10, 20, 40, 60, 60} {
		poll := claimNow(t, s, at)
		s.finish(poll, report{requests: 1, counted: 1, err: errors.New("500")}, at, time.Hour)
		if want := at.Add(time.Duration(minutes) * time.Minute); !s.State.NextPoll.Equal(want) || s.Status(at) != "paused" {
			t.Errorf("after %d failures: got next poll at %s, status %s, want %s and paused", s.State.Failures, s.State.NextPoll, s.Status(at), want)
		}
		at = s.State.NextPoll
	}
	s.finish(claimNow(t, s, at), report{requests: 1, counted: 1}, at, time.Hour)
	if !s.State.NextPoll.Equal(at.Add(10*time.Minute)) || s.State.Failures != 0 || s.Status(at) != "waiting" {
		t.Errorf("after a success: got state %+v, want no failures and a poll after 10m", s.State)
	}
	if got := pause(2*time.Hour, 3, time.Hour); got != 2*time.Hour {
		t.Errorf("got a pause of %s, want the interval of 2h", got)
	}
}

// TestQuota checks that the requests that a poll may send count in advance, that requests that were not
// sent are credited afterwards, and that each day has its own quota.
func TestQuota(t *testing.T) {
	s := newSource(Settings{Kind: KindNewsAPI, Quota: 7, Pages: 2, Interval: "10m", Tags: []string{"a", "b"}})
	poll := claimNow(t, s, noon)
	if poll.requests != 4 || s.State.Used.Requests != 4 {
		t.Errorf("got a claim of %d, used %+v, want 4 and 4", poll.requests, s.State.Used)
	}
	s.finish(poll, report{requests: 2, counted: 2}, noon, time.Hour)
	if s.State.Used.Requests != 2 {
		t.Errorf("got used %+v, want 2 requests", s.State.Used)
	}
	late := claimNow(t, s, noon.Add(10*time.Minute)) // the process of this poll seems to have crashed
	after := noon.Add(13 * time.Minute)
	rest := claimNow(t, s, after)
	if late.requests != 4 || rest.requests != 1 || s.State.Used.Requests != 7 {
		t.Errorf("got claims of %d and %d, used %+v, want 4, 1 and 7", late.requests, rest.requests, s.State.Used)
	}
	s.finish(late, report{requests: 4, counted: 4}, after, time.Hour) // the process is still running
	if s.State.Holder != rest.token || s.State.Used.Requests != 7 {
		t.Errorf("after a poll that had lost its lease: got state %+v, want it unchanged", s.State)
	}
	s.finish(rest, report{requests: 1, counted: 1}, after, time.Hour)
	if poll := claimNow(t, s, after.Add(10*time.Minute)); poll.requests != 0 || s.State.Last.Outcome != outcomeQuota {
		t.Errorf("without remaining quota: got a claim of %d, state %+v, want 0", poll.requests, s.State)
	}
	midnight := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	if s.due(midnight.Add(-1)) {
		t.Error("before the next day: got due = true, want false")
	}
	if poll := claimNow(t, s, midnight); poll.requests != 4 || s.State.Used.Requests != 4 {
		t.Errorf("on the next day: got a claim of %d, used %+v, want 4 and 4", poll.requests, s.State.Used)
	}
	// A clock that is slightly behind does not start a previous day again, but one that was set back by days does.
	s.finish(claimed{*s, s.State.Holder, 4, "2026-11-21"}, report{requests: 4, counted: 4}, midnight, time.Hour)
	if s.claim("behind", midnight.Add(-5*time.Minute)); s.State.Used != (Used{Day: "2026-11-21", Requests: 7}) {
		t.Errorf("with a clock that is behind: got used %+v, want 7 on 2026-11-21", s.State.Used)
	}
	if s.claim("stepped back", midnight.Add(-48*time.Hour)); s.State.Used != (Used{Day: "2026-11-19", Requests: 4}) {
		t.Errorf("with a clock that was set back: got used %+v, want 4 on 2026-11-19", s.State.Used)
	}
	// The unused part of the previous day's claim is not credited to the next
	// day.
	s.State.Used = Used{Day: "2026-11-22", Requests: 3}
	s.finish(claimed{*s, s.State.Holder, 4, "2026-11-21"}, report{}, midnight, time.Hour)
	if s.State.Used.Requests != 3 {
		t.Errorf("got used %+v, want 3 requests", s.State.Used)
	}
}

// TestChangeDuringPoll checks that a poll whose settings change while it runs releases its lease and its
// unused requests, and changes nothing else.
func TestChangeDuringPoll(t *testing.T) {
	s := newSource(Settings{Kind: KindNewsAPI, Tags: []string{"a", "b"}})
	s.State.Watched = map[string]Watched{"a": {Newest: noon}, "b": {Newest: noon}}
	poll := claimNow(t, s, noon)
	other := s.Settings
	other.Tags = []string{"b", "c"}
	s.change(other, noon)
	if newLeases(time.Minute).free(s) {
		t.Error("while the poll is still running: got free = true, want false")
	}
	s.finish(poll, report{requests: 1, counted: 1, watched: map[string]Watched{"a": {Newest: noon.Add(time.Hour)}}}, noon, time.Hour)
	if _, exists := s.State.Watched["a"]; exists || len(s.State.Watched) != 1 || !s.due(noon) || s.State.Used.Requests != 1 || s.State.Last != nil {
		t.Errorf("got state %+v, want a due source with the position of b only and 1 request used", s.State)
	}
	other.URL = "https://example.com"
	if s.change(other, noon); len(s.State.Watched) != 0 {
		t.Errorf("after a change of the server: got state %+v, want no positions", s.State)
	}
}

func TestIDs(t *testing.T) {
	for _, same := range [][2]string{
		{"https://Example.com/a?utm_source=rss&b=1#top", "https://example.com/a?b=1"}, {"no url", "no url"},
	} {
		if syndication.Canonical(same[0]) != syndication.Canonical(same[1]) {
			t.Errorf("syndication.Canonical(%q) = %q, want %q", same[0], syndication.Canonical(same[0]), syndication.Canonical(same[1]))
		}
	}
	entry := syndication.Entry{ID: "17", Link: "https://example.com/17"}
	if entryID(entry, "https://a.example/1.xml") == entryID(entry, "https://a.example/2.xml") || entryID(entry, "https://a.example/") != entryID(entry, "https://A.example/") {
		t.Error("an id that is not a URL: got the same entry id for two feeds, or different ones for one feed, want one for each feed")
	}
	entry.ID = "https://example.com/17"
	if entryID(entry, "https://a.example/") != entryID(entry, "https://b.example/") {
		t.Error("an id that is a URL: got different entry ids for two feeds, want the same")
	}
	entry.ID, entry.Link, entry.Title = "", "", "Title"
	if entryID(entry, "https://a.example/") == "" {
		t.Error("an entry without an id: got no entry id, want one")
	}
	if got := sourceID("rss", "17"); len(got) != 36 || got[:4] != "rss#" {
		t.Errorf("sourceID = %s, want rss# and 32 digits", got)
	}
}

// A clock that is set back by more than the maximum clock difference does not stop a source, and a smaller
// difference does not cause an immediate poll.
func TestSteppedClock(t *testing.T) {
	s := newSource(Settings{Kind: KindRSS, URL: "https://example.com", Interval: "30m", Tags: []string{"a"}})
	s.finish(claimNow(t, s, noon), report{}, noon, time.Hour)
	if s.due(noon.Add(-10*time.Minute)) || !s.due(noon.Add(-25*time.Hour)) {
		t.Errorf("after a poll: got due = %t 10m earlier and %t 25h earlier, want false and true", s.due(noon.Add(-10*time.Minute)), s.due(noon.Add(-25*time.Hour)))
	}
}

// TestIdentityAcrossPolls checks that an entry stays the same item when only its link changes, if it has an id.
func TestIdentityAcrossPolls(t *testing.T) {
	settings := Settings{URL: "https://site.example/feed", Tags: []string{"a"}, Match: MatchAll}
	identity := func(id, link string) string {
		t.Helper()
		item, _, ok := rssItem(syndication.Entry{ID: id, Link: link, Title: "One"}, Source{Settings: settings}, "Site", noon)
		if !ok {
			t.Fatal("the entry is no item")
		}
		return item.SourceID
	}
	for _, id := range []string{"123", "https://a.example/1", "tag:a.example,2026:1"} {
		for _, link := range []string{"https://a.example/1?session=2", "https://b.example/moved", ""} {
			if identity(id, "https://a.example/1") != identity(id, link) {
				t.Errorf("id %s: an entry whose link changes to %q is another item", id, link)
			}
		}
	}
	if identity("", "https://a.example/1?utm_source=rss&b=1#top") != identity("", "https://a.example/1?b=1") {
		t.Error("without an id: an entry whose link gets a campaign is another item")
	}
	if identity("", "https://a.example/1") == identity("", "https://a.example/2") {
		t.Error("without an id: entries with different links are one item")
	}
}
