package textfile

import (
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/config"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/textfile"
	"github.com/assay-project/assay/services/analyzer/work"
)

func defaults(t *testing.T) Config {
	t.Helper()
	cfg, err := config.Load[Config](nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := cfg.Validate(); err != nil {
		t.Fatal(err)
	}
	return cfg
}

func TestBoundsGrowWithFileSize(t *testing.T) {
	a := &Area{cfg: defaults(t), worker: work.New(work.Config{Time: time.Minute}, nil, prometheus.NewRegistry())}
	for size, want := range map[float64]bus.Bounds{
		0:        {Time: time.Minute, Memory: 2 << 20},
		1 << 20:  {Time: time.Minute, Memory: 8 << 20},
		10 << 20: {Time: time.Minute, Memory: 62 << 20},
		40 << 20: {Time: time.Minute, Memory: 4<<20 + 2*6*40<<20},
		5 << 30:  {Time: 15 * time.Minute, Memory: 4<<20 + 2*384<<20},
	} {
		data, err := textfile.NewUploaded(&event.FileUploaded{FileId: "f", Size: size, UploadedAt: timestamppb.Now()}).Marshal()
		if err != nil {
			t.Fatal(err)
		}
		got := a.bounds(&bus.Delivery{Data: data})
		if (got.Time-want.Time).Abs() > 30*time.Second || got.Memory != want.Memory {
			t.Errorf("%v bytes: got %+v, want %+v", size, got, want)
		}
	}
}

func TestTooLittleMemoryIsRejected(t *testing.T) {
	cfg := defaults(t)
	cfg.Memory = 1 << 20
	if err := cfg.Validate(); err == nil {
		t.Error("Validate() with too little memory for one text succeeded, want an error")
	}
}
