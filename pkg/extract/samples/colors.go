package samples

import (
	"context"
	"fmt"
	"image"
	"math"

	"github.com/assay-project/assay/pkg/extract/reason"
)

// Further tags and values of a directory.
const (
	tagFillOrder    = 266
	tagOrientation  = 274
	tagT4Options    = 292
	tagColorMap     = 320
	tagExtraSamples = 338
	tagJPEGTables   = 347
	tagCoefficients = 529
	tagSubsampling  = 530
	tagProfile      = 34675

	photometricRGB     = 2
	photometricPalette = 3
	photometricMask    = 4
	photometricCMYK    = 5
	photometricYCbCr   = 6
	photometricLab     = 8
	photometricICCLab  = 9

	extraAssociated = 1

	typeRational = 5

	compressionHuffman = 2
	compressionG3      = 3
	compressionG4      = 4
	compressionJPEG    = 7
)

// Colors is the first picture of a file, for display.
type Colors struct {
	Width, Height int
	Orientation   int    // as in EXIF; 1 when absent or invalid
	Pages         int    // pictures in the file
	Profile       []byte // the ICC profile, nil when absent
	// JPEG decodes a strip or tile that is a JPEG. Without it, JPEG compression is not supported.
	JPEG func(ctx context.Context, data []byte) (image.Image, error)
	// Inks converts CMYK to RGB. Without it, CMYK is converted without a profile.
	Inks func(c, m, y, k byte) (r, g, b byte)

	plane         Plane // the layout; of separate planes, that of each
	directory     *directory
	photometric   int
	channels      int // of a pixel
	separate      bool
	alpha         int // index of the channel, or −1
	premultiplied bool
	reversed      bool // the bits of a byte are stored in reverse order
	palette       [][3]byte
	tables        []byte // of JPEG
	horizontal    int    // pixels that share a chroma sample, side by side
	vertical      int
	weights       [3]float64 // of R, G and B in luma; 0 for those of JPEG
}

// unsupported names the feature for which a file is refused.
func unsupported(format string, args ...any) error {
	return reason.PictureUnreadable.With(reason.TIFFFeature, fmt.Sprintf(format, args...))
}

// compressionNames contains the compressions that are not supported, for messages.
var compressionNames = map[int]string{
	6: "the JPEG compression of TIFF 6.0", 32766: "NeXT compression", 32809: "ThunderScan compression", 33003: "JPEG 2000 compression",
	33005: "JPEG 2000 compression", 34676: "LogLuv compression", 34677: "LogLuv compression", 34712: "JPEG 2000 compression",
	34887: "LERC compression", 34925: "LZMA compression", 50001: "WebP compression", 50002: "JPEG XL compression",
}

// OpenColors reads the first directory of a TIFF. Its errors wrap reason.PictureUnreadable and name the feature that is not
// supported, or what is damaged. It returns ErrOther for a file that is no TIFF.
func OpenColors(data []byte) (*Colors, error) {
	d, err := readDirectory(data)
	if err != nil {
		return nil, err
	}
	c := &Colors{
		Width: d.first(tagWidth, 0), Height: d.first(tagHeight, 0), Orientation: d.first(tagOrientation, 1), Pages: d.pages(),
		Profile: d.bytes(tagProfile), directory: d, alpha: -1,
		photometric: d.first(tagPhotometric, photometricBlack), channels: d.first(tagSamples, 1),
		separate: d.first(tagPlanar, 1) == planarSeparate, reversed: d.first(tagFillOrder, 1) == 2, tables: d.bytes(tagJPEGTables),
		horizontal: 1, vertical: 1,
	}
	if c.Orientation < 1 || c.Orientation > 8 {
		c.Orientation = 1
	}
	c.plane = Plane{
		data: data, order: d.order, Width: c.Width, Height: c.Height,
		bits: d.first(tagBits, 1), format: d.first(tagSampleFormat, formatUnsigned), compression: d.first(tagCompression, compressionNone),
		samples: c.channels, predictor: d.first(tagPredictor, predictorNone),
	}
	if c.plane.format == formatUndefined {
		c.plane.format = formatUnsigned
	}
	if d.values(tagPhotometric) == nil && isFax(c.plane.compression) { // as in libtiff
		c.photometric = photometricWhite
	}
	if c.separate && c.channels > 1 {
		c.plane.samples = 1
	} else {
		c.separate = false
	}
	switch c.plane.compression {
	case compressionLZW, compressionDeflate, compressionOld, compressionZstd:
	default: // as in libtiff
		c.plane.predictor = predictorNone
	}
	if err := c.supported(); err != nil {
		return nil, err
	}
	return c, c.layout()
}

