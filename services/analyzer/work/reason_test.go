package work

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/attempt"
	"github.com/assay-project/assay/pkg/extract/office"
)

func TestExplain(t *testing.T) {
	for want, cause := range map[string]error{
		"the analysis took longer than 1m0s in 3 attempts":                                  fmt.Errorf("%w: %w", &attempt.TimeError{Limit: time.Minute}, errors.New("read: canceled")),
		"the analysis crashed in 3 attempts; this is a defect in Assay, not in the content": &attempt.PanicError{Value: "index out of range"},
		"gave up after 2 attempts; in the last one, the worker died or lost its connection": bus.Permanent(&attempt.LostError{Attempts: 2}),
		"the analysis did not succeed in 3 attempts":                                        errors.New("dial tcp 10.0.0.7:9000"),
		"the document is damaged":                                                           bus.Permanent(fmt.Errorf("%w: %w", office.ErrDamaged, errors.New("zip: not a valid zip file"))),
		"the analysis did not succeed in 3 attempts ":                                       bus.Permanent(errors.New("html: open stack of elements exceeds 512 nodes")),
	} {
		if got := Explain(bus.Delivery{Attempt: 3}, cause); got != strings.TrimSpace(want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if got := Explain(bus.Delivery{Attempt: 2}, hasFailed("the job did not finish in time")); got != "the job did not finish in time" {
		t.Errorf("an item that has failed: got %q, want its own sentence", got)
	}
	const once = "the analysis did not succeed in 1 attempt"
	if got := Explain(bus.Delivery{Attempt: 1}, errors.New("dial tcp 10.0.0.7:9000")); got != once {
		t.Errorf("got %q, want %q", got, once)
	}
}
