package receive

import (
	"errors"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assay-project/assay/pkg/web"
)

// begin starts an upload over a connection whose client has not sent anything.
func begin(t *testing.T) (*streamed, net.Conn) {
	t.Helper()
	server, client := net.Pipe()
	t.Cleanup(func() { server.Close(); client.Close() })
	return &streamed{ReadCloser: server, setReadDeadline: server.SetReadDeadline}, client
}

// TestSlowUploadLosesSlot checks that a slow upload keeps its slot only while no other upload waits.
func TestSlowUploadLosesSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newSlots(1)
		slow, _ := begin(t)
		leave, err := p.enter(t.Context(), web.Caller{Client: "a"}, slow)
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() {
			_, err := io.Copy(io.Discard, slow)
			leave()
			ended <- err
		}()
		other, _ := begin(t)
		next, err := p.enter(t.Context(), web.Caller{Client: "b"}, other)
		if err != nil {
			t.Fatalf("another upload: got %v, want a slot", err)
		}
		next()
		if err := <-ended; !errors.Is(err, web.ErrBodyStalled) {
			t.Errorf("the slow upload: got error %v, want ErrBodyStalled", err)
		}
	})
}

// TestFastUploadKeepsSlot checks that other uploads wait for a fast upload.
func TestFastUploadKeepsSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newSlots(1)
		fast, _ := begin(t)
		fast.read, fast.waited = 10*slotRate, 2*slotGrace
		if _, err := p.enter(t.Context(), web.Caller{Client: "a"}, fast); err != nil {
			t.Fatal(err)
		}
		other, _ := begin(t)
		_, err := p.enter(t.Context(), web.Caller{Client: "b"}, other)
		if _, refused := errors.AsType[*web.Problem](err); !refused || fast.ended {
			t.Errorf("another upload: got error %v, fast upload aborted = %t, want a problem and false", err, fast.ended)
		}
	})
}

// TestReadUploadIsNotAborted checks that an upload whose body has been read is not aborted: the client does not
// determine how long it takes to store the bytes, and a deadline would cancel the request.
func TestReadUploadIsNotAborted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newSlots(1)
		slow, client := begin(t)
		slow.setReadDeadline = func(time.Time) error {
			t.Error("a deadline was set, want none")
			return nil
		}
		leave, err := p.enter(t.Context(), web.Caller{Client: "a"}, slow)
		if err != nil {
			t.Fatal(err)
		}
		defer leave()
		go func() {
			<-time.After(2 * slotGrace)
			_ = client.Close() // the end of the body
		}()
		if _, err := io.Copy(io.Discard, slow); err != nil {
			t.Fatal(err)
		}
		other, _ := begin(t)
		if _, err := p.enter(t.Context(), web.Caller{Client: "b"}, other); err == nil {
			t.Error("another upload: got a slot, want a timeout")
		}
	})
}
