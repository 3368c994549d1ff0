package pixels

import (
	_ "embed"
	"strings"
)

//go:embed libwebp/NOTICE
var webpNotice string

//go:embed libwebp/LICENSE
var webpLicense string

//go:embed libavif/NOTICE
var avifNotice string

//go:embed libavif/LICENSE
var avifLicense string

//go:embed libjxl/NOTICE
var jxlNotice string

//go:embed libjxl/LICENSE
var jxlLicense string

// Notice returns the license texts of the codecs. They must be distributed with the codecs.
func Notice() string {
	return strings.TrimSpace(strings.Join([]string{
		webpNotice, webpLicense, avifNotice, avifLicense, jxlNotice, jxlLicense, heicNotice(),
	}, "\n"))
}
