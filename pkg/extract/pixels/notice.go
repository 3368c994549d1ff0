package pixels

import (
	_ "embed"
	"strings"
)

//go:embed libwebp/LICENSE
var libwebp string

// Notice returns the license texts of the codecs. They must be distributed with the codecs.
func Notice() string {
	webp := "WebP is read and written by libwebp 1.4.0, as compiled to WebAssembly in github.com/gen2brain/webp v0.5.5.\n\n" + libwebp
	return strings.TrimSpace(webp + "\n" + heicNotice())
}
