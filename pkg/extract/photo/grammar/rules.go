package grammar

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/assay-project/assay/pkg/extract/photo/operation"
)

// rule is a form of an instruction. Its pattern matches the symbols of a clause, see clause.symbols.
type rule struct {
	pattern *regexp.Regexp
	step    func(c *clause) (operation.Step, bool)
}

// Parts of patterns.
const (
	shape    = `(?:RATIO|SIZE|SQUARE|LANDSCAPE|PORTRAIT|WIDESCREEN|STORY)`
	focus    = `(?: (?:AT |BY )?(?:FACES|SUBJECT|CENTER|POS|TOP|BOTTOM|LEFT|RIGHT)(?: CORNER)?)?`
	strength = `(?:LITTLE|LIGHT|MEDIUM|MUCH)`
	length   = `(?:PX|N)`
	shrink   = `(?:RESIZE |SHRINK |DOWN )`
	fraction = `(?:HALF|QUARTER)`
	multiple = `(?:X|DOUBLE|TRIPLE)`
	quality  = `(?:QUALITY(?: BY)? (?:N|PCT)|(?:N|PCT) QUALITY)`
)

// rules are tried in order. Verbs such as "make" and "convert" are not in the text that they match.
var rules = sync.OnceValue(func() []rule {
	of := func(pattern string, step func(c *clause) (operation.Step, bool)) rule {
		return rule{regexp.MustCompile(`^(?:` + pattern + `)$`), step}
	}
	always := func(s operation.Step) func(*clause) (operation.Step, bool) {
		return func(*clause) (operation.Step, bool) { return s, true }
	}
	return []rule{
		of(`(?:AUTO )?ENHANCE`, always(operation.Step{Op: operation.Enhance})),
		of(`(?:AUTO |FIX |ENHANCE )*LEVELS`, always(operation.Step{Op: operation.Levels})),
		of(`(?:AUTO |FIX |ENHANCE )*WB`, always(operation.Step{Op: operation.WhiteBalance})),
		of(`(?:COLORS )?BW(?: COLORS)?`, always(operation.Step{Op: operation.Grayscale})),
		of(`(?:COLORS )?SEPIA(?: INSTEAD COLORS)?`, always(operation.Step{Op: operation.Sepia})),
		of(`REMOVE (?:COLOR )?BACKGROUND(?: OUT)?(?: FROM)?|BACKGROUND OUT`, always(operation.Step{Op: operation.RemoveBackground})),
		of(`BACKGROUND TRANSPARENT|TRANSPARENT BACKGROUND`, always(operation.Step{Op: operation.RemoveBackground})),
		of(`(?:REMOVE )?(?:COLOR )?BACKGROUND(?: OUT)?(?: COLORS)? COLOR|COLOR BACKGROUND`, background),
		of(`(?:UP |`+strength+` )?BLUR(?:\.[CP])? BACKGROUND(?: `+strength+`)?|BACKGROUND (?:UP |`+strength+` )?BLUR(?:\.[CP])?(?: `+strength+`)?`, blurBackground),
		of(`CROP `+shape+focus+`|`+shape+` CROP`, crop),
		of(`CROP (?:FACES|SUBJECT) `+shape, crop),
		of(`SQUARE`, square),
		of(`(?:PAD|BORDER|PAD BORDER) (?:COLOR )?(?:SIZE|RATIO|SQUARE|PCT)(?: COLOR)?|PCT (?:COLOR )?(?:PAD|BORDER)`, pad),
		of(`COLOR (?:PAD|BORDER) PCT|RESIZE SQUARE NOCROP`, pad),
		of(shrink+`?(?:MAX )?SIZE(?: MAX)?(?: KEEPRATIO| NOCROP)?`, resize),
		of(shrink+`?(?:MAX )?`+length+` (?:WIDE|HIGH)(?: MAX)?(?: KEEPRATIO)?`, resize),
		of(shrink+`?(?:MAX )?(?:WIDE|HIGH) (?:BY )?(?:MAX )?`+length, resize),
		of(shrink+`(?:MAX )?`+length+`(?: MAX)?(?: KEEPRATIO)?`, resize),
		of(shrink+`?LONGEST (?:MAX )?`+length+`|`+shrink+`?(?:MAX )?`+length+` (?:AT )?(?:MAX )?LONGEST`, resize),
		of(shrink+`(?:BY )?PCT(?: KEEPRATIO)?`, percent),
		of(`(?:RESIZE |SHRINK )?(?:BY )?`+fraction, percent),
		of(shrink+`(?:HD|FULLHD|UHD)`, resize),
		of(`ENLARGE (?:BY )?(?:`+multiple+`|PCT)|RESIZE (?:BY )?`+multiple+`|(?:ENLARGE )?(?:DOUBLE|TRIPLE)`, enlarge),
		of(`ENLARGE (?:SIZE|`+length+`(?: WIDE| HIGH)?|HD|FULLHD|UHD)`, enlarge),
		of(`STRAIGHTEN (?:BY )?(?:N|DEG)(?: CW| CCW| LEFT| RIGHT)?|STRAIGHTEN (?:CW|CCW|LEFT|RIGHT) (?:BY )?(?:N|DEG)`, straighten),
		of(`(?:ROTATE |TURN )?UPSIDEDOWN|(?:ROTATE|TURN) HALFTURN|HALFTURN`, always(operation.Step{Op: operation.Rotate, Degrees: 180})),
		of(`(?:ROTATE|TURN)(?: (?:BY|N|DEG|CW|CCW|LEFT|RIGHT))+|(?:N|DEG) (?:CW|CCW|LEFT|RIGHT) ROTATE`, rotate),
		of(`(?:FLIP|MIRROR) (?:HORIZONTAL|VERTICAL)|(?:HORIZONTAL|VERTICAL) (?:FLIP|MIRROR)|MIRROR`, flip),
		of(`(?:WATERMARK|QUOTED|LOGO|ID|AT|POS|TOP|BOTTOM|LEFT|RIGHT|CENTER|CORNER|OPACITY|PCT| )+`, watermark),
		of(`(?:FROM )?(?:(?:SOURCE |FORMAT )?FORMATW )?(?:SOURCE |FORMAT )?FORMAT(?: FORMATW)?(?: (?:AT )?`+quality+`)?|`+quality+`(?: FORMAT)?`, format),
	}
})

