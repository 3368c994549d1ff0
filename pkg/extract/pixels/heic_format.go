package pixels

import (
	"context"
	"image"
)

// isHEIC reports whether the first 32 bytes of a file contain an ftyp box with a brand of still
// HEVC pictures (ISO/IEC 23008-12, annex B).
func isHEIC(head []byte) bool { return hasBrand(head, "heic", "heix", "heim", "heis") }

func decodeHEIC(ctx context.Context, d *Decoder, data []byte, i Info) (image.Image, error) {
	return d.codecs.heif.decode(ctx, withPrimary(data, i.master), i)
}

// scanHEIC reads the properties of the primary picture. The decoder applies the geometry of the container.
func (i *Info) scanHEIC(data []byte) (image.Config, error) {
	found, err := scanItems(data)
	if err != nil {
		return image.Config{}, err
	}
	i.setItems(found)
	i.decoding = heicMemory(pixelCount(found.config), found.depth, found.alpha)
	return found.config, nil
}
