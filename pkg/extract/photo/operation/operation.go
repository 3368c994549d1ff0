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

// Strength is the strength of Sharpen, Denoise, Blur and BlurBackground.
type Strength string

// The strengths. The empty value means Medium.
const (
	Light  Strength = "light"
	Medium Strength = "medium"
	Strong Strength = "strong"
)

// Percent returns the strength in percent of Medium.
func (s Strength) Percent() int {
	switch s {
	case Light:
		return 50
	case Strong:
		return 200
	}
	return 100
}

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

// Step is one edit. Fields that its Op does not use are zero. The tags other than json describe the fields in the API;
// Check applies the rules of each Op.
type Step struct {
	Op       Op       `json:"op" enum:"enhance,levels,whiteBalance,brighten,darken,contrast,saturate,warm,cool,sharpen,denoise,blur,grayscale,sepia,crop,resize,enlarge,pad,rotate,straighten,flip,watermark,removeBackground,background,blurBackground,format"`
	Percent  int      `json:"percent,omitempty" minimum:"-100" maximum:"1000" doc:"brighten, darken, contrast, saturate, warm, cool: 1 to 100, default 20; contrast and saturate also -100 to -1, which lowers them; resize: 1 to 100 of each side; enlarge: 101 to 1000; pad: the border in percent of the shorter side; watermark: the height of the text, default 3, or the longer side of the logo, default 20, in percent of the shorter side of the photo"`
	Strength Strength `json:"strength,omitempty" enum:"light,medium,strong" doc:"sharpen, denoise, blur, blurBackground; default: medium"`
	Ratio    Ratio    `json:"aspectRatio,omitzero" pattern:"^([1-9][0-9]?|100):([1-9][0-9]?|100)$" example:"16:9" doc:"crop: the largest area with this ratio; pad: the smallest canvas with it"`
	Width    int      `json:"width,omitempty" minimum:"1" maximum:"20000" doc:"in pixels. crop, pad: of the area or canvas, default: that of the photo; resize, enlarge: of the box that the photo is fitted to, default: no limit"`
	Height   int      `json:"height,omitempty" minimum:"1" maximum:"20000" doc:"as width"`
	X        int      `json:"x,omitempty" minimum:"-20000" maximum:"20000" doc:"crop with a width or height: pixels to the right of the place that gravity selects"`
	Y        int      `json:"y,omitempty" minimum:"-20000" maximum:"20000" doc:"crop with a width or height: pixels below that place"`
	Gravity  Gravity  `json:"gravity,omitempty" enum:"center,north,northeast,east,southeast,south,southwest,west,northwest,faces,subject" doc:"crop: the part to keep, default center; pad: the place of the photo on the canvas, default center; watermark: its place, default southeast; faces and subject apply to crop only"`
	Color    Color    `json:"color,omitempty" pattern:"^(#[0-9A-Fa-f]{6}|[A-Za-z]+)$" example:"#ffffff" doc:"#RRGGBB or a name: background; pad, default white"`
	Degrees  float64  `json:"degrees,omitempty" minimum:"-45" maximum:"270" doc:"clockwise. rotate: 90, 180 or 270; straighten: -45 to 45"`
	Vertical bool     `json:"vertical,omitempty" doc:"flip: top to bottom instead of left to right"`
	Text     string   `json:"text,omitempty" maxLength:"80" doc:"watermark: the text, or use logo"`
	Logo     string   `json:"logo,omitempty" maxLength:"64" doc:"watermark: the ID of a completed photo of the same owner, whose result is drawn"`
	Opacity  int      `json:"opacity,omitempty" minimum:"1" maximum:"100" doc:"watermark: in percent, default 85"`
	Format   string   `json:"format,omitempty" enum:"jpeg,png,webp,gif,avif" doc:"format: the format of the result"`
	Quality  int      `json:"quality,omitempty" minimum:"1" maximum:"100" doc:"format: for lossy formats; default: that of the format"`
}
