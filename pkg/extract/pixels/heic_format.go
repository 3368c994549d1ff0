package pixels

import (
	"context"
	"image"
)

// isHEIC reports whether the first 32 bytes of a file contain an ftyp box with a brand of still
// HEVC pictures (ISO/IEC 23008-12, annex B).
func isHEIC(head []byte) bool { return hasBrand(head, "heic", "heix", "heim", "heis") }

func decodeHEIC(ctx context.Context, d *Decoder, data []byte, i Info) (image.Image, error) {
	data = withPrimary(data, i.master)
	if !i.clap.Empty() { // libheif refuses a picture that is larger than its part
		data = withoutCrop(data, i.Width, i.Height)
	}
	return d.codecs.heif.decode(ctx, data, i)
}

// scanHEIC reads the properties of the primary picture. The decoder applies the orientation of the container.
func (i *Info) scanHEIC(data []byte) (image.Config, error) {
	found, err := scanItems(data)
	if err != nil {
		return image.Config{}, err
	}
	i.setItems(found)
	orientation, clap := found.geometry()
	i.clap = turnedArea(clap, image.Pt(found.config.Width, found.config.Height), orientation)
	i.decoding = heicMemory(pixelCount(found.config), found.depth, found.alpha)
	return found.config, nil
}
