package obs_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/obs"
)

func TestLoggerWritesJSONWithServiceTimeAndTrace(t *testing.T) {
	var out bytes.Buffer
	log, err := obs.NewLogger(obs.Config{}, &out, "ingest")
	if err != nil {
		t.Fatal(err)
	}
	trace := obs.ContinueTrace("req-1", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "")
	log = obs.Log(obs.WithTrace(t.Context(), trace), log)
	log.Debug().Msg("hidden")
	log.Info().Msg("seen")

	var line map[string]string
	if err := json.Unmarshal(out.Bytes(), &line); err != nil {
		t.Fatalf("got log %q, error %v, want exactly one JSON line", out.String(), err)
	}
	at, err := time.Parse("2006-01-02T15:04:05.000Z", line["time"])
	if err != nil || time.Since(at) > time.Minute {
		t.Errorf("got time %q (%v), want now", line["time"], err)
	}
	delete(line, "time")
	want := map[string]string{
		"level": "info", "service": "ingest", "message": "seen",
		"request_id": "req-1", "trace_id": "0af7651916cd43dd8448eb211c80319c", "span_id": "b7ad6b7169203331",
	}
	for key, value := range want {
		if line[key] != value {
			t.Errorf("%s is %q, want %q", key, line[key], value)
		}
	}
	if len(line) != len(want) {
		t.Errorf("got line %v, want only %v", line, want)
	}
}

func TestLoggerFormats(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := file.Close(); err != nil {
			t.Error(err)
		}
	})
	log, err := obs.NewLogger(obs.Config{LogFormat: "auto"}, file, "s")
	if err != nil {
		t.Fatal(err)
	}
	log.Info().Msg("to a file")
	content, err := os.ReadFile(file.Name())
	if err != nil {
		t.Fatal(err)
	}
	if !json.Valid(content) {
		t.Errorf("auto to a file wrote %q, want JSON", content)
	}

	var out bytes.Buffer
	log, err = obs.NewLogger(obs.Config{LogFormat: "console", LogLevel: "debug"}, &out, "s")
	if err != nil {
		t.Fatal(err)
	}
	log.Debug().Msg("for a person")
	if json.Valid(out.Bytes()) || !strings.Contains(out.String(), "for a person") {
		t.Errorf("got console output %q, want text that contains the message", out.String())
	}
}

func TestLoggerNamesTheBadSetting(t *testing.T) {
	tests := []struct {
		cfg  obs.Config
		want string
	}{
		{obs.Config{LogLevel: "loud"}, `ASSAY_LOG_LEVEL is "loud"`},
		{obs.Config{LogLevel: "disabled"}, `ASSAY_LOG_LEVEL is "disabled"`},
		{obs.Config{LogFormat: "xml"}, `ASSAY_LOG_FORMAT is "xml"`},
	}
	for _, test := range tests {
		if _, err := obs.NewLogger(test.cfg, &bytes.Buffer{}, "s"); err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("got error %v, want one that begins with %q", err, test.want)
		}
	}
}

func TestLogWithoutATraceAddsNothing(t *testing.T) {
	var out bytes.Buffer
	log, err := obs.NewLogger(obs.Config{}, &out, "s")
	if err != nil {
		t.Fatal(err)
	}
	log = obs.Log(t.Context(), log)
	log.Info().Msg("m")
	if strings.Contains(out.String(), "_id") {
		t.Errorf("got line %s, want no ids", out.String())
	}
}
