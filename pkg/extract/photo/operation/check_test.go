package operation_test

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/extract/photo/operation"
)

// TestCheck checks, for each operation, steps that are valid, and the first violation of steps that are not.
func TestCheck(t *testing.T) {
	for _, test := range []struct {
		json string
		want string // field: message, or a part of it; "" for a valid step
	}{
		{`{"op":"enhance"}`, ""},
		{`{"op":"enhance","percent":20}`, "percent: is not a field of enhance, which has no fields other than op"},
		{`{"op":"levels"}`, ""},
		{`{"op":"whiteBalance"}`, ""},
		{`{"op":"brighten"}`, ""},
		{`{"op":"brighten","percent":100}`, ""},
		{`{"op":"darken","percent":101}`, "percent: is not between 1 and 100"},
		{`{"op":"brighten","percent":-1}`, "percent: is not between 1 and 100"},
		{`{"op":"contrast","percent":-100}`, ""},
		{`{"op":"saturate","percent":-101}`, "percent: is not between -100 and 100"},
		{`{"op":"saturate","strength":"light"}`, "strength: is not a field of saturate, which has percent"},
		{`{"op":"warm","percent":1}`, ""},
		{`{"op":"cool"}`, ""},
		{`{"op":"sharpen","strength":"strong"}`, ""},
		{`{"op":"denoise","strength":"hard"}`, "strength: is not one of light, medium, strong"},
		{`{"op":"blur"}`, ""},
		{`{"op":"grayscale","vertical":true}`, "vertical: is not a field of grayscale"},
		{`{"op":"sepia"}`, ""},
		{`{"op":"crop","aspectRatio":"16:9","gravity":"faces"}`, ""},
		{`{"op":"crop","width":300,"height":200,"x":-10,"y":20,"gravity":"northwest"}`, ""},
		{`{"op":"crop","height":200}`, ""},
		{`{"op":"crop"}`, "aspectRatio: is required, or width or height"},
		{`{"op":"crop","aspectRatio":"1:1","width":3}`, "aspectRatio: excludes the others of aspectRatio; width or height: state one"},
		{`{"op":"crop","aspectRatio":"1:1","x":3}`, "x: and y apply to a crop with a width or height only"},
		{`{"op":"crop","width":20001}`, "width: is not between 1 and 20000"},
		{`{"op":"crop","width":20,"gravity":"left"}`, "gravity: is not one of center, north, northeast, east, southeast, south, southwest, west, northwest, faces, subject"},
		{`{"op":"resize","width":800}`, ""},
		{`{"op":"resize","percent":50}`, ""},
		{`{"op":"resize","percent":150}`, "percent: is not between 1 and 100"},
		{`{"op":"resize","percent":50,"height":3}`, "percent: excludes"},
		{`{"op":"resize"}`, "percent: is required, or width or height"},
		{`{"op":"enlarge","percent":200}`, ""},
		{`{"op":"enlarge","percent":100}`, "percent: is not between 101 and 1000"},
		{`{"op":"enlarge","width":4000,"height":3000}`, ""},
		{`{"op":"enlarge","height":-5}`, "height: is not between 1 and 20000"},
		{`{"op":"pad","aspectRatio":"1:1","color":"#AABBCC","gravity":"south"}`, ""},
		{`{"op":"pad","percent":10}`, ""},
		{`{"op":"pad","width":500}`, ""},
		{`{"op":"pad"}`, "percent: is required, or aspectRatio, or width or height"},
		{`{"op":"pad","percent":10,"aspectRatio":"1:1"}`, "percent: excludes"},
		{`{"op":"pad","percent":10,"gravity":"faces"}`, "gravity: is not one of"},
		{`{"op":"rotate","degrees":270}`, ""},
		{`{"op":"rotate"}`, "degrees: is required by rotate"},
		{`{"op":"rotate","degrees":45}`, "degrees: is not 90, 180 or 270; use straighten for other angles"},
		{`{"op":"straighten","degrees":-2.5}`, ""},
		{`{"op":"straighten"}`, "degrees: is required by straighten"},
		{`{"op":"straighten","degrees":46}`, "degrees: is not between -45 and 45"},
		{`{"op":"flip","vertical":true}`, ""},
		{`{"op":"flip"}`, ""},
		{`{"op":"watermark","text":"© 日本","gravity":"north","opacity":40,"percent":5}`, ""},
		{`{"op":"watermark","logo":"01K0000000000000000000000A"}`, ""},
		{`{"op":"watermark"}`, "text: is required, or logo"},
		{`{"op":"watermark","text":"x","logo":"y"}`, "text: excludes the others of text; logo: state one"},
		{`{"op":"watermark","text":" "}`, "text: is blank"},
		{`{"op":"watermark","text":"` + strings.Repeat("é", 80) + `"}`, ""},
		{`{"op":"watermark","text":"` + strings.Repeat("é", 81) + `"}`, "text: is longer than 80 characters"},
		{`{"op":"watermark","text":"x","opacity":101}`, "opacity: is not between 1 and 100"},
		{`{"op":"watermark","text":"x","gravity":"subject"}`, "gravity: is not one of"},
		{`{"op":"removeBackground"}`, ""},
		{`{"op":"background","color":"turquoise"}`, ""},
		{`{"op":"background"}`, "color: is required by background"},
		{`{"op":"blurBackground","strength":"light"}`, ""},
		{`{"op":"blurBackground","color":"red"}`, "color: is not a field of blurBackground"},
		{`{"op":"format","format":"webp","quality":100}`, ""},
		{`{"op":"format","quality":101}`, "quality: is not between 1 and 100"},
		{`{"op":"format"}`, "format: is required, or quality"},
		{`{"op":"format","format":"psd"}`, "format: is not one of " + strings.Join(operation.Formats(), ", ")},
		{`{"op":"posterize"}`, "op: is not one of enhance, levels"},
		{`{}`, "op: is not one of enhance, levels"},
	} {
		var step operation.Step
		if err := json.Unmarshal([]byte(test.json), &step); err != nil {
			t.Fatalf("%s: %v", test.json, err)
		}
		got := ""
		if found := step.Check(); len(found) > 0 {
			got = found[0].Field + ": " + found[0].Message
		}
		if (got == "") != (test.want == "") || !strings.HasPrefix(got, test.want) {
			t.Errorf("%s: got %q, want %q", test.json, got, test.want)
		}
	}
	for name, step := range map[string]operation.Step{
		"degrees":     {Op: operation.Straighten, Degrees: math.NaN()},
		"text":        {Op: operation.Watermark, Text: "\xff"},
		"color":       {Op: operation.Background, Color: "mud"},
		"aspectRatio": {Op: operation.Crop, Ratio: operation.Ratio{Width: 101, Height: 1}},
	} {
		if found := step.Check(); len(found) == 0 || found[0].Field != name {
			t.Errorf("%+v: got %v, want a violation of %s", step, found, name)
		}
	}
}

