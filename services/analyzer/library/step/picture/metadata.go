package picture

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/bep/imagemeta"

	"github.com/assay-project/assay/pkg/extract/pixels"
	"github.com/assay-project/assay/pkg/extract/stamp"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/services/analyzer/library/step"
	"github.com/assay-project/assay/services/analyzer/library/step/generic"
)

const (
	// maxTagged is the number of bytes of a picture that are searched for tags.
	maxTagged = 32 << 20
	// maxValue is the maximum length of the text of a tag, in bytes.
	maxValue = 1000
	// tagTime is the maximum time for reading tags.
	tagTime = 10 * time.Second
	// tagMemory is the maximum memory for reading tags: the library limits their number and size.
	tagMemory = 64 << 20
)

// Metadata returns the step that sets the metadata of generic.Metadata, and the width, height, tags (exif, iptc,
// xmp) and location (library.MetadataPlace) of a picture. unreadableTags is the number of tags that could not be
// read.
func Metadata() step.Step {
	s := generic.Metadata()
	s.Run = func(ctx context.Context, f *step.File) (step.Result, error) {
		found, err := readTags(ctx, f)
		if err != nil {
			return step.Result{}, err
		}
		if found["contentType"] == "image/tiff" {
			if err := microscope(ctx, f, found); err != nil {
				return step.Result{}, err
			}
		}
		return step.Result{Engine: stamp.Of("github.com/bep/imagemeta"), Metadata: found}, nil
	}
	return s
}

// readTags returns the metadata of a picture that its first bytes contain.
func readTags(ctx context.Context, f *step.File) (map[string]any, error) {
	kept := min(f.Size, maxTagged)
	release, err := f.Reserve(ctx, kept+tagMemory)
	if err != nil {
		return nil, err
	}
	defer release()
	var head headBuffer
	head.Grow(int(kept))
	found, err := generic.Read(ctx, f, &head)
	if err != nil {
		return nil, err
	}
	if info, err := pixels.Inspect(head.Bytes(), pixels.Limits{}); err == nil {
		found["width"], found["height"] = info.Width, info.Height
		if info.Orientation > 4 { // the orientation rotates by 90 degrees
			found["width"], found["height"] = info.Height, info.Width
		}
	}
	tags(head.Bytes(), found)
	return found, nil
}

// headBuffer retains the first bytes written to it.
type headBuffer struct{ bytes.Buffer }

func (h *headBuffer) Write(b []byte) (int, error) {
	h.Buffer.Write(b[:min(len(b), maxTagged-h.Len())])
	return len(b), nil
}

// formats maps media types to the containers that can contain tags.
var formats = map[string]imagemeta.ImageFormat{
	"image/jpeg": imagemeta.JPEG, "image/png": imagemeta.PNG, "image/vnd.mozilla.apng": imagemeta.PNG, "image/webp": imagemeta.WebP,
	"image/tiff": imagemeta.TIFF, "image/heic": imagemeta.HEIF, "image/heif": imagemeta.HEIF, "image/avif": imagemeta.AVIF,
}

// tags adds the tags of a picture to the metadata, and counts those that cannot be read.
func tags(data []byte, found map[string]any) {
	format, known := formats[fmt.Sprint(found["contentType"])]
	if !known {
		return
	}
	unreadable := 0
	place := map[string]any{}
	groups := map[string]map[string]any{"exif": {}, "iptc": {}, "xmp": {}}
	defer func() {
		if recover() != nil { // a bug in the reader, triggered by damaged input
			unreadable++
		}
		if len(place) > 0 {
			found[library.MetadataPlace] = place
		}
		for name, group := range groups {
			if len(group) > 0 {
				found[name] = group
			}
		}
		if unreadable > 0 {
			found["unreadableTags"] = unreadable
		}
	}()
	_, err := imagemeta.Decode(imagemeta.Options{
		R: bytes.NewReader(data), ImageFormat: format, Sources: imagemeta.EXIF | imagemeta.IPTC | imagemeta.XMP, Timeout: tagTime,
		ShouldHandleTag: func(imagemeta.TagInfo) bool { return true },
		Warnf:           func(string, ...any) { unreadable++ },
		HandleTag: func(tag imagemeta.TagInfo) error {
			value, ok := plain(tag.Value)
			group, known := groups[strings.ToLower(tag.Source.String())]
			switch {
			case !known || tag.Tag == "" || strings.HasPrefix(tag.Tag, imagemeta.UnknownPrefix) || strings.Contains(tag.Tag, "Thumbnail"):
			case !ok:
				unreadable++
			case isPlace(tag.Tag):
				place[tag.Tag] = value
			default:
				group[tag.Tag] = value
			}
			return nil
		},
	})
	if err != nil {
		unreadable++
	}
}

// isPlace reports whether a tag contains the location of a photo.
func isPlace(tag string) bool {
	for _, word := range []string{"GPS", "City", "Country", "Location", "Province", "State", "Sublocation"} {
		if strings.HasPrefix(tag, word) || strings.HasSuffix(tag, "-"+strings.ToLower(word)) {
			return true
		}
	}
	return strings.HasPrefix(tag, "Sub-location")
}

// plain converts the value of a tag to a JSON type. It omits binary values.
func plain(value any) (any, bool) {
	switch v := value.(type) {
	case string:
		v = strings.TrimRight(v, "\x00 ")
		if !utf8.ValidString(v) {
			return nil, false
		}
		for len(v) > maxValue || !utf8.ValidString(v) {
			v = v[:min(len(v)-1, maxValue)]
		}
		return v, true
	case []byte, nil:
		return nil, false
	case bool, int, int8, int16, int32, int64, uint8, uint16, uint32, uint64:
		return v, true
	case float32:
		return plain(float64(v))
	case float64:
		return v, !math.IsNaN(v) && !math.IsInf(v, 0)
	case time.Time:
		return v.Format(time.RFC3339), true
	case interface{ Float64() float64 }:
		return plain(v.Float64())
	}
	return plain(fmt.Sprint(value))
}
