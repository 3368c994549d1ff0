package photo

// colorNames lists the eleven basic color terms of English (Berlin and Kay, 1969), and beige and
// turquoise, which are common in photos.
var colorNames = []string{
	"black", "white", "gray", "red", "orange", "yellow", "green", "turquoise", "blue", "purple", "pink", "brown", "beige",
}

// colorName names a color by its hue, saturation and lightness (HSL), with thresholds chosen by eye.
// It uses integer arithmetic, so the result is the same on every processor.
func colorName(r, g, b byte) string {
	most, least := int(max(r, g, b)), int(min(r, g, b))
	chroma, light := most-least, most+least // 0 to 255, and twice the lightness, 0 to 510
	switch {
	case most < 40:
		return "black"
	case chroma < 14 || chroma*100 < 12*min(light, 510-light):
		switch {
		case light > 440:
			return "white"
		case light < 100:
			return "black"
		}
		return "gray"
	}
	return hueName(hue(int(r), int(g), int(b), most, chroma), chroma, light)
}

// hue returns the hue in degrees, 0 to 359.
func hue(r, g, b, most, chroma int) int {
	switch most {
	case r:
		return (360 + 60*(g-b)/chroma) % 360
	case g:
		return 120 + 60*(b-r)/chroma
	}
	return 240 + 60*(r-g)/chroma
}

func hueName(hue, chroma, light int) string {
	warm := hue < 70 || hue >= 345
	switch {
	case warm && light > 330 && chroma < 90 && hue >= 20 && hue < 70:
		return "beige"
	case hue >= 10 && hue < 50 && (light < 230 || chroma < 90):
		return "brown"
	case (hue >= 330 || hue < 10) && light > 330:
		return "pink"
	case hue < 14 || hue >= 345:
		return "red"
	case hue < 42:
		return "orange"
	case hue < 68:
		return "yellow"
	case hue < 160:
		return "green"
	case hue < 190:
		return "turquoise"
	case hue < 255:
		return "blue"
	case hue < 300:
		return "purple"
	case light > 280 || hue >= 315:
		return "pink"
	}
	return "purple"
}
