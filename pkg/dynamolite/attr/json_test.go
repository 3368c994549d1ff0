package attr

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestWireFormRoundTrips(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		it := genItem(3).Draw(t, "item")
		text, err := json.Marshal(it)
		if err != nil {
			t.Fatal(err)
		}
		var got Item
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if err := got.Validate(); err != nil || !got.Equal(it) {
			t.Fatalf("got %s, error %v, want %s", got.AppendJSON(nil), err, text)
		}
		if !json.Valid(it.AppendJSON(nil)) {
			t.Fatalf("AppendJSON returned %s, want valid JSON", it.AppendJSON(nil))
		}
	})
}

func TestWireFormVariantsAreDecoded(t *testing.T) {
	for given, want := range map[string]Value{
		`{"S":"a\u00e9\n\ud83d\ude00"}`: String("aé\n😀"),
		` { "S" : "" } `:                String(""),
		`{"N":"1e2"}`:                   Num(NumberOf(100)),
		`{"B":"AP8="}`:                  Binary([]byte{0, 255}),
		`{"BOOL":false}`:                Bool(false),
		`{"NULL":true}`:                 Null(),
		`{"L":[]}`:                      List(),
		`{"M":{}}`:                      Map(Item{}),
		`{"S":"x","N":null}`:            String("x"),
		`{"Other":[{"a":1}],"S":"x"}`:   String("x"),
		`{"M":{"a":{"L":[{"S":"x"}]}}}`: Map(Item{{"a", List(String("x"))}}),
		`{"M":{"b":{"S":"1"},"a":{"M":{"d":{"S":"2"},"c":{"S":"3"}}},"b":{"S":"4"}}}`: Map(Item{
			{"a", Map(Item{{"c", String("3")}, {"d", String("2")}})}, {"b", String("4")},
		}),
		`{"NS":["2","10","1"]}`:  Set(NS, []Value{Num(NumberOf(1)), Num(NumberOf(2)), Num(NumberOf(10))}),
		`{"BS":["AA==","AQ=="]}`: Set(BS, []Value{Binary([]byte{0}), Binary([]byte{1})}),
		`{"S":"a\"b\\"}`:         String(`a"b\`),
	} {
		var got Value
		if err := json.Unmarshal([]byte(given), &got); err != nil {
			t.Errorf("%s: %v", given, err)
			continue
		}
		if err := got.Validate(); err != nil || !got.Equal(want) {
			t.Errorf("%s: got %s, error %v, want %s", given, got.AppendJSON(nil), err, want.AppendJSON(nil))
		}
	}
}

func TestValidateReportsInvalidValues(t *testing.T) {
	nested := func(depth int) string {
		return strings.Repeat(`{"L":[`, depth-1) + `{"S":"x"}` + strings.Repeat(`]}`, depth-1)
	}
	for given, want := range map[string]string{
		`{}`:                           msgEmptyValue,
		`{"X":"y"}`:                    msgEmptyValue,
		`{"S":"a","N":"1"}`:            msgManyTypes,
		`{"N":"x","S":"a"}`:            msgNotNumeric + ": x",
		`{"N":""}`:                     msgNotNumeric,
		`{"NS":["1","1E126"]}`:         msgOverflow,
		`{"NULL":false}`:               msgNullFalse,
		`{"SS":[]}`:                    msgEmptySS,
		`{"NS":[]}`:                    msgEmptyNS,
		`{"BS":[]}`:                    msgEmptyBS,
		`{"SS":["a","b","a"]}`:         msgParameters + "Input collection [a, b, a] contains duplicates.",
		`{"NS":["1","1.0"]}`:           msgDuplicates,
		`{"BS":["AA==","AA=="]}`:       msgParameters + "Input collection [AA==, AA==]of type BS contains duplicates.",
		`{"M":{"a":{"SS":[]}}}`:        msgEmptySS,
		`{"L":[{"S":"x"},{"L":[{}]}]}`: msgEmptyValue,
		nested(33):                     msgDepth,
		nested(5000):                   msgDepth,
	} {
		var got Value
		if err := json.Unmarshal([]byte(given), &got); err != nil {
			t.Errorf("%.60s: %v", given, err)
			continue
		}
		invalid, ok := errors.AsType[*ValidationError](got.Validate())
		if !ok || invalid.Message != want {
			t.Errorf("%.60s: got %v, want %s", given, got.Validate(), want)
		}
	}
	var deepest Value
	if err := json.Unmarshal([]byte(nested(32)), &deepest); err != nil || deepest.Validate() != nil {
		t.Errorf("32 levels: got %v, %v; want no error", err, deepest.Validate())
	}
}

func TestJSONOfAnotherShapeIsASerializationError(t *testing.T) {
	for given, want := range map[string]string{
		`{"a":5}`:                "Unexpected value type in payload",
		`{"a":[]}`:               "Unrecognized collection type class com.amazonaws.dynamodb.v20120810.AttributeValue",
		`{"a":{"S":5}}`:          "NUMBER_VALUE cannot be converted to String",
		`{"a":{"N":5.5}}`:        "DECIMAL_VALUE cannot be converted to String",
		`{"a":{"S":true}}`:       "TRUE_VALUE cannot be converted to String",
		`{"a":{"S":{}}}`:         "Start of structure or map found where not expected",
		`{"a":{"S":[]}}`:         "Unrecognized collection type class java.lang.String",
		`{"a":{"BOOL":"maybe"}}`: "Unexpected token received from parser",
		`{"a":{"B":5}}`:          "only base-64-encoded strings are convertible to bytes",
		`{"a":{"B":"%"}}`:        "Invalid Base64 encoding",
		`{"a":{"L":"x"}}`:        "Unexpected field type",
		`{"a":{"SS":{}}}`:        "Start of structure or map found where not expected",
		`{"a":{"M":"x"}}`:        "Unexpected field type",
		`[]`:                     "Unrecognized collection type java.util.Map<java.lang.String, com.amazonaws.dynamodb.v20120810.AttributeValue>",
		`5`:                      "Unexpected field type",
	} {
		var got Item
		err := json.Unmarshal([]byte(given), &got)
		wrong, ok := errors.AsType[*SerializationError](err)
		if !ok || wrong.Message != want {
			t.Errorf("%s: got %v, want %s", given, err, want)
		}
	}
}

func FuzzJSON(f *testing.F) {
	for _, seed := range []string{
		`{"a":{"S":"x\u0000"},"b":{"M":{"c":{"NS":["1","2"]}}}}`, `{"a":{"L":[{"B":"AA=="},{"NULL":true}]}}`,
		`{"a":{"X":[1,{"y":"z"}],"BOOL":true}}`, `{"a":{"S":"\"`, `{"a":{"SS":["`, `}`, `{"`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var got Item
		if err := got.UnmarshalJSON(data); err != nil || got.Validate() != nil {
			return
		}
		if !json.Valid(data) {
			return // callers check the syntax first
		}
		var again Item
		if err := json.Unmarshal(got.AppendJSON(nil), &again); err != nil || !again.Equal(got) {
			t.Fatalf("%s: got %s, error %v after a round trip, want %s", data, again.AppendJSON(nil), err, got.AppendJSON(nil))
		}
	})
}
