package event_test

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"
	"pgregory.net/rapid"

	"github.com/assay-project/assay/pkg/event"
)

var when = time.Date(2026, 11, 20, 12, 0, 0, 250e6, time.UTC)

func TestIdsAndSubjects(t *testing.T) {
	for _, c := range []struct {
		event             event.Event
		id, subject, kind string
		at                time.Time
	}{
		{
			event.NewAnalysisCompleted(&event.AnalysisCompleted{Area: "textfile", Id: "f1", OwnerId: "ann", CompletedAt: timestamppb.New(when)}),
			"analysis.completed/textfile/f1/1795176000250", "assay.analysis.completed.textfile.f1", "assay.v1.AnalysisCompleted", when,
		},
		{
			event.NewAnalysisFailed(&event.AnalysisFailed{Area: "textfile", Id: "f1", OwnerId: "ann", FailedAt: timestamppb.New(when)}),
			"analysis.failed/textfile/f1/1795176000250", "assay.analysis.failed.textfile.f1", "assay.v1.AnalysisFailed", when,
		},
	} {
		if c.event.ID != c.id || c.event.Subject != c.subject || c.event.Type() != c.kind {
			t.Errorf("got %s on %s of type %s, want %s on %s of type %s", c.event.ID, c.event.Subject, c.event.Type(), c.id, c.subject, c.kind)
		}
		if c.event.Item != "f1" || c.event.Owner != "ann" || !c.event.Time.Equal(c.at) {
			t.Errorf("%s: got item %s of %s at %s, want f1 of ann at %s", c.id, c.event.Item, c.event.Owner, c.event.Time, c.at)
		}
	}
}

// TestParseOutcome checks that the parts of the subjects of outcomes are read back, and that other subjects are none.
func TestParseOutcome(t *testing.T) {
	completed := event.NewAnalysisCompleted(&event.AnalysisCompleted{Area: "textfile", Id: "a.b"})
	failed := event.NewAnalysisFailed(&event.AnalysisFailed{Area: "feed", Id: "rss#1"})
	for subject, want := range map[string][3]string{completed.Subject: {"completed", "textfile", "a.b"}, failed.Subject: {"failed", "feed", "rss#1"}} {
		end, area, id, ok := event.ParseOutcome(subject)
		if got := [3]string{end, area, id}; !ok || got != want {
			t.Errorf("ParseOutcome(%q) = %q, %v; want %q", subject, got, ok, want)
		}
	}
	for _, subject := range []string{"", "assay.analysis.completed.feed", "assay.file.uploaded.a.b"} {
		if _, _, _, ok := event.ParseOutcome(subject); ok {
			t.Errorf("ParseOutcome(%q) is true, want false", subject)
		}
	}
}

func TestHeadersRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringOf(rapid.SampledFrom([]rune(`aZ09/%#"~ +é世🙂`+"\n\u202e"))))
		e := event.Event{
			ID: text.Draw(t, "id"), Item: text.Draw(t, "item"), Owner: text.Draw(t, "owner"),
			Time: when.Add(time.Duration(rapid.Int64Range(0, 1<<60).Draw(t, "after"))), Data: &event.FileUploaded{},
			Version: rapid.SampledFrom([]int{0, 2, 17}).Draw(t, "version"),
		}
		source := text.Draw(t, "source")
		headers := e.Headers(source)
		for name, values := range headers {
			if name != strings.ToLower(name) || len(values) != 1 {
				t.Fatalf("header %s: got %q, want a lower-case name and one value", name, values)
			}
			for _, c := range []byte(values[0]) {
				if c <= ' ' || c > '~' {
					t.Fatalf("header %s contains the byte %#x, want printable ASCII without spaces", name, c)
				}
			}
		}
		got, err := event.ParseEnvelope(headers)
		want := event.Envelope{ID: e.ID, Type: "assay.v1.FileUploaded", Source: source, Item: e.Item, Owner: e.Owner, Time: e.Time, Version: e.Version}
		if err != nil || got != want {
			t.Fatalf("got %+v, error %v, want %+v", got, err, want)
		}
	})
}

