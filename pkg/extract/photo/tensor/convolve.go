package tensor

import (
	"fmt"
	"slices"
)

// window describes how a filter is applied: its size, its strides, and whether the picture is padded
// so that the output has the same size (SAME) or not (VALID).
type window struct {
	height, width       int
	down, right         int
	same                bool
	above, left         int // padding added by padded
	outHeight, outWidth int
	inHeight, inWidth   int
}

// windowOf reads the strides and the padding, and checks the other attributes.
func windowOf(d definition, height, width int) (window, error) {
	strides, err := d.integers("strides")
	if err != nil {
		return window{}, err
	}
	dilations := []int{1, 1, 1, 1}
	if _, has := d.Attr["dilations"]; has {
		if dilations, err = d.integers("dilations"); err != nil {
			return window{}, err
		}
	}
	padding := string(d.Attr["padding"].S)
	if format := string(d.Attr["data_format"].S); format != "" && format != "NHWC" {
		return window{}, fmt.Errorf("%w: unsupported data format %s", ErrModel, format)
	}
	switch {
	case len(strides) != 4 || strides[0] != 1 || strides[3] != 1 || min(strides[1], strides[2]) < 1:
		return window{}, fmt.Errorf("%w: unsupported strides %v", ErrModel, strides)
	case !slices.Equal(dilations, []int{1, 1, 1, 1}):
		return window{}, fmt.Errorf("%w: unsupported dilations %v", ErrModel, dilations)
	case padding != "SAME" && padding != "VALID":
		return window{}, fmt.Errorf("%w: unsupported padding %q", ErrModel, padding)
	case min(height, width) < 1:
		return window{}, fmt.Errorf("%w: invalid filter size %d × %d", ErrModel, height, width)
	}
	return window{height: height, width: width, down: strides[1], right: strides[2], same: padding == "SAME"}, nil
}

// over returns the window with its padding and output size for a picture of the given size.
func (w window) over(height, width int) (window, error) {
	w.inHeight, w.inWidth = height, width
	if w.same {
		w.outHeight, w.outWidth = (height+w.down-1)/w.down, (width+w.right-1)/w.right
		w.above = max((w.outHeight-1)*w.down+w.height-height, 0) / 2
		w.left = max((w.outWidth-1)*w.right+w.width-width, 0) / 2
	} else {
		w.outHeight, w.outWidth = (height-w.height)/w.down+1, (width-w.width)/w.right+1
	}
	if height < 1 || width < 1 || !w.same && (height < w.height || width < w.width) {
		return w, fmt.Errorf("%w: a filter of %d × %d does not fit %d × %d pixels", ErrModel, w.height, w.width, height, width)
	}
	return w, nil
}

// padded returns the picture with the padding that the window needs.
func (w window) padded(a array) (array, error) {
	high, wide := (w.outHeight-1)*w.down+w.height, (w.outWidth-1)*w.right+w.width
	if !w.same || high <= w.inHeight && wide <= w.inWidth {
		return a, nil
	}
	high, wide = max(high, w.inHeight), max(wide, w.inWidth)
	return pad(a, []int{0, 0, w.above, high - w.inHeight - w.above, w.left, wide - w.inWidth - w.left, 0, 0})
}

// picture returns an array with a single picture as rows, columns and channels.
func picture(a array, channels int) (array, error) {
	if len(a.shape) != 4 || a.shape[0] != 1 || channels > 0 && a.shape[3] != channels {
		return array{}, fmt.Errorf("%w: a filter of %d channels does not fit shape %v", ErrModel, channels, a.shape)
	}
	return a.rowMajor(), nil
}

func convolution(d definition, f finish) (operation, error) {
	filter, err := d.constant(1, 4)
	if err != nil {
		return nil, err
	}
	channels := filter.shape[2]
	if min(channels, filter.shape[3]) < 1 || !f.fits(filter.shape[3]) {
		return nil, fmt.Errorf("%w: invalid filter shape %v", ErrModel, filter.shape)
	}
	w, err := windowOf(d, filter.shape[0], filter.shape[1])
	if err != nil {
		return nil, err
	}
	weights := packed(filter.rowMajor().data, w.height*w.width*channels, filter.shape[3])
	return unary(func(a array) (array, error) {
		a, err := picture(a, channels)
		if err != nil {
			return array{}, err
		}
		placed, err := w.over(a.shape[1], a.shape[2])
		if err != nil {
			return array{}, err
		}
		if a, err = placed.padded(a); err != nil {
			return array{}, err
		}
		out, err := newArray(1, placed.outHeight, placed.outWidth, weights.n)
		if err == nil {
			placed.convolve(out.data, a, weights, d.kernels.multiply, f)
			if f.positive {
				d.kernels.positive(out.data)
			}
		}
		return out, err
	}), nil
}

