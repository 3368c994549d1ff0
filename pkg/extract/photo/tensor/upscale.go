package tensor

import (
	"fmt"
	"math"
	"strconv"
)

// transposedConvolution adds each pixel, multiplied by a window, to a larger picture.
func transposedConvolution(d definition) (operation, error) {
	size, err := d.constant(0, 1)
	if err != nil {
		return nil, err
	}
	shape, err := size.integers()
	if err != nil {
		return nil, err
	}
	filter, err := d.constant(1, 4)
	if err != nil {
		return nil, err
	}
	w, err := windowOf(d, filter.shape[0], filter.shape[1])
	if err != nil {
		return nil, err
	}
	if len(shape) != 4 || shape[0] != 1 || shape[3] != filter.shape[2] {
		return nil, fmt.Errorf("%w: cannot produce shape %v with a filter of %v", ErrModel, shape, filter.shape)
	}
	if w, err = w.over(shape[1], shape[2]); err != nil {
		return nil, err
	}
	outputs, channels, weights := filter.shape[2], filter.shape[3], filter.rowMajor().data
	return unary(func(a array) (array, error) {
		a, err := picture(a, channels)
		if err != nil {
			return array{}, err
		}
		if a.shape[1] != w.outHeight || a.shape[2] != w.outWidth {
			return array{}, fmt.Errorf("%w: cannot convert shape %v to %v", ErrModel, a.shape, shape)
		}
		out, err := newArray(shape...)
		if err != nil {
			return array{}, err
		}
		for i := range w.outHeight * w.outWidth {
			pixel := a.data[i*channels : (i+1)*channels]
			for k := range w.height * w.width {
				y, x := i/w.outWidth*w.down+k/w.width-w.above, i%w.outWidth*w.right+k%w.width-w.left
				if y < 0 || y >= shape[1] || x < 0 || x >= shape[2] {
					continue
				}
				for o := range outputs {
					out.data[(y*shape[2]+x)*outputs+o] += dot(pixel, weights[(k*outputs+o)*channels:])
				}
			}
		}
		return out, nil
	}), nil
}

func dot(a, b []float32) float32 {
	b = b[:len(a)]
	var sum float32
	for i := range a {
		sum += float32(a[i] * b[i])
	}
	return sum
}

// resize interpolates between the centers of pixels.
func resize(d definition) (operation, error) {
	size, err := d.constant(1, 1)
	if err != nil {
		return nil, err
	}
	to, err := size.integers()
	if err != nil {
		return nil, err
	}
	if len(to) != 2 || min(to[0], to[1]) < 1 || d.Attr["align_corners"].B || !d.Attr["half_pixel_centers"].B {
		return nil, fmt.Errorf("%w: unsupported resize to %v without half-pixel centers", ErrModel, to)
	}
	return unary(func(a array) (array, error) {
		a, err := picture(a, 0)
		if err != nil {
			return array{}, err
		}
		out, err := newArray(1, to[0], to[1], a.shape[3])
		if err != nil || len(a.data) == 0 {
			return out, err
		}
		channels, wide := a.shape[3], a.shape[2]
		columns := make([]between, to[1])
		for x := range columns {
			columns[x] = neighbors(x, to[1], wide)
		}
		for y := range to[0] {
			row := neighbors(y, to[0], a.shape[1])
			for x, column := range columns {
				pixel := out.data[(y*to[1]+x)*channels:][:channels]
				corner := func(y, x int) []float32 { return a.data[(y*wide+x)*channels:][:channels] }
				topLeft, topRight := corner(row.first, column.first), corner(row.first, column.second)
				lowLeft, lowRight := corner(row.second, column.first), corner(row.second, column.second)
				for c := range pixel {
					top := topLeft[c] + float32((topRight[c]-topLeft[c])*column.part)
					low := lowLeft[c] + float32((lowRight[c]-lowLeft[c])*column.part)
					pixel[c] = top + float32((low-top)*row.part)
				}
			}
		}
		return out, nil
	}), nil
}

// between is a position between two samples: their indexes, and the distance from the first, 0 to
// 1.
type between struct {
	first, second int
	part          float32
}

func neighbors(at, to, from int) between {
	position := (float64(at)+0.5)*float64(from)/float64(to) - 0.5
	first := max(math.Floor(position), 0)
	return between{int(first), min(int(math.Ceil(position)), from-1), float32(max(position-first, 0))}
}

// depthToSpace moves groups of channels to blocks of pixels.
func depthToSpace(d definition) (operation, error) {
	block, err := strconv.Atoi(d.Attr["block_size"].I)
	if format := string(d.Attr["data_format"].S); err != nil || block < 1 || block > 16 || format != "" && format != "NHWC" {
		return nil, fmt.Errorf("%w: unsupported block size %q or data format %q", ErrModel, d.Attr["block_size"].I, format)
	}
	return unary(func(a array) (array, error) {
		a, err := picture(a, 0)
		if err != nil {
			return array{}, err
		}
		high, wide, channels := a.shape[1], a.shape[2], a.shape[3]/(block*block)
		if channels*block*block != a.shape[3] {
			return array{}, fmt.Errorf("%w: cannot arrange %d channels in blocks of %d", ErrModel, a.shape[3], block)
		}
		out, err := newArray(1, high*block, wide*block, channels)
		if err != nil {
			return array{}, err
		}
		run := block * channels
		for y := range high * block {
			for x := range wide {
				from := ((y/block)*wide+x)*a.shape[3] + y%block*run
				copy(out.data[(y*wide+x)*run:][:run], a.data[from:])
			}
		}
		return out, nil
	}), nil
}
