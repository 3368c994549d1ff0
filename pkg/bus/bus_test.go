package bus_test

import (
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/bustest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestConnectReconcilesSettingsAndKeepsMessages(t *testing.T) {
	w := bustest.Open(t)
	w.Publish(t, bustest.Uploaded("f1"))
	bustest.Connect(t, w.URL, bus.Config{WorkMaxMessages: 1 << 20})
	s, err := w.JS.Stream(t.Context(), bustest.WorkStream)
	if err != nil {
		t.Fatal(err)
	}
	if info := s.CachedInfo(); info.Config.MaxBytes != 4<<30 || info.State.Msgs != 1 {
		t.Errorf("got limit %d and %d messages, want 4 GiB and 1", info.Config.MaxBytes, info.State.Msgs)
	}
}

func TestConnectNamesTheUnresponsiveServer(t *testing.T) {
	_, err := bus.Connect(t.Context(), bustest.Settings("nats://127.0.0.1:1", bus.Config{}), "test", zerolog.Nop(), prometheus.NewRegistry())
	if err == nil || !strings.Contains(err.Error(), "nats://127.0.0.1:1") {
		t.Errorf("got error %v, want one that names the server", err)
	}
}

func TestCheckFailsWithoutServer(t *testing.T) {
	w := bustest.Open(t)
	if err := w.Bus.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.Bus.Close()
	if err := w.Bus.Check(t.Context()); err == nil {
		t.Error("Check of a closed bus: got no error, want one")
	}
}