func isFax(compression int) bool {
	return compression == compressionHuffman || compression == compressionG3 || compression == compressionG4
}

// needed is the number of channels of the color of a photometric interpretation.
var needed = map[int]int{
	photometricWhite: 1, photometricBlack: 1, photometricRGB: 3, photometricPalette: 1, photometricMask: 1, photometricCMYK: 4,
	photometricYCbCr: 3, photometricLab: 3, photometricICCLab: 3,
}

// supported checks the color and the samples, and finds the alpha channel.
func (c *Colors) supported() error {
	p := &c.plane
	n := needed[c.photometric]
	if name := compressionNames[p.compression]; name != "" {
		return unsupported("%s", name)
	}
	switch p.compression {
	case compressionJPEG, compressionHuffman, compressionG3, compressionG4:
		if isFax(p.compression) && (p.bits != 1 || c.channels != 1) {
			return unsupported("fax compression of more than 1 bit")
		}
	default:
		if compressions[p.compression] == nil {
			return unsupported("compression %d", p.compression)
		}
	}
	switch {
	case n == 0:
		return unsupported("the color model %d", c.photometric)
	case c.channels < n && c.photometric == photometricLab && c.channels == 1:
		c.photometric = photometricBlack
	case c.channels < n || c.channels > 1000:
		return fmt.Errorf("%w: a pixel has %d samples, and %d are needed", ErrDamaged, c.channels, n)
	case p.predictor < predictorNone || p.predictor > predictorFloat:
		return unsupported("predictor %d", p.predictor)
	case p.predictor == predictorDifferent && p.bits%8 != 0:
		return unsupported("a predictor of %d bits", p.bits)
	}
	switch {
	case p.format == formatUnsigned && (p.bits <= 16 || p.bits == 32 || p.bits == 64):
	case p.format == formatSigned && (p.bits == 8 || p.bits == 16 || p.bits == 32 || p.bits == 64):
	case p.format == formatFloat && (p.bits == 16 || p.bits == 32 || p.bits == 64) && c.photometric != photometricPalette:
	default:
		return unsupported("%s samples of %d bits", formatNames[p.format], p.bits)
	}
	if p.bits < 1 || p.bits > 64 || p.compression == compressionJPEG && p.bits != 8 {
		return unsupported("samples of %d bits", p.bits)
	}
	for _, bits := range c.directory.values(tagBits) {
		if int(bits) != p.bits {
			return unsupported("samples of different sizes")
		}
	}
	if c.channels > n {
		kind := c.directory.first(tagExtraSamples, -1)
		c.premultiplied = kind == extraAssociated
		if kind > 0 || c.channels == n+1 {
			c.alpha = n
		}
	}
	if c.photometric == photometricPalette {
		return c.readPalette()
	}
	if c.photometric == photometricYCbCr && p.compression != compressionJPEG {
		c.horizontal, c.vertical = 2, 2
		if v := c.directory.values(tagSubsampling); len(v) >= 2 {
			c.horizontal, c.vertical = int(v[0]), int(v[1])
		}
		c.readWeights()
		if h, v := c.horizontal, c.vertical; h != 1 && h != 2 && h != 4 || v != 1 && v != 2 && v != 4 || p.bits != 8 || c.separate && h*v > 1 {
			return unsupported("Y'CbCr of this layout")
		}
	}
	return nil
}

// readWeights reads the coefficients of Y'CbCr, which are those of JPEG by default.
func (c *Colors) readWeights() {
	v := c.directory.values(tagCoefficients)
	if len(v) != 6 || v[1] == 0 || v[3] <= 0 || v[2] <= 0 || v[5] == 0 {
		return
	}
	weights := [3]float64{float64(v[0]) / float64(v[1]), float64(v[2]) / float64(v[3]), float64(v[4]) / float64(v[5])}
	if math.Abs(weights[0]-0.299) > 0.001 || math.Abs(weights[2]-0.114) > 0.001 {
		c.weights = weights
	}
}