// symbols returns the text that rules match. Verbs of German sentences are moved to the front.
func (c *clause) symbols() string {
	moved := *c
	if n := len(c.tokens); n > 1 && slices.Contains(verbs, c.tokens[n-1].symbol) && !isNoun(c.tokens[n-1].symbol) {
		moved.tokens = append([]token{c.tokens[n-1]}, c.tokens[:n-1]...)
	}
	return moved.text("MAKE", "CHANGE", "ADD", "TO", "AS", "TOO", "UPW")
}

// byRule returns the step of the first rule whose pattern matches the clause.
func (c *clause) byRule() (operation.Step, bool) {
	for _, text := range []string{c.symbols(), c.text("MAKE", "CHANGE", "ADD", "TO", "AS", "TOO", "UPW", "TURN")} {
		for _, r := range rules() {
			if r.pattern.MatchString(text) {
				if step, ok := r.step(c); ok {
					return step, true
				}
			}
		}
	}
	return operation.Step{}, false
}

// background accepts a background of one color, also "the black background to white".
func background(c *clause) (operation.Step, bool) {
	colors := 0
	for _, t := range c.tokens {
		if t.symbol == "COLOR" {
			colors++
		}
	}
	if strings.Contains(c.text(), "ADD COLOR TO BACKGROUND") || c.has("REMOVE") && !c.has("MAKE", "CHANGE", "ADD") || colors == 2 && !c.has("MAKE", "CHANGE", "TURN") {
		return operation.Step{}, false
	}
	color, err := operation.ParseColor(c.last("COLOR").text)
	return operation.Step{Op: operation.Background, Color: color}, err == nil
}

func blurBackground(c *clause) (operation.Step, bool) {
	d, _, ok := c.degree()
	if c.has("LIGHT") {
		d = little
	}
	return operation.Step{Op: operation.BlurBackground, Strength: d.strength()}, ok
}

// rotate accepts 90, 180 and 270 degrees in both directions. Without degrees, a direction means 90.
func rotate(c *clause) (operation.Step, bool) {
	degrees, turns, numbers := 90.0, 0.0, 0
	for _, t := range c.tokens {
		switch t.symbol {
		case "N", "DEG":
			degrees = t.value
			numbers++
		case "CW", "RIGHT":
			turns += 1
		case "CCW", "LEFT":
			turns -= 1
		}
	}
	if math.Abs(turns) > 1 || numbers > 1 || turns == 0 && numbers == 0 || turns != 0 && degrees < 0 {
		return operation.Step{}, false
	}
	if turns < 0 {
		degrees = -degrees
	}
	degrees = math.Mod(degrees+360, 360)
	return operation.Step{Op: operation.Rotate, Degrees: degrees}, degrees == 90 || degrees == 180 || degrees == 270
}

func straighten(c *clause) (operation.Step, bool) {
	degrees := c.first("N", "DEG").value
	if c.has("CCW", "LEFT") {
		degrees = -degrees
	}
	return operation.Step{Op: operation.Straighten, Degrees: degrees}, degrees != 0 && math.Abs(degrees) <= 45
}

func flip(c *clause) (operation.Step, bool) {
	return operation.Step{Op: operation.Flip, Vertical: c.has("VERTICAL")}, true
}

// format accepts the format to convert to, which is the last one that is named.
func format(c *clause) (operation.Step, bool) {
	step := operation.Step{Op: operation.Format, Format: c.last("FORMAT").text}
	formats := 0
	for _, t := range c.tokens {
		if t.symbol == "FORMAT" {
			formats++
		}
	}
	if formats > 1 && !c.has("TO", "AS", "MAKE", "CHANGE", "TURN") {
		return operation.Step{}, false
	}
	if c.has("QUALITY") {
		q := c.first("N", "PCT").value
		step.Quality = int(q)
		return step, q >= 1 && q <= 100 && q == math.Trunc(q)
	}
	return step, true
}
