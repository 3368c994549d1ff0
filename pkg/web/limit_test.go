package web_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/danielgtaylor/huma/v2"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/web"
)

func TestLimiterLimitsEachClient(t *testing.T) {
	limiter := web.NewLimiter(3, 2)
	var leaves []func()
	for _, step := range []struct {
		client string
		want   error
	}{
		{"192.0.2.1:1", nil}, {"[::ffff:192.0.2.1]:2", nil}, {"192.0.2.1:3", web.ErrClientFull},
		{"[2001:db8::1]:1", nil}, {"[2001:db8::2]:1", web.ErrFull},
	} {
		leave, err := limiter.Enter(step.client)
		if !errors.Is(err, step.want) {
			t.Errorf("%s: got error %v, want %v", step.client, err, step.want)
		}
		if err == nil {
			leaves = append(leaves, leave)
		}
	}
	leaves[0]()
	if _, err := limiter.Enter("192.0.2.1:4"); err != nil {
		t.Errorf("after one left: got error %v, want nil", err)
	}
}

// TestFreeSlotGoesToTheClientWithTheFewest checks that a client with many waiting requests does
// not block others, and never exceeds its limit.
func TestFreeSlotGoesToTheClientWithTheFewest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limiter := web.NewLimiter(3, 2)
		var leaves []func()
		for _, client := range []string{"many", "many", "one"} {
			leave, err := limiter.Wait(t.Context(), client)
			if err != nil {
				t.Fatal(err)
			}
			leaves = append(leaves, leave)
		}
		order := make(chan string, 3)
		ctx, cancel := context.WithCancelCause(t.Context())
		for _, client := range []string{"many", "one", "few"} {
			go func() {
				if _, err := limiter.Wait(ctx, client); err == nil {
					order <- client
				} else {
					order <- err.Error()
				}
			}()
			synctest.Wait()
		}
		for _, step := range []struct {
			leaves int
			want   string
		}{{2, "one"}, {0, "few"}} {
			leaves[step.leaves]()
			if next := <-order; next != step.want {
				t.Errorf("the slot went to %q, want %q", next, step.want)
			}
		}
		cancel(errors.New("enough"))
		if last := <-order; last != "enough" {
			t.Errorf("the last waiting client got %q, want enough", last)
		}
		leaves[1]()
		if _, err := limiter.Enter("many"); err != nil {
			t.Errorf("a free slot without waiting clients: got error %v, want nil", err)
		}
	})
}

// TestOwnerHoldsAtMostHalf checks that one owner gets at most half of the slots of a held limiter, from any number of
// addresses, that other owners get the rest, and that a slot that becomes free can be taken again.
func TestOwnerHoldsAtMostHalf(t *testing.T) {
	limiter := web.NewHeldLimiter("tests", 5, 5)
	enter := func(owner string, client int) (func(), error) {
		return web.Caller{Owner: owner, Client: fmt.Sprint("192.0.2.", client)}.Enter(limiter, "tests")
	}
	var leave func()
	for i := range 3 {
		var err error
		if leave, err = enter("many", i); err != nil {
			t.Fatalf("slot %d of an owner: got error %v, want nil", i, err)
		}
	}
	_, err := enter("many", 9)
	p, ok := errors.AsType[*web.Problem](err)
	if !ok || p.Status != http.StatusTooManyRequests || p.GetHeaders().Get("Retry-After") == "" || p.GetHeaders().Get("RateLimit-Policy") != `"tests";q=3;qu="concurrent-requests"` {
		t.Errorf("a fourth slot of an owner: got %v, want 429 with Retry-After and the policy of the limit", err)
	}
	for _, owner := range []string{"one", ""} {
		if _, err := enter(owner, 0); err != nil {
			t.Errorf("a slot of %q: got error %v, want nil", owner, err)
		}
	}
	leave()
	if _, err := enter("many", 9); err != nil {
		t.Errorf("a slot after one became free: got error %v, want nil", err)
	}
}

// TestFreeSlotGoesToTheOwnerWithTheFewest checks that a free slot goes to the owner with the fewest slots if all callers
// have the same address, as behind a proxy.
func TestFreeSlotGoesToTheOwnerWithTheFewest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limiter := web.NewLimiter(2, 2)
		caller := func(owner string) web.Caller { return web.Caller{Owner: owner, Client: "192.0.2.1"} }
		leave, err := caller("many").Enter(limiter, "tests")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := caller("many").Enter(limiter, "tests"); err != nil {
			t.Fatal(err)
		}
		order := make(chan string, 2)
		for _, owner := range []string{"many", "few"} {
			go func() {
				leave, err := caller(owner).Wait(t.Context(), limiter)
				if err != nil {
					t.Error(err)
					return
				}
				order <- owner
				leave()
			}()
			synctest.Wait()
		}
		leave()
		if next := <-order; next != "few" {
			t.Errorf("the slot went to %q, want few", next)
		}
		<-order
	})
}

