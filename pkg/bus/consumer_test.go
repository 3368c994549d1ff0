package bus

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/nats-io/nats.go/jetstream"
)

func TestConsumerWaitsForALeaderAndForNothingElseThatTheServerSays(t *testing.T) {
	// As servers write them.
	for answer, waits := range map[string]bool{
		`{"code":503,"err_code":10008,"description":"JetStream system temporarily unavailable"}`:         true,
		`{"code":500,"err_code":10074,"description":"replicas > 1 not supported in non-clustered mode"}`: false,
		`{"code":503,"err_code":10039,"description":"JetStream not enabled for account"}`:                false,
	} {
		var refused jetstream.APIError
		if err := json.Unmarshal([]byte(answer), &refused); err != nil {
			t.Fatal(err)
		}
		if got := away(fmt.Errorf("declare: %w", &refused)); got != waits {
			t.Errorf("%s: waits %t, want %t", answer, got, waits)
		}
	}
}
