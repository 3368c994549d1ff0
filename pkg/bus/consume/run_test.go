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
