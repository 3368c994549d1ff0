package event_test

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/timestamppb"
	"pgregory.net/rapid"

	"github.com/assay-project/assay/pkg/event"
)

// What is written by hand is what protojson writes, to the name and the digit, of every
// field that a message has, and what it refuses is refused.
func TestPayloadsAreThoseOfProtojson(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.SampledFrom([]proto.Message{&event.FileUploaded{}, &event.AnalysisCompleted{}, &event.AnalysisFailed{}}).Draw(t, "kind")
		d = proto.Clone(d)
		fill(t, d.ProtoReflect())
		want, refused := protojson.MarshalOptions{EmitDefaultValues: true}.Marshal(d)
		got, err := event.Event{Data: d}.Marshal()
		if (err != nil) != (refused != nil) {
			t.Fatalf("got the error %v, protojson %v", err, refused)
		}
		if err != nil {
			return
		}
		if !reflect.DeepEqual(parsed(t, got), parsed(t, want)) {
			t.Fatalf("got %s, protojson writes %s", got, want)
		}
	})
}

// parsed tells numbers by their digits.
func parsed(t *rapid.T, data []byte) (value any) {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	return value
}

// fill sets fields of a message, each or not.
func fill(t *rapid.T, m protoreflect.Message) {
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		field := fields.Get(i)
		if !rapid.Bool().Draw(t, string(field.Name())) {
			continue
		}
		switch {
		case field.IsList():
			list := m.Mutable(field).List()
			for range rapid.IntRange(0, 3).Draw(t, "entries") {
				fill(t, list.AppendMutable().Message())
			}
		case field.Kind() == protoreflect.StringKind:
			m.Set(field, protoreflect.ValueOfString(rapid.OneOf(
				rapid.SampledFrom([]string{"", "plain", `"quoted\`, "tab\t", "é€😀\u2028", "<&>", "\x00\x7f", "broken\xff"}), rapid.String(),
			).Draw(t, "text")))
		case field.Kind() == protoreflect.DoubleKind:
			m.Set(field, protoreflect.ValueOfFloat64(rapid.OneOf(
				rapid.SampledFrom([]float64{0, 700, 5.12, 5 << 30, math.Inf(1), math.NaN()}), rapid.Float64Range(0, 1e15).Filter(func(x float64) bool { return x == 0 || x > 1e-6 }),
			).Draw(t, "number")))
		case field.Message().FullName() == "google.protobuf.Timestamp":
			at := time.Unix(rapid.Int64Range(0, 1<<32).Draw(t, "seconds"), rapid.SampledFrom([]int64{0, 250e6, 1e3, 1, 999999999, -1}).Draw(t, "nanoseconds"))
			m.Set(field, protoreflect.ValueOfMessage(timestamppb.New(at).ProtoReflect()))
		default:
			fill(t, m.Mutable(field).Message())
		}
	}
}
