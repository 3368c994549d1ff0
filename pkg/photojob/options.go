package photojob

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/pkg/extract/photo/operation"
)

// Options are the parameters of an edit besides the prompt. A zero value leaves the choice to the
// provider or to the prompt. Those from Operations on are requests to the local provider.
type Options struct {
	Provider    string `dynamodbav:"provider,omitempty" json:"provider,omitempty" enum:"local,gemini,seedream,stub" doc:"the provider that edits the photo; default: local, the provider of Assay, which requests may also call stub"`
	Format      string `dynamodbav:"format,omitempty" json:"format,omitempty" enum:"jpeg,png,webp,gif,avif"`
	Quality     int    `dynamodbav:"quality,omitempty" json:"quality,omitempty" minimum:"1" maximum:"100" doc:"for jpeg and webp; default: 85 for jpeg, 80 for webp; a webp with 100 is lossless"`
	Width       int    `dynamodbav:"width,omitempty" json:"width,omitempty" minimum:"16" maximum:"12000" doc:"the maximum in pixels; the aspect ratio is kept"`
	Height      int    `dynamodbav:"height,omitempty" json:"height,omitempty" minimum:"16" maximum:"12000" doc:"the maximum in pixels; the aspect ratio is kept"`
	AspectRatio string `dynamodbav:"aspectRatio,omitempty" json:"aspectRatio,omitempty" pattern:"^[1-9][0-9]?:[1-9][0-9]?$" example:"16:9"`
	Seed        int64  `dynamodbav:"seed,omitempty" json:"seed,omitempty" doc:"the random seed, for providers that use one"`

	Operations Operations         `dynamodbav:"operations,omitempty" json:"operations,omitempty" maxItems:"12" doc:"edits that are applied after those of the prompt; with operations, an empty prompt edits nothing"`
	Tolerant   bool               `dynamodbav:"tolerant,omitempty" json:"tolerant,omitempty" doc:"edit what can be read of a photo whose end is missing"`
	Frames     string             `dynamodbav:"frames,omitempty" json:"frames,omitempty" enum:"first,all" doc:"the frames of an animation that are edited; default: first"`
	Colors     string             `dynamodbav:"colors,omitempty" json:"colors,omitempty" enum:"keep,srgb" doc:"keep the color profile of the photo, or convert the colors to sRGB; default: keep"`
	Keep       []string           `dynamodbav:"keep,omitempty" json:"keep,omitempty" maxItems:"1" enum:"copyright" doc:"the metadata to keep; default: none"`
	Outputs    []operation.Output `dynamodbav:"outputs,omitempty" json:"outputs,omitempty" maxItems:"8" doc:"further results of the same edit, in other sizes and formats"`
}

// Operations are edits. The table contains them in the form of the API.
type Operations []operation.Step

// MarshalDynamoDBAttributeValue implements attributevalue.Marshaler.
func (o Operations) MarshalDynamoDBAttributeValue() (types.AttributeValue, error) {
	return attributevalue.MarshalWithOptions([]operation.Step(o), func(e *attributevalue.EncoderOptions) {
		e.TagKey, e.UseEncodingMarshalers = "json", true
	})
}

// UnmarshalDynamoDBAttributeValue implements attributevalue.Unmarshaler.
func (o *Operations) UnmarshalDynamoDBAttributeValue(v types.AttributeValue) error {
	return attributevalue.UnmarshalWithOptions(v, (*[]operation.Step)(o), func(d *attributevalue.DecoderOptions) {
		d.TagKey, d.UseEncodingUnmarshalers = "json", true
	})
}

var aspectRatio = regexp.MustCompile(`^[1-9][0-9]?:[1-9][0-9]?$`)

func (o Options) check() (found []Violation) {
	wrong := func(field, format string, args ...any) {
		found = append(found, Violation{field, fmt.Sprintf(format, args...)})
	}
	if !slices.Contains(Providers(), o.Provider) {
		wrong("provider", "is not one of %s, %s, %s", local, Gemini, Seedream)
	}
	if o.Format != "" && !slices.Contains(operation.Formats(), o.Format) {
		wrong("format", "is not one of %s", strings.Join(operation.Formats(), ", "))
	}
	if o.Quality < 0 || o.Quality > 100 {
		wrong("quality", "is not between 1 and 100")
	}
	for name, side := range map[string]int{"width": o.Width, "height": o.Height} {
		if side != 0 && (side < minSide || side > maxSide) {
			wrong(name, "is not between %d and %d pixels", minSide, maxSide)
		}
	}
	if o.AspectRatio != "" && !aspectRatio.MatchString(o.AspectRatio) {
		wrong("aspectRatio", "is not a ratio such as 16:9")
	}
	for _, v := range operation.Check(o.Operations) {
		wrong("operations"+v.Field, "%s", v.Message)
	}
	if !slices.Contains([]string{"", "first", "all"}, o.Frames) {
		wrong("frames", "is not one of first, all")
	}
	if !slices.Contains([]string{"", "keep", "srgb"}, o.Colors) {
		wrong("colors", "is not one of keep, srgb")
	}
	if i := slices.IndexFunc(o.Keep, func(s string) bool { return s != "copyright" }); i >= 0 {
		wrong(fmt.Sprintf("keep[%d]", i), "is not copyright")
	}
	if n := len(o.Outputs); n > operation.MaxOutputs {
		wrong("outputs", "has %d outputs; at most %d are allowed", n, operation.MaxOutputs)
	}
	for i, output := range o.Outputs {
		for _, v := range output.Check() {
			wrong(fmt.Sprintf("outputs[%d].%s", i, v.Field), "%s", v.Message)
		}
	}
	if o.Provider != Stub {
		for _, name := range o.localOnly() {
			wrong(name, "is supported by the provider %s only", local)
		}
	}
	return found
}

// shown returns the options as the API shows them.
func (o Options) shown() Options {
	o.Provider = ShownProvider(o.Provider)
	return o
}

// LocalOnly reports whether only the local provider fulfills the options.
func (o Options) LocalOnly() bool { return len(o.localOnly()) > 0 }

// localOnly returns the names of the options that only the local provider fulfills.
func (o Options) localOnly() (names []string) {
	if len(o.Operations) > 0 {
		names = append(names, "operations")
	}
	if o.Frames == "all" {
		names = append(names, "frames")
	}
	if len(o.Keep) > 0 {
		names = append(names, "keep")
	}
	if len(o.Outputs) > 0 {
		names = append(names, "outputs")
	}
	return names
}
