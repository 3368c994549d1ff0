package subscriber_test

import (
	"context"
	"errors"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/bustest"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/subscriber"
)

// TestDeniedPermissionEndsRun checks that Run does not wait for requests that the server does not permit.
func TestDeniedPermissionEndsRun(t *testing.T) {
	for _, denied := range []string{"$JS.API.STREAM.INFO.ASSAY_OUTCOMES", "$KV.>", "$JS.API.CONSUMER.CREATE.>", "$JS.API.CONSUMER.MSG.NEXT.>", "$JS.ACK.>", "assay.dead.>"} {
		t.Run(denied, func(t *testing.T) {
			at := serve(t, server.Options{Users: []*server.User{
				{Username: "assay", Password: "assay"},
				{Username: "mailer", Password: "mailer", Permissions: &server.Permissions{Publish: &server.SubjectPermission{Deny: []string{denied}}}},
			}}, nats.UserInfo("assay", "assay"))
			handled := 0
			err := subscriber.Run(t.Context(), subscriber.Config{URL: as(t, at, "mailer"), Name: "mailer", Lease: patience}, func(context.Context, subscriber.Outcome) error {
				if handled++; denied == "assay.dead.>" {
					return subscriber.Permanent(errors.New("no such mailbox"))
				}
				return nil
			})
			if !errors.Is(err, nats.ErrPermissionViolation) {
				t.Errorf("got error %v after %d calls, want %v", err, handled, nats.ErrPermissionViolation)
			}
		})
	}
}

