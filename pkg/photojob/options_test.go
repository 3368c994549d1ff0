package photojob_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"

	"github.com/assay-project/assay/pkg/extract/photo/operation"
	"github.com/assay-project/assay/pkg/photojob"
)

const operations = `[{"op":"crop","aspectRatio":"16:9","gravity":"north"},{"op":"resize","width":800},{"op":"straighten","degrees":-1.5},` +
	`{"op":"watermark","text":"© Jane","gravity":"southwest"},{"op":"pad","width":900,"height":900,"color":"#ff8001"}]`

// TestOperationsAreStored checks that the table returns the operations that the API accepts.
func TestOperationsAreStored(t *testing.T) {
	var want photojob.Options
	if err := json.Unmarshal([]byte(`{"provider":"stub","tolerant":true,"frames":"all","colors":"srgb","keep":["copyright"],"operations":`+operations+`}`), &want); err != nil {
		t.Fatal(err)
	}
	stored, err := attributevalue.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got photojob.Options
	if err := attributevalue.Unmarshal(stored, &got); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) || len(got.Operations) != 5 || got.Operations[0].Ratio.Width != 16 {
		t.Errorf("got %+v, want %+v", got, want)
	}
	terms := photojob.Terms{Options: want}
	if found := terms.CheckEdit(); len(found) != 0 {
		t.Errorf("got violations %v, want none", found)
	}
}

// TestOptionsOfTheLocalProvider checks that another provider is not asked for what only the local one does.
func TestOptionsOfTheLocalProvider(t *testing.T) {
	for field, options := range map[string]string{
		"options.operations":            `{"provider":"gemini","operations":[{"op":"sepia"}]}`,
		"options.frames":                `{"provider":"gemini","frames":"all"}`,
		"options.keep":                  `{"provider":"gemini","keep":["copyright"]}`,
		"options.operations[1].percent": `{"provider":"stub","operations":[{"op":"sepia"},{"op":"brighten","percent":200}]}`,
		"options.colors":                `{"provider":"stub","colors":"cmyk"}`,
		"options.keep[0]":               `{"provider":"stub","keep":["location"]}`,
	} {
		var o photojob.Options
		if err := json.Unmarshal([]byte(options), &o); err != nil {
			t.Fatal(err)
		}
		found := photojob.Terms{Options: o}.CheckEdit()
		if len(found) != 1 || found[0].Field != field || strings.Contains(found[0].Message, "%!") {
			t.Errorf("%s: got %v, want one violation of %s", options, found, field)
		}
	}
}

// TestOutputs checks the limits of outputs, their storage, and the keys of their objects.
func TestOutputs(t *testing.T) {
	options := photojob.Options{Provider: photojob.Stub, Outputs: []operation.Output{{Format: "webp", Width: 300}, {Quality: 40}}}
	stored, err := attributevalue.Marshal(options)
	if err != nil {
		t.Fatal(err)
	}
	var got photojob.Options
	if err := attributevalue.Unmarshal(stored, &got); err != nil || !reflect.DeepEqual(got, options) {
		t.Errorf("got %+v, %v, want %+v", got, err, options)
	}
	options.Outputs = append(make([]operation.Output, 8), operation.Output{Format: "psd"})
	found := photojob.Terms{Options: options}.CheckEdit()
	if len(found) != 2 || found[0].Field != "options.outputs" || found[1].Field != "options.outputs[8].format" {
		t.Errorf("got violations %v, want one of the list and one of its last output", found)
	}
	options = photojob.Options{Provider: photojob.Gemini, Outputs: make([]operation.Output, 1)}
	if found := (photojob.Terms{Options: options}).CheckEdit(); len(found) != 1 || found[0].Field != "options.outputs" {
		t.Errorf("with a paid provider: got violations %v, want one of outputs", found)
	}
	final := photojob.FinalKey("01K00000000000000000000000", 2, "jpeg")
	key := photojob.OutputKey(final, 1, "webp")
	if want := strings.TrimSuffix(final, "2.jpg") + "2-1.webp"; key != want {
		t.Errorf("got key %s, want %s", key, want)
	}
	if id, err := photojob.JobOf(key); err != nil || id != "01K00000000000000000000000" {
		t.Errorf("got job %q, %v, want that of the edited photo", id, err)
	}
	keys := photojob.ResultKeys(final, &photojob.EditResult{Outputs: []photojob.OutputResult{{S3Key: key}}})
	if len(keys) != 4 || keys[0] != final || keys[3] != key {
		t.Errorf("got keys %v, want those of the photo and %s", keys, key)
	}
}
