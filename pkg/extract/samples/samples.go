// Package samples draws TIFF pictures whose samples are measurements: gray values of 16 bits or more, signed values and
// floating-point numbers, as microscopes and cameras write them. The least value becomes black and the greatest white. The
// format is that of TIFF 6.0 (Adobe, 1992), its Technical Note 3 (floating-point predictor), and BigTIFF.
package samples

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/assay-project/assay/pkg/extract/reason"
)

// ErrOther means that a file is not a TIFF of gray measurements. Another decoder may read it.
var ErrOther = errors.New("not a TIFF of gray measurements")

// ErrDamaged means that a strip, a tile or the directory of a TIFF is damaged.
const ErrDamaged = reason.PictureUnreadable

// The tags of a directory.
const (
	tagWidth           = 256
	tagHeight          = 257
	tagBits            = 258
	tagCompression     = 259
	tagPhotometric     = 262
	tagStripOffsets    = 273
	tagSamples         = 277
	tagRowsPerStrip    = 278
	tagStripCounts     = 279
	tagPlanar          = 284
	tagPredictor       = 317
	tagTileWidth       = 322
	tagTileHeight      = 323
	tagTileOffsets     = 324
	tagTileCounts      = 325
	tagSampleFormat    = 339
	maxEntries         = 10_000
	maxValues          = 1 << 20 // offsets of strips or tiles
	maxBlock           = 1 << 30 // bytes of a strip or tile
	formatUnsigned     = 1
	formatSigned       = 2
	formatFloat        = 3
	formatUndefined    = 4
	photometricWhite   = 0 // zero is white
	photometricBlack   = 1
	planarSeparate     = 2
	predictorNone      = 1
	predictorDifferent = 2
	predictorFloat     = 3
)

// A Plane is the first picture of a file, or its first channel.
type Plane struct {
	Width, Height int

	data                      []byte
	order                     binary.ByteOrder
	bits, format, compression int
	samples                   int // in a pixel of a block
	predictor                 int
	inverted                  bool
	blockWidth, blockHeight   int
	offsets, counts           []int64
}

// Open reads the first directory of a TIFF. It returns ErrOther for a file that is no TIFF and for pictures that other decoders
// draw: colors, palettes, and gray values of 8 bits or less in common compressions. Its other errors wrap
// reason.PictureUnreadable and state a sample format or compression that is not supported, or what is damaged.
func Open(data []byte) (*Plane, error) {
	d, err := readDirectory(data)
	if err != nil {
		return nil, err
	}
	p := &Plane{
		data: data, order: d.order, Width: d.first(tagWidth, 0), Height: d.first(tagHeight, 0),
		bits: d.first(tagBits, 1), format: d.first(tagSampleFormat, formatUnsigned), compression: d.first(tagCompression, compressionNone),
		samples: d.first(tagSamples, 1), predictor: d.first(tagPredictor, predictorNone),
	}
	photometric, separate := d.first(tagPhotometric, photometricBlack), d.first(tagPlanar, 1) == planarSeparate
	if p.format == formatUndefined {
		p.format = formatUnsigned
	}
	if p.compression == compressionNone || p.compression == compressionPackBits { // as in libtiff
		p.predictor = predictorNone
	}
	colors := photometric > photometricBlack && (p.samples == 1 || !separate)
	common := p.bits <= 8 && p.format == formatUnsigned && p.samples == 1 && p.compression != compressionZstd
	switch {
	case !d.big && (colors || common):
		return nil, ErrOther
	case colors || common && p.bits < 8:
		return nil, reason.PictureUnreadable.With(reason.TIFFFeature, "colors in a measurement")
	}
	p.inverted = photometric == photometricWhite
	if separate {
		p.samples = 1
	}
	return p, p.layout(d)
}

// formatNames contains the sample formats; others are complex numbers or unknown.
var formatNames = map[int]string{formatUnsigned: "unsigned", formatSigned: "signed", formatFloat: "floating-point", 5: "complex", 6: "complex"}

// layout reads the strips or tiles.
func (p *Plane) layout(d *directory) error {
	if p.Width <= 0 || p.Height <= 0 || p.samples <= 0 || p.samples > 1<<16 {
		return fmt.Errorf("%w: %d × %d pixels of %d samples", ErrDamaged, p.Width, p.Height, p.samples)
	}
	if !p.readable() {
		return reason.PictureUnreadable.With(reason.TIFFSamples, p.bits, formatNames[p.format], p.compression)
	}
	p.blockWidth, p.blockHeight = p.Width, min(d.first(tagRowsPerStrip, p.Height), p.Height)
	offsets, counts := tagStripOffsets, tagStripCounts
	if d.first(tagTileWidth, 0) > 0 {
		p.blockWidth, p.blockHeight = d.first(tagTileWidth, 0), d.first(tagTileHeight, 0)
		offsets, counts = tagTileOffsets, tagTileCounts
	}
	if p.blockWidth <= 0 || p.blockHeight <= 0 || p.blockWidth > 1<<20 || p.blockHeight > 1<<20 || p.blockBytes() > maxBlock {
		return fmt.Errorf("%w: a strip or tile has %d × %d pixels", ErrDamaged, p.blockWidth, p.blockHeight)
	}
	p.offsets, p.counts = d.values(uint16(offsets)), d.values(uint16(counts))
	if n := p.across() * p.down(); len(p.offsets) < n || len(p.counts) < n {
		return fmt.Errorf("%w: it has %d strips or tiles of %d", ErrDamaged, min(len(p.offsets), len(p.counts)), n)
	}
	return nil
}

func (p *Plane) readable() bool {
	switch p.format {
	case formatUnsigned, formatSigned:
		if p.bits != 8 && p.bits != 16 && p.bits != 32 && p.bits != 64 || p.predictor == predictorFloat {
			return false
		}
	case formatFloat:
		if p.bits != 16 && p.bits != 32 && p.bits != 64 {
			return false
		}
	default:
		return false
	}
	return p.predictor >= predictorNone && p.predictor <= predictorFloat && compressions[p.compression] != nil
}

func (p *Plane) across() int { return (p.Width + p.blockWidth - 1) / p.blockWidth }

func (p *Plane) down() int { return (p.Height + p.blockHeight - 1) / p.blockHeight }

func (p *Plane) blockBytes() int64 {
	return int64(p.blockWidth) * int64(p.blockHeight) * int64(p.samples) * int64(p.bits/8)
}

// Memory returns the maximum number of bytes that Gray allocates.
func (p *Plane) Memory() int64 { return 5*int64(p.Width)*int64(p.Height) + 2*p.blockBytes() + 16<<20 }
