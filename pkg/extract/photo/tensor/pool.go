package tensor

import "fmt"

// pool returns the operation that reduces the pixels of a window to their mean.
func pool(d definition) (operation, error) {
	size, err := d.integers("ksize")
	if err != nil {
		return nil, err
	}
	if len(size) != 4 || size[0] != 1 || size[3] != 1 {
		return nil, fmt.Errorf("%w: unsupported window %v", ErrModel, size)
	}
	w, err := windowOf(d, size[1], size[2])
	if err != nil {
		return nil, err
	}
	if w.same {
		return nil, fmt.Errorf("%w: unsupported padding for pooling", ErrModel)
	}
	return unary(func(a array) (array, error) {
		a, err := picture(a, 0)
		if err != nil {
			return array{}, err
		}
		w, err := w.over(a.shape[1], a.shape[2])
		if err != nil {
			return array{}, err
		}
		channels := a.shape[3]
		out, err := newArray(1, w.outHeight, w.outWidth, channels)
		if err != nil {
			return array{}, err
		}
		for i := range w.outHeight * w.outWidth {
			pixel := out.data[i*channels : (i+1)*channels]
			y, x := i/w.outWidth*w.down, i%w.outWidth*w.right
			for k := range w.height * w.width {
				next := a.data[((y+k/w.width)*a.shape[2]+x+k%w.width)*channels:][:channels]
				add(pixel, pixel, next)
			}
			timesScalar(pixel, pixel, 1/float32(w.height*w.width))
		}
		return out, nil
	}), nil
}
