package consume

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/assay-project/assay/pkg/bus"
)

func TestServerErrorsDecideWhetherDeclaringIsRetried(t *testing.T) {
	// Responses of a real server.
	for answer, retry := range map[string]bool{
		`{"code":503,"err_code":10008,"description":"JetStream system temporarily unavailable"}`:         true,
		`{"code":500,"err_code":10012,"description":"consumer closed"}`:                                  true,
		`{"code":500,"err_code":10074,"description":"replicas > 1 not supported in non-clustered mode"}`: false,
		`{"code":503,"err_code":10039,"description":"JetStream not enabled for account"}`:                false,
	} {
		var refused jetstream.APIError
		if err := json.Unmarshal([]byte(answer), &refused); err != nil {
			t.Fatal(err)
		}
		if got := unavailable(fmt.Errorf("declare: %w", &refused)); got != retry {
			t.Errorf("unavailable(%s) = %t, want %t", answer, got, retry)
		}
	}
}

// TestAttemptsOutlastAnOutage checks that, with the defaults, a message is retried for more
// than a quarter of an hour, and that pauses double up to a maximum.
func TestAttemptsOutlastAnOutage(t *testing.T) {
	defaults := withDefaults(bus.Consumer{})
	var all time.Duration
	for attempt := 1; attempt < defaults.Attempts; attempt++ {
		all += defaults.Backoff(attempt)
	}
	if all < 15*time.Minute {
		t.Errorf("%d attempts take %s, want at least 15m", defaults.Attempts, all)
	}
	for attempt, want := range map[int]time.Duration{0: time.Second, 1: time.Second, 2: 2 * time.Second, 9: 256 * time.Second, 10: 5 * time.Minute, 1000: 5 * time.Minute} {
		if got := defaults.Backoff(attempt); got != want {
			t.Errorf("after attempt %d the pause is %s, want %s", attempt, got, want)
		}
	}
}

// TestLeavingIsSpaced checks the pauses of messages that are left: they grow with the age of a message, and in ten
// minutes of simulated time one process receives no more than 20 redeliveries per second of 1,000 messages, each at least once
// a minute.
func TestLeavingIsSpaced(t *testing.T) {
	now := time.Unix(0, 0)
	for age, want := range map[time.Duration]time.Duration{
		-time.Hour: time.Second, 0: time.Second, 16 * time.Minute: time.Second, time.Hour: 3600 * time.Millisecond, 24 * time.Hour: time.Minute,
	} {
		if got := (&leaving{}).pause(now, age); got != want {
			t.Errorf("at an age of %s the pause is %s, want %s", age, got, want)
		}
	}
	var l leaving
	const messages, seconds = 1000, 600
	due, left := make([]time.Time, messages), 0
	for end := now.Add(seconds * time.Second); now.Before(end); now = now.Add(10 * time.Millisecond) {
		for m := range due {
			if due[m].After(now) {
				continue
			}
			wait := l.pause(now, time.Second)
			if left++; wait < time.Second || wait > time.Minute {
				t.Fatalf("the pause is %s, want 1s to 1m", wait)
			}
			due[m] = now.Add(wait)
		}
	}
	if most := messages + 20*seconds; left > most {
		t.Errorf("%d redeliveries, want at most %d", left, most)
	}
	if least := 19 * seconds; left < least {
		t.Errorf("%d redeliveries, want at least %d", left, least)
	}
}