// TestLimiterIsSafeForConcurrentUse checks that callers can enter, wait and leave concurrently.
// No more than the limit have a slot at the same time, and all slots are free afterwards.
func TestLimiterIsSafeForConcurrentUse(t *testing.T) {
	const total = 3
	limiter := web.NewLimiter(total, total)
	var in atomic.Int64
	use := func(leave func(), err error) {
		if err != nil {
			return // no slot is free
		}
		if n := in.Add(1); n > total {
			t.Errorf("%d callers have a slot at the same time, want at most %d", n, total)
		}
		runtime.Gosched()
		in.Add(-1)
		leave()
	}
	var callers sync.WaitGroup
	for n := range 8 {
		client := fmt.Sprint("client", n)
		callers.Go(func() {
			for range 200 {
				use(limiter.Enter(client))
				use(web.Caller{Client: client}.Enter(limiter, "tests"))
				use(limiter.Wait(t.Context(), client))
			}
		})
	}
	callers.Wait()
	for range total {
		if _, err := limiter.Enter("last"); err != nil {
			t.Error(err)
		}
	}
}

func TestClientOfCountsANetworkAsOne(t *testing.T) {
	for addr, want := range map[string]string{
		"192.0.2.1:80": "192.0.2.1", "192.0.2.1": "192.0.2.1", "[::1]:80": "::/64",
		"[2001:db8:0:1::5]:80": "2001:db8:0:1::/64", "[fe80::1%eth0]:80": "fe80::/64", "pipe": "pipe",
	} {
		if got := web.ClientOf(addr); got != want {
			t.Errorf("ClientOf(%q) = %q, want %q", addr, got, want)
		}
	}
}

func TestLimitedListenerRejectsConnectionsAboveTheLimit(t *testing.T) {
	for name, test := range map[string]struct {
		limiter *web.Limiter
		want    int
	}{
		"total":      {web.NewLimiter(1, 2), http.StatusServiceUnavailable},
		"per client": {web.NewLimiter(2, 1), http.StatusTooManyRequests},
	} {
		t.Run(name, func(t *testing.T) {
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			server := httptest.NewUnstartedServer(http.NotFoundHandler())
			if err := server.Listener.Close(); err != nil {
				t.Fatal(err)
			}
			server.Listener = web.LimitListener(listener, test.limiter, web.ClientSpare)
			server.Start()
			defer server.Close()
			dial := func() net.Conn {
				conn, err := net.Dial("tcp", listener.Addr().String())
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { conn.Close() })
				return conn
			}
			held := dial()
			answer, err := http.ReadResponse(bufio.NewReader(dial()), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer answer.Body.Close()
			if answer.StatusCode != test.want || answer.Header.Get("Retry-After") != "1" {
				t.Errorf("got status %d, header %v, want %d", answer.StatusCode, answer.Header, test.want)
			}
			if _, err := io.WriteString(held, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"); err != nil {
				t.Fatal(err)
			}
			if _, err := io.Copy(io.Discard, held); err != nil { // until the server closes it
				t.Fatal(err)
			}
			next, err := new(http.Client).Get(server.URL)
			if err != nil {
				t.Fatal(err)
			}
			defer next.Body.Close()
			if next.StatusCode != http.StatusNotFound {
				t.Errorf("after the first connection was closed: got status %d, want 404", next.StatusCode)
			}
		})
	}
}

func TestCallersCountForTheirClient(t *testing.T) {
	limiter := web.NewLimiter(2, 1)
	router := web.NewRouter(web.Options{Log: zerolog.Nop()})
	web.Register(router, huma.Operation{OperationID: "enter", Method: http.MethodGet, Path: "/{id}"},
		func(ctx context.Context, _ *web.IDParam) (*struct{}, error) {
			_, err := web.CallerOf(ctx).Enter(limiter, "entries") // and never leaves
			return nil, err
		})
	for _, step := range []struct {
		client string
		want   int
	}{
		{"192.0.2.1:1", http.StatusNoContent}, {"192.0.2.1:2", http.StatusTooManyRequests},
		{"192.0.2.2:1", http.StatusNoContent}, {"192.0.2.3:1", http.StatusServiceUnavailable},
	} {
		req := httptest.NewRequest(http.MethodGet, "http://localhost/0190aaaa-bbbb-7ccc-8ddd-eeeeeeeeeeee", nil)
		req.RemoteAddr = step.client
		answer := httptest.NewRecorder()
		router.ServeHTTP(answer, req)
		if answer.Code != step.want || step.want >= 400 && answer.Header().Get("Retry-After") == "" {
			t.Errorf("%s: got %d %v %s, want %d", step.client, answer.Code, answer.Header(), answer.Body, step.want)
		}
	}
}
