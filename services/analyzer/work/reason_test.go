package work

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/attempt"
)

func TestExplain(t *testing.T) {
	for want, reason := range map[string]error{
		"the analysis took longer than 1m0s in 3 attempts":                                  fmt.Errorf("%w: %w", &attempt.TimeError{Limit: time.Minute}, errors.New("read: canceled")),
		"the analysis crashed in 3 attempts; this is a defect in Assay, not in the content": &attempt.PanicError{Value: "index out of range"},
		"the analysis did not succeed in 3 attempts":                                        errors.New("dial tcp 10.0.0.7:9000"),
		"it is a PDF": bus.Permanent(errors.New("it is a PDF")),
	} {
		if got := Explain(bus.Delivery{Attempt: 3}, reason); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	const once = "the analysis did not succeed in 1 attempt"
	if got := Explain(bus.Delivery{Attempt: 1}, errors.New("dial tcp 10.0.0.7:9000")); got != once {
		t.Errorf("got %q, want %q", got, once)
	}
}