// TestCheckList checks the fields of violations in a list, and the length of the list.
func TestCheckList(t *testing.T) {
	steps := []operation.Step{{Op: operation.Sepia}, {Op: operation.Brighten, Percent: 200}}
	want := []operation.Violation{{Field: "[1].percent", Message: "is not between 1 and 100"}}
	if got := operation.Check(steps); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	want = []operation.Violation{{Message: "has 13 steps; at most 12 are allowed"}}
	if got := operation.Check(make([]operation.Step, 13)); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestTags checks that the description of the fields in the API names the same values as Check.
func TestTags(t *testing.T) {
	places := append(operation.Gravities(), operation.Faces, operation.Subject)
	for field, want := range map[string]any{"Op": operation.Ops(), "Gravity": places, "Format": operation.Formats()} {
		f, ok := reflect.TypeFor[operation.Step]().FieldByName(field)
		var names []string
		for i := range reflect.ValueOf(want).Len() {
			names = append(names, reflect.ValueOf(want).Index(i).String())
		}
		if got := f.Tag.Get("enum"); !ok || got != strings.Join(names, ",") {
			t.Errorf("%s: got the values %s, want %s", field, got, strings.Join(names, ","))
		}
	}
}

// TestJSON checks that a step has the same value after conversion to JSON and back.
func TestJSON(t *testing.T) {
	for _, step := range []operation.Step{
		{Op: operation.Crop, Ratio: operation.Ratio{Width: 16, Height: 9}, Gravity: operation.Faces},
		{Op: operation.Pad, Percent: 5, Color: "#ff0000"}, {Op: operation.Straighten, Degrees: -1.5}, {Op: operation.Flip, Vertical: true},
	} {
		data, err := json.Marshal(step)
		if err != nil {
			t.Fatal(err)
		}
		var got operation.Step
		if err := json.Unmarshal(data, &got); err != nil || got != step {
			t.Errorf("%s: got %+v, %v, want %+v", data, got, err, step)
		}
	}
}

// TestCheckOutput checks the ranges of an output.
func TestCheckOutput(t *testing.T) {
	for name, output := range map[string]operation.Output{
		"": {}, "format": {Format: "psd"}, "quality": {Quality: 101}, "width": {Width: -1}, "height": {Height: 20_001},
	} {
		found := output.Check()
		if name == "" && len(found) > 0 || name != "" && (len(found) != 1 || found[0].Field != name) {
			t.Errorf("%+v: got %v, want a violation of %q", output, found, name)
		}
	}
}
