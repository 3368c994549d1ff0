package records

import (
	"encoding/json"
	"reflect"
	"testing"
)

func TestInvalidLines(t *testing.T) {
	for _, line := range []string{"", "{", "{}x", `{"index"}`, `{"index":}`, `{"index":"1"}`, `{"index":1x}`, `{"other":1}`, `{"name":"a}`, `{"name":"\x"}`, `{"name":"\u0041"}`, `{"name":"\"}`,
		`{"fields":{"a":1}}`, `{"fields":{"a":"b"}`, `{"fields":[]}`, `{"properties":{"a":null}}`, `{"properties":{"a":[]}}`, `{"notDetermined":{}}`} {
		var r Record
		if err := parseLine([]byte(line), &r); err == nil {
			t.Errorf("%s: got %+v, want an error", line, r)
		}
	}
}

// A written record is valid JSON, and is unchanged after a round trip.
func FuzzLines(f *testing.F) {
	f.Add("name", "a\"b\\", "x\ny\r\t\x01\u00e9\xff", "", 1.5, true)
	f.Add("", "", "]}\",{\"", "failed", -1e300, false)
	f.Fuzz(func(t *testing.T, name, key, value, problem string, number float64, flag bool) {
		if number-number != 0 {
			return
		}
		r := Record{Index: 7, Name: name, Error: problem, Content: value, Fields: Fields{{key, value}, {key + "2", name}},
			Properties: Properties{{key, value}, {"n", number}, {"flag", flag}, {"i", int64(3)}}, NotDetermined: []string{key}}
		line := appendRecord(nil, &r)
		var standard struct {
			Index                int
			Name, Error, Content string
			Fields               map[string]string
		}
		if err := json.Unmarshal(line, &standard); err != nil {
			t.Fatalf("json.Unmarshal(%s): got error %v, want nil", line, err)
		}
		var back Record
		if err := parseLine(line, &back); err != nil {
			t.Fatalf("parseLine(%s): got error %v, want nil", line, err)
		}
		if back.Name != standard.Name || back.Content != standard.Content || back.Error != standard.Error || back.Fields[1].Value != standard.Fields[back.Fields[1].Name] && key != "" {
			t.Errorf("%s: got %+v, want %+v", line, back, standard)
		}
		if again := appendRecord(nil, &back); string(again) != string(line) {
			t.Errorf("after a round trip: got %s, want %s", again, line)
		}
		if n, ok := back.Properties.Get("n").(float64); ok && key != "n" && !reflect.DeepEqual(n, number) {
			t.Errorf("after a round trip: got n %v, want %v", n, number)
		}
	})
}
