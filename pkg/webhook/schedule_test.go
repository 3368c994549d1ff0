package webhook

import (
	"net/http"
	"testing"
	"time"
)

func TestAttemptsEnd(t *testing.T) {
	at := time.Unix(1_700_000_000, 0)
	total, attempts := time.Duration(0), 1
	for {
		next, ok := Next(attempts, at, nil)
		if !ok {
			break
		}
		delay := next.Sub(at)
		if want := delays()[attempts-1]; delay < want || delay > want+want/10 {
			t.Errorf("after %d attempts: the next follows after %s, want %s to %s", attempts, delay, want, want+want/10)
		}
		total += delay
		attempts++
	}
	if attempts != Attempts || total < 75*time.Hour || total > 84*time.Hour {
		t.Errorf("got %d attempts in %s, want %d in about three days", attempts, total, Attempts)
	}
}

func TestRetryAfter(t *testing.T) {
	at := time.Unix(1_700_000_000, 0)
	for _, c := range []struct {
		status int
		header string
		want   time.Duration // 0 means the delay of the schedule
	}{
		{429, "600", 10 * time.Minute}, {503, at.Add(time.Hour).UTC().Format(http.TimeFormat), time.Hour}, {503, "1", 0}, {500, "600", 0},
		{429, "soon", 0}, {429, "-5", 0}, {504, "9999999", 24 * time.Hour}, {502, "", 0},
	} {
		next, ok := Next(1, at, &http.Response{StatusCode: c.status, Header: http.Header{"Retry-After": {c.header}}})
		delay := next.Sub(at)
		if !ok || c.want > 0 && delay != c.want || c.want == 0 && delay > 6*time.Second {
			t.Errorf("status %d, Retry-After %q: the next attempt follows after %s, want %s", c.status, c.header, delay, c.want)
		}
	}
}