// convolve multiplies panel by panel, so that each panel stays in the cache. A row of a filter is
// contiguous in the picture and in the weights, so nothing is copied.
func (w window) convolve(out []float32, a array, weights panels, multiply kernel, f finish) {
	channels, wide := a.shape[3], a.shape[2]
	high, across := w.outHeight, w.outWidth
	if w.height == 1 && w.width == 1 && w.down == 1 && w.right == 1 { // the rows are contiguous: treat them as one
		high, across, wide = 1, high*across, high*across
	}
	run, step := w.width*channels, w.right*channels
	short := make([]float32, tileRows*run)
	for column := 0; column < weights.n; column += tileColumns {
		panel := weights.data[column*weights.k:]
		columns := min(tileColumns, weights.n-column)
		start := f.start(column, columns)
		for y := range high {
			for x := 0; x < across; x += tileRows {
				x := max(min(x, across-tileRows), 0) // the last tile may overlap the previous one
				rows := min(tileRows, across)
				sums := start
				for row := range w.height {
					source, stride := a.data[((y*w.down+row)*wide+x*w.right)*channels:], step
					if rows < tileRows {
						for i := range rows {
							copy(short[i*run:(i+1)*run], source[i*step:])
						}
						source, stride = short, run
					}
					multiply(run, source, stride, panel[row*run*tileColumns:], &sums)
				}
				for i := range rows {
					copy(out[(y*across+x+i)*weights.n+column:][:columns], sums[i*tileColumns:])
				}
			}
		}
	}
}

// depthwise applies a separate filter to each channel.
func depthwise(d definition, f finish) (operation, error) {
	filter, err := d.constant(1, 4)
	if err != nil {
		return nil, err
	}
	w, err := windowOf(d, filter.shape[0], filter.shape[1])
	if err != nil {
		return nil, err
	}
	channels, weights := filter.shape[2], filter.rowMajor().data
	if filter.shape[3] != 1 || channels < 1 || !f.fits(channels) {
		return nil, fmt.Errorf("%w: invalid filter shape %v", ErrModel, filter.shape)
	}
	tile := 1 // pixels, whose sums are calculated together if they are neighbors in the picture
	if w.right == 1 {
		tile = max(256/channels, 1)
	}
	weights, bias := repeated(weights, channels, tile), repeated(f.bias, channels, tile)
	return unary(func(a array) (array, error) {
		a, err := picture(a, channels)
		if err != nil {
			return array{}, err
		}
		w, err := w.over(a.shape[1], a.shape[2])
		if err != nil {
			return array{}, err
		}
		if a, err = w.padded(a); err != nil {
			return array{}, err
		}
		out, err := newArray(1, w.outHeight, w.outWidth, channels)
		if err != nil {
			return array{}, err
		}
		for y := range w.outHeight {
			for x := 0; x < w.outWidth; x += tile {
				n := min(tile, w.outWidth-x) * channels
				sums := out.data[(y*w.outWidth+x)*channels:][:n]
				copy(sums, bias)
				for k := range w.height * w.width {
					at := ((y*w.down+k/w.width)*a.shape[2] + x*w.right + k%w.width) * channels
					d.kernels.accumulate(sums, a.data[at:at+n], weights[k*tile*channels:][:n])
				}
			}
		}
		if f.positive {
			d.kernels.positive(out.data)
		}
		return out, nil
	}), nil
}

// repeated repeats each group of n numbers.
func repeated(numbers []float32, n, times int) []float32 {
	out := make([]float32, 0, len(numbers)*times)
	for group := range slices.Chunk(numbers, n) {
		for range times {
			out = append(out, group...)
		}
	}
	return out
}

// fused returns a convolution that is followed by adding a bias to each channel and, optionally, by
// an activation.
func fused(d definition, filter func(definition, finish) (operation, error)) (operation, error) {
	bias, err := d.constant(2, 1)
	if err != nil {
		return nil, err
	}
	f := finish{bias: bias.data}
	switch ops := d.Attr["fused_ops"].List.S; {
	case len(ops) == 1 && string(ops[0]) == "BiasAdd":
	case len(ops) == 2 && string(ops[0]) == "BiasAdd" && string(ops[1]) == "Relu":
		f.positive = true
	default:
		return nil, fmt.Errorf("%w: unsupported fused operations %q", ErrModel, ops)
	}
	return filter(d, f)
}

// finish is what follows a convolution.
type finish struct {
	bias     []float32 // one for each channel, or none
	positive bool      // replace negative numbers by zero
}

// fits reports whether the number of channels is right.
func (f finish) fits(channels int) bool { return f.bias == nil || len(f.bias) == channels }

// start returns the values from which the sums of a tile of columns start.
func (f finish) start(column, columns int) (t tile) {
	if f.bias != nil {
		for row := range tileRows {
			copy(t[row*tileColumns:], f.bias[column:column+columns])
		}
	}
	return t
}
