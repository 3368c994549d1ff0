package pixels

import (
	"bytes"
	"image"
	gifwriter "image/gif"
	"time"
)

// encodeGIF returns the animation as a GIF. Each frame has its own palette of at most 256 colors. Pixels that are at
// least half transparent become transparent, others opaque. If no pixel is transparent, a frame is stored as the area
// that differs from the one before.
func (a *Animation) encodeGIF() ([]byte, error) {
	out := gifwriter.GIF{LoopCount: a.Plays - 1} // the format states the repetitions
	switch a.Plays {
	case 0:
		out.LoopCount = 0 // forever
	case 1:
		out.LoopCount = -1 // once
	}
	opaque := true
	for _, p := range a.Frames {
		opaque = opaque && !p.alpha
	}
	for i, p := range a.Frames {
		m, disposal := p.NRGBA(), byte(gifwriter.DisposalNone)
		area := m.Rect
		switch {
		case !opaque:
			disposal = gifwriter.DisposalBackground
		case i > 0:
			if area = changed(a.Frames[i-1].NRGBA(), m); area.Empty() {
				area = image.Rect(0, 0, 1, 1)
			}
		}
		out.Image = append(out.Image, quantize(m.SubImage(area).(*image.NRGBA)))
		out.Delay = append(out.Delay, int((a.Delays[i]+5*time.Millisecond)/(10*time.Millisecond)))
		out.Disposal = append(out.Disposal, disposal)
	}
	out.Config.Width, out.Config.Height = a.Frames[0].Width(), a.Frames[0].Height()
	var file bytes.Buffer
	err := gifwriter.EncodeAll(&file, &out)
	return file.Bytes(), err
}
