package grammar_test

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	. "github.com/assay-project/assay/pkg/extract/photo/grammar"
	. "github.com/assay-project/assay/pkg/extract/photo/operation"
)

// TestParse parses the phrases of the photo job design, section 3.4, separately and together.
func TestParse(t *testing.T) {
	for prompt, want := range map[string][]Step{
		"":              {{Op: Enhance}},
		" , then ":      {{Op: Enhance}},
		"enhance":       {{Op: Enhance}},
		"AUTO Levels":   {{Op: Levels}},
		"white balance": {{Op: WhiteBalance}}, "auto white balance": {{Op: WhiteBalance}},
		"brighten": {{Op: Brighten, Percent: 20}}, "darken by 5%": {{Op: Darken, Percent: 5}}, "contrast 100 %": {{Op: Contrast, Percent: 100}},
		"saturate 30": {{Op: Saturate, Percent: 30}}, "warm": {{Op: Warm, Percent: 20}}, "cool 1%": {{Op: Cool, Percent: 1}},
		"sharpen": {{Op: Sharpen}}, "denoise light": {{Op: Denoise, Strength: Light}}, "blur strong": {{Op: Blur, Strength: Strong}},
		"remove background": {{Op: RemoveBackground}}, "Blur the background": {{Op: BlurBackground}},
		"background white": {{Op: Background, Color: "#ffffff"}}, "background #FF8001": {{Op: Background, Color: "#ff8001"}},
		"crop 4:5 to subject": {{Op: Crop, Ratio: Ratio{Width: 4, Height: 5}, Gravity: Subject}}, "crop 4:5 to the subject": {{Op: Crop, Ratio: Ratio{Width: 4, Height: 5}, Gravity: Subject}},
		"black and white": {{Op: Grayscale}}, "sepia": {{Op: Sepia}},
		"crop 16:9": {{Op: Crop, Ratio: Ratio{Width: 16, Height: 9}}}, "crop to 1:1 to faces": {{Op: Crop, Ratio: Ratio{Width: 1, Height: 1}, Gravity: Faces}},
		"fit 80": {{Op: Resize, Width: 80}}, "resize 2048": {{Op: Resize, Width: 2048}}, "fit 800x600": {{Op: Resize, Width: 800, Height: 600}}, "resize to 800 × 600 px": {{Op: Resize, Width: 800, Height: 600}},
		"rotate 270": {{Op: Rotate, Degrees: 270}}, "flip horizontal": {{Op: Flip}}, "flip vertical": {{Op: Flip, Vertical: true}},
		`watermark "© Jane, and then John"`: {{Op: Watermark, Text: "© Jane, and then John"}},
		"watermark “Oslo”":                  {{Op: Watermark, Text: "Oslo"}},
		"as webp":                           {{Op: Format, Format: "webp"}}, "as jpg quality 70": {{Op: Format, Format: "jpeg", Quality: 70}}, "as a png": {{Op: Format, Format: "png"}},
		"auto levels, sharpen, crop 1:1 to faces, as webp": {
			{Op: Levels}, {Op: Sharpen}, {Op: Crop, Ratio: Ratio{Width: 1, Height: 1}, Gravity: Faces}, {Op: Format, Format: "webp"},
		},
		"Please enhance the photo. Black and White and rotate 90; then sepia\nsharpen light": {
			{Op: Enhance}, {Op: Grayscale}, {Op: Rotate, Degrees: 90}, {Op: Sepia}, {Op: Sharpen, Strength: Light},
		},
	} {
		got, unknown, err := Parse(prompt)
		if err != nil || len(unknown) != 0 || !reflect.DeepEqual(got, want) {
			t.Errorf("Parse(%q) = %+v, unknown %q, %v; want %+v", prompt, got, unknown, err, want)
		}
	}
}

// TestUnknown checks that phrases that are not recognized are returned as written.
func TestUnknown(t *testing.T) {
	for prompt, want := range map[string][]string{
		"remove background of cat, remove":                         {"remove background of cat", "remove"},
		"background, background plaid":                             {"background", "background plaid"},
		"background #ff800, background ff8001, background #+f8001": {"background #ff800", "background ff8001", "background #+f8001"},
		"please":                                      {"please"},
		"Make it Magic, sepia":                        {"Make it Magic"},
		"brighten 101%, brighten 0":                   {"brighten 101%", "brighten 0"},
		"brighten 20% more":                           {"brighten 20% more"},
		"crop, crop 0:1, crop 1:1 to cat":             {"crop", "crop 0:1", "crop 1:1 to cat"},
		"scale 80, resize 2":                          {"scale 80", "resize 2"},
		"rotate 45, flip, resize x":                   {"rotate 45", "flip", "resize x"},
		"as tiff, as jpeg quality 0":                  {"as tiff", "as jpeg quality 0"},
		`watermark, sepia "x"`:                        {"watermark", `sepia "x"`},
		`watermark "` + strings.Repeat("é", 81) + `"`: {`watermark "` + strings.Repeat("é", 81) + `"`},
	} {
		if _, got, err := Parse(prompt); err != nil || !slices.Equal(got, want) {
			t.Errorf("Parse(%q): got unknown %q, %v; want %q", prompt, got, err, want)
		}
	}
	if _, _, err := Parse(strings.Repeat("sepia, ", MaxSteps+1)); !errors.Is(err, ErrTooManySteps) {
		t.Errorf("with %d steps: got error %v, want %v", MaxSteps+1, err, ErrTooManySteps)
	}
}

// FuzzParse checks that each parsed step is one that the editor supports, and that its phrase means the same.
func FuzzParse(f *testing.F) {
	f.Add("auto levels, sharpen strong, crop 1:1 to faces and fit 800x600, watermark \"a, b\", as jpeg quality 80")
	f.Add("black and white then brighten by 20 % ; rotate 90")
	f.Add(`"""watermark “x” "`)
	f.Add("crop to 800x600+10-20 px at the top left, straighten 1,5° ccw. contrast -20% & saturation a lot")
	f.Add("pad 16:9 #ff0000; enlarge by 50%; scale down by 25 %, rotate −90° and as jpeg at 80% quality")
	f.Add("nach rechts drehen, fond blanc, más brillo")
	f.Fuzz(func(t *testing.T, prompt string) {
		steps, unknown, err := Parse(prompt)
		if err != nil {
			if !errors.Is(err, ErrTooManySteps) {
				t.Fatal(err)
			}
			return
		}
		if n := len(steps) + len(unknown); n < 1 || n > MaxSteps {
			t.Fatalf("got %d phrases, want 1 to %d", n, MaxSteps)
		}
		for _, s := range steps {
			if s.Percent < -100 || s.Percent > 1000 || s.Quality < 0 || s.Quality > 100 || s.Opacity < 0 || s.Opacity > 100 ||
				min(s.Width, s.Height) < 0 || max(s.Width, s.Height) > 20_000 || math.Abs(s.Degrees) > 270 || len(s.Text) > 320 {
				t.Fatalf("got step %+v, want values in range", s)
			}
			if again, unknown, err := Parse(s.Prompt()); s.Op != Watermark && (err != nil || len(unknown) > 0 || !reflect.DeepEqual(again, []Step{s})) {
				t.Fatalf("Parse(%q) = %+v, unknown %q, %v; want %+v", s.Prompt(), again, unknown, err, s)
			}
		}
	})
}