// TestHeadersArePercentEncoded uses the examples in section 3.1.3.2 of the CloudEvents 1.0.2 HTTP
// binding, whose encoding the NATS binding adopts.
func TestHeadersArePercentEncoded(t *testing.T) {
	h := event.Event{ID: "Euro € 😀", Item: `"%`, Data: &event.FileUploaded{}}.Headers("/ingest")
	if got, want := h["ce-id"][0], "Euro%20%E2%82%AC%20%F0%9F%98%80"; got != want {
		t.Errorf("got ce-id %s, want %s", got, want)
	}
	if got, want := h["ce-subject"][0], "%22%25"; got != want {
		t.Errorf("got ce-subject %s, want %s", got, want)
	}
	if _, present := h["ce-owner"]; present {
		t.Error("empty owner: got a header, want none")
	}
}

func TestHeadersOfOtherClients(t *testing.T) {
	got, err := event.ParseEnvelope(map[string][]string{
		"CE-Id": {"a"}, "Ce-Time": {"2026-11-20T12:00:00.25Z"}, "Content-Type": {"x%%"}, "ce-none": nil, "ce-future": {"1"},
	})
	if want := (event.Envelope{ID: "a", Time: when}); err != nil || got != want {
		t.Errorf("got %+v, error %v, want %+v", got, err, want)
	}
	for name, value := range map[string]string{"ce-id": "100%", "ce-time": "noon"} {
		if _, err := event.ParseEnvelope(map[string][]string{name: {value}}); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s %s: got error %v, want one that names the header", name, value, err)
		}
	}
	if got, err := event.ParseEnvelope(nil); err != nil || got != (event.Envelope{}) {
		t.Errorf("without headers: got %+v, error %v, want an empty envelope", got, err)
	}
}

// TestVersionIsStatedAboveOne checks that a message of version 1 has no header that older readers do not know, and that an
// unreadable version is one that no reader supports.
func TestVersionIsStatedAboveOne(t *testing.T) {
	for version, want := range map[int]int{0: 0, 1: 0, 2: 2} {
		headers := event.Event{Version: version, Data: &event.FileUploaded{}}.Headers("/test")
		if got, err := event.ParseEnvelope(headers); err != nil || got.Version != want || (len(headers[event.HeaderVersion]) > 0) != (want > 0) {
			t.Errorf("version %d: got %d, headers %v, error %v, want %d", version, got.Version, headers, err, want)
		}
	}
	if got, err := event.ParseEnvelope(map[string][]string{"Assay-Version": {"two"}}); err != nil || got.Version != math.MaxInt {
		t.Errorf("an unreadable version: got %d, error %v, want the highest", got.Version, err)
	}
}

// TestUnmarshalComparesTypes checks that an event of another type of Assay requires a newer version, and that one of another
// program is unreadable.
func TestUnmarshalComparesTypes(t *testing.T) {
	for kind, want := range map[string]error{
		"": nil, "assay.v1.FileUploaded": nil, "assay.v1.FileFolded": event.ErrNewer, "assay.v2.FileUploaded": event.ErrNewer, "com.example.Uploaded": event.ErrUnreadable,
	} {
		if err := (event.Envelope{Type: kind}).Unmarshal([]byte(`{"fileId":"f1"}`), &event.FileUploaded{}); !errors.Is(err, want) {
			t.Errorf("type %q: got error %v, want %v", kind, err, want)
		}
	}
	if err := (event.Envelope{Type: "assay.v1.FileUploaded"}).Unmarshal([]byte(`[]`), &event.FileUploaded{}); !errors.Is(err, event.ErrUnreadable) {
		t.Errorf("a list: got error %v, want ErrUnreadable", err)
	}
}

// TestPayloadIsPlainJSON checks that counts of zero are not omitted, and that large numbers are not strings.
func TestPayloadIsPlainJSON(t *testing.T) {
	data, err := event.NewAnalysisCompleted(&event.AnalysisCompleted{
		Id: "f1", Result: &event.AnalysisCompleted_TextStatistics{TextStatistics: &event.TextStatistics{}},
	}).Marshal()
	if err != nil {
		t.Fatal(err)
	}
	var body struct{ TextStatistics map[string]any }
	if err := json.Unmarshal(data, &body); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"totalWords", "uniqueWords", "avgWordLength"} {
		if body.TextStatistics[name] != 0.0 {
			t.Errorf("%s: got %v in %s, want 0", name, body.TextStatistics[name], data)
		}
	}
	large, err := event.Event{Data: &event.FileUploaded{Size: 5 << 30}}.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Size int64 }
	if err := json.Unmarshal(large, &file); err != nil || file.Size != 5368709120 {
		t.Errorf("got size %d, error %v from %s, want 5368709120", file.Size, err, large)
	}
}