func (c *Colors) readPalette() error {
	n := 1 << min(c.plane.bits, 16)
	all := c.directory.values(tagColorMap)
	if c.plane.bits > 16 || len(all) < 3*n {
		return fmt.Errorf("%w: the palette has %d numbers of %d", ErrDamaged, len(all), 3*n)
	}
	shift := 0 // written by programs that store 8 bits
	for _, v := range all {
		if v > 255 {
			shift = 8
		}
	}
	c.palette = make([][3]byte, n)
	for i := range c.palette {
		c.palette[i] = [3]byte{byte(all[i] >> shift), byte(all[n+i] >> shift), byte(all[2*n+i] >> shift)}
	}
	return nil
}

// layout reads the strips or tiles.
func (c *Colors) layout() error {
	p, d := &c.plane, c.directory
	if p.Width <= 0 || p.Height <= 0 {
		return fmt.Errorf("%w: %d × %d pixels", ErrDamaged, p.Width, p.Height)
	}
	p.blockWidth, p.blockHeight = p.Width, min(d.first(tagRowsPerStrip, p.Height), p.Height)
	offsets, counts := tagStripOffsets, tagStripCounts
	if d.first(tagTileWidth, 0) > 0 {
		p.blockWidth, p.blockHeight = d.first(tagTileWidth, 0), d.first(tagTileHeight, 0)
		offsets, counts = tagTileOffsets, tagTileCounts
	}
	if p.blockWidth <= 0 || p.blockHeight <= 0 || p.blockWidth > 1<<20 || p.blockHeight > 1<<20 || c.blockBytes() > maxBlock {
		return fmt.Errorf("%w: a strip or tile has %d × %d pixels", ErrDamaged, p.blockWidth, p.blockHeight)
	}
	if p.offsets, p.counts = d.values(uint16(offsets)), d.values(uint16(counts)); p.offsets == nil { // some programs store tiles as strips
		p.offsets, p.counts = d.values(tagStripOffsets), d.values(tagStripCounts)
	}
	n := p.across() * p.down()
	if c.separate {
		n *= c.channels
	}
	if len(p.offsets) == 1 && n == 1 && (len(p.counts) == 0 || p.counts[0] == 0) { // the rest of the file
		p.counts = []int64{max(0, int64(len(p.data))-p.offsets[0])}
	}
	if len(p.offsets) < n || len(p.counts) < n {
		return fmt.Errorf("%w: it has %d strips or tiles of %d", ErrDamaged, min(len(p.offsets), len(p.counts)), n)
	}
	return nil
}

// rowBytes returns the bytes of a row of a strip or tile; of subsampled Y'CbCr, of a row of units.
func (c *Colors) rowBytes() int {
	if c.horizontal*c.vertical > 1 {
		return (c.plane.blockWidth + c.horizontal - 1) / c.horizontal * (c.horizontal*c.vertical + 2)
	}
	return (c.plane.blockWidth*c.plane.samples*c.plane.bits + 7) / 8
}

func (c *Colors) blockBytes() int64 {
	return int64(c.rowBytes()) * int64((c.plane.blockHeight+c.vertical-1)/c.vertical)
}

// Memory returns the maximum number of bytes that Draw allocates besides the picture.
func (c *Colors) Memory() int64 {
	planes := int64(1)
	if c.separate {
		planes = int64(c.channels)
	}
	most := (planes+2)*c.blockBytes() + 4<<20
	if c.plane.compression == compressionJPEG {
		most += 12 * int64(c.plane.blockWidth) * int64(c.plane.blockHeight)
	}
	return most
}

// Bits returns the number of bits of a channel.
func (c *Colors) Bits() int { return c.plane.bits }

// Deep reports whether channels have more than 8 bits, apart from indexes of a palette.
func (c *Colors) Deep() bool { return c.plane.bits > 8 && c.photometric != photometricPalette }

// Block returns the size of a strip or tile, in pixels.
func (c *Colors) Block() image.Point { return image.Pt(c.plane.blockWidth, c.plane.blockHeight) }

// CMYK reports whether the picture has the colors of a print.
func (c *Colors) CMYK() bool { return c.photometric == photometricCMYK }

// Measured reports whether the samples are gray values without a range: signed, or floating-point numbers.
func (c *Colors) Measured() bool {
	return c.plane.format != formatUnsigned && c.photometric <= photometricBlack
}
