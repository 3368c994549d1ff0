package pdf

import (
	"fmt"
	"image"
	"math"

	"github.com/tetratelabs/wazero/api"
)

// PageSize is the size of a page as displayed, in points (1/72 inch).
type PageSize struct{ Width, Height float64 }

// PageSize returns the size of page n, counted from 0.
func (d *Document) PageSize(n int) (PageSize, error) {
	page, err := d.openPage(n)
	if err != nil {
		return PageSize{}, err
	}
	defer d.closePage(page)
	return d.pageSize(page)
}

func (d *Document) pageSize(page uint64) (PageSize, error) {
	s := PageSize{
		float64(api.DecodeF32(d.instance.Call("FPDF_GetPageWidthF", page))),
		float64(api.DecodeF32(d.instance.Call("FPDF_GetPageHeightF", page))),
	}
	if err := d.err(nil); err != nil {
		return PageSize{}, err
	}
	if !(s.Width > 0 && s.Height > 0) || math.IsInf(s.Width, 0) || math.IsInf(s.Height, 0) {
		return PageSize{}, fmt.Errorf("%w: it has no valid size", ErrPage)
	}
	return s, nil
}

// openPage opens page n without making its annotations part of its content, as openFlat does.
func (d *Document) openPage(n int) (uint64, error) {
	if n < 0 || n >= d.pages {
		return 0, fmt.Errorf("%w: page %d of %d", ErrPage, n, d.pages)
	}
	page := d.instance.Call("FPDF_LoadPage", d.handle, uint64(n))
	if page == 0 {
		return 0, d.err(ErrPage)
	}
	return page, d.err(nil)
}

// Picture draws page n, counted from 0, on white, scaled to fit a square of longest × longest pixels. The picture uses
// at most longest² × 4 bytes inside PDFium and the same amount outside it. Text in a font that is neither embedded nor
// one of the standard 14 fonts may be missing.
func (d *Document) Picture(n, longest int) (*image.NRGBA, error) {
	page, _, err := d.openFlat(n)
	if err != nil {
		return nil, err
	}
	defer d.closePage(page)
	size, err := d.pageSize(page)
	if err != nil {
		return nil, err
	}
	scale := float64(longest) / max(size.Width, size.Height)
	w, h := max(1, int(math.Round(size.Width*scale))), max(1, int(math.Round(size.Height*scale)))

	const bgrx, white = 3, 0xffffffff
	bitmap := d.instance.Call("FPDFBitmap_CreateEx", uint64(w), uint64(h), bgrx, 0, 0)
	if bitmap == 0 {
		return nil, d.err(fmt.Errorf("%w: a picture of %d × %d pixels cannot be created", ErrPage, w, h))
	}
	defer d.instance.Call("FPDFBitmap_Destroy", bitmap)
	d.instance.Call("FPDFBitmap_FillRect", bitmap, 0, 0, uint64(w), uint64(h), white)
	const annotations, rgb = 0x01, 0x10
	d.instance.Call("FPDF_RenderPageBitmap", bitmap, page, 0, 0, uint64(w), uint64(h), 0, annotations|rgb)

	stride := d.instance.Call("FPDFBitmap_GetStride", bitmap)
	pixels := d.instance.Bytes(d.instance.Call("FPDFBitmap_GetBuffer", bitmap), stride*uint64(h))
	if err := d.err(nil); err != nil {
		return nil, err
	}
	out := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		row := out.Pix[y*out.Stride:][:4*w]
		copy(row, pixels[y*int(stride):])
		for x := 3; x < len(row); x += 4 {
			row[x] = 0xff
		}
	}
	return out, nil
}
