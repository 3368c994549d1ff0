package seedream

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"math"
	"strings"

	"github.com/assay-project/assay/pkg/extract/pixels"
	"github.com/assay-project/assay/services/analyzer/photojob/provider"
	"github.com/assay-project/assay/services/analyzer/photojob/provider/remote"
)

// request is a request as documented by the API. The order of the fields is that of the official
// SDK.
type request struct {
	Model          string `json:"model"`
	Prompt         string `json:"prompt"`
	Image          string `json:"image"`
	ResponseFormat string `json:"response_format"`
	Seed           int64  `json:"seed,omitempty"`
	Size           string `json:"size"`
	Watermark      bool   `json:"watermark"` // the API's default is true
	Sequential     string `json:"sequential_image_generation"`
}

func (p *Provider) body(c provider.Call) ([]byte, error) {
	info, err := pixels.Inspect(c.Image, pixels.Default)
	if err != nil {
		return nil, &provider.Error{Class: provider.Permanent, Code: provider.ImageUnreadable, Billed: provider.NotBilled, Err: err}
	}
	return json.Marshal(request{
		Model: p.cfg.Model, Prompt: remote.Prompt(c),
		Image:          "data:" + strings.ToLower(c.MediaType) + ";base64," + base64.StdEncoding.EncodeToString(c.Image),
		ResponseFormat: "b64_json", Seed: c.Options.Seed, Size: sizeOf(info, c.Options.AspectRatio), Sequential: "disabled",
	})
}

// area is the number of pixels to request, as in the size 2K of the API.
const area = 2048 * 2048

// sizeOf returns the size to request. It has the requested ratio, or else that of the photo, within
// the API's range of 1:16 to 16:1.
func sizeOf(info pixels.Info, ratio string) string {
	shape := image.Pt(info.Width, info.Height)
	if ratio != "" {
		var wanted image.Point
		if _, err := fmt.Sscanf(ratio, "%d:%d", &wanted.X, &wanted.Y); err == nil && wanted.X > 0 && wanted.Y > 0 {
			shape = wanted
		}
	}
	r := min(max(float64(shape.X)/float64(shape.Y), 1.0/16), 16)
	width := math.Sqrt(area * r)
	return fmt.Sprintf("%dx%d", int(width), int(width/r))
}
