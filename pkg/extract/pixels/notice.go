package pixels

import (
	_ "embed"
	"strings"
)

//go:embed libwebp/LICENSE
var libwebp string

//go:embed libavif/LICENSE
var libavif string

//go:embed libjxl/LICENSE
var libjxl string

// Notice returns the license texts of the codecs. They must be distributed with the codecs.
func Notice() string {
	webp := "WebP is read and written by libwebp 1.4.0, as compiled to WebAssembly in github.com/gen2brain/webp v0.5.5.\n\n" + libwebp
	avif := "AVIF is read and written by libavif 1.1.1, libaom 3.10.0 and libyuv, as compiled to WebAssembly in\n" +
		"github.com/gen2brain/avif v0.4.4.\n\n" + libavif
	jxl := "JPEG XL is read by libjxl, as compiled to WebAssembly in github.com/gen2brain/jpegxl v0.4.5.\n\n" + libjxl
	return strings.TrimSpace(webp + "\n" + avif + "\n" + jxl + "\n" + heicNotice())
}