// TestDocumentedPermissions checks that a subscriber needs only the permissions that the README lists.
func TestDocumentedPermissions(t *testing.T) {
	readme, err := os.ReadFile("../../../../pkg/subscriber/README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(readme), "| publish | for |")
	var allowed []string
	for _, found := range regexp.MustCompile("`((?:\\$|assay\\.)[^`]+)`").FindAllStringSubmatch(table, -1) {
		allowed = append(allowed, found[1])
	}
	at := serve(t, server.Options{Users: []*server.User{
		{Username: "assay", Password: "assay"},
		{Username: "mailer", Password: "mailer", Permissions: &server.Permissions{
			Publish: &server.SubjectPermission{Allow: allowed}, Subscribe: &server.SubjectPermission{Allow: []string{"_INBOX.>"}},
		}},
	}}, nats.UserInfo("assay", "assay"))
	b, err := openAssay(as(t, at, "assay"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	a := &assay{url: as(t, at, "mailer"), bus: b}
	seen := make(chan subscriber.Outcome, 4)
	for _, item := range []string{"f2", "f3"} {
		stop := start(t, a.config(), func(_ context.Context, o subscriber.Outcome) error {
			seen <- o
			return subscriber.Permanent(errors.New("no such mailbox"))
		})
		a.publish(t, completed("textfile", item))
		for next(t, seen, "outcome of "+item).Item != item { // f1 is in the stream already
		}
		stop()
	}
}

// as returns a URL with a user whose password is its name.
func as(t *testing.T, at, user string) string {
	t.Helper()
	u, err := url.Parse(at)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.UserPassword(user, user)
	return u.String()
}

// TestDeletedConsumerIsCreatedAgain checks that a subscriber survives the removal of its consumer, and handles no event
// twice.
func TestDeletedConsumerIsCreatedAgain(t *testing.T) {
	a := open(t)
	seen := make(chan subscriber.Outcome, 4)
	cfg := a.config()
	start(t, cfg, into(seen))
	for i := range 2 {
		a.publish(t, completed("textfile", strconv.Itoa(i)))
		if o := next(t, seen, "outcome"); o.Item != strconv.Itoa(i) {
			t.Errorf("got %s, want %d", o.Item, i)
		}
		a.awaitIdle(t, cfg.Name)
		if err := a.js.DeleteConsumer(t.Context(), bus.StreamOutcomes, cfg.Name); err != nil {
			t.Fatal(err)
		}
	}
	a.awaitIdle(t, cfg.Name) // the third consumer
	if len(seen) != 0 {
		t.Errorf("got %s again", (<-seen).Item)
	}
}

// TestRestartOfTheServer checks that a subscriber continues after the server was stopped.
func TestRestartOfTheServer(t *testing.T) {
	dir := t.TempDir()
	at, stop, err := bustest.Serve(dir, server.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop() })
	assayBus, err := openAssay(at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(assayBus.Close)
	a := &assay{url: at, bus: assayBus}
	seen := make(chan subscriber.Outcome, 4)
	start(t, a.config(), into(seen))
	a.publish(t, completed("textfile", "before"))
	next(t, seen, "outcome")
	stop()
	u, err := url.Parse(at)
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.Atoi(u.Port())
	if err != nil {
		t.Fatal(err)
	}
	if stop, err = serveAgain(dir, port); err != nil {
		t.Fatal(err)
	}
	a.publish(t, completed("textfile", "after"))
	if o := next(t, seen, "outcome"); o.Item != "after" {
		t.Errorf("got %s, want after", o.Item)
	}
}

// serveAgain starts a server with the data in dir on the port of an earlier one.
func serveAgain(dir string, port int) (stop func(), err error) {
	srv, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: port, JetStream: true, StoreDir: dir, NoLog: true, NoSigs: true})
	if err != nil {
		return nil, err
	}
	srv.Start()
	stop = func() {
		srv.Shutdown()
		srv.WaitForShutdown()
	}
	if !srv.ReadyForConnections(patience) {
		err = errors.New("the NATS server is not listening")
	}
	return stop, err
}

// TestBrokenHandlers checks that an event becomes a dead letter immediately after a permanent error, and after 3 attempts if
// its handler panics.
func TestBrokenHandlers(t *testing.T) {
	a := open(t)
	a.publish(t, completed("textfile", "permanent"), completed("textfile", "panic"), completed("textfile", "good"))
	calls := make(chan string, 16)
	cfg := a.config()
	start(t, cfg, func(_ context.Context, o subscriber.Outcome) error {
		calls <- o.Item
		switch o.Item {
		case "permanent":
			return subscriber.Permanent(errors.New("no such mailbox"))
		case "panic":
			panic("index out of range")
		}
		return nil
	})
	a.awaitIdle(t, cfg.Name)
	times := map[string]int{}
	for range len(calls) {
		times[<-calls]++
	}
	if times["permanent"] != 1 || times["panic"] != 3 || times["good"] != 1 {
		t.Errorf("got calls %v, want 1 for permanent and good, and 3 for panic", times)
	}
	reasons := map[string]string{}
	for letter, err := range a.bus.DeadLetters(t.Context(), bus.DeadFilter{Consumer: cfg.Name}) {
		if err != nil {
			t.Fatal(err)
		}
		reasons[letter.Item] = letter.Reason
	}
	if len(reasons) != 2 || reasons["permanent"] != "no such mailbox" || reasons["panic"] != "the worker panicked: index out of range" {
		t.Errorf("got dead letters %v, want those of permanent and panic", reasons)
	}
}

// TestDeadLetterKeepsTheMessage checks that a dead letter can be replayed.
func TestDeadLetterKeepsTheMessage(t *testing.T) {
	a := open(t)
	e := completed("textfile", "f1")
	a.publish(t, e)
	cfg := a.config()
	seen, fail := make(chan subscriber.Outcome, 1), true
	start(t, cfg, func(_ context.Context, o subscriber.Outcome) error {
		if fail {
			fail = false
			return subscriber.Permanent(errors.New("no such mailbox"))
		}
		seen <- o
		return nil
	})
	a.awaitIdle(t, cfg.Name)
	for letter, err := range a.bus.DeadLetters(t.Context(), bus.DeadFilter{}) {
		if err != nil {
			t.Fatal(err)
		}
		if letter.ID != e.ID || letter.Subject != e.Subject || letter.Consumer != cfg.Name || letter.Attempts != 1 {
			t.Errorf("got dead letter %+v, want the one of %s", letter, e.ID)
		}
		if err := a.bus.Replay(t.Context(), letter); err != nil {
			t.Fatal(err)
		}
	}
	if o := next(t, seen, "replayed outcome"); o.ID != e.ID || o.Completed.GetName() != e.Data.(*event.AnalysisCompleted).Name {
		t.Errorf("got %+v, want %s", o, e.ID)
	}
}
