package pixels

import (
	_ "embed"
	"strings"
)

//go:embed libwebp/LICENSE
var libwebp string

// Notice returns the licenses of the codecs, which must be distributed with them.
func Notice() string {
	webp := "WebP is encoded by libwebp 1.4.0, as compiled to WebAssembly in github.com/gen2brain/webp v0.5.5.\n\n" + libwebp
	return strings.TrimSpace(webp + "\n" + heicNotice())
}
