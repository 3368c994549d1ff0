package photo_test

// golden maps prompts to the first bytes of the SHA-256 of the result for scene.New(320, 240, 9).
var golden = map[string]string{
	"enhance":               "5729829c321caf46",
	"auto levels":           "3691882a132601c2",
	"white balance":         "eeef70196d06d4f9",
	"brighten 40%":          "517c7a48351d6825",
	"darken":                "97ea9036f4585660",
	"contrast 50%":          "8d69d145646816ec",
	"saturate 60%":          "1777b71426de9dbe",
	"warm":                  "c203d54c82cc54dc",
	"cool":                  "6003e28f3c3090eb",
	"sharpen strong":        "c87af5744d1d9ee4",
	"denoise":               "452478b84ca8ff35",
	"blur strong":           "c2d75ec82a063674",
	"black and white":       "13d53e6cccb9fbcf",
	"sepia":                 "6c103b73ed75ccc8",
	"crop 16:9, fit 100 px": "fbdc33385bb4a635",
	"rotate 90":             "3addba58a4d6c6dc",
	"flip horizontal":       "caf27d54fe0ac9e6",
}
