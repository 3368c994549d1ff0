package event_test

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"strings"
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

// What is read by hand is what protojson reads, of any message as it is published.
func TestPayloadsAreReadAsByProtojson(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := &event.FileUploaded{}
		fill(t, d.ProtoReflect())
		if data, err := (event.Event{Data: d}).Marshal(); err == nil {
			readAsProtojson(t, string(data))
		}
	})
}

// So is any other payload, and what protojson refuses is refused.
func TestOddPayloadsAreReadAsByProtojson(t *testing.T) {
	payload := uploaded(t)
	readAsProtojson(t, payload)
	for _, c := range [][2]string{
		{"4096", "04096"}, {"4096", "4096.5"}, {"4096", "4e3"}, {"4096", `"4096"`}, {"4096", "-1"}, {"4096", "+1"}, {"4096", "0x10"}, {"4096", ""}, {"4096", "null"},
		{"4096", strings.Repeat("9", 400)}, {".123Z", "Z"}, {".123Z", ",123Z"}, {".123Z", ".Z"}, {".123Z", ".1234567891Z"}, {".123Z", ".123+01:00"}, {".123Z", ".123"}, {"2026-", "0000-"},
		{"2026-", "12026-"}, {"Z", "z"}, {`Z"}`, `Z"`}, {`Z"}`, "Z"}, {`Z"}`, `Z"}}`}, {`Z"}`, `Z"} `}, {`Z"}`, `Z","more":[1]}`}, {`Z"}`, `Z","size":1}`}, {`Z"}`, `Z",}`},
		{"f1", "f\xff"}, {"f1", "f\n1"}, {"f1", "f\x7f"}, {"f1", `f\u0041`}, {"f1", `f\`}, {`"f1"`, "1"}, {`"f1"`, "null"}, {`"f1"`, `["f1"]`},
		{`"fileId"`, `"file_id"`}, {`{"fileId"`, `{ "fileId"`}, {`{"fileId"`, `"fileId"`}, {`"ownerId":"o1",`, ""}, {`,"ownerId"`, `"ownerId"`}, {`"ownerId"`, `"etag"`},
		{"uploadedAt", "pendingSince"}, {payload, ""}, {payload, "{}"}, {payload, "null"},
	} {
		odd := strings.Replace(payload, c[0], c[1], 1)
		if odd == payload {
			t.Fatalf("no %s in %s", c[0], payload)
		}
		readAsProtojson(t, odd)
	}
}

// An event that every file causes does not go through protojson, which makes a hundred values.
func TestFrequentEventIsReadByHand(t *testing.T) {
	var d event.FileUploaded
	data := []byte(uploaded(t))
	var err error
	if made := testing.AllocsPerRun(100, func() { err = event.Unmarshal(data, &d) }); made > 10 || err != nil || d.Size != 4096 {
		t.Errorf("%v values, %v, %v", made, err, &d)
	}
}

// uploaded is the payload of a file that is like most.
func uploaded(t *testing.T) string {
	t.Helper()
	at := timestamppb.New(time.Date(2026, 11, 22, 1, 2, 3, 123e6, time.UTC))
	data, err := event.NewFileUploaded(&event.FileUploaded{
		FileId: "f1", OwnerId: "o1", FileName: "Ökonomie.txt", Key: "files/f1/u1", Etag: "e", Size: 4096, ContentType: "text/plain", UploadedAt: at, PendingSince: at,
	}).Marshal()
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func readAsProtojson(t rapid.TB, data string) {
	t.Helper()
	want := &event.FileUploaded{}
	refused := protojson.UnmarshalOptions{DiscardUnknown: true}.Unmarshal([]byte(data), want)
	got := &event.FileUploaded{FileId: "before", RetriedAt: timestamppb.Now()}
	err := event.Unmarshal([]byte(data), got)
	if (err != nil) != (refused != nil) {
		t.Fatalf("%s: got the error %v, protojson %v", data, err, refused)
	}
	if err == nil && !proto.Equal(got, want) {
		t.Fatalf("%s: got %v, protojson reads %v", data, got, want)
	}
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
