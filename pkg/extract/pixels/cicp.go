package pixels

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/assay-project/assay/pkg/extract/pixels/icc"
)

// setCodePoints sets the color space that is stated by code points (ITU-T H.273, tables 2 and 3). It does nothing for
// sRGB and for unspecified or unknown code points.
func (i *Info) setCodePoints(primaries, transfer int) {
	switch transfer {
	case 16:
		i.remarks = append(i.remarks, fmt.Sprintf(highRange, "PQ"))
		return
	case 18:
		i.remarks = append(i.remarks, fmt.Sprintf(highRange, "HLG"))
		return
	}
	p, known := codedPrimaries(primaries)
	curve := codedCurve(transfer)
	if known && curve != nil {
		i.setSpace(p, curve)
	}
}

// setSpace sets the color space of the samples, which will be converted unless it is sRGB.
func (i *Info) setSpace(p icc.Primaries, curve icc.Curve) {
	if t := icc.FromPrimaries(p, curve); t != nil && !t.Identity() {
		i.space = t
		i.remarks = append(i.remarks, convertedSpace)
	}
}

func codedPrimaries(code int) (p icc.Primaries, ok bool) {
	p = icc.SRGB()
	switch code {
	case 1, 2: // BT.709, unspecified
	case 4: // BT.470 M
		p = icc.Primaries{Red: [2]float64{0.67, 0.33}, Green: [2]float64{0.21, 0.71}, Blue: [2]float64{0.14, 0.08}, White: [2]float64{0.310, 0.316}}
	case 5: // BT.601, 625 lines
		p.Red, p.Green, p.Blue = [2]float64{0.64, 0.33}, [2]float64{0.29, 0.60}, [2]float64{0.15, 0.06}
	case 6, 7: // BT.601, 525 lines
		p.Red, p.Green, p.Blue = [2]float64{0.630, 0.340}, [2]float64{0.310, 0.595}, [2]float64{0.155, 0.070}
	case 9: // BT.2020
		p.Red, p.Green, p.Blue = [2]float64{0.708, 0.292}, [2]float64{0.170, 0.797}, [2]float64{0.131, 0.046}
	case 11, 12: // DCI-P3, Display P3
		p.Red, p.Green, p.Blue = [2]float64{0.680, 0.320}, [2]float64{0.265, 0.690}, [2]float64{0.150, 0.060}
		if code == 11 {
			p.White = [2]float64{0.314, 0.351}
		}
	default:
		return p, false
	}
	return p, true
}

func codedCurve(code int) icc.Curve {
	switch code {
	case 1, 2, 6, 13, 14, 15: // displays show the curve of BT.709 as that of sRGB
		return icc.SRGBCurve
	case 4:
		return icc.Gamma(2.2)
	case 5:
		return icc.Gamma(2.8)
	case 8:
		return icc.Gamma(1)
	}
	return nil
}

// pngColor collects the chunks of a PNG that state a color space.
type pngColor struct {
	points, profile, gamma, primaries []byte
	srgb                              bool
}

func (c *pngColor) chunk(name string, body []byte) {
	switch name {
	case "cICP":
		c.points = body
	case "iCCP":
		c.profile = body
	case "gAMA":
		c.gamma = body
	case "cHRM":
		c.primaries = body
	case "sRGB":
		c.srgb = true
	}
}

// setPNGColor applies the chunk of the highest precedence (PNG, third edition, 4.3).
func (i *Info) setPNGColor(c pngColor) {
	switch {
	case len(c.points) == 4 && c.points[2] == 0:
		i.setCodePoints(int(c.points[0]), int(c.points[1]))
		if c.points[3] == 0 {
			i.remarks = append(i.remarks, narrowRange)
		}
		return
	case c.profile != nil:
		i.setProfile(pngProfileIn(c.profile))
		if i.Profile != nil {
			return
		}
	}
	if c.srgb {
		return
	}
	p, near := icc.SRGB(), true
	if len(c.primaries) == 32 {
		p, near = chunkPrimaries(c.primaries)
	}
	curve := icc.Curve(icc.SRGBCurve)
	if len(c.gamma) == 4 {
		gamma := float64(binary.BigEndian.Uint32(c.gamma)) / 100000
		if similar := gamma > 0.45 && gamma < 0.46; gamma > 0 && !(similar && near) {
			curve = icc.Gamma(1 / gamma)
		}
	}
	i.setSpace(p, curve)
}

// chunkPrimaries returns the primaries in a cHRM chunk, and whether they are those of sRGB.
func chunkPrimaries(b []byte) (p icc.Primaries, srgb bool) {
	p, srgb = icc.SRGB(), true
	for n, to := range []*[2]float64{&p.White, &p.Red, &p.Green, &p.Blue} {
		for axis := range to {
			value := float64(binary.BigEndian.Uint32(b[8*n+4*axis:])) / 100000
			srgb = srgb && math.Abs(value-to[axis]) < 0.005
			to[axis] = value
		}
	}
	return p, srgb
}
