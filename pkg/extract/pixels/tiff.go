package pixels

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"slices"

	"github.com/assay-project/assay/pkg/extract/pixels/icc"
	"github.com/assay-project/assay/pkg/extract/samples"
)

func isTIFF(head []byte) bool {
	return len(head) >= 4 && slices.Contains([]string{"II*\x00", "MM\x00*", "II+\x00", "MM\x00+"}, string(head[:4]))
}

const (
	reducedRange = "the values were scaled: the darkest one is black, the brightest one white"
	linearLight  = "floating-point colors were converted to sRGB as linear light, without those brighter than white"
)

func (i *Info) scanTIFF(data []byte) (image.Config, error) {
	if i.measured {
		plane, err := samples.Open(data)
		if err == nil {
			i.kept = plane.Memory()
			return image.Config{Width: plane.Width, Height: plane.Height}, nil
		}
		if !errors.Is(err, samples.ErrOther) {
			return image.Config{}, err
		}
	}
	c, err := samples.OpenColors(data)
	if err != nil {
		return image.Config{}, err
	}
	i.Orientation, i.kept = c.Orientation, c.Memory()
	if !c.CMYK() {
		i.Profile = validProfile(c.Profile)
	}
	config := image.Config{Width: c.Width, Height: c.Height}
	if c.Measured() {
		i.kept += 5 * pixelCount(config)
	}
	return config, nil
}

func decodeTIFF(ctx context.Context, _ *Decoder, data []byte, i Info) (image.Image, error) {
	if i.measured {
		if plane, err := samples.Open(data); err == nil {
			return plane.Gray(ctx)
		}
	}
	c, err := samples.OpenColors(data)
	if err != nil {
		return nil, err
	}
	var remarks []string
	if c.Pages > 1 {
		remarks = append(remarks, fmt.Sprintf("only the first of %d pages was used", c.Pages))
	}
	if plane, err := samples.Open(data); err == nil && c.Measured() {
		m, err := plane.Gray(ctx)
		return remarked{m, append(remarks, reducedRange)}, err
	}
	if c.Deep() {
		remarks = append(remarks, fmt.Sprintf(reducedBits, c.Bits()))
	}
	var t *icc.Transform // of CMYK
	if c.Linear() {
		remarks = append(remarks, linearLight)
	}
	if c.CMYK() {
		var err error
		if t, err = icc.New(validProfile(c.Profile)); err == nil && t.Channels() == 4 {
			c.Inks = t.CMYK
		} else {
			t, remarks = nil, append(remarks, reducedCMYK)
		}
	}
	c.JPEG = func(ctx context.Context, tile []byte) (image.Image, error) {
		if err := checkScans(tile); err != nil {
			return nil, err
		}
		config, err := jpeg.DecodeConfig(bytes.NewReader(tile))
		if err != nil {
			return nil, err
		}
		if size := c.Block(); config.Width > size.X+15 || config.Height > size.Y+15 {
			return nil, fmt.Errorf("a strip or tile has %d × %d pixels instead of %d × %d", config.Width, config.Height, size.X, size.Y)
		}
		m, err := jpeg.Decode(newInput(ctx, tile))
		if err != nil {
			return nil, err
		}
		if inks, ok := m.(*image.CMYK); ok { // the decoder inverts them, as Adobe stores them outside of TIFF
			for i, v := range inks.Pix {
				inks.Pix[i] = 255 - v
			}
			if t != nil {
				return inksToSRGB(inks, t), nil
			}
		}
		return normal(m).NRGBA(), nil
	}
	m, read, err := c.Draw(ctx)
	if err != nil {
		return nil, err
	}
	return i.accept(m, read, remarks)
}