func TestPayloadsOfNewerAndForeignPublishers(t *testing.T) {
	var failed event.AnalysisFailed
	err := event.Unmarshal([]byte(`{"id":"f1","severity":"high","errorMessage":"it is a PDF"}`), &failed)
	if want := (&event.AnalysisFailed{Id: "f1", ErrorMessage: "it is a PDF"}); err != nil || !proto.Equal(&failed, want) {
		t.Errorf("got %v, error %v, want %v", &failed, err, want)
	}
	for _, text := range []string{"", "null?", `{"id":7}`, `[]`} {
		err := event.Unmarshal([]byte(text), &failed)
		if err == nil || !strings.Contains(err.Error(), "assay.v1.AnalysisFailed") {
			t.Errorf("%q: got error %v, want one that contains the message type", text, err)
		}
	}
	if _, err := event.NewAnalysisFailed(&event.AnalysisFailed{Id: "f1", ErrorMessage: "\xff"}).Marshal(); err == nil {
		t.Error("Marshal of invalid UTF-8: got no error, want one")
	}
}

// TestReasonFitsAHeader checks that a reason of any length is stored. Reasons are the texts of errors.
func TestReasonFitsAHeader(t *testing.T) {
	for reason, want := range map[string]string{
		"a\r\nb\x00":                    "a  b ",
		strings.Repeat("é", 2000):       strings.Repeat("é", 500),
		"x" + strings.Repeat("é", 2000): "x" + strings.Repeat("é", 499),
	} {
		if got := (event.DeadLetter{Reason: reason}).Headers(nil)[event.DeadReason][0]; got != want {
			t.Errorf("got %d bytes %q, want %q", len(got), got, want)
		}
	}
}

func TestDeadLettersRoundTrip(t *testing.T) {
	message := event.Event{ID: "1", Data: &event.FileUploaded{}}.Headers("/ingest")
	trace := event.Trace{RequestID: "req-1", Parent: "00-1-2-00"}
	trace.Set(message)
	message["Nats-Msg-Id"], message["assay-dead-reason"] = []string{"1"}, []string{"of an earlier dead letter"}
	l := event.DeadLetter{Consumer: "worker", Subject: "assay.file.uploaded.f1", Reason: "it is a PDF", Class: event.DeadMissing, Attempts: 3, First: when, Last: when.Add(time.Second)}
	dead := l.Headers(message)
	if got := event.ParseDeadLetter(dead); got != l {
		t.Errorf("got %+v, want %+v", got, l)
	}
	delete(dead, event.DeadClassHeader)
	if got := event.ParseDeadLetter(dead); got.Class != event.DeadOther {
		t.Errorf("got class %q of a dead letter without class, want %q", got.Class, event.DeadOther)
	}
	if got := event.ParseTrace(dead); got != trace {
		t.Errorf("got %+v, want %+v", got, trace)
	}
	if dead["ce-id"][0] != "1" || dead["Nats-Msg-Id"] != nil {
		t.Errorf("got headers %v, want those of the message without those that instruct the server", dead)
	}
	if got := event.DeadOf("worker"); got != "assay.dead.worker" {
		t.Errorf("got subject %s, want assay.dead.worker", got)
	}
}

// TestTypesAreThoseOfEvents checks that the list contains events, and no parts of them.
func TestTypesAreThoseOfEvents(t *testing.T) {
	types := event.Types()
	for name, want := range map[string]bool{"FileUploaded": true, "AnalysisFailed": true, "FeedAlert": true, "TextStatistics": false, "WordCount": false, "PhotoLabel": false} {
		if got := slices.Contains(types, "assay.v1."+name); got != want {
			t.Errorf("%s is listed: got %t, want %t (%v)", name, got, want, types)
		}
	}
}
