// Package operation defines the edits of a photo: the steps to which a prompt is parsed, which clients can also send as
// JSON, and which package photo applies.
package operation

// Op is the kind of a step. Its value is the name in the API.
type Op string

// The operations.
const (
	Enhance          Op = "enhance"
	Levels           Op = "levels"
	WhiteBalance     Op = "whiteBalance"
	Brighten         Op = "brighten"
	Darken           Op = "darken"
	Contrast         Op = "contrast"
	Saturate         Op = "saturate"
	Warm             Op = "warm"
	Cool             Op = "cool"
	Sharpen          Op = "sharpen"
	Denoise          Op = "denoise"
	Blur             Op = "blur"
	Grayscale        Op = "grayscale"
	Sepia            Op = "sepia"
	Crop             Op = "crop"
	Resize           Op = "resize"
	Enlarge          Op = "enlarge"
	Pad              Op = "pad"
	Rotate           Op = "rotate"
	Straighten       Op = "straighten"
	Flip             Op = "flip"
	Watermark        Op = "watermark"
	RemoveBackground Op = "removeBackground"
	Background       Op = "background"
	BlurBackground   Op = "blurBackground"
	Format           Op = "format"
)

// Ops returns the operations in the order of the documentation.
func Ops() []Op {
	return []Op{
		Enhance, Levels, WhiteBalance, Brighten, Darken, Contrast, Saturate, Warm, Cool, Sharpen, Denoise, Blur, Grayscale, Sepia,
		Crop, Resize, Enlarge, Pad, Rotate, Straighten, Flip, Watermark, RemoveBackground, Background, BlurBackground, Format,
	}
}

// Phrase returns the words for the operation in a prompt.
func (o Op) Phrase() string {
	switch o {
	case Levels:
		return "auto levels"
	case WhiteBalance:
		return "white balance"
	case Grayscale:
		return "black and white"
	case RemoveBackground:
		return "remove background"
	case BlurBackground:
		return "blur background"
	case Format:
		return "as"
	}
	return string(o)
}

// Strength is the strength of Sharpen, Denoise and Blur.
type Strength string

// The strengths. The empty value means Medium.
const (
	Light  Strength = "light"
	Medium Strength = "medium"
	Strong Strength = "strong"
)

// Gravity is the part of the photo that a crop keeps, or the place of a watermark or of a padded photo.
type Gravity string

// The gravities. The empty value means Center, and Southeast for a watermark. Faces and Subject apply to Crop only.
const (
	Center    Gravity = "center"
	North     Gravity = "north"
	Northeast Gravity = "northeast"
	East      Gravity = "east"
	Southeast Gravity = "southeast"
	South     Gravity = "south"
	Southwest Gravity = "southwest"
	West      Gravity = "west"
	Northwest Gravity = "northwest"
	Faces     Gravity = "faces"
	Subject   Gravity = "subject"
)

// Step is one edit. Fields that its Op does not use are zero.
type Step struct {
	Op       Op       `json:"op"`
	Percent  int      `json:"percent,omitempty"`    // Brighten to Cool: 1 to 100; Resize and Enlarge: of each side; Pad: border in percent of the shorter side
	Strength Strength `json:"strength,omitempty"`   // Sharpen, Denoise, Blur
	Ratio    Ratio    `json:"aspectRatio,omitzero"` // Crop: the largest area with this ratio; Pad: the smallest canvas with it
	Width    int      `json:"width,omitempty"`      // Crop, Resize, Enlarge, Pad: pixels; 0 if not given
	Height   int      `json:"height,omitempty"`     // as Width
	X        int      `json:"x,omitempty"`          // Crop in pixels: offset to the right of the place that Gravity selects
	Y        int      `json:"y,omitempty"`          // Crop in pixels: offset downwards
	Gravity  Gravity  `json:"gravity,omitempty"`    // Crop, Pad, Watermark
	Color    Color    `json:"color,omitempty"`      // Background, Pad; empty for the default, which is white for Pad
	Degrees  float64  `json:"degrees,omitempty"`    // Rotate: 90, 180 or 270 clockwise; Straighten: -45 to 45 clockwise
	Vertical bool     `json:"vertical,omitempty"`   // Flip: mirror top to bottom
	Text     string   `json:"text,omitempty"`       // Watermark: 1 to 80 characters
	Logo     string   `json:"logo,omitempty"`       // Watermark: the ID of a photo of the same owner, whose result is drawn
	Opacity  int      `json:"opacity,omitempty"`    // Watermark: 1 to 100 percent; 0 means 85
	Format   string   `json:"format,omitempty"`     // Format: see Formats
	Quality  int      `json:"quality,omitempty"`    // Format: 1 to 100; 0 for the default of the format
}
