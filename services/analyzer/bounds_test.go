package analyzer

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/config"
	"github.com/assay-project/assay/pkg/event"
)

func defaults(t *testing.T) Config {
	t.Helper()
	cfg, err := config.Load[Config]([]string{"ASSAY_NATS_URL=nats://127.0.0.1:4222"})
	if err != nil {
		t.Fatal(err)
	}
	if err := cfg.validate(); err != nil {
		t.Fatal(err)
	}
	return cfg
}

func TestBoundsGrowWithTheFile(t *testing.T) {
	cfg := defaults(t)
	for size, want := range map[float64]bus.Bounds{
		0:        {Time: time.Minute, Memory: 2 << 20},
		1 << 20:  {Time: time.Minute, Memory: 8 << 20},
		10 << 20: {Time: time.Minute, Memory: 62 << 20},
		40 << 20: {Time: time.Minute, Memory: 4<<20 + 2*6*40<<20},
		5 << 30:  {Time: 15 * time.Minute, Memory: 4<<20 + 2*384<<20},
	} {
		data, err := event.NewFileUploaded(&event.FileUploaded{FileId: "f", Size: size, UploadedAt: timestamppb.Now()}).Marshal()
		if err != nil {
			t.Fatal(err)
		}
		got := cfg.textFileBounds(&bus.Delivery{Data: data})
		if (got.Time-want.Time).Abs() > 30*time.Second || got.Memory != want.Memory {
			t.Errorf("%v bytes: %+v, want %+v", size, got, want)
		}
	}
}

func TestTooLittleMemoryIsRefused(t *testing.T) {
	cfg := defaults(t)
	cfg.AnalysisMemory = 1 << 20
	if err := cfg.validate(); err == nil {
		t.Error("a text could take more than there is")
	}
}

func TestReasonsAreForPeople(t *testing.T) {
	for want, reason := range map[string]error{
		"the analysis took longer than 1m0s in 3 attempts":                                        fmt.Errorf("%w: %w", &bus.TimeError{Limit: time.Minute}, errors.New("read: canceled")),
		"the analysis broke down in 3 attempts, which is a fault of Assay and not of the content": &bus.PanicError{Value: "index out of range"},
		"the analysis did not succeed in 3 attempts":                                              errors.New("dial tcp 10.0.0.7:9000"),
		"it is a PDF": bus.Permanent(errors.New("it is a PDF")),
	} {
		if got := givenUp(bus.Delivery{Attempt: 3}, reason); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
